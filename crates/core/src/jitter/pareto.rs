//! Pareto: most extra delays are short, and few are very long. It is the Pareto distribution of the second kind (Lomax), which begins at
//! zero:
//!
//!   P(extra delay > x) = (1 + x / s)^-a,  s = mean (a - 1)
//!
//! With a shape of 2 or less the variance is infinite.
//= lomax-1954

use super::{Jitter, picoseconds};
use crate::declare::Fault;
use crate::measure::Factor;
use crate::rng::Stream;
use crate::time::Duration;

crate::declare! {
    /// Delays each packet by a further time that has a Pareto distribution: mostly short, and rarely very long.
    pub struct ParetoParams as "pareto" from "lomax-1954" {
        /// Mean extra delay.
        mean: Duration, show "5 ms";
        /// a: how fast long delays become rare; above 1. The variance is finite above 2.
        shape: Factor = "3";
    }
    check |it| if it.shape.0 > 1.0 { Ok(()) } else {
        Err(Fault { name: "shape", found: "1".into(), allowed: "a number above 1, or the mean would be infinite".into() })
    }
}

/// Extra delays without memory.
#[derive(Clone, Debug)]
pub struct Pareto {
    /// s.
    scale: f64,
    shape: f64,
    rng: Stream,
}

impl Pareto {
    /// A line at the start of a run.
    pub fn new(params: &ParetoParams, rng: Stream) -> Self {
        let shape = params.shape.0;
        Self {
            scale: params.mean.0 as f64 * (shape - 1.0),
            shape,
            rng,
        }
    }
}

impl Jitter for Pareto {
    fn on_packet(&mut self) -> Duration {
        let beyond = 1.0 - self.rng.share();
        picoseconds(self.scale * (libm::pow(beyond, -1.0 / self.shape) - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::jitter::tests::{distance, draws};

    #[test]
    fn delays_have_the_distribution_and_the_mean() {
        for (shape, text) in [(1.5, "1.5"), (3.0, "3"), (12.0, "12")] {
            let params = ParetoParams::from_texts(&[("mean", "4 ms"), ("shape", text)]);
            let found = draws(Pareto::new(&params, Stream::new(1, "test")), 100_000);
            let scale = 0.004 * (shape - 1.0);
            assert!(distance(&found, |x| 1.0 - libm::pow(1.0 + x / scale, -shape)) < 1.95);
            if shape > 2.0 {
                let n = found.len() as f64;
                let sigma = 0.004 * (shape / (shape - 2.0)).sqrt();
                let mean = found.iter().sum::<f64>() / n;
                assert!((mean - 0.004).abs() < 4.0 * sigma / n.sqrt(), "{mean}");
            }
        }
    }

    #[test]
    fn a_shape_without_a_mean_is_refused() {
        let mean = Duration::millis(1);
        let shape = Factor(1.0);
        assert_eq!(
            ParetoParams { mean, shape }.check().unwrap_err().name,
            "shape"
        );
    }
}
