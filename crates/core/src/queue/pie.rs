//! PIE: drops or marks arrivals at random, with a probability that follows the queueing delay and its trend.
//!
//! Every `update` the drop probability changes by
//!
//! p = alpha (current_qdelay - target) + beta (current_qdelay - qdelay_old)
//!
//! where qdelay_old is the delay of the update before. While the probability is small, p is scaled down: from 1/2048 of it below 0.000001
//! to a half of it below 0.1. A packet is not dropped while the queue has at most two packets' bytes, nor while the delay was below half
//! of the target and the probability is below 0.2, nor within the burst allowance: `max_burst` from the last time at which there was no
//! congestion (no drop probability, and delays below half of the target).
//!
//! The delay is that of the packet that departed last, or the time in which the backlog would depart at the measured departure rate
//! (Little's law). That rate is measured over `dq_threshold` bytes at a time, while at least as many wait.
//!
//! Updates are due at multiples of `update` from the start of the run. The queue has no timer: it makes the updates that were due before
//! it accepts or sends a packet. Between arrivals and departures nothing that they depend on changes.
//!
//! Of the optional elements of section 5, these are parameters: marking (5.1), the departure rate (5.2), derandomization (5.4) and the cap
//! of an increase (5.5). Turning PIE off while the queue is short (5.3) is not here.
//= rfc8033 §4
//= rfc8033 §5

use super::aqm::{Apart, Aqm, Arrival, Departure, Fifo, Verdict};
use super::drop_law::{Curve, DropLaw};
use super::{About, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::Cause;
use crate::measure::{Bytes, Room, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::choice! {
    /// Source of the current queueing delay.
    pub enum Estimator {
        /// Time of arrival of the packet that departed last.
        Timestamp = "timestamp",
        /// Backlog and measured departure rate.
        DepartureRate = "departure-rate",
    }
}

crate::choice! {
    /// Delays at which the drop probability decays by 2 % per update in addition.
    pub enum Decay {
        /// No delay now and at the update before: the text of section 4.2.
        Idle = "idle",
        /// Less than half of the target, now and at the update before: the pseudocode of the appendices.
        BelowHalf = "below-half",
    }
}

crate::declare! {
    /// Drops or marks arrivals at random, with a probability that follows the queueing delay and its trend.
    pub struct PieParams as "pie" from "rfc8033 §4" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room = "1000 packets";
        /// Queueing delay to which the drop probability is controlled.
        target: Duration = "15 ms", show "2 ms";
        /// Interval between updates of the drop probability.
        update: Duration = "15 ms", show "1 ms";
        /// Change of the drop probability per update and second of delay beyond the target.
        alpha: f64 = "0.125", show "8";
        /// Change of the drop probability per update and second of delay beyond that of the update before.
        beta: f64 = "1.25", show "80";
        /// Time for which nothing is dropped early when congestion begins.
        max_burst: Duration = "150 ms", try ["150 ms", "0 s"], show "0 s";
        /// Source of the current delay: the packet that departed last, or the backlog and the measured departure rate.
        estimator: Estimator = "timestamp";
        /// Bytes over which the departure rate is measured.
        dq_threshold: Bytes = "16384 B", try ["2 kB"];
        /// Delays at which the drop probability decays by 2 % per update in addition: none (the RFC's text), or below half of the target
        /// (its pseudocode).
        decay: Decay = "idle";
        /// Drops as regular as the drop probability allows: none before its sum over arrivals is 0.85, and one when the sum is 8.5.
        derandomize: bool = "false";
        /// Increases of at most 0.02 when the drop probability is 0.1 or more.
        cap: bool = "false";
        /// Marking of ECN-capable packets instead of dropping them, while the drop probability is below `mark_ecnth`.
        ecn: bool = "false";
        /// Drop probability from which on ECN-capable packets are dropped.
        mark_ecnth: Share = "0.1", try ["1"];
        /// Size of a usual packet, headers included: nothing is dropped early while twice as many bytes wait, or fewer.
        packet_size: Bytes = "1500 B", try ["300 B"];
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.target == Duration::ZERO { return fault("target", "0 s".into(), "more than 0"); }
        if it.update < Duration(1_000_000) { return fault("update", alloc::format!("{} ps", it.update.0), "at least 1 us"); }
        if it.alpha < 0.0 { return fault("alpha", alloc::format!("{}", it.alpha), "at least 0"); }
        if it.beta < 0.0 { return fault("beta", alloc::format!("{}", it.beta), "at least 0"); }
        if it.dq_threshold.0 == 0 { return fault("dq_threshold", "0 B".into(), "at least 1 B"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).blind_to_flows();

/// The drop probability.
pub(super) const DROP_PROB: Gauge = Gauge::probability("drop_prob");

/// A FIFO behind PIE.
pub type Pie<U> = Apart<Fifo<U, DelayController>>;

impl<U> Make<PieParams> for Pie<U> {
    fn make(params: &PieParams, line: Line) -> Self {
        Self(Fifo::new(
            params.buffer,
            DelayController::make(params, line),
        ))
    }
}

/// Drops or marks at random by the queueing delay.
#[derive(Clone, Debug)]
pub struct DelayController {
    params: Box<PieParams>,
    stream: Stream,
    /// Backlog \[bytes\].
    bytes: u64,
    pub(super) drop_prob: f64,
    /// Sum of `drop_prob` over arrivals since the last drop.
    accu_prob: f64,
    burst_allowance: Duration,
    /// Delay at the last update \[s\].
    qdelay_old: f64,
    next_update: Instant,
    /// Delay of the packet that departed last \[s\].
    sojourn: f64,
    rate: DepartureRate,
}

/// Measures how long `dq_threshold` bytes take to depart.
#[derive(Clone, Debug, Default)]
struct DepartureRate {
    /// Start of the measurement, if one is in progress.
    start: Option<Instant>,
    /// Bytes that have departed since then.
    count: u64,
    /// Average \[s\]; 0 before the first measurement.
    avg_dq_time: f64,
}

impl DepartureRate {
    /// A packet of `bytes` departs, and `backlog` bytes remain.
    //= rfc8033 §5.2
    //= rfc8033 §5.2, measurement type=departure
    fn on_departure(&mut self, now: Instant, bytes: u64, backlog: u64, threshold: u64) {
        if let Some(start) = self.start {
            self.count += bytes;
            if self.count >= threshold {
                let dq_time = (now - start).seconds();
                let weight = threshold as f64 / 65536.0;
                self.avg_dq_time = match self.avg_dq_time {
                    0.0 => dq_time,
                    average => dq_time * weight + average * (1.0 - weight),
                };
                self.start = None;
            }
        }
        if self.start.is_none() && backlog >= threshold {
            (self.start, self.count) = (Some(now), 0);
        }
    }
}

impl Make<PieParams> for DelayController {
    fn make(params: &PieParams, line: Line) -> Self {
        Self {
            params: Box::new(params.clone()),
            stream: line.stream,
            bytes: 0,
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: params.max_burst,
            qdelay_old: 0.0,
            next_update: Instant::ZERO + params.update,
            sojourn: 0.0,
            rate: DepartureRate::default(),
        }
    }
}

/// The curve of a short delay.
const SHORT: &str = "dropped or marked at a delay below half of `target`";

/// Updates in a picture of its rise: enough for each factor of [`scale`].
const UPDATES: usize = 180;

/// What an increase of the drop probability is divided by.
//= rfc8033 §4.2
fn scale(drop_prob: f64) -> f64 {
    match drop_prob {
        ..0.000_001 => 2048.0,
        ..0.000_01 => 512.0,
        ..0.000_1 => 128.0,
        ..0.001 => 32.0,
        ..0.01 => 8.0,
        ..0.1 => 2.0,
        _ => 1.0,
    }
}

impl DelayController {
    /// current_qdelay \[s\].
    //= rfc8033 §4.3
    //= rfc8033 §5.2
    //= rfc7141 §2.1
    fn current_qdelay(&self) -> f64 {
        match self.params.estimator {
            Estimator::Timestamp => self.sojourn,
            Estimator::DepartureRate => {
                self.bytes as f64 * self.rate.avg_dq_time / self.params.dq_threshold.0 as f64
            }
        }
    }

    /// The delay is below half of the target, and was at the last update.
    fn below_half(&self, current_qdelay: f64) -> bool {
        let half = self.params.target.seconds() / 2.0;
        current_qdelay < half && self.qdelay_old < half
    }

    /// calculate_drop_prob
    //= rfc8033 §4.2
    fn update(&mut self) {
        self.update_at(self.current_qdelay());
    }

    /// The same at this current_qdelay.
    fn update_at(&mut self, current: f64) {
        let params = &self.params;
        let mut p = params.alpha * (current - params.target.seconds())
            + params.beta * (current - self.qdelay_old);
        p /= scale(self.drop_prob);
        //= rfc8033 §5.5
        if params.cap && self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        let decays = match params.decay {
            Decay::Idle => current == 0.0 && self.qdelay_old == 0.0,
            Decay::BelowHalf => self.below_half(current),
        };
        if decays {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = current;
        //= rfc8033 §4.4
        self.burst_allowance.0 = self.burst_allowance.0.saturating_sub(self.params.update.0);
    }

    /// Makes the updates that were due until `now`. One that changes nothing is the last: those after it would change nothing either.
    fn catch_up(&mut self, now: Instant) {
        let state = |it: &Self| (it.drop_prob, it.qdelay_old, it.burst_allowance);
        while self.next_update <= now {
            let before = state(self);
            self.update();
            let period = self.params.update.0;
            let skipped = match state(self) == before {
                true => (now - self.next_update).0 / period,
                false => 0,
            };
            self.next_update += Duration((skipped + 1) * period);
        }
    }

    /// Nothing is dropped at this delay \[s\] with this drop probability.
    //= rfc8033 §4.1
    fn spares(&self, qdelay_old: f64, drop_prob: f64) -> bool {
        qdelay_old < self.params.target.seconds() / 2.0 && drop_prob < 0.2
    }

    /// What is done with an arrival that is chosen with this drop probability.
    //= rfc8033 §5.1
    fn signal(&self, drop_prob: f64) -> Verdict {
        if self.params.ecn && drop_prob < self.params.mark_ecnth.0 {
            Verdict::Mark(Cause::Early)
        } else {
            Verdict::Drop(Cause::Early)
        }
    }

    /// The drop probability after each update \[ms, probability\], if the delay has come to twice the target and stays there.
    fn rise(&self) -> Vec<(f64, f64)> {
        let mut pie = self.clone();
        let delay = 2.0 * self.params.target.seconds();
        (pie.drop_prob, pie.qdelay_old) = (0.0, delay);
        (0..=UPDATES)
            .map(|update| {
                if update > 0 {
                    pie.update_at(delay);
                }
                let time = self.params.update.seconds() * update as f64;
                (time * 1e3, pie.drop_prob)
            })
            .collect()
    }

    /// See [`Aqm::drop_laws`].
    pub(super) fn laws(&self) -> Vec<DropLaw<'static>> {
        let target = self.params.target.seconds();
        let of = |name, what: fn(Verdict) -> bool, delay| {
            let pie = self.clone();
            Curve::probability(name, move |drop_prob| {
                if pie.spares(delay, drop_prob) || !what(pie.signal(drop_prob)) {
                    0.0
                } else {
                    drop_prob
                }
            })
        };
        let mark = |it| matches!(it, Verdict::Mark(_));
        let drop = |it| matches!(it, Verdict::Drop(_));
        let mut decides = DropLaw {
            says: "Probability that an arrival is dropped, or marked if it is ECN-capable, over the state variable `drop_prob`.",
            over: Gauge::new("drop_prob", ""),
            range: (0.0, 1.0),
            parameters: Vec::new(),
            curves: Vec::from([
                of("marked", mark, target),
                of("dropped", drop, target),
                of(SHORT, |_| true, 0.0),
            ]),
        };
        if self.params.ecn {
            decides
                .parameters
                .push(("mark_ecnth", self.params.mark_ecnth.0));
        }
        let rise = self.rise();
        let last = rise[UPDATES].0;
        let at = move |time: f64| {
            let after = rise.partition_point(|(update, _)| *update <= time);
            rise[after.max(1) - 1].1
        };
        let rises = DropLaw {
            says: "`drop_prob` over time, while the queueing delay stays at twice `target`.",
            over: Gauge::new("time", "ms"),
            range: (0.0, last),
            parameters: Vec::new(),
            curves: Vec::from([Curve::probability("drop_prob", at)]),
        };
        Vec::from([decides, rises])
    }

    /// An arriving packet is to be dropped.
    //= rfc8033 §4.1
    //= rfc8033 §5.4
    fn drop_early(&mut self) -> bool {
        if self.spares(self.qdelay_old, self.drop_prob)
            || self.bytes <= 2 * self.params.packet_size.0
        {
            return false;
        }
        if self.params.derandomize {
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        self.stream.happens(self.drop_prob)
    }
}

impl Aqm for DelayController {
    type Stamp = Instant;

    fn on_arrival(&mut self, now: Instant, _: &Arrival) -> Verdict {
        self.catch_up(now);
        let drops = self.burst_allowance == Duration::ZERO && self.drop_early();
        //= rfc8033 §4.4
        if self.drop_prob == 0.0 && self.below_half(self.current_qdelay()) {
            self.burst_allowance = self.params.max_burst;
        }
        if !drops {
            return Verdict::Pass;
        }
        self.accu_prob = 0.0;
        self.signal(self.drop_prob)
    }

    fn on_overflow(&mut self, _: Instant, _: &Arrival) {
        self.accu_prob = 0.0;
    }

    fn on_joined(&mut self, now: Instant, bytes: u32) -> Instant {
        self.bytes += u64::from(bytes);
        now
    }

    fn on_departure(&mut self, now: Instant, departure: &Departure<Instant>) -> Verdict {
        self.catch_up(now);
        let bytes = u64::from(departure.bytes);
        self.bytes -= bytes;
        match self.params.estimator {
            //= rfc8033 §4.3, empty queue type=departure
            Estimator::Timestamp if self.bytes == 0 => self.sojourn = 0.0,
            Estimator::Timestamp => self.sojourn = (now - departure.stamp).seconds(),
            Estimator::DepartureRate => {
                let threshold = self.params.dq_threshold.0;
                self.rate.on_departure(now, bytes, self.bytes, threshold);
            }
        }
        Verdict::Pass
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(DROP_PROB, self.drop_prob);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::drawn::{agrees, value};
    use crate::queue::tests::script::{check, line};

    /// In a millisecond \[ps\].
    const MS: u64 = 1_000_000_000;

    fn pie(texts: &[(&str, &str)]) -> DelayController {
        DelayController::make(&PieParams::from_texts(texts), line())
    }

    /// A packet of 1500 B arrives.
    fn arrives(pie: &mut DelayController, at: u64) -> Verdict {
        let backlog = pie.bytes / 1500;
        let arrival = Arrival {
            bytes: 1500,
            backlog,
        };
        let verdict = pie.on_arrival(Instant(at), &arrival);
        if verdict == Verdict::Pass {
            pie.on_joined(Instant(at), 1500);
        }
        verdict
    }

    /// A packet that has waited for `waited` departs.
    fn departs(pie: &mut DelayController, at: u64, waited: u64) {
        let departure = Departure {
            bytes: 1500,
            stamp: Instant(at - waited),
        };
        assert_eq!(pie.on_departure(Instant(at), &departure), Verdict::Pass);
    }

    /// Ten packets wait, one has departed after `waited`, and this is the drop probability.
    fn congested(texts: &[(&str, &str)], waited: u64, drop_prob: f64) -> DelayController {
        let mut pie = pie(texts);
        (0..11).for_each(|_| assert_eq!(arrives(&mut pie, 0), Verdict::Pass));
        departs(&mut pie, waited, waited);
        pie.catch_up(Instant(waited));
        (pie.drop_prob, pie.qdelay_old) = (drop_prob, waited as f64 / 1e12);
        pie.burst_allowance = Duration::ZERO;
        pie
    }

    fn close(found: f64, want: f64) {
        assert!((found - want).abs() < 1e-12, "{found}, not {want}");
    }

    #[test]
    //= rfc8033 §4.2 type=test
    fn the_probability_follows_the_delay_and_its_trend() {
        // 20 ms after updates at 15 ms; the next is at 30 ms. Its step is 0.125 x 5 ms + 1.25 x (20 - 10) ms.
        let mut pie = congested(&[], 20 * MS, 0.5);
        pie.qdelay_old = 0.01;
        pie.catch_up(Instant(30 * MS - 1));
        close(pie.drop_prob, 0.5);
        pie.catch_up(Instant(30 * MS));
        close(pie.drop_prob, 0.513125);
        // The delay is what it was: only the first term is left.
        pie.catch_up(Instant(45 * MS));
        close(pie.drop_prob, 0.51375);
        // It falls to 5 ms.
        departs(&mut pie, 46 * MS, 5 * MS);
        pie.catch_up(Instant(60 * MS));
        close(pie.drop_prob, 0.51375 - 0.125 * 0.01 - 1.25 * 0.015);
    }

    #[test]
    //= rfc8033 §4.2 type=test
    fn steps_are_smaller_while_the_probability_is_small() {
        // 0.125 x 85 ms, of a delay of 100 ms that does not change.
        let step = 0.010625;
        for (before, scale) in [
            (0.0, 2048.0),
            (0.000_000_999, 2048.0),
            (0.000_001, 512.0),
            (0.000_009_99, 512.0),
            (0.000_01, 128.0),
            (0.000_099_9, 128.0),
            (0.000_1, 32.0),
            (0.000_999, 32.0),
            (0.001, 8.0),
            (0.009_99, 8.0),
            (0.01, 2.0),
            (0.099_9, 2.0),
            (0.1, 1.0),
            (0.9, 1.0),
        ] {
            let mut pie = congested(&[], 100 * MS, before);
            pie.catch_up(Instant(105 * MS));
            close(pie.drop_prob, before + step / scale);
        }
        let mut pie = congested(&[], 100 * MS, 0.995);
        pie.catch_up(Instant(105 * MS));
        assert_eq!(pie.drop_prob, 1.0);
    }

    #[test]
    //= rfc8033 §5.5 type=test
    fn an_increase_can_be_capped() {
        // 0.125 x 85 ms + 1.25 x 100 ms = 0.135625.
        let after = |cap, before| {
            let mut pie = congested(&[("cap", cap)], 100 * MS, before);
            pie.qdelay_old = 0.0;
            pie.catch_up(Instant(105 * MS));
            pie.drop_prob
        };
        close(after("false", 0.1), 0.235625);
        close(after("true", 0.1), 0.12);
        close(after("true", 0.099), 0.099 + 0.135625 / 2.0);
    }

    #[test]
    //= rfc8033 §4.2 type=test
    fn the_probability_decays_when_congestion_is_over() {
        let after = |decay, delay: f64| {
            let mut pie = congested(&[("decay", decay), ("alpha", "0")], 20 * MS, 0.5);
            (pie.sojourn, pie.qdelay_old) = (delay, delay);
            pie.catch_up(Instant(30 * MS));
            pie.drop_prob
        };
        close(after("idle", 0.0), 0.49);
        close(after("idle", 0.001), 0.5);
        close(after("below-half", 0.007_499), 0.49);
        close(after("below-half", 0.0075), 0.5);
        // Without delays, all of it is gone at last: 0.001875 per update, and 2 %, at first.
        let mut idle = congested(&[], 20 * MS, 0.5);
        while idle.bytes > 0 {
            departs(&mut idle, 21 * MS, 15 * MS);
        }
        idle.catch_up(Instant(30 * MS));
        close(idle.drop_prob, 0.5 - 0.125 * 0.015 - 1.25 * 0.02);
        idle.catch_up(Instant(45 * MS));
        close(idle.drop_prob, (0.473_125 - 0.125 * 0.015) * 0.98);
        idle.catch_up(Instant(3000 * MS));
        assert_eq!(idle.drop_prob, 0.0);
    }

    #[test]
    fn updates_are_those_that_were_due_however_late_they_are_made() {
        let run = |asked: &[u64]| {
            let mut pie = congested(&[("beta", "0.5")], 31 * MS, 0.0);
            pie.qdelay_old = 0.02;
            for at in asked {
                pie.catch_up(Instant(at * MS));
            }
            (pie.drop_prob, pie.qdelay_old, pie.next_update)
        };
        let all: Vec<u64> = (32..=1000).collect();
        assert_eq!(run(&all), run(&[1000]));
        assert_eq!(run(&[45, 46, 1000]), run(&[1000]));
        assert_eq!(run(&[1000]).2, Instant(1005 * MS));
        // Nor does an update that changes nothing move the times of the next ones.
        let mut pie = pie(&[]);
        pie.catch_up(Instant(u64::MAX / 2));
        let late = pie.next_update;
        assert!(late.0 > u64::MAX / 2 && late.0 <= u64::MAX / 2 + 15 * MS);
        assert_eq!(late.0 % (15 * MS), 0);
    }

    #[test]
    //= rfc8033 §4.1 type=test
    fn a_short_queue_loses_nothing() {
        // Two packets' bytes, or fewer, wait: however many packets they are.
        let mut pie = congested(&[], 20 * MS, 1.0);
        pie.bytes = 3000;
        assert_eq!(arrives(&mut pie, 21 * MS), Verdict::Pass);
        pie.bytes = 3001;
        assert_eq!(arrives(&mut pie, 21 * MS), Verdict::Drop(Cause::Early));
        // The delay was below half of the target, and the probability is below 0.2.
        let drops = |qdelay_old, drop_prob| {
            let mut pie = congested(&[], 20 * MS, drop_prob);
            pie.qdelay_old = qdelay_old;
            (0..1000).any(|_| pie.drop_early())
        };
        assert!(!drops(0.007_499, 0.199));
        assert!(drops(0.0075, 0.199));
        assert!(drops(0.007_499, 0.2));
    }

    #[test]
    //= rfc8033 §4.4 type=test
    fn a_burst_is_let_in_for_its_allowance() {
        // The queue was empty until 15 ms, and from then on each packet waits for 100 ms.
        let mut pie = pie(&[]);
        for _ in 0..20 {
            assert_eq!(arrives(&mut pie, 15 * MS), Verdict::Pass);
        }
        departs(&mut pie, 115 * MS, 100 * MS);
        pie.drop_prob = 1.0;
        // Ten updates from 30 ms on; the last one is at 165 ms.
        assert_eq!(arrives(&mut pie, 165 * MS - 1), Verdict::Pass);
        assert_eq!(arrives(&mut pie, 165 * MS), Verdict::Drop(Cause::Early));
        // The allowance is back when there is no congestion.
        let back = |drop_prob, current, old| {
            let mut pie = congested(&[], 20 * MS, drop_prob);
            (pie.sojourn, pie.qdelay_old) = (current, old);
            arrives(&mut pie, 21 * MS);
            pie.burst_allowance == Duration::millis(150)
        };
        assert!(back(0.0, 0.007_499, 0.007_499));
        assert!(!back(1e-9, 0.0, 0.0) && !back(0.0, 0.0075, 0.0) && !back(0.0, 0.0, 0.0075));
    }

    #[test]
    fn packets_are_dropped_with_the_probability() {
        let mut pie = congested(&[], 20 * MS, 0.3);
        let drops = (0..100_000).filter(|_| pie.drop_early()).count() as f64;
        // Within four standard errors.
        assert!((drops - 30_000.0).abs() < 4.0 * 145.0, "{drops}");
    }

    #[test]
    //= rfc8033 §5.4 type=test
    fn derandomized_drops_are_neither_close_nor_far_apart() {
        let mut pie = congested(&[("derandomize", "true")], 20 * MS, 0.01);
        let (mut gap, mut gaps) = (0, Vec::new());
        for _ in 0..200_000 {
            gap += 1;
            if arrives(&mut pie, 21 * MS) != Verdict::Pass {
                gaps.push(core::mem::take(&mut gap));
            }
        }
        // The sum reaches 0.85 at the 85th arrival, and 8.5 at the 850th; sums of 0.01 are not exact.
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert!((85..=86).contains(least), "{least}");
        assert!(*most <= 851, "{most}");
        // 84 and then 100 on average.
        let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
        assert!(
            (mean - 184.5).abs() < 4.0 * 100.0 / (gaps.len() as f64).sqrt(),
            "{mean}"
        );
        // An overflow begins anew, as a drop does.
        pie.accu_prob = 0.8;
        pie.on_overflow(
            Instant(21 * MS),
            &Arrival {
                bytes: 1,
                backlog: 1,
            },
        );
        assert_eq!(pie.accu_prob, 0.0);
        pie.accu_prob = 8.499;
        assert!(arrives(&mut pie, 21 * MS) != Verdict::Pass);
    }

    #[test]
    //= rfc8033 §5.1 type=test
    fn marks_take_the_place_of_drops_while_the_probability_is_low() {
        let verdicts = |ecn, drop_prob| {
            let mut pie = congested(&[("ecn", ecn)], 20 * MS, drop_prob);
            let verdicts = (0..1000).map(|_| arrives(&mut pie, 21 * MS));
            let mut verdicts: Vec<_> = verdicts.filter(|it| *it != Verdict::Pass).collect();
            verdicts.dedup();
            verdicts
        };
        assert_eq!(verdicts("true", 0.099), [Verdict::Mark(Cause::Early)]);
        assert_eq!(verdicts("true", 0.1), [Verdict::Drop(Cause::Early)]);
        assert_eq!(verdicts("false", 0.05), [Verdict::Drop(Cause::Early)]);
    }

    #[test]
    //= rfc8033 §5.2 type=test
    fn the_departure_rate_is_measured_over_a_threshold() {
        let texts = [("estimator", "departure-rate"), ("dq_threshold", "3000 B")];
        let mut pie = pie(&texts);
        (0..9).for_each(|_| assert_eq!(arrives(&mut pie, 0), Verdict::Pass));
        let mut after = |at: u64| {
            departs(&mut pie, at * MS, at * MS);
            (pie.rate.avg_dq_time, pie.current_qdelay())
        };
        // A measurement begins with the first departure, after which 3000 B have departed by the third, in 4 ms.
        assert_eq!([after(1), after(3)], [(0.0, 0.0); 2]);
        // 6 packets of 1500 B wait.
        let (avg_dq_time, delay) = after(5);
        close(avg_dq_time, 0.004);
        close(delay, 0.012);
        // The next one begins at once, and is ended in 8 ms; its weight is 3000 / 65536.
        after(9);
        let (avg_dq_time, delay) = after(13);
        let want = 0.004 + (0.008 - 0.004) * 3000.0 / 65536.0;
        close(avg_dq_time, want);
        close(delay, 2.0 * want);
        // One begins as long as a threshold waits, and none when less does.
        after(14);
        after(15);
        assert_eq!((pie.bytes, pie.rate.start), (3000, Some(Instant(15 * MS))));
        departs(&mut pie, 16 * MS, MS);
        departs(&mut pie, 17 * MS, MS);
        assert_eq!(pie.rate.start, None);
    }

    #[test]
    //= rfc8033 §4.3, empty queue type=test
    fn a_delay_is_that_of_the_last_packet_and_none_when_the_queue_is_empty() {
        let mut pie = pie(&[]);
        arrives(&mut pie, 0);
        arrives(&mut pie, 0);
        departs(&mut pie, 40 * MS, 40 * MS);
        assert_eq!(pie.current_qdelay(), 0.04);
        departs(&mut pie, 80 * MS, 80 * MS);
        assert_eq!(pie.current_qdelay(), 0.0);
    }

    #[test]
    fn a_full_buffer_drops_and_marks_nothing() {
        let params = PieParams::from_texts(&[("buffer", "2 packets"), ("ecn", "true")]);
        check(
            Pie::make(&params, line()),
            "a1 1500 ect => kept
             a2 1500 ect => kept
             a3 1500 ect => overflow
             pull => a1
             a4 1500 ect => kept",
        );
    }

    #[test]
    fn the_drawn_law_is_that_of_arrivals() {
        for texts in [
            &[][..],
            &[("ecn", "true")],
            &[("ecn", "true"), ("mark_ecnth", "0.5")],
        ] {
            for percent in (0..=100).step_by(5) {
                let drop_prob = f64::from(percent) / 100.0;
                for delay in [20, 5] {
                    let mut pie = congested(texts, delay * MS, drop_prob);
                    let laws = pie.laws();
                    let drawn = |name| value(&laws[0], name, drop_prob);
                    let mut counts = [0, 0];
                    for _ in 0..5_000 {
                        // Without the allowance of a burst, which a probability of 0 renews.
                        pie.burst_allowance = Duration::ZERO;
                        match arrives(&mut pie, delay * MS) {
                            Verdict::Mark(_) => counts[0] += 1,
                            Verdict::Drop(_) => counts[1] += 1,
                            _ => {}
                        }
                    }
                    let agree = match delay {
                        5 => agrees(counts[0] + counts[1], 5_000, drawn(SHORT)),
                        _ => {
                            agrees(counts[0], 5_000, drawn("marked"))
                                && agrees(counts[1], 5_000, drawn("dropped"))
                        }
                    };
                    assert!(agree, "{texts:?} {drop_prob} {delay}: {counts:?}");
                }
            }
        }
    }

    #[test]
    fn the_drawn_rise_is_that_of_packets_that_wait_for_twice_the_target() {
        // 30 ms at each departure, from the first update on, at 15 ms.
        let mut pie = pie(&[]);
        let drawn = pie.laws().pop().expect("the rise");
        (0..3000).for_each(|_| assert_eq!(arrives(&mut pie, 0), Verdict::Pass));
        pie.sojourn = 0.03;
        pie.qdelay_old = 0.03;
        for ms in 0..2600u64 {
            let found = {
                departs(&mut pie, 31 * MS + ms * MS, 30 * MS);
                pie.drop_prob
            };
            // Updates at 15 and 30 ms were made before the first departure.
            close(found, value(&drawn, "drop_prob", (ms + 31) as f64));
        }
    }
}
