//! SMART (Simple Method to Aid ReTransmissions): every ack names the segment that caused it; the segments between it and the cumulative
//! ack are presumed lost, and retransmitted once. So the sender builds the bit mask that selective acks would have to carry.
//!
//! | what is lost | how the sender knows |
//! |---|---|
//! | a segment | an ack of a later one: all segments between are guessed lost, once each |
//! | a fast retransmission | by `id`: an ack of a transmission made after it, while it is still missing; by `timer`: still missing a round trip (and some slack) after it went out |
//! | anything else | the last-resort timer, twice the smoothed round trip after the last transmission: all that is not known to have arrived |
//!
//! A segment that was lost twice is sent as two copies. Nothing here depends on the controller: a segment that is presumed lost, or known
//! to have arrived, has left the network, and the flow-control window counts those that have not; the error-control window is the
//! receiver's.
//!
//! The paper stores one cumulative ack and one id (or sets one timer) and does not say what happens to them when several fast
//! retransmissions are outstanding. `tracking = "last"` is its text on ids to the letter: the latest overwrites the one before (for
//! `timer`, likewise), and the segment after the cumulative ack is retransmitted. With `each` every retransmission is watched. A
//! retransmission that is not watched and is lost counts as in the network until the last resort: packet-pair, which uses that count,
//! then slows down, and under heavy loss nearly stops, because each of its few transmissions postpones the last resort.
//= keshav-morgan-1997 §3

use super::{About, Advance, Clock, Counts, Habits, Hears, Make, Reading, Repair, Span};
use crate::measure::Share;
use crate::time::{Duration, Instant};
use crate::transport::{Ack, Common, RtoRule, Samples};
use alloc::collections::VecDeque;

crate::choice! {
    /// Method that finds the loss of a fast retransmission.
    pub enum LostRetransmission {
        /// By the identity of transmissions, which acks echo.
        Id = "id",
        /// By a timer of one smoothed round trip.
        Timer = "timer",
    }
}

crate::choice! {
    /// Retransmissions that are watched when several are outstanding.
    pub enum Tracking {
        /// Every one.
        Each = "each",
        /// The latest, as with the paper's two variables.
        Last = "last",
    }
}

crate::declare! {
    /// Retransmits at once, and only once, all segments between the cumulative ack and the segment that caused the ack, which it names.
    pub struct SmartParams as "smart" from "keshav-morgan-1997 §3" {
        /// Method that finds the loss of a fast retransmission.
        lost_retransmission: LostRetransmission = "id";
        /// Retransmissions that are watched when several are outstanding.
        tracking: Tracking = "each";
        /// Excess of the timer of `lost_retransmission = "timer"` over the smoothed RTT, as a share of it; the timer is at least `tick`.
        slack: Share = "0.25";
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits {
    rto: RtoRule::TwiceSrtt,
    samples: Samples::Each,
    clock: Clock::Transmission,
    goes_back: false,
    knows_what_arrived: true,
    hears: Hears::Acks,
})
.with_control("static-window")
.counting(Counts::Segments);

/// Copies of a segment that was lost twice.
const COPIES: u8 = 2;

/// Presumed status of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Network,
    /// In the queue for retransmission.
    Queue,
    Received,
}

/// A segment that is outstanding.
#[derive(Clone, Copy, Debug)]
struct SegmentState {
    status: Status,
    /// Whether an earlier ack has already made it a suspected loss.
    guessed: bool,
    /// Copies that have yet to be sent again.
    copies: u8,
    /// Its latest transmission.
    id: u64,
}

/// A retransmission that is watched.
#[derive(Clone, Copy, Debug)]
struct Watch {
    segment: u64,
    id: u64,
    /// The cumulative ack when it was sent.
    una: u64,
    /// Time at which the timer declares it lost.
    due: Instant,
}

/// Repair by guessing.
#[derive(Clone, Debug)]
pub struct Smart {
    lost_retransmission: LostRetransmission,
    tracking: Tracking,
    slack: f64,
    /// One mark per outstanding segment, from `base` on.
    states: VecDeque<SegmentState>,
    base: u64,
    /// One entry per copy to send again; stale ones are passed over.
    queue: VecDeque<u64>,
    /// Retransmissions, the earliest first; one at most with [`Tracking::Last`].
    watched: VecDeque<Watch>,
    /// Segments thought to be in the network.
    in_network: u64,
    /// Segments before this have been looked at by the guess.
    looked: u64,
    /// Losses were found, and not all that was outstanding then is acknowledged.
    recovery: Option<u64>,
    /// Losses before this belong to an earlier recovery or timeout.
    recover: u64,
}

impl Make<SmartParams> for Smart {
    fn make(own: &SmartParams, _: &Common) -> Self {
        Smart {
            lost_retransmission: own.lost_retransmission,
            tracking: own.tracking,
            slack: own.slack.0,
            states: VecDeque::new(),
            base: 0,
            queue: VecDeque::new(),
            watched: VecDeque::new(),
            in_network: 0,
            looked: 0,
            recovery: None,
            recover: 0,
        }
    }
}

impl Smart {
    fn state(&mut self, segment: u64) -> Option<&mut SegmentState> {
        let at = segment.checked_sub(self.base)?;
        self.states.get_mut(at as usize)
    }

    /// Takes `segment` for lost, if it was in the network, and queues `copies` copies. True if it was.
    fn lose(&mut self, segment: u64, copies: u8) -> bool {
        let Some(state) = self.state(segment) else {
            return false;
        };
        if state.status != Status::Network {
            return false;
        }
        (state.status, state.copies) = (Status::Queue, copies);
        self.in_network -= 1;
        self.queue
            .extend(core::iter::repeat_n(segment, copies.into()));
        true
    }

    /// Enters the arrivals that an ack reports; true if any of them is new.
    fn receive(&mut self, ack: &Ack) -> bool {
        let mut news = ack.next > self.base;
        while self.base < ack.next {
            let Some(state) = self.states.pop_front() else {
                break;
            };
            self.in_network -= u64::from(state.status == Status::Network);
            self.base += 1;
        }
        self.base = self.base.max(ack.next);
        if !ack.repeats
            && let Some(state) = self.state(ack.cause)
            && state.status != Status::Received
        {
            let was = core::mem::replace(&mut state.status, Status::Received);
            self.in_network -= u64::from(was == Status::Network);
            news = true;
        }
        news
    }

    /// Suspects the segments between the cumulative ack and the segment that caused it, each once. Returns the first of them.
    fn guess(&mut self, ack: &Ack) -> Option<u64> {
        if ack.repeats {
            return None;
        }
        let mut first = None;
        for segment in self.looked.max(self.base)..ack.cause {
            let Some(state) = self.state(segment).filter(|state| !state.guessed) else {
                continue;
            };
            if state.status == Status::Network {
                state.guessed = true;
                self.lose(segment, 1);
                first = first.or(Some(segment));
            }
        }
        self.looked = self.looked.max(ack.cause.saturating_add(1));
        first
    }

    /// The reading for `lost`, the first of several, if the controller does not know of this loss yet.
    fn find(&mut self, lost: Option<u64>, span: &Span) -> Option<Reading> {
        lost.filter(|first| *first >= self.recover)?;
        self.recover = span.max;
        self.recovery = Some(span.max);
        Some(Reading::Loss { restart: false })
    }

    /// The first of the retransmissions that have been lost as well: those made before the transmission that an ack echoes.
    fn outrun(&mut self, ack: &Ack) -> Option<u64> {
        if self.lost_retransmission == LostRetransmission::Timer {
            return None;
        }
        let mut first = None;
        while let Some(watch) = self.watched.front().filter(|watch| watch.id < ack.id) {
            let watch = *watch;
            self.watched.pop_front();
            if let Some(lost) = self.lost_again(&watch, self.base) {
                first = first.or(Some(lost));
            }
        }
        first
    }

    /// The segment that is lost again, if `watch` has ended; `una` is the cumulative ack.
    fn lost_again(&mut self, watch: &Watch, una: u64) -> Option<u64> {
        let segment = match self.tracking {
            // A later copy of the same segment has a watch of its own.
            Tracking::Each => {
                let state = self.state(watch.segment)?;
                (state.id == watch.id).then_some(watch.segment)?
            }
            Tracking::Last => (una == watch.una).then_some(una)?,
        };
        self.lose(segment, COPIES).then_some(segment)
    }
}

impl Repair for Smart {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        let news = self.receive(ack);
        let guessed = self.guess(ack);
        let again = self.outrun(ack);
        let advanced = ack.next > span.una;
        let lost = match (guessed, again) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if let Some(loss) = self.find(lost, span) {
            return loss;
        }
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
            _ if news => Reading::Duplicate,
            _ => Reading::Stale,
        }
    }

    fn on_timeout(&mut self, span: &Span) {
        self.queue.clear();
        self.watched.clear();
        self.in_network = 0;
        for (segment, state) in (self.base..).zip(&mut self.states) {
            // The oldest is lost whatever was reported: an ack that names but does not acknowledge it would stop the sender.
            if state.status != Status::Received || segment == span.una {
                (state.status, state.copies) = (Status::Queue, 1);
                self.queue.push_back(segment);
            }
        }
        self.recovery = None;
        self.recover = span.max;
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        let window = window as u64;
        let room = self.in_network < window;
        while let Some(segment) = self.queue.front().copied() {
            if let Some(state) = self.state(segment)
                && state.status != Status::Received
                && state.copies > 0
            {
                // A second copy takes no room in addition to that of the first; but the window may have shrunk since.
                let again = state.status == Status::Network;
                let free = room || again && self.in_network <= window;
                return free.then_some(segment);
            }
            self.queue.pop_front();
        }
        (room && span.next < span.edge).then_some(span.next)
    }

    fn on_sent(&mut self, segment: u64, id: u64, span: &Span) {
        let at = (segment - self.base) as usize;
        if at == self.states.len() {
            self.in_network += 1;
            self.states.push_back(SegmentState {
                status: Status::Network,
                guessed: false,
                copies: 0,
                id,
            });
            return;
        }
        self.queue.pop_front();
        let state = &mut self.states[at];
        self.in_network += u64::from(state.status == Status::Queue);
        (state.status, state.id) = (Status::Network, id);
        state.copies -= 1;
        let fast = state.guessed;
        if self.tracking == Tracking::Last {
            // The variables of the paper describe a fast retransmission only.
            if !fast {
                return;
            }
            self.watched.clear();
        }
        // The timer needs a measured round trip. Until there is one, only the last-resort timer runs.
        //= keshav-morgan-1997 §3, timer type=departure
        // Without the floor of a tick an ambiguous sample, taken from the latest of several transmissions, can be shorter than the timer.
        // It would then shorten the timer, which makes the next sample shorter still, until the sender does nothing but retransmit.
        let wait = |trip: Duration| {
            Duration(trip.0 + (trip.0 as f64 * self.slack) as u64).max(span.rtt.tick())
        };
        let trips = span.rtt.trips();
        let due = trips.map(|it| span.now + wait(it.smoothed));
        if due.is_none() && self.lost_retransmission == LostRetransmission::Timer {
            return;
        }
        self.watched.push_back(Watch {
            segment,
            id,
            una: span.una,
            due: due.unwrap_or(Instant::NEVER),
        });
    }

    fn in_network(&self, _: &Span) -> u64 {
        self.in_network
    }

    fn each_lost(&self, _: &Span, found: &mut dyn FnMut(u64)) {
        let all = (self.base..).zip(&self.states);
        let lost = all.filter(|(_, state)| state.status == Status::Queue);
        lost.for_each(|(segment, _)| found(segment));
    }

    fn on_clock(&mut self, span: &Span) -> Reading {
        if self.lost_retransmission == LostRetransmission::Id {
            return Reading::Stale;
        }
        let mut first: Option<u64> = None;
        // All watches are checked, not only the first: when the round trip shrinks, a later one may be due earlier.
        while let Some(at) = (self.watched.iter()).position(|watch| watch.due <= span.now) {
            if let Some(watch) = self.watched.remove(at)
                && let Some(lost) = self.lost_again(&watch, span.una)
            {
                first = Some(first.map_or(lost, |first| first.min(lost)));
            }
        }
        // As for an ack: a loss below `recover` belongs to a recovery that the controller knows of.
        self.find(first, span).unwrap_or(Reading::Stale)
    }

    fn poll_clock(&self) -> Option<Instant> {
        match self.lost_retransmission {
            LostRetransmission::Id => None,
            LostRetransmission::Timer => self.watched.iter().map(|watch| watch.due).min(),
        }
    }
}
