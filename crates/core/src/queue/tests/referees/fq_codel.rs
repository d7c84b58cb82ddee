//! FQ-CoDel as RFC 8290 describes it in sections 4.1 and 4.2 (it prints no pseudocode), with a CoDel per queue as RFC 8289 prints it.

use super::codel::CoDelQueue;
use super::{Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Bytes, Packets, Room};
use crate::queue::Make;
use crate::queue::fq_codel::{FqCodel, FqCodelParams};
use crate::queue::laws::NamedFate;
use crate::queue::tests::script::line;
use crate::time::Duration;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// A queue with its byte credits.
struct FlowQueue {
    flow: u32,
    credits: i64,
    codel: CoDelQueue,
}

/// The scheduler. Queues are in the order of their first packets; lists hold their numbers.
struct FlowQueueCodel {
    limit: usize,
    quantum: i64,
    drop_batch: usize,
    codel: (u64, u64, bool),
    queues: Vec<FlowQueue>,
    new_queues: VecDeque<usize>,
    old_queues: VecDeque<usize>,
}

impl FlowQueueCodel {
    /// Drops from the head of the queue with the largest byte count: half of its bytes, up to a batch.
    fn overlimit(&mut self, arriving: &str, fates: &mut Vec<NamedFate>) {
        let most = self.queues.iter().map(|q| q.codel.bytes()).max();
        let most = most.expect("a queue");
        let fat = (self.queues.iter_mut())
            .find(|q| q.codel.bytes() == most)
            .expect("the first with that many bytes");
        for _ in 0..self.drop_batch {
            let packet = fat.codel.queue.pop_front().expect("a packet");
            let own = packet.name == arriving;
            fates.push((packet.name, if own { "overflow" } else { "pushed-out" }));
            if most - fat.codel.bytes() >= most / 2 {
                break;
            }
        }
    }
}

impl Referee for FlowQueueCodel {
    fn enque(&mut self, _: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        let (name, bytes) = (packet.name.clone(), packet.bytes);
        // Classification, and stamping, which the packet has.
        let known = self.queues.iter().position(|q| q.flow == packet.flow);
        let at = known.unwrap_or_else(|| {
            self.queues.push(FlowQueue {
                flow: packet.flow,
                credits: 0,
                codel: CoDelQueue::new(self.codel),
            });
            self.queues.len() - 1
        });
        self.queues[at].codel.enque(packet);
        // The MTU is that of the line, not of a queue.
        for queue in &mut self.queues {
            queue.codel.maxpacket_ = queue.codel.maxpacket_.max(bytes);
        }
        let longest = self.queues.iter().map(|q| q.codel.maxpacket_).max();
        self.queues[at].codel.maxpacket_ = longest.expect("a queue");
        // A queue that is not active joins the new ones.
        if !self.new_queues.contains(&at) && !self.old_queues.contains(&at) {
            self.new_queues.push_back(at);
            self.queues[at].credits = self.quantum;
        }
        // The packet limit.
        if self
            .queues
            .iter()
            .map(|q| q.codel.queue.len())
            .sum::<usize>()
            > self.limit
        {
            self.overlimit(&name, fates);
        }
    }

    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        loop {
            let from_new = !self.new_queues.is_empty();
            let head = match from_new {
                true => self.new_queues.front(),
                false => self.old_queues.front(),
            };
            let at = *head?;
            let mut take = || match from_new {
                true => self.new_queues.pop_front(),
                false => self.old_queues.pop_front(),
            };
            // It has already dequeued at least a quantum of bytes.
            if self.queues[at].credits <= 0 {
                self.queues[at].credits += self.quantum;
                take();
                self.old_queues.push_back(at);
                continue;
            }
            if let Some(packet) = self.queues[at].codel.deque(now, fates) {
                self.queues[at].credits -= packet.bytes as i64;
                return Some(packet);
            }
            take();
            if from_new {
                self.old_queues.push_back(at);
            }
        }
    }
}

#[test]
//= rfc8290 §4.1 type=test
//= rfc8290 §4.2 type=test
fn every_packet_has_the_fate_that_rfc_8290_gives_it() {
    let parameters = (
        super::codel::parameters(),
        prop_oneof![Just(10_000usize), 5..60usize],
        prop::sample::select(&[300u64, 1514, 4000][..]),
        prop::sample::select(&[1u64, 8, 64][..]),
    );
    let counts = judge(parameters, |&(codel, limit, quantum, drop_batch)| {
        let (target, interval, ecn) = codel;
        let params = FqCodelParams {
            buffer: Room::Packets(limit as u64),
            flows: 1024,
            collisions: false,
            quantum: Bytes(quantum),
            target: Duration(target),
            interval: Duration(interval),
            ecn,
            ce_threshold: None,
            drop_batch: Packets(drop_batch),
        };
        params.check().expect("they go together");
        let referee = FlowQueueCodel {
            limit,
            quantum: quantum as i64,
            drop_batch: drop_batch as usize,
            codel,
            queues: Vec::new(),
            new_queues: VecDeque::new(),
            old_queues: VecDeque::new(),
        };
        (FqCodel::make(&params, line()), referee)
    });
    // A comparison without drops and marks would show nothing.
    let enough = counts["early"] > 1000 && counts["marked"] > 200;
    let enough = enough && counts["pushed-out"] > 500;
    assert!(enough, "{counts:?}");
}
