//! Simulated time: whole picoseconds, so that every machine and every thread count sees the same instants.

use core::ops::{Add, AddAssign, Sub};

/// Picoseconds in a second.
pub const SECOND: u64 = 1_000_000_000_000;

/// An instant \[ps since the start of the run\]; the last one is some 213 days in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Instant(pub u64);

/// A length of time \[ps\].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Duration(pub u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// Time since `earlier` \[ps\]; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The earlier of two times that may be unset.
    #[inline]
    pub fn first_of(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Seconds since the start, for reports only: algorithms stay with integers.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Whole milliseconds.
    pub const fn millis(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// Whole seconds.
    pub const fn secs(n: u64) -> Self {
        Self(n * SECOND)
    }

    /// Seconds, for reports only.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// The least multiple of `grain` that is not less than this.
    pub fn round_up(self, grain: Self) -> Self {
        Self(self.0.div_ceil(grain.0) * grain.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    /// Saturates at [`Instant::NEVER`].
    fn add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, d: Self) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}
