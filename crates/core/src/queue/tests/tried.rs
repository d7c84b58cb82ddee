//! Every discipline on the roster, with those values of its parameters that tests give it. The fuzzer in `fuzz/` includes this file.

use crate::declare::{Fallback, Kind, Value};
use crate::queue::laws::Step;
use crate::queue::{About, INNER, QueueParams};
use crate::roster::{Entry, Roster};
use crate::unit::Ecn;
use std::format;
use std::vec::Vec;

/// All values that a test gives to parameters: those to be tried by their declaration, else `room` where a buffer is needed, every
/// word of a choice, every discipline that can be wrapped, their defaults. In the order of the declaration.
pub fn values(entry: &Entry<About>, room: u64) -> Vec<Vec<Value>> {
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
            (Kind::Room, Fallback::Required | Fallback::Text(_)) => {
                [read(&format!("{room} {}", entry.about.grains[0].name()))].into()
            }
            (Kind::Choice(words), _) => words.iter().map(|word| read(word)).collect(),
            (Kind::Flag, _) => ["false", "true"].map(read).into(),
            (Kind::Discipline(words), _) => {
                // A decorator is tried around every variant of what it wraps, others with one of each word.
                let most = if words == INNER { usize::MAX } else { 1 };
                let unset = matches!(p.fallback, Fallback::Unset(_)).then_some(Value::Unset);
                let inner = |word: &&str| wrapped(word, room).into_iter().take(most);
                unset
                    .into_iter()
                    .chain(words.iter().flat_map(inner))
                    .collect()
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
    let entry = QueueParams::entry(name).unwrap();
    let value = |values| Value::Discipline(entry.name, values);
    values(entry, room).into_iter().map(value).collect()
}

/// Whether a discipline of these values marks.
fn marks(entry: &Entry<About>, values: &[Value]) -> bool {
    let given = |name| {
        let at = entry.parameters.iter().position(|p| p.name == name);
        at.map(|at| &values[at])
    };
    match (given("ecn"), given("inner")) {
        (Some(ecn), _) => *ecn == Value::Flag(true),
        (None, Some(Value::Discipline(name, values))) => {
            QueueParams::entry(name).is_some_and(|entry| marks(entry, values))
        }
        _ => entry.about.marks,
    }
}

/// Whether packets of different ECN fields may overtake each other in a discipline of these values, or in one that it contains.
fn sorted_by_ecn(entry: &Entry<About>, values: &[Value]) -> bool {
    let inner = values.iter().any(|value| match value {
        Value::Discipline(name, values) => {
            QueueParams::entry(name).is_some_and(|entry| sorted_by_ecn(entry, values))
        }
        _ => false,
    });
    inner || entry.about.sorted_by_ecn
}

/// A discipline to be tried.
pub struct Tried {
    /// Its parameters.
    pub params: QueueParams,
    /// How many units it may hold.
    pub limit: u64,
    /// It says that it marks.
    pub marks: bool,
    /// Packets of different ECN fields may overtake each other.
    pub sorted_by_ecn: bool,
    /// Packets of one flow may overtake each other.
    pub reorders: bool,
}

impl Tried {
    /// The steps; if packets of different ECN fields may overtake each other, with flows whose packets are all of L4S, or none.
    pub fn sorted(&self, steps: &[Step]) -> Vec<Step> {
        let mut steps = steps.to_vec();
        for step in steps.iter_mut().filter(|_| self.sorted_by_ecn) {
            if let Step::Offer { flow, ecn, .. } = step {
                *ecn = match (*flow % 2, *ecn) {
                    (0, Ecn::Ect1) => Ecn::Ect0,
                    (0, Ecn::Ce) => Ecn::NotEct,
                    (1, Ecn::Ect0) => Ecn::Ect1,
                    (1, Ecn::NotEct) => Ecn::Ce,
                    (_, as_it_is) => as_it_is,
                };
            }
        }
        steps
    }
}

/// Every discipline, of those values that go together.
pub fn roster(room: u64) -> impl Iterator<Item = Tried> {
    let all = QueueParams::ENTRIES.iter().flat_map(move |entry| {
        values(entry, room).into_iter().map(move |values| {
            let given = |name| {
                let at = entry.parameters.iter().position(|p| p.name == name);
                at.map(|at| &values[at])
            };
            let beside = match entry.about.beside.and_then(given) {
                Some(Value::Packets(packets)) => packets.0,
                Some(Value::Room(room)) => room.count(),
                _ => 0,
            };
            Tried {
                params: QueueParams::from_values(entry.name, &values).unwrap(),
                limit: room + beside,
                sorted_by_ecn: sorted_by_ecn(entry, &values),
                reorders: entry.about.reorders,
                marks: marks(entry, &values),
            }
        })
    });
    all.filter(|it| it.params.check().is_ok())
}
