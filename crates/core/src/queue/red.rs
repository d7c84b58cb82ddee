//! Random early detection: as the average queue rises from one threshold to another, more and more arrivals are dropped or marked.
//!
//! At each arrival, with a backlog of q:
//!
//! avg <- (1 - w) avg + w q, or (1 - w)^m avg if the link was idle for the time of m packets
//! p_b <- max_p (avg - min_th) / (max_th - min_th)
//! p_a <- p_b / (1 - count p_b)
//!
//! where count is the number of arrivals since the last drop, this one included: so their number from one drop to the next is uniform
//! from 1 to 1/p_b - 1, and not geometric, which would make clusters. (The published analysis leaves this one out and has one more; the
//! published algorithm is followed.) From max_th on all arrivals are dropped; with `gentle`, p_b rises from max_p to 1 at twice max_th
//! instead.
//!
//! A plan that gives only the buffer gets the thresholds of Linux: max_th is a quarter of it, min_th a third of max_th. The smaller
//! threshold as a third of the larger is also what the paper simulates with.
//!
//! With `adaptive`, max_p follows the average: every 0.5 s it is increased by the smaller of 0.01 and max_p / 4 if the average is above
//! min_th + 0.6 (max_th - min_th), and multiplied by 0.9 if it is below min_th + 0.4 (max_th - min_th). It is increased up to 0.5, and
//! decreased down to 0.01. While the link is idle, the average is that of the time of the adaptation. (Adaptive RED is gentle, and also
//! derives the weight and the thresholds from the rate of the link; here a plan gives them, and `gentle`.)
//!
//! With `ecn`, packets that would be dropped at random are marked instead if they are ECN-capable. From max_th on (twice max_th if
//! gentle), and if the buffer is full, packets are dropped whether ECN-capable or not. So drops hold back senders that do not respond to
//! marks, as the standard recommends and ns-2 does. With `hard_drop = false` ECN-capable packets are marked from max_th on, too, as in
//! Linux unless `harddrop` is set; then only a full buffer drops them.
//!
//! In byte mode q and the thresholds are in bytes (the thresholds as multiples of `packet_size`), and p_b is proportional to the size of
//! the arriving packet.
//= floyd-jacobson-1993 §4, Fig. 2
//= floyd-2000-gentle
//= floyd-gummadi-shenker-2001
//= tc-red
//= rfc3168 §7

use super::aqm::{Apart, Aqm, Arrival, Departure, Fifo, Verdict};
use super::drop_law::{Curve, DropLaw};
use super::{About, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::Cause;
use crate::measure::{Bytes, Packets, Room, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant, SECOND};
use crate::unit::Unit;
use alloc::vec::Vec;

crate::choice! {
    /// Unit in which the queue is measured.
    pub enum Mode {
        /// Packets, whatever their length.
        Packets = "packets",
        /// Bytes.
        Bytes = "bytes",
    }
}

crate::declare! {
    /// Drops or marks arrivals at random, with a probability that grows with the average queue.
    pub struct RedParams as "red" from "floyd-jacobson-1993 §4" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
        /// Average queue below which nothing is dropped early.
        min_th: Option<Packets> = unset "a third of `max_th`";
        /// Average queue from which on every arrival is dropped, or marked if `hard_drop` is false.
        max_th: Option<Packets> = unset "three times `min_th`, or a quarter of `buffer`";
        /// Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 - count p_b).
        max_p: Share = "0.02", show "0.2";
        /// Weight of the current queue in the average.
        weight: Share = "0.002", try ["0.5"], show "0.3";
        /// Rise of p_b from `max_p` to 1 between `max_th` and twice that, instead of a step.
        gentle: bool = "false";
        /// Adaptation of `max_p` that keeps the average in the middle between the thresholds.
        adaptive: bool = "false";
        /// Marking of ECN-capable packets instead of dropping them, while the average queue is below `max_th`, or below twice that
        /// with `gentle`. What happens above is told by `hard_drop`.
        ecn: bool = "false";
        /// With `ecn`: dropping of all packets from `max_th` on, or twice that with `gentle`, ECN-capable or not. If false, ECN-capable
        /// packets are marked there.
        hard_drop: bool = "true";
        /// Unit in which the queue is measured. With bytes, p_b is proportional to the size of the packet.
        mode: Mode = "packets";
        /// Size of a usual packet, headers included: idle time is counted in such packets, and thresholds in bytes are multiples of it.
        /// Write the size of the senders' packets.
        packet_size: Bytes = "1500 B";
    }
    check |it| {
        let fault = |name, found, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if let Some(max_th) = it.max_th && max_th.0 == 0 {
            return fault("max_th", "0 packets".into(), "at least 1 packet");
        }
        if let (Some(min_th), Some(max_th)) = (it.min_th, it.max_th) && min_th >= max_th {
            return fault("min_th", alloc::format!("{} packets", min_th.0), "fewer packets than `max_th`");
        }
        if let Some(min_th) = it.min_th && min_th.0 >= it.buffer.count() {
            return fault("min_th", alloc::format!("{} packets", min_th.0), "fewer packets than `buffer`, or nothing is dropped early");
        }
        if it.min_th == Some(Packets(0)) && it.max_th.is_none() {
            return fault("max_th", "0 packets".into(), "at least 1 packet, since three times `min_th` is none");
        }
        if it.max_p.0 == 0.0 { return fault("max_p", "0".into(), "more than 0"); }
        if it.weight.0 == 0.0 { return fault("weight", "0".into(), "more than 0"); }
        if it.packet_size.0 == 0 { return fault("packet_size", "0 B".into(), "at least 1 B"); }
        Ok(())
    }
}

impl RedParams {
    /// Whether it marks.
    pub(super) const fn marks(&self) -> bool {
        self.ecn
    }

    /// `min_th` and `max_th` \[packets\]; a threshold that is not given follows from the other, or from the buffer.
    fn thresholds(&self) -> (f64, f64) {
        let given = |threshold: Option<Packets>| threshold.map(|it| it.0 as f64);
        let max_th = match (given(self.max_th), given(self.min_th)) {
            (Some(max_th), _) => max_th,
            (None, Some(min_th)) => 3.0 * min_th,
            (None, None) => self.buffer.count() as f64 / 4.0,
        };
        (given(self.min_th).unwrap_or(max_th / 3.0), max_th)
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).blind_to_flows();

/// A FIFO behind random early detection.
pub type Red<U> = Apart<Fifo<U, EarlyDetection>>;

/// Interval between adaptations of `max_p`.
//= floyd-gummadi-shenker-2001
const ADAPTATION: Duration = Duration::millis(500);

/// Drops or marks at random by the average queue.
#[derive(Debug)]
pub struct EarlyDetection {
    /// \[packets or bytes\], as is all that follows in the unit of the mode.
    min_th: f64,
    max_th: f64,
    max_p: f64,
    weight: f64,
    gentle: bool,
    /// Next adaptation of `max_p`.
    adapts: Instant,
    ecn: bool,
    hard_drop: bool,
    mode: Mode,
    /// \[bytes\]
    packet_size: f64,
    /// Time that a packet of that size takes \[ps\].
    packet_time: f64,
    stream: Stream,
    average: f64,
    /// Arrivals since the last drop or mark, while the average is between the thresholds; none yet is -1.
    count: i64,
    /// Backlog \[bytes\].
    bytes: u64,
    /// The line has been free since then, with nothing to send.
    idle: Instant,
}

impl Make<RedParams> for EarlyDetection {
    fn make(params: &RedParams, line: Line) -> Self {
        let packet_size = params.packet_size.0 as f64;
        let (min_th, max_th) = params.thresholds();
        let threshold = |packets: f64| match params.mode {
            Mode::Packets => packets,
            Mode::Bytes => packets * packet_size,
        };
        Self {
            min_th: threshold(min_th),
            max_th: threshold(max_th),
            max_p: params.max_p.0,
            weight: params.weight.0,
            gentle: params.gentle,
            adapts: match params.adaptive {
                true => Instant::ZERO + ADAPTATION,
                false => Instant::NEVER,
            },
            ecn: params.ecn,
            hard_drop: params.hard_drop,
            mode: params.mode,
            packet_size,
            packet_time: packet_size * 8.0 * SECOND as f64 / line.rate.bps(),
            stream: line.stream,
            average: 0.0,
            count: -1,
            bytes: 0,
            idle: Instant::NEVER,
        }
    }
}

impl<U: Unit> Make<RedParams> for Red<U> {
    fn make(params: &RedParams, line: Line) -> Self {
        let aqm = EarlyDetection::make(params, line);
        Self(Fifo::new(params.buffer, aqm))
    }
}

impl EarlyDetection {
    /// The average at `now`, if nothing has arrived since it was computed.
    fn average_at(&self, now: Instant) -> f64 {
        // The line is not idle if that is NEVER: no time has passed since then, and the power is 1.
        let packets = now.since(self.idle).0 as f64 / self.packet_time;
        self.average * libm::pow(1.0 - self.weight, packets)
    }

    /// Makes the adaptations of `max_p` that were due until `now`.
    //= floyd-gummadi-shenker-2001
    #[cold]
    fn adapt(&mut self, now: Instant) {
        let range = self.max_th - self.min_th;
        let (low, high) = (self.min_th + 0.4 * range, self.min_th + 0.6 * range);
        while self.adapts <= now {
            let average = self.average_at(self.adapts);
            if average > high && self.max_p <= 0.5 {
                self.max_p += (self.max_p / 4.0).min(0.01);
            } else if average < low && self.max_p >= 0.01 {
                self.max_p *= 0.9;
            } else if average < low || self.idle == Instant::NEVER {
                // Nothing changes until the next arrival: the average of an idle line falls, and that of a busy one stays.
                let skipped = (now - self.adapts).0 / ADAPTATION.0;
                self.adapts += Duration(skipped * ADAPTATION.0);
            }
            self.adapts += ADAPTATION;
        }
    }

    /// A packet arrives: updates the average.
    pub(super) fn average(&mut self, now: Instant, backlog: u64) {
        if self.adapts <= now {
            self.adapt(now);
        }
        if self.idle != Instant::NEVER {
            self.average = self.average_at(now);
            self.idle = Instant::NEVER;
        } else {
            //= rfc7141 §2.1, RED type=departure
            // Packets by default, as in the papers.
            let queue = match self.mode {
                Mode::Packets => backlog,
                Mode::Bytes => self.bytes,
            };
            self.average += self.weight * (queue as f64 - self.average);
        }
    }

    /// p_b of an arrival of `bytes` at this average, from `min_th` on; `None` from where no arrival passes.
    //= rfc3168 §7
    fn initial_probability(&self, avg: f64, bytes: u32) -> Option<f64> {
        let max_th = self.max_th;
        let p = if avg < max_th {
            self.max_p * (avg - self.min_th) / (max_th - self.min_th)
        } else if self.gentle && avg < 2.0 * max_th {
            self.max_p + (1.0 - self.max_p) * (avg - max_th) / max_th
        } else {
            return None;
        };
        //= rfc7141 §2.2
        //= rfc7141 §2.2, RED
        Some(match self.mode {
            Mode::Packets => p,
            Mode::Bytes => p * f64::from(bytes) / self.packet_size,
        })
    }

    /// Verdict of the average queue on this arrival.
    fn early(&mut self, bytes: u32) -> Verdict {
        if self.average < self.min_th {
            self.count = -1;
            return Verdict::Pass;
        }
        let Some(p_b) = self.initial_probability(self.average, bytes) else {
            return self.signal(true);
        };
        self.count += 1;
        let left = 1.0 - self.count as f64 * p_b;
        if left <= p_b || self.stream.happens(p_b / left) {
            self.signal(false)
        } else {
            Verdict::Pass
        }
    }

    /// What is done with an arrival that is chosen at random, or that comes `beyond` the averages at which some pass.
    fn signal(&self, beyond: bool) -> Verdict {
        if self.ecn && !(beyond && self.hard_drop) {
            Verdict::Mark(Cause::Early)
        } else {
            Verdict::Drop(Cause::Early)
        }
    }

    /// Unit of the average.
    fn unit(&self) -> &'static str {
        match self.mode {
            Mode::Packets => "packets",
            Mode::Bytes => "bytes",
        }
    }

    /// p_b of an arrival of the usual size at this average, and what is done if it is chosen.
    fn law(&self, avg: f64) -> (f64, Verdict) {
        if avg < self.min_th {
            return (0.0, Verdict::Pass);
        }
        match self.initial_probability(avg, self.packet_size as u32) {
            Some(p_b) => (p_b.min(1.0), self.signal(false)),
            None => (1.0, self.signal(true)),
        }
    }
}

impl EarlyDetection {
    /// The average is above `min_th`.
    pub(super) fn is_above_min(&self) -> bool {
        self.average > self.min_th
    }

    /// Verdict on an arrival, whose average is known.
    pub(super) fn decide(&mut self, bytes: u32) -> Verdict {
        let verdict = self.early(bytes);
        if verdict != Verdict::Pass {
            self.count = 0;
        }
        verdict
    }

    /// An arrival, whose average is known, is dropped because the buffer is full.
    pub(super) fn overflows(&mut self) {
        self.count = 0;
    }
}

impl Aqm for EarlyDetection {
    type Stamp = ();
    const AT_ARRIVAL: bool = true;

    fn on_arrival(&mut self, now: Instant, arrival: &Arrival) -> Verdict {
        self.average(now, arrival.backlog);
        self.decide(arrival.bytes)
    }

    fn on_overflow(&mut self, now: Instant, arrival: &Arrival) {
        self.average(now, arrival.backlog);
        self.overflows();
    }

    fn on_joined(&mut self, _: Instant, bytes: u32) {
        self.bytes += u64::from(bytes);
    }

    fn on_departure(&mut self, _: Instant, departure: &Departure<()>) -> Verdict {
        self.bytes -= u64::from(departure.bytes);
        Verdict::Pass
    }

    fn on_empty(&mut self, now: Instant) {
        // Called repeatedly while the queue is empty; the first call sets the start of the idle time.
        self.idle = self.idle.min(now);
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::new("average", self.unit()), self.average);
        if self.adapts != Instant::NEVER {
            tell(Gauge::probability("max_p"), self.max_p);
        }
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let of = |name, what| {
            Curve::probability(name, move |avg| match self.law(avg) {
                (p_b, verdict) if verdict == what => p_b,
                _ => 0.0,
            })
        };
        let mut parameters = Vec::from([("min_th", self.min_th), ("max_th", self.max_th)]);
        let last = if self.gentle { 2.0 } else { 1.0 } * self.max_th;
        if self.gentle {
            parameters.push(("2 max_th", last));
        }
        let says = if self.ecn {
            "Probability p_b of an ECN-capable arrival, over the average queue. The number of arrivals from one mark to the next is uniform \
             between 1 and 1/p_b - 1."
        } else {
            "Probability p_b of an arrival, over the average queue. The number of arrivals from one drop to the next is uniform between 1 and \
             1/p_b - 1."
        };
        Vec::from([DropLaw {
            says,
            over: Gauge::new("average queue", self.unit()),
            range: (0.0, 1.5 * last),
            parameters,
            curves: Vec::from([
                of("p_b of marks", Verdict::Mark(Cause::Early)),
                of("p_b of drops", Verdict::Drop(Cause::Early)),
            ]),
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::measure::Rate;
    use crate::queue::tests::drawn::{agrees, share, value};
    use crate::queue::tests::script::{check, line};

    fn red(texts: &[(&str, &str)]) -> EarlyDetection {
        let mut all = Vec::from([
            ("buffer", "100 packets"),
            ("min_th", "5 packets"),
            ("max_th", "15 packets"),
        ]);
        all.extend(texts);
        // 8 us per 1,000 B.
        let line = Line {
            rate: Rate(1_000_000_000),
            guaranteed: Vec::new(),
            longest: 1,
            stream: Stream::new(1, "red"),
        };
        EarlyDetection::make(&RedParams::from_texts(&all), line)
    }

    /// A packet arrives at a backlog of `backlog` packets.
    fn arrives(red: &mut EarlyDetection, at: u64, bytes: u32, backlog: u64) -> Verdict {
        red.on_arrival(Instant(at), &Arrival { bytes, backlog })
    }

    /// Numbers of arrivals from one drop to the next, while the backlog stays the same.
    fn gaps(red: &mut EarlyDetection, bytes: u32, backlog: u64) -> Vec<u64> {
        red.bytes = backlog * 1500;
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..200_000 {
            gap += 1;
            if arrives(red, 0, bytes, backlog) != Verdict::Pass {
                gaps.push(std::mem::take(&mut gap));
            }
        }
        gaps
    }

    #[test]
    //= floyd-jacobson-1993 §4, Fig. 2 type=test
    fn drops_are_uniformly_spaced() {
        // Halfway between the thresholds p_b is 0.05: a drop follows the last one after 1 to 19 arrivals, all equally likely.
        let gaps = gaps(&mut red(&[("max_p", "0.1"), ("weight", "1")]), 1500, 10);
        let mut counts = [0u64; 20];
        gaps.iter().for_each(|gap| counts[*gap as usize] += 1);
        let expected = gaps.len() as f64 / 19.0;
        let chi2: f64 = (counts[1..].iter())
            .map(|n| (*n as f64 - expected).powi(2) / expected)
            .sum();
        // With 18 degrees of freedom, chi-squared exceeds 42.3 once in a thousand times.
        assert!(counts[0] == 0 && chi2 < 42.3, "{counts:?}: {chi2}");
    }

    #[test]
    fn the_average_follows_the_queue_by_its_weight_and_falls_while_the_line_is_free() {
        let mut red = red(&[("weight", "0.25"), ("packet_size", "1000 B")]);
        let mut after = |at, backlog| {
            arrives(&mut red, at, 1000, backlog);
            red.average
        };
        assert_eq!([after(0, 4), after(0, 4), after(0, 0)], [1.0, 1.75, 1.3125]);
        red.on_empty(Instant(1_000_000));
        red.on_empty(Instant(9_000_000));
        // 16 us of idle time are two packets; the second call changes nothing.
        arrives(&mut red, 17_000_000, 1000, 0);
        assert_eq!(red.average, 1.3125 * 0.75 * 0.75);
        arrives(&mut red, 99_000_000, 1000, 1);
        assert_eq!(red.average, 1.3125 * 0.75 * 0.75 * 0.75 + 0.25);
    }

    #[test]
    fn nothing_is_dropped_below_the_thresholds_and_all_above() {
        let mut red = red(&[("weight", "1")]);
        assert!((0..1000).all(|_| arrives(&mut red, 0, 1500, 4) == Verdict::Pass));
        assert!((0..1000).all(|_| arrives(&mut red, 0, 1500, 15) == Verdict::Drop(Cause::Early)));
    }

    #[test]
    //= tc-red type=test
    fn thresholds_that_are_not_given_follow_from_what_is() {
        let of = |texts: &[(&str, &str)]| {
            let mut all = Vec::from([("buffer", "60 packets")]);
            all.extend(texts);
            RedParams::from_texts(&all).thresholds()
        };
        assert_eq!(of(&[]), (5.0, 15.0));
        assert_eq!(of(&[("max_th", "30 packets")]), (10.0, 30.0));
        assert_eq!(of(&[("min_th", "7 packets")]), (7.0, 21.0));
        assert_eq!(
            of(&[("min_th", "7 packets"), ("max_th", "8 packets")]),
            (7.0, 8.0)
        );
    }

    #[test]
    //= floyd-2000-gentle type=test
    fn a_gentle_one_goes_on_to_twice_the_threshold() {
        let texts = [("weight", "1"), ("gentle", "true"), ("max_p", "0.1")];
        // p_b is 0.1 + 0.9 x 6/15 = 0.46: a drop comes after at most 1/0.46 arrivals, and after 1.5 on average.
        let gaps = gaps(&mut red(&texts), 1500, 21);
        assert!(gaps.iter().all(|gap| *gap <= 3), "{:?}", gaps.iter().max());
        assert!(
            (0..1000)
                .all(|_| arrives(&mut red(&texts), 0, 1500, 30) == Verdict::Drop(Cause::Early))
        );
        assert!(gaps.iter().any(|gap| *gap > 1));
    }

    #[test]
    //= floyd-gummadi-shenker-2001 type=test
    fn the_maximum_probability_adapts_to_the_average() {
        // Half a second in picoseconds; the middle of 5 to 15 packets is from 9 to 11.
        const HALF: u64 = SECOND / 2;
        let after = |max_p, backlog, halves: &[u64]| {
            let texts = [("adaptive", "true"), ("weight", "1"), ("max_p", max_p)];
            let mut red = red(&texts);
            arrives(&mut red, 0, 1500, backlog);
            halves
                .iter()
                .for_each(|n| red.average(Instant(n * HALF), backlog));
            red.max_p
        };
        let close =
            |found: f64, want: f64| assert!((found - want).abs() < 1e-12, "{found}, not {want}");
        close(after("0.1", 12, &[]), 0.1);
        close(after("0.1", 12, &[1]), 0.11);
        close(after("0.1", 12, &[1, 2, 3]), 0.13);
        // The updates that were due are made, however late.
        assert_eq!(after("0.1", 12, &[3]), after("0.1", 12, &[1, 2, 3]));
        close(after("0.02", 12, &[2]), 0.02 + 0.005 + 0.00625);
        close(after("0.495", 12, &[1000]), 0.505);
        for within in [9, 10, 11] {
            assert_eq!(after("0.1", within, &[1000]), 0.1);
        }
        close(after("0.1", 8, &[1]), 0.09);
        close(after("0.1", 8, &[2]), 0.081);
        // 0.1 x 0.9^22 is the first below 0.01.
        close(after("0.1", 8, &[1000]), 0.1 * 0.9f64.powi(22));
        // Where nothing changes, the times of the next ones stay multiples.
        let mut within = red(&[("adaptive", "true"), ("weight", "1")]);
        arrives(&mut within, 0, 1500, 10);
        arrives(&mut within, 7 * HALF + 1, 1500, 10);
        assert_eq!(within.adapts, Instant(8 * HALF));
        assert_eq!(red(&[]).adapts, Instant::NEVER);
    }

    #[test]
    fn while_the_line_is_idle_the_average_falls_before_max_p_does() {
        // An idle line sends 125,000 packets of 8 us in a second: the average of 12 packets falls by 39 %.
        let texts = [
            ("adaptive", "true"),
            ("packet_size", "1000 B"),
            ("max_p", "0.1"),
        ];
        let after = |at: u64, asked: &[u64]| {
            let mut red = red(&texts);
            (red.average, red.weight) = (12.0, 0.000_004);
            red.on_empty(Instant(SECOND / 20 * 9));
            asked.iter().for_each(|at| red.adapt(Instant(*at)));
            red.average(Instant(at), 0);
            red.max_p
        };
        // It is 11.7 at 0.5 s, 9.1 at 1 s, 7.1 at 1.5 s, and less from then on.
        let within =
            |found: f64, want: f64| assert!((found - want).abs() < 1e-12, "{found}, not {want}");
        within(after(SECOND / 2, &[]), 0.11);
        within(after(SECOND, &[]), 0.11);
        within(after(SECOND / 2 * 3, &[]), 0.099);
        within(after(SECOND * 2, &[]), 0.0891);
        let times: Vec<u64> = (1..20).map(|n| n * SECOND / 10).collect();
        assert_eq!(after(2 * SECOND, &[]), after(2 * SECOND, &times));
    }

    #[test]
    //= floyd-jacobson-1993 §4 type=test
    fn in_byte_mode_short_packets_are_dropped_less_often() {
        let texts = [("max_p", "0.1"), ("weight", "1"), ("mode", "bytes")];
        let mean = |bytes| {
            let gaps = gaps(&mut red(&texts), bytes, 10);
            gaps.iter().sum::<u64>() as f64 / gaps.len() as f64
        };
        // p_b is 0.05 for 1,500 B, and a fifth of that for 300 B. A drop comes after 1 / (2 p_b) arrivals on average.
        assert!((mean(1500) - 10.0).abs() < 0.3, "{}", mean(1500));
        assert!((mean(300) - 50.0).abs() < 3.0, "{}", mean(300));
    }

    #[test]
    //= rfc7141 §2.2 type=test
    //= rfc7141 §2.2, RED type=test
    fn unless_asked_for_the_size_of_a_packet_does_not_matter() {
        let texts = [("max_p", "0.1"), ("weight", "1")];
        assert_eq!(
            gaps(&mut red(&texts), 40, 10),
            gaps(&mut red(&texts), 9000, 10)
        );
    }

    #[test]
    //= rfc3168 §7 type=test
    fn what_would_be_dropped_at_random_is_marked_and_the_rest_is_dropped() {
        // A mark or a drop is certain from one packet on: p_b is 1 at 2/3 of the way between the thresholds.
        let own = |texts: &[(&str, &str)]| {
            let mut all = Vec::from([
                ("buffer", "5 packets"),
                ("min_th", "0 packets"),
                ("max_th", "3 packets"),
                ("max_p", "1"),
                ("weight", "1"),
                ("ecn", "true"),
            ]);
            all.extend(texts);
            Red::make(&RedParams::from_texts(&all), line())
        };
        check(
            own(&[]),
            "a1 1500 ect => kept      # none waits: p_b = 0
             a2 1500 ect => kept      # p_b = 1/3, the first arrival since the last mark
             a3 1500 ect => marked    # p_b = 2/3
             b1 1500 => early         # three wait: all are dropped,
             a4 1500 ect => early     # and nothing is marked
             pull => a1
             b2 1500 => early         # Not-ECT where ECT is marked
             a5 1500 ect => marked
             pull => a2
             pull => a3
             pull => a5",
        );
        check(
            own(&[("gentle", "true")]),
            "a1 1500 ect => kept
             a2 1500 ect => kept
             a3 1500 ect => marked
             a4 1500 ect => marked    # three wait: p_b = 1
             a5 1500 ect => marked
             a6 1500 ect => overflow  # a full buffer drops",
        );
        check(
            own(&[("hard_drop", "false")]),
            "a1 1500 ect => kept
             a2 1500 ect => kept
             a3 1500 ect => marked
             b1 1500 => early         # three wait: all that can be marked are,
             a4 1500 ect => marked    # beyond the threshold, too
             a5 1500 ect => marked
             a6 1500 ect => overflow  # and only a full buffer drops them",
        );
    }

    #[test]
    fn marks_are_where_drops_were() {
        let texts = [("max_p", "0.1"), ("weight", "1")];
        let verdicts = |ecn| {
            let mut red = red(&[&texts[..], &[("ecn", ecn)]].concat());
            let verdicts = (0..10_000).map(|n| arrives(&mut red, 0, 1500, n % 20));
            verdicts.collect::<Vec<_>>()
        };
        let (drops, marks) = (verdicts("false"), verdicts("true"));
        let random = Verdict::Mark(Cause::Early);
        assert!(marks.contains(&random) && !drops.contains(&random));
        for (n, (drop, mark)) in drops.into_iter().zip(marks).enumerate() {
            let beyond = n % 20 >= 15;
            match mark {
                Verdict::Mark(why) => assert!(!beyond && drop == Verdict::Drop(why), "{n}"),
                same => assert!(drop == same && (!beyond || same != Verdict::Pass), "{n}"),
            }
        }
    }

    #[test]
    fn the_drawn_law_is_that_of_arrivals() {
        for texts in [
            &[][..],
            &[("gentle", "true")],
            &[("ecn", "true")],
            &[("ecn", "true"), ("gentle", "true")],
            &[("ecn", "true"), ("hard_drop", "false")],
            &[("mode", "bytes")],
        ] {
            let texts = [&[("weight", "1"), ("max_p", "0.1")], texts].concat();
            for backlog in 0..=36 {
                let mut red = red(&texts);
                red.bytes = backlog * 1500;
                let bytes = texts.contains(&("mode", "bytes"));
                let average = (backlog * if bytes { 1500 } else { 1 }) as f64;
                let drawn = |name| share(value(&red.drop_laws()[0], name, average));
                let drawn = ["p_b of marks", "p_b of drops"].map(drawn);
                let mut counts = [0, 0];
                for _ in 0..5_000 {
                    match arrives(&mut red, 0, 1500, backlog) {
                        Verdict::Mark(_) => counts[0] += 1,
                        Verdict::Drop(_) => counts[1] += 1,
                        _ => {}
                    }
                }
                let agree = [0, 1].map(|at| agrees(counts[at], 5_000, drawn[at]));
                assert_eq!(
                    agree, [true; 2],
                    "{texts:?} {backlog}: {counts:?} {drawn:?}"
                );
            }
        }
    }
}
