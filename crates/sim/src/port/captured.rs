//! Captures on a line: what passes its ends.

use super::Port;
use crate::grain::Grain;
use crate::probe::Probe;
use crate::shared::Shared;
use dupack_core::time::{Duration, Instant};

impl<U: Grain> Port<U> {
    /// `unit` arrives at the far end.
    #[inline]
    pub fn capture_far<P: Probe>(&mut self, unit: &U, shared: &mut Shared<U, P>) {
        if P::ON
            && let Some(capture) = &mut self.capture
        {
            // Of a packet that goes to a host or an edge, only the last unit is carried there, if the packet is whole.
            let whole = !self.leads.goes_on(unit);
            capture.pass(true, unit, shared.now, whole, shared);
        }
    }

    /// `unit` has left the transmitter `at`.
    #[inline]
    pub(super) fn capture_near<P: Probe>(
        &mut self,
        unit: &U,
        at: Instant,
        shared: &mut Shared<U, P>,
    ) {
        if P::ON
            && let Some(capture) = &mut self.capture
        {
            capture.pass(false, unit, at, false, shared);
        }
    }

    /// The captures of [`Port::book`]: `unit` has left by `first_end`, and the last of the `more` that follow it by `end`.
    #[cold]
    pub(super) fn capture_run<P: Probe>(
        &mut self,
        unit: &U,
        more: u16,
        (first_end, end): (Instant, Instant),
        shared: &mut Shared<U, P>,
    ) {
        self.capture_near(unit, first_end, shared);
        let all = (end - first_end).0;
        let mut last = (more > 0).then(|| unit.following());
        for number in 1..=u64::from(more) {
            let Some(unit) = last.take() else { break };
            let at = first_end + Duration(all / u64::from(more) * number);
            let at = if number == u64::from(more) { end } else { at };
            self.capture_near(&unit, at, shared);
            last = (!unit.last()).then(|| unit.following());
        }
    }
}
