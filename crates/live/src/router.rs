//! The loop between the hosts' devices and the links.

use crate::gate::{Gate, Refused};
use crate::packet::{self, Packet};
pub use crate::seen::{Captured, Datagrams, Seen};
use crate::slab::{Kept, Slab};
use crate::space::Host;
use crate::sys::{self, Awaited, Ready};
use crate::watch::{self, Watch};
use dupack_core::time::{Duration, Instant};
use dupack_sim::probe::{Deed, Event, Row};
use dupack_sim::relay::{Fate, MOST_WAYS, Parcel, Relay, Told};
use dupack_sim::report::{Account, Series};
use dupack_sim::route::Routes;
use dupack_sim::spec::Network;
use hdrhistogram::Histogram;
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Packets that are read from a device before the links are looked at again.
const AT_ONCE: usize = 16;
/// Below this, waiting is not worth a call.
const SPIN: std::time::Duration = std::time::Duration::from_micros(30);
/// Longest sleep, after which it looks whether it is halted.
const NAP: std::time::Duration = std::time::Duration::from_millis(20);
/// Packets under way, with what is noted of each \[bytes\].
const ROOM: usize = 512 << 20;
/// Captured packets, with what is noted of each \[bytes\].
const CAPTURED: usize = 1 << 30;
/// Rows of the tape, which are written as text at the end \[bytes\].
const RECORDED: usize = 512 << 20;
/// Ways that are kept for packets between two hosts of which none was seen before.
const RESERVE: usize = 1024;

/// The clock of a run: time 0 is its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Clock(std::time::Instant);

impl Clock {
    /// Begins now.
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// The time now.
    pub fn now(self) -> Instant {
        Instant(self.0.elapsed().as_nanos() as u64 * 1000)
    }
}

/// A span of dupack's as one of the standard library's.
pub fn std_duration(span: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(span.0 / 1000)
}

/// A flow's numbers that router and sockets tell each other.
#[derive(Debug)]
pub struct Gauge {
    /// cwnd and ssthresh \[segments, as bits of f64\].
    pub cwnd: AtomicU64,
    /// See `cwnd`.
    pub ssthresh: AtomicU64,
    /// Bytes handed over by the application, if it waits for them to be acknowledged; else all bits.
    pub awaited: AtomicU64,
    /// Bytes acknowledged.
    pub acknowledged: AtomicU64,
    /// When they became as many as were awaited \[ps\].
    pub done: AtomicU64,
}

impl Default for Gauge {
    fn default() -> Self {
        Self {
            cwnd: AtomicU64::new(0f64.to_bits()),
            ssthresh: AtomicU64::new(f64::INFINITY.to_bits()),
            awaited: AtomicU64::new(u64::MAX),
            acknowledged: AtomicU64::new(0),
            done: AtomicU64::new(u64::MAX),
        }
    }
}

/// The ends of a flow, for the router.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Hosts of sender and receiver.
    pub hosts: (usize, usize),
    /// Their ports.
    pub ports: (u16, u16),
    /// The number of its transport protocol.
    pub protocol: u8,
    /// Payload of a full segment \[bytes\].
    pub mss: u64,
}

/// What a router is to do besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Keep a tape.
    pub tape: bool,
    /// Keep packets of these many bytes at most, at all hosts.
    pub snaplen: Option<usize>,
}

/// When samples of time series are due.
struct Samples {
    every: Duration,
    next: Instant,
}

impl Samples {
    fn of(every: Option<Duration>) -> Self {
        Self {
            every: every.unwrap_or(Duration::ZERO),
            next: every.map_or(Instant::NEVER, |_| Instant::ZERO),
        }
    }

    fn step(&mut self) {
        self.next += self.every;
    }
}

/// A connection, as packets name it.
type Key = (usize, usize, u8, u16, u16);

/// The router.
pub struct Router<'n> {
    network: &'n Network,
    relay: Relay,
    clock: Clock,
    routes: Routes,
    hosts: Vec<&'n Host>,
    gate: Gate,
    /// Nodes of the network that are the hosts.
    nodes: Vec<usize>,
    slab: Slab,
    ways: HashMap<Key, u32>,
    count: usize,
    /// Ways between two hosts.
    between: HashMap<(usize, usize), Vec<u32>>,
    pairs: HashMap<(usize, usize, bool), u32>,
    gauges: Arc<Vec<Gauge>>,
    told: Vec<Told>,
    wishes: Wishes,
    /// What is measured.
    pub seen: Seen,
}

/// Of times \[ns\], with three digits, up to an hour.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("the bounds are right")
}

impl<'n> Router<'n> {
    /// A router between `hosts`, which are these nodes of the network, of these MTUs.
    pub fn new(
        network: &'n Network,
        seed: u64,
        (hosts, nodes, mtus): (Vec<&'n Host>, Vec<usize>, Vec<u16>),
        flows: &[Ends],
        (gauges, wishes): (Arc<Vec<Gauge>>, Wishes),
    ) -> Self {
        let end = Instant(network.duration.0);
        let told = hosts.iter().zip(mtus);
        let gate = Gate::new(told.map(|(it, mtu)| (it.ipv4, it.ipv6, mtu)));
        let mut router = Self {
            relay: Relay::new(network, seed, end),
            clock: Clock::start(),
            routes: Routes::new(&network.map),
            hosts,
            gate,
            nodes,
            slab: Slab::new(ROOM),
            ways: HashMap::new(),
            count: 0,
            between: HashMap::new(),
            pairs: HashMap::new(),
            gauges,
            told: Vec::new(),
            wishes,
            seen: Seen {
                watches: (flows.iter())
                    .map(|it| Watch::new(it.mss, network.percentiles))
                    .collect(),
                warm: vec![watch::Counts::default(); flows.len()],
                datagrams: vec![[Datagrams::default(); 2]; flows.len()],
                lateness: histogram(),
                ack_delays: histogram(),
                missed: 0,
                read: 0,
                written: 0,
                rejected: 0,
                refused: Refused::default(),
                round_trips: vec![Vec::new(); flows.len()],
                rows: Vec::new(),
                untold: 0,
                unmeasured: 0,
                series: network.sample.map(|_| Series::new(network)),
                captured: Vec::new(),
                captured_bytes: 0,
                uncaptured: 0,
                cpu: std::time::Duration::ZERO,
                precise: false,
                end,
            },
            network,
        };
        for (ends, flow) in flows.iter().zip(&network.flows) {
            let ((from, to), (out, back)) = (ends.hosts, ends.ports);
            for (key, route) in [
                ((from, to, ends.protocol, out, back), &flow.forward),
                ((to, from, ends.protocol, back, out), &flow.back),
            ] {
                router.add_way(key, route);
            }
        }
        router
    }

    fn add_way(&mut self, key: Key, route: &[usize]) -> u32 {
        let next = self.pairs.len() as u32;
        let hosts = (key.0, key.1, key.2 == TCP);
        let pair = *self.pairs.entry(hosts).or_insert(next);
        let way = self
            .relay
            .add_way(route, pair, (key.0 as u32, key.1 as u32));
        self.count += 1;
        self.ways.insert(key, way);
        self.between.entry((key.0, key.1)).or_default().push(way);
        way
    }

    /// The way of a connection; `None` if its hosts are not connected. Beyond a number of connections, several share one.
    fn way(&mut self, key: Key) -> Option<u32> {
        if let Some(way) = self.ways.get(&key) {
            return Some(*way);
        }
        let (from, to) = (key.0, key.1);
        let known = self.between.get(&(from, to)).map_or(&[][..], |it| it);
        let room = self.count + if known.is_empty() { 0 } else { RESERVE } < MOST_WAYS;
        if !room {
            let hash =
                (usize::from(key.3) ^ usize::from(key.4).rotate_left(5)) % known.len().max(1);
            return known.get(hash).copied();
        }
        let route = self.routes.find(self.nodes[from], self.nodes[to])?;
        Some(self.add_way(key, &route))
    }

    /// Works until the end of the run, or until it is halted.
    pub fn run(&mut self, clock: Clock, late: Duration, stop: &impl Fn() -> bool) {
        self.clock = clock;
        let end = Instant(self.network.duration.0);
        let warm_up = Instant(self.network.warm_up.0);
        let mut warm = false;
        let mut samples = Samples::of(self.network.sample);
        let mut buffer = vec![0u8; 65_536];
        let began = sys::thread_time();
        let hosts = self.hosts.clone();
        let mut devices = Awaited::new(hosts.iter().map(|it| it.tun.as_fd()), Ready::Read);
        loop {
            let now = self.clock.now().min(end);
            if !warm && now >= warm_up {
                self.advance(warm_up, late);
                self.relay.warm_up_ends(warm_up);
                self.warm_up_ends();
                warm = true;
            }
            while samples.next <= now {
                self.sample(samples.next, late);
                samples.step();
            }
            self.advance(now, late);
            if now >= end || stop() {
                self.seen.end = now;
                break;
            }
            let next = self.relay.due().min(end).min(samples.next);
            let next = if warm { next } else { next.min(warm_up) };
            let rest = std_duration(next.since(self.clock.now()));
            let most = if rest > SPIN {
                rest - SPIN / 2
            } else {
                std::time::Duration::ZERO
            };
            // Where they cannot be waited for, they are looked at again at once.
            let Ok(ready) = devices.wait(most.min(NAP)) else {
                continue;
            };
            for host in ready {
                self.take(host, hosts[host], &mut buffer, (end, late));
            }
        }
        self.seen.cpu = sys::thread_time().saturating_sub(began);
    }

    /// Reads some packets of a host.
    fn take(
        &mut self,
        host: usize,
        it: &Host,
        buffer: &mut [u8],
        (end, late): (Instant, Duration),
    ) {
        for _ in 0..AT_ONCE {
            let length = match (&it.tun).read(buffer) {
                Ok(0) => return,
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let now = self.clock.now().min(end);
            self.advance(now, late);
            self.seen.read += 1;
            self.capture(now, host, true, &buffer[..length]);
            self.enter(now, host, &buffer[..length]);
        }
    }

    /// A host sends a packet.
    fn enter(&mut self, now: Instant, host: usize, bytes: &[u8]) {
        let Some((packet, to)) = self.gate.judge(host, bytes, &mut self.seen.refused) else {
            return;
        };
        let (out, back) = packet.ports;
        let Some(way) = self.way((host, to, packet.protocol, out, back)) else {
            self.seen.refused.unroutable += 1;
            return;
        };
        let kept = Kept {
            bytes: bytes.to_vec(),
            at: now,
            packet,
            way,
            to,
            on_links: self.relay.weight(packet.bytes),
        };
        let Some(token) = self.slab.put(kept) else {
            self.seen.refused.no_memory += 1;
            return;
        };
        self.notice_sent(now, way, &packet);
        self.relay.send(
            now,
            Parcel {
                way,
                token,
                bytes: packet.bytes,
                ecn: packet.ecn,
                dscp: packet.dscp,
                control: packet.is_bare_ack(),
            },
        );
    }

    /// A packet of a plan's flow has left its host.
    fn notice_sent(&mut self, now: Instant, way: u32, packet: &Packet) {
        let flow = way as usize / 2;
        if flow >= self.seen.watches.len() {
            return;
        }
        if way % 2 == 1 {
            let watch = &mut self.seen.watches[flow];
            if let Some(took) = packet.tcp.and_then(|tcp| watch.answers(now, &tcp)) {
                self.seen.ack_delays.saturating_record(took.0 / 1000);
            }
            return;
        }
        let Some(tcp) = &packet.tcp else {
            let [counts, _] = &mut self.seen.datagrams[flow];
            counts.sent += 1;
            counts.bits += u64::from(packet.bytes) * 8;
            return;
        };
        if let Some((event, segment)) = self.seen.watches[flow].sends(now, tcp, packet.bytes) {
            self.row(now, flow, (event, segment), u64::from(tcp.payload));
        }
    }

    /// Moves the links on to `now`, and does what became due.
    fn advance(&mut self, now: Instant, late: Duration) {
        let mut told = std::mem::take(&mut self.told);
        self.relay.advance(now, &mut told);
        for it in told.drain(..) {
            match it.fate {
                Fate::Arrived { ecn, trimmed } => {
                    let Some(mut kept) = self.slab.take(it.token) else {
                        continue;
                    };
                    if ecn != kept.packet.ecn {
                        packet::mark(&mut kept.bytes);
                    }
                    if let Some(keep) = trimmed {
                        packet::cut(&mut kept.bytes, usize::from(keep));
                    }
                    self.leave(it.at, &kept, (trimmed.is_some(), late));
                }
                Fate::Befell { deed, .. } => {
                    let event = match deed {
                        Deed::Dropped(_) | Deed::Trimmed => Event::Drop,
                        Deed::Marked => Event::Mark,
                    };
                    self.lose(it.at, it.token, event);
                    if matches!(deed, Deed::Dropped(_)) {
                        self.slab.take(it.token);
                    }
                }
                Fate::Copied => self.slab.copy(it.token),
                Fate::Dead => {
                    self.lose(it.at, it.token, Event::Drop);
                    self.slab.take(it.token);
                }
            }
        }
        self.told = told;
    }

    /// Notes on the tape what befell a packet of a plan's flow.
    fn lose(&mut self, at: Instant, token: u64, event: Event) {
        let Some(kept) = self.slab.get(token) else {
            return;
        };
        let flow = kept.way as usize / 2;
        let watch = self.seen.watches.get(flow).filter(|_| kept.way % 2 == 0);
        let segment = watch.and_then(|it| it.segment(kept.packet.tcp.as_ref()?));
        if let Some(segment) = segment {
            self.row(at, flow, (event, segment), 0);
        }
    }

    /// A packet reaches its host, ideally `at`.
    fn leave(&mut self, at: Instant, kept: &Kept, (trimmed, late): (bool, Duration)) {
        self.capture(at, kept.to, false, &kept.bytes);
        let now = self.clock.now();
        let lateness = now.since(at);
        self.seen.lateness.saturating_record(lateness.0 / 1000);
        self.seen.missed += u64::from(lateness > late);
        match (&self.hosts[kept.to].tun).write(&kept.bytes) {
            Ok(_) => self.seen.written += 1,
            Err(_) => self.seen.rejected += 1,
        }
        let flow = kept.way as usize / 2;
        if flow >= self.seen.watches.len() || trimmed {
            return;
        }
        if let Some(tcp) = &kept.packet.tcp
            && kept.way.is_multiple_of(2)
        {
            self.seen.watches[flow].given(now, tcp);
        }
        let Some(tcp) = kept.packet.tcp else {
            let [counts, _] = &mut self.seen.datagrams[flow];
            counts.arrived += 1;
            let headers = if kept.packet.to.is_ipv6() { 48 } else { 28 };
            counts.payload += u64::from(kept.packet.bytes).saturating_sub(headers);
            counts.delay += u128::from(at.since(kept.at).0);
            return;
        };
        let watch = &mut self.seen.watches[flow];
        if kept.way.is_multiple_of(2) {
            if let Some(segments) = watch.arrives(at, &tcp)
                && self.wishes.tape
            {
                segments.for_each(|it| self.row(at, flow, (Event::Deliver, it), 0));
            }
            return;
        }
        let noted = watch.hears(at, &tcp);
        let acknowledged = watch.acknowledged();
        let gauge = &self.gauges[flow];
        let before = gauge.acknowledged.swap(acknowledged, Ordering::Relaxed);
        let awaited = gauge.awaited.load(Ordering::Acquire);
        if before < awaited && acknowledged >= awaited {
            gauge.done.store(at.0, Ordering::Release);
        }
        if let Some(noted) = noted {
            self.row(at, flow, noted, 0);
        }
    }

    /// Takes a sample of the time series.
    fn sample(&mut self, at: Instant, late: Duration) {
        self.advance(at, late);
        let seen = &mut self.seen;
        let Some(series) = &mut seen.series else {
            return;
        };
        let flows = seen.watches.iter().zip(&seen.datagrams).zip(&*self.gauges);
        let flows = flows.map(|((watch, [counts, _]), gauge)| {
            let (tcp, n) = watch.counts.delay;
            Account {
                window: f64::from_bits(gauge.cwnd.load(Ordering::Relaxed)),
                delivered_bytes: watch.delivered() + counts.payload,
                delay: tcp + counts.delay,
                delivered: n + counts.arrived,
            }
        });
        self.relay.sample(at, series, flows);
    }

    fn row(&mut self, at: Instant, flow: usize, (event, segment): watch::Noted, bytes: u64) {
        if !self.wishes.tape {
            return;
        }
        if self.seen.rows.len() >= RECORDED / size_of::<Row>() {
            self.seen.untold += 1;
            return;
        }
        let gauge = &self.gauges[flow];
        let number = |it: &AtomicU64| f64::from_bits(it.load(Ordering::Relaxed));
        self.seen.rows.push(Row {
            at,
            flow,
            connection: None,
            event,
            segment,
            cwnd: number(&gauge.cwnd),
            ssthresh: number(&gauge.ssthresh),
            id: 0,
            bytes,
            ece: false,
            ranges: 0,
        });
    }

    fn capture(&mut self, at: Instant, host: usize, out: bool, bytes: &[u8]) {
        if let Some(most) = self.wishes.snaplen {
            // Its place in the list counts, too: a flood of short packets must not take all memory.
            self.seen.captured_bytes += bytes.len().min(most) + size_of::<Captured>();
            if self.seen.captured_bytes > CAPTURED {
                self.seen.uncaptured += 1;
                return;
            }
            self.seen.captured.push(Captured {
                at,
                host,
                out,
                bytes: bytes[..bytes.len().min(most)].to_vec(),
                length: bytes.len() as u32,
            });
        }
    }

    fn warm_up_ends(&mut self) {
        let seen = &mut self.seen;
        for (warm, watch) in seen.warm.iter_mut().zip(&mut seen.watches) {
            *warm = watch.counts;
            watch.round_trips.clear();
            watch.unmeasured = 0;
        }
        for [counts, warm] in &mut seen.datagrams {
            *warm = *counts;
        }
    }

    /// The links, and what was measured.
    pub fn finish(self) -> (Relay, Seen) {
        let mut seen = self.seen;
        for (times, watch) in seen.round_trips.iter_mut().zip(&mut seen.watches) {
            *times = std::mem::take(&mut watch.round_trips);
            seen.unmeasured += watch.unmeasured;
        }
        (self.relay, seen)
    }
}

/// The number of TCP.
pub const TCP: u8 = 6;
/// The number of UDP.
pub const UDP: u8 = 17;
