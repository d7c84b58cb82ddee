//! The units in flight on a line, in order of arrival.
//!
//! On a line that keeps the order of its units, this is the order of departure, and the first unit arrives before all units that
//! have yet to depart. On a line with reordering, neither holds.

use crate::grain::Grain;
use crate::spec;
use dupack_core::jitter::{AnyJitter, Jitter};
use dupack_core::reorder::Reorder;
use dupack_core::rng::Stream;
use dupack_core::time::Instant;
use std::collections::VecDeque;

/// Units that reach the far end one after another: `unit` at `at`, then the `rest` of its packet, each a unit's time later.
#[derive(Debug)]
pub struct InFlight<U: Grain> {
    pub at: Instant,
    pub unit: U,
    pub rest: U::Rest,
}

impl<U: Grain> InFlight<U> {
    /// Gives the unit and moves on to the one after it, if there is one.
    #[inline]
    pub fn step(&mut self) -> Option<U> {
        if U::more(&self.rest) == 0 {
            return None;
        }
        let following = self.unit.following();
        self.at += U::advance(&mut self.rest, following.bits());
        Some(std::mem::replace(&mut self.unit, following))
    }
}

/// A line. The compiler knows that cells keep their order and their distance, so they pay nothing for jitter and reordering.
#[derive(Debug)]
pub struct Flight<U: Grain> {
    entries: VecDeque<InFlight<U>>,
    late: Option<Box<Late>>,
}

/// What makes packets of a line late.
#[derive(Debug)]
struct Late {
    jitter: Option<AnyJitter>,
    /// Latest arrival so far, which no packet with jitter precedes.
    last: Instant,
    reorder: Option<Reorder>,
}

impl<U: Grain> Flight<U> {
    pub fn new(link: &spec::Link, seed: u64) -> Self {
        let jitter = link.jitter.as_ref();
        let reorder = link.reorder.as_ref();
        let late = || {
            Box::new(Late {
                jitter: jitter.map(|it| AnyJitter::new(&it.params, Stream::new(seed, &it.path))),
                last: Instant::ZERO,
                reorder: reorder.map(|it| Reorder::new(&it.params, Stream::new(seed, &it.path))),
            })
        };
        Self {
            entries: VecDeque::new(),
            late: (jitter.is_some() || reorder.is_some()).then(late),
        }
    }

    /// Whether what departs later arrives later.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        !U::OVERTAKES || self.late.as_ref().is_none_or(|it| it.reorder.is_none())
    }

    /// Whether every unit arrives a propagation delay after its departure.
    pub fn is_even(&self) -> bool {
        self.late.is_none()
    }

    /// The unit that arrives first.
    #[inline]
    pub fn first(&self) -> Option<&InFlight<U>> {
        self.entries.front()
    }

    /// The same, to take units from it.
    #[inline]
    pub fn first_mut(&mut self) -> Option<&mut InFlight<U>> {
        self.entries.front_mut()
    }

    /// Removes the last unit of the entry that arrives first.
    #[inline]
    pub fn pop(&mut self) -> Option<U> {
        let unit = self.entries.pop_front().map(|it| it.unit);
        if U::OVERTAKES && self.entries.is_empty() {
            // This resets the ring, so that the next unit uses the same memory, which is in the cache.
            self.entries.clear();
        }
        unit
    }

    /// A unit departed elsewhere, and arrives at `entry.at` in any case.
    pub fn lands(&mut self, entry: InFlight<U>) {
        if self.entries.back().is_none_or(|last| last.at <= entry.at) {
            return self.entries.push_back(entry);
        }
        let place = self.entries.partition_point(|it| it.at <= entry.at);
        self.entries.insert(place, entry);
    }

    /// Units depart that would arrive from `entry.at` on if the line did not delay them.
    #[inline]
    pub fn put(&mut self, entry: InFlight<U>) {
        match &mut self.late {
            Some(late) if U::OVERTAKES => insert(&mut self.entries, entry, late),
            _ => self.entries.push_back(entry),
        }
    }
}

/// Puts a packet where it belongs on a line that makes packets late.
#[cold]
fn insert<U: Grain>(entries: &mut VecDeque<InFlight<U>>, mut entry: InFlight<U>, late: &mut Late) {
    if let Some(jitter) = &mut late.jitter {
        // Jitter keeps the order: a packet waits for those that were sent earlier.
        late.last = late.last.max(entry.at + jitter.on_packet());
        entry.at = late.last;
    }
    if let Some(reorder) = &mut late.reorder {
        entry.at += reorder.on_packet();
    }
    let place = entries.partition_point(|it| it.at <= entry.at);
    entries.insert(place, entry);
}
