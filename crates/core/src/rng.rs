//! Random streams: every component owns one, derived from the run's seed and the component's path in the plan. So an added link
//! does not change the draws of other components, and alternatives are compared with common random numbers.

use crate::time::Duration;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A component's own source of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64Mcg);

impl Stream {
    /// The stream of the component at `path` (`"flow.bulk-0.start"`) in the run of `seed`.
    pub fn new(seed: u64, path: &str) -> Self {
        // FNV-1a spreads the path over 64 bits; seed_from_u64 then mixes (it expands by SplitMix-like steps), so near
        // seeds and near paths give unrelated streams.
        let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Self(Pcg64Mcg::seed_from_u64(
            hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ))
    }

    /// A whole number from `low` to `high`, both included, each as likely.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0.random_range(low..=high)
    }

    /// True with this probability, 0 to 1.
    #[inline]
    pub fn happens(&mut self, probability: f64) -> bool {
        self.0.random::<f64>() < probability
    }

    /// A float from 0 to below 1, evenly distributed.
    pub fn share(&mut self) -> f64 {
        self.0.random::<f64>()
    }

    /// A time, exponentially distributed with this mean \[ps\].
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        let times = -libm::log(self.above_zero());
        // The cast saturates: a time that is too large becomes the largest, which is later than any run ends.
        Duration((times * mean.0 as f64) as u64)
    }

    /// A whole number from 1 on, geometrically distributed with this mean (at least 1).
    pub fn geometric(&mut self, mean: f64) -> u64 {
        geometric(self.above_zero(), mean)
    }

    /// A number from the normal distribution of mean 0 and variance 1, by Box and Muller's method.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (
            libm::sqrt(-2.0 * libm::log(self.above_zero())),
            self.share(),
        );
        radius * libm::cos(2.0 * core::f64::consts::PI * angle)
    }

    /// A whole number from the Poisson distribution with this mean, which is small: the time that it takes grows with the mean.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        debug_assert!((0.0..100.0).contains(&mean));
        let mut below = self.share();
        let (mut count, mut share) = (0, libm::exp(-mean));
        // Rounding may leave a rest that no count uses up; then the share becomes zero.
        while below >= share && share > 0.0 {
            below -= share;
            count += 1;
            share *= mean / count as f64;
        }
        count
    }

    /// Draws by number.
    pub fn table(&mut self) -> Table {
        Table(self.0.random())
    }

    /// A float from above 0 to 1, both ends of which have a logarithm.
    fn above_zero(&mut self) -> f64 {
        1.0 - self.0.random::<f64>()
    }
}

/// The number of trials until one of probability 1/mean succeeds, from a float that is uniform from above 0 to 1.
fn geometric(uniform: f64, mean: f64) -> u64 {
    debug_assert!(mean >= 1.0);
    // With a mean of 1 the divisor is minus infinity, and the result is 1.
    let failures = libm::log(uniform) / libm::log1p(-1.0 / mean);
    (failures as u64).saturating_add(1)
}

/// Random numbers that are asked for by number instead of in turn: the same number gives the same draw.
#[derive(Clone, Debug)]
pub struct Table(u64);

impl Table {
    /// Draw `n`: a whole number from 1 on, geometrically distributed with this mean (at least 1).
    pub fn geometric(&self, n: u64, mean: f64) -> u64 {
        // SplitMix64's mix of a Weyl sequence (Steele, Lea & Flood 2014); the upper 53 bits, and never 0.
        let mut z = self.0.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (z ^ (z >> 31)) >> 11;
        geometric((bits + 1) as f64 / (1u64 << 53) as f64, mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn streams_are_their_own_and_repeat() {
        let draw = |seed, path| {
            let mut s = Stream::new(seed, path);
            [s.between(0, u64::MAX), s.between(0, 9)]
        };
        assert_eq!(draw(1, "flow.a.start"), draw(1, "flow.a.start"));
        assert_ne!(draw(1, "flow.a.start"), draw(2, "flow.a.start"));
        assert_ne!(draw(1, "flow.a.start"), draw(1, "flow.b.start"));
    }

    /// Within four standard errors of its mean: with a new seed each time, one test in 16,000 would fail.
    fn near(samples: &[f64], mean: f64, deviation: f64) {
        let n = samples.len() as f64;
        let found = samples.iter().sum::<f64>() / n;
        let bound = 4.0 * deviation / n.sqrt();
        assert!(
            (found - mean).abs() < bound,
            "{found}, not {mean} within {bound}"
        );
    }

    #[test]
    fn normal_and_poisson_draws_have_their_moments() {
        let mut s = Stream::new(3, "test");
        let draws: Vec<_> = (0..200_000).map(|_| s.normal()).collect();
        near(&draws, 0.0, 1.0);
        let power = |n| draws.iter().map(|x: &f64| x.powi(n)).collect::<Vec<_>>();
        // Of the squares, the cubes and the fourth powers: means 1, 0 and 3, variances 2, 15 and 96.
        near(&power(2), 1.0, 2f64.sqrt());
        near(&power(3), 0.0, 15f64.sqrt());
        near(&power(4), 3.0, 96f64.sqrt());
        for mean in [0.0, 0.3, 1.0, 12.0, 90.0] {
            let counts: Vec<_> = (0..100_000).map(|_| s.poisson(mean) as f64).collect();
            near(&counts, mean, f64::sqrt(mean).max(1e-9));
            let squares: Vec<_> = counts.iter().map(|x| (x - mean).powi(2)).collect();
            near(
                &squares,
                mean,
                f64::sqrt(mean + 2.0 * mean * mean).max(1e-9),
            );
            let none: Vec<_> = counts.iter().map(|x| f64::from(*x == 0.0)).collect();
            let share = f64::exp(-mean);
            near(&none, share, f64::sqrt(share * (1.0 - share)).max(1e-3));
        }
    }

    #[test]
    fn distributions_have_their_means() {
        let mut s = Stream::new(7, "test");
        let second = Duration::secs(1);
        let times: Vec<_> = (0..40_000)
            .map(|_| s.exponential(second).0 as f64 / 1e12)
            .collect();
        near(&times, 1.0, 1.0);
        let counts: Vec<_> = (0..40_000).map(|_| s.geometric(5.0) as f64).collect();
        near(&counts, 5.0, 20f64.sqrt());
        assert!((0..1000).all(|_| s.geometric(1.0) == 1));
        let hits: Vec<_> = (0..40_000)
            .map(|_| f64::from(u8::from(s.happens(0.1))))
            .collect();
        near(&hits, 0.1, 0.3);
        assert!((0..1000).all(|_| s.happens(1.0) && !s.happens(0.0)));
    }
}
