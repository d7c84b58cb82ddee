//! Tokens of bytes that come at a rate, up to a limit.

use crate::measure::Rate;
use crate::time::{Instant, SECOND};

/// Tokens come one by one, at the multiples of the time of a byte. So they are whole numbers, and exact.
//= rfc2697 §3
//= rfc2698 §3
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    rate: Rate,
    /// Tokens that have come \[bytes\].
    come: u64,
}

impl Arrivals {
    /// None has come at the beginning of the run.
    pub const fn new(rate: Rate) -> Self {
        Self { rate, come: 0 }
    }

    /// Tokens that came until `now` and since it was last asked.
    pub fn until(&mut self, now: Instant) -> u64 {
        let all = u128::from(now.0) * u128::from(self.rate.0) / (8 * u128::from(SECOND));
        let all = all.min(u128::from(u64::MAX)) as u64;
        let new = all - self.come;
        self.come = all;
        new
    }

    /// Time at which `more` tokens will have come beside those that have.
    pub fn time_of(&self, more: u64) -> Instant {
        let bits = 8 * (u128::from(self.come) + u128::from(more));
        let time = (bits * u128::from(SECOND)).div_ceil(u128::from(self.rate.0));
        Instant(time.min(u128::from(u64::MAX / 2)) as u64)
    }
}

/// Tokens of which at most `size` are kept.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    arrivals: Arrivals,
    size: u64,
    tokens: u64,
}

impl Bucket {
    /// A full one.
    pub const fn new(rate: Rate, size: u64) -> Self {
        Self {
            arrivals: Arrivals::new(rate),
            size,
            tokens: size,
        }
    }

    /// Adds what has come until `now`.
    pub fn fill(&mut self, now: Instant) {
        let new = self.arrivals.until(now);
        self.tokens = self.tokens.saturating_add(new).min(self.size);
    }

    /// Tokens that there were when it was filled last \[bytes\].
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Whether there are `bytes`.
    pub const fn has(&self, bytes: u64) -> bool {
        self.tokens >= bytes
    }

    /// Takes `bytes`, which it [has](Self::has).
    pub fn take(&mut self, bytes: u64) {
        self.tokens -= bytes;
    }

    /// Time at which it will have `bytes`, which are not more than its size; a time that is past if it has them.
    pub fn time_of(&self, bytes: u64) -> Instant {
        self.arrivals.time_of(bytes.saturating_sub(self.tokens))
    }

    /// How many it may hold.
    pub const fn size(&self) -> u64 {
        self.size
    }
}
