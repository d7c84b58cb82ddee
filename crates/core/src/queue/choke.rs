//! CHOKe: compares an arrival with a packet drawn at random from the queue, and drops both if they are of one flow.
//!
//! That is done while the average queue is above min_th; a packet that is not dropped so joins or is dropped as `red` decides. A flow with
//! many packets in the queue both arrives and is drawn more often than others, so a flow that does not respond to drops loses most, and no
//! state per flow is kept.
//!
//! RED knows nothing of a pair that is dropped: neither packet counts for its gaps between drops. The candidate is drawn from the packets
//! that wait, each with equal probability. With a full buffer the comparison is made as well, before the arrival is dropped. (The paper
//! also describes several candidates per arrival, whose number follows the queue. Here there is one.)
//= pan-prabhakar-psounis-2000

use super::aqm::{Aqm, Departure, Verdict};
use super::drop_law::DropLaw;
use super::red::{EarlyDetection, Mode, RedParams};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::Tell;
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Room, Share};
use crate::rng::Stream;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

crate::declare! {
    /// Drops an arrival and a packet drawn from the queue if they are of one flow, and else drops at random by the average queue.
    pub struct ChokeParams as "choke" from "pan-prabhakar-psounis-2000" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
        /// Average queue up to which nothing is dropped early.
        min_th: Option<Packets> = unset "a third of `max_th`";
        /// Average queue from which on every arrival is dropped.
        max_th: Option<Packets> = unset "three times `min_th`, or a quarter of `buffer`";
        /// Value of p_b as the average reaches `max_th`; an arrival is dropped with probability p_b / (1 - count p_b).
        max_p: Share = "0.02", show "0.2";
        /// Weight of the current queue in the average.
        weight: Share = "0.002", try ["0.5"], show "0.3";
        /// Size of a usual packet, headers included: idle time is counted in such packets. Write the size of the senders' packets.
        packet_size: Bytes = "1500 B";
    }
    check |it| it.red().check()
}

impl ChokeParams {
    /// The parameters of its RED.
    fn red(&self) -> RedParams {
        RedParams {
            buffer: self.buffer,
            min_th: self.min_th,
            max_th: self.max_th,
            max_p: self.max_p,
            weight: self.weight,
            gentle: false,
            adaptive: false,
            ecn: false,
            hard_drop: true,
            mode: Mode::Packets,
            packet_size: self.packet_size,
        }
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A FIFO behind RED, from which candidates are drawn.
#[derive(Debug)]
pub struct Choke<U> {
    ring: VecDeque<U>,
    room: u64,
    red: EarlyDetection,
    candidates: Stream,
}

impl<U> Make<ChokeParams> for Choke<U> {
    fn make(params: &ChokeParams, line: Line) -> Self {
        // RED draws what it would draw alone.
        let seed = line.stream.clone().between(0, u64::MAX);
        Self {
            ring: VecDeque::new(),
            room: params.buffer.count(),
            red: EarlyDetection::make(&params.red(), line),
            candidates: Stream::new(seed, "candidates"),
        }
    }
}

impl<U: Unit> Choke<U> {
    /// Takes a packet of the flow of `unit` out of the queue, if a packet that is drawn at random is one.
    //= pan-prabhakar-psounis-2000
    fn candidate(&mut self, now: Instant, unit: &U) -> Option<U> {
        let last = (self.ring.len() as u64).checked_sub(1)?;
        let at = self.candidates.between(0, last) as usize;
        let packet = if self.ring[at].flow() == unit.flow() {
            self.ring.remove(at)?
        } else {
            return None;
        };
        self.leaves(now, &packet);
        Some(packet)
    }

    /// A packet leaves the queue.
    fn leaves(&mut self, now: Instant, unit: &U) {
        let departure = Departure {
            bytes: unit.bytes(),
            stamp: (),
        };
        let verdict = self.red.on_departure(now, &departure);
        debug_assert_eq!(verdict, Verdict::Pass, "RED decides at arrivals");
    }
}

impl<U: Unit> Discipline<U> for Choke<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let backlog = self.ring.len() as u64;
        self.red.average(now, backlog);
        if self.red.is_above_min()
            && let Some(candidate) = self.candidate(now, &unit)
        {
            book.drop(candidate, Cause::Early);
            return book.drop(unit, Cause::Early);
        }
        if backlog >= self.room {
            self.red.overflows();
            return book.drop(unit, Cause::Overflow);
        }
        if self.red.decide(unit.bytes()) != Verdict::Pass {
            return book.drop(unit, Cause::Early);
        }
        self.red.on_joined(now, unit.bytes());
        self.ring.push_back(unit);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let Some(unit) = self.ring.pop_front() else {
            self.red.on_empty(now);
            return None;
        };
        self.leaves(now, &unit);
        Some(unit)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn shows_first(&self) -> bool {
        true
    }

    fn first(&self) -> Option<&U> {
        self.ring.front()
    }

    fn gauges(&self, tell: &mut Tell) {
        self.red.gauges(tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let mut laws = self.red.drop_laws();
        for law in &mut laws {
            law.says = "Probability p_b of an arrival that is not dropped with a packet of its flow, over the average queue. The number of such \
                        arrivals from one drop to the next is uniform between 1 and 1/p_b - 1.";
        }
        laws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::red::Red;
    use crate::queue::tests::drawn::{agrees, share, value};
    use crate::queue::tests::script::{Fates, Named, check, line};
    use std::format;

    /// The average is the queue.
    fn queue(texts: &[(&str, &str)]) -> Choke<Named> {
        let all = [&[("buffer", "20 packets"), ("weight", "1")], texts].concat();
        Choke::make(&ChokeParams::from_texts(&all), line())
    }

    /// A packet of `flow` arrives; what is dropped.
    fn arrives(queue: &mut Choke<Named>, flow: char, n: usize) -> Vec<std::string::String> {
        let mut book = Fates::default();
        let unit = Named::packet(format!("{flow}{n}"), 1500);
        queue.offer(Instant::ZERO, unit, &mut book);
        book.0.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    //= pan-prabhakar-psounis-2000 type=test
    fn a_pair_of_one_flow_is_dropped_above_the_threshold() {
        check(
            queue(&[
                ("min_th", "2 packets"),
                ("max_th", "10 packets"),
                ("max_p", "0.0001"),
            ]),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => kept            # two wait: not above
             b1 1500 => kept            # no packet of b is among three of a
             pull => a1
             pull => a2
             pull => a3
             b2 1500 => kept
             b3 1500 => kept
             b4 1500 => early, early b3 # of the three packets that wait the third was drawn
             pull => b1
             pull => b2
             pull => nothing",
        );
    }

    #[test]
    fn each_packet_that_waits_is_drawn_as_often_as_others() {
        let mut drawn = [0u64; 6];
        let mut queue = queue(&[("min_th", "5 packets"), ("max_th", "19 packets")]);
        for n in 0..6 {
            assert!(arrives(&mut queue, 'a', n).is_empty());
        }
        for _ in 0..60_000 {
            let before: Vec<_> = queue.ring.iter().map(|unit| unit.name.clone()).collect();
            let gone = arrives(&mut queue, 'a', 9);
            assert_eq!(gone.len(), 2);
            let at = before.iter().position(|name| *name == gone[0]).unwrap();
            drawn[at] += 1;
            // Its place is taken again, so that all names differ.
            queue.ring.insert(at, Named::packet(gone[0].clone(), 1500));
            queue.red.on_joined(Instant::ZERO, 1500);
        }
        // With 5 degrees of freedom, chi-squared exceeds 20.5 once in a thousand times.
        let chi2: f64 = (drawn.iter())
            .map(|n| (*n as f64 - 1e4).powi(2) / 1e4)
            .sum();
        assert!(chi2 < 20.5, "{drawn:?}: {chi2}");
    }

    #[test]
    fn a_flow_is_dropped_as_its_share_of_the_queue_is() {
        // Ten of a and five of b wait: a packet of b meets one of its own in a third of all draws, and one of c never.
        let texts = [
            ("min_th", "1 packets"),
            ("max_th", "100 packets"),
            ("max_p", "0.0000001"),
        ];
        let mut met = 0;
        for seed in 0..3000 {
            let mut queue = queue(&texts);
            queue.candidates = Stream::new(seed, "candidates");
            let packets = (0..15)
                .map(|n| Named::packet(format!("{}{n}", if n % 3 == 0 { 'b' } else { 'a' }), 1500));
            queue.ring.extend(packets);
            (0..15).for_each(|_| queue.red.on_joined(Instant::ZERO, 1500));
            assert!(arrives(&mut queue, 'c', 0).is_empty());
            queue.ring.pop_back();
            met += usize::from(!arrives(&mut queue, 'b', 0).is_empty());
        }
        // Within four standard errors.
        assert!((met as f64 - 1000.0).abs() < 4.0 * 25.9, "{met}");
    }

    #[test]
    fn what_is_not_of_one_flow_is_treated_as_red_treats_it() {
        // Each packet has a flow of its own. Drops of RED, and then an overflow in each round.
        same_as_red("20 packets", "12 packets", "early");
        same_as_red("8 packets", "30 packets", "overflow");
    }

    fn same_as_red(buffer: &str, max_th: &str, most: &str) {
        let texts = [
            ("buffer", buffer),
            ("min_th", "3 packets"),
            ("max_th", max_th),
            ("max_p", "0.5"),
            ("weight", "0.5"),
        ];
        let mut choke = Choke::make(&ChokeParams::from_texts(&texts), line());
        let mut red = Red::make(&RedParams::from_texts(&texts), line());
        let (mut chokes, mut reds) = (Fates::default(), Fates::default());
        for round in 0..200 {
            for n in 0..20u8 {
                let packet = || Named::packet(format!("{}{round}", char::from(b'a' + n)), 1500);
                choke.offer(Instant::ZERO, packet(), &mut chokes);
                red.offer(Instant::ZERO, packet(), &mut reds);
            }
            for _ in 0..30 {
                let sent = choke.pull(Instant::ZERO, &mut chokes);
                assert_eq!(sent, red.pull(Instant::ZERO, &mut reds));
            }
        }
        assert_eq!(chokes.0, reds.0);
        assert!(reds.count(|fate| fate == most) > 500);
        assert!(reds.count(|fate| fate == "early") > 50);
    }

    #[test]
    fn pairs_do_not_count_for_the_gaps_between_drops() {
        // Five packets always wait, so p_b is 0.25: RED drops one of three arrivals at least, besides pairs.
        let mut queue = queue(&[
            ("min_th", "1 packets"),
            ("max_th", "9 packets"),
            ("max_p", "0.5"),
        ]);
        let (mut pairs, mut drops, mut gap) = (0, 0, 0);
        for n in 0..20_000 {
            queue.ring = (0..5)
                .map(|n| Named::packet(format!("{}", if n < 2 { 'a' } else { 'b' }), 1500))
                .collect();
            queue.red.on_joined(Instant::ZERO, 1500);
            match arrives(&mut queue, 'a', n).len() {
                2 => pairs += 1,
                dropped => {
                    gap += 1;
                    assert!(gap <= 3, "{n}");
                    if dropped == 1 {
                        (drops, gap) = (drops + 1, 0);
                    }
                }
            }
        }
        assert!(pairs > 5000 && drops > 2000, "{pairs} {drops}");
    }

    #[test]
    fn the_drawn_law_is_that_of_arrivals_without_a_pair() {
        let texts = [
            ("min_th", "4 packets"),
            ("max_th", "12 packets"),
            ("max_p", "0.2"),
        ];
        for backlog in 0..=14 {
            let mut queue = queue(&texts);
            queue.ring = (0..backlog)
                .map(|n| Named::packet(format!("b{n}"), 1500))
                .collect();
            let drawn = share(value(&queue.drop_laws()[0], "p_b of drops", backlog as f64));
            let mut dropped = 0;
            for n in 0..5_000 {
                let lost = arrives(&mut queue, 'a', n);
                dropped += lost.len() as u32;
                if lost.is_empty() {
                    queue.ring.pop_back();
                }
            }
            assert!(
                agrees(dropped, 5_000, drawn),
                "{backlog}: {dropped} {drawn}"
            );
        }
    }
}
