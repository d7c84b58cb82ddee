//! F-RTO by cumulative acks, the basic algorithm: after a timeout, what is sent before it is known whether the timeout was spurious.
//= rfc5682 §2.1

use super::super::spurious::{News, Spurious};
use super::{Cumulative, Reading, Span, State, window_end};
use crate::transport::Ack;
use alloc::boxed::Box;

/// F-RTO of a sender.
#[derive(Clone, Debug)]
pub struct Frto {
    spurious: Box<Spurious>,
    /// `recover` before the latest timeout.
    recover: Option<u64>,
    /// One beyond the highest segment sent when that came.
    point: u64,
    /// It was genuine, and new segments have been sent since: from here to `point` the old ones are sent again.
    back: Option<u64>,
    /// The new segments of which duplicates have come since.
    gone: u64,
}

impl Frto {
    /// If it is switched on.
    pub fn new(frto: bool) -> Option<Box<Self>> {
        let spurious = Spurious::basic(frto)?;
        Some(Box::new(Self {
            spurious,
            recover: None,
            point: 0,
            back: None,
            gone: 0,
        }))
    }

    /// The timer has run out; `recover` as before it.
    pub fn on_timeout(&mut self, span: &Span, recover: Option<u64>) {
        self.spurious.on_congestion(span, span.una, true);
        (self.recover, self.point, self.back) = (recover, span.max, None);
    }

    /// Whether the congestion that has just been found begins an episode; asked once.
    pub fn begins(&mut self) -> bool {
        self.spurious.begins()
    }

    /// `segment` is sent as transmission `id`.
    pub fn on_sent(&mut self, segment: u64, id: u64, span: &Span) {
        self.spurious.on_sent(segment, id, segment < span.max);
        if let Some(next) = &mut self.back
            && segment < self.point
        {
            *next = (*next).max(segment + 1);
        }
    }

    /// What is sent after a timeout because of F-RTO, if it decides that.
    //= rfc5682 §2.1, step 1
    //= rfc5682 §2.1, step 2b
    pub fn poll(&mut self, span: &Span, window: f64) -> Option<Option<u64>> {
        if self.spurious.awaits_first() {
            return Some(None);
        }
        if self.spurious.awaits_second() {
            let new = self.spurious.new_segments();
            if new < 2 || span.max < span.edge {
                // The retransmission has arrived, and what was sent before it counts as lost: the window is free but for the new ones.
                let sends = new > 0 && 2 - new < window as u64 && span.max < span.edge;
                return Some(sends.then_some(span.max));
            }
            self.spurious.give_up();
            (self.back, self.gone) = (Some(span.una), 0);
        }
        //= rfc5682 §2.1, step 3a
        // Then it is a segment that was outstanding at the timeout, if there are such. What F-RTO has sent since then takes a part of the
        // window until its duplicate comes.
        let next = self.back?.max(span.una);
        if next >= self.point {
            return None;
        }
        let there = (span.max - self.point).saturating_sub(self.gone);
        let window = (window - there as f64).max(0.0);
        Some((next < window_end(span, window, 0)).then_some(next))
    }
}

// Senders without it pay a comparison with null in each of these.
impl Cumulative {
    /// What F-RTO sends, if it decides that.
    #[cold]
    pub(super) fn poll_frto(&mut self, span: &Span, window: f64) -> Option<Option<u64>> {
        if !matches!(self.state, State::Open { .. }) {
            return None;
        }
        self.frto.as_mut()?.poll(span, window)
    }

    /// `segment` is sent as transmission `id`.
    #[cold]
    pub(super) fn sent_with_frto(&mut self, segment: u64, id: u64, span: &Span) {
        if let Some(frto) = &mut self.frto {
            frto.on_sent(segment, id, span);
        }
    }

    /// Looks for a spurious timeout in an ack that has been read as `reading`.
    #[cold]
    pub(super) fn judge(&mut self, ack: &Ack, span: &Span, reading: Reading) -> Reading {
        let Some(frto) = &mut self.frto else {
            return reading;
        };
        let una = ack.next.max(span.una);
        if let Reading::Loss { .. } = reading {
            frto.spurious.on_congestion(span, una, false);
            return reading;
        }
        let (advanced, awaited) = (ack.next > span.una, frto.spurious.awaits_second());
        let news = News {
            una,
            advanced,
            duplicate: reading == Reading::Duplicate,
            originals: advanced && awaited,
        };
        if frto.spurious.on_ack(ack, &news) {
            // As before the timeout, `recover` stops no fast retransmit.
            (self.recover, frto.back) = (frto.recover, None);
            (self.state, self.missing) = (State::Open { duplicates: 0 }, None);
            return Reading::Spurious { advanced };
        }
        if awaited && !frto.spurious.awaits_second() {
            (frto.back, frto.gone) = (Some(una), 0);
        }
        frto.gone += u64::from(news.duplicate);
        reading
    }
}
