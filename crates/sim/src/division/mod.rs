//! Division of one run among threads: which part of the network each of them simulates.
//!
//! A part is a set of nodes, with the lines that leave them. What crosses from one part to another takes at least the delay of the line, so
//! all parts can simulate that much time without hearing of each other: a window. So the best division has parts with equal work, few packets that
//! cross, and long lines between the parts.

mod cut;

use crate::connections::drawn;
use crate::route::Routes;
use crate::spec::{Arrivals, Flow, Link, Network};
use cut::{Graph, divided};
use dupack_core::arrivals::Expect;
use dupack_core::queue::{About, Grain, QueueParams};
use dupack_core::rng::Stream;
use dupack_core::roster::{Entry, Roster};
use dupack_core::time::Duration;
use dupack_core::traffic::{AnyTraffic, Offer, Traffic};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Work of a packet at a line, in nanoseconds as all of these: they are rough, and decide only whether and where a network is divided.
const LINE: f64 = 40.0;
/// Work of a segment at its sender, the ack included.
const SENDER: f64 = 70.0;
/// Work of a segment at its receiver.
const RECEIVER: f64 = 30.0;
/// Work of a packet that crosses, on each side.
const CROSSING: f64 = 25.0;
/// Work of a window: threads wait for each other.
const WINDOW: f64 = 1500.0;

/// Work before the run for each flow and each link. Every part does it.
const SETUP: f64 = 2400.0;
/// The same in a divided run: the division itself takes time, and all threads allocate memory at the same time.
const SETUP_IN_PARTS: f64 = 1.3 * SETUP;
/// Threads start and end.
const THREADS: f64 = 3e5;

/// With this many flows, each step takes about twice as long as with few.
const MANY: f64 = 1500.0;
/// How many times longer it takes at most.
const MOST_MISSES: f64 = 15.0;

/// A division that promises less than this is not worth its memory and a second core.
const LEAST_GAIN: f64 = 1.4;

/// Connections that come and go are drawn before the run to know their work, if they are not more than this.
const KNOWN: f64 = 20_000.0;

/// Pairs of hosts that stand for all pairs of connections that come and go.
const PAIRS: u64 = 512;

/// Delays of lines that are tried as windows.
const WINDOWS: usize = 6;

/// The most parts.
pub const MOST_PARTS: usize = 256;

/// A division.
#[derive(Clone, Debug)]
pub struct Division {
    /// Number of parts.
    pub parts: usize,
    /// Per direction of a link, the parts of the nodes that send and receive on it.
    pub links: Vec<(u16, u16)>,
    /// Per node, its part.
    pub nodes: Vec<u16>,
    /// The least delay of a line from one part to another.
    pub window: Duration,
    /// Estimate of how many times faster the run is than on one thread, if each part has a core of its own.
    pub gain: f64,
}

/// Why a run is not divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Undivided {
    /// Cells: networks of cells are small.
    Cells,
    /// A discipline or controller written in Python, of which only one runs at a time.
    External,
    /// Something that only a run on one thread records or does, named by its key in the plan.
    Key(&'static str),
    /// A discipline that tells flows apart, with connections that come and go: which number a connection gets is not the same in a divided run.
    PerFlow(String),
    /// Every division would cut a line without delay, or something else that must stay together.
    Whole,
    /// It would not be faster enough: the estimate.
    Slow(f64),
}

impl fmt::Display for Undivided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells => f.write_str("it has cells"),
            Self::External => f.write_str("a part of it is in Python"),
            Self::Key(key) => write!(f, "it has {key}"),
            Self::PerFlow(link) => write!(
                f,
                "link {link} tells flows apart, and connections come and go"
            ),
            Self::Whole => f.write_str("no line with a delay divides it"),
            Self::Slow(gain) => write!(
                f,
                "several threads would make it {gain:.2} times as fast, and less than {LEAST_GAIN} is not worth it"
            ),
        }
    }
}

impl Division {
    /// Divides the run of `network` with `seed`, by which its routes are drawn, into at most this many parts.
    ///
    /// # Errors
    /// If it cannot be divided, or if that would not make it 1.4 times as fast.
    pub fn new(network: &Network, seed: u64, parts: usize) -> Result<Self, Undivided> {
        may(network)?;
        let work = Work::of(network, seed);
        let (mut best, mut parts): (Option<Self>, _) = (None, parts.min(MOST_PARTS));
        // Smaller parts may need more windows, or more of what is sent crosses.
        while parts >= 2 {
            if let Some(other) = work.best(network, parts)
                && best.as_ref().is_none_or(|best| other.gain > best.gain)
            {
                best = Some(other);
            }
            parts /= 2;
        }
        match best {
            Some(best) if best.gain >= LEAST_GAIN => Ok(best),
            Some(best) => Err(Undivided::Slow(best.gain)),
            None => Err(Undivided::Whole),
        }
    }

    /// The same, also where it would not be faster.
    ///
    /// # Errors
    /// If it cannot be divided.
    pub fn any(network: &Network, seed: u64, parts: usize) -> Result<Self, Undivided> {
        may(network)?;
        let best = Work::of(network, seed).best(network, parts.min(MOST_PARTS));
        best.ok_or(Undivided::Whole)
    }

    /// Parts of the ends of a flow.
    pub fn of(&self, (from, to): (usize, usize)) -> (u16, u16) {
        (self.nodes[from], self.nodes[to])
    }
}

/// The least delay of a duplex link.
fn delay(network: &Network, m: usize) -> Duration {
    let there = network.links[2 * m].least_delay();
    there.min(network.links[2 * m + 1].least_delay())
}

/// Fails if `network` cannot be divided.
fn may(network: &Network) -> Result<(), Undivided> {
    if network.grain != Grain::Packets || network.is_mixed() {
        return Err(Undivided::Cells);
    }
    let queue = |link: &crate::spec::Link| matches!(link.queue, Some(QueueParams::External(_)));
    let external = |flow: &Flow| flow.transport.external().is_some();
    if network.links.iter().any(queue) || network.flows.iter().any(external) {
        return Err(Undivided::External);
    }
    let arrivals: Vec<&Arrivals> = network
        .flows
        .iter()
        .filter_map(|flow| flow.arrivals.as_ref())
        .collect();
    if arrivals.is_empty() {
        return Ok(());
    }
    // Each part begins all connections itself, so when they begin must not depend on what happens in the network.
    if !arrivals
        .iter()
        .all(|it| it.params.every().is_some() && it.params.at_once(1).is_none())
    {
        return Err(Undivided::Key("arrivals in rounds"));
    }
    if network.sample.is_some() {
        return Err(Undivided::Key("arrivals and sample"));
    }
    if network.batches.is_some() {
        return Err(Undivided::Key("arrivals and batches"));
    }
    if !tied(network).is_empty() {
        return Err(Undivided::Key(
            "arrivals, and applications whose two ends share more than packets",
        ));
    }
    let aware = |link: &&Link| link.queue.as_ref().is_some_and(|it| !is_blind(it));
    match network.links.iter().find(aware) {
        Some(link) => Err(Undivided::PerFlow(link.name.clone())),
        None => Ok(()),
    }
}

/// Whether a discipline treats all flows alike.
fn is_blind(queue: &QueueParams) -> bool {
    let named = |it: &&Entry<About>| it.name == queue.name();
    QueueParams::ENTRIES
        .iter()
        .find(named)
        .is_some_and(|it| it.about.blind_to_flows)
}

/// The hosts of a flow whose two ends share more than packets: its application cuts the segments itself, or listens at the receiver.
fn tied(network: &Network) -> Vec<(usize, usize)> {
    let mut known: HashMap<*const crate::spec::Program, bool> = HashMap::new();
    let ties = |flow: &&Flow| {
        *known.entry(Arc::as_ptr(&flow.program)).or_insert_with(|| {
            let common = &flow.transport.common;
            let stream = Stream::new(0, "division");
            let it = AnyTraffic::new(&flow.traffic, common.mss, common.header, stream);
            it.cuts() || it.listens()
        })
    };
    network
        .flows
        .iter()
        .filter(ties)
        .map(|flow| flow.ends)
        .collect()
}

/// The work that a network makes, per second.
struct Work {
    /// Per node \[ns\].
    nodes: Vec<f64>,
    /// Packets per duplex link.
    links: Vec<f64>,
    tied: Vec<(usize, usize)>,
}

impl Work {
    fn of(network: &Network, seed: u64) -> Self {
        let mut work = Self {
            nodes: vec![0.0; network.map.hosts.len()],
            links: vec![0.0; network.map.links.len()],
            tied: tied(network),
        };
        let mut passes = vec![0u64; network.links.len()];
        for flow in &network.flows {
            flow.forward.iter().for_each(|at| passes[*at] += 1);
        }
        let mut routes = Routes::new(&network.map);
        for flow in &network.flows {
            match &flow.arrivals {
                Some(_) => work.adds_many(network, seed, flow, &mut routes),
                None => {
                    let rate = segments(network, flow, &passes);
                    work.adds(network, flow.ends, (&flow.forward, &flow.back), rate);
                }
            }
        }
        work
    }

    /// Connections that come and go: those that will, or some pairs of hosts if these are too many.
    fn adds_many(&mut self, network: &Network, seed: u64, flow: &Flow, routes: &mut Routes) {
        let Some(arrivals) = &flow.arrivals else {
            return;
        };
        let common = &flow.transport.common;
        let seconds = network.duration.seconds();
        let expected = arrivals.params.expected(seconds, arrivals.sources.len());
        if expected.is_none_or(|many| many > KNOWN) {
            let segments = flow.traffic.mean_size(common.mss).unwrap_or(0.0) / common.mss.0 as f64;
            let every = (arrivals.params.every()).map_or(f64::INFINITY, Duration::seconds);
            let rate = segments / every / PAIRS as f64;
            let mut stream = Stream::new(0, "division");
            for _ in 0..PAIRS {
                let [from, to] = [&arrivals.sources, &arrivals.targets]
                    .map(|of| of[stream.between(0, of.len() as u64 - 1) as usize]);
                let there = routes.draw(from, to, &mut stream);
                if let Some(there) = there.filter(|_| from != to) {
                    self.adds(
                        network,
                        (from, to),
                        (&there, &Routes::reverse(&there)),
                        rate,
                    );
                }
            }
            return;
        }
        for connection in drawn(network, seed, flow, arrivals) {
            let there = connection.route(network, seed, routes);
            let stream = Stream::new(seed, &format!("flow.{}.traffic", connection.name));
            let traffic = AnyTraffic::new(&flow.traffic, common.mss, common.header, stream);
            let (Some(there), Some(file)) = (there, traffic.extent()) else {
                continue;
            };
            // No more than a line carries until the end.
            let left = (seconds - connection.at.seconds()).max(0.0);
            let line =
                network.links[there[0]].rate.bps() / (8 * (common.mss.0 + common.header.0)) as f64;
            let segments = (file.segments as f64).min(left * line);
            self.adds(
                network,
                connection.ends,
                (&there, &Routes::reverse(&there)),
                segments / seconds,
            );
        }
    }

    /// A flow of this many segments per second.
    fn adds(
        &mut self,
        network: &Network,
        (from, to): (usize, usize),
        (there, back): (&[usize], &[usize]),
        rate: f64,
    ) {
        self.nodes[from] += SENDER * rate;
        self.nodes[to] += RECEIVER * rate;
        for at in there.iter().chain(back) {
            let (one, other) = network.map.links[at / 2];
            let sends = if at % 2 == 0 { one } else { other };
            self.nodes[sends] += LINE * rate;
            self.links[at / 2] += rate;
        }
    }

    /// The best division into at most this many parts, if there is any.
    fn best(&self, network: &Network, parts: usize) -> Option<Division> {
        let mut windows: Vec<Duration> = (0..network.map.links.len())
            .map(|m| delay(network, m))
            .collect();
        windows.sort_unstable_by(|a, b| b.cmp(a));
        windows.dedup();
        windows.retain(|it| *it > Duration::ZERO);
        // All are tried if they are few, else some at equal distances, the shortest among them.
        let step = windows.len().div_ceil(WINDOWS).max(1);
        let tried = windows.iter().rev().step_by(step).rev();
        let found = tried.filter_map(|window| self.divided(network, *window, parts));
        found.max_by(|a, b| a.gain.total_cmp(&b.gain))
    }

    /// The division whose windows are at least this long.
    fn divided(&self, network: &Network, window: Duration, parts: usize) -> Option<Division> {
        let together = (0..network.map.links.len()).filter(|m| delay(network, *m) < window);
        let together = together
            .map(|m| network.map.links[m])
            .chain(self.tied.iter().copied());
        let groups = cut::groups(self.nodes.len(), together);
        let mut graph = Graph::new(&groups, &self.nodes);
        for (m, (from, to)) in network.map.links.iter().enumerate() {
            // A line without traffic costs little, but something.
            graph.joins(groups[*from], groups[*to], self.links[m].max(1.0) as u64);
        }
        let of_group = divided(&graph, parts);
        let nodes: Vec<u16> = groups.iter().map(|group| of_group[*group]).collect();
        let mut division = Division {
            parts: of_group
                .iter()
                .max()
                .map_or(1, |most| usize::from(*most) + 1),
            links: Vec::with_capacity(network.links.len()),
            nodes,
            window: Duration(u64::MAX),
            gain: 1.0,
        };
        let mut works = vec![0.0; division.parts];
        for (node, work) in self.nodes.iter().enumerate() {
            works[usize::from(division.nodes[node])] += work;
        }
        let all: f64 = works.iter().sum();
        for (m, ends) in network.map.links.iter().enumerate() {
            let (one, other) = division.of(*ends);
            division.links.extend([(one, other), (other, one)]);
            if one != other {
                division.window = division.window.min(delay(network, m));
                works[usize::from(one)] += CROSSING * self.links[m];
                works[usize::from(other)] += CROSSING * self.links[m];
            }
        }
        if division.parts < 2 {
            return None;
        }
        // With many flows, what each of them needs is no longer in the cache.
        let misses = 1.0 + (network.flows.len() as f64 / MANY).min(MOST_MISSES);
        let busiest = works.iter().copied().fold(0.0, f64::max);
        let waits = WINDOW / division.window.seconds();
        let (seconds, things) = (
            network.duration.seconds(),
            (network.map.links.len() + network.flows.len()) as f64,
        );
        let one = SETUP * things + misses * all * seconds;
        let many = SETUP_IN_PARTS * things + THREADS + (misses * busiest + waits) * seconds;
        division.gain = one / many;
        Some(division)
    }
}

/// Segments per second of a flow: an equal share of the narrowest line, or what its window allows, or its share of that.
fn segments(network: &Network, flow: &Flow, passes: &[u64]) -> f64 {
    let common = &flow.transport.common;
    let bytes = common.mss.0 + common.header.0;
    let share = |at: &usize| network.links[*at].rate.bps() / passes[*at].max(1) as f64;
    let rate = flow.forward.iter().map(share).fold(f64::INFINITY, f64::min) / (8 * bytes) as f64;
    let trip = flow.forward.iter().chain(&flow.back);
    let trip: f64 = trip.map(|at| network.links[*at].delay.seconds()).sum();
    let window = common.max_window.whole_segments(common.mss);
    rate.min(window as f64 / trip.max(1e-9))
}
