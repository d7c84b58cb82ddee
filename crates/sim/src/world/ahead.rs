//! Units that are dealt with ahead of time.

use super::World;
use crate::grain::Grain;
use crate::port::Leads;
use crate::probe::Probe;
use dupack_core::time::Instant;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Whether any unit is ever dealt with ahead of time. Cells are not: they arrive one by one, and few of their lines have a far end of
    /// their own. A tape is not either: its rows have the windows of the time at which they are written.
    pub(super) const AHEAD: bool = U::OVERTAKES && !P::ON;

    /// The event of a port whose arrivals are dealt with ahead of time.
    #[inline(never)]
    pub(super) fn advance_ahead(&mut self, port: usize) {
        self.ports[port].catch_up(&mut self.shared);
        self.go_ahead(port);
        let here = &mut self.ports[port];
        here.due = here.next_event();
        self.lines.set(port, here.due);
    }

    /// Deals with all that is in flight on a line, up to the time at which something is measured.
    pub(super) fn go_ahead(&mut self, port: usize) {
        let now = self.shared.now;
        while let Some((at, mut unit)) = self.ports[port].arrives_by(self.horizon) {
            self.shared.now = at;
            if self.ports[port].leads == Leads::Switch {
                unit.pass();
                self.offer(self.shared.port(&unit), unit, 0);
            } else {
                self.wake_receivers(port, at);
                self.arrive(at, unit.way(), unit.body());
            }
        }
        self.shared.now = now;
    }

    /// Offers a packet to a line that is plain, and goes ahead with it as far as nothing else comes.
    #[inline(always)]
    pub(super) fn send_on(&mut self, mut port: usize, mut unit: U) {
        let now = self.shared.now;
        loop {
            let there = &mut self.ports[port];
            let at = there.book_one(self.shared.now, unit.bits());
            if !(Self::AHEAD && there.ahead && at <= self.horizon && there.is_clear()) {
                there.fly(at, unit);
                if Self::AHEAD && there.ahead {
                    self.go_ahead(port);
                }
                if let Some(due) = self.ports[port].rearm() {
                    self.lines.set(port, due);
                }
                break;
            }
            // What `go_ahead` would do with it.
            self.shared.now = at;
            if there.leads != Leads::Switch {
                self.wake_receivers(port, at);
                self.arrive(at, unit.way(), unit.body());
                break;
            }
            unit.pass();
            let next = self.shared.port(&unit);
            if !self.ports[next].plain {
                self.offer_to_discipline(next, unit);
                break;
            }
            port = next;
        }
        self.shared.now = now;
    }

    #[inline(never)]
    fn offer_to_discipline(&mut self, port: usize, unit: U) {
        self.offer(port, unit, 0);
    }

    /// Sends the delayed acks of all receivers behind a line that are due before `at`. At one instant, arrivals come before timers.
    #[inline]
    fn wake_receivers(&mut self, port: usize, at: Instant) {
        if self.delayers.is_empty() {
            return;
        }
        let first = |world: &Self| {
            let due = |flow: &usize| Some((world.machines[*flow].receiver.poll_timeout()?, *flow));
            world.delayers[port].iter().filter_map(due).min()
        };
        while let Some((due, flow)) = first(self)
            && due < at
        {
            self.wake_receiver(due, flow);
        }
    }
}
