//! Uniform: every extra delay up to a largest one is as likely.

use super::{Jitter, picoseconds};
use crate::rng::Stream;
use crate::time::Duration;

crate::declare! {
    /// Delays each packet by a further time that is uniformly distributed from 0 to `max_delay`.
    pub struct UniformParams as "uniform" from "common practice" {
        /// Largest extra delay.
        max_delay: Duration, show "20 ms";
    }
}

/// Extra delays without memory.
#[derive(Clone, Debug)]
pub struct Uniform {
    max: f64,
    rng: Stream,
}

impl Uniform {
    /// A line at the start of a run.
    pub fn new(params: &UniformParams, rng: Stream) -> Self {
        Self {
            max: params.max_delay.0 as f64,
            rng,
        }
    }
}

impl Jitter for Uniform {
    fn on_packet(&mut self) -> Duration {
        picoseconds(self.max * self.rng.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::jitter::tests::{distance, draws};

    #[test]
    fn every_delay_up_to_the_largest_is_as_likely() {
        let params = UniformParams::from_texts(&[("max_delay", "20 ms")]);
        let found = draws(Uniform::new(&params, Stream::new(1, "test")), 100_000);
        assert!(distance(&found, |x| x / 0.020) < 1.95);
        assert!(found[0] >= 0.0 && found[found.len() - 1] <= 0.020);
    }
}
