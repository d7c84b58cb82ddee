//! Schedule: the rate, the delay and the losses of a line change at given times, and it goes down and up again.
//!
//! Between two steps everything is constant, so the bits that a line can send until a time, its work, are a sum of rectangles: when a
//! transmission ends follows from the work at which it begins, however many steps lie between. A line that is down does no work.
//! There is only one kind, so there is no roster.

use crate::data::{Step, Steps};
use crate::measure::{Rate, Share};
use crate::time::{Duration, Instant, SECOND};
use alloc::vec::Vec;

crate::declare! {
    /// Changes a link at a time; what it does not give stays as it is.
    pub struct StepParams as "step" from "common practice" {
        /// Time of the step, from the beginning of the run; of a schedule with `every`, from the beginning of each turn.
        at: Duration;
        /// Rate from then on. The rest of a unit in transmission is sent at the new rate.
        rate: Option<Rate> = unset "unchanged";
        /// Propagation delay of what is sent from then on.
        delay: Option<Duration> = unset "unchanged";
        /// Probability that a packet is lost, from then on.
        loss: Option<Share> = unset "unchanged";
        /// Whether the link transmits from then on. While it does not, units wait, and those in flight arrive.
        up: Option<bool> = unset "unchanged";
    }
}

impl From<StepParams> for Step {
    fn from(it: StepParams) -> Self {
        Self {
            at: it.at,
            rate: it.rate,
            delay: it.delay,
            loss: it.loss,
            up: it.up,
        }
    }
}

/// A line between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Rate while it is up.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
    /// Share of packets that are lost, each independently; `None` if no step says so.
    pub loss: Option<Share>,
    /// Whether it transmits.
    pub up: bool,
}

impl State {
    fn after(mut self, step: &Step) -> Self {
        self.rate = step.rate.unwrap_or(self.rate);
        self.delay = step.delay.unwrap_or(self.delay);
        self.loss = step.loss.or(self.loss);
        self.up = step.up.unwrap_or(self.up);
        self
    }

    /// Work in a picosecond.
    fn speed(&self) -> u128 {
        if self.up { u128::from(self.rate.0) } else { 0 }
    }
}

/// Work: bits that a line could have sent, times the picoseconds of a second, so that it is a whole number at any rate.
pub type Work = u128;

/// The work of this many bits.
pub fn work_of(bits: u64) -> Work {
    Work::from(bits) * Work::from(SECOND)
}

/// A time between two steps.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    /// When it begins, from the beginning of the turn.
    from: u64,
    state: State,
    /// Work of the turn before it.
    work: Work,
    /// Sum of the delays of the turn before it \[ps x ps\].
    delays: u128,
}

/// All steps once; the first of its spans begins at its beginning.
#[derive(Clone, Debug, PartialEq)]
struct Turn {
    spans: Vec<Span>,
    /// Its whole work, and sum of delays; of a turn that has no end, those until its last step.
    work: Work,
    delays: u128,
}

impl Turn {
    fn new(start: State, steps: &Steps, every: Option<Duration>) -> Self {
        let mut turn = Self {
            spans: Vec::new(),
            work: 0,
            delays: 0,
        };
        turn.begin(0, start);
        for step in steps.all() {
            let state = turn.state().after(step);
            turn.begin(step.at.0, state);
        }
        if let Some(every) = every {
            turn.sum(every.0);
        }
        turn
    }

    /// The state after the last step so far.
    fn state(&self) -> State {
        self.spans[self.spans.len() - 1].state
    }

    /// Adds the last span, which ends at `to`.
    fn sum(&mut self, to: u64) {
        if let Some(last) = self.spans.last() {
            let time = u128::from(to - last.from);
            self.work = last.work + last.state.speed() * time;
            self.delays = last.delays + u128::from(last.state.delay.0) * time;
        }
    }

    fn begin(&mut self, from: u64, state: State) {
        self.sum(from);
        // A step at the very beginning leaves nothing of what was before it.
        self.spans.pop_if(|span| span.from == from);
        self.spans.push(Span {
            from,
            state,
            work: self.work,
            delays: self.delays,
        });
    }

    /// The span at `time`, from the beginning of the turn.
    fn at(&self, time: u64) -> usize {
        self.spans.partition_point(|span| span.from <= time) - 1
    }
}

/// The course of a line over time. At the time of a step the new values hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The first turn, which begins with the line's own values, and all others, which begin with those of the end of the turn before.
    turns: [Turn; 2],
    every: Option<Duration>,
}

impl Course {
    /// A line that is `start` at first; `every` repeats the steps, and is later than the last of them.
    pub fn new(start: State, steps: &Steps, every: Option<Duration>) -> Self {
        let first = Turn::new(start, steps, every);
        let again = Turn::new(first.state(), steps, every);
        Self {
            turns: [first, again],
            every,
        }
    }

    /// The turn at `time`, when it began, and the number of turns between the first and it.
    fn turn(&self, time: u64) -> (&Turn, u64, u64) {
        let number = self.every.map_or(0, |every| time / every.0);
        match (number.checked_sub(1), self.every) {
            (Some(between), Some(every)) => (&self.turns[1], number * every.0, between),
            _ => (&self.turns[0], 0, 0),
        }
    }

    /// What the line is at `now`.
    pub fn at(&self, now: Instant) -> &State {
        let (turn, base, _) = self.turn(now.0);
        &turn.spans[turn.at(now.0 - base)].state
    }

    /// The states that it has until `end`, in order of time, each with the time from which on it has them.
    pub fn until(&self, end: Instant) -> impl Iterator<Item = (Instant, &State)> {
        let [first, again] = &self.turns;
        let first = first.spans.iter().map(|span| (span.from, &span.state));
        let again = self.every.into_iter().flat_map(move |every| {
            (1..).flat_map(move |turn: u64| {
                let base = turn.saturating_mul(every.0);
                let from = move |span: &Span| base.saturating_add(span.from);
                again.spans.iter().map(move |it| (from(it), &it.state))
            })
        });
        first
            .chain(again)
            .take_while(move |(from, _)| *from <= end.0)
            .map(|(from, state)| (Instant(from), state))
    }

    /// A sum over the time until `now`, of which `before` gives the part of a span before its beginning, `whole` that of a turn, and
    /// `each` what a span adds in a picosecond.
    fn sum(
        &self,
        now: u64,
        whole: impl Fn(&Turn) -> u128,
        before: impl Fn(&Span) -> u128,
        each: impl Fn(&State) -> u128,
    ) -> u128 {
        let (turn, base, between) = self.turn(now);
        let past = if base == 0 {
            0
        } else {
            whole(&self.turns[0]) + u128::from(between) * whole(&self.turns[1])
        };
        let span = &turn.spans[turn.at(now - base)];
        past + before(span) + each(&span.state) * u128::from(now - base - span.from)
    }

    /// The work that the line can do until `now`.
    pub fn work(&self, now: Instant) -> Work {
        self.sum(now.0, |turn| turn.work, |span| span.work, State::speed)
    }

    /// When that work is done, rounded down; never, if the line stays down before.
    pub fn when(&self, work: Work) -> Instant {
        let [first, again] = &self.turns;
        let (mut turn, mut base, mut left) = (first, 0, work);
        if let Some(every) = self.every.filter(|_| work > first.work) {
            if again.work == 0 {
                return Instant::NEVER;
            }
            // The last turn is the one in which some work is left, at most a whole turn's.
            let between = (work - first.work - 1) / again.work;
            left = work - first.work - between * again.work;
            (turn, base) = (again, (between + 1) * u128::from(every.0));
        }
        let Some(at) = turn
            .spans
            .partition_point(|it| it.work < left)
            .checked_sub(1)
        else {
            return Instant::ZERO;
        };
        let span = &turn.spans[at];
        let speed = span.state.speed();
        if speed == 0 {
            return Instant::NEVER;
        }
        let time = base + u128::from(span.from) + (left - span.work) / speed;
        Instant(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// `now` if the line is up, else when it will be; never, if it stays down.
    pub fn up_from(&self, now: Instant) -> Instant {
        let (turn, base, _) = self.turn(now.0);
        let here = turn.at(now.0 - base);
        let up = |turn: &Turn, from: usize| {
            let mut spans = turn.spans[from..].iter();
            spans.find(|it| it.state.up).map(|it| Duration(it.from))
        };
        match (up(turn, here), self.every) {
            (Some(from), _) => now.max(Instant(base) + from),
            (None, Some(every)) => {
                up(&self.turns[1], 0).map_or(Instant::NEVER, |from| Instant(base) + every + from)
            }
            (None, None) => Instant::NEVER,
        }
    }

    /// All states that it ever has.
    fn states(&self) -> impl Iterator<Item = &State> {
        let turns = if self.every.is_some() { 2 } else { 1 };
        let spans = self.turns[..turns].iter().flat_map(|it| &it.spans);
        spans.map(|it| &it.state)
    }

    /// The least propagation delay that it ever has.
    pub fn least_delay(&self) -> Duration {
        let delays = self.states().map(|it| it.delay);
        delays.min().unwrap_or(Duration::ZERO)
    }

    /// Whether a step gives the losses.
    pub fn loses(&self) -> bool {
        self.states().any(|it| it.loss.is_some())
    }

    /// Bits that the line can send between two times.
    pub fn room(&self, from: Duration, to: Duration) -> f64 {
        let work = self.work(Instant(to.0)) - self.work(Instant(from.0));
        work as f64 / SECOND as f64
    }

    /// Mean rate between two times, while it is down as well, rounded down but at least one.
    pub fn mean_rate(&self, from: Duration, to: Duration) -> Rate {
        let work = self.work(Instant(to.0)) - self.work(Instant(from.0));
        let rate = work / u128::from((to.0 - from.0).max(1));
        Rate(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
    }

    /// Mean propagation delay between two times.
    pub fn mean_delay(&self, from: Duration, to: Duration) -> Duration {
        let sum = |time: Duration| {
            let each = |it: &State| u128::from(it.delay.0);
            self.sum(time.0, |turn| turn.delays, |span| span.delays, each)
        };
        let mean = (sum(to) - sum(from)) / u128::from((to.0 - from.0).max(1));
        Duration(u64::try_from(mean).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000_000;

    fn step(at: u64, rate: Option<u64>, up: Option<bool>) -> Step {
        Step {
            at: Duration(at),
            rate: rate.map(Rate),
            delay: None,
            loss: None,
            up,
        }
    }

    fn course(steps: Vec<Step>, every: Option<u64>) -> Course {
        let start = State {
            rate: Rate(8_000_000),
            delay: Duration::millis(10),
            loss: None,
            up: true,
        };
        let steps = Steps::new(steps).expect("in order");
        Course::new(start, &steps, every.map(Duration))
    }

    #[test]
    fn work_is_the_area_under_the_rate() {
        // 8 Mb/s for 2 ms, 1 Mb/s for 1 ms, nothing for 2 ms, then 1 Mb/s.
        let it = course(
            vec![
                step(2 * MS, Some(1_000_000), None),
                step(3 * MS, None, Some(false)),
                step(5 * MS, None, Some(true)),
            ],
            None,
        );
        let bits = |ms: u64| (it.work(Instant(ms * MS)) / u128::from(SECOND)) as u64;
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(bits),
            [0, 8000, 16_000, 17_000, 17_000, 17_000, 18_000]
        );
        // What is done when the line goes down is done before it does.
        let when = |bits| it.when(work_of(bits)).0 / MS;
        assert_eq!([0, 8000, 16_500, 17_000, 18_000].map(when), [0, 1, 2, 3, 6]);
        let up = |ms: u64| it.up_from(Instant(ms * MS)).0 / MS;
        assert_eq!([0, 3, 4, 5, 7].map(up), [0, 5, 5, 5, 7]);
        assert_eq!(
            it.mean_rate(Duration::ZERO, Duration(4 * MS)),
            Rate(17_000_000 / 4)
        );
    }

    #[test]
    fn turns_begin_with_what_the_turn_before_has_left() {
        let it = course(vec![step(MS, Some(2_000_000), None)], Some(4 * MS));
        assert_eq!(it.at(Instant(0)).rate, Rate(8_000_000));
        assert_eq!(it.at(Instant(4 * MS)).rate, Rate(2_000_000));
        assert_eq!(it.work(Instant(8 * MS)), work_of(8000 + 6000 + 8000));
    }

    #[test]
    fn its_states_until_a_time_are_those_at_their_times() {
        let steps = vec![
            step(MS, Some(2_000_000), None),
            step(3 * MS, None, Some(false)),
        ];
        let told = |every, until: u64| {
            let it = course(steps.clone(), every);
            let all: Vec<(Instant, State)> = it
                .until(Instant(until))
                .map(|(from, state)| (from, *state))
                .collect();
            for (from, state) in &all {
                assert_eq!(it.at(*from), state);
            }
            all.iter().map(|(from, _)| from.0 / MS).collect::<Vec<_>>()
        };
        assert_eq!(told(None, 20 * MS), [0, 1, 3]);
        assert_eq!(told(None, 3 * MS - 1), [0, 1]);
        assert_eq!(told(Some(4 * MS), 9 * MS), [0, 1, 3, 4, 5, 7, 8, 9]);
    }

    #[test]
    fn a_line_that_stays_down_never_ends() {
        for every in [None, Some(2 * MS)] {
            let it = course(vec![step(MS, None, Some(false))], every);
            assert_eq!(it.when(work_of(8000)), Instant(MS));
            assert_eq!(it.when(work_of(8000) + 1), Instant::NEVER);
            assert_eq!(it.up_from(Instant(MS)), Instant::NEVER);
            assert_eq!(it.up_from(Instant(7 * MS)), Instant::NEVER);
        }
    }

    #[test]
    fn delays_have_a_least_and_a_mean() {
        let delay = |at, ms| Step {
            delay: Some(Duration::millis(ms)),
            ..step(at, None, None)
        };
        let it = course(vec![delay(MS, 50), delay(3 * MS, 20)], Some(4 * MS));
        assert_eq!(it.least_delay(), Duration::millis(10));
        let mean = |from, to| it.mean_delay(Duration(from * MS), Duration(to * MS)).0 / MS;
        assert_eq!((mean(0, 4), mean(4, 8), mean(0, 8)), (32, 35, 33));
        // At a step the new values hold, also at the very beginning.
        let it = course(vec![delay(0, 50)], None);
        assert_eq!(
            (it.at(Instant(0)).delay, it.least_delay()),
            (Duration::millis(50), Duration::millis(50))
        );
    }

    proptest! {
        #[test]
        fn the_time_of_a_work_is_the_first_at_which_it_is_done(
            gaps in prop::collection::vec((1..3000u64, 1..9u64, any::<bool>()), 1..6),
            every in prop::option::of(1..3000u64),
            work in 0..200_000_000_000_000u128,
        ) {
            let mut at = 0;
            let steps: Vec<Step> = gaps.iter().map(|(gap, rate, up)| {
                at += gap;
                step(at, Some(rate * 1_000_000_000), Some(*up))
            }).collect();
            let it = course(steps, every.map(|rest| at + rest));
            let when = it.when(work);
            if when == Instant::NEVER {
                // It is down at its end, or in all turns after the first.
                prop_assert!(it.work(Instant(1 << 50)) < work);
            } else {
                prop_assert!(it.work(when) <= work && it.work(Instant(when.0 + 1)) >= work);
                prop_assert!(when.0 == 0 || it.work(Instant(when.0 - 1)) < work);
            }
        }
    }
}
