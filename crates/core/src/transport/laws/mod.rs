//! Laws of every controller, whatever happens to its segments: its window and its rate are right, it never stalls, it reacts to losses,
//! and equal events have equal outcomes. The tests of the roster and of external controllers check them with random events.
//!
//! The controller is that of a sender with SACK, whose segments go over a path of 20 ms. The events are the fates of the segments that
//! are under way: they arrive, marked or not, they or their acks are lost, and time passes.

use super::Common;
use super::control::external::{Boxed, breach};
use super::control::{AckSample, Answer, Controller, Lost, Outstanding, Sending, Signal, Wants};
use super::receiver::Receiver;
use super::repair::sack::{self, Sack, SackParams};
use super::repair::{Hears, Make};
use super::sender::{Sender, Transmit};
use crate::declare::Declared;
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use crate::unit::Ecn;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

/// The round trip of the path.
const TRIP: Duration = Duration::millis(20);
/// Steps of a case, at most.
const STEPS: usize = 60;
/// Time in which a path without losses delivers what a case has left, and [`MORE`] segments: the longest back-off, and 1 s for each.
const PATIENCE: Duration = Duration::secs(600);
/// Segments that must be delivered in the end, besides those of the case.
const MORE: u64 = 100;
/// Timeouts in a row, without an ack in between, after which a window must be small.
const TIMEOUTS: u32 = 4;
/// That window \[segments\]: BBR keeps 4; RFC 9002 keeps 2, and RFC 5681 has a single one.
const SMALL: f64 = 4.0;
/// A window that a loss need not reduce \[segments\]: the least threshold of RFC 5681.
const LEAST: f64 = 2.0;
/// Events in one step, beyond which a sender only spins.
const EVENTS: u32 = 1_000_000;

/// Something that happens to the segments of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The next segments arrive, and their acks do.
    Arrive(u64),
    /// The same, but the segments were marked (CE).
    ArriveMarked(u64),
    /// The next segments are lost.
    Lose(u64),
    /// The next segments arrive, but their acks are lost.
    LoseAcks(u64),
    /// Nothing arrives for this time; timers run out.
    Wait(Duration),
}

impl Step {
    /// Up to 60 steps, milliseconds to minutes apart.
    pub fn some(stream: &mut Stream) -> Vec<Self> {
        let many = stream.between(1, STEPS as u64) as usize;
        let step = |_| {
            let count = match stream.share() {
                ..0.5 => stream.between(1, 4),
                ..0.9 => stream.between(5, 40),
                _ => stream.between(100, 1000),
            };
            match stream.share() {
                ..0.55 => Self::Arrive(count),
                ..0.65 => Self::ArriveMarked(count),
                ..0.8 => Self::Lose(count),
                ..0.85 => Self::LoseAcks(count),
                _ => Self::Wait(Duration(
                    stream.between(1, 9) * 10u64.pow(stream.between(9, 13) as u32),
                )),
            }
        };
        (0..many).map(step).collect()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut count = |what: &str, n: u64| {
            let plural = if n == 1 { "" } else { "s" };
            write!(f, "{what} {n} segment{plural}")
        };
        match self {
            Self::Arrive(n) => count("deliver", *n),
            Self::ArriveMarked(n) => count("mark and deliver", *n),
            Self::Lose(n) => count("lose", *n),
            Self::LoseAcks(n) => count("lose the acks of", *n),
            Self::Wait(time) => write!(f, "wait {} s", time.seconds()),
        }
    }
}

/// A law that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The step; one beyond the last for what happened after it.
    pub step: usize,
    /// What happened.
    pub what: String,
}

/// Notes on the controller of a case.
#[derive(Debug)]
struct Notes {
    answer: Answer,
    /// The window before the loss that is being repaired.
    before: Option<f64>,
    timeouts: u32,
    breach: Option<String>,
}

/// A controller, and notes on what it does.
struct Noted {
    inner: RefCell<Boxed>,
    notes: Notes,
}

impl Noted {
    fn tell(&mut self, told: impl FnOnce(&mut dyn Controller)) {
        if self.notes.breach.is_none() {
            let inner = self.inner.get_mut();
            told(&mut **inner);
            self.notes.breach = breach(&**inner).map(|it| it.to_string());
        }
    }

    fn break_law(&mut self, what: String) {
        self.notes.breach.get_or_insert(what);
    }
}

impl Controller for Noted {
    fn window(&self) -> f64 {
        match self.notes.breach {
            None => self.inner.borrow().window(),
            Some(_) => 1.0,
        }
    }
    fn on_ack(&mut self, sample: &AckSample) {
        if sample.acked > 0 {
            self.notes.timeouts = 0;
        }
        self.tell(|it| it.on_ack(sample));
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        let before = self.window();
        self.tell(|it| it.on_congestion(signal, outstanding));
        match signal {
            Signal::Loss { echoed: false } => self.notes.before = Some(before),
            Signal::Loss { echoed: true } | Signal::Ecn => {}
            Signal::Timeout { .. } => {
                self.notes.before = None;
                self.notes.timeouts += 1;
                let (many, window) = (self.notes.timeouts, self.window());
                if many >= TIMEOUTS && window > SMALL {
                    self.break_law(format!(
                        "after {many} timeouts in a row its window is still {window} segments; at most {SMALL} are allowed"
                    ));
                }
            }
        }
    }
    fn save(&mut self) {
        self.tell(|it| it.save());
    }
    fn undo(&mut self) {
        self.notes.before = None;
        self.tell(|it| it.undo());
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        self.tell(|it| it.set_windows(cwnd, ssthresh));
    }
    fn on_recovered(&mut self, outstanding: &Outstanding) {
        self.tell(|it| it.on_recovered(outstanding));
        let (before, after) = (self.notes.before.take(), self.window());
        if let Some(before) = before
            && self.notes.answer != Answer::Stays
            && after >= before
            && after > LEAST
        {
            self.break_law(format!(
                "its window was {before} segments before a loss, and is {after} after the recovery: it must be smaller, or at most {LEAST}"
            ));
        }
    }
    fn on_deflate(&mut self, segments: u64) {
        self.tell(|it| it.on_deflate(segments));
    }
    fn wants(&self) -> Wants {
        self.inner.borrow().wants()
    }
    fn pacing(&self) -> Option<Rate> {
        self.inner.borrow().pacing().filter(|rate| rate.0 > 0)
    }
    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        self.tell(|it| it.draw_from(make));
    }
    fn holds_back(&self) -> bool {
        self.inner.borrow().holds_back()
    }
    fn on_lost(&mut self, lost: &Lost) {
        self.tell(|it| it.on_lost(lost));
    }
    fn on_sent(&mut self, sending: &Sending) {
        self.tell(|it| it.on_sent(sending));
    }
    fn next_at(&self, now: Instant) -> Instant {
        self.inner.borrow().next_at(now)
    }
    fn begins_pair(&self, now: Instant) -> bool {
        self.inner.borrow().begins_pair(now)
    }
}

/// A transmission: when, and of which segment.
pub type Sent = (Instant, u64);

/// A sender and its receiver.
struct Path {
    sender: Sender<Noted, Sack>,
    receiver: Receiver,
    under_way: VecDeque<(Transmit, Instant)>,
    now: Instant,
    sent: Vec<Sent>,
}

/// What a path does with a segment and its ack.
#[derive(Clone, Copy)]
struct Passage {
    arrives: bool,
    marked: bool,
    acked: bool,
}

const DELIVERED: Passage = Passage {
    arrives: true,
    marked: false,
    acked: true,
};
const MARKED: Passage = Passage {
    marked: true,
    ..DELIVERED
};
const LOST: Passage = Passage {
    arrives: false,
    ..DELIVERED
};
const ACK_LOST: Passage = Passage {
    acked: false,
    ..DELIVERED
};

impl Path {
    fn new(inner: Boxed, answer: Answer, common: &Common) -> Self {
        let notes = Notes {
            answer,
            before: None,
            timeouts: 0,
            breach: breach(&*inner).map(|it| it.to_string()),
        };
        let inner = RefCell::new(inner);
        let repair = Sack::make(&SackParams::from_texts(&[]), common);
        let mut sender = Sender::new(common, sack::ABOUT.habits, Noted { inner, notes }, repair);
        sender.draw_from(&|| Stream::new(1, "control"));
        sender.release(u64::MAX, false);
        Self {
            sender,
            receiver: Receiver::new(common, Hears::Acks),
            under_way: VecDeque::new(),
            now: Instant::ZERO,
            sent: Vec::new(),
        }
    }

    fn broken(&self) -> Option<&String> {
        self.sender.controller().notes.breach.as_ref()
    }

    /// Sends what may be sent.
    fn pump(&mut self) {
        while let Some(it) = self.sender.poll_transmit(self.now) {
            self.sent.push((self.now, it.segment));
            self.under_way.push_back((it, self.now + TRIP));
        }
    }

    /// Lets the timers run out that are due before `end`. Whether it ends.
    fn wait(&mut self, end: Instant) -> bool {
        for _ in 0..EVENTS {
            self.pump();
            let due = self.sender.poll_timeout().filter(|due| *due <= end);
            let Some(due) = due else {
                self.now = self.now.max(end);
                self.pump();
                return true;
            };
            self.now = self.now.max(due);
            self.sender.handle_timeout(self.now);
        }
        false
    }

    /// The next segment passes, or is lost; none if nothing is under way.
    fn next(&mut self, passage: Passage) -> Option<bool> {
        self.pump();
        let (sent, due) = self.under_way.pop_front()?;
        if !passage.arrives {
            return Some(true);
        }
        if !self.wait(due) {
            return Some(false);
        }
        let ecn = if passage.marked && sent.ecn.is_capable() {
            Ecn::Ce
        } else {
            sent.ecn
        };
        let earlier = (self.receiver).handle_ecn(self.now, sent.segment, ecn, sent.cwr);
        let arrival = (self.receiver).handle_segment(self.now, sent.segment, sent.id);
        for ack in earlier.into_iter().chain(arrival.ack) {
            if passage.acked {
                self.sender.handle_ack(self.now, &ack);
            }
        }
        self.pump();
        Some(true)
    }

    fn step(&mut self, step: Step) -> Result<(), String> {
        let mut some = |n: u64, passage| (0..n).map_while(|_| self.next(passage)).all(|ends| ends);
        let ends = match step {
            Step::Arrive(n) => some(n, DELIVERED),
            Step::ArriveMarked(n) => some(n, MARKED),
            Step::Lose(n) => some(n, LOST),
            Step::LoseAcks(n) => some(n, ACK_LOST),
            Step::Wait(time) => self.wait(self.now + time),
        };
        self.law(ends)
    }

    fn law(&self, ends: bool) -> Result<(), String> {
        if let Some(what) = self.broken() {
            return Err(what.clone());
        }
        let spins = || format!("it spins: {EVENTS} timers ran out, and nothing arrived");
        ends.then_some(()).ok_or_else(spins)
    }

    /// The path loses nothing any more: everything is delivered, and more.
    fn finish(&mut self) -> Result<(), String> {
        let (start, from) = (self.now, self.sender.acknowledged());
        let until = from + self.sender.flight() + MORE;
        while self.sender.acknowledged() < until {
            let ends = match self.next(DELIVERED) {
                Some(ends) => ends,
                None => self.sender.poll_timeout().is_some_and(|due| {
                    // A sender that waits for its pace alone, or for an ack of what was lost.
                    due <= start + PATIENCE && self.wait(due)
                }),
            };
            self.law(true)?;
            if !ends || self.now > start + PATIENCE {
                return Err(format!(
                    "it stalls: over a path without losses, {} of {} segments were acknowledged in {} s; its window is {}",
                    self.sender.acknowledged() - from,
                    until - from,
                    PATIENCE.seconds(),
                    self.sender.cwnd()
                ));
            }
        }
        Ok(())
    }
}

/// Does the steps with a controller that `make` makes and that reacts to losses as `answer` says; returns what was sent.
///
/// # Errors
/// The first law that was broken.
pub fn check(
    make: &mut dyn FnMut(&Common) -> Boxed,
    answer: Answer,
    steps: &[Step],
) -> Result<Vec<Sent>, Breach> {
    let common = Common::from_texts(&[("ecn", "true"), ("initial_window", "4 segments")]);
    let at = |step| move |what| Breach { step, what };
    let mut path = Path::new(make(&common), answer, &common);
    path.law(true).map_err(at(0))?;
    for (number, step) in steps.iter().enumerate() {
        path.step(*step).map_err(at(number))?;
    }
    path.finish().map_err(at(steps.len()))?;
    Ok(path.sent)
}

/// Does the steps twice: the laws hold, and the same is sent.
///
/// # Errors
/// The first law that was broken.
pub fn attempt(
    make: &mut dyn FnMut(&Common) -> Boxed,
    answer: Answer,
    steps: &[Step],
) -> Result<(), Breach> {
    let once = check(make, answer, steps)?;
    let again = check(make, answer, steps)?;
    let same = once.iter().zip(&again).take_while(|(a, b)| a == b).count();
    if same == once.len() && same == again.len() {
        return Ok(());
    }
    let sent = |all: &[Sent]| match all.get(same) {
        Some((at, segment)) => format!("segment {segment} at {} s", at.seconds()),
        None => "nothing more".into(),
    };
    Err(Breach {
        step: steps.len(),
        what: format!(
            "the same events had other outcomes: transmission {same} was {}, and then {}",
            sent(&once),
            sent(&again)
        ),
    })
}

/// Leaves out steps, many at first and then one by one, as long as `attempt` still breaks a law.
///
/// # Errors
/// What `attempt` fails with.
pub fn shortest<S: Clone, B, E>(
    mut steps: Vec<S>,
    mut breach: B,
    attempt: &mut impl FnMut(&[S]) -> Result<Option<B>, E>,
) -> Result<(Vec<S>, B), E> {
    let mut part = steps.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + part).min(steps.len()));
            match attempt(&fewer)? {
                Some(found) => (steps, breach) = (fewer, found),
                None => at += part,
            }
        }
        if part == 1 {
            return Ok((steps, breach));
        }
        part = part.div_ceil(2);
    }
}

/// Tests a controller with `cases` sequences of random events, drawn with `seed`: `None`, or the shortest sequence found that breaks a
/// law, a line per step. `watch` is asked after each try for an error of the controller itself, which is then what is reported.
///
/// # Errors
/// What `watch` fails with.
pub fn search<E>(
    make: &mut dyn FnMut(&Common) -> Boxed,
    answer: Answer,
    (cases, seed): (u64, u64),
    watch: &mut dyn FnMut() -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    let mut stream = Stream::new(seed, "laws");
    let mut one = |steps: &[Step]| {
        let found = attempt(make, answer, steps).err();
        let step = found.as_ref().map_or(steps.len(), |it| it.step);
        Ok(watch()?.map_or(found, |what| Some(Breach { step, what })))
    };
    for _ in 0..cases {
        let steps = Step::some(&mut stream);
        if let Some(breach) = one(&steps)? {
            let (steps, breach) = shortest(steps, breach, &mut one)?;
            let lines = steps.iter().enumerate();
            let lines = lines.map(|(at, step)| format!("{at:>5}  {step}\n"));
            return Ok(Some(lines.collect::<String>() + &breach.what));
        }
    }
    Ok(None)
}

/// Tests the controllers that `make` makes, which react to losses as `answer` says, with 200 sequences of random events.
///
/// # Panics
/// If a law is broken: with the shortest sequence found that breaks it.
pub fn conformance<C: Controller + Send + 'static>(answer: Answer, make: impl Fn(&Common) -> C) {
    let mut boxed = |common: &Common| -> Boxed { alloc::boxed::Box::new(make(common)) };
    let mut watch = || Ok::<_, core::convert::Infallible>(None);
    if let Ok(Some(told)) = search(&mut boxed, answer, (200, 1), &mut watch) {
        panic!("a law of controllers is broken:\n{told}");
    }
}

#[cfg(test)]
mod tests;
