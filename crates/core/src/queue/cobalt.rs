//! COBALT: CoDel for flows that respond, and BLUE for those that do not.
//!
//! The CoDel part schedules signals at intervals of interval / sqrt(count) while sojourn times are above the target, and marks or drops the
//! packet that departs when one is due. count grows by one with each signal. When the sojourn time is below the target again, count is
//! not forgotten: it shrinks by one whenever a signal would have been due.
//!
//! The BLUE part drops each packet that departs with a probability. That grows by `increment` when the buffer overflows, and shrinks by
//! `decrement` while the queue is empty, each at most once per target. It does not mark.
//!
//! The last packet of a queue may be marked, but is not dropped.
//!
//! As in Linux, the first packet above the target after a pause starts the interval; if the queue was idle for longer than an interval
//! before, the first signal comes at once with the next packet.
//= linux-cake
//= palmei-2019 §II

use super::aqm::{Apart, Aqm, Arrival, Departure, Fifo, Verdict};
use super::codel::{COUNT, gap, gaps};
use super::drop_law::{Curve, DropLaw};
use super::{About, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::Cause;
use crate::measure::{Room, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Drops packets as they depart while the sojourn time exceeds a target, and at random after the buffer has overflowed.
    pub struct CobaltParams as "cobalt" from "palmei-2019 §II" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room = "1000 packets", show "30 packets";
        /// Acceptable sojourn time, and the least time between two changes of the random drop probability.
        target: Duration = "5 ms", show "3 ms";
        /// Time between the first packet above `target` and the first signal.
        interval: Duration = "100 ms", show "5 ms";
        /// Increase of the random drop probability when the buffer overflows: 1/256.
        increment: Share = "0.00390625";
        /// Decrease of the random drop probability while the queue is empty, once per `target`: 1/4096.
        decrement: Share = "0.000244140625";
        /// Marking of ECN-capable packets in place of the drops of the CoDel part.
        ecn: bool = "true", show "false";
    }
    check |it| {
        let fault = |name| Err(crate::declare::Fault { name, found: "0 s".into(), allowed: "more than 0".into() });
        if it.target == Duration::ZERO { return fault("target"); }
        if it.interval == Duration::ZERO { return fault("interval"); }
        if it.decrement.0 == 0.0 { return Err(crate::declare::Fault { name: "decrement", found: "0".into(), allowed: "more than 0".into() }); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).blind_to_flows();

/// A FIFO whose packets are dropped or marked as they leave it.
// Boxed, because every `Queue` has the size of the largest discipline.
pub type Cobalt<U> = Apart<Fifo<U, Box<CodelAndBlue>>>;

impl<U> Make<CobaltParams> for Cobalt<U> {
    fn make(params: &CobaltParams, line: Line) -> Self {
        let law = Law {
            target: params.target,
            interval: params.interval,
            mtu_time: Duration::ZERO,
            increment: params.increment.0,
            decrement: params.decrement.0,
            ecn: params.ecn,
        };
        Self(Fifo::new(
            params.buffer,
            Box::new(CodelAndBlue::new(law, line.stream)),
        ))
    }
}

/// Parameters of both parts.
#[derive(Clone, Debug)]
pub(super) struct Law {
    /// Acceptable sojourn time.
    pub target: Duration,
    /// Time to the first signal.
    pub interval: Duration,
    /// Time of a longest packet at the rate of a shaper: sojourn times below four of them are acceptable. 0 without a shaper.
    pub mtu_time: Duration,
    /// Steps of the drop probability.
    pub increment: f64,
    /// The same, down.
    pub decrement: f64,
    /// Marks in place of CoDel's drops.
    pub ecn: bool,
}

impl Law {
    /// Time from a signal to the next, after this many.
    //= linux-cake §inverse square root type=departure
    fn gap(&self, count: u64) -> Duration {
        gap(self.interval, count.max(1))
    }

    /// See [`Discipline::drop_laws`](super::Discipline::drop_laws).
    pub fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let says = "Time from one drop or mark of the CoDel part to the next, over the number of drops and marks so far, while the sojourn time \
                    exceeds the target.";
        let mut laws = gaps(says, |count| self.gap(count));
        laws.push(self.blue());
        laws
    }

    /// How BLUE's probability changes with time.
    fn blue(&self) -> DropLaw<'_> {
        let target = self.target.seconds() * 1e3;
        let steps = move |time: f64| libm::floor(time / target);
        DropLaw {
            says: "BLUE's drop probability: over the time for which packets have been arriving at a full buffer, from 0; and over the time for which \
                   the queue has been empty, from 1. It changes at most once in a target.",
            over: Gauge::new("time", "ms"),
            range: (0.0, 1.25 * target / self.decrement),
            parameters: Vec::new(),
            curves: Vec::from([
                Curve::probability("full", move |time| (steps(time) * self.increment).min(1.0)),
                Curve::probability("empty", move |time| {
                    (1.0 - steps(time) * self.decrement).max(0.0)
                }),
            ]),
        }
    }
}

/// The state of a queue.
//= linux-cake
#[derive(Clone, Debug)]
pub struct CodelAndBlue {
    law: Law,
    stream: Stream,
    /// Packets that wait.
    waiting: u64,
    /// Signals of the CoDel part, and fewer again in better times.
    count: u64,
    dropping: bool,
    /// Time of the next signal, or of the next decrease of `count`.
    drop_next: Instant,
    /// BLUE's drop probability.
    p_drop: f64,
    /// Time of its last change.
    blue_timer: Instant,
    /// A mark is wanted, and `drop_next` is past already.
    late: Option<Instant>,
    /// The CoDel part wanted a signal in the packet that was asked about last.
    signalled: bool,
    /// Time since which the queue has been empty, if it was found so.
    empty_since: Option<Instant>,
}

impl CodelAndBlue {
    /// Before the first packet.
    pub(super) fn new(law: Law, stream: Stream) -> Self {
        Self {
            law,
            stream,
            waiting: 0,
            count: 0,
            dropping: false,
            drop_next: Instant::ZERO,
            p_drop: 0.0,
            blue_timer: Instant::ZERO,
            late: None,
            signalled: false,
            empty_since: None,
        }
    }

    /// `interval` / sqrt(`count`) after `at`.
    fn control(&self, at: Instant) -> Instant {
        at + self.law.gap(self.count)
    }

    /// A packet has been dropped because the buffer is full.
    pub(super) fn on_full(&mut self, now: Instant) {
        self.catch_up(now);
        if now.since(self.blue_timer) > self.law.target {
            self.p_drop = (self.p_drop + self.law.increment).min(1.0);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Makes the changes of the time in which the queue was empty, if it was: the drop probability shrinks once in more than a target, and
    /// the count whenever a signal would have been due.
    //= linux-cake §empty queue type=departure
    fn catch_up(&mut self, now: Instant) {
        let Some(since) = self.empty_since.take() else {
            return;
        };
        let period = Duration(self.law.target.0 + 1);
        let first = since.max(self.blue_timer + period);
        if self.p_drop > 0.0 && now >= first {
            let further = (now - first).0 / period.0;
            // Beyond the steps to zero, the time of the last change no longer matters.
            let steps = (further + 1).min((self.p_drop / self.law.decrement) as u64 + 1);
            self.p_drop = (self.p_drop - steps as f64 * self.law.decrement).max(0.0);
            self.blue_timer = first + Duration((steps - 1) * period.0);
        }
        self.decay(now);
    }

    /// Shrinks the count for each signal that would have been due.
    fn decay(&mut self, now: Instant) {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = self.control(self.drop_next);
        }
    }

    /// A packet has left the queue without being asked about: it was dropped to make room.
    pub(super) fn on_pushed_out(&mut self) {
        self.waiting -= 1;
    }

    /// What is done with a packet that departs and has waited for `sojourn`.
    fn decide(&mut self, now: Instant, sojourn: Duration) -> Verdict {
        let mut past = now > self.drop_next;
        let above = sojourn > self.law.target && sojourn.0 > self.law.mtu_time.0.saturating_mul(4);
        let due = self.count > 0 && now >= self.drop_next;
        if above {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let signals = due && self.dropping;
        self.signalled = signals;
        if signals {
            self.count += 1;
            self.drop_next = self.control(self.drop_next);
            past = now > self.drop_next;
        } else if due {
            self.decay(now);
            past = now > self.drop_next;
        }
        let blue = self.p_drop > 0.0 && self.stream.share() < self.p_drop;
        // The time of the next signal tells as well how long the queue has been inactive.
        if self.count == 0 {
            self.drop_next = now + self.law.interval;
        } else if past && signals && self.law.ecn && !blue {
            self.late = Some(now);
        } else if past && !signals && !blue {
            self.drop_next = now;
        }
        match (blue, signals, self.law.ecn) {
            (false, false, _) => Verdict::Pass,
            (false, true, true) => Verdict::Mark(Cause::Early),
            _ => Verdict::Drop(Cause::Early),
        }
    }
}

impl Aqm for CodelAndBlue {
    type Stamp = Instant;

    fn on_arrival(&mut self, _: Instant, _: &Arrival) -> Verdict {
        Verdict::Pass
    }

    fn on_overflow(&mut self, now: Instant, _: &Arrival) {
        self.on_full(now);
    }

    fn on_joined(&mut self, now: Instant, _: u32) -> Instant {
        self.catch_up(now);
        self.waiting += 1;
        now
    }

    fn on_departure(&mut self, now: Instant, departure: &Departure<Instant>) -> Verdict {
        self.waiting -= 1;
        self.late = None;
        let verdict = self.decide(now, now - departure.stamp);
        if self.waiting > 0 {
            return verdict;
        }
        if self.law.ecn && self.signalled {
            Verdict::MarkIfAble
        } else {
            Verdict::Pass
        }
    }

    fn on_marked(&mut self) {
        if let Some(now) = self.late.take() {
            self.drop_next = now;
        }
    }

    fn on_empty(&mut self, now: Instant) {
        self.dropping = false;
        self.empty_since.get_or_insert(now);
    }

    fn gauges(&self, tell: &mut Tell) {
        let count = if self.dropping { self.count } else { 0 };
        tell(COUNT, count as f64);
        tell(Gauge::probability("p_drop"), self.p_drop);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.law.drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};
    use std::format;
    use std::string::String;

    /// In a millisecond \[ps\].
    const MS: u64 = 1_000_000_000;

    fn queue(texts: &[(&str, &str)]) -> Cobalt<Named> {
        Cobalt::make(&CobaltParams::from_texts(texts), line())
    }

    fn part() -> CodelAndBlue {
        let params = CobaltParams::from_texts(&[]);
        let law = Law {
            target: params.target,
            interval: params.interval,
            mtu_time: Duration::ZERO,
            increment: params.increment.0,
            decrement: params.decrement.0,
            ecn: false,
        };
        CodelAndBlue::new(law, line().stream)
    }

    /// `many` packets arrive at one time.
    fn arrive(many: usize, ecn: &str) -> String {
        (1..=many)
            .map(|n| format!("a{n} 1500{ecn} => kept\n"))
            .collect()
    }

    #[test]
    //= linux-cake type=test
    fn signals_come_after_an_interval_over_the_root_of_their_number() {
        // A packet that waits for less than the target comes first, so the queue is not taken for one that was idle.
        let script = arrive(12, "")
            + "@1ms pull => a1               # drop_next is 101 ms
             @6ms pull => a2                 # above: 106 ms
             @105ms pull => a3
             @106ms pull => a5, early a4     # count 2: 106 + 70.7 = 176.7 ms
             @176.710678117ms pull => a6
             @176.710678118ms pull => a8, early a7     # 57.7 ms later
             @234.445705035ms pull => a9
             @234.445705036ms pull => a11, early a10
             @1s pull => a12                 # the last one is not dropped";
        check(queue(&[("ecn", "false")]), &script);
        let marks = script
            .replace("1500 =>", "1500 ect =>")
            .replace("a5, early a4 ", "a4, marked a4 ");
        let marks: String = marks
            .lines()
            .take(16)
            .map(|line| format!("{line}\n"))
            .collect();
        check(
            queue(&[]),
            &(marks + "@176.710678117ms pull => a5\n@176.710678118ms pull => a6, marked a6"),
        );
    }

    #[test]
    //= linux-cake type=test
    fn the_random_drop_probability_rises_with_overflows_and_falls_while_empty() {
        let mut blue = part();
        let full = |blue: &mut CodelAndBlue, at: u64| blue.on_full(Instant(at));
        full(&mut blue, 5 * MS);
        assert_eq!(blue.p_drop, 0.0, "a target after the beginning");
        full(&mut blue, 5 * MS + 1);
        assert_eq!(blue.p_drop, 1.0 / 256.0);
        full(&mut blue, 10 * MS + 1);
        assert_eq!(blue.p_drop, 1.0 / 256.0);
        full(&mut blue, 10 * MS + 2);
        assert_eq!(blue.p_drop, 2.0 / 256.0);
        // Found empty at 12 ms, and again: the first change is due after 15 ms.
        for at in [12, 13, 14] {
            blue.on_empty(Instant(at * MS));
        }
        blue.on_joined(Instant(15 * MS + 2), 1500);
        assert_eq!(blue.p_drop, 2.0 / 256.0);
        blue.on_empty(Instant(30 * MS));
        // 30 ms, 35 ms + 1 ps, 40 ms + 2 ps
        blue.on_joined(Instant(40 * MS + 2), 1500);
        assert_eq!(blue.p_drop, 2.0 / 256.0 - 3.0 / 4096.0);
        blue.on_empty(Instant(41 * MS));
        blue.on_joined(Instant(60_000 * MS), 1500);
        assert_eq!(blue.p_drop, 0.0);
    }
}
