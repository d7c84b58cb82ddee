//! Lines of cells within paths of packets. At an edge a packet becomes an AAL5 frame, and at the next edge a packet again.
//!
//! These lines are a network of cells of their own, into which packets come and from which they leave or do not: the links of a relay.

use crate::channels::Channels;
use crate::relay::{Links, Parcel, Told, Vcs};
use crate::report::{Evidence, Link, Load, Within};
use crate::route::Map;
use crate::spec::{FarEnd, Network};
use crate::world::Failure;
use dupack_core::framing::Framing;
use dupack_core::gauge::Tell;
use dupack_core::measure::{Bytes, Rate};
use dupack_core::queue::Grain as Carries;
use dupack_core::sar;
use dupack_core::time::Instant;
use dupack_core::unit::{CONTROL, Cell, FlowId, HostPair, Unit};
use std::collections::{HashMap, VecDeque};

/// The lines of cells of a network of packets, and the packets that are on them as cells.
#[derive(Debug)]
pub struct Section<U> {
    links: Links<Cell>,
    /// These lines alone, as a network of cells.
    network: Network,
    /// For each link of the whole network its number here, if it carries cells.
    own: Vec<Option<usize>>,
    /// For each link here its number in the whole network.
    lines: Vec<usize>,
    /// For each VC of the whole network that lies here, its way.
    ways: HashMap<FlowId, u32>,
    /// Per way, the links that it passes.
    routes: Vec<Vec<usize>>,
    /// Packets that are here as cells, each with its way; and the free places.
    inside: Vec<Option<(U, u32)>>,
    free: Vec<usize>,
    told: VecDeque<Told>,
    /// Per way of the whole network, the packets that have become cells here, and their cells.
    became: Vec<(u64, u64)>,
    /// Per link here, the cells that were sent in vain as far as is known here: at the end.
    dead: Vec<u64>,
}

impl<U: Unit> Section<U> {
    /// The lines of cells of `network`, whose VCs are the `channels`; `None` if all its lines carry the same.
    pub fn new(network: &Network, seed: u64, channels: &Channels) -> Option<Box<Self>> {
        if !network.is_mixed() {
            return None;
        }
        let carries = |at: &usize| network.links[*at].carries == Carries::Cells;
        let lines: Vec<usize> = (0..network.links.len()).filter(carries).collect();
        let mut own = vec![None; network.links.len()];
        for (at, line) in lines.iter().enumerate() {
            own[*line] = Some(at);
        }
        let Ways {
            ways,
            routes,
            longest,
        } = Ways::new(network, channels, &own);
        let inner = alone(network, &lines);
        let vcs = Vcs {
            guaranteed: lines
                .iter()
                .map(|at| guaranteed(channels, &ways, *at))
                .collect(),
            longest,
        };
        let end = Instant(network.duration.0);
        let mut links = Links::new(&inner, seed, end, &vcs, routes.len());
        for route in &routes {
            let trailer = network.trailer_on(&network.links[lines[route[0]]]);
            // A cell knows its VC alone, and not its hosts.
            links.add_way(route, HostPair(0), (0, 0), trailer);
        }
        Some(Box::new(Self {
            dead: vec![0; lines.len()],
            links,
            network: inner,
            own,
            lines,
            ways,
            routes,
            inside: Vec::new(),
            free: Vec::new(),
            told: VecDeque::new(),
            became: vec![(0, 0); 2 * network.flows.len()],
        }))
    }

    /// Whether a link of the whole network is one of these.
    pub fn has(&self, link: usize) -> bool {
        self.own[link].is_some()
    }

    /// The first of these links, by its number in the whole network: its slot in the agenda has the events of all of them.
    pub fn first(&self) -> usize {
        self.lines[0]
    }

    /// When [`Section::advance`] has something to do.
    pub fn due(&self) -> Instant {
        self.links.due()
    }

    /// A discipline has broken the law of holding back.
    pub fn broken(&self) -> bool {
        self.links.broken()
    }

    /// A packet of way `whose` comes `now` to the edge where this VC begins: it becomes cells.
    pub fn enter(&mut self, now: Instant, unit: U, vc: FlowId, whose: FlowId) {
        let way = self.ways[&vc];
        let trailer = self.links.trailer_of(way);
        let became = &mut self.became[whose.0 as usize];
        became.0 += 1;
        became.1 += u64::from(sar::cells(Bytes(unit.bytes().into()), trailer));
        let parcel = Parcel {
            way,
            token: self.free.pop().unwrap_or(self.inside.len()) as u64,
            // A packet has a length of two bytes.
            bytes: unit.bytes() as u16,
            ecn: unit.ecn(),
            dscp: unit.dscp(),
            control: unit.priority() == CONTROL,
        };
        let place = parcel.token as usize;
        if place == self.inside.len() {
            self.inside.push(None);
        }
        self.inside[place] = Some((unit, way));
        self.links.send(now, parcel);
    }

    /// Moves on to `now`.
    pub fn advance(&mut self, now: Instant) {
        let mut told = Vec::new();
        self.links.advance(now, &mut told);
        self.told.extend(told);
    }

    /// Brings every link up to `now`.
    pub fn catch_up(&mut self, now: Instant) {
        self.links.catch_up(now);
    }

    /// What has become of a packet, if that has not been told yet: one after the other, since what is done about the first may decide about
    /// more.
    pub fn next_told(&mut self) -> Option<Told> {
        let mut told = Vec::new();
        self.links.tell(&mut told);
        self.told.extend(told);
        self.told.pop_front()
    }

    /// The packet of this token, which is still here.
    pub fn packet(&mut self, token: u64) -> &mut U {
        match &mut self.inside[token as usize] {
            Some((unit, _)) => unit,
            None => unreachable!("a packet is here until its fate is told"),
        }
    }

    /// The packet of this token, which is here no more, and the number of links of its way here.
    pub fn leave(&mut self, token: u64) -> (U, usize) {
        self.free.push(token as usize);
        match self.inside[token as usize].take() {
            Some((unit, way)) => (unit, self.routes[way as usize].len()),
            None => unreachable!("a packet is here until its fate is told"),
        }
    }

    /// How many links the packet of this token passes here before `link`, and the number of that in the whole network.
    pub fn place(&self, token: u64, link: usize) -> (usize, usize) {
        let way = self.inside[token as usize].as_ref().map_or(0, |it| it.1);
        let before = self.routes[way as usize].iter().position(|it| *it == link);
        (before.unwrap_or(0), self.lines[link])
    }

    /// Warm-up ends `now`.
    pub fn warm_up_ends(&mut self, now: Instant) {
        self.links.warm_up_ends(now);
    }

    /// Cells that wait `now` on a link of the whole network, and the time that it has spent transmitting \[ps\]; `None` if it is none of these.
    pub fn look(&self, link: usize, now: Instant) -> Option<(u64, u64)> {
        let port = &self.links.ports[self.own[link]?];
        Some((port.backlog(now), port.busy(now)))
    }

    /// The state variables of the discipline of a link of the whole network, if it is one of these.
    pub fn gauges(&self, link: usize, tell: &mut Tell) {
        if let Some(own) = self.own[link] {
            self.links.ports[own].gauges(tell);
        }
    }

    /// Fails if a discipline broke the law of holding back.
    pub fn withheld(&self) -> Result<(), Failure> {
        Failure::withheld(&self.network, &self.links.ports)
    }

    /// The audit of every ledger at the `end`.
    pub fn close(&mut self, end: Instant) -> Result<(), Failure> {
        self.links.audit(&self.network, end)?;
        let loads = self.links.loads(&self.network, &[]);
        self.dead = loads.iter().map(|load| load.dead).collect();
        Ok(())
    }

    /// What these links have measured, and the number here of a link of the whole network, if it is one of them.
    fn evidence(&self, link: usize, end: Instant) -> Option<(Evidence<'_, Cell>, usize)> {
        let own = self.own[link]?;
        Some((self.links.evidence(&self.network, end), own))
    }
}

impl<U: Unit> Within for Section<U> {
    fn used(&self, link: usize, load: &Load, end: Instant) -> Option<(f64, f64)> {
        let (evidence, own) = self.evidence(link, end)?;
        Some(evidence.used(own, load))
    }

    fn link(&self, link: usize, load: &Load, end: Instant) -> Option<Link> {
        let (evidence, own) = self.evidence(link, end)?;
        let mut link = evidence.link(own, load);
        // The mean length may be too much for the packets that were dropped later.
        link.dead_units = link.dead_units.min(link.sent);
        Some(link)
    }

    fn units(&self, way: usize) -> f64 {
        let (packets, cells) = self.became[way];
        if packets > 0 {
            cells as f64 / packets as f64
        } else {
            0.0
        }
    }

    fn add_dead(&self, loads: &mut [Load]) {
        for (line, dead) in self.lines.iter().zip(&self.dead) {
            loads[*line].dead += dead;
        }
    }
}

/// The lines alone, as a network of cells.
fn alone(network: &Network, lines: &[usize]) -> Network {
    let line = |at: &usize| {
        let mut link = network.links[*at].clone();
        if link.far_end == FarEnd::Edge {
            // The frame becomes a packet again there.
            link.far_end = FarEnd::Host;
        }
        // It is added to packets before they become cells.
        link.framing = Framing::Raw;
        link
    };
    Network {
        grain: Carries::Cells,
        trailer: network.trailer,
        duration: network.duration,
        warm_up: network.warm_up,
        mser: false,
        batches: None,
        sample: None,
        percentiles: network.percentiles,
        detune: None,
        links: lines.iter().map(line).collect(),
        vcs: Vec::new(),
        flows: Vec::new(),
        map: Map::default(),
        routing: network.routing,
        permutations: Vec::new(),
    }
}

/// The ways over these lines.
struct Ways {
    /// The way of each VC that lies here.
    ways: HashMap<FlowId, u32>,
    /// The lines of each way.
    routes: Vec<Vec<usize>>,
    /// Per line, the longest packet that passes it \[cells\].
    longest: Vec<u64>,
}

impl Ways {
    fn new(network: &Network, channels: &Channels, own: &[Option<usize>]) -> Self {
        let mut made = Self {
            ways: HashMap::new(),
            routes: Vec::new(),
            longest: vec![0; own.iter().flatten().count()],
        };
        let mut at = 0;
        for flow in &network.flows {
            let common = &flow.transport.common;
            let data = Bytes(common.mss.0 + common.header.0);
            for (route, bytes) in [(&flow.forward, data), (&flow.back, common.header)] {
                for (place, link) in route.iter().enumerate() {
                    let before = place.checked_sub(1).map(|it| &network.links[route[it]]);
                    let begins = before.is_none_or(|it| it.far_end == FarEnd::Edge);
                    if begins && own[*link].is_some() {
                        let trailer = network.trailer_on(&network.links[*link]);
                        let lines = from_here(network, own, &route[place..]);
                        for line in &lines {
                            let longest = &mut made.longest[*line];
                            *longest = (*longest).max(sar::cells(bytes, trailer).into());
                        }
                        made.ways.entry(channels.at[at + place]).or_insert_with(|| {
                            made.routes.push(lines);
                            (made.routes.len() - 1) as u32
                        });
                    }
                }
                at += route.len();
            }
        }
        made
    }
}

/// The lines of a route up to the first edge, all of which carry cells.
fn from_here(network: &Network, own: &[Option<usize>], route: &[usize]) -> Vec<usize> {
    let is_edge = |link: &usize| network.links[*link].far_end == FarEnd::Edge;
    let last = route.iter().position(is_edge).unwrap_or(route.len() - 1);
    route[..=last].iter().filter_map(|it| own[*it]).collect()
}

/// The guaranteed rates of the ways on a line.
fn guaranteed(
    channels: &Channels,
    ways: &HashMap<FlowId, u32>,
    line: usize,
) -> Vec<(FlowId, Rate)> {
    let all = channels.guaranteed[line].iter();
    let mut own: Vec<_> = all
        .filter_map(|(vc, rate)| Some((FlowId(*ways.get(vc)?), *rate)))
        .collect();
    own.sort_by_key(|(way, _)| *way);
    own
}
