//! Lines that are not the same at all times: one with a trace, one with a schedule, or one that waits for grants.
//!
//! When a transmission ends is known when it begins, for all of them, so ports catch up with them as with other lines.

use crate::spec;
use crate::variable_rate::VariableRate;
use dupack_core::grants::Grants;
use dupack_core::measure::{Pacer, Share};
use dupack_core::schedule::{Course, Work, work_of};
use dupack_core::time::{Duration, Instant};
use std::sync::Arc;

/// Such a line.
#[derive(Debug)]
pub enum Varying {
    /// It sends at the times of a trace.
    Trace(VariableRate),
    /// It changes at the steps of a schedule.
    Schedule(Scheduled),
    /// It sends what it was granted.
    Grants(Grants),
}

impl Varying {
    /// The line of `link`, if it varies.
    pub fn new(link: &spec::Link) -> Option<Box<Self>> {
        let trace = (link.trace.as_ref()).map(|trace| Self::Trace(VariableRate::new(trace)));
        let schedule = || {
            let course = link.schedule.as_ref()?;
            Some(Self::Schedule(Scheduled::new(course)))
        };
        let grants = || {
            let params = link.grants.as_ref()?;
            Some(Self::Grants(Grants::new(params, link.rate)))
        };
        trace.or_else(schedule).or_else(grants).map(Box::new)
    }

    /// When the line, which is idle, can begin to send what arrives `now`.
    pub fn begin(&mut self, now: Instant, pacer: &mut Pacer) -> Instant {
        match self {
            Self::Trace(line) => line.next_after(now),
            Self::Schedule(line) => {
                pacer.rest();
                line.done = 0;
                line.course.up_from(now)
            }
            Self::Grants(line) => line.granted(now),
        }
    }

    /// When it can begin to send what a discipline gives at `at`.
    pub fn following(&self, at: Instant) -> Instant {
        match self {
            Self::Trace(line) => line.following(at),
            Self::Schedule(line) => line.course.up_from(at),
            Self::Grants(line) => line.granted(at),
        }
    }

    /// Sends a unit from `start` on: returns when it departs, and when the next can begin.
    pub fn send(&mut self, start: Instant, bits: u64) -> (Instant, Instant) {
        match self {
            Self::Trace(line) => {
                line.skip_to(start);
                line.send(bits / 8)
            }
            Self::Schedule(line) => line.send(start, bits),
            Self::Grants(line) => line.send(start, bits),
        }
    }

    /// Departure time of the last unit, past or future.
    pub fn departs(&self) -> Instant {
        match self {
            Self::Trace(line) => line.departs,
            Self::Schedule(line) => line.departs,
            Self::Grants(line) => line.departs(),
        }
    }

    /// When a unit that departs at `end` arrives, by a propagation delay of `delay` unless the line has its own.
    pub fn arrives(&mut self, end: Instant, delay: Duration) -> Instant {
        match self {
            Self::Trace(_) | Self::Grants(_) => end + delay,
            Self::Schedule(line) => {
                // A shorter delay lets no unit overtake those that were sent before, as jitter does not.
                line.latest = line.latest.max(end + line.course.at(end).delay);
                line.latest
            }
        }
    }

    /// Latest arrival so far, if its units would otherwise overtake each other.
    pub fn latest(&self) -> Instant {
        match self {
            Self::Trace(_) | Self::Grants(_) => Instant::ZERO,
            Self::Schedule(line) => line.latest,
        }
    }

    /// The share of packets that are lost of those that depart at `end`, if the line's schedule says so.
    pub fn loss(&self, end: Instant) -> Option<Share> {
        match self {
            Self::Trace(_) | Self::Grants(_) => None,
            Self::Schedule(line) => line.course.at(end).loss,
        }
    }

    /// The work on the last unit that is still to be done after `now` \[ps at the rate of `pacer`\].
    pub fn ahead(&self, now: Instant, pacer: &Pacer) -> u64 {
        match self {
            Self::Trace(line) => pacer.alone(line.ahead(now) * 8).0,
            Self::Grants(line) => (line.departs() - now).0,
            Self::Schedule(line) if line.departs <= now => 0,
            Self::Schedule(line) => {
                let left = line.done - line.course.work(now);
                (left / Work::from(pacer.rate().0)) as u64
            }
        }
    }
}

/// A line with a schedule. A unit takes as long as the line needs for its bits, at whatever rates it has in that time; while the line is
/// down, the rest waits.
#[derive(Debug)]
pub struct Scheduled {
    course: Arc<Course>,
    /// The work of the line by which the last unit is sent; the unit departs at the last whole picosecond before. Zero for a line at rest.
    done: Work,
    departs: Instant,
    /// Latest arrival so far.
    latest: Instant,
}

impl Scheduled {
    fn new(course: &Arc<Course>) -> Self {
        Self {
            course: Arc::clone(course),
            done: 0,
            departs: Instant::ZERO,
            latest: Instant::ZERO,
        }
    }

    fn send(&mut self, start: Instant, bits: u64) -> (Instant, Instant) {
        // What is sent back to back carries the rest of a picosecond; what was done before a pause is over.
        self.done = self.done.max(self.course.work(start)) + work_of(bits);
        // An ack without a header has no bits: on a line that was down, the work that is done by now was done before.
        self.departs = self.course.when(self.done).max(start);
        (self.departs, self.course.up_from(self.departs))
    }
}
