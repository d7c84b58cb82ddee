//! Queue protection: sends packets of flows that build a queue in the L queue to the C queue.
//!
//! The two queues are those of `dualpi2`. Each packet for the L queue adds to a score of its flow: its length, times the probability with
//! which the L queue's own ramp would mark it, over the rate `aging`. So a score is a time; it shrinks by a second per second. The packet
//! is redirected to the C queue if the delay of the L queue is above `critical_delay` and the delay times the score above
//! `critical_delay` times `critical_score`, or if the score is at its maximum of 5 s.
//!
//! Scores are kept in `buckets` buckets. A flow looks in `attempts` of them, chosen by a hash of the flow, for its own, then for one whose score has
//! become 0, and else uses one bucket for all flows that find none.
//!
//! The ramp has a width of `range`, and ends at `max_threshold`, or begins at the time of two frames of `max_frame` bytes if that is later. Packets
//! with ECT(1), CE or the code point NQB are for the L queue.
//= rfc9957 §4
//= rfc9957 §4.2 type=departure

use super::buckets::hash;
use super::drop_law::{Curve, DropLaw, of_ms};
use super::dualpi2::{Dualpi2, Dualpi2Params, Signals, is_l4s};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::Ledger;
use crate::measure::{Bytes, Factor, Packets, Rate, Room, Share};
use crate::time::{Duration, Instant, SECOND};
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Sends packets of flows that queue in the L queue of a DualPI2 to its C queue.
    pub struct QueueProtectionParams as "queue-protection" from "rfc9957 §4" {
        /// Capacity of the buffer that both queues share, without the packet being transmitted.
        buffer: Room = "10000 packets", show "30 packets";
        /// Delay of the L queue up to which nothing is redirected for it.
        critical_delay: Option<Duration> = unset "end of the ramp", try ["1 ms"];
        /// Score of a flow from which on its packets are redirected, at that delay.
        critical_score: Duration = "4 ms", try ["4 ms", "1 ms"], show "2 ms";
        /// Rate of marked bytes below which the score of a flow does not grow: 2^19 bytes per second.
        aging: Rate = "4194304 b/s";
        /// Delay of the L queue at which the ramp of its own marks ends.
        max_threshold: Duration = "1 ms";
        /// Width of the ramp.
        range: Duration = "524288 ns";
        /// Longest frame: the ramp begins at the time of two of them, or later.
        max_frame: Bytes = "2000 B", show "500 B";
        /// Number of buckets for scores, a power of two, at most 65536.
        buckets: u64 = "32", try ["32", "2"];
        /// Number of buckets in which a flow looks for its score.
        attempts: u64 = "2";
        /// Redirecting; without it the discipline is DualPI2 with this ramp.
        protect: bool = "true";
        /// Queueing delay to which the base probability is controlled.
        target: Duration = "15 ms", show "3 ms";
        /// Interval between updates of the base probability.
        update: Duration = "16 ms", show "3 ms";
        /// Change of the base probability per update and second of delay beyond the target.
        alpha: f64 = "0.16", show "1";
        /// Change of the base probability per update and second of delay beyond that of the update before.
        beta: f64 = "3.2", show "20";
        /// Marks of an L4S packet per unit of base probability.
        coupling: Factor = "2";
        /// Share of the link's bytes for classic packets, while both queues have packets.
        classic: Share = "0.0625";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if !it.buckets.is_power_of_two() || !(2..=65536).contains(&it.buckets) { return fault("buckets", alloc::format!("{}", it.buckets), "a power of two from 2 to 65536"); }
        let most = 32 / u64::from(it.buckets.ilog2());
        if !(1..=most).contains(&it.attempts) { return fault("attempts", alloc::format!("{}", it.attempts), &alloc::format!("1 to {most} with that many `buckets`")); }
        if it.range == Duration::ZERO { return fault("range", "0 s".into(), "more than 0"); }
        crate::declare::Declared::check(&it.dualpi2(Duration::ZERO))
    }
}

impl QueueProtectionParams {
    /// Those of the queues, with a ramp from `min_threshold` on.
    pub(super) fn dualpi2(&self, min_threshold: Duration) -> Dualpi2Params {
        Dualpi2Params {
            buffer: self.buffer,
            target: self.target,
            update: self.update,
            alpha: self.alpha,
            beta: self.beta,
            step: min_threshold,
            range: self.range,
            th_len: Some(Packets(0)),
            coupling: self.coupling,
            classic: Some(self.classic),
            signals: Signals::Rfc9332,
        }
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets])
    .marking()
    .sorted_by_ecn()
    .reordering();

/// The code point of flows that build no queue.
//= rfc9957 §3
const NQB: u8 = 45;
/// qLSCORE_MAX.
const SCORE_MAX: Duration = Duration::secs(5);

/// The score of a flow.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    id: Option<FlowId>,
    /// Time at which the score is 0.
    t_exp: Instant,
}

/// Two coupled queues and the scores of flows.
#[derive(Debug)]
pub struct QueueProtection<U> {
    queues: Box<Dualpi2<U>>,
    params: Box<QueueProtectionParams>,
    rate: Rate,
    /// MINTH.
    min_threshold: Duration,
    /// CRITICALqL.
    critical: Duration,
    perturbation: u64,
    /// The last one is for all flows that find none.
    buckets: Vec<Bucket>,
    /// The score of the last packet that came for the L queue.
    last_score: Duration,
    /// Packets that were redirected to the C queue so far.
    redirected: u64,
}

/// The time that `bytes` take at `rate`.
fn time_of(bytes: u64, rate: Rate) -> Duration {
    Duration((8 * u128::from(bytes) * u128::from(SECOND) / u128::from(rate.0)) as u64)
}

impl<U> Make<QueueProtectionParams> for QueueProtection<U> {
    //= rfc9957 §4.1
    fn make(params: &QueueProtectionParams, line: Line) -> Self {
        let floor = time_of(2 * params.max_frame.0, line.rate);
        let below = Duration(params.max_threshold.0.saturating_sub(params.range.0));
        let min_threshold = below.max(floor);
        let free = Bucket {
            id: None,
            t_exp: Instant::ZERO,
        };
        let mut queues = Dualpi2::make(&params.dualpi2(min_threshold), line.clone());
        queues.protected = params.protect;
        Self {
            params: Box::new(params.clone()),
            rate: line.rate,
            min_threshold,
            //= rfc9957 §4.1, CRITICALqL
            // MAXTH: where the ramp of a slow line begins at two frames, that is later than `max_threshold`.
            critical: params
                .critical_delay
                .unwrap_or(min_threshold + params.range),
            perturbation: line.stream.clone().between(0, u64::MAX),
            buckets: alloc::vec![free; params.buckets as usize + 1],
            last_score: Duration::ZERO,
            redirected: 0,
            queues: Box::new(queues),
        }
    }
}

impl<U: Unit> QueueProtection<U> {
    /// calcProbNative()
    //= rfc9957 §4.2.4
    fn prob_native(&self, qdelay: Duration) -> f64 {
        if qdelay >= self.min_threshold + self.params.range {
            1.0
        } else if qdelay > self.min_threshold {
            (qdelay.0 - self.min_threshold.0) as f64 / self.params.range.0 as f64
        } else {
            0.0
        }
    }

    /// pick_bucket()
    //= rfc9957 §4.2.2
    fn pick_bucket(&mut self, now: Instant, flow: FlowId) -> usize {
        let mut h32 = hash(u64::from(flow.0), self.perturbation) as u32;
        let last = self.params.buckets as usize;
        let mut chosen = last;
        for _ in 0..self.params.attempts {
            let h = h32 as usize & (last - 1);
            let bucket = &mut self.buckets[h];
            if bucket.id == Some(flow) {
                bucket.t_exp = bucket.t_exp.max(now);
                return h;
            }
            if chosen == last && bucket.t_exp <= now {
                chosen = h;
            }
            // All 32 bits are used up if there is only one attempt at 65536 buckets or more.
            h32 = h32.checked_shr(last.ilog2()).unwrap_or(0);
        }
        let bucket = &mut self.buckets[chosen];
        bucket.t_exp = bucket.t_exp.max(now);
        bucket.id = Some(flow);
        chosen
    }

    /// fill_bucket()
    //= rfc9957 §4.2.3
    fn fill_bucket(&mut self, now: Instant, at: usize, bytes: u32, probability: f64) -> Duration {
        let aging = self.params.aging.bps() / (8.0 * SECOND as f64);
        let more = Duration((probability * f64::from(bytes) / aging) as u64);
        let bucket = &mut self.buckets[at];
        let score = ((bucket.t_exp - now) + more).min(SCORE_MAX);
        bucket.t_exp = now + score;
        self.last_score = score;
        score
    }

    /// qprotect(): whether a packet for the L queue is redirected.
    //= rfc9957 §4.2.1
    fn sanctions(&mut self, now: Instant, unit: &U) -> bool {
        let qdelay = time_of(self.queues.l4s_bytes(), self.rate);
        let probability = self.prob_native(qdelay);
        let at = self.pick_bucket(now, unit.flow());
        let score = self.fill_bucket(now, at, unit.bytes(), probability);
        self.redirects(qdelay, score)
    }

    /// A packet of a flow with this score is redirected at this delay.
    //= rfc9957 §4.2.1
    fn redirects(&self, qdelay: Duration, score: Duration) -> bool {
        let product = |delay: Duration, score: Duration| u128::from(delay.0) * u128::from(score.0);
        let (delay, most) = (self.critical, self.params.critical_score);
        (qdelay > delay && product(qdelay, score) > product(delay, most)) || score >= SCORE_MAX
    }

    /// The least score with which a packet is redirected at this delay.
    fn least_score(&self, qdelay: Duration) -> Duration {
        let (mut kept, mut redirected) = (0, SCORE_MAX.0);
        while redirected - kept > 1 {
            let middle = kept.midpoint(redirected);
            if self.redirects(qdelay, Duration(middle)) {
                redirected = middle;
            } else {
                kept = middle;
            }
        }
        Duration(redirected)
    }
}

impl<U: Unit> Discipline<U> for QueueProtection<U> {
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let low_latency = is_l4s(&unit) || unit.dscp() == NQB;
        let sanctioned = low_latency && self.params.protect && self.sanctions(now, &unit);
        self.redirected += u64::from(sanctioned);
        let l4s = low_latency && !sanctioned;
        self.queues.offer_to(l4s, now, unit, book);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.queues.pull(now, book)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.queues.backlog()
    }

    fn gauges(&self, tell: &mut Tell) {
        self.queues.gauges(tell);
        tell(Gauge::new("score", "ms"), self.last_score.seconds() * 1e3);
        tell(Gauge::new("redirected", "packets"), self.redirected as f64);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let mut laws = self.queues.drop_laws();
        let critical = self.critical;
        if let Some(ramp) = laws.get_mut(1) {
            // The same function of another delay: that of the whole L queue.
            ramp.says = "Probability that a packet of the L queue is marked because of its own sojourn time, over that time; and congestion, the share of \
                         an arriving packet's length that is added to the score of its flow, over the delay of the L queue.";
            ramp.curves.push(Curve::probability("congestion", |delay| {
                self.prob_native(of_ms(delay))
            }));
        }
        if self.params.protect && critical > Duration::ZERO {
            let from = critical.seconds() * 1e3;
            laws.push(DropLaw {
                says: "The least score at which packets of a flow are redirected to the C queue, over the delay of the L queue.",
                over: Gauge::new("queueing delay", "ms"),
                range: (1.01 * from, 5.0 * from),
                parameters: Vec::from([("critical_delay", from)]),
                curves: Vec::from([Curve::new("score", "ms", |delay| {
                    self.least_score(of_ms(delay)).seconds() * 1e3
                })]),
            });
        }
        laws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::drawn::value;
    use crate::queue::tests::script::line;
    use crate::unit::Ecn;
    use std::format;

    const MS: u64 = 1_000_000_000;

    fn queue(texts: &[(&str, &str)]) -> QueueProtection<Named> {
        let line = Line {
            rate: Rate(100_000_000),
            ..line()
        };
        QueueProtection::make(&QueueProtectionParams::from_texts(texts), line)
    }

    #[test]
    //= rfc9957 §4.1 type=test
    //= rfc9957 §4.2.4 type=test
    fn the_ramp_ends_at_its_threshold_or_begins_at_two_frames() {
        let native =
            |queue: &QueueProtection<Named>, ns: u64| queue.prob_native(Duration(ns * 1000));
        // 1 ms - 524,288 ns is more than 320 us, the time of two frames at 100 Mb/s.
        let ramp = queue(&[]);
        let found = [475_712, 737_856, 1_000_000].map(|ns| native(&ramp, ns));
        assert_eq!(found, [0.0, 0.5, 1.0]);
        // At 10 Mb/s the ramp begins at 3.2 ms.
        let slow = Line {
            rate: Rate(10_000_000),
            ..line()
        };
        let ramp = QueueProtection::make(&QueueProtectionParams::from_texts(&[]), slow);
        let found = [3_200_000, 3_462_144, 3_724_288].map(|ns| native(&ramp, ns));
        assert_eq!(found, [0.0, 0.5, 1.0]);
    }

    #[test]
    //= rfc9957 §4.1, CRITICALqL type=test
    fn the_critical_delay_is_the_end_of_the_ramp() {
        let critical = |texts: &[(&str, &str)], bps: u64| {
            let line = Line {
                rate: Rate(bps),
                ..line()
            };
            let params = QueueProtectionParams::from_texts(texts);
            QueueProtection::<Named>::make(&params, line).critical
        };
        assert_eq!(critical(&[], 100_000_000), Duration(MS));
        assert_eq!(
            critical(&[("max_threshold", "2 ms")], 100_000_000),
            Duration(2 * MS)
        );
        assert_eq!(critical(&[], 10_000_000), Duration(3_724_288_000));
        assert_eq!(
            critical(&[("critical_delay", "1 ms")], 10_000_000),
            Duration(MS)
        );
    }

    #[test]
    //= rfc9957 §4.2.3 type=test
    fn scores_add_up_and_age() {
        let mut queue = queue(&[]);
        // 5243 B at 2^19 B/s are 10 ms and 2 us.
        let score = |queue: &mut QueueProtection<Named>, ms: u64, probability: f64| {
            let now = Instant(ms * MS);
            let at = queue.pick_bucket(now, FlowId(3));
            queue.fill_bucket(now, at, 5243, probability).0 / 1_000_000
        };
        assert_eq!(score(&mut queue, 0, 1.0), 10_000);
        assert_eq!(score(&mut queue, 4, 0.5), 11_000);
        let mut told = Vec::new();
        queue.gauges(&mut |gauge, value| told.push((gauge.name, value)));
        let found = told.iter().find(|it| it.0 == "score").expect("a score").1;
        assert!((found - 11.0).abs() < 0.01, "{found} ms");
        assert_eq!(score(&mut queue, 100, 0.1), 1_000);
        for _ in 0..1000 {
            score(&mut queue, 100, 1.0);
        }
        assert_eq!(score(&mut queue, 100, 1.0), 5_000_000);
    }

    #[test]
    //= rfc9957 §4.2.2 type=test
    fn flows_without_a_bucket_share_one() {
        let mut queue = queue(&[("buckets", "2"), ("attempts", "1")]);
        let now = Instant(MS);
        let mut own = [None; 2];
        let mut shared = 0;
        for flow in 0..20 {
            let at = queue.pick_bucket(now, FlowId(flow));
            queue.fill_bucket(now, at, 1500, 1.0);
            match own.get_mut(at) {
                Some(owner) => assert_eq!(owner.replace(flow), None, "a bucket in use"),
                None => shared += 1,
            }
        }
        assert_eq!(shared, 18);
        // After they have aged, they can be used again.
        let later = Instant(1000 * MS);
        assert!(queue.pick_bucket(later, FlowId(30)) < 2);
    }

    #[test]
    //= rfc9957 §4.2.1 type=test
    fn a_flow_that_builds_a_queue_is_redirected_and_others_keep_their_delay() {
        // 100 Mb/s: a packet of 1250 B takes 100 us. a sends bursts of forty each 8 ms, b a packet each 1 ms.
        let mut worst = [Duration::ZERO; 2];
        let mut redirected = [0.0; 2];
        for (way, protect) in ["false", "true"].iter().enumerate() {
            let mut queue = queue(&[("protect", protect)]);
            let mut book = Fates::default();
            for slot in 0..20_000u64 {
                let now = Instant(slot * MS / 10);
                let mut offer = |flow: char, n: u64| {
                    let name = format!("{flow}{slot}.{n}");
                    let unit = Named {
                        ecn: Ecn::Ect1,
                        ..Named::packet(name, 1250)
                    };
                    queue.offer(now, unit, &mut book);
                };
                if slot % 80 == 0 {
                    (0..40).for_each(|n| offer('a', n));
                }
                if slot % 10 == 5 {
                    offer('b', 0);
                }
                if let Some(unit) = queue.pull(now, &mut book)
                    && unit.name.starts_with('b')
                {
                    let came = unit.name[1..]
                        .split('.')
                        .next()
                        .and_then(|it| it.parse::<u64>().ok());
                    let came = Instant(came.expect("a slot") * MS / 10);
                    worst[way] = worst[way].max(now - came);
                }
            }
            queue.gauges(&mut |gauge, value| {
                if gauge.name == "redirected" {
                    redirected[way] = value;
                }
            });
        }
        assert!(
            redirected[0] == 0.0 && redirected[1] > 100.0,
            "{redirected:?}"
        );
        assert!(
            worst[0] >= Duration(3 * MS) && worst[1] < Duration(2 * MS),
            "{worst:?}"
        );
    }

    #[test]
    fn the_drawn_laws_are_those_of_arrivals() {
        // 12,500 B take a millisecond.
        for bytes in (0..60_000u64).step_by(1_250) {
            let mut queue = queue(&[]);
            let mut book = Fates::default();
            let unit = |bytes| Named {
                ecn: Ecn::Ect1,
                ..Named::packet("a1".into(), bytes)
            };
            (0..bytes / 1_250).for_each(|_| {
                let l4s = true;
                queue
                    .queues
                    .offer_to(l4s, Instant::ZERO, unit(1_250), &mut book);
            });
            let delay = bytes as f64 / 12_500.0;
            let laws = queue.drop_laws();
            let congestion = value(&laws[1], "congestion", delay);
            let least = Duration((value(&laws[2], "score", delay) * 1e9) as u64);
            drop(laws);
            // A packet of one byte adds two microseconds at most.
            let now = Instant(SECOND);
            let mut redirected = |score: Duration, bytes: u32| {
                let at = queue.pick_bucket(now, FlowId(0));
                queue.buckets[at].t_exp = now + score;
                let redirected = queue.sanctions(now, &unit(bytes));
                (redirected, queue.buckets[at].t_exp - (now + score))
            };
            let little = Duration(10_000_000);
            assert!(!redirected(Duration(least.0 - little.0), 1).0, "{delay}");
            assert!(redirected(least + little, 1).0, "{delay}");
            // 524 B are a millisecond of the score.
            let added = redirected(Duration::ZERO, 524).1.seconds() / (524.0 / 524_288.0);
            assert!(
                (added - congestion).abs() < 1e-6,
                "{delay}: {added} {congestion}"
            );
        }
    }
}
