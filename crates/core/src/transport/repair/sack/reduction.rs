//! Proportional rate reduction under SACK: what an ack delivers, and what it lets out.

use super::{Recovery, Sack, Span};
use crate::transport::repair::prr::Prr;

impl Sack {
    /// Tells proportional rate reduction of an ack that has been entered. Before it `sacked` segments were reported, and those below
    /// `lost_below` counted as missing; it has advanced the cumulative ack by `advanced`.
    //= rfc9937 §6.1, RecoverFS
    //= rfc9937 §6.2, DeliveredData
    //= rfc9937 §6.2, SafeACK
    pub(super) fn reduce(&mut self, span: &Span, (sacked, lost_below): (u64, u64), advanced: u64) {
        let una = span.una + advanced;
        let now_below = self.lost_below();
        let lost = (lost_below.max(una)..now_below).any(|s| !self.state(s).sacked);
        let now_sacked = self.sacked();
        let Some(recovery) = &mut self.recovery else {
            return;
        };
        let delivered = advanced + now_sacked - sacked;
        // All that is outstanding and not reported, whether it counts as lost or not, and what this ack reports.
        let recover_fs = span.max - una - now_sacked + delivered;
        let prr = recovery.prr.get_or_insert_with(|| Prr::new(recover_fs));
        prr.on_ack(delivered, advanced > 0 && !lost);
    }

    /// The segment that proportional rate reduction sends now, with a reduced window of `window`.
    //= rfc9937 §6.2, inflight
    pub(super) fn poll_prr(&mut self, span: &Span, window: f64) -> Option<u64> {
        let recovery = self.recovery?;
        let mut prr = recovery.prr?;
        let next = if recovery.entering {
            Some(span.una)
        } else {
            self.next_segment(span, &recovery)
        };
        if prr.waits() {
            let rescue = |s| !recovery.entering && s < span.max && self.is_rescue(s);
            prr.answer(
                self.in_flight(span),
                window as u64,
                next.is_some_and(rescue),
            );
            self.recovery = Some(Recovery {
                prr: Some(prr),
                ..recovery
            });
        }
        next.filter(|_| recovery.entering || prr.left > 0)
    }
}
