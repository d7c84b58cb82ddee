//! The world: the event loop, and the only place where hosts, links and disciplines meet.

use crate::agenda::Agenda;
use crate::body::{Bodies, Body, Kind};
use crate::grain::Grain;
use crate::machine::{Machine, ack_way, data_way};
use crate::port::{Context, Port, Tracer};
use crate::probe::{Event, Probe};
use crate::report::{Report, Series};
use crate::spec::Network;
use dupack_core::measure::Bytes;
use dupack_core::queue::Grain as Carries;
use dupack_core::time::Instant;
use dupack_core::transport::Ack;
use dupack_core::transport::repair::Reading;
use dupack_core::unit::{Cell, FlowId, Packet};

/// The law of the ledger does not hold somewhere: a bug in a discipline or in the simulator, never in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The link.
    pub link: String,
    /// The account.
    pub account: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the ledger of link {} does not balance: {}", self.link, self.account)
    }
}

impl std::error::Error for Broken {}

/// Runs `network` with `seed` to its end, and audits every ledger.
///
/// # Errors
/// [`Broken`] if a ledger does not balance.
pub fn simulate<P: Probe>(network: &Network, seed: u64, probe: P) -> Result<(Report, P), Broken> {
    match network.grain {
        Carries::Cells => World::<Cell, P>::new(network, seed, probe).run(),
        Carries::Packets => World::<Packet, P>::new(network, seed, probe).run(),
    }
}

/// A packet's units on one way of one flow.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Where its route begins in `World::routes`.
    first: usize,
    /// The number of the next packet.
    serial: u16,
}

/// A running simulation. Slots of the agenda: ports, then senders, then receivers, then the clock of warm-up and samples.
struct World<'n, U: Grain, P: Probe> {
    network: &'n Network,
    agenda: Agenda,
    ports: Vec<Port<U>>,
    machines: Vec<Machine>,
    bodies: Bodies,
    ways: Vec<Way>,
    /// The ports of every way, one way after another.
    routes: Vec<usize>,
    /// Where each way begins in `routes` (for the ledgers).
    first: Vec<usize>,
    /// Units dropped at each place of `routes`.
    lost: Vec<u64>,
    joiners: Vec<U::Joiner>,
    dead: Vec<u64>,
    tape: Tracer<P>,
    /// Waiting time and work of each port when warm-up ended.
    warm: Vec<(u128, u64)>,
    series: Option<Series>,
    sampled: u64,
}

impl<'n, U: Grain, P: Probe> World<'n, U, P> {
    fn new(network: &'n Network, seed: u64, probe: P) -> Self {
        let ports: Vec<_> = network.links.iter().map(Port::new).collect();
        let machines: Vec<_> = network.flows.iter().map(|flow| Machine::new(flow, seed)).collect();
        let (mut routes, mut first) = (Vec::new(), Vec::new());
        for flow in &network.flows {
            for route in [&flow.forward, &flow.back] {
                first.push(routes.len());
                routes.extend(route);
            }
        }
        let mut agenda = Agenda::new(ports.len() + 2 * machines.len() + 1);
        // Set first: measuring begins before anything is sent.
        agenda.set(ports.len() + 2 * machines.len(), Instant::ZERO);
        for (flow, machine) in machines.iter().enumerate() {
            agenda.set(ports.len() + flow, machine.start);
        }
        let windows = if P::ON { machines.iter().map(|m| (m.sender.cwnd(), m.sender.ssthresh())).collect() } else { Vec::new() };
        Self {
            network,
            agenda,
            bodies: Bodies::default(),
            ways: first.iter().map(|first| Way { first: *first, serial: 0 }).collect(),
            lost: vec![0; routes.len()],
            joiners: vec![U::Joiner::default(); first.len()],
            dead: vec![0; first.len()],
            tape: Tracer { probe, windows },
            warm: vec![(0, 0); ports.len()],
            series: network.sample.map(|_| Series::new(network)),
            sampled: 0,
            ports,
            machines,
            routes,
            first,
        }
    }

    fn run(mut self) -> Result<(Report, P), Broken> {
        let end = Instant(self.network.duration.0);
        let (senders, receivers) = (self.ports.len(), self.ports.len() + self.machines.len());
        let clock = receivers + self.machines.len();
        loop {
            let (now, slot) = self.agenda.first();
            if now > end {
                break;
            }
            if slot < senders {
                self.advance(now, slot);
            } else if slot < receivers {
                self.wake_sender(now, slot - senders);
            } else if slot < clock {
                self.wake_receiver(now, slot - receivers);
            } else {
                self.tick(now);
            }
        }
        self.close(end)
    }

    /// A port's event.
    #[inline]
    fn advance(&mut self, now: Instant, port: usize) {
        let (ports, mut context) = self.split(now);
        let arrived = ports[port].advance(&mut context);
        let next = ports[port].next_event();
        self.agenda.set(port, next);
        if let Some(mut unit) = arrived {
            let at = self.first[unit.flow().0 as usize] + unit.hop() as usize + 1;
            if self.network.links[port].to_host {
                self.arrive(now, unit.flow(), unit.body());
            } else {
                unit.pass();
                self.offer(now, self.routes[at], unit, 0);
            }
        }
    }

    #[inline]
    fn offer(&mut self, now: Instant, port: usize, unit: U, more: u16) {
        let (ports, mut context) = self.split(now);
        let before = ports[port].next_event();
        ports[port].offer(unit, more, &mut context);
        let next = ports[port].next_event();
        if next != before {
            self.agenda.set(port, next);
        }
    }

    #[inline]
    fn split(&mut self, now: Instant) -> (&mut [Port<U>], Context<'_, U, P>) {
        let context = Context {
            now,
            bodies: &mut self.bodies,
            lost: &mut self.lost,
            first: &self.first,
            joiners: &mut self.joiners,
            dead: &mut self.dead,
            tape: &mut self.tape,
        };
        (&mut self.ports, context)
    }

    /// Sends a packet of `bytes` on a way.
    fn emit(&mut self, now: Instant, way: FlowId, bytes: Bytes, kind: Kind) {
        let Way { first, serial } = &mut self.ways[way.0 as usize];
        let (port, number) = (self.routes[*first], *serial);
        *serial = serial.wrapping_add(1);
        let body = self.bodies.put(Body { way, serial: number, sent: now, damaged: false, kind });
        let count = U::count(bytes, self.network.trailer);
        self.offer(now, port, U::first(way, body, number, bytes, count), count - 1);
    }

    /// A whole packet has arrived at its host.
    fn arrive(&mut self, now: Instant, way: FlowId, body: dupack_core::unit::BodyId) {
        let body = self.bodies.take(body);
        let flow = way.0 as usize / 2;
        match body.kind {
            Kind::Data { segment, again } => self.receive(now, flow, segment, (!again).then_some(body.sent)),
            Kind::Ack { ack, sent } => self.hear(now, flow, &ack, sent),
        }
    }

    fn receive(&mut self, now: Instant, flow: usize, segment: u64, sent: Option<Instant>) {
        let machine = &mut self.machines[flow];
        let arrival = machine.receiver.handle_segment(now, segment);
        machine.echo = sent;
        for delivered in arrival.delivered.from..arrival.delivered.to {
            machine.tally.delivered += 1;
            machine.tally.delivered_bytes += machine.payload(delivered).0;
            self.tape.mark(now, flow, Event::Deliver, delivered);
        }
        if let Some(ack) = arrival.ack {
            self.acknowledge(now, flow, ack);
        }
        let machine = &self.machines[flow];
        if let Some(due) = machine.receiver.poll_timeout() {
            // Left pending when the ack goes out earlier: a stale wake-up does nothing.
            self.agenda.set(self.ports.len() + self.machines.len() + flow, due);
        }
    }

    fn wake_receiver(&mut self, now: Instant, flow: usize) {
        let machine = &mut self.machines[flow];
        let ack = machine.receiver.handle_timeout(now);
        let due = machine.receiver.poll_timeout().unwrap_or(Instant::NEVER);
        self.agenda.set(self.ports.len() + self.machines.len() + flow, due);
        if let Some(ack) = ack {
            self.acknowledge(now, flow, ack);
        }
    }

    fn acknowledge(&mut self, now: Instant, flow: usize, ack: Ack) {
        let (sent, header) = (self.machines[flow].echo, self.machines[flow].header);
        self.emit(now, ack_way(flow), header, Kind::Ack { ack, sent });
    }

    /// The sender gets an ack.
    fn hear(&mut self, now: Instant, flow: usize, ack: &Ack, sent: Option<Instant>) {
        let machine = &mut self.machines[flow];
        machine.active = now;
        machine.tally.acks += 1;
        if let Some(sent) = sent {
            machine.tally.rtt.0 += u128::from((now - sent).0);
            machine.tally.rtt.1 += 1;
        }
        let heard = machine.sender.handle_ack(now, ack);
        if heard.measured {
            machine.tally.rto.0 += u128::from(machine.sender.rto().0);
            machine.tally.rto.1 += 1;
        }
        let lost = matches!(heard.reading, Reading::Loss { .. });
        machine.tally.fast_retransmits += u64::from(lost);
        if let Some((segments, _)) = machine.file
            && machine.completed.is_none()
            && machine.sender.acknowledged() >= segments
        {
            machine.completed = Some(now);
        }
        if P::ON {
            let una = machine.sender.acknowledged();
            let changed = self.refresh(flow);
            match heard.reading {
                Reading::Advance(_) => self.tape.mark(now, flow, Event::Ack, ack.next),
                Reading::Duplicate | Reading::Loss { .. } => self.tape.mark(now, flow, Event::DupAck, ack.next),
                Reading::Stale => {}
            }
            if lost {
                self.tape.mark(now, flow, Event::FastRetransmit, una);
            }
            if changed {
                self.tape.mark(now, flow, Event::Cwnd, una);
            }
        }
        self.pump(now, flow);
    }

    /// The sender's timer, or the start of its flow.
    fn wake_sender(&mut self, now: Instant, flow: usize) {
        let machine = &mut self.machines[flow];
        machine.armed = Instant::NEVER;
        if !machine.started && machine.start <= now {
            machine.begin();
            self.tape_window(now, flow);
        } else if machine.sender.handle_timeout(now) {
            machine.tally.timeouts += 1;
            // Idle since it last sent or heard anything; of that, what lies before the end of warm-up is not counted there.
            let idle = now - machine.active;
            machine.tally.idle = machine.tally.idle + idle;
            let before = Instant(self.network.warm_up.0).since(machine.active);
            machine.warm.idle = machine.warm.idle + before;
            machine.active = now;
            if P::ON {
                let una = self.machines[flow].sender.acknowledged();
                let changed = self.refresh(flow);
                self.tape.mark(now, flow, Event::Timeout, una);
                if changed {
                    self.tape.mark(now, flow, Event::Cwnd, una);
                }
            }
        }
        self.pump(now, flow);
    }

    /// The window at the start of a flow.
    fn tape_window(&mut self, now: Instant, flow: usize) {
        if P::ON {
            self.refresh(flow);
            self.tape.mark(now, flow, Event::Cwnd, 0);
        }
    }

    /// Brings the tape's windows up to date; true if cwnd has changed.
    fn refresh(&mut self, flow: usize) -> bool {
        let sender = &self.machines[flow].sender;
        let windows = (sender.cwnd(), sender.ssthresh());
        std::mem::replace(&mut self.tape.windows[flow], windows).0 != windows.0
    }

    /// Sends all that the sender may send now, and sees to its timer.
    fn pump(&mut self, now: Instant, flow: usize) {
        while let Some(transmit) = self.machines[flow].sender.poll_transmit(now) {
            let machine = &mut self.machines[flow];
            machine.active = now;
            machine.tally.sent += 1;
            machine.tally.retransmitted += u64::from(transmit.again);
            let bytes = Bytes(machine.payload(transmit.segment).0 + machine.header.0);
            let event = if transmit.again { Event::Retransmit } else { Event::Send };
            self.tape.mark(now, flow, event, transmit.segment);
            let kind = Kind::Data { segment: transmit.segment, again: transmit.again };
            self.emit(now, data_way(flow), bytes, kind);
        }
        let machine = &mut self.machines[flow];
        let deadline = machine.deadline();
        // A timer that was put off keeps its earlier wake-up, which will find nothing to do and set the next.
        if deadline < machine.armed {
            machine.armed = deadline;
            self.agenda.set(self.ports.len() + flow, deadline);
        } else if machine.armed == Instant::NEVER {
            self.agenda.set(self.ports.len() + flow, Instant::NEVER);
        }
    }

    /// Warm-up ends, or a sample is due.
    fn tick(&mut self, now: Instant) {
        let warm_up = Instant(self.network.warm_up.0);
        if now == warm_up {
            for (warm, port) in self.warm.iter_mut().zip(&self.ports) {
                *warm = (port.area(now), port.busy(now));
            }
            for machine in &mut self.machines {
                // Idle time that began before and is booked later was put here ahead (see `wake_sender`): keep it.
                machine.warm = machine.tally;
            }
        }
        let mut next = if now < warm_up { warm_up } else { Instant::NEVER };
        if let (Some(every), Some(series)) = (self.network.sample, &mut self.series) {
            let due = Instant(every.0.saturating_mul(self.sampled));
            if now == due {
                self.sampled += 1;
                let backlogs = self.ports.iter().map(|port| port.backlog(now));
                let windows = self.machines.iter().map(|m| m.sender.cwnd());
                series.take(now, backlogs, windows);
            }
            next = next.min(Instant(every.0.saturating_mul(self.sampled)));
        }
        let clock = self.ports.len() + 2 * self.machines.len();
        self.agenda.set(clock, next);
    }

    /// The end: audit, then report.
    fn close(self, end: Instant) -> Result<(Report, P), Broken> {
        for (link, port) in self.network.links.iter().zip(&self.ports) {
            let (counts, balance) = (&port.counts, port.balance(end));
            let inflow = counts.offered + counts.minted;
            let outflow =
                balance.sent + counts.dropped.iter().sum::<u64>() + balance.waiting + balance.in_service;
            if inflow != outflow {
                let account = format!("{counts:?} {balance:?}");
                return Err(Broken { link: link.name.clone(), account });
            }
        }
        let report = Report::new(&crate::report::Evidence {
            network: self.network,
            end,
            ports: &self.ports,
            warm: &self.warm,
            machines: &self.machines,
            routes: &self.routes,
            first: &self.first,
            lost: &self.lost,
            dead: &self.dead,
            count: |bytes, trailer| U::count(bytes, trailer),
            series: self.series,
        });
        Ok((report, self.tape.probe))
    }
}
