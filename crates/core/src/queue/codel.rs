//! CoDel: drops or marks departing packets, more and more often, while the sojourn time has exceeded a target for an interval.
//!
//! Each packet carries its time of arrival. At its departure its sojourn time is compared with `target`. If it was above for `interval`
//! without a break, the packet is dropped, and from then on one each
//!
//! drop_next <- drop_next + interval / sqrt(count)
//!
//! where count is the number of drops since. Dropping ends with the first packet below the target, or when no more than the longest
//! packet waits behind one. If it starts again less than 16 intervals after the last drop_next, count starts at the number of drops
//! that the last dropping state added, and not at 1.
//!
//! The root is that of IEEE 754, which every machine rounds alike. The result is cut to whole picoseconds. (A kernel has no floating
//! point: Linux corrects a root of 16 bits by a Newton step for each drop. Its second interval is 50 ms instead of 71 ms, and after a
//! jump of `count` an interval may have half its length.)
//!
//! The pseudocode drops a packet and examines the next in one step. Here the queue asks about one packet at a time, so what the
//! pseudocode does afterwards (set `drop_next`, or leave the dropping state) is done when the queue asks about the next.
//!
//! With `ecn` packets are marked instead, as in Linux: a mark counts as a drop, and sets `drop_next` at once.
//= rfc8289 §5
//= linux-codel

use super::aqm::{Apart, Aqm, Arrival, Departure, Fifo, Verdict};
use super::drop_law::{Curve, DropLaw};
use super::{About, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::Cause;
use crate::measure::Room;
use crate::time::{Duration, Instant};
use alloc::vec::Vec;

crate::declare! {
    /// Drops packets as they depart, more and more often, while the sojourn time has exceeded a target for an interval.
    pub struct CodelParams as "codel" from "rfc8289 §5" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room = "1000 packets";
        /// Acceptable sojourn time of a standing queue.
        target: Duration = "5 ms", show "3 ms";
        /// Time for which the sojourn time may exceed `target` before the first drop: an RTT that most flows do not exceed.
        interval: Duration = "100 ms", show "10 ms";
        /// Marking of ECN-capable packets instead of dropping them, except on overflow.
        ecn: bool = "false";
    }
    check |it| {
        let fault = |name| Err(crate::declare::Fault { name, found: "0 s".into(), allowed: "more than 0".into() });
        if it.target == Duration::ZERO { return fault("target"); }
        if it.interval == Duration::ZERO { return fault("interval"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).blind_to_flows();

/// A FIFO whose packets are dropped or marked as they leave it.
pub type Codel<U> = Apart<Fifo<U, ControlledDelay>>;

impl<U> Make<CodelParams> for Codel<U> {
    fn make(params: &CodelParams, _: Line) -> Self {
        Self(Fifo::new(params.buffer, ControlledDelay::new(params)))
    }
}

/// The number of drops and marks after which the intervals between them are as short as they are.
pub(super) const COUNT: Gauge = Gauge::new("count", "drops and marks");

/// The state of a queue.
//= rfc8289 §5.2
#[derive(Clone, Debug)]
pub struct ControlledDelay {
    target: Duration,
    interval: Duration,
    ecn: bool,
    /// Backlog \[bytes\].
    bytes: u64,
    /// The longest packet that has come \[bytes\].
    max_packet: u64,
    /// Time at which the sojourn times will have been above the target for an interval, if they are above it.
    first_above: Option<Instant>,
    dropping: bool,
    /// Time of the next drop while `dropping`; after that, the time at which it would have been.
    drop_next: Instant,
    /// The drop of `drop_next` was wanted: the next one is not set yet.
    due: bool,
    /// Drops and marks since `dropping` began, plus those of the previous dropping state if that ended shortly before.
    count: u64,
    /// Value of `count` at that time.
    last_count: u64,
}

/// Time from a drop to the next, after this many.
//= rfc8289 §5.6
pub(super) fn gap(interval: Duration, count: u64) -> Duration {
    let gap = interval.0 as f64 / libm::sqrt(count as f64);
    Duration(gap as u64)
}

/// The law of the intervals between drops, or marks.
pub(super) fn gaps<'a>(says: &'static str, gap: impl Fn(u64) -> Duration + 'a) -> Vec<DropLaw<'a>> {
    Vec::from([DropLaw {
        says,
        over: COUNT,
        range: (1.0, 60.0),
        parameters: Vec::new(),
        curves: Vec::from([Curve::new("interval", "ms", move |count| {
            gap(count as u64).seconds() * 1e3
        })]),
    }])
}

impl ControlledDelay {
    /// Before the first packet.
    pub fn new(params: &CodelParams) -> Self {
        Self {
            target: params.target,
            interval: params.interval,
            ecn: params.ecn,
            bytes: 0,
            max_packet: 0,
            first_above: None,
            dropping: false,
            drop_next: Instant::ZERO,
            due: false,
            count: 0,
            last_count: 0,
        }
    }
}

impl ControlledDelay {
    /// A packet that was waiting has been dropped to make room.
    pub(super) fn on_pushed_out(&mut self, bytes: u32) {
        self.bytes -= u64::from(bytes);
    }

    /// Packets as long as this have come to the line, if not to this queue.
    pub(super) fn expect_packets_of(&mut self, longest: u64) {
        self.max_packet = self.max_packet.max(longest);
    }

    /// Time of the next drop after one at `at`.
    //= rfc8289 §5.6
    fn control_law(&self, at: Instant) -> Instant {
        at + gap(self.interval, self.count)
    }

    /// All sojourn times of the last interval were above the target, and this one is.
    //= rfc8289 §5.6
    //= rfc7141 §2.1
    //= rfc8289 §5.3 type=departure
    // The longest packet so far is used as the MTU of the line.
    fn ok_to_drop(&mut self, now: Instant, sojourn: Duration) -> bool {
        if sojourn < self.target || self.bytes <= self.max_packet {
            self.first_above = None;
            return false;
        }
        now >= *self.first_above.get_or_insert(now + self.interval)
    }

    /// The dropping state begins with the packet that leaves now.
    //= rfc8289 §5.5
    fn begin(&mut self, now: Instant) {
        let delta = self.count - self.last_count;
        let lately = now.since(self.drop_next).0 < self.interval.0.saturating_mul(16);
        self.count = if delta > 1 && lately { delta } else { 1 };
        self.last_count = self.count;
        self.drop_next = self.control_law(now);
        self.dropping = true;
    }

    /// Schedules the next drop or mark, if the one that was due has been made.
    fn set_next(&mut self) {
        if core::mem::take(&mut self.due) {
            self.drop_next = self.control_law(self.drop_next);
        }
    }
}

impl Aqm for ControlledDelay {
    type Stamp = Instant;

    fn on_arrival(&mut self, _: Instant, _: &Arrival) -> Verdict {
        Verdict::Pass
    }

    //= rfc8289 §5.4
    fn on_joined(&mut self, now: Instant, bytes: u32) -> Instant {
        self.bytes += u64::from(bytes);
        self.max_packet = self.max_packet.max(u64::from(bytes));
        now
    }

    //= rfc8289 §5.5
    fn on_departure(&mut self, now: Instant, departure: &Departure<Instant>) -> Verdict {
        self.bytes -= u64::from(departure.bytes);
        if !self.ok_to_drop(now, now - departure.stamp) {
            (self.dropping, self.due) = (false, false);
            return Verdict::Pass;
        }
        if self.dropping {
            self.set_next();
            if now < self.drop_next {
                return Verdict::Pass;
            }
            self.count += 1;
            self.due = true;
        } else {
            self.begin(now);
        }
        if self.ecn {
            Verdict::Mark(Cause::Early)
        } else {
            Verdict::Drop(Cause::Early)
        }
    }

    //= linux-codel
    fn on_marked(&mut self) {
        self.set_next();
    }

    //= rfc8289 §5.5
    //= rfc8289 §5.6
    fn on_empty(&mut self, _: Instant) {
        self.first_above = None;
        (self.dropping, self.due) = (false, false);
    }

    fn gauges(&self, tell: &mut Tell) {
        let count = if self.dropping { self.count } else { 0 };
        tell(COUNT, count as f64);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let says = "Time from one drop or mark to the next, over the number of drops and marks so far, while the sojourn time exceeds the target.";
        gaps(says, |count| gap(self.interval, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};
    use std::format;
    use std::string::{String, ToString};

    /// In a millisecond \[ps\].
    const MS: u64 = 1_000_000_000;

    fn queue(texts: &[(&str, &str)]) -> Codel<Named> {
        Codel::make(&CodelParams::from_texts(texts), line())
    }

    /// `many` packets of `flow` arrive at one time.
    fn arrive(flow: char, many: usize, ecn: &str) -> String {
        let line = |n| format!("{flow}{n} 1500{ecn} => kept\n");
        (1..=many).map(line).collect()
    }

    /// From the start, a packet arrives each millisecond and departs `wait` milliseconds later.
    fn standing(wait: u64, until: u64) -> String {
        let line = |n: u64| match n.checked_sub(wait) {
            Some(first) => format!("@{n}ms a{n} 1500 => kept\npull => a{first}\n"),
            None => format!("@{n}ms a{n} 1500 => kept\n"),
        };
        (0..until).map(line).collect()
    }

    #[test]
    //= rfc8289 §5.4 type=test
    //= rfc8289 §5.6 type=test
    //= rfc7141 §2.1 type=test
    fn nothing_is_dropped_before_packets_have_waited_too_long_for_an_interval() {
        // The sojourn times are below the target, however long they last.
        check(queue(&[]), &standing(4, 1000));
        // Sojourn times are above the target from the sixth millisecond on; the last one is equal to it.
        let and_then = "@105.999999999ms pull => a100
             @106ms pull => a102, early a101";
        check(queue(&[]), &(standing(6, 106) + and_then));
    }

    #[test]
    //= rfc8289 §5.5 type=test
    //= rfc8289 §5.6 type=test
    fn drops_come_after_an_interval_over_the_root_of_their_number() {
        // 105 ms, and then + 100 ms / sqrt(1), sqrt(2), sqrt(3), sqrt(4), each cut to whole picoseconds.
        let drops = "@5ms pull => a1
             @105ms pull => a3, early a2
             @204.999999999ms pull => a4
             @205ms pull => a6, early a5
             @275.710678117ms pull => a7
             @275.710678118ms pull => a9, early a8
             @333.445705035ms pull => a10
             @333.445705036ms pull => a12, early a11
             @383.445705035ms pull => a13
             @383.445705036ms pull => a15, early a14
             @510ms pull => a19, early a16 a17 a18   # due at 428.2, 469.0 and 506.8 ms: a late pull moves no time
             @542.143679989ms pull => a20
             @542.143679990ms pull => a22, early a21";
        check(queue(&[]), &(arrive('a', 30, "") + drops));
    }

    /// Dropping ends while 12 packets wait that came at 350 ms, and begins again as the interval from `above` \[ps\] on is over: the
    /// next is dropped after `gap` \[ps\].
    fn again(ends: &str, above: u64, gap: u64) -> String {
        let begins = above + 100 * MS;
        let next = begins + gap;
        let rest = format!(
            "@{above}ps pull => c1
             @{begins}ps pull => c3, early c2
             @{}ps pull => c4
             @{next}ps pull => c6, early c5",
            next - 1
        );
        format!("{ends}\n@350ms {}{rest}", arrive('c', 12, ""))
    }

    #[test]
    //= rfc8289 §5.5 type=test
    fn what_begins_again_within_sixteen_intervals_starts_with_the_drops_of_the_last_time() {
        let drops = "@5ms pull => a1
             @105ms pull => a3, early a2
             @205ms pull => a5, early a4
             @276ms pull => a7, early a6
             @334ms pull => a9, early a8\n";
        // The count is 4, three more than it began with; the next drop would be at 383.4 ms.
        let by_a_pass = "pull => a10
             pull => a11
             pull => a12             # no more than one waits
             pull => a13
             pull => nothing";
        let start = arrive('a', 13, "") + drops;
        let (third, first) = (57_735_026_918, 100 * MS);
        for (above, gap) in [
            (405 * MS, third),
            (1_883_445_705_035, third),
            (1_883_445_705_036, first),
        ] {
            check(queue(&[]), &(start.clone() + &again(by_a_pass, above, gap)));
        }
        // The packet after the last drop is sent, and no further drop is scheduled: the drop due at 333.4 ms remains the last.
        let by_a_drop = "pull => a10";
        let start = arrive('a', 10, "") + drops;
        for (above, gap) in [(1_833_445_705_035, third), (1_833_445_705_036, first)] {
            check(queue(&[]), &(start.clone() + &again(by_a_drop, above, gap)));
        }
    }

    #[test]
    //= rfc8289 §5.6 type=test
    fn an_empty_queue_ends_the_interval() {
        let rest = "@210.999999999ms pull => b2
             @211ms pull => b4, early b3";
        let script = arrive('a', 4, "")
            + "@5ms pull => a1           # the interval begins
             @60ms pull => a2
             pull => a3
             pull => a4
             pull => nothing
             @61ms "
            + &arrive('b', 6, "")
            + "@111ms pull => b1         # it begins anew
             "
            + rest;
        check(queue(&[]), &script);
    }

    #[test]
    //= rfc8289 §5.6 type=test
    fn the_last_packets_up_to_the_longest_are_not_dropped() {
        check(
            queue(&[]),
            "a1 1500 => kept
             a2 100 => kept
             a3 1500 => kept
             @5ms pull => a1
             @1s pull => a2        # 1500 B wait behind it
             pull => a3",
        );
        check(
            queue(&[]),
            "a1 1500 => kept
             a2 100 => kept
             a3 1500 => kept
             a4 1 => kept
             @5ms pull => a1
             @1s pull => a3, early a2        # 1501 B
             pull => a4",
        );
    }

    #[test]
    //= linux-codel type=test
    fn marks_take_the_place_of_drops_where_they_can() {
        let script = "a1 1500 ect => kept
             a2 1500 ect => kept
             b1 1500 => kept\n"
            .to_string()
            + &(3..=14)
                .map(|n| format!("a{n} 1500 ect => kept\n"))
                .collect::<String>()
            + "@5ms pull => a1
             @105ms pull => a2, marked a2
             @205ms pull => a3, early b1         # Not-ECT
             @275.710678117ms pull => a4
             @275.710678118ms pull => a5, marked a5
             @333.445705035ms pull => a6
             @333.445705036ms pull => a7, marked a7
             @510ms pull => a8, marked a8        # four were due: one is marked each time
             pull => a9, marked a9
             pull => a10, marked a10
             pull => a11, marked a11
             pull => a12";
        check(queue(&[("ecn", "true")]), &script);
    }

    #[test]
    //= linux-codel type=test
    fn a_mark_sets_the_next_time_at_once() {
        let marks = "@5ms pull => a1
             @105ms pull => a2, marked a2
             @205ms pull => a3, marked a3
             @276ms pull => a4, marked a4
             @334ms pull => a5, marked a5       # the next would be at 383.4 ms
             pull => a6
             pull => a7             # no more than one waits
             pull => a8";
        let start = arrive('a', 8, " ect") + marks;
        for (above, gap) in [
            (1_883_445_705_035, 57_735_026_918),
            (1_883_445_705_036, 100 * MS),
        ] {
            check(queue(&[("ecn", "true")]), &again(&start, above, gap));
        }
    }

    #[test]
    fn a_full_buffer_drops_and_marks_nothing() {
        check(
            queue(&[("buffer", "2 packets"), ("ecn", "true")]),
            "a1 1500 ect => kept
             a2 1500 ect => kept
             a3 1500 ect => overflow
             pull => a1
             a4 1500 ect => kept",
        );
    }
}
