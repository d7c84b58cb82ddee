//! The world: the event loop, and the only place where hosts, links and disciplines meet.

mod ahead;
mod clock;
mod close;
mod connections;
mod divided;
mod failure;
mod paced;
mod part;
mod receive;
mod send;
mod session;
mod slots;
mod whole;
mod within;

use crate::agenda::Agenda;
use crate::ahead::Ahead;
use crate::batches::Batches;
use crate::by_rows::Rows;
use crate::capture::Capture;
use crate::channels::Channels;
use crate::connections::{Between, Connecting};
use crate::delays::Delays;
use crate::grain::Grain;
use crate::machine::Machine;
use crate::packets::Bodies;
use crate::percentiles::Samples;
use crate::port::{Leads, Port};
use crate::probe::{Event, Probe};
use crate::rates::Rates;
use crate::report::{Series, Warm};
use crate::section::Section;
use crate::shared::{Shared, Tracer};
use crate::spec::{Link, Network};
pub use divided::Threads;
use dupack_core::time::Instant;
use dupack_core::transport::Ack;
use dupack_core::transport::repair::Reading;
use dupack_core::unit::{FlowId, HostPair};
pub use failure::Failure;
use part::Part;
pub use session::{FlowNow, LinkNow, Session};
use slots::Slots;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
pub use whole::{
    measure, measure_in_parts, measure_on, most_open, rows, simulate, simulate_in_parts,
    simulate_on,
};

/// A packet's units on one way of one flow.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Its first port.
    port: u32,
    /// Between which hosts.
    hosts: HostPair,
    /// From which host to which.
    ends: (u32, u32),
    /// The number of the next packet.
    serial: u16,
    /// Diffserv code point of its packets.
    dscp: u8,
}

/// The numbers of the hosts from which and to which a way of a flow between two leads, which is that of the acks if it is `back`.
fn ends_of((from, to): (usize, usize), back: bool) -> (u32, u32) {
    let (from, to) = (from as u32, to as u32);
    if back { (to, from) } else { (from, to) }
}

/// The clock's slot.
const CLOCK: usize = 0;

/// A running simulation.
struct World<'n, U: Grain, P: Probe> {
    network: &'n Network,
    /// The ports' events. They are apart from the timers, which are set far less often, so that the tree that every cell uses is low.
    /// At one instant lines come before timers, and the clock before other timers.
    lines: Agenda<false>,
    timers: Agenda<true>,
    ports: Vec<Port<U>>,
    /// The lines of cells within paths of packets, if there are any.
    section: Option<Box<Section<U>>>,
    slots: Slots,
    machines: Vec<Machine>,
    ways: Vec<Way>,
    /// The VC of every place of all ways.
    vcs: Vec<FlowId>,
    /// The number of the next packet on each VC that begins at an edge; the others come before them.
    serials: Vec<u16>,
    shared: Shared<U, P>,
    /// ABR parts beside the machines: `None` if no flow has ABR.
    rates: Option<Box<Rates<U>>>,
    /// Each port when warm-up ended; none if there is no warm-up.
    warm: Vec<Warm>,
    series: Option<Series>,
    sampled: u64,
    /// When the clock ticks next.
    ticks: Instant,
    /// Nothing after this is dealt with ahead of time: something is measured then.
    horizon: Instant,
    /// For each line whose arrivals are dealt with ahead of time, the flows whose receivers it leads to, if acks are delayed; else empty.
    delayers: Vec<Vec<usize>>,
    batches: Option<Box<Batches>>,
    /// Connections that come and go, if there are any.
    connecting: Option<Box<Connecting>>,
    /// Which part of a divided run this is, if it is one.
    part: Option<Box<Part>>,
    /// The flow of which a connection could not begin, because there are too many: the run ends.
    full: Option<(usize, Instant)>,
}

/// The pair of hosts of every way: flows between the same two share one if they speak the same protocol, TCP or UDP.
fn host_pairs(network: &Network) -> (Vec<HostPair>, HashMap<Between, HostPair>) {
    let mut known = HashMap::new();
    let mut pairs = Vec::with_capacity(2 * network.flows.len());
    for flow in &network.flows {
        for back in [false, true] {
            let between = (flow.transport.pair.acknowledged(), ends_of(flow.ends, back));
            let next = HostPair(known.len() as u32);
            pairs.push(*known.entry(between).or_insert(next));
        }
    }
    (pairs, known)
}

/// The ports of all links, each with the captures of `probe` that are on it.
fn ports<U: Grain>(
    network: &Network,
    seed: u64,
    (channels, rates): (&Channels, Option<&Rates<U>>),
    probe: &impl Probe,
) -> Vec<Port<U>> {
    let told = channels.guaranteed.iter().zip(&channels.longest);
    let links = network.links.iter().zip(told).enumerate();
    let port = |(at, (link, (guaranteed, longest))): (usize, (&Link, (&Vec<_>, &u64)))| {
        let abr = rates.is_some_and(|rates| rates.passes(at));
        if link.carries != network.grain {
            return Port::elsewhere(link, seed);
        }
        let mut port = Port::new(link, seed, (guaranteed, *longest), abr);
        port.capture = Capture::new(at, probe.captures());
        port
    };
    links.map(port).collect()
}

/// The links of all ways, one way after the other, and where each way begins.
fn ways(network: &Network) -> (Vec<u32>, Vec<u32>) {
    let (mut routes, mut first) = (Vec::new(), Vec::new());
    for flow in &network.flows {
        for route in [&flow.forward, &flow.back] {
            first.push(routes.len() as u32);
            routes.extend(route.iter().map(|port| *port as u32));
        }
    }
    (routes, first)
}

impl<'n, U: Grain, P: Probe> World<'n, U, P> {
    fn new(network: &'n Network, seed: u64, probe: P) -> Self {
        let channels = Channels::new(network);
        let section = Section::new(network, seed, &channels);
        let rates = Rates::new(network);
        let mut ports = ports(network, seed, (&channels, rates.as_deref()), &probe);
        let (from, to) = (Instant(network.warm_up.0), Instant(network.duration.0));
        let delays =
            (P::SPREADS && network.percentiles).then(|| Delays::new(from, to, network.flows.len()));
        if delays.is_some() {
            (ports.iter_mut()).for_each(|port| port.waits = Some(Box::new(Samples::times())));
        }
        let ahead = if Self::AHEAD {
            Ahead::new(network)
        } else {
            Ahead::none(network)
        };
        for (port, ahead) in ports.iter_mut().zip(ahead.lines) {
            port.ahead = ahead;
            port.set_plain();
        }
        let machines: Vec<_> = network
            .flows
            .iter()
            .map(|flow| Machine::new(flow, seed))
            .collect();
        let (routes, first) = ways(network);
        let slots = Slots::new(network, rates.is_some());
        let mut timers = Agenda::<true>::new(slots.connections);
        let (pairs, known) = host_pairs(network);
        // The clock's comes first, so measuring begins before anything is sent.
        timers.set(CLOCK, Instant::ZERO);
        for (flow, machine) in machines.iter().enumerate() {
            timers.set(slots.senders + flow, machine.start);
        }
        let taped = machines.iter().filter(|_| P::ON);
        let windows = taped.map(|it| (it.sender.cwnd(), it.sender.ssthresh()));
        let windows = windows.collect();
        Self {
            network,
            lines: Agenda::new(ports.len()),
            timers,
            ways: (first.iter().zip(pairs).enumerate())
                .map(|(way, (first, hosts))| Way {
                    port: routes[*first as usize],
                    hosts,
                    ends: ends_of(network.flows[way / 2].ends, way % 2 == 1),
                    serial: 0,
                    dscp: network.flows[way / 2].dscp.bits(),
                })
                .collect(),
            serials: vec![0; channels.count - first.len()],
            vcs: channels.at,
            shared: Shared {
                now: Instant::ZERO,
                end: Instant(network.duration.0),
                bodies: Bodies::default(),
                lost: vec![0; routes.len()],
                joiners: vec![U::Joiner::default(); channels.count],
                dead: vec![0; first.len()],
                routes,
                first,
                tape: Tracer::new(probe, Instant(network.duration.0), windows),
                delays: delays.map(Box::new),
                broken: false,
            },
            rates,
            warm: Vec::new(),
            series: network.sample.map(|_| Series::new(network)),
            sampled: 0,
            ticks: Instant::ZERO,
            horizon: Instant::ZERO,
            delayers: ahead.receivers,
            batches: (network.batches).map(|count| Box::new(Batches::new(from, to, count))),
            connecting: Connecting::new(network, seed, known),
            part: None,
            full: None,
            ports,
            section,
            slots,
            machines,
        }
    }

    fn run(mut self, halt: &AtomicBool, told: &mut dyn FnMut(&dyn Rows)) -> Result<P, Failure> {
        let end = Instant(self.network.duration.0);
        self.advance_until(end, halt)?;
        self.close(end, told)
    }

    /// Serves all events until `end`, that instant's included.
    #[inline(always)]
    fn advance_until(&mut self, end: Instant, halt: &AtomicBool) -> Result<(), Failure> {
        let slots = self.slots;
        self.horizon = self.ticks.min(end);
        loop {
            let (now, port) = self.lines.first();
            let (timer, slot) = self.timers.first();
            if now.min(timer) > end {
                break;
            }
            if now <= timer {
                self.advance(now, port);
            } else if slot == CLOCK {
                self.tick(timer);
                self.horizon = self.ticks.min(end);
            } else if slot < slots.receivers {
                if halt.load(Ordering::Relaxed) {
                    return Err(Failure::Halted);
                }
                if self.shared.broken {
                    break;
                }
                if let Some((flow, at)) = self.full {
                    return Err(self.is_full(flow, at));
                }
                self.wake_sender(timer, slot - slots.senders);
            } else if slot < slots.sources {
                self.wake_receiver(timer, slot - slots.receivers);
            } else if slot < slots.connections {
                self.drive(timer, FlowId((slot - slots.sources) as u32));
            } else {
                let at = slot - slots.connections;
                let flow = slots.flows + at / slots.each;
                if at.is_multiple_of(slots.each) {
                    self.wake_sender(timer, flow);
                } else {
                    self.wake_receiver(timer, flow);
                }
            }
        }
        match self.full {
            Some((flow, at)) => Err(self.is_full(flow, at)),
            None => Ok(()),
        }
    }

    /// Why the run cannot go on.
    #[cold]
    fn is_full(&self, flow: usize, at: Instant) -> Failure {
        Failure::Full {
            flow: self.network.flows[flow].name.clone(),
            at,
            open: self.open_connections(),
        }
    }

    /// A port's event.
    #[inline(always)]
    fn advance(&mut self, now: Instant, port: usize) {
        self.shared.now = now;
        if Self::AHEAD && self.ports[port].ahead {
            return self.advance_ahead(port);
        }
        let here = &mut self.ports[port];
        let (arrived, next) = here.advance(&mut self.shared);
        here.due = next;
        let leads = here.leads;
        self.lines.set(port, next);
        let Some(mut unit) = arrived else {
            if leads == Leads::Elsewhere {
                self.advance_cells(now);
            }
            return;
        };
        self.ports[port].capture_far(&unit, &mut self.shared);
        match leads {
            Leads::Switch => {
                unit.pass();
                self.offer(self.shared.port(&unit), unit, 0);
            }
            Leads::Host | Leads::RateHost => self.arrive(now, unit.way(), unit.body()),
            Leads::Edge => self.forward(unit),
            Leads::Elsewhere => unreachable!("nothing is offered to a line whose place is taken"),
            Leads::RateSwitch => self.switch(unit),
        }
    }

    /// A whole packet has arrived at an edge, of which `unit` is the last: it goes on, on the VC that begins there.
    fn forward(&mut self, mut unit: U) {
        unit.pass();
        if self.section.is_some() {
            return self.pass_edge(unit);
        }
        let place = self.shared.place(&unit);
        let vc = self.vcs[place];
        let serial = &mut self.serials[vc.0 as usize - self.ways.len()];
        let number = *serial;
        *serial = serial.wrapping_add(1);
        let (old, way, body) = (unit.serial(), unit.way(), unit.body());
        let (first, more) = unit.again(vc, number);
        if let Some(kept) = self.shared.bodies.get(body, way, old) {
            kept.renumber(first.serial());
        }
        self.offer(self.shared.routes[place] as usize, first, more);
    }

    #[inline(always)]
    fn offer(&mut self, port: usize, unit: U, more: u16) {
        let there = &mut self.ports[port];
        if U::OVERTAKES && there.plain {
            return self.send_on(port, unit);
        }
        there.offer(unit, more, &mut self.shared);
        if Self::AHEAD && there.ahead {
            self.go_ahead(port);
        }
        if let Some(due) = self.ports[port].rearm() {
            self.lines.set(port, due);
        }
    }

    /// The timer of a flow's sender.
    #[inline(always)]
    fn set_sender(&mut self, flow: usize, at: Instant) {
        let slot = self.slots.sender(flow);
        if flow < self.slots.flows {
            self.timers.set(slot, at);
        } else {
            self.set_of_connection(flow, slot, at);
        }
    }

    /// The timer of a flow's receiver.
    fn set_receiver(&mut self, flow: usize, at: Instant) {
        let slot = self.slots.receiver(flow);
        if flow < self.slots.flows {
            self.timers.set(slot, at);
        } else {
            self.set_of_connection(flow, slot, at);
        }
    }

    /// The sender gets an ack.
    fn hear(&mut self, now: Instant, flow: usize, ack: &Ack, sent: Option<Instant>) {
        let machine = &mut self.machines[flow];
        machine.active = now;
        machine.tally.acks += 1;
        if let Some(sent) = sent {
            machine.tally.rtt.0 += u128::from((now - sent).0);
            machine.tally.rtt.1 += 1;
            if P::SPREADS
                && let Some(delays) = &mut self.shared.delays
            {
                let of =
                    (self.connecting.as_ref()).map_or(flow, |connecting| connecting.flow_of(flow));
                delays.returns(now, of, now - sent);
            }
        }
        let before = machine.sender.acknowledged();
        let heard = machine.sender.handle_ack(now, ack);
        if heard.measured {
            machine.tally.rto.0 += u128::from(machine.sender.rto().0);
            machine.tally.rto.1 += 1;
        }
        machine.tell_application(now);
        self.count(now, flow, heard.reading);
        if P::ON {
            let una = self.machines[flow].sender.acknowledged();
            let changed = self.refresh(flow);
            // An ack of new data may reveal a loss as well, by its report of later segments.
            if una > before {
                self.shared.tape.heard(now, flow, Event::Ack, ack);
            } else if heard.reading != Reading::Stale {
                self.shared.tape.heard(now, flow, Event::DupAck, ack);
            }
            self.tape_reading(now, flow, heard.reading, changed);
        }
        self.pump(now, flow);
        self.look_after(now, flow);
    }

    /// Counts the loss or the timeout that the sender has found, by an ack or a timer, if it is one.
    #[inline(always)]
    fn count(&mut self, now: Instant, flow: usize, reading: Reading) {
        match reading {
            Reading::Loss { .. } => self.machines[flow].tally.fast_retransmits += 1,
            Reading::Timeout => {
                self.machines[flow].tally.timeouts += 1;
                self.waited(now, flow);
            }
            Reading::Probe => self.machines[flow].tally.probes += 1,
            _ => {}
        }
    }

    /// The same on the tape, and the window if it has changed.
    fn tape_reading(&mut self, now: Instant, flow: usize, reading: Reading, changed: bool) {
        let una = self.machines[flow].sender.acknowledged();
        let event = match reading {
            Reading::Loss { .. } => Some(Event::FastRetransmit),
            Reading::Timeout => Some(Event::Timeout),
            _ => None,
        };
        for event in event.into_iter().chain(changed.then_some(Event::Cwnd)) {
            self.shared.tape.row(now, flow, event, una);
        }
    }

    /// The sender's timer, or its application's: its start is one.
    fn wake_sender(&mut self, now: Instant, flow: usize) {
        if self.is_class(flow) {
            return self.wake_class(now, flow);
        }
        let machine = &mut self.machines[flow];
        machine.armed = Instant::NEVER;
        if machine.wake_application(now) {
            self.tape_window(now, flow);
        } else {
            let reading = machine.sender.handle_timeout(now);
            if reading != Reading::Stale {
                self.count(now, flow, reading);
                if P::ON {
                    let changed = self.refresh(flow);
                    self.tape_reading(now, flow, reading, changed);
                }
            }
        }
        self.pump(now, flow);
    }

    /// The window at the start of a flow.
    fn tape_window(&mut self, now: Instant, flow: usize) {
        if P::ON {
            self.refresh(flow);
            self.shared.tape.row(now, flow, Event::Cwnd, 0);
        }
    }

    /// Brings the tape's windows up to date; true if cwnd has changed.
    fn refresh(&mut self, flow: usize) -> bool {
        let sender = &self.machines[flow].sender;
        let windows = (sender.cwnd(), sender.ssthresh());
        std::mem::replace(&mut self.shared.tape.windows[flow], windows).0 != windows.0
    }
}
