//! FRED: RED with a count of each flow's waiting packets, so that a flow is dropped by its own use of the buffer.
//!
//! avg is the average queue of RED, but measured at departures as well; avgcq is avg over the number of flows that have packets waiting, at
//! least 1. An arrival of flow i, of which qlen packets wait, is dropped
//!
//! - if qlen >= maxq, or avg >= max_th and qlen > 2 avgcq, or qlen >= avgcq and the flow has more than one strike: it does not adapt.
//!   Each such drop is a strike against the flow;
//! - else, from min_th to max_th, with RED's probability if qlen >= max(minq, avgcq);
//! - else, from max_th on, always; with `many_flows` only if it has two packets waiting: then maxq is 2 in place of min_th, and each flow may have
//!   two.
//!
//! A flow's strikes are forgotten when its last packet has departed.
//= lin-morris-1997 §4
//= lin-morris-1997 §5

use super::drop_law::{Curve, DropLaw};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Rate, Room, Share};
use crate::rng::Stream;
use crate::storage::per_flow::PerFlow;
use crate::time::{Instant, SECOND};
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

crate::declare! {
    /// Drops arrivals of flows that use more than their part of the buffer, and others at random by the average queue.
    pub struct FredParams as "fred" from "lin-morris-1997 §4" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
        /// Average queue from which on arrivals are dropped at random; also the most packets of one flow.
        min_th: Option<Packets> = unset "a quarter of `buffer`", try ["3 packets"];
        /// Average queue from which on every arrival is dropped, or, with `many_flows`, those of flows with two packets.
        max_th: Option<Packets> = unset "twice `min_th`", try ["6 packets"];
        /// Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 - count p_b).
        max_p: Share = "0.02", show "0.2";
        /// Packets that a flow may have waiting without random drops: 2 for small buffers, 4 for large ones.
        minq: Packets = "2 packets", try ["2 packets", "4 packets"];
        /// Weight of the current queue in the average.
        weight: Share = "0.002", try ["0.5"], show "0.3";
        /// Support for more flows than the buffer has room for: from `max_th` on each flow may have two packets.
        many_flows: bool = "true";
        /// Size of a usual packet, headers included: idle time is counted in such packets.
        packet_size: Bytes = "1500 B";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        let (min, max) = it.thresholds();
        if min == 0 { return fault("min_th", "0 packets".into(), "at least 1 packet"); }
        if max <= min { return fault("max_th", alloc::format!("{max} packets"), "more than `min_th`"); }
        // The default fits the smallest buffer.
        if it.minq.0 > it.buffer.count().max(2) { return fault("minq", alloc::format!("{} packets", it.minq.0), "at most `buffer`"); }
        if it.weight.0 == 0.0 { return fault("weight", "0".into(), "more than 0"); }
        if it.packet_size.0 == 0 { return fault("packet_size", "0 B".into(), "at least 1 B"); }
        Ok(())
    }
}

impl FredParams {
    /// `min_th` and `max_th` \[packets\].
    fn thresholds(&self) -> (u64, u64) {
        let quarter = (self.buffer.count() / 4).max(1);
        let min = self.min_th.map_or(quarter, |it| it.0);
        (min, self.max_th.map_or(2 * min, |it| it.0))
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A flow with packets waiting.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    qlen: u64,
    strikes: u64,
}

/// A FIFO that counts the packets of each flow.
#[derive(Debug)]
pub struct Fred<U> {
    ring: VecDeque<U>,
    params: Box<FredParams>,
    rate: Rate,
    // Boxed, because every `Queue` has the size of the largest discipline.
    stream: Box<Stream>,
    flows: PerFlow<State>,
    /// Flows with packets waiting.
    active: u64,
    min_th: f64,
    max_th: f64,
    avg: f64,
    /// Arrivals since the last random drop; none before the first above `min_th`.
    count: Option<u64>,
    /// Time at which the queue became empty.
    empty_since: Instant,
}

impl<U> Make<FredParams> for Fred<U> {
    fn make(params: &FredParams, line: Line) -> Self {
        let (min, max) = params.thresholds();
        Self {
            ring: VecDeque::new(),
            rate: line.rate,
            stream: Box::new(line.stream),
            flows: PerFlow::default(),
            active: 0,
            min_th: min as f64,
            max_th: max as f64,
            avg: 0.0,
            count: None,
            empty_since: Instant::ZERO,
            params: Box::new(params.clone()),
        }
    }
}

impl<U: Unit> Fred<U> {
    /// Takes the queue of this moment into the average.
    fn sample(&mut self) {
        let weight = self.params.weight.0;
        self.avg = (1.0 - weight) * self.avg + weight * self.ring.len() as f64;
    }

    /// The same of an arrival: if the queue is empty, as if small packets had passed since it became so.
    //= lin-morris-1997 §4, average type=departure
    fn sample_arrival(&mut self, now: Instant) {
        if !self.ring.is_empty() {
            return self.sample();
        }
        let idle = now.since(self.empty_since).0 as f64 / SECOND as f64;
        let packets = idle * self.rate.bps() / (8.0 * self.params.packet_size.0 as f64);
        self.avg *= libm::pow(1.0 - self.params.weight.0, packets);
    }

    /// The average queue of a flow with packets waiting.
    fn avgcq(&self) -> f64 {
        (self.avg / self.active.max(1) as f64).max(1.0)
    }

    /// p_b at this average, of a flow that uses more than its part; from `max_th` on all are dropped.
    fn initial_probability(&self, avg: f64) -> f64 {
        if avg < self.min_th {
            0.0
        } else if avg < self.max_th {
            self.params.max_p.0 * (avg - self.min_th) / (self.max_th - self.min_th)
        } else {
            1.0
        }
    }

    /// Whether an arrival of a flow in this state is dropped.
    //= lin-morris-1997 §4
    //= lin-morris-1997 §5
    //= lin-morris-1997 §5, many flows type=departure
    fn drops(&mut self, state: &mut State) -> bool {
        let (qlen, avgcq) = (state.qlen as f64, self.avgcq());
        let beyond = self.avg >= self.max_th;
        let many = beyond && self.params.many_flows;
        let maxq = if many { 2.0 } else { self.min_th };
        if qlen >= maxq || (beyond && qlen > 2.0 * avgcq) || (qlen >= avgcq && state.strikes > 1) {
            state.strikes += 1;
            return true;
        }
        if beyond {
            self.count = Some(0);
            return !many;
        }
        if self.avg < self.min_th {
            self.count = None;
            return false;
        }
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        if qlen < avgcq.max(self.params.minq.0 as f64) {
            return false;
        }
        let p_b = self.initial_probability(self.avg);
        let rest = 1.0 - count as f64 * p_b;
        let drops = rest <= 0.0 || self.stream.happens((p_b / rest).min(1.0));
        if drops {
            self.count = Some(0);
        }
        drops
    }
}

impl<U: Unit> Discipline<U> for Fred<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.sample_arrival(now);
        let flow = unit.flow();
        let mut state = *self.flows.of(flow);
        let drops = self.drops(&mut state);
        let full = self.ring.len() as u64 >= self.params.buffer.count();
        // Without packets waiting, a flow has no state.
        if state.qlen > 0 {
            *self.flows.of(flow) = state;
        }
        if drops || full {
            let why = if drops { Cause::Early } else { Cause::Overflow };
            return book.drop(unit, why);
        }
        self.active += u64::from(state.qlen == 0);
        state.qlen += 1;
        *self.flows.of(flow) = state;
        self.ring.push_back(unit);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let unit = self.ring.pop_front()?;
        self.sample();
        let state = self.flows.of(unit.flow());
        state.qlen -= 1;
        if state.qlen == 0 {
            *state = State::default();
            self.active -= 1;
        }
        if self.ring.is_empty() {
            self.empty_since = now;
        }
        Some(unit)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::new("average", "packets"), self.avg);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        Vec::from([DropLaw {
            says: "Probability p_b of an arrival whose flow has at least `minq` packets in the queue, and at least the average of the flows, over \
                   the average queue. It grows with the number of arrivals since the last drop, as in RED.",
            over: Gauge::new("average queue", "packets"),
            range: (0.0, 1.5 * self.max_th),
            parameters: Vec::from([("min_th", self.min_th), ("max_th", self.max_th)]),
            curves: Vec::from([Curve::probability("p_b of drops", |avg| {
                self.initial_probability(avg)
            })]),
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::Named;
    use crate::queue::tests::drawn::{agrees, share, value};
    use crate::queue::tests::script::{check, line};

    /// The average is the queue.
    fn queue(texts: &[(&str, &str)]) -> Fred<Named> {
        let all = [texts, &[("buffer", "16 packets"), ("weight", "1")]].concat();
        Fred::make(&FredParams::from_texts(&all), line())
    }

    #[test]
    //= lin-morris-1997 §4 type=test
    fn a_flow_has_at_most_min_th_packets_waiting() {
        check(
            queue(&[]),
            "a1 1000 => kept
             a2 1000 => kept
             a3 1000 => kept
             a4 1000 => kept
             a5 1000 => early         # four wait: a strike
             a6 1000 => early
             b1 1000 => kept          # b has none waiting: no random drop, though the average is 4
             pull => a1               # a has two strikes, and more than the average of 2
             a7 1000 => early
             pull => a2
             pull => a3
             pull => a4
             a8 1000 => kept          # its strikes are forgotten
             a9 1000 => kept",
        );
    }

    #[test]
    //= lin-morris-1997 §5 type=test
    fn beyond_max_th_each_flow_may_have_two() {
        let arrive = "a1 1000 => kept
             a2 1000 => kept
             a3 1000 => kept
             b1 1000 => kept
             b2 1000 => kept
             c1 1000 => kept
             d1 1000 => kept
             e1 1000 => kept\n";
        let many = "f1 1000 => kept          # the average is 8
             f2 1000 => kept
             f3 1000 => early         # two wait
             b3 1000 => early
             c2 1000 => kept";
        let texts = [("max_p", "0"), ("minq", "4 packets")];
        check(queue(&texts), &(std::string::String::from(arrive) + many));
        let few = "f1 1000 => early         # all are dropped
             c2 1000 => early
             pull => a1
             f2 1000 => kept          # below 8 again";
        let texts = [texts[0], texts[1], ("many_flows", "false")];
        check(queue(&texts), &(std::string::String::from(arrive) + few));
    }

    #[test]
    //= lin-morris-1997 §4 type=test
    fn only_flows_with_more_than_their_part_are_dropped_at_random() {
        // The average is 6 of 4 to 8, so p_b is a half; the first arrival above min_th has count 0, the next count 1 is certain.
        let mut queue = queue(&[("max_p", "1"), ("minq", "3 packets")]);
        let mut book = crate::queue::laws::Fates::default();
        for name in ["a1", "a2", "a3", "b1", "c1", "d1"] {
            queue.offer(Instant::ZERO, Named::packet(name.into(), 1000), &mut book);
        }
        assert!(book.0.is_empty());
        let mut lost = [0, 0];
        for n in 0..200 {
            for (at, flow) in ["a", "b"].iter().enumerate() {
                let before = book.0.len();
                queue.offer(
                    Instant::ZERO,
                    Named::packet(std::format!("{flow}{n}"), 1000),
                    &mut book,
                );
                let kept = book.0.len() == before;
                lost[at] += usize::from(!kept);
                if kept {
                    // Its place is freed again.
                    let unit = queue.ring.pop_back().expect("the arrival");
                    queue.flows.of(unit.flow()).qlen -= 1;
                }
            }
        }
        assert!(lost[0] > 100 && lost[1] == 0, "{lost:?}");
    }

    #[test]
    fn the_drawn_law_is_that_of_flows_beyond_their_part() {
        for many in ["true", "false"] {
            for avg in 0..=10 {
                let mut queue = queue(&[("max_p", "0.2"), ("many_flows", many)]);
                queue.avg = f64::from(avg);
                queue.active = 4;
                let drawn = share(value(&queue.drop_laws()[0], "p_b of drops", queue.avg));
                // Fewer than min_th, 4, and more than the average of 2.5 at most.
                let state = State {
                    qlen: 3,
                    strikes: 0,
                };
                let dropped = (0..5_000)
                    .filter(|_| queue.drops(&mut state.clone()))
                    .count() as u32;
                assert!(agrees(dropped, 5_000, drawn), "{avg}: {dropped} {drawn}");
            }
        }
    }
}
