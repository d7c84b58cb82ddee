//! The [`laws`] hold for every discipline on the roster, for any arrivals, and equal arrivals have equal outcomes, however often an
//! empty queue is polled. In these runs each discipline must differ from a drop-tail FIFO of its room, and mark if and only if it
//! declares that.

use super::script::guarantees;
use super::tried::{Tried, roster, values};
use crate::ledger::{Cause, Ledger};
use crate::queue::laws::{self, Asks, Named, NamedFate, Step};
use crate::queue::{Discipline, Queue, QueueParams};
use crate::rng::Stream;
use crate::roster::Roster;
use crate::time::{Duration, Instant};
use crate::unit::Ecn;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (last, control) = (prop::bool::weighted(0.25), prop::bool::weighted(0.1));
    let ecn = prop::sample::select(&Ecn::ALL[..]);
    let offer =
        (0u8..4, last, 1u32..1500, control, ecn).prop_map(|(flow, last, bytes, control, ecn)| {
            Step::Offer {
                flow,
                last,
                bytes,
                priority: u8::from(control),
                ecn,
            }
        });
    let wait = (1u64..10, 6u32..=12).prop_map(|(n, exponent)| Duration(n * 10u64.pow(exponent)));
    let part = prop_oneof![
        30 => offer.clone().prop_map(|it| Vec::from([it])),
        20 => Just(Vec::from([Step::Pull])),
        10 => wait.prop_map(|it| Vec::from([Step::Wait(it)])),
        1 => prop::collection::vec(offer, 10..50),
    ];
    prop::collection::vec(part, 1..300).prop_map(|parts| parts.concat())
}

/// Every fate from these steps, in order.
fn run(tried: &Tried, steps: &[Step], asks: Asks) -> Vec<NamedFate> {
    let steps = tried.sorted(steps);
    let queue = Queue::<Named>::new(&tried.params, guarantees(&[1, 4, 0]));
    laws::check_if(queue, Some(tried.limit), &steps, (asks, !tried.reorders))
        .unwrap_or_else(|breach| panic!("{:?}: {breach:?}", tried.params))
}

proptest! {
    // A case tries every discipline, with each that it may be wrapped around.
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    //= rfc9332 §2.5.1, work-conserving type=test
    fn every_discipline_keeps_the_laws(steps in steps(), room in 1u64..40) {
        for tried in roster(room) {
            let fates = run(&tried, &steps, Asks::Once);
            prop_assert_eq!(&fates, &run(&tried, &steps, Asks::Often), "asked often: {:?}", tried.params);
        }
    }
}

/// Whether it is drop-tail by its own name, or by its name on cells.
fn is_drop_tail(tried: &Tried) -> bool {
    ["drop-tail", "plain"].contains(&tried.params.name())
}

/// A CoDel that never drops before its buffer is full would keep the laws as a FIFO does.
#[test]
fn every_discipline_differs_from_drop_tail_and_marks_if_it_says_so() {
    let (rounds, room) = (60, 12);
    let fifo = roster(room)
        .find(is_drop_tail)
        .expect("it is on the roster");
    let mut differs: Vec<bool> = roster(room).map(|_| false).collect();
    let mut stream = Stream::new(1, "conformance");
    for round in 0..rounds {
        let steps = Step::some(&mut stream, 400, round % 2 == 0);
        let plain = run(&fifo, &steps, Asks::Once);
        for (tried, differs) in roster(room).zip(&mut differs) {
            let fates = run(&tried, &steps, Asks::Once);
            let marked = fates.iter().any(|(_, fate)| *fate == "marked");
            assert!(tried.marks || !marked, "{:?} marked", tried.params);
            *differs |= match tried.marks {
                true => marked,
                false => fates != plain,
            };
        }
    }
    // A word must differ with some parameters, not with all: triple buffering around drop-tail, without a trigger, is drop-tail.
    let mut words = BTreeMap::new();
    for (tried, differs) in roster(room).zip(differs) {
        let word = (String::from(tried.params.name()), tried.marks);
        *words.entry(word).or_insert(is_drop_tail(&tried)) |= differs;
        assert!(!(is_drop_tail(&tried) && differs), "{:?}", tried.params);
    }
    words.retain(|_, differs| !*differs);
    assert!(
        words.is_empty(),
        "as drop-tail, whatever is offered: {words:?}"
    );
}

/// Divided runs rely on it.
#[test]
fn a_discipline_that_says_so_is_blind_to_flows() {
    let is_blind = |tried: &Tried| {
        let named = |it: &&crate::roster::Entry<_>| it.name == tried.params.name();
        let entry = QueueParams::ENTRIES.iter().find(named);
        entry.is_some_and(|it| it.about.blind_to_flows)
    };
    let mut stream = Stream::new(1, "blind");
    let mut tries = 0;
    for round in 0..60 {
        let steps = Step::some(&mut stream, 400, true);
        for tried in roster(1 + round).filter(is_blind) {
            let steps = tried.sorted(&steps);
            let mut others = steps.clone();
            for step in &mut others {
                if let Step::Offer { flow, .. } = step {
                    *flow = if round % 2 == 0 { 0 } else { 25 - *flow };
                }
            }
            let fates = |steps: &[Step]| -> Vec<_> {
                let queue = Queue::<Named>::new(&tried.params, guarantees(&[1, 4, 0]));
                let fates = laws::check_if(queue, Some(tried.limit), steps, (Asks::Once, false));
                // The first letter of a name is the flow.
                let fates = fates.expect("the laws are kept").into_iter();
                fates
                    .map(|(name, fate)| (String::from(&name[1..]), fate))
                    .collect()
            };
            assert_eq!(fates(&steps), fates(&others), "{:?}", tried.params);
            tries += 1;
        }
    }
    assert!(tries >= 60 * 7, "{tries}");
}

/// A FIFO that drops the unit that every third call brings: its clock is the number of calls.
struct Counts {
    calls: u64,
    waiting: Vec<Named>,
}

impl Discipline<Named> for Counts {
    fn offer(&mut self, _: Instant, unit: Named, book: &mut impl Ledger<Named>) {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            book.drop(unit, Cause::Early);
        } else {
            self.waiting.push(unit);
        }
    }
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<Named>) -> Option<Named> {
        self.calls += 1;
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
    fn backlog(&self) -> u64 {
        self.waiting.len() as u64
    }
}

#[test]
fn a_clock_that_counts_how_often_it_is_asked_is_found() {
    let steps = Step::some(&mut Stream::new(1, "counts"), 100, true);
    let fates = |asks| {
        let queue = Counts {
            calls: 0,
            waiting: Vec::new(),
        };
        laws::check_asked(queue, None, &steps, asks).expect("the other laws are kept")
    };
    assert_eq!(fates(Asks::Once), fates(Asks::Once));
    assert_ne!(fates(Asks::Once), fates(Asks::Often));
}

/// Shows the first unit that waits, and gives the last.
struct Misleads(Vec<Named>);

impl Discipline<Named> for Misleads {
    fn offer(&mut self, _: Instant, unit: Named, _: &mut impl Ledger<Named>) {
        self.0.push(unit);
    }
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<Named>) -> Option<Named> {
        self.0.pop()
    }
    fn backlog(&self) -> u64 {
        self.0.len() as u64
    }
    fn shows_first(&self) -> bool {
        true
    }
    fn first(&self) -> Option<&Named> {
        self.0.first()
    }
}

#[test]
fn what_shows_another_unit_than_it_gives_is_found() {
    let steps = Step::some(&mut Stream::new(1, "misleads"), 100, true);
    let queue = Misleads(Vec::new());
    let breach = laws::check_if(queue, None, &steps, (Asks::Once, false)).unwrap_err();
    assert!(breach.what.starts_with("first showed"), "{}", breach.what);
}

#[test]
fn what_marks_is_not_wrapped_by_a_scheme_that_answers_drops() {
    for scheme in ["triple-buffering", "triple-truncated"] {
        let entry = QueueParams::entry(scheme).unwrap();
        let all = values(entry, 20).into_iter();
        let refused: Vec<_> = all
            .filter_map(|values| QueueParams::from_values(scheme, &values)?.check().err())
            .collect();
        // Of the 33 ways to wrap, 16 are RED's with `ecn`.
        assert_eq!(refused.len() * 33, values(entry, 20).len() * 16);
        for fault in refused {
            let found = (fault.name, &*fault.found);
            assert_eq!(found, ("ecn", "true"), "{}", fault.allowed);
        }
    }
}

#[test]
fn every_word_of_a_choice_is_tried() {
    let tried = |name| roster(3).filter(|it| it.params.name() == name).count();
    assert_eq!(tried("fair-queueing"), 4);
    // Two modes, gentle or not, adaptive or not, with and without marks, with and without hard drops.
    assert_eq!(tried("red"), 2 * 2 * 2 * 2 * 2);
    assert_eq!(tried("codel"), 2);
    // Two things to count; two ways to treat a full table; drop-tail inside, or RED without marks in its 16 variants; with and
    // without a trigger; two ways to drop early.
    assert_eq!(tried("triple-buffering"), 2 * 2 * (1 + 16) * 2 * 2);
    // Two ratios, two choices of the victim.
    assert_eq!(tried("trim"), 2 * 2);
    // Two ways to share the excess, two choices of what to drop, two of how much is pushed out.
    assert_eq!(tried("epd-push-out"), 2 * 2 * 2);
    assert_eq!(tried("dynamic-thresholds"), 8);
}
