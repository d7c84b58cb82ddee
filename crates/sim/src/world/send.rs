//! What leaves hosts: segments, and packets of any kind.

use super::{Way, World};
use crate::grain::{Grain, Header};
use crate::machine::data_way;
use crate::packets::{Bodies, Body, Left, Payload};
use crate::probe::Probe;
use dupack_core::measure::Bytes;
use dupack_core::time::Instant;
use dupack_core::unit::{BodyId, DATA, Ecn, FlowId};

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Sends all that the sender may send now, and sees to the timers.
    pub(super) fn pump(&mut self, now: Instant, flow: usize) {
        while let Some(transmit) = self.machines[flow].sender.poll_transmit(now) {
            let machine = &mut self.machines[flow];
            machine.active = now;
            machine.tally.sent += 1;
            if transmit.again {
                machine.tally.retransmitted += 1;
            } else {
                machine.sends_first(now);
            }
            let bytes = Bytes(machine.payload(transmit.segment).0 + machine.header.0);
            machine.tally.sent_bits += U::line_bits(bytes, self.network.trailer);
            let payload = bytes.0 - machine.header.0;
            self.shared.tape.sent(now, flow, &transmit, payload);
            let kind = Payload::Data {
                segment: transmit.segment,
                again: transmit.again,
                id: transmit.id,
                cwr: transmit.cwr,
            };
            let (way, ecn) = (data_way(flow), transmit.ecn);
            self.emit(now, way, bytes, (DATA, ecn), |bodies, serial| {
                bodies.put(Body {
                    way,
                    serial,
                    sent: now,
                    damaged: false,
                    left: Left::Whole,
                    ecn,
                    kind,
                })
            });
        }
        let machine = &mut self.machines[flow];
        if machine.sender.unanswered() {
            machine.tell_application(now);
        }
        let deadline = machine.deadline();
        // If the timer was put off, its earlier wake-up stays: it then finds nothing to do, and sets the next.
        if deadline < machine.armed {
            machine.armed = deadline;
            self.set_sender(flow, deadline);
        } else if machine.armed == Instant::NEVER {
            self.set_sender(flow, Instant::NEVER);
        }
    }

    /// Sends a packet of `bytes` on a way, which `make` makes, given its number.
    #[inline(always)]
    pub(super) fn emit(
        &mut self,
        now: Instant,
        way: FlowId,
        bytes: Bytes,
        (priority, ecn): (u8, Ecn),
        make: impl FnOnce(&mut Bodies, u16) -> BodyId,
    ) {
        let here = &mut self.ways[way.0 as usize];
        let Way {
            port,
            hosts,
            ends,
            serial,
            dscp,
        } = *here;
        here.serial = serial.wrapping_add(1);
        let body = make(&mut self.shared.bodies, serial);
        let count = U::count(bytes, self.network.trailer);
        self.shared.now = now;
        let header = Header {
            way,
            hosts,
            ends,
            body,
            serial,
            priority,
            dscp,
            ecn,
        };
        let first = U::first(header, bytes, count);
        if self.is_paced(way) {
            return self.pace(now, way, first, count - 1);
        }
        self.offer(port as usize, first, count - 1);
    }
}
