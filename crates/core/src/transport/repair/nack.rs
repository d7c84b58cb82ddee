//! Repair by notices of loss: a switch trims a packet that it has no room for to its header, the receiver reports which transmission that
//! was, and the sender retransmits the segment as soon as the window allows. With a halved window, that is when half of a window has left
//! the network.
//!
//! | what is lost | how the sender knows |
//! |---|---|
//! | the payload | a notice names the segment and the transmission; it tells of no other segment, because headers overtake data |
//! | a whole packet, or the notice itself | an ack of a transmission made three or more after it: data waits in one queue and keeps its order |
//! | the last transmissions of all | the timer, which counts from the last transmission: all that is in flight |
//!
//! A segment is in flight, arrived (by the cumulative ack, a selective one, or as the cause of an ack) or lost. Lost segments are sent
//! first, the lowest before the others, then new ones, as long as fewer segments than a window are in flight. A retransmission is lost by
//! the same rules as a first transmission. Losses of what was outstanding when one was found belong to it: the window is halved once for
//! them.
//!
//! This is the part of NDP that says what to retransmit, and Ultra Ethernet's transport does the same with trimmed packets. NDP's other
//! part, the receiver that clocks out each packet with a pull, is not here: the window is the controller's. So nothing paces
//! retransmissions that are trimmed again and again: many senders at the floor of their windows fill a line with headers, all but data's
//! share of it.
//= ndp-2017 §3.2

use super::{About, Advance, Clock, DUPLICATES, Habits, Hears, Make, Reading, Repair, Span};
use crate::transport::{Ack, Common, RtoRule, Samples};
use alloc::collections::{BTreeSet, VecDeque};

crate::declare! {
    /// Retransmits each segment that the receiver reports as lost, as soon as the window allows; switches without room trim packets to
    /// their headers.
    pub struct NackParams as "nack" from "ndp-2017 §3.2" {
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits {
    rto: RtoRule::Jacobson,
    samples: Samples::Each,
    clock: Clock::Transmission,
    goes_back: false,
    knows_what_arrived: true,
    hears: Hears::Notices,
})
.with_control("reno");

/// Presumed status of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// In flight, as this transmission.
    Flight(u64),
    Arrived,
    Lost,
}

/// A transmission.
#[derive(Clone, Copy, Debug)]
struct Sent {
    segment: u64,
    id: u64,
}

/// Repair by notices.
#[derive(Clone, Debug)]
pub struct Nack {
    /// Status of each outstanding segment, from `base` on.
    statuses: VecDeque<Status>,
    base: u64,
    /// The lost ones.
    lost: BTreeSet<u64>,
    /// Transmissions that no ack has outrun, in their order; of some the segment has arrived, or is lost.
    sent: VecDeque<Sent>,
    in_flight: u64,
    /// Losses were found, and not all that was outstanding then is acknowledged.
    recovery: Option<u64>,
    /// Losses before this belong to an earlier recovery or timeout.
    recover: u64,
}

impl Make<NackParams> for Nack {
    fn make(_: &NackParams, _: &Common) -> Self {
        Nack {
            statuses: VecDeque::new(),
            base: 0,
            lost: BTreeSet::new(),
            sent: VecDeque::new(),
            in_flight: 0,
            recovery: None,
            recover: 0,
        }
    }
}

impl Nack {
    /// Changes the status of `segment`; returns the previous one, if it is outstanding.
    fn set(&mut self, segment: u64, status: Status) -> Option<Status> {
        let at = segment.checked_sub(self.base)?;
        let was = core::mem::replace(self.statuses.get_mut(at as usize)?, status);
        match was {
            Status::Flight(_) => self.in_flight -= 1,
            Status::Lost => {
                self.lost.remove(&segment);
            }
            Status::Arrived => {}
        }
        match status {
            Status::Flight(_) => self.in_flight += 1,
            Status::Lost => {
                self.lost.insert(segment);
            }
            Status::Arrived => {}
        }
        Some(was)
    }

    /// `segment` is lost, if this transmission of it is the latest and in flight.
    fn lose(&mut self, Sent { segment, id }: Sent) -> bool {
        let at = segment.checked_sub(self.base);
        let status = at.and_then(|at| self.statuses.get(at as usize));
        status == Some(&Status::Flight(id)) && self.set(segment, Status::Lost).is_some()
    }

    /// Enters the arrivals that an ack reports; true if any of them is new.
    fn arrive(&mut self, ack: &Ack) -> bool {
        let mut news = ack.next > self.base;
        while self.base < ack.next {
            self.set(self.base, Status::Arrived);
            self.statuses.pop_front();
            self.base += 1;
        }
        let end = self.base + self.statuses.len() as u64;
        for block in ack.sacked() {
            for segment in block.from.max(self.base)..block.to.min(end) {
                news |= self.set(segment, Status::Arrived) != Some(Status::Arrived);
            }
        }
        if !ack.trimmed && !ack.repeats && (self.base..end).contains(&ack.cause) {
            news |= self.set(ack.cause, Status::Arrived) != Some(Status::Arrived);
        }
        news
    }

    /// Enters the losses that an ack reports; returns the highest of them.
    fn lose_by(&mut self, ack: &Ack) -> Option<u64> {
        let Ack { cause, id, .. } = *ack;
        if ack.trimmed {
            let segment = cause;
            return self.lose(Sent { segment, id }).then_some(segment);
        }
        let mut highest = None;
        while let Some(sent) = self.sent.front().filter(|s| s.id + DUPLICATES <= id) {
            let sent = *sent;
            self.sent.pop_front();
            if self.lose(sent) {
                highest = highest.max(Some(sent.segment));
            }
        }
        highest
    }
}

impl Repair for Nack {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        // Arrivals come first, because a delayed ack covers more than its cause.
        let news = self.arrive(ack);
        let lost = self.lose_by(ack);
        if lost.is_some_and(|segment| segment >= self.recover) {
            self.recover = span.max;
            self.recovery = Some(span.max);
            return Reading::Loss { restart: false };
        }
        let advanced = ack.next > span.una;
        match self.recovery {
            None if advanced => Reading::Advance(Advance::Open),
            Some(point) if advanced && ack.next >= point => {
                self.recovery = None;
                Reading::Advance(Advance::Over)
            }
            Some(_) if advanced => Reading::Advance(Advance::Partial {
                restart_timer: true,
                deflate: 0,
            }),
            _ if news || lost.is_some() => Reading::Duplicate,
            _ => Reading::Stale,
        }
    }

    fn on_timeout(&mut self, span: &Span) {
        for (segment, status) in (self.base..).zip(&mut self.statuses) {
            // The oldest is lost whatever was reported: an ack that reports but does not acknowledge it would stop the sender.
            if matches!(status, Status::Flight(_)) || segment == span.una {
                *status = Status::Lost;
                self.lost.insert(segment);
            }
        }
        self.in_flight = 0;
        self.sent.clear();
        self.recovery = None;
        self.recover = span.max;
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        if self.in_flight >= window as u64 {
            return None;
        }
        let new = || (span.next < span.edge).then_some(span.next);
        self.lost.first().copied().or_else(new)
    }

    fn on_sent(&mut self, segment: u64, id: u64, _: &Span) {
        if self.set(segment, Status::Flight(id)).is_none() {
            self.statuses.push_back(Status::Flight(id));
            self.in_flight += 1;
        }
        self.sent.push_back(Sent { segment, id });
    }

    fn in_network(&self, _: &Span) -> u64 {
        self.in_flight
    }

    fn each_lost(&self, _: &Span, found: &mut dyn FnMut(u64)) {
        self.lost.iter().copied().for_each(found);
    }
}
