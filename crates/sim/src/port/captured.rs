//! Captures on a line: what passes its ends.

use super::Port;
use crate::grain::Grain;
use crate::probe::Probe;
use crate::shared::Shared;
use dupack_core::time::Instant;

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

    /// The captures of [`Port::book`]: `unit` and the `more` that follow it have left by `end`.
    #[cold]
    pub(super) fn capture_run<P: Probe>(
        &mut self,
        unit: &U,
        more: u16,
        end: Instant,
        shared: &mut Shared<U, P>,
    ) {
        self.capture_near(unit, end, shared);
        let mut last = (more > 0).then(|| unit.following());
        for _ in 0..more {
            let Some(unit) = last.take() else { break };
            self.capture_near(&unit, end, shared);
            last = (!unit.last()).then(|| unit.following());
        }
    }
}
