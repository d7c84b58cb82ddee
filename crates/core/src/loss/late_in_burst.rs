//! Late in a burst: the first packets of a burst get through, and a share of those behind them is lost, as in a small buffer that no
//! queue of the plan describes (a network card, a radio's aggregate).
//!
//! A packet that is sent more than `gap` after the one before it begins a burst; both times are those at which transmissions end.

use super::{Harm, Loss, Named, Sent};
use crate::ledger::Cause;
use crate::measure::{Packets, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant};

crate::declare! {
    /// Loses a share of the packets of each burst behind its first ones.
    pub struct LateInBurstParams as "late-in-burst" from "common practice" {
        /// Number of packets at the beginning of a burst of which none is lost.
        spared: Packets, show "3 packets";
        /// Probability that a packet behind them is lost.
        rate: Share = "1", show "0.5";
        /// Time without the end of a transmission after which a packet begins a burst.
        gap: Duration, show "250 ms";
    }
}

impl LateInBurstParams {
    /// No flow: only the times count.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }
}

/// A line that counts.
#[derive(Clone, Debug)]
pub struct LateInBurst {
    spared: u64,
    rate: f64,
    gap: Duration,
    /// When the last transmission ended, if there was one.
    last: Option<Instant>,
    /// Packets of this burst so far.
    count: u64,
    rng: Stream,
}

impl LateInBurst {
    /// A line at the start of a run.
    pub fn new(params: &LateInBurstParams, rng: Stream) -> Self {
        Self {
            spared: params.spared.0,
            rate: params.rate.0,
            gap: params.gap,
            last: None,
            count: 0,
            rng,
        }
    }
}

impl Loss for LateInBurst {
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm> {
        if self.last.is_none_or(|last| packet.at > last + self.gap) {
            self.count = 0;
        }
        self.last = Some(packet.at);
        self.count += 1;
        let lost = self.count > self.spared && self.rng.happens(self.rate);
        lost.then_some(Harm::Lost(Cause::Random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::string::String;

    /// Bursts of packets 1 ms apart, 10 ms after each other: a sign for each packet.
    fn fates(texts: &[(&str, &str)], bursts: &[u64]) -> String {
        let params = LateInBurstParams::from_texts(texts);
        let mut line = LateInBurst::new(&params, Stream::new(1, "test"));
        let (mut at, mut signs) = (Instant::ZERO, String::new());
        for length in bursts {
            at += Duration::millis(9);
            for _ in 0..*length {
                at += Duration::millis(1);
                let packet = Sent {
                    at,
                    ..Sent::default()
                };
                signs.push(line.on_packet(&packet).map_or('.', |_| 'x'));
            }
            signs.push(' ');
        }
        signs
    }

    #[test]
    fn the_first_packets_of_each_burst_are_spared() {
        let told = fates(&[("spared", "2 packets"), ("gap", "9 ms")], &[4, 1, 5, 2]);
        assert_eq!(told, "..xx . ..xxx .. ");
        // A gap as long as `gap` is none.
        let told = fates(&[("spared", "2 packets"), ("gap", "10 ms")], &[4, 1, 5, 2]);
        assert_eq!(told, "..xx x xxxxx xx ");
        let told = fates(&[("spared", "0 packets"), ("gap", "9 ms")], &[2, 1]);
        assert_eq!(told, "xx x ");
    }

    #[test]
    fn a_share_of_the_others_is_lost() {
        let told = fates(
            &[("spared", "3 packets"), ("gap", "9 ms"), ("rate", "0.2")],
            &[13; 2000],
        );
        assert!(
            told.split(' ')
                .all(|burst| burst.is_empty() || burst.starts_with("..."))
        );
        let lost = told.matches('x').count() as f64 / 20_000.0;
        // Four standard errors.
        assert!(
            (lost - 0.2).abs() < 4.0 * (0.16_f64 / 20_000.0).sqrt(),
            "{lost}"
        );
    }
}
