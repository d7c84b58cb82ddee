//! What the ports of a world share, and the ledger through which each of them writes to it.

use crate::body::Bodies;
use crate::grain::Grain;
use crate::probe::{Event, Probe};
use dupack_core::ledger::{Cause, Ledger};
use dupack_core::time::Instant;

/// Counts of the ledger, and of the line's work.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Counts {
    pub offered: u64,
    /// Transmission times begun or booked \[ps\].
    pub busy: u64,
    /// Units whose transmission has begun, but for those lost on the line. Kept by ports with a discipline.
    pub sent: u64,
    pub dropped: [u64; Cause::ALL.len()],
}

/// What the ports share.
#[derive(Debug)]
pub struct Shared<U: Grain, P> {
    pub now: Instant,
    /// When the run ends: what lies beyond has not happened.
    pub end: Instant,
    pub bodies: Bodies,
    /// The ports of every way, one way after another, and where each way begins.
    pub routes: Vec<usize>,
    pub first: Vec<usize>,
    /// Units dropped at each place of `routes`.
    pub lost: Vec<u64>,
    /// The receiving ends, per way.
    pub joiners: Vec<U::Joiner>,
    /// Units that came in vain, per way.
    pub dead: Vec<u64>,
    pub tape: Tracer<P>,
}

/// The probe with what it needs to mark a drop far from the sender.
#[derive(Debug)]
pub struct Tracer<P> {
    pub probe: P,
    /// When the run ends.
    pub end: Instant,
    /// Per flow (cwnd, ssthresh), kept while the probe is on.
    pub windows: Vec<(f64, f64)>,
}

impl<P: Probe> Tracer<P> {
    #[inline]
    pub fn mark(&mut self, at: Instant, flow: usize, event: Event, segment: u64) {
        if P::ON && at <= self.end {
            let (cwnd, ssthresh) = self.windows[flow];
            self.probe.on(&crate::probe::Mark {
                at,
                flow,
                event,
                segment,
                cwnd,
                ssthresh,
            });
        }
    }
}

/// The ledger of a port.
pub struct Book<'a, U: Grain, P: Probe> {
    pub counts: &'a mut Counts,
    /// When: departures are made up for late, and booked ahead.
    pub at: Instant,
    pub shared: &'a mut Shared<U, P>,
}

impl<U: Grain, P: Probe> Ledger<U> for Book<'_, U, P> {
    fn drop(&mut self, unit: U, why: Cause) {
        self.counts.dropped[why as usize] += 1;
        let way = unit.flow();
        let shared = &mut *self.shared;
        shared.lost[shared.first[way.0 as usize] + unit.hop() as usize] += 1;
        if let Some(body) = shared.bodies.get(unit.body(), way, unit.serial()) {
            if body.damage()
                && let Some((segment, _)) = body.segment()
            {
                shared
                    .tape
                    .mark(self.at, way.0 as usize / 2, Event::Drop, segment);
            }
            if unit.last() {
                shared.bodies.take(unit.body());
            }
        }
    }
}
