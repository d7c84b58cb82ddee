//! Bit errors: each bit is wrong with the same probability, independently of the others, so long packets are damaged more often.
//!
//! A packet of n bits is damaged with the probability
//!
//!   1 - (1 - p)^n
//!
//! A link layer with a checksum of its own, as Ethernet's, discards it at the far end of the line. Without one it goes on, and takes
//! time on all lines behind, until the receiving host finds that the transport's checksum is wrong.
//!
//! On a line of cells the bits are those of all cells of a packet, and AAL5's checksum finds the damage where they are put together: the
//! packet's first cell is lost, which has the same effect.

use super::{Harm, Loss, Named, Sent};
use crate::ledger::Cause;
use crate::measure::Share;
use crate::rng::Stream;

crate::choice! {
    /// The end that finds wrong bits in a packet.
    pub enum FoundBy {
        /// The far end of the line, by the checksum of the link layer: the line loses the packet.
        Link = "link",
        /// The receiving host, by the checksum of the transport: the packet travels on, and is discarded there. Cells are checked by
        /// AAL5 in either case.
        Host = "host",
    }
}

crate::declare! {
    /// Damages packets by independent bit errors, so that long packets are damaged more often; a checksum finds it.
    pub struct BitErrorsParams as "bit-errors" from "common practice" {
        /// Probability that a bit is wrong. On a line of packets, the bits of a packet with its headers count, and those of a framing do not.
        rate: Share, show "0.00002";
        /// Whose checksum finds it: that of the "link", whose far end discards the packet, or that of the receiving "host", to which the packet travels on.
        found_by: FoundBy = "link";
    }
}

impl BitErrorsParams {
    /// No flow: only the length counts.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }
}

/// Independent bit errors.
#[derive(Clone, Debug)]
pub struct BitErrors {
    /// Logarithm of the probability that a bit is right.
    right: f64,
    harm: Harm,
    rng: Stream,
}

impl BitErrors {
    /// A line at the start of a run.
    pub fn new(params: &BitErrorsParams, rng: Stream) -> Self {
        Self {
            right: libm::log1p(-params.rate.0),
            harm: match params.found_by {
                FoundBy::Link => Harm::Lost(Cause::Random),
                FoundBy::Host => Harm::Corrupted,
            },
            rng,
        }
    }
}

impl Loss for BitErrors {
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm> {
        if packet.bits == 0 {
            return None;
        }
        let damaged = -libm::expm1(packet.bits as f64 * self.right);
        self.rng.happens(damaged).then_some(self.harm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn line(rate: &str, found_by: &str) -> BitErrors {
        let params = BitErrorsParams::from_texts(&[("rate", rate), ("found_by", found_by)]);
        BitErrors::new(&params, Stream::new(1, "test"))
    }

    fn of(bits: u64) -> Sent {
        Sent {
            bits,
            ..Sent::default()
        }
    }

    #[test]
    fn the_share_of_damaged_packets_follows_their_length() {
        let n = 200_000;
        for (rate, p) in [("0.00001", 1e-5), ("0.0002", 2e-4), ("0.00000001", 1e-8)] {
            for bits in [320, 12_000, 72_000] {
                let mut line = line(rate, "link");
                let lost = (0..n).filter(|_| line.on_packet(&of(bits)).is_some());
                let want = 1.0 - (1.0_f64 - p).powi(bits as i32);
                let error = (want * (1.0 - want) / f64::from(n)).sqrt();
                let found = lost.count() as f64 / f64::from(n);
                // Four standard errors, and half a packet for rates at which none is expected.
                let near = 4.0 * error + 0.5 / f64::from(n);
                assert!((found - want).abs() < near, "{p} {bits}: {found}, {want}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_rate_and_who_finds_it() {
        let all = line("1", "host").on_packet(&of(8));
        assert_eq!(all, Some(Harm::Corrupted));
        let lost = line("1", "link").on_packet(&of(8));
        assert_eq!(lost, Some(Harm::Lost(Cause::Random)));
        let mut none = line("0", "link");
        assert!((0..1000).all(|_| none.on_packet(&of(12_000)).is_none()));
        // An ack without a header has no bits.
        assert_eq!(line("1", "link").on_packet(&of(0)), None);
    }
}
