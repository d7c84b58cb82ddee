//! Forecast of connections that come and go: their expected number, their hosts, and the load that they offer to each link, with
//! headers and acks. Retransmissions are not part of it.

use super::{passing, window};
use crate::halt::look;
use dupack_core::arrivals::Expect;
use dupack_core::framing::Framing;
use dupack_core::rng::Stream;
use dupack_core::time::Duration;
use dupack_core::traffic::Offer;
use dupack_sim::route::Routes;
use dupack_sim::spec::{Arrivals, Flow, Network, Routing};
use serde::Serialize;
use std::collections::BTreeMap;

/// If there are more pairs of hosts than this, the forecast uses a sample of this size.
const PAIRS: usize = 20_000;

/// A flow that is many connections.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalFacts {
    /// Its name.
    pub name: String,
    /// Its transport.
    pub transport: String,
    /// Their process of arrivals.
    pub arrivals: String,
    /// Hosts that may send: how many, the first, the last.
    pub sources: (usize, String, String),
    /// Hosts that may receive.
    pub targets: (usize, String, String),
    /// Pairs of them between which a connection may be.
    pub pairs: u64,
    /// Mean payload of a connection \[bytes\].
    pub mean_size_bytes: f64,
    /// Connections that begin together, of rounds.
    pub at_once: Option<u64>,
    /// Mean time from one to the next, or from one round to the next \[s\]; null for rounds that begin when the one before has ended.
    pub every_s: Option<f64>,
    /// Connections expected during the run; null as above, unless their number is limited.
    pub expected: Option<f64>,
    /// Payload that they bring, on average over time \[bit/s\]; null as above.
    pub offered_bps: Option<f64>,
    /// The least round trip of a full segment on an empty network, and the greatest \[s\].
    pub round_trip_s: (f64, f64),
    /// The link that they would fill first; of equal ones the first.
    pub bottleneck: String,
    /// Its rate \[bit/s\].
    pub bottleneck_bps: u64,
    /// Load that they offer it, headers and acks included, over its rate; null as above.
    pub bottleneck_load: Option<f64>,
    /// The largest window that the parameters of a connection allow \[segments\].
    pub window_segments: u64,
}

/// The number of connections to expect in a run; for rounds that begin when the one before has ended, the most that there can be:
/// all of a round send to one host, whose line is no faster than the fastest.
pub fn connections(network: &Network) -> f64 {
    let network = &*network.averaged();
    let fastest = network.links.iter().map(|link| link.rate.bps());
    let fastest = fastest.fold(0.0, f64::max);
    let seconds = network.duration.seconds();
    let of = |flow: &Flow| {
        let arrivals = flow.arrivals.as_ref()?;
        let size = flow.traffic.mean_size(flow.transport.common.mss)?.max(1.0);
        let expected = arrivals.params.expected(seconds, arrivals.sources.len());
        Some(expected.unwrap_or(seconds * fastest / (size * 8.0)))
    };
    network.flows.iter().filter_map(of).sum()
}

/// Forecast of all such flows.
pub(super) struct Expected {
    pub flows: Vec<ArrivalFacts>,
    /// For each link, their load over its rate; none without any.
    pub loads: Vec<Option<f64>>,
}

/// Forecast of all flows of `network` with arrivals; updates the longest packets of links \[bytes\].
pub(super) fn facts(network: &Network, longest: &mut [u64]) -> Expected {
    let mut routes = Routes::new(&network.map);
    let mut loads = vec![None; network.links.len()];
    let flows = network.flows.iter().filter_map(|flow| {
        let arrivals = flow.arrivals.as_ref()?;
        Some(facts_of(
            network,
            flow,
            arrivals,
            &mut routes,
            (&mut loads, longest),
        ))
    });
    let flows = flows.collect();
    Expected { flows, loads }
}

/// Connections that overload a link, and so wait for each other.
pub(crate) struct Backlog {
    /// The flow of the most of them, by its place in the network.
    pub flow: usize,
    /// How many are open at the end of the run, at least \[on average\].
    pub open: f64,
    /// The overloaded link, and its load.
    pub link: String,
    /// Load over its rate.
    pub load: f64,
}

/// Forecast of the connections that are still open at the end, because links are overloaded; `None` if no more than `most` begin.
pub(crate) fn backlog(network: &Network, most: usize) -> Option<Backlog> {
    let network = &*network.averaged();
    let begin = |flow: &Flow| {
        let arrivals = flow.arrivals.as_ref()?;
        let left = (network.duration.seconds() - flow.start.1.seconds()).max(0.0);
        arrivals.params.expected(left, arrivals.sources.len())
    };
    let begun: f64 = network.flows.iter().filter_map(begin).sum();
    if begun <= most as f64 {
        return None;
    }
    let mut longest = vec![0; network.links.len()];
    let all = facts(network, &mut longest);
    let many = network
        .flows
        .iter()
        .enumerate()
        .filter(|(_, flow)| flow.arrivals.is_some());
    let mut worst: Option<Backlog> = None;
    let mut open = 0.0;
    for ((at, flow), told) in many.zip(&all.flows) {
        let line = network
            .links
            .iter()
            .position(|link| link.name == told.bottleneck);
        let load = line.and_then(|line| all.loads[line]).unwrap_or(0.0);
        // Of the connections that begin, the link serves one part, and the others wait.
        let left = begin(flow).unwrap_or(0.0) * (1.0 - 1.0 / load.max(1.0));
        open += left;
        if left > worst.as_ref().map_or(0.0, |it| it.open) {
            worst = Some(Backlog {
                flow: at,
                open: left,
                link: told.bottleneck.clone(),
                load,
            });
        }
    }
    worst.map(|it| Backlog { open, ..it })
}

fn facts_of(
    network: &Network,
    flow: &Flow,
    arrivals: &Arrivals,
    routes: &mut Routes,
    (loads, longest): (&mut [Option<f64>], &mut [u64]),
) -> ArrivalFacts {
    let common = &flow.transport.common;
    let (mss, header) = (common.mss.0, common.header.0);
    let size = flow.traffic.mean_size(common.mss).unwrap_or(0.0);
    let left = network.duration.seconds() - (flow.start.0.seconds() + flow.start.1.seconds()) / 2.0;
    let sources = arrivals.sources.len();
    let at_once = arrivals.params.at_once(sources);
    let every = arrivals.params.every().map(Duration::seconds);
    let per_second = every.map(|every| at_once.unwrap_or(1) as f64 / every);

    let Spread { parts, trips } = spread(network, arrivals, (mss, header), routes, longest);
    let payload = per_second.map(|n| n * size * 8.0);
    let packets = Packets::of(flow, size);
    // The time that a connection takes of each link, on average: data there, acks back. Links have few kinds of framing.
    let mut framed: Vec<(Framing, (f64, f64))> = Vec::new();
    for link in &network.links {
        if !framed.iter().any(|(framing, _)| *framing == link.framing) {
            framed.push((link.framing, packets.on_the_line(link.framing)));
        }
    }
    let needs = |at: usize| {
        let link = &network.links[at];
        let of = framed.iter().find(|(framing, _)| *framing == link.framing);
        let (data, acks) = of.map_or((0.0, 0.0), |it| it.1);
        (data * parts[at] + acks * parts[at ^ 1]) / link.rate.bps()
    };
    let fullest = (0..parts.len()).reduce(|most, at| {
        let fuller = needs(at) > needs(most) * (1.0 + 1e-9);
        if fuller { at } else { most }
    });
    let line = fullest.unwrap_or(0);
    for (at, load) in loads
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| needs(*at) > 0.0)
    {
        if let Some(n) = per_second {
            *load.get_or_insert(0.0) += n * needs(at);
        }
    }
    let told = |nodes: &[usize]| {
        let end = |node: Option<&usize>| node.map_or_else(String::new, |it| name_of(network, *it));
        (nodes.len(), end(nodes.first()), end(nodes.last()))
    };
    let same = arrivals.sources == arrivals.targets;
    ArrivalFacts {
        name: flow.name.clone(),
        transport: flow.transport.name().into_owned(),
        arrivals: arrivals.params.name().to_string(),
        sources: told(&arrivals.sources),
        targets: told(&arrivals.targets),
        pairs: (arrivals.sources.len() * (arrivals.targets.len() - usize::from(same))) as u64,
        mean_size_bytes: size,
        at_once,
        every_s: every,
        expected: arrivals.params.expected(left, sources),
        offered_bps: payload,
        round_trip_s: trips,
        bottleneck: network.links[line].name.clone(),
        bottleneck_bps: network.links[line].rate.0,
        bottleneck_load: per_second.map(|n| n * needs(line)),
        window_segments: window(flow),
    }
}

/// The packets of a connection, on average, if nothing is lost.
struct Packets {
    /// Lengths of packets with data, with their number \[bytes\].
    data: Vec<(u64, f64)>,
    /// The number of acks, and their length \[bytes\].
    acks: (f64, u64),
}

impl Packets {
    /// Those of a flow whose connections have a mean payload of `size` bytes.
    fn of(flow: &Flow, size: f64) -> Self {
        let common = &flow.transport.common;
        let (mss, header) = (common.mss, common.header.0);
        let (mut full, mut acks, mut payload) = (0.0, 0.0, 0.0);
        let mut last: BTreeMap<u64, f64> = BTreeMap::new();
        for file in &flow.traffic.files(mss) {
            let before = (file.segments - 1) as f64;
            payload += before * mss.0 as f64 + file.last.0 as f64;
            full += before;
            *last.entry(file.last.0 + header).or_default() += 1.0;
            acks += match common.delayed_ack {
                true => {
                    let quick = file.segments.min(common.quick_acks);
                    (quick + (file.segments - quick).div_ceil(common.ack_every)) as f64
                }
                false => file.segments as f64,
            };
        }
        if !flow.transport.pair.acknowledged() {
            acks = 0.0;
        }
        // The files are a sample of the sizes, whose mean is known.
        let each = if payload > 0.0 { size / payload } else { 0.0 };
        let data = [(mss.0 + header, full)].into_iter().chain(last);
        Self {
            data: data.map(|(bytes, many)| (bytes, many * each)).collect(),
            acks: (acks * each, header),
        }
    }

    /// Their bits on a line, and those of the acks. (There are no such connections on cells.)
    fn on_the_line(&self, framing: Framing) -> (f64, f64) {
        let bits = |bytes| (8 * framing.on_line(bytes)) as f64;
        let data = self.data.iter().map(|(bytes, many)| many * bits(*bytes));
        (data.sum(), self.acks.0 * bits(self.acks.1))
    }
}

/// How the data of connections spreads over the network.
struct Spread {
    /// The part of all data that each link carries.
    parts: Vec<f64>,
    /// The shortest and the longest round trip \[s\].
    trips: (f64, f64),
}

fn spread(
    network: &Network,
    arrivals: &Arrivals,
    (mss, header): (u64, u64),
    routes: &mut Routes,
    longest: &mut [u64],
) -> Spread {
    let pairs = pairs(arrivals);
    let mut parts = vec![0.0; network.links.len()];
    let mut trips = (f64::INFINITY, 0.0f64);
    for (from, to) in &pairs {
        look();
        let mut each = |link: usize, share: f64| {
            parts[link] += share / pairs.len() as f64;
            longest[link] = longest[link].max(mss + header);
            longest[link ^ 1] = longest[link ^ 1].max(header);
        };
        let way = routes.find(*from, *to).unwrap_or_default();
        match network.routing {
            Routing::First => way.iter().for_each(|link| each(*link, 1.0)),
            Routing::Ecmp => drop(routes.shares(*from, *to, &mut each)),
        }
        let there = passing(network, &way, mss + header);
        let trip = there + passing(network, &Routes::reverse(&way), header);
        trips = (trips.0.min(trip), trips.1.max(trip));
    }
    Spread { parts, trips }
}

/// The name of a host, from a link that it is at an end of.
fn name_of(network: &Network, node: usize) -> String {
    let ends = &network.map.links;
    let link = ends
        .iter()
        .position(|(from, to)| *from == node || *to == node);
    link.map_or_else(String::new, |at| {
        let there = &network.links[2 * at];
        let name = if ends[at].0 == node {
            &there.from
        } else {
            &there.to
        };
        name.to_string()
    })
}

/// The pairs of hosts between which connections may be, or enough of them.
fn pairs(arrivals: &Arrivals) -> Vec<(usize, usize)> {
    let (sources, targets) = (&arrivals.sources, &arrivals.targets);
    if sources.len().saturating_mul(targets.len()) <= PAIRS {
        let all = sources
            .iter()
            .flat_map(|from| targets.iter().map(move |to| (*from, *to)));
        return all.filter(|(from, to)| from != to).collect();
    }
    let mut stream = Stream::new(1, "pairs");
    let mut one = |of: &[usize]| of[stream.between(0, of.len() as u64 - 1) as usize];
    let drawn = (0..PAIRS).map(|_| (one(sources), one(targets)));
    drawn.filter(|(from, to)| from != to).collect()
}

#[cfg(test)]
mod tests {
    use crate::forecast::{Forecast, forecast};
    use crate::plan::Plan;

    const PLAN: &str = r#"
duration = "10 s"
routing = "ecmp"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts = 2, carries = "packets", access = { rate = "1 Gb/s", delay = "10 us" }, fabric = { rate = "500 Mb/s", delay = "10 us" } }
[[flow]]
name = "web"
from = "host"
to = "host"
arrivals = { kind = "poisson", load = 0.5 }
traffic = { kind = "file", size = "96 kB" }
transport = { kind = "sack", mss = "960 B" }
"#;

    fn told(sets: &[&str]) -> Forecast {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).expect("a right plan");
        forecast(&plan.points[0].network, &plan.points[0].key)
    }

    #[test]
    fn a_load_is_told_with_what_it_makes_of_it_on_each_link() {
        let all = told(&[]);
        assert!(all.flows.is_empty());
        let web = &all.arrivals[0];
        assert_eq!(web.sources, (4, "host-0".into(), "host-3".into()));
        assert_eq!((web.pairs, web.at_once), (12, None));
        // Load 0.5 of four links of 1 Gb/s is 2 Gb/s; in files of 96 kB, that is 2604 files per second.
        assert!((web.offered_bps.unwrap() - 2e9).abs() < 1.0);
        assert!((web.expected.unwrap() - 26_041.7).abs() < 1.0);
        // Each host sends and receives 500 Mb/s of payload, 1000 B per 960 B and an ack of 40 B. Two thirds leave the leaf:
        // 1 Gb/s x 2/3, over two spines.
        let load = |name: &str| {
            let link = all.links.iter().find(|it| it.name == name).expect(name);
            link.offered_load.unwrap()
        };
        let want = 1040.0 / 960.0;
        assert!((load("access-3") - 0.5 * want).abs() < 1e-9);
        assert!((load("access-3.back") - 0.5 * want).abs() < 1e-9);
        assert!((load("fabric-1-0") - want / 3.0 / 0.5).abs() < 1e-9);
        assert_eq!(web.bottleneck, "fabric-0-0");
        assert!((web.bottleneck_load.unwrap() - want / 1.5).abs() < 1e-9);
        let (least, most) = web.round_trip_s;
        // 1000 B one way and 40 B back: over two links of 1 Gb/s at least, and over two more of 500 Mb/s at most.
        assert!((least - (40e-6 + 2.0 * 8.32e-6)).abs() < 1e-9, "{least}");
        assert!((most - (80e-6 + 6.0 * 8.32e-6)).abs() < 1e-9, "{most}");
    }

    #[test]
    fn rounds_are_counted_if_they_have_a_clock_or_a_limit() {
        let rounds = |more: &str| {
            let set = format!("flow.web.arrivals={{ kind = \"rounds\", senders = 2{more} }}");
            let all = told(&[set.as_str(), "flow.web.from=host-*"]);
            all.arrivals[0].clone()
        };
        let own = rounds("");
        assert_eq!(
            (own.at_once, own.expected, own.offered_bps),
            (Some(2), None, None)
        );
        assert_eq!(rounds(", limit = 7").expected, Some(14.0));
        let timed = rounds(", every = \"3 s\"");
        assert_eq!(
            (timed.expected, timed.offered_bps),
            (Some(8.0), Some(2.0 * 96e3 * 8.0 / 3.0))
        );
    }
}
