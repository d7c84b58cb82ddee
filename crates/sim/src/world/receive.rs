//! Arrivals at hosts, and the answers of receivers.

use super::World;
use crate::grain::Grain;
use crate::machine::{ack_way, data_way};
use crate::packets::{Body, Common, Left, Payload};
use crate::probe::{Event, Probe};
use dupack_core::time::Instant;
use dupack_core::transport::Ack;
use dupack_core::unit::{BodyId, CONTROL, Ecn, FlowId};
use std::hint::black_box;

/// The machines of fewer flows stay in a cache of 1 MiB.
const MANY: usize = 500;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// A whole packet has arrived at its host.
    pub(super) fn arrive(&mut self, now: Instant, way: FlowId, body: BodyId) {
        let flow = way.0 as usize / 2;
        self.glance(way, flow);
        let kept = self.shared.bodies.free(body);
        match kept.common() {
            Some(Common::Data {
                segment,
                id,
                sent,
                ecn,
                cwr,
            }) => {
                if ecn.is_capable() || cwr {
                    self.receive_ecn(now, flow, segment, (ecn, cwr));
                }
                self.receive(now, flow, (segment, id), sent);
            }
            Some(Common::InOrder { next, id, sent }) => {
                let ack = Ack {
                    next,
                    cause: next - 1,
                    id,
                    ..Ack::default()
                };
                self.hear(now, flow, &ack, sent);
            }
            None => {
                let body = self.shared.bodies.open(kept);
                self.receive_other(now, way, &body);
            }
        }
    }

    /// Reads from the cache lines that an arrival needs, before it needs them. With many flows none of them is in the cache. If they are
    /// asked for one by one, in the course of the work, each takes its time; asked for at once, they come together.
    #[inline(always)]
    fn glance(&self, way: FlowId, flow: usize) {
        if self.machines.len() < MANY {
            return;
        }
        let machine = &self.machines[flow];
        if way == ack_way(flow) {
            let out = &self.ports[self.ways[data_way(flow).0 as usize].port as usize];
            black_box(machine.glance_for_ack() ^ out.glance());
        } else {
            let back = &self.ways[way.0 as usize ^ 1];
            black_box(machine.glance_for_data() ^ u64::from(back.port));
        }
    }

    /// The same of a packet that is none of the common ones.
    #[inline(never)]
    fn receive_other(&mut self, now: Instant, way: FlowId, body: &Body) {
        let flow = way.0 as usize / 2;
        if body.left != Left::Whole {
            return self.receive_rest(now, way, body);
        }
        match body.kind {
            Payload::Data { .. } => unreachable!("whole data is common"),
            Payload::Ack { ack, sent } => self.hear(now, flow, &ack, sent),
            Payload::Rm(rm) => self.hear_rm(now, way, rm),
        }
    }

    /// The header that is left of a packet has arrived at its host.
    #[cold]
    fn receive_rest(&mut self, now: Instant, way: FlowId, body: &Body) {
        self.shared.dead[way.0 as usize] += 1;
        let flow = way.0 as usize / 2;
        // A truncated or trimmed ack is ignored.
        let Payload::Data { segment, id, .. } = body.kind else {
            return;
        };
        let machine = &mut self.machines[flow];
        let ack = match body.left {
            Left::Trimmed => machine.receiver.handle_trimmed(now, segment, id),
            Left::Truncated | Left::Whole => machine.receiver.handle_damaged(now),
        };
        if let Some(ack) = ack {
            // The ack that a damaged packet causes gives no sample of the round-trip time.
            machine.echo = None;
            self.acknowledge(now, flow, ack);
        }
    }

    /// The ECN field of a data packet, and whether its sender has reduced its window since the last echo, for the receiver.
    #[cold]
    fn receive_ecn(&mut self, now: Instant, flow: usize, segment: u64, (ecn, cwr): (Ecn, bool)) {
        let receiver = &mut self.machines[flow].receiver;
        if let Some(ack) = receiver.handle_ecn(now, segment, ecn, cwr) {
            self.acknowledge(now, flow, ack);
        }
    }

    /// The receiver gets a segment, by its number and its transmission's.
    fn receive(
        &mut self,
        now: Instant,
        flow: usize,
        (segment, id): (u64, u64),
        sent: Option<Instant>,
    ) {
        let machine = &mut self.machines[flow];
        if machine.receiver.handle_next(segment, id) {
            machine.echo = sent;
            machine.reads(now, segment, sent);
            let header = machine.header;
            self.shared.tape.row(now, flow, Event::Deliver, segment);
            let way = ack_way(flow);
            return self.emit(
                now,
                way,
                header,
                (CONTROL, Ecn::NotEct),
                |bodies, serial| bodies.put_in_order((way, serial), (segment + 1, id), sent),
            );
        }
        let arrival = machine.receiver.handle_segment(now, segment, id);
        machine.echo = sent;
        for delivered in arrival.delivered.from..arrival.delivered.to {
            machine.reads(now, delivered, sent);
            self.shared.tape.row(now, flow, Event::Deliver, delivered);
        }
        if let Some(ack) = arrival.ack {
            self.acknowledge(now, flow, ack);
        }
        let machine = &self.machines[flow];
        if let Some(due) = machine.receiver.poll_timeout() {
            // If the ack goes out earlier, this event stays: a stale wake-up does nothing.
            self.set_receiver(flow, due);
        }
    }

    pub(super) fn wake_receiver(&mut self, now: Instant, flow: usize) {
        let machine = &mut self.machines[flow];
        let ack = machine.receiver.handle_timeout(now);
        let due = machine.receiver.poll_timeout().unwrap_or(Instant::NEVER);
        self.set_receiver(flow, due);
        if let Some(ack) = ack {
            self.acknowledge(now, flow, ack);
        }
    }

    fn acknowledge(&mut self, now: Instant, flow: usize, ack: Ack) {
        let (sent, header) = (self.machines[flow].echo, self.machines[flow].header);
        // RFC 3168: pure acks are sent as not ECN-capable.
        //= rfc3168 §6.1.4
        let way = ack_way(flow);
        self.emit(
            now,
            way,
            header,
            (CONTROL, Ecn::NotEct),
            |bodies, serial| {
                bodies.put(Body {
                    way,
                    serial,
                    sent: now,
                    damaged: false,
                    left: Left::Whole,
                    ecn: Ecn::NotEct,
                    kind: Payload::Ack { ack, sent },
                })
            },
        );
    }
}
