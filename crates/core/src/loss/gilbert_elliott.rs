//! Gilbert-Elliott: the line is good or bad, and loses a share of the packets in either state.
//!
//! The state is a Markov chain with one step per packet. With p, the probability that a good line becomes bad, and r, that a bad line
//! becomes good, the share of bad packets is p / (p + r), and a bad period has 1/r packets on average. With the defaults every packet of
//! a bad period is lost, and no other: then losses are those of `burst`, with its parameters rate = p / (p + r) and mean_burst = 1/r.
//!
//! The state at the start is drawn from the stationary distribution.
//= gilbert-1960
//= elliott-1963

use super::{Harm, Loss, Named, Sent};
use crate::declare::Fault;
use crate::ledger::Cause;
use crate::measure::Share;
use crate::rng::Stream;

crate::declare! {
    /// Loses a share of the packets of a line that is alternately good and bad, each for a random number of packets.
    pub struct GilbertElliottParams as "gilbert-elliott" from "elliott-1963" {
        /// p: probability, at each packet, that a good line becomes bad.
        to_bad: Share;
        /// r: probability, at each packet, that a bad line becomes good.
        to_good: Share;
        /// Share of packets that a bad line loses.
        loss_bad: Share = "1";
        /// Share of packets that a good line loses.
        loss_good: Share = "0";
    }
    check |it| if it.to_bad.0 + it.to_good.0 > 0.0 { Ok(()) } else {
        Err(Fault { name: "to_bad", found: "0".into(), allowed: "more than 0 for it or for `to_good`: with both 0 the line never changes".into() })
    }
}

impl GilbertElliottParams {
    /// No flow: all packets are alike.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }
}

/// A line between two states.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    /// Probability of leaving the good, and the bad state.
    leaves: [f64; 2],
    /// Share of packets lost in them.
    loses: [f64; 2],
    bad: bool,
    rng: Stream,
}

impl GilbertElliott {
    /// A line at the start of a run.
    pub fn new(params: &GilbertElliottParams, mut rng: Stream) -> Self {
        let (p, r) = (params.to_bad.0, params.to_good.0);
        Self {
            leaves: [p, r],
            loses: [params.loss_good.0, params.loss_bad.0],
            bad: rng.happens(p / (p + r)),
            rng,
        }
    }
}

impl Loss for GilbertElliott {
    #[inline]
    fn on_packet(&mut self, _: &Sent) -> Option<Harm> {
        let state = usize::from(self.bad);
        let lost = self.rng.happens(self.loses[state]);
        self.bad ^= self.rng.happens(self.leaves[state]);
        lost.then_some(Harm::Lost(Cause::Random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec::Vec;

    fn line(texts: [&str; 4], seed: u64) -> GilbertElliott {
        let names = ["to_bad", "to_good", "loss_bad", "loss_good"];
        let given: Vec<_> = names.into_iter().zip(texts).collect();
        let params = GilbertElliottParams::from_texts(&given);
        GilbertElliott::new(&params, Stream::new(seed, "test"))
    }

    /// Within four standard errors.
    fn near(found: f64, want: f64, error: f64) {
        assert!(
            (found - want).abs() <= 4.0 * error,
            "{found}, not {want} within 4 x {error}"
        );
    }

    const LINES: [[&str; 4]; 5] = [
        ["0.01", "0.2", "1", "0"],
        ["0.02", "0.3", "0.5", "0.001"],
        ["0.5", "0.5", "0.4", "0.4"],
        ["0.9", "0.7", "1", "0"],
        ["0.1", "0.1", "0.2", "0.8"],
    ];

    #[test]
    fn rate_and_correlation_are_those_of_the_chain() {
        for texts in LINES {
            let [p, r, bad, good] = texts.map(|text| text.parse::<f64>().unwrap());
            let (mut line, n) = (line(texts, 1), 1_000_000);
            let lost: Vec<f64> = (0..n)
                .map(|_| f64::from(u8::from(line.on_packet(&Sent::default()).is_some())))
                .collect();
            let (mean, along) = (p / (p + r) * bad + r / (p + r) * good, 1.0 - p - r);
            // Covariance of the losses of two packets in a row.
            let next = (bad - good) * (bad - good) * p * r / (p + r) / (p + r) * along;
            let (n, variance) = (f64::from(n), mean * (1.0 - mean));
            let error = ((variance + 2.0 * next / (1.0 - along)) / n).sqrt();
            near(lost.iter().sum::<f64>() / n, mean, error);
            let both = lost.windows(2).map(|it| it[0] * it[1]).sum::<f64>() / n;
            // The product of neighbours is itself correlated over about 1 / (1 - along) packets.
            let slow = (1.0 + along.abs()) / (1.0 - along.abs());
            near(both, next + mean * mean, (both * slow / n).sqrt());
        }
    }

    #[test]
    fn losses_of_a_bad_line_are_runs_of_geometric_length() {
        let (p, r): (f64, f64) = (0.02, 0.25);
        let mut line = line(["0.02", "0.25", "1", "0"], 2);
        let mut runs: Vec<(bool, u64)> = Vec::new();
        for _ in 0..1_000_000 {
            let lost = line.on_packet(&Sent::default()).is_some();
            match runs.last_mut() {
                Some((was, length)) if *was == lost => *length += 1,
                _ => runs.push((lost, 1)),
            }
        }
        for (lost, leaves) in [(true, r), (false, p)] {
            // The first and the last run may have been cut.
            let whole = runs[1..runs.len() - 1].iter().filter(|run| run.0 == lost);
            let lengths: Vec<f64> = whole.map(|run| run.1 as f64).collect();
            let k = lengths.len() as f64;
            let sigma = (1.0 - leaves).sqrt() / leaves;
            near(
                lengths.iter().sum::<f64>() / k,
                1.0 / leaves,
                sigma / k.sqrt(),
            );
            let short = lengths.iter().filter(|length| **length == 1.0).count() as f64;
            near(short / k, leaves, (leaves * (1.0 - leaves) / k).sqrt());
        }
    }

    #[test]
    fn the_start_is_as_any_other_time() {
        let n = 20_000;
        for at in [0, 1, 7] {
            let lost = (0..n).filter(|seed| {
                let mut line = line(["0.05", "0.2", "1", "0"], *seed);
                (0..at).for_each(|_| {
                    line.on_packet(&Sent::default());
                });
                line.on_packet(&Sent::default()).is_some()
            });
            near(
                lost.count() as f64 / n as f64,
                0.2,
                (0.16 / n as f64).sqrt(),
            );
        }
    }

    #[test]
    fn a_line_may_stay_in_one_state() {
        let mut good = line(["0", "1", "1", "0"], 1);
        assert!((0..1000).all(|_| good.on_packet(&Sent::default()).is_none()));
        let mut bad = line(["1", "0", "1", "0"], 1);
        assert!((0..1000).all(|_| bad.on_packet(&Sent::default()).is_some()));
        let zero = Share(0.0);
        let never = GilbertElliottParams {
            to_bad: zero,
            to_good: zero,
            loss_bad: zero,
            loss_good: zero,
        };
        assert_eq!(never.check().unwrap_err().name, "to_bad");
    }
}
