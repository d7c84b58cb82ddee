//! AFD: a FIFO that drops arrivals of each flow with a probability that brings its rate down to a fair rate.
//!
//! Of the arriving packets, dropped or not, a share `sample` is noted in a shadow buffer of `shadow` entries, each in place of a random one. So the number
//! m_i of entries of flow i is proportional to its recent rate. An arrival of flow i is dropped with probability
//!
//! D_i = 1 - m_fair / m_i, if m_i > m_fair
//!
//! and every `update` m_fair follows the queue:
//!
//! m_fair = m_fair + alpha (q_old - q_target) - beta (q - q_target)
//!
//! where q is the queue now and q_old that at the update before, in packets. Entries are packets, whatever their length. The paper leaves open
//! where m_fair begins and within which bounds it stays: here it begins with all of the shadow buffer, and stays from 0 to that. Updates are
//! due at multiples of `update` from the start of the run.
//= pan-breslau-prabhakar-shenker-2003

use super::drop_law::{Curve, DropLaw};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Packets, Room, Share};
use crate::rng::Stream;
use crate::storage::per_flow::PerFlow;
use crate::time::{Duration, Instant};
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

crate::declare! {
    /// Drops arrivals of flows that send more than a fair rate, by a sample of recent arrivals.
    pub struct AfdParams as "afd" from "pan-breslau-prabhakar-shenker-2003" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room, show "30 packets";
        /// Queue to which the fair rate is controlled.
        target: Option<Packets> = unset "half of `buffer`", try ["4 packets"], show "4 packets";
        /// Number of entries of the shadow buffer, at most 1000000.
        shadow: u64 = "500", try ["20"], show "20";
        /// Share of arrivals that are noted.
        sample: Share = "0.2", try ["1"], show "1";
        /// Interval between updates of the fair rate: 160 in a second.
        update: Duration = "6.25 ms", try ["1 ms"], show "2 ms";
        /// Change of the fair rate per update and packet of the queue above the target at the update before.
        alpha: f64 = "1.7";
        /// Change of the fair rate, down, per update and packet of the queue above the target.
        beta: f64 = "1.8";
        /// Marking of ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if !(1..=1_000_000).contains(&it.shadow) { return fault("shadow", alloc::format!("{}", it.shadow), "1 to 1000000"); }
        if it.update < Duration(1_000_000) { return fault("update", alloc::format!("{} ps", it.update.0), "at least 1 us"); }
        if it.sample.0 == 0.0 { return fault("sample", "0".into(), "more than 0"); }
        if let Some(target) = it.target.filter(|target| target.0 > it.buffer.count()) { return fault("target", alloc::format!("{} packets", target.0), "at most `buffer`"); }
        if it.alpha < 0.0 { return fault("alpha", alloc::format!("{}", it.alpha), "at least 0"); }
        if it.beta < 0.0 { return fault("beta", alloc::format!("{}", it.beta), "at least 0"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A FIFO with a shadow buffer.
#[derive(Debug)]
pub struct Afd<U> {
    ring: VecDeque<U>,
    params: Box<AfdParams>,
    // Boxed, because every `Queue` has the size of the largest discipline.
    stream: Box<Stream>,
    target: f64,
    /// The flows of noted packets.
    shadow: Vec<FlowId>,
    /// m_i.
    entries: PerFlow<u64>,
    m_fair: f64,
    /// The queue at the last update \[packets\].
    q_old: f64,
    next_update: Instant,
}

impl<U> Make<AfdParams> for Afd<U> {
    fn make(params: &AfdParams, line: Line) -> Self {
        let half = params.buffer.count() as f64 / 2.0;
        Self {
            ring: VecDeque::new(),
            stream: Box::new(line.stream),
            target: params.target.map_or(half, |it| it.0 as f64),
            shadow: Vec::new(),
            entries: PerFlow::default(),
            m_fair: params.shadow as f64,
            q_old: 0.0,
            next_update: Instant::ZERO + params.update,
            params: Box::new(params.clone()),
        }
    }
}

/// D_i.
//= pan-breslau-prabhakar-shenker-2003
fn probability(m: f64, m_fair: f64) -> f64 {
    if m > m_fair { 1.0 - m_fair / m } else { 0.0 }
}

impl<U: Unit> Afd<U> {
    /// Makes the updates that were due until `now`. One that changes nothing is the last: those after it would change nothing either.
    fn catch_up(&mut self, now: Instant) {
        while self.next_update <= now {
            let before = (self.m_fair, self.q_old);
            self.update();
            let period = self.params.update.0;
            let skipped = if (self.m_fair, self.q_old) == before {
                (now - self.next_update).0 / period
            } else {
                0
            };
            self.next_update += Duration((skipped + 1) * period);
        }
    }

    //= pan-breslau-prabhakar-shenker-2003
    //= pan-breslau-prabhakar-shenker-2003 type=departure
    fn update(&mut self) {
        let q = self.ring.len() as f64;
        let change =
            self.params.alpha * (self.q_old - self.target) - self.params.beta * (q - self.target);
        self.m_fair = (self.m_fair + change).clamp(0.0, self.params.shadow as f64);
        self.q_old = q;
    }

    /// Notes an arrival, if it is sampled.
    fn note(&mut self, flow: FlowId) {
        if !self.stream.happens(self.params.sample.0) {
            return;
        }
        *self.entries.of(flow) += 1;
        if (self.shadow.len() as u64) < self.params.shadow {
            return self.shadow.push(flow);
        }
        let at = self.stream.between(0, self.params.shadow - 1) as usize;
        let old = core::mem::replace(&mut self.shadow[at], flow);
        *self.entries.of(old) -= 1;
    }
}

impl<U: Unit> Discipline<U> for Afd<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    //= pan-breslau-prabhakar-shenker-2003
    #[inline(never)]
    fn offer(&mut self, now: Instant, mut unit: U, book: &mut impl Ledger<U>) {
        self.catch_up(now);
        let flow = unit.flow();
        self.note(flow);
        let m = *self.entries.of(flow) as f64;
        let p = probability(m, self.m_fair);
        let drops = p > 0.0 && self.stream.happens(p);
        if self.ring.len() as u64 >= self.params.buffer.count() {
            return book.drop(unit, Cause::Overflow);
        }
        if drops && !(self.params.ecn && book.mark(&mut unit)) {
            return book.drop(unit, Cause::Early);
        }
        self.ring.push_back(unit);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        self.catch_up(now);
        self.ring.pop_front()
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::new("m_fair", "packets"), self.m_fair);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let name = if self.params.ecn { "marked" } else { "dropped" };
        Vec::from([DropLaw {
            says: "Probability D_i that an arrival is dropped, or marked with `ecn`, over m_i, the number of packets of its flow in the shadow buffer.",
            over: Gauge::new("m_i", "m_fair"),
            range: (0.0, 4.0),
            parameters: Vec::from([("m_fair", 1.0)]),
            curves: Vec::from([Curve::probability(name, |m| probability(m, 1.0))]),
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::drawn::{agrees, value};
    use crate::queue::tests::script::line;
    use std::format;

    fn queue(texts: &[(&str, &str)]) -> Afd<Named> {
        let all = [texts, &[("buffer", "100 packets")]].concat();
        Afd::make(&AfdParams::from_texts(&all), line())
    }

    #[test]
    //= pan-breslau-prabhakar-shenker-2003 type=test
    fn the_fair_rate_follows_the_queue() {
        let mut queue = queue(&[("target", "10 packets"), ("update", "1 ms")]);
        let mut book = Fates::default();
        for n in 0..30 {
            queue.offer(
                Instant::ZERO,
                Named::packet(format!("a{n}"), 1000),
                &mut book,
            );
        }
        let ms = |n: u64| Instant(n * 1_000_000_000);
        queue.catch_up(Instant(ms(1).0 - 1));
        assert_eq!(queue.m_fair, 500.0);
        queue.catch_up(ms(1));
        // 1.7 (0 - 10) - 1.8 (30 - 10)
        assert!((queue.m_fair - 447.0).abs() < 1e-9, "{}", queue.m_fair);
        queue.catch_up(ms(2));
        // 1.7 (30 - 10) - 1.8 (30 - 10)
        assert!((queue.m_fair - 445.0).abs() < 1e-9, "{}", queue.m_fair);
        // It is held at 0 while the queue does not shrink, and at the size of the shadow buffer while it is short.
        queue.catch_up(ms(1000));
        assert_eq!(queue.m_fair, 0.0);
        while queue.pull(ms(1000), &mut book).is_some() {}
        queue.catch_up(ms(5000));
        assert_eq!(queue.m_fair, 500.0);
    }

    #[test]
    //= pan-breslau-prabhakar-shenker-2003 type=test
    fn flows_that_do_not_respond_get_equal_rates() {
        // a offers 8 packets while 10 are sent, b 4, c 2 and d 1: the fair share is 3.5, and c and d get what they offer.
        let mut queue = queue(&[("target", "50 packets"), ("update", "5 ms")]);
        let mut book = Fates::default();
        let offers = [('a', 8), ('b', 4), ('c', 2), ('d', 1)];
        let mut sent = [0u32; 4];
        let mut number = 0u64;
        for round in 0..20_000u64 {
            // Arrivals are spread over the round, which takes a millisecond.
            for slot in 0..24u64 {
                let now = Instant((24 * round + slot) * 1_000_000_000 / 24);
                for (flow, many) in offers {
                    if slot % (24 / many) == 0 {
                        number += 1;
                        queue.offer(
                            now,
                            Named::packet(format!("{flow}{number}"), 1000),
                            &mut book,
                        );
                    }
                }
                if slot * 10 / 24 != (slot + 1) * 10 / 24
                    && let Some(unit) = queue.pull(now, &mut book)
                    && round >= 2000
                {
                    sent[usize::from(unit.name.as_bytes()[0] - b'a')] += 1;
                }
            }
        }
        let shares = sent.map(|it| f64::from(it) / 18_000.0);
        for (share, want) in shares.iter().zip([3.5, 3.5, 2.0, 1.0]) {
            assert!((share - want).abs() < 0.12 * want, "{shares:?}");
        }
    }

    #[test]
    fn the_drawn_law_is_that_of_arrivals() {
        for (ecn, name) in [("false", "dropped"), ("true", "marked")] {
            for m in [0, 5, 10, 11, 15, 20, 30, 40] {
                let mut queue = queue(&[("ecn", ecn)]);
                // Nothing is noted, so that m_i stays.
                queue.params.sample = Share(0.0);
                *queue.entries.of(FlowId(0)) = m;
                queue.m_fair = 10.0;
                let drawn = value(&queue.drop_laws()[0], name, m as f64 / 10.0);
                let mut book = Fates::default();
                for n in 0..5_000 {
                    let unit = Named {
                        ecn: crate::unit::Ecn::Ect0,
                        ..Named::packet(format!("a{n}"), 1000)
                    };
                    queue.offer(Instant::ZERO, unit, &mut book);
                    queue.ring.clear();
                }
                let chosen = book.0.len() as u32;
                assert!(agrees(chosen, 5_000, drawn), "{m}: {chosen} {drawn}");
                let fate = if ecn == "true" { "marked" } else { "early" };
                assert!(book.0.iter().all(|(_, it)| *it == fate));
            }
        }
    }
}
