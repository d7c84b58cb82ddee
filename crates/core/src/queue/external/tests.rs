//! An external discipline that keeps the law, and one for each way to break it.

use super::*;
use crate::queue::laws::{self, Fates, Named, Step};
use crate::queue::script::{check, line};
use crate::queue::{self};
use crate::rng::Stream;
use alloc::collections::VecDeque;
use std::string::ToString;
use std::sync::Mutex;

type Told = Arc<Mutex<Vec<Breach>>>;

/// What to do at an offer, or at a pull.
type Act = fn(&mut VecDeque<Number>, Option<(Number, Seen)>, &mut Decisions) -> Option<Number>;

#[derive(Clone, Debug)]
struct PythonSource {
    act: Act,
    room: Option<u64>,
    told: Told,
}

#[derive(Debug)]
struct Fifo {
    units: VecDeque<Number>,
    house: PythonSource,
}

impl ExternalSource for PythonSource {
    fn external(&self, _: Line) -> Box<dyn ExternalDiscipline> {
        let (units, house) = (VecDeque::new(), self.clone());
        Box::new(Fifo { units, house })
    }
    fn room(&self) -> Option<u64> {
        self.room
    }
}

impl ExternalDiscipline for Fifo {
    fn offer(
        &mut self,
        _: Instant,
        unit: Number,
        seen: Seen,
        decisions: &mut Decisions,
    ) -> Result<(), Failed> {
        (self.house.act)(&mut self.units, Some((unit, seen)), decisions);
        Ok(())
    }
    fn pull(&mut self, _: Instant, decisions: &mut Decisions) -> Result<Option<Number>, Failed> {
        Ok((self.house.act)(&mut self.units, None, decisions))
    }
    fn on_breach(&mut self, _: Instant, breach: Breach) {
        self.house.told.lock().expect("one thread").push(breach);
    }
}

/// A FIFO of three, which sends what it has trimmed first and mints a copy of what ends in 7.
fn lawful(
    units: &mut VecDeque<Number>,
    came: Option<(Number, Seen)>,
    decisions: &mut Decisions,
) -> Option<Number> {
    let Some((unit, seen)) = came else {
        return units.pop_front();
    };
    if units.len() < 3 {
        units.push_back(unit);
    } else if seen.bytes > 1000 {
        decisions.drop(unit, Cause::Overflow);
    } else {
        let pushed_out = units.pop_back()?;
        decisions.drop(pushed_out, Cause::PushedOut);
        units.push_back(unit);
    }
    None
}

fn make(act: Act, room: Option<u64>) -> (External<Named>, Told) {
    let told = Told::default();
    let house = PythonSource {
        act,
        room,
        told: Arc::clone(&told),
    };
    let params = ExternalParams {
        name: "fifo".into(),
        from: Some(Arc::new(house)),
    };
    (External::make(&params, line()), told)
}

#[test]
fn a_guest_decides_as_any_discipline() {
    check(
        make(lawful, Some(3)).0,
        "a1 1500 => kept
         b1 1500 => kept
         a2 100  => kept
         a3 1500 => overflow
         b2 100  => kept, pushed-out a2
         pull    => a1
         pull    => b1
         pull    => b2
         pull    => nothing",
    );
}

#[test]
fn a_guest_that_keeps_the_laws_is_found_to() {
    let mut stream = Stream::new(1, "steps");
    for whole in [false, true] {
        for _ in 0..100 {
            let steps = Step::some(&mut stream, 200, whole);
            let once = laws::check(make(lawful, Some(3)).0, Some(3), &steps);
            assert!(once.is_ok(), "{once:?}");
            assert_eq!(once, laws::check(make(lawful, Some(3)).0, Some(3), &steps));
        }
    }
}

#[test]
fn it_is_on_no_roster_and_yet_a_queue() {
    assert!(queue::ROSTER.iter().all(|entry| entry.name != "external"));
    let house = PythonSource {
        act: lawful,
        room: None,
        told: Told::default(),
    };
    let params = |name: &str, house: &PythonSource| {
        let from: Arc<dyn ExternalSource> = Arc::new(house.clone());
        queue::QueueParams::External(ExternalParams {
            name: name.into(),
            from: Some(from),
        })
    };
    let one = params("own", &house);
    assert_eq!(one.name(), "own");
    assert_eq!(one, one.clone());
    assert_ne!(one, params("own", &house), "two makers are two disciplines");
    let mut queue = queue::Queue::<Named>::new(&one, line());
    let unit = Named::packet("a1".to_string(), 100);
    queue.offer(Instant::ZERO, unit, &mut Fates::default());
    assert_eq!(queue.backlog(), 1);
}

fn steps(text: &[&str]) -> Vec<Step> {
    let step = |it: &&str| match *it {
        "pull" => Step::Pull,
        bytes => Step::Offer {
            flow: 0,
            last: true,
            bytes: bytes.parse().expect("bytes"),
            priority: 0,
            ecn: Ecn::NotEct,
        },
    };
    text.iter().map(step).collect()
}

/// After a breach the run goes on as lawfully as before, and the external discipline is told once.
fn breach(act: Act, room: Option<u64>) -> Breach {
    let (queue, told) = make(act, room);
    let steps = steps(&["100", "200", "pull", "300", "pull", "pull", "pull"]);
    let fates = laws::check(queue, None, &steps).expect("the queue itself keeps the law");
    assert!(fates.len() >= 3);
    let told = told.lock().expect("one thread");
    assert_eq!(told.len(), 1);
    told[0]
}

#[test]
fn every_breach_is_told() {
    let twice: Act = |units, came, decisions| {
        if let Some((unit, _)) = came {
            units.push_back(unit);
            decisions.drop(unit, Cause::Early);
            return None;
        }
        units.pop_front()
    };
    assert_eq!(breach(twice, None), Breach::Unknown);
    assert_eq!(breach(|_, _, _| Some(0), None), Breach::Unknown);
    assert_eq!(breach(|_, _, _| None, None), Breach::Idle(2));
    let overfull = Breach::Overfull {
        waiting: 2,
        room: 1,
    };
    assert_eq!(breach(|units, _, _| units.pop_front(), Some(1)), overfull);
    let cut: Act = |_, came, decisions| {
        let (unit, seen) = came?;
        decisions.trim(unit, Bytes(u64::from(seen.bytes)));
        None
    };
    assert_eq!(breach(cut, None), Breach::Cut { keep: 100, of: 100 });
    let nothing: Act = |_, came, decisions| Some(decisions.mint(came?.0, Bytes(0)));
    assert_eq!(breach(nothing, None), Breach::Cut { keep: 0, of: 100 });
}

#[test]
fn a_cell_cannot_be_cut() {
    use crate::unit::{BodyId, Cell};
    struct Nowhere;
    impl Ledger<Cell> for Nowhere {
        fn drop(&mut self, _: Cell, _: Cause) {}
        fn mark(&mut self, _: &mut Cell) -> bool {
            false
        }
        fn trim(&mut self, _: &mut Cell, _: Bytes) {
            unreachable!("cells are never cut")
        }
        fn mint(&mut self, _: &Cell, _: Bytes) -> Cell {
            unreachable!("cells are never cut")
        }
    }
    let told = Told::default();
    let house = PythonSource {
        act: |_, came, decisions| {
            decisions.trim(came?.0, Bytes(10));
            None
        },
        room: None,
        told: Arc::clone(&told),
    };
    let params = ExternalParams {
        name: "cuts".into(),
        from: Some(Arc::new(house)),
    };
    let mut queue = External::make(&params, line());
    let cell = Cell::first(FlowId(0), BodyId(0), 0, 1);
    queue.offer(Instant::ZERO, cell, &mut Nowhere);
    assert_eq!(*told.lock().expect("one thread"), [Breach::Whole]);
    assert!(queue.pull(Instant::ZERO, &mut Nowhere).is_some());
}
