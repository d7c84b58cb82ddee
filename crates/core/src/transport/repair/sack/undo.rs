//! Spurious congestion of SACK: what an ack shows, and what F-RTO sends.

use super::{News, Reading, Sack, Span, window_end};
use crate::transport::Ack;

impl Sack {
    /// Looks for spurious congestion in an ack that has been read; `reading` is what it was read as.
    //= rfc5682 §2.1
    // Without the reports of before a timeout, which are forgotten, nothing tells old reports from new ones: so only the cumulative ack
    // counts, as in the basic algorithm.
    pub(super) fn judge(&mut self, ack: &Ack, span: &Span, reading: Reading) -> Reading {
        let Some(spurious) = &mut self.spurious else {
            return reading;
        };
        let una = ack.next.max(span.una);
        if let Reading::Loss { .. } = reading {
            spurious.on_congestion(span, una, false);
            self.back = None;
            return reading;
        }
        let advanced = ack.next > span.una;
        let awaited = spurious.awaits_second();
        let originals = advanced && awaited;
        let news = News {
            una,
            advanced,
            duplicate: reading == Reading::Duplicate,
            originals,
        };
        if !spurious.on_ack(ack, &news) {
            if awaited && !spurious.awaits_second() && self.recovery.is_none() {
                self.back = Some(una);
            }
            return reading;
        }
        self.recovery = None;
        // A loss of what is outstanding may begin a recovery again.
        (self.back, self.timed_out, self.recover) = (None, false, span.una);
        self.states.iter_mut().for_each(|m| m.resent = false);
        Reading::Spurious { advanced }
    }

    /// The retransmission timer ran out; that may turn out to have been spurious.
    pub(super) fn judge_timeout(&mut self, span: &Span) {
        if let Some(spurious) = &mut self.spurious {
            spurious.on_congestion(span, span.una, true);
            self.back = None;
        }
    }

    /// Congestion is echoed: what comes late now does not give the window back that the echo reduces.
    //= linux §tcp_input.c, tcp_enter_cwr
    pub(super) fn judge_no_more(&mut self) {
        if let Some(spurious) = &mut self.spurious {
            spurious.forget();
        }
    }

    /// What is sent after a timeout because of F-RTO, if it decides that.
    pub(super) fn poll_undo(&mut self, span: &Span, window: f64) -> Option<Option<u64>> {
        if self.spurious.as_ref().is_some_and(|it| it.awaits_first()) {
            return Some(None);
        }
        let new = self.poll_frto(span, window);
        if new.is_some() || self.spurious.as_ref().is_some_and(|it| it.awaits_second()) {
            return Some(new);
        }
        //= rfc5682 §2.1, step 3a
        // Then it is a segment that was outstanding at the timeout, if there are such. What F-RTO has sent since then takes a part of the
        // window.
        let mut next = self.back?.max(span.una);
        while !self.count.is_sack1() && self.state(next).sacked {
            next += 1;
        }
        if next >= self.recover {
            return None;
        }
        let there = (self.recover..span.max).filter(|s| !self.state(*s).sacked);
        let window = (window - there.count() as f64).max(0.0);
        Some((next < window_end(span, window, 0)).then_some(next))
    }

    /// What is sent for F-RTO: nothing but new segments, as many as the window has.
    //= rfc5682 §2.1, step 2b
    // "transmit up to two new (previously unsent) segments". The retransmission has arrived, and what was sent before it counts as lost,
    // so the window is free but for these.
    fn poll_frto(&mut self, span: &Span, window: f64) -> Option<u64> {
        let spurious = self.spurious.as_mut()?;
        if spurious.new_segments() == 2 && span.max >= span.edge {
            spurious.give_up();
            self.back = Some(span.una);
        }
        let sent = 2 - spurious.new_segments().min(2);
        (spurious.new_segments() > 0 && sent < window as u64 && span.max < span.edge)
            .then_some(span.max)
    }
}
