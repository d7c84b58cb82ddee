//! The links of a network without its hosts: packets come from outside and leave to outside, as in an emulator of real traffic.
//!
//! Ports and disciplines are those of a simulation, and every decision is made at the time at which it would be made there. The
//! caller gives the time of each packet that comes, and gets the time of each that leaves; times never go back.

use crate::agenda::Agenda;
use crate::channels::Channels;
use crate::delays::Delays;
use crate::grain::{Grain, Header};
use crate::packets::{Bodies, Body, Left, Payload};
use crate::percentiles::Samples;
use crate::port::{Leads, Port};
use crate::probe::{Deed, Event, Incident, Probe, Row};
use crate::report::{self, Evidence, Load, Warm};
use crate::shared::{Shared, Tracer};
use crate::spec::{FarEnd, Network};
use crate::world::Failure;
use dupack_core::loss::LossParams;
use dupack_core::loss::bit_errors::FoundBy;
use dupack_core::measure::Bytes;
use dupack_core::queue::{Grain as Carries, QueueParams};
use dupack_core::time::Instant;
use dupack_core::unit::{CONTROL, Cell, DATA, Ecn, FlowId, HostPair, Packet};

/// The most ways that packets of different connections can have, two to a connection.
pub const MOST_WAYS: usize = 8192;

/// A packet that comes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    /// Its way, of [`Relay::add_way`].
    pub way: u32,
    /// The caller's name for it, with which its fate is told.
    pub token: u64,
    /// Its length, IP header included \[bytes\].
    pub bytes: u16,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// The Diffserv code point of its IP header.
    pub dscp: u8,
    /// It is an ack without data, which disciplines with classes serve first.
    pub control: bool,
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It reached the host at the end of its way.
    Arrived {
        /// Its ECN field then.
        ecn: Ecn,
        /// Its length if a switch has trimmed it, or if it is a truncated copy \[bytes\].
        trimmed: Option<u16>,
    },
    /// A link dropped, marked or trimmed it, or lost the first of its cells.
    Befell {
        /// Index of the link.
        link: usize,
        /// What happened.
        deed: Deed,
        /// Units in the link's buffer after it.
        waiting: u64,
    },
    /// A link has made a truncated copy of it, which arrives or is dropped apart from it.
    Copied,
    /// It is lost with another one whose end mark was dropped (AAL5).
    Dead,
}

/// A fate, with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// The ideal time of it.
    pub at: Instant,
    /// The packet.
    pub token: u64,
    /// What became of it.
    pub fate: Fate,
}

/// Collects fates.
#[derive(Debug, Default)]
struct Ear {
    told: Vec<Told>,
}

impl Probe for Ear {
    const ON: bool = true;
    const SPREADS: bool = true;
    fn on(&mut self, row: &Row) {
        // What a port does to a packet is told as an incident, just before. What remains are packets that end in a broken frame.
        let same = |it: &Told| it.token == row.segment && matches!(it.fate, Fate::Befell { .. });
        if row.event == Event::Drop && !self.told.last().is_some_and(same) {
            self.told.push(Told {
                at: row.at,
                token: row.segment,
                fate: Fate::Dead,
            });
        }
    }
    fn copied(&mut self, at: Instant, segment: u64) {
        self.told.push(Told {
            at,
            token: segment,
            fate: Fate::Copied,
        });
    }
    fn befell(&mut self, it: &Incident) {
        let crate::probe::Carried::Data { segment, .. } = it.carried else {
            return;
        };
        self.told.push(Told {
            at: it.at,
            token: segment,
            fate: Fate::Befell {
                link: it.link,
                deed: it.deed,
                waiting: it.waiting,
            },
        });
    }
}

/// Why a network cannot be emulated, if it cannot: the path in the plan, and the reason.
pub fn refusal(network: &Network) -> Option<(String, String)> {
    let link = |name: &str, what: &str| Some((format!("link.{name}"), what.to_string()));
    for it in &network.links {
        if let Some(QueueParams::External(_)) = &it.queue {
            return link(
                &it.name,
                "its queue is written in Python, which is too slow for live links",
            );
        }
        if let Some(loss) = &it.loss
            && matches!(&loss.params, LossParams::BitErrors(it) if it.found_by == FoundBy::Host)
        {
            return link(
                &it.name,
                "its bit errors are found by hosts, and live links do not change packets; write found_by = \"link\"",
            );
        }
        if it.duplicate.is_some() {
            return link(
                &it.name,
                "it sends packets twice, which live links do not do yet",
            );
        }
        if it.far_end == FarEnd::Edge {
            return link(
                &it.name,
                "it ends at an edge between VCs, which live links do not have yet",
            );
        }
    }
    let flow = |name: &str, what: &str| Some((format!("flow.{name}"), what.to_string()));
    for it in &network.flows {
        if it.abr.is_some() {
            return flow(&it.name, "its VC has ABR, which live links do not have");
        }
        if it.arrivals.is_some() {
            return flow(
                &it.name,
                "it is connections that come and go, which live runs do not have yet",
            );
        }
    }
    None
}

/// The links of a network.
#[derive(Debug)]
pub struct Relay(Either);

#[derive(Debug)]
enum Either {
    Cells(Box<Links<Cell>>),
    Packets(Box<Links<Packet>>),
}

macro_rules! with {
    ($relay:expr, $links:ident => $do:expr) => {
        match $relay {
            Either::Cells($links) => $do,
            Either::Packets($links) => $do,
        }
    };
}

impl Relay {
    /// The links of `network`, which is not [refused](refusal), with the random numbers of `seed`. `end` is the end of the run, if
    /// it has one.
    pub fn new(network: &Network, seed: u64, end: Instant) -> Self {
        let network = network.drawn(seed);
        Self(match network.grain {
            Carries::Cells => Either::Cells(Box::new(Links::new(&network, seed, end))),
            Carries::Packets => Either::Packets(Box::new(Links::new(&network, seed, end))),
        })
    }

    /// A way over these links, in this order, for packets between these hosts: the way's number. `ends` are the numbers of the host that
    /// sends and of the one that receives, by which disciplines share a line among hosts. The first ways are those of the network's
    /// flows, data and acks of each.
    ///
    /// # Panics
    /// If there are [`MOST_WAYS`] already, or it passes no link.
    pub fn add_way(&mut self, route: &[usize], hosts: u32, ends: (u32, u32)) -> u32 {
        with!(&mut self.0, links => links.add_way(route, HostPair(hosts), ends))
    }

    /// When [`Relay::advance`] has something to do; never, if nothing is on its way.
    pub fn due(&self) -> Instant {
        with!(&self.0, links => links.lines.first().0)
    }

    /// Moves on to `now`, and adds to `told` what became of packets until then, in the order in which it was decided.
    pub fn advance(&mut self, now: Instant, told: &mut Vec<Told>) {
        with!(&mut self.0, links => links.advance(now, told));
    }

    /// A packet comes `now`, to which the relay has advanced.
    pub fn send(&mut self, now: Instant, parcel: Parcel) {
        with!(&mut self.0, links => links.send(now, parcel));
    }

    /// Warm-up ends `now`: measured are counts from here on.
    pub fn warm_up_ends(&mut self, now: Instant) {
        with!(&mut self.0, links => links.warm_up_ends(now));
    }

    /// Per direction of a link, units that wait, and the time spent transmitting until `now` \[ps\].
    pub fn look(&mut self, now: Instant) -> Vec<(u64, u64)> {
        with!(&mut self.0, links => links.look(now))
    }

    /// The end: every ledger is audited, and the links are reported as those of a simulation of `network`,
    /// whose duration is that of the run. `payload` is the payload that each
    /// flow of the network has delivered \[bit/s\].
    ///
    /// # Errors
    /// [`Failure::Unbalanced`], [`Failure::Withheld`].
    pub fn close(
        self,
        network: &Network,
        now: Instant,
        payload: &[f64],
    ) -> Result<Closed, Failure> {
        with!(self.0, links => links.close(network, now, payload))
    }
}

/// The links at the end.
#[derive(Clone, Debug)]
pub struct Closed {
    /// All of them.
    pub links: Vec<report::Link>,
    /// The one that carried the most payload of the network's flows, if it has any; of equal ones the slowest.
    pub bottleneck: Option<usize>,
}

#[derive(Debug)]
struct Links<U: Grain> {
    lines: Agenda<false>,
    ports: Vec<Port<U>>,
    shared: Shared<U, Ear>,
    /// Per way, between which hosts, and the number of the next packet.
    ways: Vec<Way>,
    warm: Vec<Warm>,
    trailer: Bytes,
}

/// A way over links.
#[derive(Clone, Copy, Debug)]
struct Way {
    hosts: HostPair,
    ends: (u32, u32),
    /// Number of its next packet.
    serial: u16,
}

impl<U: Grain> Links<U> {
    fn new(network: &Network, seed: u64, end: Instant) -> Self {
        let channels = Channels::new(network);
        let told = channels.guaranteed.iter().zip(&channels.longest);
        let make = |(link, (vcs, longest)): (&crate::spec::Link, (&Vec<_>, &u64))| {
            // Traffic that is not the plan's may have longer packets, or use links that no flow of the plan uses.
            let longest = (*longest).max(u64::from(U::count(Bytes(1500), network.trailer)));
            Port::new(link, seed, (vcs, longest), false)
        };
        let mut ports: Vec<Port<U>> = network.links.iter().zip(told).map(make).collect();
        let from = Instant(network.warm_up.0);
        let delays = (network.percentiles).then(|| Box::new(Delays::new(from, end, 0)));
        if delays.is_some() {
            (ports.iter_mut()).for_each(|port| port.waits = Some(Box::new(Samples::times())));
        }
        Self {
            lines: Agenda::new(ports.len()),
            ways: Vec::new(),
            warm: vec![Warm::default(); ports.len()],
            trailer: network.trailer,
            shared: Shared {
                now: Instant::ZERO,
                end,
                bodies: Bodies::default(),
                routes: Vec::new(),
                first: Vec::new(),
                lost: Vec::new(),
                joiners: Vec::new(),
                dead: Vec::new(),
                tape: Tracer::new(Ear::default(), end, vec![(0.0, 0.0); MOST_WAYS.div_ceil(2)]),
                delays,
                broken: false,
            },
            ports,
        }
    }

    fn add_way(&mut self, route: &[usize], hosts: HostPair, ends: (u32, u32)) -> u32 {
        assert!(self.ways.len() < MOST_WAYS && !route.is_empty());
        let shared = &mut self.shared;
        shared.first.push(shared.end_of_routes());
        shared.routes.extend(route.iter().map(|port| *port as u32));
        shared.lost.resize(shared.routes.len(), 0);
        shared.joiners.push(U::Joiner::default());
        shared.dead.push(0);
        self.ways.push(Way {
            hosts,
            ends,
            serial: 0,
        });
        (self.ways.len() - 1) as u32
    }

    fn advance(&mut self, until: Instant, told: &mut Vec<Told>) {
        loop {
            let (now, port) = self.lines.first();
            if now > until {
                break;
            }
            self.shared.now = now;
            let here = &mut self.ports[port];
            let (arrived, next) = here.advance(&mut self.shared);
            here.due = next;
            let leads = here.leads;
            self.lines.set(port, next);
            told.append(&mut self.shared.tape.probe.told);
            let Some(mut unit) = arrived else { continue };
            if leads == Leads::Switch {
                unit.pass();
                self.offer(self.shared.port(&unit), unit, 0);
                continue;
            }
            let body = self.shared.bodies.take(unit.body());
            let Payload::Data { segment, .. } = body.kind else {
                unreachable!("only data is sent")
            };
            let trimmed = (body.left != Left::Whole).then_some(unit.bytes() as u16);
            if trimmed.is_some() {
                self.shared.dead[body.way.0 as usize] += 1;
            }
            told.push(Told {
                at: now,
                token: segment,
                fate: Fate::Arrived {
                    ecn: body.ecn,
                    trimmed,
                },
            });
        }
        self.shared.now = until.min(self.shared.end).max(self.shared.now);
        told.append(&mut self.shared.tape.probe.told);
    }

    fn offer(&mut self, port: usize, unit: U, more: u16) {
        let there = &mut self.ports[port];
        there.offer(unit, more, &mut self.shared);
        if let Some(due) = there.rearm() {
            self.lines.set(port, due);
        }
    }

    fn send(&mut self, now: Instant, parcel: Parcel) {
        let way = FlowId(parcel.way);
        let it = &mut self.ways[parcel.way as usize];
        let (hosts, ends, number) = (it.hosts, it.ends, it.serial);
        it.serial = number.wrapping_add(1);
        let body = self.shared.bodies.put(Body {
            way,
            serial: number,
            sent: now,
            damaged: false,
            left: Left::Whole,
            ecn: parcel.ecn,
            kind: Payload::Data {
                segment: parcel.token,
                again: false,
                id: 0,
                cwr: false,
            },
        });
        self.shared.now = now;
        let bytes = Bytes(u64::from(parcel.bytes));
        let count = U::count(bytes, self.trailer);
        let header = Header {
            way,
            hosts,
            ends,
            body,
            serial: number,
            priority: if parcel.control { CONTROL } else { DATA },
            dscp: parcel.dscp,
            ecn: parcel.ecn,
        };
        let port = self.shared.routes[self.shared.first[parcel.way as usize] as usize];
        self.offer(port as usize, U::first(header, bytes, count), count - 1);
    }

    /// Brings every port up to `now`.
    fn catch_up(&mut self, now: Instant) {
        self.shared.now = now;
        let ports = self.ports.iter_mut();
        ports.for_each(|port| port.catch_up(&mut self.shared));
    }

    fn warm_up_ends(&mut self, now: Instant) {
        self.catch_up(now);
        for (warm, port) in self.warm.iter_mut().zip(&self.ports) {
            *warm = Warm::of(port, now);
        }
    }

    fn look(&mut self, now: Instant) -> Vec<(u64, u64)> {
        self.catch_up(now);
        let ports = self.ports.iter();
        ports.map(|it| (it.backlog(now), it.busy(now))).collect()
    }

    fn close(
        mut self,
        network: &Network,
        end: Instant,
        payload: &[f64],
    ) -> Result<Closed, Failure> {
        self.catch_up(end);
        if self.shared.broken {
            Failure::withheld(network, &self.ports)?;
        }
        Failure::unbalanced(network, &self.ports, end)?;
        let loads = self.loads(network, payload);
        let evidence = Evidence {
            network,
            end,
            ports: &self.ports,
            warm: &self.warm,
            machines: &[],
            rates: None,
            connecting: None,
            routes: &self.shared.routes,
            first: &self.shared.first,
            lost: &self.shared.lost,
            dead: &self.shared.dead,
            count: |bytes, trailer| U::count(bytes, trailer),
            series: None,
            delays: None,
            batches: None,
        };
        let links = loads.iter().enumerate();
        Ok(Closed {
            links: links.map(|(at, load)| evidence.link(at, load)).collect(),
            bottleneck: evidence.bottleneck(&loads),
        })
    }

    /// What the ways put on each link.
    fn loads(&self, network: &Network, payload: &[f64]) -> Vec<Load> {
        let shared = &self.shared;
        let mut loads = vec![Load::default(); self.ports.len()];
        let ends = (shared.first.iter().skip(1).copied()).chain([shared.end_of_routes()]);
        for (way, (first, last)) in shared.first.iter().copied().zip(ends).enumerate() {
            let flow = network.flows.get(way / 2).filter(|_| way % 2 == 0);
            // Those that came in vain, and those that were dropped on a later link.
            let mut dead = shared.dead[way] as i64;
            for place in (first as usize..last as usize).rev() {
                let load = &mut loads[shared.routes[place] as usize];
                load.dead += dead.max(0) as u64;
                dead += shared.lost[place];
                if let (Some(flow), Some(payload)) = (flow, payload.get(way / 2)) {
                    let common = &flow.transport.common;
                    let bits = U::line_bits(Bytes(common.mss.0 + common.header.0), self.trailer);
                    load.payload += payload;
                    load.carried += payload * bits as f64 / (common.mss.0 * 8) as f64;
                }
            }
        }
        loads
    }
}

#[cfg(test)]
mod tests;
