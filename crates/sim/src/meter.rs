//! Time averages of whole numbers, exact up to the last division.

use dupack_core::time::Instant;

/// The time integral of a count, and its peak.
#[derive(Clone, Copy, Debug, Default)]
pub struct Level {
    value: u64,
    since: Instant,
    /// \[units x ps\]
    area: u128,
    peak: u64,
}

impl Level {
    /// The count is `value` from now on.
    #[inline]
    pub fn set(&mut self, now: Instant, value: u64) {
        self.fall(now, value);
        self.peak = self.peak.max(value);
    }

    /// The same, for a value that cannot be a peak.
    #[inline]
    pub fn fall(&mut self, now: Instant, value: u64) {
        self.area += u128::from(self.value) * u128::from(now.0 - self.since.0);
        (self.value, self.since) = (value, now);
    }

    /// Units x ps up to now.
    pub fn area(&self, now: Instant) -> u128 {
        self.area + u128::from(self.value) * u128::from((now - self.since).0)
    }

    /// The highest count so far.
    pub fn peak(&self) -> u64 {
        self.peak
    }
}
