//! One direction of a link: the buffer at its head, the transmitter, and what is in flight on the line.
//!
//! At most one event is pending per port however many units are in flight: the end of the transmission that is going on, or the
//! next arrival at the far end. Behind an unlimited FIFO a unit's departure is known when it arrives, so such a port has no
//! departure events at all, and a whole packet in flight is one entry.

use crate::body::{Bodies, Kind};
use crate::grain::Grain;
use crate::meter::Level;
use crate::probe::{Event, Probe};
use crate::spec;
use dupack_core::ledger::{Cause, Ledger};
use dupack_core::loss::{Loss, script::Script};
use dupack_core::measure::Pacer;
use dupack_core::queue::{Discipline, Queue};
use dupack_core::sar::Joined;
use dupack_core::storage::per_flow::PerFlow;
use dupack_core::time::{Duration, Instant};
use std::collections::VecDeque;

/// Units that reach the far end one after another: `unit` at `at`, then `more` of its packet, each a unit's time later.
#[derive(Debug)]
struct InFlight<U> {
    at: Instant,
    unit: U,
    more: u16,
    /// The pacer's remainder as it was after `unit`.
    carry: u64,
}

/// Units accepted by an unlimited FIFO, sent back to back.
#[derive(Clone, Copy, Debug)]
struct Accepted {
    offered: Instant,
    start: Instant,
    end: Instant,
    units: u64,
}

impl Accepted {
    /// Units whose transmission has begun at `now`, and whether one is being transmitted.
    fn begun(&self, now: Instant) -> (u64, bool) {
        if now < self.start {
            return (0, false);
        }
        if now >= self.end {
            return (self.units, false);
        }
        let done = u128::from((now - self.start).0) * u128::from(self.units) / u128::from((self.end - self.start).0);
        (done as u64 + 1, true)
    }

    /// Waiting time of its units up to `now` \[units x ps\].
    fn waited(&self, now: Instant) -> u128 {
        let each = u128::from((self.start.min(now) - self.offered).0) * u128::from(self.units);
        let (begun, _) = self.begun(now);
        if begun == 0 {
            return each;
        }
        // Unit k begins k/units of the way from start to end; those that have not begun wait until now.
        let span = u128::from((self.end - self.start).0);
        let (units, begun) = (u128::from(self.units), u128::from(begun));
        each + span * (begun * (begun - 1) / 2) / units + u128::from((now - self.start).0) * (units - begun)
    }
}

/// What holds units before the line.
#[derive(Debug)]
enum Buffer<U> {
    /// An unlimited FIFO: fates and times are known on arrival.
    Unlimited {
        /// Not yet sent, as far as it has been looked at.
        accepted: VecDeque<Accepted>,
        /// Their units.
        pending: u64,
        /// Waiting time of all the others \[units x ps\].
        waited: u128,
        peak: u64,
        /// Re-times the units of a packet as they arrive at the far end.
        arrivals: Pacer,
    },
    /// A discipline decides.
    Disciplined { queue: Queue<U>, serving: Option<(Instant, U)>, backlog: Level },
}

/// Counts of the ledger, and of the line's work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub offered: u64,
    pub minted: u64,
    pub dropped: [u64; Cause::ALL.len()],
    /// Units that left, and were not lost on the line. Kept by disciplined ports only.
    sent: u64,
    /// Transmission times begun or booked \[ps\].
    busy: u64,
}

/// The ledger's state at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    pub sent: u64,
    pub waiting: u64,
    pub in_service: u64,
}

/// What the line does to flows' packets: the script, per data way.
type Scripts = PerFlow<Option<Script>>;

/// What a port needs of the world while it works.
pub struct Context<'a, U: Grain, P: Probe> {
    pub now: Instant,
    pub bodies: &'a mut Bodies,
    /// Units dropped, per place on a route: `lost[first[way] + hop]`.
    pub lost: &'a mut [u64],
    pub first: &'a [usize],
    /// The receiving ends, per way.
    pub joiners: &'a mut [U::Joiner],
    /// Cells that came in vain, per way.
    pub dead: &'a mut [u64],
    pub tape: &'a mut Tracer<P>,
}

/// The probe with what it needs to mark a drop far from the sender.
pub struct Tracer<P> {
    pub probe: P,
    /// Per flow (cwnd, ssthresh), kept while the probe is on.
    pub windows: Vec<(f64, f64)>,
}

impl<P: Probe> Tracer<P> {
    #[inline]
    pub fn mark(&mut self, at: Instant, flow: usize, event: Event, segment: u64) {
        if P::ON {
            let (cwnd, ssthresh) = self.windows[flow];
            self.probe.on(&crate::probe::Mark { at, flow, event, segment, cwnd, ssthresh });
        }
    }
}

/// The ledger of a port.
struct Book<'a, 'b, U: Grain, P: Probe> {
    counts: &'a mut Counts,
    context: &'a mut Context<'b, U, P>,
}

impl<U: Grain, P: Probe> Ledger<U> for Book<'_, '_, U, P> {
    fn drop(&mut self, unit: U, why: Cause) {
        self.counts.dropped[why as usize] += 1;
        let way = unit.flow();
        let context = &mut *self.context;
        context.lost[context.first[way.0 as usize] + unit.hop() as usize] += 1;
        if let Some(body) = context.bodies.get(unit.body(), way, unit.serial()) {
            if !std::mem::replace(&mut body.damaged, true) && let Kind::Data { segment, .. } = body.kind {
                context.tape.mark(context.now, way.0 as usize / 2, Event::Drop, segment);
            }
            if unit.last() {
                context.bodies.take(unit.body());
            }
        }
    }
}

/// One direction of a link.
#[derive(Debug)]
pub struct Port<U> {
    to_host: bool,
    delay: Duration,
    pacer: Pacer,
    buffer: Buffer<U>,
    flight: VecDeque<InFlight<U>>,
    /// The transmitter is booked until then (unlimited FIFO only).
    free_at: Instant,
    scripts: Option<Scripts>,
    pub counts: Counts,
}

impl<U: Grain> Port<U> {
    pub fn new(link: &spec::Link) -> Self {
        let buffer = match &link.queue {
            None => Buffer::Unlimited {
                accepted: VecDeque::new(),
                pending: 0,
                waited: 0,
                peak: 0,
                arrivals: Pacer::new(link.rate),
            },
            Some(params) => {
                Buffer::Disciplined { queue: Queue::new(params), serving: None, backlog: Level::default() }
            }
        };
        let scripts = link.loss.as_ref().map(|spec::Loss::Script { flows, segments }| {
            let mut scripts = Scripts::default();
            for flow in flows {
                *scripts.of(crate::machine::data_way(*flow)) = Some(Script::new(segments.iter().copied()));
            }
            scripts
        });
        Self {
            to_host: link.to_host,
            delay: link.delay,
            pacer: Pacer::new(link.rate),
            buffer,
            flight: VecDeque::new(),
            free_at: Instant::ZERO,
            scripts,
            counts: Counts::default(),
        }
    }

    /// When [`Port::advance`] is due.
    #[inline]
    pub fn next_event(&self) -> Instant {
        let arrival = self.flight.front().map_or(Instant::NEVER, |f| f.at);
        match &self.buffer {
            Buffer::Disciplined { serving: Some((end, _)), .. } => arrival.min(*end),
            _ => arrival,
        }
    }

    /// `unit` and the `more` that follow it in its packet arrive at once.
    #[inline]
    pub fn offer<P: Probe>(&mut self, unit: U, more: u16, context: &mut Context<'_, U, P>) {
        self.counts.offered += u64::from(more) + 1;
        match &mut self.buffer {
            Buffer::Unlimited { .. } => self.book(unit, more, context),
            Buffer::Disciplined { queue, serving, backlog } => {
                let mut next = (more > 0).then(|| unit.following());
                let mut book = Book { counts: &mut self.counts, context };
                let now = book.context.now;
                queue.offer(now, unit, &mut book);
                while let Some(unit) = next {
                    next = (!unit.last()).then(|| unit.following());
                    queue.offer(now, unit, &mut book);
                }
                if serving.is_none() {
                    // An idle transmitter owes nobody a remainder.
                    self.pacer.resume(0);
                    if let Some(unit) = queue.pull(now, &mut book) {
                        let time = self.pacer.advance(unit.bits());
                        self.counts.busy += time.0;
                        *serving = Some((now + time, unit));
                    }
                }
                backlog.set(now, queue.backlog());
            }
        }
    }

    /// An event is due: gives what has arrived at the far end, if the event was an arrival.
    #[inline]
    pub fn advance<P: Probe>(&mut self, context: &mut Context<'_, U, P>) -> Option<U> {
        if let Buffer::Disciplined { queue, serving, backlog } = &mut self.buffer
            && serving.as_ref().is_some_and(|(end, _)| *end <= context.now)
            && let Some((end, unit)) = serving.take()
        {
            let mut book = Book { counts: &mut self.counts, context };
            if let Some(next) = queue.pull(end, &mut book) {
                let time = self.pacer.advance(next.bits());
                self.counts.busy += time.0;
                *serving = Some((end + time, next));
                backlog.set(end, queue.backlog());
            }
            self.depart(unit, 0, end, 0, context);
            return None;
        }
        let head = self.flight.front_mut().filter(|f| f.at <= context.now)?;
        if head.more == 0 {
            return self.flight.pop_front().map(|f| f.unit);
        }
        let following = head.unit.following();
        let Buffer::Unlimited { arrivals, .. } = &mut self.buffer else { unreachable!("packets in flight are whole") };
        arrivals.resume(head.carry);
        head.at += arrivals.advance(following.bits());
        head.carry = arrivals.carry();
        head.more -= 1;
        Some(std::mem::replace(&mut head.unit, following))
    }

    /// Books `unit` and `more` for transmission behind all others.
    fn book<P: Probe>(&mut self, unit: U, more: u16, context: &mut Context<'_, U, P>) {
        let now = context.now;
        if self.free_at <= now {
            self.pacer.resume(0);
        }
        let start = self.free_at.max(now);
        let mut end = start + self.pacer.advance(unit.bits());
        let (first_end, carry) = (end, self.pacer.carry());
        for _ in 0..more {
            end += self.pacer.advance(unit.bits());
        }
        self.free_at = end;
        self.counts.busy += (end - start).0;
        let Buffer::Unlimited { accepted, pending, waited, peak, .. } = &mut self.buffer else {
            unreachable!("only an unlimited FIFO books ahead")
        };
        while let Some(run) = accepted.front().filter(|run| run.end <= now) {
            *pending -= run.units;
            *waited += run.waited(now);
            accepted.pop_front();
        }
        let units = u64::from(more) + 1;
        accepted.push_back(Accepted { offered: now, start, end, units });
        *pending += units;
        // The head alone can have begun.
        let begun = accepted.front().map_or(0, |run| run.begun(now).0);
        *peak = (*peak).max(*pending - begun);
        self.depart(unit, more, first_end, carry, context);
    }

    /// `unit` leaves the transmitter at `end` (now or, booked ahead, later), `more` behind it.
    #[inline]
    fn depart<P: Probe>(&mut self, unit: U, more: u16, end: Instant, carry: u64, context: &mut Context<'_, U, P>) {
        let (mut unit, mut more, mut at, mut carry) = (unit, more, end + self.delay, carry);
        if self.scripts.is_some() && unit.begins() {
            if let Some(why) = self.lost(&unit, context) {
                let next = (more > 0).then(|| unit.following());
                Book { counts: &mut self.counts, context }.drop(unit, why);
                let (Some(next), Buffer::Unlimited { arrivals, .. }) = (next, &mut self.buffer) else { return };
                arrivals.resume(carry);
                at += arrivals.advance(next.bits());
                (unit, more, carry) = (next, more - 1, arrivals.carry());
            }
        }
        self.counts.sent += u64::from(more) + 1;
        if !self.to_host {
            self.flight.push_back(InFlight { at, unit, more, carry });
            return;
        }
        // The far end is a host: put the packet together now, and carry only what arrives whole.
        loop {
            let way = unit.flow().0 as usize;
            match unit.join(&mut context.joiners[way]) {
                Joined::Open => {}
                Joined::Whole => {
                    self.flight.push_back(InFlight { at, unit, more: 0, carry: 0 });
                    return;
                }
                Joined::Dead(units) => {
                    context.dead[way] += units;
                    context.bodies.take(unit.body());
                    return;
                }
            }
            if more == 0 {
                return;
            }
            let Buffer::Unlimited { arrivals, .. } = &mut self.buffer else { unreachable!("as above") };
            unit = unit.following();
            arrivals.resume(carry);
            at += arrivals.advance(unit.bits());
            carry = arrivals.carry();
            more -= 1;
        }
    }

    fn lost<P: Probe>(&mut self, unit: &U, context: &mut Context<'_, U, P>) -> Option<Cause> {
        let body = context.bodies.get(unit.body(), unit.flow(), unit.serial())?;
        let Kind::Data { segment, again } = body.kind else { return None };
        self.scripts.as_mut()?.of(unit.flow()).as_mut()?.on_segment(segment, again)
    }

    /// Units in the buffer now.
    pub fn backlog(&self, now: Instant) -> u64 {
        match &self.buffer {
            Buffer::Disciplined { queue, .. } => queue.backlog(),
            Buffer::Unlimited { .. } => self.balance(now).waiting,
        }
    }

    /// The ledger at `now`, by what is where (not by subtraction, or the audit would prove nothing).
    pub fn balance(&self, now: Instant) -> Balance {
        match &self.buffer {
            Buffer::Disciplined { queue, serving, .. } => Balance {
                sent: self.counts.sent,
                waiting: queue.backlog(),
                in_service: u64::from(serving.is_some()),
            },
            Buffer::Unlimited { accepted, .. } => {
                // `sent` counts what is booked; what has not ended by now is taken back.
                let (mut waiting, mut in_service) = (0, 0);
                for run in accepted.iter().filter(|run| run.end > now) {
                    let (begun, serving) = run.begun(now);
                    waiting += run.units - begun;
                    in_service += u64::from(serving);
                }
                Balance { sent: self.counts.sent - waiting - in_service, waiting, in_service }
            }
        }
    }

    /// Waiting time up to now \[units x ps\].
    pub fn area(&self, now: Instant) -> u128 {
        match &self.buffer {
            Buffer::Disciplined { backlog, .. } => backlog.area(now),
            Buffer::Unlimited { accepted, waited, .. } => {
                waited + accepted.iter().map(|run| run.waited(now)).sum::<u128>()
            }
        }
    }

    /// The largest backlog so far \[units\].
    pub fn peak(&self) -> u64 {
        match &self.buffer {
            Buffer::Disciplined { backlog, .. } => backlog.peak(),
            Buffer::Unlimited { peak, .. } => *peak,
        }
    }

    /// Time spent transmitting up to now \[ps\].
    pub fn busy(&self, now: Instant) -> u64 {
        let ahead = match &self.buffer {
            Buffer::Disciplined { serving, .. } => serving.as_ref().map_or(0, |(end, _)| (*end - now).0),
            Buffer::Unlimited { .. } => (self.free_at - now).0,
        };
        self.counts.busy - ahead
    }
}
