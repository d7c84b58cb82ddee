//! Reorder: some packets take longer on the line, and packets behind overtake them.
//!
//! It changes the order of a flow's packets by a known amount: a packet is overtaken by all packets that arrive within the delay.
//! There is only one kind, so there is no roster.

use crate::declare::Fault;
use crate::measure::Share;
use crate::rng::Stream;
use crate::time::Duration;

crate::declare! {
    /// Delays some packets on the link, so that later ones overtake them.
    pub struct ReorderParams as "reorder" from "common practice" {
        /// Share of packets that are delayed.
        rate: Share;
        /// Extra delay of these packets.
        delay: Duration;
    }
    check |it| if it.delay > Duration::ZERO { Ok(()) } else {
        Err(Fault { name: "delay", found: "0 s".into(), allowed: "a time above zero".into() })
    }
}

/// The reordering of a line, which calls it once per packet that it carries.
#[derive(Clone, Debug)]
pub struct Reorder {
    rate: f64,
    delay: Duration,
    rng: Stream,
}

impl Reorder {
    /// A line at the start of a run.
    pub fn new(params: &ReorderParams, rng: Stream) -> Self {
        Self {
            rate: params.rate.0,
            delay: params.delay,
            rng,
        }
    }

    /// Extra delay of this packet.
    pub fn on_packet(&mut self) -> Duration {
        if self.rng.happens(self.rate) {
            self.delay
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    fn so_large_a_share_takes_so_much_longer() {
        let params = ReorderParams::from_texts(&[("rate", "0.05"), ("delay", "2 ms")]);
        let mut line = Reorder::new(&params, Stream::new(1, "test"));
        let n = 100_000;
        let extra: u64 = (0..n).map(|_| line.on_packet().0).sum();
        let (late, rest) = (extra / 2_000_000_000, extra % 2_000_000_000);
        assert_eq!(rest, 0);
        // Four standard errors.
        let error = (0.05 * 0.95 * n as f64).sqrt();
        assert!(
            (late as f64 - 0.05 * n as f64).abs() < 4.0 * error,
            "{late}"
        );
    }
}
