//! A path with one bottleneck that a test can change while a flow uses it, for controllers that measure their path.

use super::super::control::Controller;
use super::super::receiver::Receiver;
use super::super::repair::{AnyRepair, RepairParams};
use super::super::sender::Sender;
use super::super::{Ack, Common};
use crate::declare::{Declared, Fallback, Value};
use crate::roster::Roster;
use crate::time::{Duration, Instant, SECOND};
use std::boxed::Box;
use std::collections::VecDeque;
use std::vec::Vec;

/// Bits of a packet: 1460 B of payload, 40 B of headers.
pub const BITS: u64 = 12_000;

/// Parameters of a transport with packets of this length; `more` are added.
pub fn common(more: &[(&str, &str)]) -> Common {
    let texts = [
        ("mss", "1460 B"),
        ("max_window", "100000 segments"),
        ("initial_window", "10 segments"),
        ("tick", "1 ms"),
        ("min_rto", "200 ms"),
    ];
    Common::from_texts(&[&texts, more].concat())
}

/// The repair of this word, with `texts` for its own parameters and defaults for the others.
fn repair(word: &str, texts: &[(&str, &str)], common: &Common) -> AnyRepair {
    let entry = RepairParams::entry(word).expect("on the roster");
    let own: Vec<_> = (entry.parameters.iter())
        .map(|it| {
            let given = texts.iter().find(|(name, _)| *name == it.name);
            match (given.map(|(_, text)| *text), it.fallback) {
                (Some(text), _) | (None, Fallback::Text(text)) => it.kind.read(text).expect(text),
                _ => Value::Unset,
            }
        })
        .collect();
    AnyRepair::new(
        &RepairParams::from_values(word, &own).expect("its own values"),
        common,
    )
}

/// A token bucket that drops what it has no tokens for.
pub struct Policer {
    /// \[bit/s\]
    pub rate: u64,
    /// Its size \[bit\], and the tokens in it.
    pub burst: f64,
    tokens: f64,
    at: Instant,
}

impl Policer {
    /// With a full bucket.
    pub fn new(rate: u64, burst: u64) -> Self {
        let burst = burst as f64;
        Self {
            rate,
            burst,
            tokens: burst,
            at: Instant::ZERO,
        }
    }

    fn passes(&mut self, now: Instant) -> bool {
        let earned = (now - self.at).seconds() * self.rate as f64;
        self.tokens = (self.tokens + earned).min(self.burst);
        self.at = now;
        let passes = self.tokens >= BITS as f64;
        self.tokens -= if passes { BITS as f64 } else { 0.0 };
        passes
    }
}

/// A flow and its path.
pub struct Flow<C> {
    pub sender: Sender<C, AnyRepair>,
    pub now: Instant,
    /// Rate of the bottleneck \[bit/s\].
    pub rate: u64,
    /// Its buffer, without the packet in service \[packets\].
    pub buffer: usize,
    /// There and back.
    pub delay: Duration,
    /// Acks arrive together, at multiples of this.
    pub aggregation: Duration,
    /// Whether the transmission of this number is lost before the bottleneck.
    pub loses: Box<dyn Fn(u64) -> bool>,
    pub policer: Option<Policer>,
    /// How much longer than others the transmission of this number is under way if it leaves the bottleneck at this time.
    pub holds: Box<dyn Fn(u64, Instant) -> Duration>,
    /// Those that are, with their arrivals and segments, in the order in which they arrive.
    held: Vec<(Instant, u64, u64)>,
    /// The application always has one more segment.
    greedy: bool,
    /// Else it hands over a segment so often, if ever.
    every: Option<Duration>,
    next_release: Instant,
    released: u64,
    queue: VecDeque<(u64, u64)>,
    served: Option<Instant>,
    acks: VecDeque<(Instant, Ack)>,
    receiver: Receiver,
    /// Segments that have left the bottleneck, and the transmissions that did not reach it or found it full.
    pub sent: u64,
    pub dropped: u64,
    /// Transmissions so far.
    pub transmissions: u64,
}

impl<C: Controller> Flow<C> {
    /// A greedy flow on a path of `rate` bit/s, `delay` there and back, and a buffer of `buffer` packets. Its repair is SACK, which
    /// counts what is in flight by RFC 6675.
    pub fn new(control: C, common: &Common, rate: u64, delay: Duration, buffer: usize) -> Self {
        let sack = ("sack", &[("pipe", "rfc6675")][..]);
        Self::with(sack, control, common, (rate, delay, buffer))
    }

    /// The same with another repair, by its word and parameters.
    pub fn with(
        (word, texts): (&str, &[(&str, &str)]),
        control: C,
        common: &Common,
        (rate, delay, buffer): (u64, Duration, usize),
    ) -> Self {
        let entry = RepairParams::entry(word).expect("on the roster");
        let habits = entry.about.habits;
        Self {
            sender: Sender::new(common, habits, control, repair(word, texts, common)),
            now: Instant::ZERO,
            rate,
            buffer,
            delay,
            aggregation: Duration(1),
            loses: Box::new(|_| false),
            policer: None,
            holds: Box::new(|_, _| Duration::ZERO),
            held: Vec::new(),
            greedy: true,
            every: None,
            next_release: Instant::NEVER,
            released: 0,
            queue: VecDeque::new(),
            served: None,
            acks: VecDeque::new(),
            receiver: Receiver::new(common, habits.hears),
            sent: 0,
            dropped: 0,
            transmissions: 0,
        }
    }

    /// From now on the application has data of `rate` bit/s, 0 for none.
    pub fn hands_over(&mut self, rate: u64) {
        self.greedy = false;
        self.every = (rate > 0).then(|| Duration(BITS * SECOND / rate));
        self.next_release = self.every.map_or(Instant::NEVER, |_| self.now);
    }

    /// The application has no end of data again.
    pub fn is_greedy(&mut self) {
        self.greedy = true;
        (self.every, self.next_release) = (None, Instant::NEVER);
    }

    pub fn control(&self) -> &C {
        self.sender.controller()
    }

    /// Segments in the network, as far as the sender knows.
    pub fn in_flight(&self) -> f64 {
        self.sender.in_flight() as f64
    }

    /// Packets in the buffer and in service.
    pub fn backlog(&self) -> usize {
        self.queue.len()
    }

    fn transmit(&mut self) {
        loop {
            if self.greedy {
                let sent = self.sender.acknowledged() + self.sender.flight();
                self.released = self.released.max(sent + 1);
                self.sender.release(self.released, false);
            }
            let Some(it) = self.sender.poll_transmit(self.now) else {
                return;
            };
            self.transmissions = it.id + 1;
            let policed = self.policer.as_mut().is_some_and(|p| !p.passes(self.now));
            if policed || (self.loses)(it.id) || self.queue.len() > self.buffer {
                self.dropped += 1;
                continue;
            }
            self.queue.push_back((it.segment, it.id));
            self.serve();
        }
    }

    fn serve(&mut self) {
        if self.served.is_none() && !self.queue.is_empty() {
            self.served = Some(self.now + Duration(BITS * SECOND / self.rate));
        }
    }

    /// Transmission `id` of `segment` arrives.
    fn arrive(&mut self, segment: u64, id: u64) {
        if let Some(ack) = self.receiver.handle_segment(self.now, segment, id).ack {
            let at = (self.now + self.delay)
                .0
                .next_multiple_of(self.aggregation.0);
            self.acks.push_back((Instant(at), ack));
        }
    }

    /// The next event: a packet leaves the bottleneck, an ack arrives, or a timer is due.
    pub fn step(&mut self) {
        self.transmit();
        let next = [
            self.served,
            self.acks.front().map(|(at, _)| *at),
            self.sender.poll_timeout(),
            Some(self.next_release),
            self.held.first().map(|(at, ..)| *at),
        ];
        self.now = (next.into_iter().flatten().min().expect("an event")).max(self.now);
        if self.served.is_some_and(|at| at <= self.now) {
            self.served = None;
            let (segment, id) = self.queue.pop_front().expect("it is in service");
            self.sent += 1;
            let arrival = self.now + (self.holds)(id, self.now);
            if arrival > self.now {
                let place = self.held.partition_point(|(at, ..)| *at <= arrival);
                self.held.insert(place, (arrival, segment, id));
            } else {
                self.arrive(segment, id);
            }
            self.serve();
        } else if self.held.first().is_some_and(|(at, ..)| *at <= self.now) {
            let (_, segment, id) = self.held.remove(0);
            self.arrive(segment, id);
        } else if self.acks.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, ack) = self.acks.pop_front().expect("it is there");
            self.sender.handle_ack(self.now, &ack);
        } else if let Some(every) = self.every
            && self.next_release <= self.now
        {
            self.released += 1;
            self.sender.release(self.released, false);
            self.next_release += every;
        } else {
            self.sender.handle_timeout(self.now);
        }
        self.transmit();
    }

    /// Until `is` so; fails if it is not within `within`.
    pub fn until(&mut self, within: Duration, is: impl Fn(&C) -> bool) {
        let end = self.now + within;
        while !is(self.control()) {
            self.step();
            assert!(self.now < end, "not within {} s", within.seconds());
        }
    }

    /// For `time`; `seen` is called after each event.
    pub fn run(&mut self, time: Duration, mut seen: impl FnMut(&Self)) {
        let end = self.now + time;
        loop {
            self.step();
            if self.now >= end {
                return;
            }
            seen(self);
        }
    }

    /// Until nothing is in the network any more, and then for `time`.
    pub fn sleep(&mut self, time: Duration) {
        assert!(
            !self.greedy && self.every.is_none(),
            "the application has data"
        );
        while self.sender.flight() > 0 {
            self.step();
        }
        self.now += time;
    }

    /// Share of the bottleneck that `time` more of the flow use.
    pub fn utilization(&mut self, time: Duration) -> f64 {
        let (sent, at) = (self.sent, self.now);
        self.run(time, |_| {});
        let bits = (self.sent - sent) * BITS;
        bits as f64 / (self.now - at).seconds() / self.rate as f64
    }
}
