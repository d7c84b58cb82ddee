//! Connections that come and go: how they begin, and counts of those that have ended.
//!
//! A connection's slot (its machine, its two ways) is reused when none of its packets is under way any more. So memory grows with
//! the number of open connections, not with the number of all connections.

use crate::machine::begins;
use crate::percentiles::{Percentiles, Samples};
use crate::route::Routes;
use crate::spec::{Arrivals, Flow, Network, Routing};
use dupack_core::arrivals::{AnyArrivals, Arrivals as _, Hosts};
use dupack_core::measure::Bytes;
use dupack_core::rng::Stream;
use dupack_core::time::{Duration, Instant};
use dupack_core::unit::HostPair;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Largest sizes of short and of medium connections \[bytes\]; the bounds are those of studies of data centres.
//= alizadeh-2013 §5
pub const SIZES: [u64; 2] = [100_000, 10_000_000];

/// Key of flows that share a [`HostPair`]: whether they have acks, and their two nodes.
pub type Between = (bool, (u32, u32));

/// The process that begins the connections of a flow.
fn process(flow: &Flow, arrivals: &Arrivals, seed: u64) -> AnyArrivals {
    let hosts = Hosts {
        sources: arrivals.sources.len(),
        targets: arrivals.targets.len(),
        same: arrivals.sources == arrivals.targets,
    };
    let stream = Stream::new(seed, &format!("flow.{}.arrivals", flow.name));
    AnyArrivals::new(&arrivals.params, hosts, stream)
}

fn way(
    (from, to): (usize, usize),
    name: &str,
    (routing, seed): (Routing, u64),
    routes: &mut Routes,
) -> Option<Vec<usize>> {
    match routing {
        Routing::First => routes.find(from, to),
        Routing::Ecmp => {
            let mut stream = Stream::new(seed, &format!("flow.{name}.route"));
            routes.draw(from, to, &mut stream)
        }
    }
}

/// A connection before it begins.
#[derive(Debug)]
pub struct Drawn {
    /// Its name, which its random streams bear.
    pub name: String,
    /// When it begins.
    pub at: Instant,
    /// Its hosts.
    pub ends: (usize, usize),
}

impl Drawn {
    /// Its way, if there is one.
    pub fn route(&self, network: &Network, seed: u64, routes: &mut Routes) -> Option<Vec<usize>> {
        way(self.ends, &self.name, (network.routing, seed), routes)
    }
}

/// The connections of a flow in a run with `seed`, if none of them waits for the end of another.
pub fn drawn(network: &Network, seed: u64, flow: &Flow, arrivals: &Arrivals) -> Vec<Drawn> {
    let mut process = process(flow, arrivals, seed);
    let (end, mut found) = (Instant(network.duration.0), Vec::new());
    process.handle_start(begins(flow, seed));
    while let Some(at) = process.poll_timeout().filter(|at| *at <= end) {
        process.handle_timeout(at);
        while let Some(begin) = process.poll_begin() {
            found.push(Drawn {
                name: format!("{}.{}", flow.name, found.len()),
                at,
                ends: (
                    arrivals.sources[begin.source],
                    arrivals.targets[begin.target],
                ),
            });
        }
    }
    found
}

/// Counts of connections that have ended.
#[derive(Clone, Debug)]
struct Meter {
    completion: Samples,
    slowdown: Samples,
}

impl Meter {
    fn new() -> Self {
        Self {
            completion: Samples::times(),
            slowdown: Samples::ratios(),
        }
    }

    fn join(&mut self, other: &Self) {
        self.completion.join(&other.completion);
        self.slowdown.join(&other.slowdown);
    }
}

/// The connections of one flow of the plan.
#[derive(Debug)]
pub struct Class {
    /// The process that begins them.
    pub arrivals: AnyArrivals,
    /// Its time has begun.
    pub started: bool,
    /// Connections begun so far.
    pub number: u64,
    /// Those begun after warm-up.
    begun: u64,
    /// Time that they were open after warm-up.
    pub lived: Duration,
    all: Meter,
    by_size: [Meter; SIZES.len() + 1],
    rounds: Samples,
}

/// State of a connection beside its machine.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The plan's flow to which it belongs.
    pub class: usize,
    /// Its number among these.
    pub number: u64,
    /// The round that it belongs to.
    pub round: u64,
    /// Its completion time on an empty network.
    pub alone: Duration,
    /// Payload \[bytes\].
    pub size: u64,
    /// Whether it has not ended yet.
    pub open: bool,
    /// Links of its two ways, there and back.
    pub hops: usize,
    /// The most that its places among the routes can hold.
    pub room: usize,
}

/// Counts of connections on a port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Units sent, yet part of no complete packet.
    pub dead: i64,
    /// Payload delivered after warm-up \[bytes\].
    pub payload: u64,
    /// The bits on the line for that, in full segments, in [`PARTS`]: a whole number, so that it does not depend on the order of additions.
    pub carried: u128,
}

/// Parts of a bit in which [`Done::carried`] counts.
pub const PARTS: u64 = 1 << 32;

/// All connections that come and go.
#[derive(Debug)]
pub struct Connecting {
    /// Per flow of the plan; `None` for one that is a single connection.
    pub classes: Vec<Option<Box<Class>>>,
    /// Beyond the machines of the plan's flows.
    pub places: Vec<Slot>,
    /// Machines whose connections have ended, but which may still have packets on their way.
    pub ended: Vec<usize>,
    /// Machines of ended connections without any packets on their way.
    pub free: Vec<usize>,
    /// Pairs of hosts, by the flows that share them.
    pub pairs: HashMap<Between, HostPair>,
    /// Per port.
    pub done: Vec<Done>,
    /// The run's.
    pub seed: u64,
    routes: Routes,
    routing: Routing,
}

impl Connecting {
    /// For a network with connections, before the first begins.
    pub fn new(
        network: &Network,
        seed: u64,
        pairs: HashMap<Between, HostPair>,
    ) -> Option<Box<Self>> {
        // A million flows without any have no memory for them.
        if network.flows.iter().all(|flow| flow.arrivals.is_none()) {
            return None;
        }
        let class = |flow: &Flow| {
            let arrivals = flow.arrivals.as_ref()?;
            Some(Box::new(Class {
                arrivals: process(flow, arrivals, seed),
                started: false,
                number: 0,
                begun: 0,
                lived: Duration::ZERO,
                all: Meter::new(),
                by_size: std::array::from_fn(|_| Meter::new()),
                rounds: Samples::times(),
            }))
        };
        Some(Box::new(Self {
            classes: network.flows.iter().map(class).collect(),
            places: Vec::new(),
            ended: Vec::new(),
            free: Vec::new(),
            pairs,
            done: vec![Done::default(); network.links.len()],
            seed,
            routes: Routes::new(&network.map),
            routing: network.routing,
        }))
    }

    /// The way of a connection, if there is one.
    pub fn route(&mut self, from: usize, to: usize, name: &str) -> Option<Vec<usize>> {
        way(
            (from, to),
            name,
            (self.routing, self.seed),
            &mut self.routes,
        )
    }

    /// Pair of hosts of a way.
    pub fn hosts(&mut self, between: Between) -> HostPair {
        let next = HostPair(self.pairs.len() as u32);
        *self.pairs.entry(between).or_insert(next)
    }

    /// Takes what another part of a divided run has counted.
    pub fn join(&mut self, other: &Self) {
        for (mine, its) in self.classes.iter_mut().zip(&other.classes) {
            if let (Some(mine), Some(its)) = (mine, its) {
                mine.join(its);
            }
        }
        for (mine, its) in self.done.iter_mut().zip(&other.done) {
            mine.dead += its.dead;
            mine.payload += its.payload;
            mine.carried += its.carried;
        }
    }

    /// The flow of the plan that a machine belongs to.
    pub fn flow_of(&self, machine: usize) -> usize {
        let beyond = machine.checked_sub(self.classes.len());
        beyond.map_or(machine, |at| self.places[at].class)
    }

    /// The flow of the plan that a machine beyond these belongs to, by its place.
    pub fn class_of(&mut self, place: &Slot) -> &mut Class {
        let class = self.classes[place.class].as_mut();
        class.unwrap_or_else(|| unreachable!("connections are of flows that are many"))
    }
}

impl Class {
    /// One has begun.
    pub fn begins(&mut self, measured: bool) {
        self.number += 1;
        self.begun += u64::from(measured);
    }

    /// One has ended that began after warm-up.
    pub fn ends(&mut self, place: &Slot, took: Duration) {
        let slowdown = took.0 as f64 / place.alone.0.max(1) as f64;
        let bin = SIZES.partition_point(|most| *most < place.size);
        for meter in [&mut self.all, &mut self.by_size[bin]] {
            meter.completion.time(took);
            meter.slowdown.ratio(slowdown);
        }
    }

    /// A round has ended that began after warm-up.
    pub fn ends_round(&mut self, took: Duration) {
        self.rounds.time(took);
    }

    /// Takes what another part of a divided run has counted. Both have begun all connections, but only those of their senders have ended.
    fn join(&mut self, other: &Self) {
        self.lived = self.lived + other.lived;
        self.all.join(&other.all);
        for (mine, its) in self.by_size.iter_mut().zip(&other.by_size) {
            mine.join(its);
        }
        self.rounds.join(&other.rounds);
    }

    /// The report.
    pub fn report(&self) -> Connections {
        let by_size = |(at, meter): (usize, &Meter)| BySize {
            above_bytes: at.checked_sub(1).map_or(0, |below| SIZES[below]),
            up_to_bytes: SIZES.get(at).copied(),
            completed: meter.completion.count(),
            completion_s: meter.completion.percentiles(),
            slowdown: meter.slowdown.percentiles(),
        };
        let completed = self.all.completion.count();
        Connections {
            begun: self.begun,
            completed,
            open: self.begun - completed,
            completion_s: self.all.completion.percentiles(),
            slowdown: self.all.slowdown.percentiles(),
            by_size: self.by_size.iter().enumerate().map(by_size).collect(),
            rounds: self.rounds.count(),
            round_s: self.rounds.percentiles(),
        }
    }
}

/// Connections of a flow with `arrivals`, measured: those that began after warm-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Connections {
    /// Connections that began.
    pub begun: u64,
    /// Those of them that ended.
    pub completed: u64,
    /// Those that did not end: they are missing from the times below, and are mostly the long ones.
    pub open: u64,
    /// Completion time, from the start of a connection to the ack of its last segment \[s\]; null without any.
    pub completion_s: Option<Percentiles>,
    /// Completion time over that of the connection alone, with all its data sent at once at the rate of the slowest line of its path.
    pub slowdown: Option<Percentiles>,
    /// The same for short, medium and long connections.
    pub by_size: Vec<BySize>,
    /// Rounds of connections that ended.
    pub rounds: u64,
    /// Time of a round, from its beginning to the end of its last connection \[s\]; null without any.
    pub round_s: Option<Percentiles>,
}

/// Connections within a range of sizes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BySize {
    /// Larger than this \[bytes\].
    pub above_bytes: u64,
    /// Not larger than this \[bytes\]; null for no bound.
    pub up_to_bytes: Option<u64>,
    /// Connections that ended.
    pub completed: u64,
    /// Their completion time \[s\]; null without any.
    pub completion_s: Option<Percentiles>,
    /// Their slowdown; null without any.
    pub slowdown: Option<Percentiles>,
}

/// Completion time of a connection that is alone and may send all data at once: its packets of `full` bytes, the last of `last`,
/// follow each other over the lines of its path, and an ack of `header` bytes returns.
pub fn alone(
    network: &Network,
    (there, back): (&[usize], &[usize]),
    packets: u64,
    [full, last, header]: [Bytes; 3],
) -> Duration {
    let time = |bytes: u64, link: usize| {
        let bits = u128::from(network.links[link].bits(bytes));
        bits * u128::from(Duration::secs(1).0) / u128::from(network.links[link].rate.0)
    };
    let delays = |way: &[usize]| {
        way.iter()
            .map(|at| u128::from(network.links[*at].delay.0))
            .sum::<u128>()
    };
    // All packets wait on one line, the slowest. The first packet reaches it over the lines before, and the last goes on over those after.
    let first: Vec<u128> = there.iter().map(|at| time(full.0, *at)).collect();
    let data = if packets == 1 {
        there.iter().map(|at| time(last.0, *at)).sum()
    } else {
        let over = |b: usize| {
            let between = u128::from(packets - 2) * first[b];
            let after: u128 = there[b..].iter().map(|at| time(last.0, *at)).sum();
            first[..=b].iter().sum::<u128>() + between + after
        };
        (0..there.len()).map(over).max().unwrap_or(0)
    };
    let ack: u128 = back.iter().map(|at| time(header.0, *at)).sum();
    let whole = data + ack + delays(there) + delays(back);
    Duration(u64::try_from(whole).unwrap_or(u64::MAX))
}

/// Time from the later of two instants to a third.
pub fn since_later(end: Instant, one: Instant, other: Instant) -> Duration {
    end.since(one.max(other))
}
