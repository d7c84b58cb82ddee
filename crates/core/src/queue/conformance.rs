//! The [`laws`] hold for every discipline on the roster, whatever is offered, and the same arrivals meet the same fates.

use super::laws::{self, Named, Step};
use super::script::guarantees;
use super::{Entry, Params, Queue, ROSTER};
use crate::declare::{Fallback, Kind, Value};
use crate::unit::Ecn;
use proptest::prelude::*;
use std::format;
use std::string::String;
use std::vec::Vec;

/// All values that a test gives to parameters: their defaults, `room` where a buffer is needed, every word of a choice, every
/// discipline that can be wrapped. In the order of the declaration.
fn values(entry: &Entry, room: u64) -> Vec<Vec<Value>> {
    let mut all = Vec::from([Vec::new()]);
    for p in entry.parameters {
        let read = |text: &str| p.kind.read(text).unwrap();
        let values = match (p.kind, p.fallback) {
            (Kind::Room, Fallback::Required) if p.name == "max_packet" => {
                [read(&format!("{} cells", room.min(3)))].into()
            }
            (Kind::Room, Fallback::Required) => {
                [read(&format!("{room} {}", entry.grains[0].name()))].into()
            }
            (Kind::Choice(words), _) => words.iter().map(|word| read(word)).collect(),
            (Kind::Discipline(words), _) => {
                words.iter().flat_map(|word| wrapped(word, room)).collect()
            }
            (Kind::Packets, Fallback::Required) if p.name == "min_th" => [read("2 packets")].into(),
            (Kind::Packets, Fallback::Required) if p.name == "max_th" => [read("9 packets")].into(),
            // Small enough to matter in a short test.
            (_, Fallback::Text(_)) if p.name == "interval" => [read("2 packets")].into(),
            (_, Fallback::Text(_)) if p.name == "reserve" => {
                ["0 packets", "4 packets"].map(read).into()
            }
            // Of four flows.
            (_, Fallback::Text(_)) if p.name == "table" => [read("2")].into(),
            (_, Fallback::Text(_)) if p.name == "gentle" => ["false", "true"].map(read).into(),
            (_, Fallback::Text(_)) if p.name == "headers" => [read("4 packets")].into(),
            (_, Fallback::Text(_)) if p.name == "ratio" => ["1", "1000"].map(read).into(),
            (_, Fallback::Text(_)) if p.name == "weight" => [read("0.5")].into(),
            (_, Fallback::Unset(_)) if p.name == "trigger" => [Value::Unset, read("0.6")].into(),
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
    all
}

fn wrapped(name: &str, room: u64) -> Vec<Value> {
    let entry = ROSTER.iter().find(|entry| entry.name == name).unwrap();
    let value = |values| Value::Discipline(entry.name, values);
    values(entry, room).into_iter().map(value).collect()
}

/// Every discipline, and how many units it may hold.
fn roster(room: u64) -> impl Iterator<Item = (Params, u64)> {
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
            (Params::from_values(entry.name, &values).unwrap(), limit)
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
fn run(params: &Params, limit: u64, steps: &[Step]) -> Vec<String> {
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
