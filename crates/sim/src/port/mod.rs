//! One direction of a link: the buffer at its head, the transmitter, and the units in flight on the line.
//!
//! At most one event is pending per port however many units are in flight, and it is never a departure:
//! - A discipline's state matters only when a unit is offered to it, or when a unit that it released reaches the far end. So
//!   departures are processed then ([`Port::catch_up`]): the event is the earliest time at which a departure that is not processed
//!   yet could arrive, a propagation delay after the end of the current transmission.
//! - A discipline that holds units back while the line is idle says when it will be ready. Until then the port treats the line as
//!   busy, except in measurements. An arrival before then may be ready sooner: then the discipline is asked at once.
//! - Behind an unlimited FIFO a unit's departure is known when it arrives, and a whole packet in flight is one entry.

mod captured;
mod harm;
mod hold;
mod leads;
mod look;
mod plain;

pub use hold::Withheld;
pub use leads::Leads;

use crate::capture::Capture;
use crate::flight::{Flight, InFlight};
use crate::grain::Grain;
use crate::lossy::Lossy;
use crate::meter::Level;
use crate::packets::Payload;
use crate::percentiles::Samples;
use crate::probe::{Event, Probe};
use crate::shared::{Book, Counts, Shared};
use crate::spec;
use crate::unlimited::{Accepted, Balance, Unlimited};
use crate::varying::Varying;
use dupack_core::framing::Framing;
use dupack_core::measure::{Pacer, Rate, Room};
use dupack_core::queue::{self, Discipline, Line, Queue};
use dupack_core::rng::Stream;
use dupack_core::sar::Joined;
use dupack_core::time::{Duration, Instant};
use dupack_core::unit::FlowId;
use harm::Twice;
use hold::Hold;

/// A discipline decides.
#[derive(Debug)]
struct Served<U> {
    queue: Queue<U>,
    /// When the current transmission ends, or the last one ended; if the discipline holds units back, when it is ready.
    /// The fate of a unit is decided when its transmission begins.
    ends: Instant,
    backlog: Level,
    hold: Hold,
}

/// The buffer before the line.
#[derive(Debug)]
enum Buffer<U> {
    Unlimited(Unlimited),
    Served(Served<U>),
}

/// One direction of a link. A thousand ports do not fit in the cache, so the fields are in the order of use: an arrival at the far end needs
/// the first cache line, a packet that an idle line without a discipline takes up needs the second as well, and the beginning of the buffer.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port<U: Grain> {
    /// The event that the agenda has for this port, which may have been put off since.
    pub due: Instant,
    flight: Flight<U>,
    /// Its far end.
    pub leads: Leads,
    /// Whether what arrives there is dealt with ahead of time.
    pub ahead: bool,
    /// Packets alone come to it, its buffer is an unlimited FIFO, and it does nothing but carry them: [`Port::book_one`].
    pub plain: bool,
    framing: Framing,
    /// Propagation delay; of a line with a schedule the least.
    delay: Duration,
    pacer: Pacer,
    pub counts: Counts,
    lossy: Option<Box<Lossy>>,
    buffer: Buffer<U>,
    varying: Option<Box<Varying>>,
    twice: Option<Box<Twice>>,
    /// Captures on this line, if there are any.
    pub capture: Option<Box<Capture<U>>>,
    /// Queueing delays, if the run keeps percentiles.
    pub waits: Option<Box<Samples>>,
}

/// More room than there are packets.
const UNLIMITED: queue::plain::PlainParams = queue::plain::PlainParams {
    buffer: Room::Packets(u64::MAX),
};

/// Bits that a unit takes on a line with this framing.
#[inline(always)]
fn on_line<U: Grain>(framing: Framing, unit: &U) -> u64 {
    match framing {
        Framing::Raw => unit.bits(),
        framing => 8 * framing.on_line(u64::from(unit.bytes())),
    }
}

impl<U: Grain> Port<U> {
    /// For a link whose VCs have these guarantees, whose longest packet has `longest` units, and some of whose VCs may have ABR.
    pub fn new(
        link: &spec::Link,
        seed: u64,
        (guaranteed, longest): (&[(FlowId, Rate)], u64),
        abr: bool,
    ) -> Self {
        let varying = Varying::new(link);
        // On a line with a trace, a departure depends on earlier units of the same opportunity, so it cannot be booked on arrival; and the
        // units of a packet do not follow each other at equal distances on a line that varies.
        let unlimited = queue::QueueParams::Plain(UNLIMITED);
        let queue = (link.queue.as_ref()).or(varying.as_ref().map(|_| &unlimited));
        let buffer = match queue {
            None => Buffer::Unlimited(Unlimited::default()),
            Some(params) => Buffer::Served(Served {
                queue: Queue::new(
                    params,
                    Line {
                        rate: link.rate,
                        stream: Stream::new(seed, &format!("link.{}.queue", link.name)),
                        guaranteed: guaranteed.to_vec(),
                        longest,
                    },
                ),
                ends: Instant::ZERO,
                backlog: Level::default(),
                hold: Hold {
                    until: Instant::NEVER,
                    vain: 0,
                    broken: None,
                },
            }),
        };
        Self {
            framing: link.framing,
            leads: Leads::new(link.far_end, abr),
            ahead: false,
            plain: false,
            due: Instant::NEVER,
            delay: link.least_delay(),
            pacer: Pacer::new(link.rate),
            buffer,
            flight: Flight::new(link, seed),
            varying,
            twice: (link.duplicate.as_ref()).map(|it| Twice::new(it, seed)),
            lossy: (link.loss.as_ref()).map(|loss| Box::new(Lossy::new(loss, seed))),
            counts: Counts::default(),
            capture: None,
            waits: None,
        }
    }

    /// Time at which [`Port::advance`] is due.
    #[inline]
    pub fn next_event(&self) -> Instant {
        match self.flight.first() {
            Some(head) if self.flight.keeps_order() => head.at,
            Some(head) => head.at.min(self.next_departure()),
            None => self.next_departure(),
        }
    }

    /// No unit that has yet to be pulled arrives before this.
    #[inline]
    fn next_departure(&self) -> Instant {
        match &self.buffer {
            Buffer::Served(served) if self.counts.waiting > 0 => {
                let latest = self
                    .varying
                    .as_ref()
                    .map_or(Instant::ZERO, |it| it.latest());
                latest.max(served.ends + self.delay)
            }
            _ => Instant::NEVER,
        }
    }

    /// After an offer: the event that the agenda needs for this port, if it has none or a later one.
    #[inline]
    pub fn rearm(&mut self) -> Option<Instant> {
        // A pending event is kept even if the time was put off: it then finds nothing to do, and sets the next event. On a line that
        // keeps the order, no new unit arrives before it.
        if self.due != Instant::NEVER && self.flight.keeps_order() {
            return None;
        }
        let next = self.next_event();
        (next < self.due).then(|| {
            self.due = next;
            next
        })
    }

    /// The unit that arrives first, and when, if it does so by `until` and has departed. It is one of packets.
    #[inline]
    pub fn arrives_by(&mut self, until: Instant) -> Option<(Instant, U)> {
        let at = self.flight.first()?.at;
        if at > until {
            return None;
        }
        self.flight.pop().map(|unit| (at, unit))
    }

    /// An event is due: returns the units that have arrived at the far end, if any, and the time of the next event.
    // In each copy of the event loop: left to itself, the compiler gives this a call of its own where there are several, which costs 1.5 %.
    #[inline(always)]
    pub fn advance<P: Probe>(&mut self, shared: &mut Shared<U, P>) -> (Option<U>, Instant) {
        if !self.flight.keeps_order() {
            return self.advance_out_of_order(shared);
        }
        match self.flight.first_mut() {
            Some(head) if head.at > shared.now => (None, head.at),
            Some(head) if U::more(&head.rest) > 0 => {
                let unit = head.step();
                (unit, head.at)
            }
            Some(_) => {
                let unit = self.flight.pop();
                (unit, self.next_event())
            }
            None => {
                self.catch_up(shared);
                (None, self.next_event())
            }
        }
    }

    /// The same on a line with reordering: units that have departed since may arrive before units that were in flight.
    #[cold]
    fn advance_out_of_order<P: Probe>(
        &mut self,
        shared: &mut Shared<U, P>,
    ) -> (Option<U>, Instant) {
        self.catch_up(shared);
        let arrived = self.flight.first().is_some_and(|it| it.at <= shared.now);
        let unit = arrived.then(|| self.flight.pop()).flatten();
        (unit, self.next_event())
    }

    /// `unit` and the `more` that follow it in its packet arrive at once. The port may have an event now
    /// where it had none.
    #[inline(always)]
    pub fn offer<P: Probe>(&mut self, unit: U, more: u16, shared: &mut Shared<U, P>) {
        self.take::<P, false>(unit, more, shared);
    }

    /// The same of an RM cell.
    pub fn offer_control<P: Probe>(&mut self, unit: U, shared: &mut Shared<U, P>) {
        self.take::<P, true>(unit, 0, shared);
    }

    #[inline(always)]
    fn take<P: Probe, const CONTROL: bool>(
        &mut self,
        unit: U,
        more: u16,
        shared: &mut Shared<U, P>,
    ) {
        self.counts.offered += u64::from(more) + 1;
        self.catch_up(shared);
        let Buffer::Served(served) = &mut self.buffer else {
            return self.book(unit, more, shared);
        };
        let now = shared.now;
        if served.ends <= now && self.counts.waiting == 0 {
            // The queue was not asked since its last departure; a discipline that counts idle time must learn when it began.
            let (at, counts) = (served.ends, &mut self.counts);
            let nothing = served.queue.pull(at, &mut Book { counts, at, shared });
            debug_assert!(nothing.is_none());
        }
        self.counts.waiting += u64::from(more) + 1;
        shared.arrives(&unit);
        let mut book = Book {
            counts: &mut self.counts,
            at: now,
            shared,
        };
        if CONTROL {
            served.queue.offer_control(now, unit, &mut book);
        } else if more == 0 {
            served.queue.offer(now, unit, &mut book);
        } else {
            let mut next = Some(unit);
            for left in (0..=more).rev() {
                let Some(unit) = next.take() else { break };
                next = (left > 0).then(|| unit.following());
                next.iter().for_each(|next| book.shared.arrives(next));
                served.queue.offer(now, unit, &mut book);
            }
        }
        if served.ends > now {
            if served.queue.holds_back() && served.hold.until == served.ends {
                return self.ask_sooner(shared);
            }
            return served.backlog.set(now, self.counts.waiting);
        }
        if served.ends < now {
            self.counts.pauses += 1;
            (served.hold.until, served.hold.vain) = (now, 0);
        }
        served.ends = match &mut self.varying {
            Some(varying) => varying.begin(now, &mut self.pacer),
            None => {
                // An idle transmitter begins at once, without a remainder of rounding from before.
                self.pacer.rest();
                now
            }
        };
        self.catch_up(shared);
        if let Buffer::Served(served) = &mut self.buffer {
            served.backlog.set(now, self.counts.waiting);
        }
    }

    /// Processes all transmissions begun until now.
    #[inline(always)]
    pub fn catch_up<P: Probe>(&mut self, shared: &mut Shared<U, P>) {
        if let Some(start) = self.send(shared) {
            self.resume(start, shared);
        }
    }

    /// The same, until a discipline gives nothing; then the time of that. It holds back what waits, or has dropped it.
    #[inline(always)]
    fn send<P: Probe>(&mut self, shared: &mut Shared<U, P>) -> Option<Instant> {
        while let Buffer::Served(served) = &mut self.buffer
            && served.ends <= shared.now
            && self.counts.waiting > 0
        {
            let start = served.ends;
            let mut book = Book {
                counts: &mut self.counts,
                at: start,
                shared,
            };
            let Some(unit) = served.queue.pull(start, &mut book) else {
                return Some(start);
            };
            let bits = on_line(self.framing, &unit);
            let time = self.pacer.advance(bits);
            self.counts.busy += time.0;
            let mut end = start + time;
            served.ends = end;
            if let Some(varying) = &mut self.varying {
                (end, served.ends) = varying.send(start, bits);
                // Two opportunities may have the same time: the discipline has kept its promise with the first of them.
                if served.hold.until == served.ends {
                    served.hold.until = Instant::NEVER;
                }
            }
            self.counts.waiting -= 1;
            served.backlog.fall(start, self.counts.waiting);
            if P::SPREADS
                && let (Some(delays), Some(waits)) = (&mut shared.delays, &mut self.waits)
            {
                delays.departs(&unit, start, waits);
            }
            self.depart(unit, end, shared);
        }
        None
    }

    /// A unit is transmitted until `end`.
    #[inline]
    fn depart<P: Probe>(&mut self, unit: U, end: Instant, shared: &mut Shared<U, P>) {
        self.capture_near(&unit, end, shared);
        if self.lossy.is_some()
            && let Some(why) = self.lost(&unit, end, shared)
        {
            return Book {
                counts: &mut self.counts,
                at: end,
                shared,
            }
            .lose(unit, why);
        }
        self.counts.sent += 1;
        let at = match &mut self.varying {
            Some(varying) => varying.arrives(end, self.delay),
            None => end + self.delay,
        };
        if self.leads.goes_on(&unit) || Self::join(self.leads, &unit, at, shared) {
            let copy = self.copy(&unit, shared);
            self.fly(at, unit);
            if let Some(copy) = copy {
                self.fly(at, copy);
            }
        }
    }

    /// The far end is a host or an edge, where the unit arrives `at`: puts packets together, so that only what arrives whole is carried
    /// there. True for the last unit of a whole packet.
    #[inline(always)]
    fn join<P: Probe>(leads: Leads, unit: &U, at: Instant, shared: &mut Shared<U, P>) -> bool {
        let way = unit.way();
        match unit.join(&mut shared.joiners[unit.flow().0 as usize]) {
            Joined::Open => false,
            Joined::Whole => true,
            Joined::Dead(units) => {
                if at > shared.end {
                    // The arrival is after the end of the run, so it does not count yet.
                } else if leads != Leads::Edge {
                    shared.dead[way.0 as usize] += units;
                } else {
                    // Counted at the next place, so that only the links up to the edge carried it in vain, and not those after it.
                    let place = shared.place(unit) + 1;
                    shared.lost[place] += units as i64;
                }
                let way = way.0 as usize;
                let body = shared.bodies.take(unit.body());
                // This packet may be whole, and lost with one whose end mark was dropped; then its loss is not on the tape yet.
                if !body.damaged
                    && let Payload::Data { segment, .. } = body.kind
                {
                    shared.tape.row(at, way / 2, Event::Drop, segment);
                }
                false
            }
        }
    }

    /// Books `unit` and the `more` that follow it for transmission behind all others.
    fn book<P: Probe>(&mut self, unit: U, more: u16, shared: &mut Shared<U, P>) {
        let Buffer::Unlimited(unlimited) = &mut self.buffer else {
            unreachable!("only an unlimited FIFO books ahead")
        };
        let now = shared.now;
        if unlimited.free_at <= now {
            self.counts.pauses += u64::from(unlimited.free_at < now);
            self.pacer.rest();
        }
        let start = unlimited.free_at.max(now);
        let bits = on_line(self.framing, &unit);
        let first_end = start + self.pacer.advance(bits);
        let rest = U::rest(more, &self.pacer);
        let end = first_end + self.pacer.advance_by(bits, u64::from(more));
        self.counts.busy += (end - start).0;
        unlimited.accept(
            now,
            Accepted {
                offered: now,
                start,
                end,
                units: u64::from(more) + 1,
            },
        );
        if let (Some(delays), Some(waits)) = (&shared.delays, &mut self.waits) {
            delays.are_booked(now, (start, end), u64::from(more) + 1, waits);
        }
        if P::ON && self.capture.is_some() {
            self.capture_run(&unit, more, (first_end, end), shared);
        }
        let mut entry = InFlight {
            at: first_end + self.delay,
            unit,
            rest,
        };
        if self.lossy.is_some()
            && let Some(why) = self.lost(&entry.unit, first_end, shared)
        {
            // The first unit is booked as dropped; the others of its packet arrive in vain.
            let mut book = Book {
                counts: &mut self.counts,
                at: first_end,
                shared,
            };
            match entry.step() {
                Some(first) => book.lose(first, why),
                None => return book.lose(entry.unit, why),
            }
        }
        if !self.leads.goes_on(&entry.unit) {
            loop {
                let at = entry.at;
                let Some(unit) = entry.step() else { break };
                Self::join(self.leads, &unit, at, shared);
            }
            if !Self::join(self.leads, &entry.unit, entry.at, shared) {
                return;
            }
        }
        let at = entry.at;
        let copy = self.copy(&entry.unit, shared);
        self.flight.put(entry);
        if let Some(unit) = copy {
            self.flight.put(InFlight {
                at,
                unit,
                rest: U::rest(0, &self.pacer),
            });
        }
    }

    /// The ledger at the end of the run, by counting the units in each place (not by subtraction, or the audit would prove nothing).
    pub fn balance(&self, end: Instant) -> Balance {
        match &self.buffer {
            Buffer::Served(served) => {
                let ends = self.varying.as_ref().map_or(served.ends, |it| it.departs());
                let idle = self.varying.is_none() && served.holds(self.counts.waiting);
                // A unit that the line will lose is booked as dropped when its transmission begins: it may be the only one so far.
                let in_service = u64::from(ends > end && !idle).min(self.counts.sent);
                Balance {
                    sent: self.counts.sent - in_service,
                    waiting: served.queue.backlog(),
                    in_service,
                }
            }
            Buffer::Unlimited(unlimited) => {
                // Units lost on the line were transmitted as well, but are booked as dropped.
                let lost: u64 = self.counts.dropped.iter().sum();
                let balance = unlimited.pending_at(end);
                Balance {
                    sent: balance.sent - lost,
                    ..balance
                }
            }
        }
    }

    /// Units transmitted until now and not lost on the link. During a run, losses may be booked ahead of the transmission.
    pub fn left(&self, now: Instant) -> u64 {
        match &self.buffer {
            Buffer::Served(_) => self.balance(now).sent,
            Buffer::Unlimited(unlimited) => {
                let lost = self.counts.dropped.iter().sum();
                unlimited.pending_at(now).sent.saturating_sub(lost)
            }
        }
    }

    /// Waiting time up to now \[units x ps\].
    pub fn area(&self, now: Instant) -> u128 {
        match &self.buffer {
            Buffer::Served(served) => served.backlog.area(now),
            Buffer::Unlimited(unlimited) => unlimited.area(now),
        }
    }

    /// The largest backlog so far \[units\].
    pub fn peak(&self) -> u64 {
        match &self.buffer {
            Buffer::Served(served) => served.backlog.peak(),
            Buffer::Unlimited(unlimited) => unlimited.peak,
        }
    }

    /// Number of idle times until now.
    pub fn pauses(&self, now: Instant) -> u64 {
        let idle_since = match &self.buffer {
            Buffer::Served(served) => served.ends,
            Buffer::Unlimited(unlimited) => unlimited.free_at,
        };
        self.counts.pauses + u64::from(idle_since < now)
    }

    /// The same without an idle time that goes on, for a port that has been brought up to now.
    pub fn pauses_over(&self) -> u64 {
        match &self.buffer {
            // An idle time is counted when it begins, so one that goes on is subtracted.
            Buffer::Served(served) if served.holds(self.counts.waiting) => self.counts.pauses - 1,
            _ => self.counts.pauses,
        }
    }

    /// Time spent transmitting up to now \[ps\].
    pub fn busy(&self, now: Instant) -> u64 {
        // The work on a line that varies is booked at its `rate`; what has yet to be carried is subtracted.
        if let Some(varying) = &self.varying {
            return self.counts.busy - varying.ahead(now, &self.pacer);
        }
        let ahead = match &self.buffer {
            Buffer::Served(served) if served.holds(self.counts.waiting) => 0,
            Buffer::Served(served) => (served.ends - now).0,
            Buffer::Unlimited(unlimited) => (unlimited.free_at - now).0,
        };
        self.counts.busy - ahead
    }
}

#[cfg(test)]
mod holding;
#[cfg(test)]
mod scheduled;
#[cfg(test)]
mod tests;
