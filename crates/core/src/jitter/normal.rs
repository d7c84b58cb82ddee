//! Normal: extra delays around a mean. A draw below zero counts as no extra delay, so with a standard deviation of more than about a
//! third of the mean, the mean of the delays is higher than `mean`.

use super::{Jitter, picoseconds};
use crate::rng::Stream;
use crate::time::Duration;

crate::declare! {
    /// Delays each packet by a further time that is normally distributed; draws below 0 count as 0.
    pub struct NormalParams as "normal" from "common practice" {
        /// Mean of the distribution.
        mean: Duration, show "20 ms";
        /// Its standard deviation.
        deviation: Duration, show "5 ms";
    }
}

/// Extra delays without memory.
#[derive(Clone, Debug)]
pub struct Normal {
    mean: f64,
    deviation: f64,
    rng: Stream,
}

impl Normal {
    /// A line at the start of a run.
    pub fn new(params: &NormalParams, rng: Stream) -> Self {
        Self {
            mean: params.mean.0 as f64,
            deviation: params.deviation.0 as f64,
            rng,
        }
    }
}

impl Jitter for Normal {
    fn on_packet(&mut self) -> Duration {
        picoseconds(self.mean + self.deviation * self.rng.normal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::jitter::tests::{distance, draws};

    #[test]
    fn delays_are_normally_distributed_and_none_is_below_zero() {
        for (mean, deviation, text) in [(0.010, 0.002, "2 ms"), (0.010, 0.010, "10 ms")] {
            let params = NormalParams::from_texts(&[("mean", "10 ms"), ("deviation", text)]);
            let found = draws(Normal::new(&params, Stream::new(1, "test")), 100_000);
            let below =
                |x: f64| 0.5 * libm::erfc((mean - x) / deviation / core::f64::consts::SQRT_2);
            // A sixth of the draws of the second is cut: the distribution has a step at 0.
            let cut = found.iter().filter(|x| **x == 0.0).count();
            let share = below(0.0);
            let error = (share * (1.0 - share) * found.len() as f64).sqrt();
            assert!(
                (cut as f64 - share * found.len() as f64).abs() <= 4.0 * error + 1.0,
                "{cut}"
            );
            let rest = |x: f64| (below(x) - share) / (1.0 - share);
            assert!(distance(&found[cut..], rest) < 1.95);
        }
    }
}
