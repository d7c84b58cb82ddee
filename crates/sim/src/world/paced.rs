//! ABR in the world: sources that pace cells, RM cells in the network, markers that they pass, destinations that turn them around.
//!
//! A source is in its host before the first link. Cells of VCs with a source are offered to ports here, and only here, so that
//! others pay nothing.

use super::World;
use crate::grain::Grain;
use crate::packets::{Body, Left, Payload};
use crate::probe::Probe;
use crate::rates::other_way;
use dupack_core::abr::rm_cell::RmCell;
use dupack_core::abr::source::Sent;
use dupack_core::abr::switch::RateMarker;
use dupack_core::time::Instant;
use dupack_core::unit::{Ecn, FlowId};

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Whether a source paces this way.
    #[inline]
    pub(super) fn is_paced(&self, way: FlowId) -> bool {
        match &self.rates {
            None => false,
            Some(rates) => rates.ends[way.0 as usize].is_some(),
        }
    }

    /// A packet, `first` and the `more` units that follow it, comes to wait in the source of its way.
    #[cold]
    pub(super) fn pace(&mut self, now: Instant, way: FlowId, first: U, more: u16) {
        if let Some(end) = self.end(way) {
            end.meter.begin(now);
            end.waiting.push_back((first, more));
            end.source.handle_data(u64::from(more) + 1);
        }
        self.drive(now, way);
    }

    fn end(&mut self, way: FlowId) -> Option<&mut crate::rates::End<U>> {
        self.rates.as_mut()?.ends[way.0 as usize].as_mut()
    }

    /// Sends the cells that the source of a way may send now, and sets its timer.
    pub(super) fn drive(&mut self, now: Instant, way: FlowId) {
        while let Some(sent) = self.end(way).and_then(|end| end.source.poll_transmit(now)) {
            let unit = match sent {
                Sent::Data => self.next_cell(way),
                Sent::ForwardRm(rm) => self.rm_cell(now, way, rm),
                Sent::BackwardRm => {
                    let rates = self.rates.as_mut();
                    let turned = rates.and_then(|rates| {
                        rates.destinations[other_way(way).0 as usize].poll_backward_rm()
                    });
                    turned.and_then(|rm| self.rm_cell(now, way, rm))
                }
            };
            let Some(unit) = unit else {
                unreachable!("a source sends what it was told of")
            };
            if let Some(end) = self.end(way) {
                end.meter.sums.sent += 1;
                end.meter.sums.forward_rm += u64::from(matches!(sent, Sent::ForwardRm(_)));
            }
            self.shared.now = now;
            self.put(self.ways[way.0 as usize].port as usize, unit);
        }
        let Some(end) = self.end(way) else { return };
        end.note(now);
        let due = end.source.poll_timeout().unwrap_or(Instant::NEVER);
        self.timers.set(self.slots.sources + way.0 as usize, due);
    }

    /// The data cell that has waited longest.
    fn next_cell(&mut self, way: FlowId) -> Option<U> {
        let end = self.end(way)?;
        let (unit, more) = end.waiting.pop_front()?;
        if let Some(more) = more.checked_sub(1) {
            end.waiting.push_front((unit.following(), more));
        }
        Some(unit)
    }

    /// An RM cell, about to go on this way.
    fn rm_cell(&mut self, now: Instant, way: FlowId, rm: RmCell) -> Option<U> {
        let serial = &mut self.ways[way.0 as usize].serial;
        let number = *serial;
        *serial = serial.wrapping_add(1);
        let body = self.shared.bodies.put(Body {
            way,
            serial: number,
            sent: now,
            damaged: false,
            left: Left::Whole,
            ecn: Ecn::NotEct,
            kind: Payload::Rm(rm),
        });
        U::control(way, body, number)
    }

    /// A unit has come to a switch that ABR's cells pass.
    #[inline(never)]
    pub(super) fn switch(&mut self, mut unit: U) {
        unit.pass();
        let port = self.shared.port(&unit);
        if unit.is_control() || self.is_paced(unit.way()) {
            self.put(port, unit);
        } else {
            self.offer(port, unit, 0);
        }
    }

    /// A cell of an ABR VC is offered to a port: markers see it first.
    fn put(&mut self, port: usize, unit: U) {
        let (now, way) = (self.shared.now, unit.way());
        let Self {
            ports,
            shared,
            rates,
            ..
        } = self;
        let Some(rates) = rates else { return };
        let forward = |shared: &mut crate::shared::Shared<U, P>| {
            unit.is_control() && !shared.bodies.rm_cell(unit.body()).backward
        };
        if let Some(marker) = &mut rates.markers[port] {
            ports[port].catch_up(shared);
            let backlog = ports[port].backlog(now);
            marker.on_cell(now, way, backlog);
            if forward(shared) {
                let rm = shared.bodies.rm_cell(unit.body());
                marker.on_forward(now, way, rm, backlog);
            }
        }
        if !unit.is_control() {
            self.offer(port, unit, 0);
            return;
        }
        if !forward(&mut self.shared) && unit.hop() > 0 {
            let hops = self.hops(way);
            self.answer(way, hops - unit.hop() as usize, unit.body());
        }
        let there = &mut self.ports[port];
        there.offer_control(unit, &mut self.shared);
        if let Some(due) = there.rearm() {
            self.lines.set(port, due);
        }
    }

    /// Links of a way.
    fn hops(&self, way: FlowId) -> usize {
        let first = &self.shared.first;
        let end = first.get(way.0 as usize + 1).copied();
        let end = end.unwrap_or_else(|| self.shared.end_of_routes());
        (end - first[way.0 as usize]) as usize
    }

    /// A backward RM cell on `way` passes the node that the data leave by link `hop` of their way: its marker answers.
    fn answer(&mut self, way: FlowId, hop: usize, body: dupack_core::unit::BodyId) {
        let data = other_way(way);
        let now = self.shared.now;
        let place = self.shared.first[data.0 as usize] as usize + hop;
        let port = self.shared.routes[place] as usize;
        let Some(marker) = self.rates.as_mut().and_then(|it| it.markers[port].as_mut()) else {
            return;
        };
        self.ports[port].catch_up(&mut self.shared);
        let backlog = self.ports[port].backlog(now);
        let rm = self.shared.bodies.rm_cell(body);
        marker.on_backward(now, data, rm, backlog);
    }

    /// An RM cell has arrived at the end of its way.
    #[cold]
    pub(super) fn hear_rm(&mut self, now: Instant, way: FlowId, rm: RmCell) {
        let other = other_way(way);
        if rm.backward {
            if let Some(end) = self.end(other) {
                end.source.handle_backward_rm(now, &rm);
                end.meter.sums.backward_rm += 1;
            }
            return self.drive(now, other);
        }
        let Some(rates) = &mut self.rates else { return };
        rates.destinations[way.0 as usize].handle_forward_rm(rm);
        if let Some(end) = &mut rates.ends[other.0 as usize] {
            end.source.handle_turned();
            return self.drive(now, other);
        }
        let turned = rates.destinations[way.0 as usize].poll_backward_rm();
        if let Some(unit) = turned.and_then(|rm| self.rm_cell(now, other, rm)) {
            self.shared.now = now;
            self.put(self.ways[other.0 as usize].port as usize, unit);
        }
    }
}
