//! An external discipline that keeps the law, and one for each way to break it.

use super::*;
use crate::queue::laws::{self, Fates, Named, Step};
use crate::queue::tests::script::{check, line};
use crate::queue::{self};
use crate::rng::Stream;
use alloc::collections::VecDeque;
use std::string::ToString;
use std::sync::Mutex;

type Told = Arc<Mutex<Vec<Breach>>>;

/// Actions at an offer, or at a pull.
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

/// A FIFO with room for three units. When it is full, it drops a long arrival; for a short one it pushes out the last unit.
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
    assert!(<queue::QueueParams as crate::roster::Roster>::entry("external").is_none());
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

/// A FIFO that marks what comes, or else drops it, and marks all that it sends.
fn marking(
    units: &mut VecDeque<Number>,
    came: Option<(Number, Seen)>,
    decisions: &mut Decisions,
) -> Option<Number> {
    match came {
        None => units.pop_front().inspect(|unit| {
            assert!(decisions.mark(*unit, Ecn::Ce), "it has been marked before");
        }),
        Some((unit, seen)) => {
            if decisions.mark(unit, seen.ecn) {
                units.push_back(unit);
            } else {
                decisions.drop(unit, Cause::Early);
            }
            None
        }
    }
}

fn ecn_steps(fields: &[Ecn]) -> Vec<Step> {
    let offer = |ecn: &Ecn| Step::Offer {
        flow: 0,
        last: true,
        bytes: 100,
        priority: 0,
        ecn: *ecn,
    };
    fields.iter().map(offer).collect()
}

#[test]
//= rfc3168 §5 type=test
fn what_cannot_be_marked_is_dropped_instead() {
    let (queue, told) = make(marking, None);
    let fates = laws::check(queue, None, &ecn_steps(&Ecn::ALL)).expect("the law is kept");
    let of = |fate: &str| {
        let with = fates.iter().filter(|(_, it)| *it == fate);
        with.map(|(name, _)| &**name).collect::<Vec<_>>()
    };
    assert_eq!(of("early"), ["a00000"]);
    let capable = ["a00001", "a00002", "a00003"];
    assert_eq!(of("sent"), capable);
    assert_eq!(of("marked"), [capable, capable].concat());
    assert!(told.lock().expect("one thread").is_empty());
}

#[test]
fn what_does_not_wait_cannot_be_marked() {
    let gone: Act = |_, came, decisions| {
        let (unit, seen) = came?;
        decisions.drop(unit, Cause::Early);
        decisions.mark(unit, seen.ecn);
        None
    };
    let (queue, told) = make(gone, None);
    laws::check(queue, None, &ecn_steps(&[Ecn::Ect1])).expect("the queue itself keeps the law");
    assert_eq!(*told.lock().expect("one thread"), [Breach::Unknown]);
}

#[test]
fn of_a_cell_a_guest_sees_the_field_of_its_frame() {
    use crate::unit::{BodyId, Cell};
    /// Knows the field of frame 1.
    struct Frames(Vec<u16>);
    impl Ledger<Cell> for Frames {
        fn drop(&mut self, _: Cell, _: Cause) {}
        fn mark(&mut self, cell: &mut Cell) -> bool {
            self.0.push(cell.index());
            true
        }
        fn ecn(&self, cell: &Cell) -> Ecn {
            Ecn::ALL[usize::from(cell.serial())]
        }
        fn trim(&mut self, _: &mut Cell, _: Bytes) {
            unreachable!("cells are never cut")
        }
        fn mint(&mut self, _: &Cell, _: Bytes) -> Cell {
            unreachable!("cells are never cut")
        }
    }
    let house = PythonSource {
        act: |units, came, decisions| {
            let Some((unit, seen)) = came else {
                return units.pop_front();
            };
            units.push_back(unit);
            decisions.mark(unit, seen.ecn);
            None
        },
        room: None,
        told: Told::default(),
    };
    let params = ExternalParams {
        name: "marks".into(),
        from: Some(Arc::new(house)),
    };
    let (mut queue, mut book) = (External::make(&params, line()), Frames(Vec::new()));
    for serial in [0, 1] {
        let first = Cell::first(FlowId(0), BodyId(0), serial, 2);
        queue.offer(Instant::ZERO, first.following(), &mut book);
        queue.offer(Instant::ZERO, first, &mut book);
    }
    assert_eq!(book.0, [1, 0], "both cells of frame 1, and none of frame 0");
}

/// A FIFO that gives a unit every ten steps, and says what `says` makes of that.
#[derive(Clone, Debug)]
struct Slow {
    units: VecDeque<Number>,
    next: Instant,
    says: fn(now: Instant, next: Instant) -> Option<Instant>,
    told: Told,
}

impl ExternalSource for Slow {
    fn external(&self, _: Line) -> Box<dyn ExternalDiscipline> {
        Box::new(self.clone())
    }
    fn room(&self) -> Option<u64> {
        None
    }
}

impl ExternalDiscipline for Slow {
    fn offer(
        &mut self,
        _: Instant,
        unit: Number,
        _: Seen,
        _: &mut Decisions,
    ) -> Result<(), Failed> {
        self.units.push_back(unit);
        Ok(())
    }
    fn pull(&mut self, now: Instant, _: &mut Decisions) -> Result<Option<Number>, Failed> {
        if now < self.next || self.units.is_empty() {
            return Ok(None);
        }
        self.next = Instant(now.0 + 10);
        Ok(self.units.pop_front())
    }
    fn ready_at(&mut self, now: Instant) -> Result<Option<Instant>, Failed> {
        Ok((self.says)(now, self.next))
    }
    fn on_breach(&mut self, _: Instant, breach: Breach) {
        self.told.lock().expect("one thread").push(breach);
    }
}

fn slow(says: fn(Instant, Instant) -> Option<Instant>) -> (External<Named>, Told) {
    let told = Told::default();
    let slow = Slow {
        units: VecDeque::new(),
        next: Instant::ZERO,
        says,
        told: Arc::clone(&told),
    };
    let params = ExternalParams {
        name: "slow".into(),
        from: Some(Arc::new(slow)),
    };
    (External::make(&params, line()), told)
}

#[test]
fn one_that_says_when_it_is_ready_may_hold_units_back() {
    let (queue, told) = slow(|_, next| Some(next));
    let mut stream = Stream::new(1, "steps");
    laws::check(queue, None, &Step::some(&mut stream, 200, true)).expect("the law is kept");
    assert!(told.lock().expect("one thread").is_empty());
    // A discipline may name a time that is slightly early, as a rounded time is.
    let (queue, _) = slow(|now, next| Some(Instant((next.0 - 2).max(now.0 + 1))));
    laws::check(queue, None, &steps(&["100", "200", "pull"])).expect("the law is kept");
}

#[test]
fn one_that_does_not_say_the_truth_about_it_breaks_the_law() {
    let steps = steps(&["100", "200", "pull"]);
    let breach = |says| {
        let (queue, told) = slow(says);
        laws::check(queue, None, &steps).expect("the queue itself keeps the law");
        told.lock().expect("one thread").clone()
    };
    assert_eq!(breach(|_, _| None), [Breach::Idle(1)]);
    assert_eq!(breach(|now, _| Some(now)), [Breach::Ready(1)]);
    // The queue is never ready at the times that it names. At last the laws give up.
    let (mut queue, _) = slow(|now, _| Some(Instant(now.0 + 1)));
    let slowest = Stubborn(&mut queue);
    let breach = laws::check(slowest, None, &steps).expect_err("it never gives a unit");
    assert!(breach.what.contains("pull gave nothing, but 2 units wait"));
}

/// A queue that never gives a unit, and always says that it will be ready a picosecond later.
struct Stubborn<'q>(&'q mut External<Named>);

impl Discipline<Named> for Stubborn<'_> {
    fn offer(&mut self, now: Instant, unit: Named, book: &mut impl Ledger<Named>) {
        self.0.offer(now, unit, book);
    }
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<Named>) -> Option<Named> {
        None
    }
    fn backlog(&self) -> u64 {
        self.0.backlog()
    }
    fn ready_at(&self, now: Instant) -> Option<Instant> {
        Some(Instant(now.0 + 1))
    }
}
