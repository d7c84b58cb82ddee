//! Burst: the line is alternately good and bad, each for a random number of packets, and loses the packets of bad periods.
//!
//! Both numbers are geometric, so whether the next packet is lost depends on the last one alone: Gilbert's channel, in which every
//! packet of a bad state is lost. A run of losses has L packets on average, and a run without losses
//!
//!   G = (1/r - 1) L
//!
//! so that the share L / (L + G) = r of all packets is lost. The state at the start is drawn from the stationary distribution.
//!
//! With L = 1 no two packets in a row are lost, so this is not `bernoulli`. A rate that would need G < 1 is refused, because there
//! is at least one packet of a good period between two bursts.
//= gilbert-1960
//= keshav-morgan-1997 §6
//= keshav-morgan-1997 §6 type=departure
//= keshav-morgan-1997 §6, mean good burst type=departure

use super::{Harm, Loss, Named, Sent};
use crate::declare::Fault;
use crate::ledger::Cause;
use crate::measure::{MeanPackets, Share};
use crate::rng::Stream;
use alloc::format;

crate::declare! {
    /// Loses packets in bursts; the lengths of the bursts, and of the good runs between them, are geometrically distributed.
    pub struct BurstParams as "burst" from "keshav-morgan-1997 §6" {
        /// Loss rate: share of all packets that are lost; at most L / (1 + L).
        rate: Share;
        /// L: mean number of packets lost in a row.
        mean_burst: MeanPackets;
    }
    check |it| {
        let most = it.mean_burst.0 / (1.0 + it.mean_burst.0);
        if it.rate.0 <= most {
            return Ok(());
        }
        Err(Fault {
            name: "rate",
            found: format!("{}", it.rate.0),
            allowed: format!(
                "at most {most} where `mean_burst` is {}: at least one packet gets through between two bursts",
                it.mean_burst.0
            ),
        })
    }
}

impl BurstParams {
    /// No flow: all packets are alike.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }

    /// G: mean number of packets in a row that are not lost; infinite if none is.
    fn mean_good_run(&self) -> f64 {
        // At the largest rate the mean is 1, except for rounding.
        ((1.0 / self.rate.0 - 1.0) * self.mean_burst.0).max(1.0)
    }
}

/// Burst in bursts.
#[derive(Clone, Debug)]
pub struct Burst {
    /// Mean lengths of runs of delivered packets, and of lost packets.
    means: [f64; 2],
    /// The line is bad.
    bad: bool,
    /// Packets until that changes.
    left: u64,
    rng: Stream,
}

impl Burst {
    /// A line at the start of a run.
    pub fn new(params: &BurstParams, mut rng: Stream) -> Self {
        let means = [params.mean_good_run(), params.mean_burst.0];
        let bad = rng.happens(params.rate.0);
        // A geometric run has no memory: the rest of a run that has begun is distributed as a new run is.
        let left = run(&mut rng, means, bad);
        Self {
            means,
            bad,
            left,
            rng,
        }
    }
}

/// The length of a run.
fn run(rng: &mut Stream, means: [f64; 2], bad: bool) -> u64 {
    let mean = means[usize::from(bad)];
    if mean.is_finite() {
        rng.geometric(mean)
    } else {
        u64::MAX
    }
}

impl Loss for Burst {
    #[inline]
    fn on_packet(&mut self, _: &Sent) -> Option<Harm> {
        if self.left == 0 {
            self.bad = !self.bad;
            self.left = run(&mut self.rng, self.means, self.bad);
        }
        self.left -= 1;
        self.bad.then_some(Harm::Lost(Cause::Random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec::Vec;

    fn losses(rate: &str, mean_burst: &str, seed: u64) -> Burst {
        let params = BurstParams::from_texts(&[("rate", rate), ("mean_burst", mean_burst)]);
        Burst::new(&params, Stream::new(seed, "test"))
    }

    /// Within four standard errors.
    fn near(found: f64, want: f64, error: f64) {
        assert!(
            (found - want).abs() <= 4.0 * error,
            "{found}, not {want} within 4 x {error}"
        );
    }

    #[test]
    fn rate_and_bursts_are_as_declared() {
        for (rate, burst) in [
            ("0.01", "1"),
            ("0.01", "5"),
            ("0.05", "5"),
            ("0.3", "1.5"),
            ("0.8", "4"),
        ] {
            let mut line = losses(rate, &std::format!("{burst} packets"), 1);
            let (r, l): (f64, f64) = (rate.parse().unwrap(), burst.parse().unwrap());
            let g = (1.0 / r - 1.0) * l;
            let n = 1_000_000;
            let (mut runs, mut lost) = (Vec::new(), 0);
            for _ in 0..n {
                let bad = line.on_packet(&Sent::default()).is_some();
                lost += u64::from(bad);
                match runs.last_mut() {
                    Some((was, length)) if *was == bad => *length += 1,
                    _ => runs.push((bad, 1u64)),
                }
            }
            // The correlation of neighbouring packets is 1 - 1/L - 1/G.
            let along = 1.0 - 1.0 / l - 1.0 / g;
            let error = (r * (1.0 - r) * (1.0 + along) / (1.0 - along) / f64::from(n)).sqrt();
            near(lost as f64 / f64::from(n), r, error);
            // The first and the last run may have been cut.
            for (bad, mean) in [(true, l), (false, g)] {
                let whole = runs[1..runs.len() - 1].iter().filter(|run| run.0 == bad);
                let lengths: Vec<f64> = whole.map(|run| run.1 as f64).collect();
                let k = lengths.len() as f64;
                near(
                    lengths.iter().sum::<f64>() / k,
                    mean,
                    (mean * (mean - 1.0) / k).sqrt(),
                );
                // Lengths are geometric: one run in `mean` ends after its first packet.
                let short = lengths.iter().filter(|length| **length == 1.0).count() as f64;
                let p = 1.0 / mean;
                near(short / k, p, (p * (1.0 - p) / k).sqrt());
            }
        }
    }

    #[test]
    fn the_start_is_as_any_other_time() {
        let n = 20_000;
        for at in [0, 1, 7] {
            let lost = (0..n).filter(|seed| {
                let mut line = losses("0.2", "5 packets", *seed);
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
    fn the_ends_of_the_rate() {
        let mut never = losses("0", "5 packets", 1);
        assert!((0..1000).all(|_| never.on_packet(&Sent::default()).is_none()));
        let mut half = losses("0.5", "1 packet", 1);
        let first = half.on_packet(&Sent::default());
        assert!((1..1000).all(
            |n| half.on_packet(&Sent::default()).is_some() == (first.is_some() == (n % 2 == 0))
        ));
        let refused = |rate, mean_burst| {
            let (rate, mean_burst) = (Share(rate), MeanPackets(mean_burst));
            BurstParams { rate, mean_burst }.check().is_err()
        };
        assert!(refused(0.51, 1.0) && refused(0.84, 5.0) && refused(1.0, 1000.0));
        assert!(!refused(5.0 / 6.0, 5.0));
    }
}
