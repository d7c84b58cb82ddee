//! Connections that come and go, in the world: one begins, one ends, its slot is reused.

use super::{Way, World, ends_of};
use crate::connections::{Connecting, PARTS, Slot, alone, since_later};
use crate::each::Record;
use crate::grain::Grain;
use crate::machine::{Machine, Tally, ack_way, data_way};
use crate::probe::{Begun, Probe};
use crate::route::Routes;
use dupack_core::arrivals::{Arrivals, Begin};
use dupack_core::measure::Bytes;
use dupack_core::time::Instant;
use dupack_core::unit::FlowId;

/// Up to this number, slots are not searched for reusable ones.
const FEW: usize = 256;

impl<'n, U: Grain, P: Probe> World<'n, U, P> {
    pub(super) fn connecting(&mut self) -> &mut Connecting {
        let connecting = self.connecting.as_deref_mut();
        connecting.unwrap_or_else(|| unreachable!("there are connections that come and go"))
    }

    /// Whether this flow of the plan has many connections.
    pub(super) fn is_class(&self, flow: usize) -> bool {
        let connecting = self.connecting.as_deref();
        connecting.is_some_and(|it| it.classes.get(flow).is_some_and(Option::is_some))
    }

    /// The time for new connections of `flow` has come.
    #[cold]
    pub(super) fn wake_class(&mut self, now: Instant, flow: usize) {
        if let Some(class) = &mut self.connecting().classes[flow] {
            if std::mem::replace(&mut class.started, true) {
                class.arrivals.handle_timeout(now);
            } else {
                class.arrivals.handle_start(now);
            }
        }
        self.begin_all(now, flow);
    }

    fn begin_all(&mut self, now: Instant, flow: usize) {
        loop {
            if self.full.is_some() {
                return;
            }
            let Some(class) = &mut self.connecting().classes[flow] else {
                return;
            };
            if let Some(begin) = class.arrivals.poll_begin() {
                self.begin(now, flow, begin);
                continue;
            }
            let due = class.arrivals.poll_timeout().unwrap_or(Instant::NEVER);
            return self.timers.set(self.slots.sender(flow), due);
        }
    }

    /// A connection begins.
    fn begin(&mut self, now: Instant, class: usize, begin: Begin) {
        let network = self.network;
        let spec = &network.flows[class];
        let Some(arrivals) = &spec.arrivals else {
            return;
        };
        let measured = now >= Instant(network.warm_up.0);
        if self.is_out_of_slots() {
            self.full = Some((class, now));
            return;
        }
        let connecting = self.connecting();
        let number = connecting.classes[class].as_ref().map_or(0, |it| it.number);
        let name = format!("{}.{number}", spec.name);
        let (from, to) = (
            arrivals.sources[begin.source],
            arrivals.targets[begin.target],
        );
        // This cannot happen: the plan's reader refuses hosts without a route.
        let Some(there) = connecting.route(from, to, &name) else {
            return;
        };
        let back = Routes::reverse(&there);
        let machine = Machine::begin(spec, &name, connecting.seed, now.0);
        let Some(file) = machine.file else { return };
        let sizes = [Bytes(machine.mss.0), file.last, Bytes(0)];
        let place = Slot {
            class,
            number,
            round: begin.round,
            alone: alone(
                network,
                (&there, &back),
                file.segments,
                sizes.map(|payload| Bytes(payload.0 + machine.header.0)),
            ),
            size: (file.segments - 1) * machine.mss.0 + file.last.0,
            open: true,
            hops: there.len(),
            room: 0,
        };
        connecting.class_of(&place).begins(measured);
        let flow = self.settle(place, machine);
        if P::ON {
            self.shared.tape.probe.begins(Begun {
                flow: class,
                connection: number,
                ways: [there.clone(), back.clone()],
            });
        }
        for (way, route) in [(data_way(flow), there), (ack_way(flow), back)] {
            self.ways[way.0 as usize].ends = ends_of((from, to), way == ack_way(flow));
            self.lead(way, &route, spec.transport.pair.acknowledged());
        }
        if self.is_mine(from) {
            self.wake_sender(now, flow);
        }
    }

    /// Whether there is no slot for one more connection.
    fn is_out_of_slots(&mut self) -> bool {
        let most = self.slots.most();
        if self.machines.len() - self.network.flows.len() < most {
            return false;
        }
        self.sweep_if_needed();
        self.connecting().free.is_empty()
    }

    /// Connections that come and go and are open now.
    pub(super) fn open_connections(&self) -> usize {
        let places = self.connecting.iter().flat_map(|it| &it.places);
        places.filter(|place| place.open).count()
    }

    /// Gives a connection a slot, whose ways are still those of the previous connection.
    fn settle(&mut self, place: Slot, machine: Machine) -> usize {
        self.sweep_if_needed();
        let n = self.network.flows.len();
        if let Some(flow) = self.connecting().free.pop() {
            let known = &mut self.connecting().places[flow - n];
            *known = Slot {
                room: known.room,
                ..place
            };
            self.machines[flow] = machine;
            self.name(flow, place);
            return flow;
        }
        let flow = self.machines.len();
        self.machines.push(machine);
        self.connecting().places.push(place);
        self.timers.grow(self.slots.end(flow));
        for _ in 0..2 {
            self.shared.first.push(self.shared.end_of_routes());
            self.shared.dead.push(0);
            self.shared.joiners.push(U::Joiner::default());
            self.ways.push(Way {
                port: 0,
                hosts: dupack_core::unit::HostPair(0),
                ends: (0, 0),
                serial: 0,
                dscp: 0,
            });
        }
        self.name(flow, place);
        flow
    }

    /// Tells the tape to which connection this slot belongs now.
    fn name(&mut self, flow: usize, place: Slot) {
        if P::ON {
            let sender = &self.machines[flow].sender;
            let windows = (sender.cwnd(), sender.ssthresh());
            self.shared
                .tape
                .name(flow, windows, (place.class, place.number));
        }
    }

    /// Lays a way of a place along a route.
    fn lead(&mut self, way: FlowId, route: &[usize], acknowledged: bool) {
        let network = self.network;
        let at = way.0 as usize;
        let place = &mut self.connecting().places[at / 2 - network.flows.len()];
        let (room, class) = (place.room, place.class);
        // Both ways have the same length. The new room is noted with the second, or the second would not get a new place.
        if route.len() > room && at % 2 == 1 {
            place.room = route.len();
        }
        if route.len() > room {
            self.shared.first[at] = self.shared.end_of_routes();
            self.shared
                .routes
                .extend(route.iter().map(|port| *port as u32));
            self.shared.lost.resize(self.shared.routes.len(), 0);
        } else {
            let places = &mut self.shared.routes[self.shared.first[at] as usize..];
            for (place, port) in places.iter_mut().zip(route) {
                *place = *port as u32;
            }
        }
        let between = (acknowledged, self.ways[at].ends);
        let hosts = self.connecting().hosts(between);
        let port = route[0] as u32;
        self.ways[at] = Way {
            port,
            hosts,
            dscp: network.flows[class].dscp.bits(),
            ..self.ways[at]
        };
    }

    /// A timer of a connection. Which slot it has may be a matter of chance, so its number takes the place of the slot in ties.
    #[inline(never)]
    pub(super) fn set_of_connection(&mut self, flow: usize, slot: usize, at: Instant) {
        let n = self.network.flows.len();
        let place = &self.connecting().places[flow - n];
        // Unlike any slot's number.
        let name = 1 << 63 | (place.class as u64) << 40 | place.number << 1;
        let is_receiver = slot != self.slots.sender(flow);
        self.timers
            .set_named(slot, at, name | u64::from(is_receiver));
    }

    /// A connection may have ended by the ack that its sender has just heard.
    #[inline]
    pub(super) fn look_after(&mut self, now: Instant, flow: usize) {
        if flow >= self.network.flows.len() && self.machines[flow].completed.is_some() {
            self.ends(now, flow);
        }
    }

    /// A connection has ended, unless that is known.
    #[cold]
    fn ends(&mut self, now: Instant, flow: usize) {
        let n = self.network.flows.len();
        let warm_up = Instant(self.network.warm_up.0);
        let at = &mut self.connecting().places[flow - n];
        if !std::mem::replace(&mut at.open, false) {
            return;
        }
        let place = *at;
        self.set_sender(flow, Instant::NEVER);
        self.settle_accounts(now, flow, place);
        let start = self.machines[flow].start;
        match &mut self.part {
            Some(part) => part.ended.push(flow as u32),
            None => self.connecting().ended.push(flow),
        }
        let class = self.connecting().class_of(&place);
        if start >= warm_up {
            class.ends(&place, now - start);
        }
        let begun = class.arrivals.handle_ended(now, place.round);
        if let Some(begun) = begun.filter(|begun| *begun >= warm_up) {
            class.ends_round(now - begun);
        }
        self.begin_all(now, place.class);
    }

    /// Adds the counts of a connection to those of its flow and of the ports.
    fn settle_accounts(&mut self, now: Instant, flow: usize, place: Slot) {
        let warm_up = Instant(self.network.warm_up.0);
        self.counts_of(flow, place);
        let it = &self.machines[flow];
        let first = self.shared.first[data_way(flow).0 as usize] as usize;
        self.shared.tape.probe.ends(&Record {
            place: &place,
            start: it.start,
            completed: it.completed,
            retransmitted: it.tally.retransmitted,
            path: &self.shared.routes[first..first + place.hops],
        });
        let lived = since_later(now, it.start, warm_up);
        let class = self.connecting().class_of(&place);
        class.lived = class.lived + lived;
    }

    /// The same of the counts alone.
    fn counts_of(&mut self, flow: usize, place: Slot) {
        let n = self.network.flows.len();
        let (flows, connections) = self.machines.split_at_mut(n);
        let (class, it) = (&mut flows[place.class], &connections[flow - n]);
        class.adds(it);
        let payload = it.measured().delivered_bytes;
        let carried = u128::from(payload) * u128::from(8 * (it.mss.0 + it.header.0) * PARTS)
            / u128::from(it.mss.0);
        let first = self.shared.first[data_way(flow).0 as usize] as usize;
        let Some(connecting) = self.connecting.as_deref_mut() else {
            return;
        };
        for port in &self.shared.routes[first..first + place.hops] {
            let done = &mut connecting.done[*port as usize];
            done.payload += payload;
            done.carried += carried;
        }
    }

    /// A connection has ended in the part of its sender: counts what its receiver has counted here, or nothing.
    pub(super) fn ended_elsewhere(&mut self, flow: usize) {
        let n = self.network.flows.len();
        let place = &mut self.connecting().places[flow - n];
        place.open = false;
        let place = *place;
        self.counts_of(flow, place);
    }

    /// Looks for slots that can be reused, if there is none. In a divided run all parts do so together, between two windows.
    fn sweep_if_needed(&mut self) {
        if self.part.is_none() && self.connecting().free.is_empty() && self.is_worth_a_sweep() {
            let busy = self.busy();
            self.sweep(
                self.connecting.as_ref().map_or(0, |it| it.ended.len()),
                &busy,
            );
        }
    }

    /// Whether enough connections have ended.
    pub(super) fn is_worth_a_sweep(&self) -> bool {
        let ended = self.connecting.as_ref().map_or(0, |it| it.ended.len());
        let open = self.machines.len() - self.network.flows.len() - ended;
        ended >= FEW.max(open)
    }

    /// Of all machines, those that something is on its way of, or of which an event is to come.
    pub(super) fn busy(&self) -> Vec<bool> {
        let is_due = |machine: &Machine| {
            let due = machine.receiver.poll_timeout();
            due.or(machine.sender.poll_timeout()).is_some()
        };
        let mut busy: Vec<bool> = self.machines.iter().map(is_due).collect();
        for body in self.shared.bodies.kept() {
            busy[body.way().0 as usize / 2] = true;
        }
        busy
    }

    /// Frees the slots of the first `many` connections that have ended, unless they are busy.
    pub(super) fn sweep(&mut self, many: usize, busy: &[bool]) {
        let Some(connecting) = &mut self.connecting else {
            return;
        };
        let (mut free, mut at) = (Vec::new(), 0);
        connecting.ended.retain(|flow| {
            at += 1;
            let done = at <= many && !busy[*flow];
            if done {
                free.push(*flow);
            }
            !done
        });
        for flow in &free {
            self.bury(*flow);
        }
        self.connecting().free.extend(free);
    }

    /// Adds the dead units on both ways of a slot to those of the ports.
    fn bury(&mut self, flow: usize) {
        let n = self.network.flows.len();
        let Some(connecting) = &mut self.connecting else {
            return;
        };
        let hops = connecting.places[flow - n].hops;
        for way in [data_way(flow), ack_way(flow)] {
            let way = way.0 as usize;
            let first = self.shared.first[way] as usize;
            let mut dead = std::mem::take(&mut self.shared.dead[way]) as i64;
            for place in (first..first + hops).rev() {
                connecting.done[self.shared.routes[place] as usize].dead += dead;
                dead += std::mem::take(&mut self.shared.lost[place]);
            }
        }
    }

    /// Warm-up ends: earlier deliveries do not count.
    pub(super) fn forget_connections(&mut self) {
        let Some(connecting) = &mut self.connecting else {
            return;
        };
        for done in &mut connecting.done {
            (done.payload, done.carried) = (0, 0);
        }
    }

    /// The run ends: adds connections that are still open.
    pub(super) fn close_connections(&mut self, end: Instant) {
        let n = self.network.flows.len();
        for flow in n..self.machines.len() {
            let place = self.connecting().places[flow - n];
            if place.open {
                self.settle_accounts(end, flow, place);
            }
            self.bury(flow);
        }
    }

    /// State of the plan's flows now: the sum of their windows, and all counts.
    pub(super) fn sums(&self) -> Vec<(f64, Tally)> {
        let n = self.network.flows.len();
        let own = self.machines[..n].iter();
        let mut sums: Vec<(f64, Tally)> = own.map(|m| (m.sender.cwnd(), m.tally)).collect();
        let Some(connecting) = &self.connecting else {
            return sums;
        };
        for (at, class) in connecting.classes.iter().enumerate() {
            if class.is_some() {
                sums[at].0 = 0.0;
            }
        }
        for (place, machine) in connecting.places.iter().zip(&self.machines[n..]) {
            if place.open {
                sums[place.class].0 += machine.sender.cwnd();
                sums[place.class].1.add(&machine.tally);
            }
        }
        sums
    }
}
