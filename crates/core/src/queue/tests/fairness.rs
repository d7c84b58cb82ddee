//! Fair queueing against the simplest program for the same policy, and against its proven bound.

use super::script::{Fates, Named, line};
use crate::declare::Declared;
use crate::queue::fair_queueing::{FairQueueing, FairQueueingParams};
use crate::queue::{Discipline, Make};
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

const WORDS: [&str; 4] = [
    "arriving",
    "longest-queue",
    "longest-queue-head",
    "longest-queue-tail",
];

fn queue(room: u64, overflow: &str) -> FairQueueing<Named> {
    let buffer = format!("{room} packets");
    FairQueueing::make(
        &FairQueueingParams::from_texts(&[("buffer", &buffer), ("overflow", overflow)]),
        line(),
    )
}

fn unit(flow: u8, number: usize, bytes: u32) -> Named {
    let name = format!("{}{number}", char::from(b'a' + flow));
    Named::packet(name, bytes)
}

/// What the plain program knows of a flow.
#[derive(Debug, Default)]
struct Plain {
    /// (name, bytes, F) of all that waits.
    units: Vec<(String, u64, u64)>,
    /// When its first unit became the first, and when its length changed last, in operations.
    first_since: usize,
    length_since: usize,
}

/// The policy over vectors: every unit gets its F when it joins, and F is computed anew after a unit was pushed out.
#[derive(Debug, Default)]
struct Model {
    flows: BTreeMap<FlowId, Plain>,
    v: u64,
    room: usize,
    overflow: &'static str,
    now: usize,
}

impl Model {
    fn backlog(&self) -> usize {
        self.flows.values().map(|flow| flow.units.len()).sum()
    }

    fn push_out(&mut self) -> Vec<(String, &'static str)> {
        let longest = |(_, flow): &(&FlowId, &mut Plain)| {
            (flow.units.len(), core::cmp::Reverse(flow.length_since))
        };
        let (_, flow) = self.flows.iter_mut().max_by_key(longest).unwrap();
        let start = flow.units[0].2 - flow.units[0].1;
        let all = flow.units.len();
        let out = match self.overflow {
            "longest-queue" => 0..all,
            "longest-queue-head" => 0..1,
            _ => all - 1..all,
        };
        self.now += 1;
        flow.length_since = self.now;
        if out.start == 0 {
            flow.first_since = self.now;
        }
        let gone: Vec<_> = flow.units.drain(out).collect();
        let mut before = start;
        for (at, (_, bytes, f)) in flow.units.iter_mut().enumerate() {
            *f = before + *bytes;
            if at == 0 {
                *f = self.v.max(*f);
            }
            before = *f;
        }
        gone.into_iter()
            .map(|(name, ..)| (name, "pushed-out"))
            .collect()
    }

    fn offer(&mut self, unit: &Named) -> Vec<(String, &'static str)> {
        let mut fates = Vec::new();
        if self.backlog() >= self.room {
            if self.overflow == "arriving" {
                return [(unit.name.clone(), "overflow")].into();
            }
            fates = self.push_out();
        }
        self.now += 1;
        let (now, v) = (self.now, self.v);
        let flow = self.flows.entry(unit.flow()).or_default();
        flow.length_since = now;
        let bytes = u64::from(unit.bytes());
        //= golestani-1994 type=test
        let before = flow.units.last().map_or(0, |last| last.2);
        if flow.units.is_empty() {
            flow.first_since = now;
        }
        flow.units
            .push((unit.name.clone(), bytes, v.max(before) + bytes));
        fates
    }

    fn pull(&mut self) -> Option<String> {
        self.now += 1;
        let now = self.now;
        let waiting = self.flows.values_mut().filter(|f| !f.units.is_empty());
        let flow = waiting.min_by_key(|flow| (flow.units[0].2, flow.first_since))?;
        (flow.first_since, flow.length_since) = (now, now);
        let (name, _, f) = flow.units.remove(0);
        self.v = f;
        Some(name)
    }
}

/// Flow and bytes of an arrival; `None` for a departure.
fn steps() -> impl Strategy<Value = Vec<Option<(u8, u32)>>> {
    // Few sizes, so that tags are often equal.
    let arrival = (0u8..6, 1u32..4).prop_map(|(flow, size)| Some((flow, 100 * size)));
    prop::collection::vec(prop_oneof![3 => arrival, 2 => Just(None)], 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn it_does_as_the_plain_program(steps in steps(), room in 1usize..30, word in 0usize..4) {
        let mut queue = queue(room as u64, WORDS[word]);
        let mut model = Model { room, overflow: WORDS[word], ..Model::default() };
        for (n, step) in steps.into_iter().enumerate() {
            let mut book = Fates::default();
            match step {
                Some((flow, bytes)) => {
                    let want = model.offer(&unit(flow, n, bytes));
                    queue.offer(Instant::ZERO, unit(flow, n, bytes), &mut book);
                    prop_assert_eq!(book.0, want);
                }
                None => {
                    let got = queue.pull(Instant::ZERO, &mut book).map(|unit| unit.name);
                    prop_assert_eq!(got, model.pull());
                    prop_assert!(book.0.is_empty());
                }
            }
            prop_assert_eq!(queue.backlog(), model.backlog() as u64);
        }
    }

    //= golestani-1994 type=test
    #[test]
    fn of_two_flows_that_wait_none_is_a_packet_of_each_ahead(
        sizes in prop::collection::vec((1u32..1500, 1u32..1500, 1u32..1500), 40..80),
        late in 0usize..20,
    ) {
        let mut queue = queue(1000, "arriving");
        let book = &mut Fates::default();
        for (n, (a, _, c)) in sizes.iter().enumerate() {
            queue.offer(Instant::ZERO, unit(0, n, *a), book);
            queue.offer(Instant::ZERO, unit(2, n, *c), book);
        }
        for _ in 0..late {
            queue.pull(Instant::ZERO, book);
        }
        // From now on both a and b have units waiting, until one of them has none left.
        for (n, (_, b, _)) in sizes.iter().enumerate() {
            queue.offer(Instant::ZERO, unit(1, n, *b), book);
        }
        let longest = |of: fn(&(u32, u32, u32)) -> u32| sizes.iter().map(of).max().unwrap();
        let bound = i64::from(longest(|s| s.0) + longest(|s| s.1));
        // `ahead` is the bytes sent of a minus those of b. In any interval it changes by at most the bound.
        let (mut ahead, mut least, mut most) = (0, 0, 0);
        while let Some(unit) = queue.pull(Instant::ZERO, book) {
            match &unit.name[..1] {
                "a" => ahead += i64::from(unit.bytes),
                "b" => ahead -= i64::from(unit.bytes),
                _ => {}
            }
            (least, most) = (ahead.min(least), ahead.max(most));
            prop_assert!(most - least <= bound, "{most} - {least} > {bound}");
            if !unit.name.starts_with('c') && unit.name[1..] == format!("{}", sizes.len() - 1) {
                break;
            }
        }
    }
}
