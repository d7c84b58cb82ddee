//! How long units wait in buffers, and how long round trips take: not their means, which cost nothing, but each of them, for percentiles. Kept if
//! the plan asks for it.
//!
//! A unit says nothing of when it arrived: eight bytes more would be paid for by every run, in memory that thousands of packets touch. So that is
//! kept beside, by what tells units apart that wait.

use crate::grain::Grain;
use crate::percentiles::Samples;
use dupack_core::time::{Duration, Instant};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash for numbers that no adversary chooses.
#[derive(Clone, Copy, Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, number: u64) {
        // Knuth's multiplicative hashing: the factor is an odd number next to 2^64 over the golden ratio. Tables use both ends of a hash.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Samples for the percentiles of a run, except the queueing delays themselves, which each port has.
#[derive(Debug)]
pub struct Delays {
    /// Arrival times of the units that wait in a buffer with a discipline.
    arrived: HashMap<u64, Instant, BuildHasherDefault<Mixer>>,
    /// Measuring begins.
    from: Instant,
    /// And ends.
    to: Instant,
    /// Round trips, per flow of the plan.
    pub round_trips: Vec<Samples>,
}

impl Delays {
    /// For a run that is measured from `from` to `to`.
    pub fn new(from: Instant, to: Instant, flows: usize) -> Self {
        Self {
            arrived: HashMap::default(),
            from,
            to,
            round_trips: vec![Samples::times(); flows],
        }
    }

    /// A unit has arrived, or was made, at a buffer.
    pub fn arrives(&mut self, unit: &impl Grain, now: Instant) {
        self.arrived.insert(unit.key(), now);
    }

    /// The unit was dropped.
    pub fn is_dropped(&mut self, unit: &impl Grain) {
        self.arrived.remove(&unit.key());
    }

    /// Its transmission begins.
    pub fn departs(&mut self, unit: &impl Grain, start: Instant, waits: &mut Samples) {
        if let Some(arrived) = self.arrived.remove(&unit.key()) {
            self.waited(start, start - arrived, waits);
        }
    }

    /// A unit has waited so long when its transmission begins.
    fn waited(&self, start: Instant, wait: Duration, waits: &mut Samples) {
        if (self.from..=self.to).contains(&start) {
            waits.time(wait);
        }
    }

    /// Units that arrive now are transmitted one after the other from `start` until `end`.
    pub fn are_booked(
        &self,
        now: Instant,
        (start, end): (Instant, Instant),
        units: u64,
        waits: &mut Samples,
    ) {
        let span = u128::from((end - start).0);
        for unit in 0..units {
            let after = (span * u128::from(unit) / u128::from(units)) as u64;
            let begins = start + Duration(after);
            self.waited(begins, begins - now, waits);
        }
    }

    /// A round trip of a flow of the plan has ended.
    pub fn returns(&mut self, now: Instant, flow: usize, took: Duration) {
        if now >= self.from {
            self.round_trips[flow].time(took);
        }
    }
}
