//! Random streams: every component owns one, derived from the run's seed and the component's path in the plan, so
//! that adding a link shifts nobody else's draws and alternatives are compared under common random numbers.

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
