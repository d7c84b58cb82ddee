//! CAKE: a shaper, classes of traffic, a fair queue for each flow and each host, and COBALT for each flow.
//!
//! The shaper sends a packet when its time has come; each packet moves that time by what it takes at `rate`, with the framing of the link
//! behind it. So no burst is sent after a pause. Classes (tins) have times of their own, at shares of the rate: the highest class that is
//! below its share is served first, and if none is, the one whose time comes next. Without a rate the classes are served by deficit round
//! robin, in proportion to their shares.
//!
//! Within a class, flows that queue nothing (sparse) come first, and then the others (bulk) by deficit round robin. The quantum of a flow
//! is divided by the number of bulk flows of its source or its destination, whichever is more, so hosts have equal shares, too.
//! A sparse flow that is found empty leaves, and is sparse again with its next packet; one that uses up its quantum is bulk.
//!
//! Each flow has a COBALT. Target and interval of a class are longer if its share of the rate is low: the target is at least the time of
//! one and a half longest packets. When the buffer is full, the flow with the most bytes loses its first packet, and its COBALT is told.
//!
//! With `ack_filter` an ack that waits is dropped when a later one of its flow arrives that says the same and more, and another such ack waits;
//! with `aggressive` also if it alone is the one before.
//!
//! Each flow has a queue of its own here; Linux's hash has 1,024 queues in sets of eight, so that collisions are rare.
//= linux-cake
//= linux-cake §queues type=departure
//= hoeiland-joergensen-taht-morton-2018 §III

use super::aqm::{Aqm, Departure, Verdict};
use super::classes;
use super::cobalt::{CodelAndBlue, Law};
use super::drop_law::DropLaw;
use super::{About, Discipline, Grain, Line, Make};
use crate::framing::Framing;
use crate::gauge::{QUEUES, Tell, largest};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Rate, Room};
use crate::rng::Stream;
use crate::storage::lists::{List, Lists};
use crate::storage::per_flow::PerFlow;
use crate::time::{Duration, Instant, SECOND};
use crate::unit::{CONTROL, FlowId, Unit};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec::Vec;

crate::choice! {
    /// Classes of CAKE.
    pub enum Tins {
        /// One.
        BestEffort = "besteffort",
        /// Background traffic, best effort, and voice.
        Diffserv3 = "diffserv3",
        /// Background traffic, best effort, video, and voice.
        Diffserv4 = "diffserv4",
    }
}

crate::choice! {
    /// Whose shares are equal.
    pub enum Isolation {
        /// Those of flows.
        Flows = "flows",
        /// Those of source hosts, and of the flows of each.
        DualSource = "dual-source",
        /// Those of destination hosts, and of the flows of each.
        DualDestination = "dual-destination",
        /// Those of source and of destination hosts, and of the flows of each.
        Triple = "triple",
    }
}

crate::choice! {
    /// Which acks are dropped for a later one.
    pub enum AckFilter {
        /// None.
        Off = "off",
        /// One, if two that the later one replaces wait.
        On = "on",
        /// The same, and the one before the arriving one.
        Aggressive = "aggressive",
    }
}

crate::declare! {
    /// Shapes, serves classes by their shares, hosts and flows equally, and drops by a COBALT per flow.
    pub struct CakeParams as "cake" from "linux-cake" {
        /// Capacity of the buffer that all flows share, without the packet being transmitted.
        buffer: Room = "10240 packets", show "30 packets";
        /// Rate of the shaper, of packets with their framing.
        rate: Option<Rate> = unset "unlimited", try ["2 Mb/s"];
        /// Framing of the link behind the shaper, whose bytes count.
        framing: Framing = "raw", try ["raw", "docsis"];
        /// Classes, by the `dscp` of flows.
        tins: Tins = "diffserv3", try ["besteffort", "diffserv4"], show "diffserv4";
        /// Whose shares are equal, beside those of flows.
        isolation: Isolation = "triple", try ["triple", "flows"];
        /// Acks that are dropped for a later one.
        ack_filter: AckFilter = "off", try ["off", "aggressive"];
        /// Acceptable sojourn time; more at a low rate.
        target: Duration = "5 ms", show "3 ms";
        /// Round-trip time that most flows do not exceed: the interval of COBALT.
        rtt: Duration = "100 ms", show "10 ms";
        /// Marking of ECN-capable packets instead of dropping them.
        ecn: bool = "true";
    }
    check |it| {
        let fault = |name| Err(crate::declare::Fault { name, found: "0 s".into(), allowed: "more than 0".into() });
        if it.target == Duration::ZERO { return fault("target"); }
        if it.rtt == Duration::ZERO { return fault("rtt"); }
        if let Some(rate) = it.rate && rate.0 < 64_000 { return Err(crate::declare::Fault { name: "rate", found: format!("{} b/s", rate.0), allowed: "at least \"64 kb/s\"".into() }); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// Longest packet with the header of Ethernet \[bytes\].
const MTU: u64 = 1514;
/// Credits are counted in parts of a byte, so that a quantum can be divided.
const PARTS: i64 = 1 << 16;

/// Where a flow stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    /// On no list.
    None,
    /// On the list of new flows.
    Sparse,
    /// Empty, and on the list of old flows.
    SparseWait,
    /// On the list of old flows.
    Bulk,
}

/// A packet that waits.
#[derive(Debug)]
struct Waiting<U> {
    unit: U,
    stamp: Instant,
}

/// The queue of a flow in a tin.
#[derive(Debug)]
struct Flow<U> {
    waiting: VecDeque<Waiting<U>>,
    bytes: u64,
    /// \[parts of bytes\]
    deficit: i64,
    set: Set,
    cobalt: CodelAndBlue,
    /// Source and destination.
    hosts: (u32, u32),
}

/// A class of traffic.
#[derive(Debug)]
struct Tin<U> {
    flows: Vec<Flow<U>>,
    /// Place of each flow in `flows`.
    places: PerFlow<Option<u32>>,
    items: Lists<u32>,
    new: List,
    old: List,
    /// Flows on lists that are sparse or bulk.
    listed: u64,
    backlog: u64,
    /// Bulk flows of each source, and of each destination.
    bulk: [PerFlow<u32>; 2],
    rate: Option<Rate>,
    law: Law,
    flow_quantum: i64,
    /// Time of its next packet at its share.
    time_next: Instant,
    /// Of the round robin without a rate \[bytes\].
    quantum: i64,
    deficit: i64,
}

/// Classes behind a shaper.
#[derive(Debug)]
pub struct Cake<U> {
    params: Box<CakeParams>,
    stream: Stream,
    /// From the lowest in the order of service with a rate.
    tins: Vec<Tin<U>>,
    current: usize,
    time_next: Instant,
    failsafe_next: Instant,
    backlog: u64,
}

/// The time that `bytes` take at `rate`; none without one.
fn time_of(bytes: u64, rate: Option<Rate>) -> Duration {
    rate.map_or(Duration::ZERO, |rate| {
        let time = 8 * u128::from(bytes) * u128::from(SECOND) / u128::from(rate.0);
        Duration(time as u64)
    })
}

impl<U> Tin<U> {
    /// With this part of the rate, as a power of a half.
    //= linux-cake
    fn new(params: &CakeParams, part: u32) -> Self {
        let rate = params.rate.map(|rate| Rate((rate.0 >> part).max(512)));
        let mtu_time = time_of(MTU, rate);
        let target = Duration(mtu_time.0 * 3 / 2).max(params.target);
        let interval = Duration(params.rtt.0 + target.0 - params.target.0);
        let bytes = rate.map_or(MTU, |rate| ((rate.0 / 8) >> 12).clamp(300, MTU));
        Self {
            flows: Vec::new(),
            places: PerFlow::default(),
            items: Lists::default(),
            new: List::default(),
            old: List::default(),
            listed: 0,
            backlog: 0,
            bulk: Default::default(),
            rate,
            law: Law {
                target,
                interval: interval.max(Duration(2 * target.0)),
                mtu_time,
                increment: 1.0 / 256.0,
                decrement: 1.0 / 4096.0,
                ecn: params.ecn,
            },
            flow_quantum: bytes as i64 * PARTS,
            time_next: Instant::ZERO,
            quantum: 1024 >> part,
            deficit: 0,
        }
    }

    /// A quantum of flow `at`, shared with the bulk flows of its hosts.
    fn quantum_of(&mut self, at: usize, isolation: Isolation) -> i64 {
        let (source, destination) = self.flows[at].hosts;
        let mut load = 1;
        if matches!(isolation, Isolation::DualSource | Isolation::Triple) {
            load = load.max(*self.bulk[0].of(FlowId(source)));
        }
        if matches!(isolation, Isolation::DualDestination | Isolation::Triple) {
            load = load.max(*self.bulk[1].of(FlowId(destination)));
        }
        (self.flow_quantum / i64::from(load)).max(1)
    }

    /// Flow `at` becomes a bulk flow, or ceases to be one.
    fn set_bulk(&mut self, at: usize, set: Set) {
        let flow = &mut self.flows[at];
        let (was, hosts) = (flow.set == Set::Bulk, flow.hosts);
        flow.set = set;
        let is = set == Set::Bulk;
        if was != is {
            for (count, host) in self.bulk.iter_mut().zip([hosts.0, hosts.1]) {
                let count = count.of(FlowId(host));
                *count = if is { *count + 1 } else { *count - 1 };
            }
        }
    }

    /// Flow `at` has got a packet.
    fn join(&mut self, at: usize, isolation: Isolation) {
        match self.flows[at].set {
            Set::None => {
                self.items.push_back(&mut self.new, at as u32);
                self.listed += 1;
                self.flows[at].set = Set::Sparse;
                self.flows[at].deficit = self.quantum_of(at, isolation);
            }
            Set::SparseWait => self.set_bulk(at, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The flow whose turn it is.
    fn next(&mut self, isolation: Isolation) -> Option<usize> {
        loop {
            let list = if self.new.is_empty() {
                &mut self.old
            } else {
                &mut self.new
            };
            let at = *self.items.front(list)? as usize;
            if self.flows[at].deficit > 0 {
                return Some(at);
            }
            self.items.pop_front(list);
            self.items.push_back(&mut self.old, at as u32);
            if self.flows[at].set == Set::Sparse {
                let empty = self.flows[at].waiting.is_empty();
                self.set_bulk(at, if empty { Set::SparseWait } else { Set::Bulk });
            }
            let quantum = self.quantum_of(at, isolation);
            self.flows[at].deficit += quantum;
        }
    }

    /// The flow whose turn it is was found empty, and leaves.
    fn leave(&mut self, at: usize) {
        let list = if self.new.is_empty() {
            &mut self.old
        } else {
            &mut self.new
        };
        self.items.pop_front(list);
        self.listed -= 1;
        self.set_bulk(at, Set::None);
    }
}

impl<U> Make<CakeParams> for Cake<U> {
    //= linux-cake
    fn make(params: &CakeParams, line: Line) -> Self {
        let parts: &[u32] = match params.tins {
            Tins::BestEffort => &[0],
            Tins::Diffserv3 => &[0, 4, 2],
            Tins::Diffserv4 => &[0, 4, 1, 2],
        };
        Self {
            params: Box::new(params.clone()),
            stream: line.stream,
            tins: parts.iter().map(|part| Tin::new(params, *part)).collect(),
            current: 0,
            time_next: Instant::ZERO,
            failsafe_next: Instant::ZERO,
            backlog: 0,
        }
    }
}

impl<U: Unit> Cake<U> {
    /// The tin of a packet: best effort is the first, background the second.
    //= linux-cake
    fn tin_of(&self, unit: &U) -> usize {
        match (self.params.tins, unit.dscp()) {
            (Tins::BestEffort, _) => 0,
            (Tins::Diffserv3, 1 | 8) => 1,
            (Tins::Diffserv3, 4 | 44 | 46 | 48 | 56) => 2,
            (Tins::Diffserv3, _) => 0,
            (Tins::Diffserv4, dscp) => match classes::diffserv4(dscp) {
                0 => 1,
                1 => 0,
                class => class,
            },
        }
    }

    /// The place of the flow of `unit` in its tin.
    fn flow_of(&mut self, tin: usize, unit: &U) -> usize {
        let it = &mut self.tins[tin];
        if let Some(at) = *it.places.of(unit.flow()) {
            return at as usize;
        }
        let at = it.flows.len();
        let seed = self.stream.clone().between(0, u64::MAX);
        let stream = Stream::new(seed, &format!("tin.{tin}.flow.{at}"));
        it.flows.push(Flow {
            waiting: VecDeque::new(),
            bytes: 0,
            deficit: 0,
            set: Set::None,
            cobalt: CodelAndBlue::new(it.law.clone(), stream),
            hosts: unit.ends(),
        });
        *it.places.of(unit.flow()) = Some(at as u32);
        at
    }

    /// The shaper's times, if they are in the past of a queue that was empty.
    fn wake(&mut self, now: Instant, tin: usize) {
        let it = &mut self.tins[tin];
        if it.backlog > 0 {
            return;
        }
        it.time_next = it.time_next.max(now);
        if self.backlog == 0 && self.time_next < now {
            (self.time_next, self.failsafe_next) = (now, now);
        }
    }

    /// A packet has left flow `at` of `tin` without being sent; the flow keeps its place.
    fn take(&mut self, tin: usize, at: usize, place: usize) -> Option<U> {
        let it = &mut self.tins[tin];
        let flow = &mut it.flows[at];
        let unit = flow.waiting.remove(place)?.unit;
        flow.bytes -= u64::from(unit.bytes());
        flow.cobalt.on_pushed_out();
        it.backlog -= 1;
        self.backlog -= 1;
        Some(unit)
    }

    /// The ack that the last packet of a flow replaces, if it replaces one.
    //= linux-cake
    fn replaced(&self, tin: usize, at: usize, book: &impl Ledger<U>) -> Option<usize> {
        let waiting = &self.tins[tin].flows[at].waiting;
        let (last, before) = (waiting.back()?, waiting.len() - 1);
        if last.unit.priority() != CONTROL {
            return None;
        }
        let replaces = |place: &usize| book.supersedes(&last.unit, &waiting[*place].unit);
        let mut eligible = (0..before).filter(replaces);
        let first = eligible.next()?;
        let aggressive = self.params.ack_filter == AckFilter::Aggressive;
        (eligible.next().is_some() || (aggressive && first + 1 == before)).then_some(first)
    }

    /// Drops the first packet of the flow with the most bytes; `own` is the one that has just got one.
    #[cold]
    fn overflow(&mut self, now: Instant, own: (usize, usize), book: &mut impl Ledger<U>) {
        let mut fattest = (0, 0, 0);
        for (tin, it) in self.tins.iter().enumerate() {
            for (at, flow) in it.flows.iter().enumerate() {
                if flow.bytes > fattest.2 {
                    fattest = (tin, at, flow.bytes);
                }
            }
        }
        let (tin, at, _) = fattest;
        if let Some(unit) = self.take(tin, at, 0) {
            let flow = &mut self.tins[tin].flows[at];
            flow.cobalt.on_full(now);
            let arrives = own == (tin, at) && flow.waiting.is_empty();
            let why = if arrives {
                Cause::Overflow
            } else {
                Cause::PushedOut
            };
            book.drop(unit, why);
        }
    }

    /// Chooses the tin that is served next, if one has flows.
    //= linux-cake
    fn choose(&mut self, now: Instant) -> Option<usize> {
        if self.params.rate.is_some() {
            let mut best: Option<(usize, u64)> = None;
            for (at, tin) in self.tins.iter().enumerate().filter(|(_, it)| it.listed > 0) {
                let wait = tin.time_next.since(now).0;
                if best.is_none_or(|(_, least)| wait <= least) {
                    best = Some((at, wait));
                }
            }
            return best.map(|(at, _)| at);
        }
        if self.tins.iter().all(|it| it.listed == 0) {
            return None;
        }
        let mut at = self.current;
        while self.tins[at].deficit < 0 || self.tins[at].listed == 0 {
            let tin = &mut self.tins[at];
            if tin.deficit <= 0 {
                tin.deficit += tin.quantum;
            }
            at = (at + 1) % self.tins.len();
        }
        Some(at)
    }

    /// The packet that flow `at` of `tin` sends, if it has one.
    fn send(
        &mut self,
        tin: usize,
        at: usize,
        now: Instant,
        book: &mut impl Ledger<U>,
    ) -> Option<U> {
        loop {
            let it = &mut self.tins[tin];
            let flow = &mut it.flows[at];
            let Some(Waiting { mut unit, stamp }) = flow.waiting.pop_front() else {
                flow.cobalt.on_empty(now);
                return None;
            };
            let bytes = unit.bytes();
            flow.bytes -= u64::from(bytes);
            it.backlog -= 1;
            self.backlog -= 1;
            match flow.cobalt.on_departure(now, &Departure { bytes, stamp }) {
                Verdict::Pass => return Some(unit),
                Verdict::Mark(_) | Verdict::MarkIfAble if book.mark(&mut unit) => {
                    flow.cobalt.on_marked();
                    return Some(unit);
                }
                Verdict::MarkIfAble => return Some(unit),
                Verdict::Mark(why) | Verdict::Drop(why) => book.drop(unit, why),
            }
        }
    }

    /// Charges a packet that is sent to its flow, its tin and the shaper.
    //= linux-cake
    fn charge(&mut self, tin: usize, at: usize, now: Instant, bytes: u32) {
        let length = self.params.framing.on_line(u64::from(bytes));
        let all = time_of(length, self.params.rate);
        let it = &mut self.tins[tin];
        it.flows[at].deficit -= length as i64 * PARTS;
        it.deficit -= length as i64;
        let own = time_of(length, it.rate);
        if it.time_next < now {
            it.time_next += own;
        } else {
            it.time_next = it.time_next.max(now + own);
        }
        self.time_next += all;
        self.failsafe_next += Duration(all.0 + all.0 / 2);
    }
}

impl<U: Unit> Discipline<U> for Cake<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let tin = self.tin_of(&unit);
        let at = self.flow_of(tin, &unit);
        self.wake(now, tin);
        let it = &mut self.tins[tin];
        let flow = &mut it.flows[at];
        let stamp = flow.cobalt.on_joined(now, unit.bytes());
        flow.bytes += u64::from(unit.bytes());
        flow.waiting.push_back(Waiting { unit, stamp });
        it.backlog += 1;
        self.backlog += 1;
        if self.params.ack_filter != AckFilter::Off
            && let Some(place) = self.replaced(tin, at, book)
            && let Some(ack) = self.take(tin, at, place)
        {
            book.drop(ack, Cause::PushedOut);
        }
        let isolation = self.params.isolation;
        self.tins[tin].join(at, isolation);
        if self.backlog > self.params.buffer.count() {
            self.overflow(now, (tin, at), book);
        }
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        while self.backlog > 0 {
            if self.ready_at(now).is_some() {
                return None;
            }
            let tin = self.choose(now)?;
            self.current = tin;
            let isolation = self.params.isolation;
            let Some(at) = self.tins[tin].next(isolation) else {
                continue;
            };
            if let Some(unit) = self.send(tin, at, now, book) {
                self.charge(tin, at, now, unit.bytes());
                return Some(unit);
            }
            self.tins[tin].leave(at);
        }
        None
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.backlog
    }

    fn gauges(&self, tell: &mut Tell) {
        let listed = self.tins.iter().map(|tin| tin.listed).sum::<u64>();
        tell(QUEUES, listed as f64);
        let new = CodelAndBlue::new(self.tins[0].law.clone(), self.stream.clone());
        let flows = self.tins.iter().flat_map(|tin| &tin.flows);
        let all = core::iter::once(&new).chain(flows.map(|flow| &flow.cobalt));
        largest(all, |cobalt, tell| cobalt.gauges(tell), tell);
    }

    /// Those of best effort: other classes have longer intervals at a low rate.
    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.tins[0].law.drop_laws()
    }

    #[inline]
    fn holds_back(&self) -> bool {
        self.params.rate.is_some()
    }

    fn ready_at(&self, now: Instant) -> Option<Instant> {
        let next = self.time_next.min(self.failsafe_next);
        (self.params.rate.is_some() && next > now).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::script::{check, line};
    use std::collections::BTreeMap;
    use std::string::String;

    fn queue(texts: &[(&str, &str)]) -> Cake<Named> {
        Cake::make(&CakeParams::from_texts(texts), line())
    }

    /// Bytes of each flow that are sent until `until`, while each of `flows` always has packets of these bytes waiting.
    fn sent(queue: &mut Cake<Named>, flows: &[(char, u32)], until: Instant) -> BTreeMap<char, u64> {
        let mut book = Fates::default();
        let (mut now, mut number, mut sent) = (Instant::ZERO, 0, BTreeMap::new());
        let mut offer = |queue: &mut Cake<Named>, now, flow: char| {
            let bytes = flows.iter().find(|it| it.0 == flow).map_or(0, |it| it.1);
            number += 1;
            queue.offer(
                now,
                Named::packet(format!("{flow}{number}"), bytes),
                &mut Fates::default(),
            );
        };
        for (flow, _) in flows {
            (0..3).for_each(|_| offer(queue, now, *flow));
        }
        let mut stop = 0;
        while now < until && stop < 20_000 {
            match queue.pull(now, &mut book) {
                Some(unit) => {
                    let flow = unit.name.chars().next().expect("a letter");
                    *sent.entry(flow).or_insert(0) += u64::from(unit.bytes);
                    offer(queue, now, flow);
                    stop += u64::from(queue.params.rate.is_none());
                }
                None => now = queue.ready_at(now).expect("packets wait"),
            }
            for (name, _) in book.0.drain(..) {
                offer(queue, now, name.chars().next().expect("a letter"));
            }
        }
        sent
    }

    #[test]
    //= linux-cake type=test
    fn the_shaper_sends_its_rate_exactly_and_counts_the_framing() {
        let until = Instant(10 * SECOND);
        for (framing, line_bytes) in [("raw", 1000), ("docsis", 1018), ("pppoe-llcsnap", 1166)] {
            let texts = [
                ("rate", "8 Mb/s"),
                ("framing", framing),
                ("tins", "besteffort"),
            ];
            let found = sent(&mut queue(&texts), &[('a', 1000)], until)[&'a'];
            // The first at once, and one each time that its bytes take.
            let want = 10_000_000u64.div_ceil(line_bytes);
            assert_eq!(found / 1000, want, "{framing}");
        }
    }

    #[test]
    //= linux-cake type=test
    fn classes_have_priority_up_to_their_shares() {
        // With diffserv4, d (AF41) has priority up to a half of the rate, b (EF) up to a quarter, c (CS1) up to a sixteenth; a gets the rest.
        let texts = [("rate", "16 Mb/s"), ("tins", "diffserv4")];
        let flows = [('a', 1000), ('b', 1000), ('c', 1000), ('d', 1000)];
        let found = sent(&mut queue(&texts), &flows, Instant(20 * SECOND));
        let share = |flow: char| found[&flow] as f64 / 40_000_000.0;
        for (flow, want) in [('a', 0.1875), ('b', 0.25), ('c', 0.0625), ('d', 0.5)] {
            assert!(
                (share(flow) - want).abs() < 0.15 * want,
                "{flow}: {}",
                share(flow)
            );
        }
        // A class that is alone has all of the rate.
        let found = sent(&mut queue(&texts), &[('c', 1000)], Instant(20 * SECOND));
        assert!(found[&'c'] > 39_990_000);
        // Without a rate, quanta of 1024, 256, 64 and 512.
        let found = sent(
            &mut queue(&[("tins", "diffserv4")]),
            &flows,
            Instant(SECOND),
        );
        let all: u64 = found.values().sum();
        for (flow, want) in [('a', 1024.0), ('b', 256.0), ('c', 64.0), ('d', 512.0)] {
            let share = found[&flow] as f64 / all as f64;
            assert!((share - want / 1856.0).abs() < 0.02, "{flow}: {share}");
        }
    }

    #[test]
    //= linux-cake type=test
    fn hosts_have_equal_shares_and_their_flows_divide_them() {
        for (isolation, want) in [("triple", 0.5), ("dual-source", 0.5), ("flows", 0.25)] {
            let texts = [
                ("rate", "8 Mb/s"),
                ("tins", "besteffort"),
                ("isolation", isolation),
            ];
            let mut queue = queue(&texts);
            let flows = [('a', 1000), ('e', 1000), ('i', 1000), ('b', 1000)];
            // Named units of flows a, e and i come from one host.
            let found = sent(&mut queue, &flows, Instant(20 * SECOND));
            let share = found[&'b'] as f64 / found.values().sum::<u64>() as f64;
            assert!((share - want).abs() < 0.03, "{isolation}: {share}");
        }
    }

    #[test]
    //= linux-cake type=test
    fn flows_that_queue_nothing_come_first() {
        check(
            queue(&[("tins", "besteffort")]),
            "a1 1000 => kept
             a2 1000 => kept
             a3 1000 => kept
             pull => a1
             pull => a2           # a has used up its quantum of 1514 B, and is bulk
             b1 100 => kept
             pull => b1
             b2 100 => kept       # still sparse: it has credits
             pull => b2
             pull => a3
             pull => nothing",
        );
    }

    #[test]
    //= linux-cake type=test
    fn acks_that_a_later_one_replaces_are_dropped() {
        let script = |third: &str, fourth: &str| {
            String::from("a1 40 control => kept\n")
                + "a2 1000 => kept
                 a3 40 control => "
                + third
                + "
                 a4 40 control => "
                + fourth
                + "
                 b1 40 control => kept"
        };
        check(queue(&[]), &script("kept", "kept"));
        check(
            queue(&[("ack_filter", "on")]),
            &script("kept", "kept, pushed-out a1"),
        );
        // a2 stands between a1 and a3; a3 is the one before a4, but a1 goes first.
        check(
            queue(&[("ack_filter", "aggressive")]),
            &script("kept", "kept, pushed-out a1"),
        );
        check(
            queue(&[("ack_filter", "aggressive")]),
            "a1 40 control => kept
             a2 40 control => kept, pushed-out a1
             pull => a2
             pull => nothing",
        );
    }

    #[test]
    //= linux-cake type=test
    fn the_flow_with_the_most_bytes_loses_its_first_packet() {
        check(
            queue(&[("buffer", "3 packets")]),
            "a1 500 => kept
             a2 500 => kept
             b1 900 => kept
             b2 200 => kept, pushed-out b1
             c1 100 => kept, pushed-out a1
             c2 2000 => kept, pushed-out c1
             c3 100 => kept, pushed-out c2",
        );
    }
}
