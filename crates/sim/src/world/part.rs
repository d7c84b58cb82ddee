//! A part of a divided run: packets that leave it on lines to other parts, and packets that come from them.
//!
//! Every part has the whole world, but only its own nodes do anything. A line belongs to the part of the node that sends on it. The part of
//! the node that receives has a copy of the line, on which these packets arrive.

use super::World;
use crate::division::Division;
use crate::grain::Grain;
use crate::machine::data_way;
use crate::packets::Parted;
use crate::probe::Probe;
use dupack_core::time::Instant;
use dupack_core::unit::{FlowId, Packet};
use std::ops::DerefMut;
use std::sync::Arc;

/// A packet that crosses.
#[derive(Debug)]
struct Parcel {
    /// When it arrives at the far end of `port`.
    at: Instant,
    port: u32,
    unit: Packet,
    body: Parted,
}

/// All that one part sends to another in a window.
#[derive(Debug, Default)]
pub(super) struct Mail {
    parcels: Vec<Parcel>,
    /// First send times of segments, with their flows: the receiver measures delays by them.
    first_sent: Vec<(u32, Instant)>,
    /// Machines of connections that have ended: their senders know.
    ended: Vec<u32>,
}

/// Which part a world is.
#[derive(Debug)]
pub(super) struct Part {
    division: Arc<Division>,
    me: u16,
    /// Lines from here to other parts. Their ports are due at time 0, so that they never ask for an event.
    out: Vec<u32>,
    /// Machines whose connections have ended in this window.
    pub ended: Vec<u32>,
}

impl<P: Probe> World<'_, Packet, P> {
    /// Only the senders of part `me` start, and what crosses to another is not dealt with ahead of time.
    pub(super) fn becomes(&mut self, division: &Arc<Division>, me: u16) {
        for (flow, spec) in self.network.flows.iter().enumerate() {
            if !self.is_class(flow) && division.of(spec.ends).0 != me {
                self.timers.set(self.slots.sender(flow), Instant::NEVER);
            }
        }
        let mut out = Vec::new();
        for ((port, (from, to)), at) in self.ports.iter_mut().zip(&division.links).zip(0..) {
            port.ahead &= from == to;
            if *from == me && *to != me {
                port.due = Instant::ZERO;
                out.push(at);
            }
        }
        self.part = Some(Box::new(Part {
            division: Arc::clone(division),
            me,
            out,
            ended: Vec::new(),
        }));
    }

    /// Puts all that leaves for other parts by `now` into the mail to them. Returns the beginning of the next window, as far as it depends on
    /// this part: nothing happens here before, and nothing that is not in the mail arrives elsewhere within a window from then.
    pub(super) fn sends_away(&mut self, now: Instant, mail: &mut [Mail]) -> Instant {
        self.shared.now = now;
        let mut next = self.lines.first().0.min(self.timers.first().0);
        let Some(mut part) = self.part.take() else {
            unreachable!("a world that sends something away is a part")
        };
        for line in &part.out {
            let at = *line as usize;
            let there = usize::from(part.division.links[at].1);
            self.ports[at].catch_up(&mut self.shared);
            while let Some((arrives, unit)) =
                self.ports[at].arrives_by(Instant(Instant::NEVER.0 - 1))
            {
                next = next.min(arrives);
                self.sends_times(&part.division, part.me, unit.flow, mail);
                let body = self.shared.bodies.part_with(unit.body);
                mail[there].parcels.push(Parcel {
                    at: arrives,
                    port: *line,
                    unit,
                    body,
                });
            }
            // What waits there departs a propagation delay earlier than it arrives, or later.
            let waits = self.ports[at].next_event();
            if waits != Instant::NEVER {
                next = next.min(Instant(waits.0.saturating_sub(part.division.window.0)));
            }
        }
        mail.iter_mut()
            .for_each(|mail| mail.ended.extend(&part.ended));
        part.ended.clear();
        self.part = Some(part);
        next
    }

    /// A packet on this way leaves the part of its sender: the first send times of all segments so far go ahead of it.
    #[inline]
    fn sends_times(&mut self, division: &Division, me: u16, way: FlowId, mail: &mut [Mail]) {
        let flow = way.0 as usize / 2;
        if way != data_way(flow) {
            return;
        }
        let (from, to) = division.of(self.ends_of(flow));
        if from == me && to != from {
            let times = self.machines[flow].gives_unread();
            let mail = &mut mail[usize::from(to)].first_sent;
            mail.extend(times.map(|time| (flow as u32, time)));
        }
    }

    /// The nodes of a flow's sender and receiver.
    pub(super) fn ends_of(&self, flow: usize) -> (usize, usize) {
        let (from, to) = self.ways[data_way(flow).0 as usize].ends;
        (from as usize, to as usize)
    }

    /// Takes what parts have sent, this one among them, each its mail.
    pub(super) fn takes_in<M: DerefMut<Target = Mail>>(&mut self, mails: impl Iterator<Item = M>) {
        let mut ended = Vec::new();
        for (mut mail, from) in mails.zip(0..) {
            let Mail {
                parcels,
                first_sent,
                ended: told,
            } = &mut *mail;
            for (flow, time) in first_sent.drain(..) {
                self.machines[flow as usize].takes_unread(time);
            }
            for Parcel {
                at,
                port: line,
                mut unit,
                body,
            } in parcels.drain(..)
            {
                unit.body = self.shared.bodies.take_in(body);
                let port = &mut self.ports[line as usize];
                port.lands(at, unit);
                if at < port.due {
                    port.due = at;
                    self.lines.set(line as usize, at);
                }
            }
            ended.extend(told.drain(..).map(|flow| (flow as usize, from)));
        }
        // All parts keep the same list.
        ended.sort_unstable();
        let me = self.part.as_ref().map(|part| part.me);
        for (flow, from) in ended {
            if Some(from) != me {
                self.ended_elsewhere(flow);
            }
            self.connecting().ended.push(flow);
        }
    }
}

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Whether a node is simulated here: always, unless the run is divided.
    pub(super) fn is_mine(&self, node: usize) -> bool {
        let part = self.part.as_deref();
        part.is_none_or(|part| part.division.nodes[node] == part.me)
    }
}
