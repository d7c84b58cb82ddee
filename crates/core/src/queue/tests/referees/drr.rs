//! Deficit round robin as Shreedhar & Varghese print it in figure 5, with buffer stealing.
//= shreedhar-varghese-1996 §3 type=test

use super::{Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Bytes, Room};
use crate::queue::Make;
use crate::queue::drr::{Drr, DrrParams};
use crate::queue::laws::NamedFate;
use crate::queue::tests::script::line;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::vec::Vec;

/// With the names of the paper.
#[derive(Default)]
#[allow(non_snake_case)]
struct DeficitRoundRobin {
    Queue: BTreeMap<u32, VecDeque<Packet>>,
    DC: BTreeMap<u32, u64>,
    ActiveList: VecDeque<u32>,
    Quantum: u64,
    /// The flow that the dequeuing module is serving.
    serving: Option<u32>,
    limit: usize,
    /// For each flow, the number of the last change of its queue's length.
    changed: BTreeMap<u32, u64>,
    changes: u64,
}

impl DeficitRoundRobin {
    fn note(&mut self, i: u32) {
        self.changes += 1;
        self.changed.insert(i, self.changes);
    }
}

impl Referee for DeficitRoundRobin {
    /// The enqueuing module. It frees a buffer after the packet has joined, so that the packet can be the one that is given up.
    fn enque(&mut self, _: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        let (i, name) = (packet.flow, packet.name.clone());
        if !self.ActiveList.contains(&i) && self.serving != Some(i) {
            self.ActiveList.push_back(i);
            self.DC.insert(i, 0);
        }
        self.Queue.entry(i).or_default().push_back(packet);
        self.note(i);
        if self.Queue.values().map(VecDeque::len).sum::<usize>() > self.limit {
            let longest =
                |(i, queue): &(&u32, &VecDeque<Packet>)| (queue.len(), u64::MAX - self.changed[i]);
            let (&i, _) = self.Queue.iter().max_by_key(longest).expect("a queue");
            let stolen = self
                .Queue
                .get_mut(&i)
                .and_then(VecDeque::pop_back)
                .expect("a packet");
            self.note(i);
            let own = stolen.name == name;
            fates.push((stolen.name, if own { "overflow" } else { "pushed-out" }));
        }
    }

    /// The dequeuing module, up to the next packet that it sends.
    fn deque(&mut self, _: u64, _: &mut Vec<NamedFate>) -> Option<Packet> {
        loop {
            let i = match self.serving {
                Some(i) => i,
                None => {
                    let i = self.ActiveList.pop_front()?;
                    *self.DC.get_mut(&i).expect("a counter") += self.Quantum;
                    self.serving = Some(i);
                    i
                }
            };
            let dc = self.DC.get_mut(&i).expect("a counter");
            if let Some(head) = self.Queue[&i].front()
                && head.bytes <= *dc
            {
                *dc -= head.bytes;
                let packet = self.Queue.get_mut(&i).and_then(VecDeque::pop_front);
                self.note(i);
                return packet;
            }
            if self.Queue[&i].is_empty() {
                *dc = 0;
            } else {
                self.ActiveList.push_back(i);
            }
            self.serving = None;
        }
    }
}

#[test]
fn every_packet_has_the_fate_that_the_paper_gives_it() {
    let parameters = (prop_oneof![Just(10_000usize), 2..40usize], 100u64..4000);
    let counts = judge(parameters, |&(limit, quantum)| {
        let params = DrrParams {
            buffer: Room::Packets(limit as u64),
            quantum: Bytes(quantum),
            flows: None,
        };
        params.check().expect("they go together");
        let referee = DeficitRoundRobin {
            Quantum: quantum,
            limit,
            ..DeficitRoundRobin::default()
        };
        (Drr::make(&params, line()), referee)
    });
    assert!(
        counts["pushed-out"] > 500 && counts["overflow"] > 500,
        "{counts:?}"
    );
}
