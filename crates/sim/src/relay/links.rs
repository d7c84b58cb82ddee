//! The links themselves, of cells or of packets.

use super::{Fate, Parcel, Told};
use crate::agenda::Agenda;
use crate::channels::Channels;
use crate::delays::Delays;
use crate::grain::{Grain, Header};
use crate::packets::{Bodies, Body, Left, Payload};
use crate::percentiles::Samples;
use crate::port::{Leads, Port};
use crate::probe::Tape;
use crate::report::{Evidence, Load, Warm};
use crate::shared::{Shared, Tracer};
use crate::spec::Network;
use crate::world::Failure;
use dupack_core::measure::{Bytes, Rate};
use dupack_core::time::Instant;
use dupack_core::unit::{CONTROL, DATA, FlowId, HostPair};

/// The VCs that pass each link, with their guaranteed rates, and the longest packet that does \[units\].
pub(crate) struct Vcs {
    pub guaranteed: Vec<Vec<(FlowId, Rate)>>,
    pub longest: Vec<u64>,
}

impl Vcs {
    /// Those of the flows of `network`, and packets of up to 1500 bytes on any link: traffic that is not the plan's may have longer packets
    /// than its flows, or use links that no flow uses.
    pub fn of<U: Grain>(network: &Network) -> Self {
        let Channels {
            guaranteed,
            mut longest,
            ..
        } = Channels::new(network);
        let usual = u64::from(U::count(Bytes(1500), network.trailer));
        longest.iter_mut().for_each(|it| *it = usual.max(*it));
        Self {
            guaranteed,
            longest,
        }
    }
}

/// All links of a network, and what is on its way there.
#[derive(Debug)]
pub(crate) struct Links<U: Grain> {
    lines: Agenda<false>,
    pub ports: Vec<Port<U>>,
    shared: Shared<U, Tape>,
    /// Per way, between which hosts, and the number of the next packet.
    ways: Vec<Way>,
    warm: Vec<Warm>,
    /// AAL5's trailer, for cells.
    pub trailer: Bytes,
}

/// A way over links.
#[derive(Clone, Copy, Debug)]
struct Way {
    hosts: HostPair,
    ends: (u32, u32),
    /// What a packet gets before it becomes cells \[bytes\].
    trailer: Bytes,
    /// Number of its next packet.
    serial: u16,
}

impl<U: Grain> Links<U> {
    /// The links of `network`, with room for this many ways.
    pub fn new(network: &Network, seed: u64, end: Instant, vcs: &Vcs, ways: usize) -> Self {
        let told = vcs.guaranteed.iter().zip(&vcs.longest);
        let make = |(link, (vcs, longest)): (&crate::spec::Link, (&Vec<_>, &u64))| {
            Port::new(link, seed, (vcs, *longest), false)
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
            trailer: network.trailer,
            warm: vec![Warm::default(); ports.len()],
            shared: Shared {
                now: Instant::ZERO,
                end,
                bodies: Bodies::default(),
                routes: Vec::new(),
                first: Vec::new(),
                lost: Vec::new(),
                joiners: Vec::new(),
                dead: Vec::new(),
                tape: Tracer::new(Tape::of_fates(), end, vec![(0.0, 0.0); ways.div_ceil(2)]),
                delays,
                broken: false,
            },
            ports,
        }
    }

    /// When [`Links::advance`] has something to do.
    pub fn due(&self) -> Instant {
        self.lines.first().0
    }

    /// What a packet on this way gets before it becomes cells \[bytes\].
    pub fn trailer_of(&self, way: u32) -> Bytes {
        self.ways[way as usize].trailer
    }

    /// Memory that a packet of this length takes while all its units are in queues \[bytes\].
    pub fn weight(&self, bytes: u16) -> usize {
        let units = U::count(Bytes(u64::from(bytes)), self.trailer);
        size_of::<Body>() + usize::from(units) * size_of::<U>()
    }

    /// Number of ways.
    pub fn ways(&self) -> usize {
        self.ways.len()
    }

    /// A discipline has broken the law of holding back.
    pub fn broken(&self) -> bool {
        self.shared.broken
    }

    /// A way along `route`, between hosts, whose packets get a `trailer` before they become cells.
    pub fn add_way(
        &mut self,
        route: &[usize],
        hosts: HostPair,
        ends: (u32, u32),
        trailer: Bytes,
    ) -> u32 {
        assert!(!route.is_empty());
        let shared = &mut self.shared;
        shared.first.push(shared.end_of_routes());
        shared.routes.extend(route.iter().map(|port| *port as u32));
        shared.lost.resize(shared.routes.len(), 0);
        shared.joiners.push(U::Joiner::default());
        shared.dead.push(0);
        self.ways.push(Way {
            hosts,
            ends,
            trailer,
            serial: 0,
        });
        (self.ways.len() - 1) as u32
    }

    /// Moves on to `until`, and adds to `told` what became of packets until then.
    pub fn advance(&mut self, until: Instant, told: &mut Vec<Told>) {
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
            self.tell(told);
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
        self.tell(told);
    }

    /// Adds to `told` what has been decided since this was asked last.
    pub fn tell(&mut self, told: &mut Vec<Told>) {
        self.shared.tape.probe.tell(told);
    }

    fn offer(&mut self, port: usize, unit: U, more: u16) {
        let there = &mut self.ports[port];
        there.offer(unit, more, &mut self.shared);
        if let Some(due) = there.rearm() {
            self.lines.set(port, due);
        }
    }

    /// A packet comes `now`. Events of that time may still be due.
    pub fn send(&mut self, now: Instant, parcel: Parcel) {
        let way = FlowId(parcel.way);
        let it = &mut self.ways[parcel.way as usize];
        let (hosts, ends, trailer, number) = (it.hosts, it.ends, it.trailer, it.serial);
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
        let count = U::count(bytes, trailer);
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
    pub fn catch_up(&mut self, now: Instant) {
        self.shared.now = now;
        let ports = self.ports.iter_mut();
        ports.for_each(|port| port.catch_up(&mut self.shared));
    }

    /// Warm-up ends `now`.
    pub fn warm_up_ends(&mut self, now: Instant) {
        self.catch_up(now);
        for (warm, port) in self.warm.iter_mut().zip(&self.ports) {
            *warm = Warm::of(port, now);
        }
    }

    /// Per direction of a link, units that wait, and the time spent transmitting until `now` \[ps\].
    pub fn look(&mut self, now: Instant) -> Vec<(u64, u64)> {
        self.catch_up(now);
        let ports = self.ports.iter();
        ports.map(|it| (it.backlog(now), it.busy(now))).collect()
    }

    /// The audit of every ledger at the `end`.
    pub fn audit(&self, network: &Network, end: Instant) -> Result<(), Failure> {
        if self.shared.broken {
            Failure::withheld(network, &self.ports)?;
        }
        Failure::unbalanced(network, &self.ports, end)
    }

    /// What the links have measured by the `end`.
    pub fn evidence<'a>(&'a self, network: &'a Network, end: Instant) -> Evidence<'a, U> {
        Evidence {
            network,
            end,
            ports: &self.ports,
            within: None,
            warm: &self.warm,
            machines: &[],
            rates: None,
            connecting: None,
            routes: &self.shared.routes,
            first: &self.shared.first,
            lost: &self.shared.lost,
            dead: &self.shared.dead,
            series: None,
            delays: None,
            batches: None,
        }
    }

    /// What the ways put on each link. `payload` is the payload that each flow of the network has delivered \[bit/s\].
    pub fn loads(&self, network: &Network, payload: &[f64]) -> Vec<Load> {
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
                    let bits = U::line_bits(Bytes(common.mss.0 + common.header.0), network.trailer);
                    load.payload += payload;
                    load.carried += payload * bits as f64 / (common.mss.0 * 8) as f64;
                }
            }
        }
        loads
    }
}
