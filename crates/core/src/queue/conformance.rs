//! What holds for every discipline on the roster, whatever is offered: the ledger's law after every step, the room never
//! exceeded, the order of a flow kept, the same fates from the same arrivals.

use super::script::{Fates, Named};
use super::{Discipline, Params, Queue, ROSTER};
use crate::declare::{Fallback, Kind, Value};
use crate::time::Instant;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

/// Every discipline with its defaults, with `room` where it needs a buffer, and with every word where it has a choice.
fn roster(room: u64) -> impl Iterator<Item = Params> {
    ROSTER.iter().flat_map(move |entry| {
        let mut all = Vec::from([Vec::new()]);
        for p in entry.parameters {
            let read = |text: &str| p.kind.read(text).unwrap();
            let values = match (p.kind, p.fallback) {
                (Kind::Room, _) => [read(&format!("{room} {}", entry.grains[0].name()))].into(),
                (Kind::Choice(words), _) => words.iter().map(|word| read(word)).collect(),
                (_, Fallback::Text(text)) => Vec::from([read(text)]),
                (_, Fallback::Unset(_)) => [Value::Unset].into(),
                (_, Fallback::Required) => {
                    panic!("{}.{} needs a value in this test", entry.name, p.name)
                }
            };
            all = all
                .iter()
                .flat_map(|before| {
                    values
                        .iter()
                        .map(|v| [&before[..], core::slice::from_ref(v)].concat())
                })
                .collect();
        }
        all.into_iter()
            .map(|values| Params::from_values(entry.name, &values).unwrap())
    })
}

#[derive(Clone, Debug)]
enum Step {
    Offer { flow: u8, last: bool, bytes: u32 },
    Pull,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let offer = (0u8..4, prop::bool::weighted(0.25), 1u32..1500)
        .prop_map(|(flow, last, bytes)| Step::Offer { flow, last, bytes });
    prop::collection::vec(prop_oneof![3 => offer, 2 => Just(Step::Pull)], 1..400)
}

/// Runs the steps, checking the law after each, and gives every fate in order.
fn run(params: &Params, room: u64, steps: &[Step]) -> Vec<String> {
    let mut queue = Queue::<Named>::new(params);
    let (mut offered, mut sent) = (0, 0);
    let mut book = Fates::default();
    let mut fates = Vec::new();
    let mut newest_sent: BTreeMap<u8, usize> = BTreeMap::new();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Offer { flow, last, bytes } => {
                offered += 1;
                let name = format!("{}{number:05}", char::from(b'a' + flow));
                let (last, bytes) = (*last, *bytes);
                let unit = Named { name, last, bytes };
                queue.offer(Instant(number as u64), unit, &mut book);
            }
            Step::Pull => {
                if let Some(unit) = queue.pull(Instant(number as u64), &mut book) {
                    sent += 1;
                    let flow = unit.name.as_bytes()[0];
                    let serial: usize = unit.name[1..].parse().unwrap();
                    let before = newest_sent.insert(flow, serial);
                    assert!(
                        before.is_none_or(|b| b < serial),
                        "{}: order of flow {flow}",
                        params.name()
                    );
                    fates.push(format!("sent {}", unit.name));
                }
            }
        }
        assert!(
            queue.backlog() <= room,
            "{}: {} of {room}",
            params.name(),
            queue.backlog()
        );
        assert_eq!(
            offered,
            sent + book.0.len() as u64 + queue.backlog(),
            "{}: the ledger",
            params.name()
        );
    }
    fates.extend(
        book.0
            .iter()
            .map(|(name, why)| format!("{} {name}", why.name())),
    );
    fates
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_discipline_keeps_the_laws(steps in steps(), room in 1u64..40) {
        for params in roster(room) {
            prop_assert_eq!(run(&params, room, &steps), run(&params, room, &steps));
        }
    }
}

#[test]
fn every_word_of_a_choice_is_tried() {
    let tried = roster(3).filter(|p| p.name() == "fair-queueing");
    assert_eq!(tried.count(), 4);
}
