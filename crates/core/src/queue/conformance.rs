//! The [`laws`] hold for every discipline on the roster, whatever is offered, and the same arrivals meet the same fates.

use super::laws::{self, Named, Step};
use super::script::guarantees;
use super::{About, Queue, QueueParams, ROSTER};
use crate::declare::{Fallback, Kind, Value};
use crate::roster::Entry;
use crate::unit::Ecn;
use proptest::prelude::*;
use std::format;
use std::string::String;
use std::vec::Vec;

/// All values that a test gives to parameters: those to be tried by their declaration, else `room` where a buffer is needed, every
/// word of a choice, every discipline that can be wrapped, their defaults. In the order of the declaration.
fn values(entry: &Entry<About>, room: u64) -> Vec<Vec<Value>> {
    let mut all = Vec::from([Vec::new()]);
    for p in entry.parameters {
        let read = |text: &str| p.kind.read(text).unwrap();
        let values = match (p.kind, p.fallback) {
            _ if !p.tried.is_empty() => {
                let unset = matches!(p.fallback, Fallback::Unset(_)).then_some(Value::Unset);
                unset
                    .into_iter()
                    .chain(p.tried.iter().map(|text| read(text)))
                    .collect()
            }
            (Kind::Room, Fallback::Required) => {
                [read(&format!("{room} {}", entry.about.grains[0].name()))].into()
            }
            (Kind::Choice(words), _) => words.iter().map(|word| read(word)).collect(),
            (Kind::Flag, _) => ["false", "true"].map(read).into(),
            (Kind::Discipline(words), _) => {
                words.iter().flat_map(|word| wrapped(word, room)).collect()
            }
            (_, Fallback::Text(text)) => Vec::from([read(text)]),
            (_, Fallback::Unset(_)) => [Value::Unset].into(),
            (_, Fallback::Required) => [read(p.kind.example())].into(),
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
    all
}

fn wrapped(name: &str, room: u64) -> Vec<Value> {
    let entry = ROSTER.iter().find(|entry| entry.name == name).unwrap();
    let value = |values| Value::Discipline(entry.name, values);
    values(entry, room).into_iter().map(value).collect()
}

/// Every discipline, and how many units it may hold.
fn roster(room: u64) -> impl Iterator<Item = (QueueParams, u64)> {
    ROSTER.iter().flat_map(move |entry| {
        values(entry, room).into_iter().map(move |values| {
            let beside = |name| {
                let at = entry.parameters.iter().position(|p| p.name == name);
                match at.map(|at| &values[at]) {
                    Some(Value::Packets(packets)) => packets.0,
                    Some(Value::Room(room)) => room.count(),
                    _ => 0,
                }
            };
            let limit = room + beside("reserve") + beside("headers");
            (
                QueueParams::from_values(entry.name, &values).unwrap(),
                limit,
            )
        })
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (last, control) = (prop::bool::weighted(0.25), prop::bool::weighted(0.1));
    let offer =
        (0u8..4, last, 1u32..1500, control).prop_map(|(flow, last, bytes, control)| Step::Offer {
            flow,
            last,
            bytes,
            priority: u8::from(control),
            ecn: Ecn::NotEct,
        });
    prop::collection::vec(prop_oneof![3 => offer, 2 => Just(Step::Pull)], 1..400)
}

/// Every fate from these steps, in order.
fn run(params: &QueueParams, limit: u64, steps: &[Step]) -> Vec<String> {
    let queue = Queue::<Named>::new(params, guarantees(&[1, 4, 0]));
    laws::check(queue, Some(limit), steps)
        .unwrap_or_else(|breach| panic!("{}: {breach:?}", params.name()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_discipline_keeps_the_laws(steps in steps(), room in 1u64..40) {
        for (params, limit) in roster(room) {
            prop_assert_eq!(run(&params, limit, &steps), run(&params, limit, &steps));
        }
    }
}

#[test]
fn every_word_of_a_choice_is_tried() {
    let tried = |name| roster(3).filter(|(p, _)| p.name() == name).count();
    assert_eq!(tried("fair-queueing"), 4);
    // Two modes, gentle or not.
    assert_eq!(tried("red"), 2 * 2);
    // Two things to count and two to do with a full table, around drop-tail and all of RED; with and without a trigger, of two ways.
    assert_eq!(tried("triple-buffering"), 2 * 2 * (1 + 4) * 2 * 2);
    // With two ratios, of two victims.
    assert_eq!(tried("trim"), 2 * 2);
    // Two ways to share the excess, of two things to drop.
    assert_eq!(tried("epd-push-out"), 2 * 2);
    assert_eq!(tried("dynamic-thresholds"), 8);
}
