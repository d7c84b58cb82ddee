//! DualPI2: two queues, one for L4S and one for all others, coupled so that a flow of either kind has the same rate.
//!
//! Packets with ECT(1) or CE join the L queue, all others the C queue. Every `update` a PI controller changes the base probability:
//!
//! p' = p' + alpha (curq - target) + beta (curq - prevq)
//!
//! where curq is how long the head of the C queue, or that of the L queue if it is more, has waited. A packet that departs from the C queue is
//! marked, or dropped if it cannot be, with probability p_C = p'^2; one that departs from the L queue is marked with the larger of
//! p_CL = coupling p' and a probability of its own that rises from 0 to 1 while its delay rises from `step` to `step + range`. So the rates of
//! classic flows, which are as 1/sqrt(p_C), and those of L4S flows, which are as 1/p_CL, are in a fixed proportion. "With probability p"
//! means: when the sum of p over the packets of the queue exceeds the next whole number.
//!
//! In overload, from p_CL = 1 on, packets of the L queue are dropped with probability p_C, and the others are marked; the C queue drops
//! instead of marking.
//!
//! While both queues have packets, they are served in the proportion of bytes 1 - `classic` to `classic` (weighted round robin). The credit for that
//! counts only such times, and is zero again when the queues have been empty, as in Linux.
//!
//! The L queue's own probability is 0 for a packet behind which fewer than `th_len` others wait. Updates are due at multiples of
//! `update` from the start of the run, as those of PIE.
//= rfc9332 §2
//= rfc9332 §A

use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Factor, Packets, Room, Share};
use crate::time::{Duration, Instant};
use crate::unit::{Ecn, Unit};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

crate::declare! {
    /// Keeps L4S packets in a queue of their own, which it marks early, and couples its marks to the drops or marks of all others.
    pub struct Dualpi2Params as "dualpi2" from "rfc9332 §A" {
        /// Capacity of the buffer that both queues share, without the packet being transmitted.
        buffer: Room = "10000 packets", show "30 packets";
        /// Queueing delay to which the base probability is controlled.
        target: Duration = "15 ms", show "3 ms";
        /// Interval between updates of the base probability.
        update: Duration = "16 ms", show "3 ms";
        /// Change of the base probability per update and second of delay beyond the target.
        alpha: f64 = "0.16", show "1";
        /// Change of the base probability per update and second of delay beyond that of the update before.
        beta: f64 = "3.2", show "20";
        /// Queueing delay from which L4S packets are marked whatever waits in the other queue.
        step: Duration = "1 ms";
        /// Delay beyond `step` at which all of them are; between, the share rises linearly. RFC 9332 has a `step` of 800 us and a `range` of 400 us.
        range: Duration = "0 s", try ["0 s", "400 us"];
        /// Number of waiting L4S packets, with the one that departs, up to which none is marked because of `step`.
        th_len: Packets = "1 packets";
        /// Marks of an L4S packet per unit of base probability.
        coupling: Factor = "2";
        /// Share of the link's bytes for classic packets, while both queues have packets.
        classic: Share = "0.0625";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.target == Duration::ZERO { return fault("target", "0 s".into(), "more than 0"); }
        if it.update < Duration(1_000_000) { return fault("update", alloc::format!("{} ps", it.update.0), "at least 1 us"); }
        if it.alpha < 0.0 { return fault("alpha", alloc::format!("{}", it.alpha), "at least 0"); }
        if it.beta < 0.0 { return fault("beta", alloc::format!("{}", it.beta), "at least 0"); }
        if it.classic.0 <= 0.0 || it.classic.0 >= 1.0 { return fault("classic", alloc::format!("{}", it.classic.0), "above 0 and below 1"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).marking().sorted_by_ecn();

/// Packets in order, with the times at which they came, and the sum of probabilities since the last that was chosen.
#[derive(Debug)]
struct Waiting<U> {
    units: VecDeque<(U, Instant)>,
    count: f64,
}

impl<U> Waiting<U> {
    fn new() -> Self {
        Self {
            units: VecDeque::new(),
            count: 0.0,
        }
    }

    /// How long the first has waited \[s\]; 0 without any.
    fn time(&self, now: Instant) -> f64 {
        let first = self.units.front();
        first.map_or(0.0, |(_, came)| (now - *came).seconds())
    }

    /// Whether the packet that departs is chosen.
    //= rfc9332 §A.1, Figure 4
    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        let chosen = self.count > 1.0;
        if chosen {
            self.count -= 1.0;
        }
        chosen
    }
}

/// Two coupled queues.
#[derive(Debug)]
pub struct Dualpi2<U> {
    params: Box<Dualpi2Params>,
    l4s: Waiting<U>,
    classic: Waiting<U>,
    /// p'.
    base: f64,
    /// Delay at the last update \[s\].
    prevq: f64,
    next_update: Instant,
    /// Bytes that the classic queue may send before the other, while both have packets; not if negative or zero.
    credit: f64,
}

impl<U> Make<Dualpi2Params> for Dualpi2<U> {
    fn make(params: &Dualpi2Params, _: Line) -> Self {
        Self {
            params: Box::new(params.clone()),
            l4s: Waiting::new(),
            classic: Waiting::new(),
            base: 0.0,
            prevq: 0.0,
            next_update: Instant::ZERO + params.update,
            credit: 0.0,
        }
    }
}

/// Whether a packet is for the L queue.
//= rfc9331 §5.1
pub(super) fn is_l4s(unit: &impl Unit) -> bool {
    matches!(unit.ecn(), Ecn::Ect1 | Ecn::Ce)
}

impl<U: Unit> Dualpi2<U> {
    /// Bytes that wait in the L queue.
    pub(super) fn l4s_bytes(&self) -> u64 {
        let units = self.l4s.units.iter();
        units.map(|(unit, _)| u64::from(unit.bytes())).sum()
    }

    /// A packet arrives for the L queue, or for the C queue.
    //= rfc9332 §A.1, Figure 3
    pub(super) fn offer_to(&mut self, l4s: bool, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.catch_up(now);
        let waiting = self.waiting();
        if waiting == 0 {
            self.credit = 0.0;
        }
        //= rfc9332 §A.1, limit type=departure
        if waiting >= self.params.buffer.count() {
            return book.drop(unit, Cause::Overflow);
        }
        let queue = if l4s {
            &mut self.l4s
        } else {
            &mut self.classic
        };
        queue.units.push_back((unit, now));
    }

    fn waiting(&self) -> u64 {
        (self.l4s.units.len() + self.classic.units.len()) as u64
    }

    /// Makes the updates that were due until `now`. One of empty queues that changes nothing is the last.
    fn catch_up(&mut self, now: Instant) {
        while self.next_update <= now {
            let before = (self.base, self.prevq);
            self.update(self.next_update);
            let period = self.params.update.0;
            let over = self.waiting() == 0 && (self.base, self.prevq) == before;
            let skipped = if over {
                (now - self.next_update).0 / period
            } else {
                0
            };
            self.next_update += Duration((skipped + 1) * period);
        }
    }

    //= rfc9332 §A.2, Figure 8
    fn update(&mut self, at: Instant) {
        let curq = self.classic.time(at).max(self.l4s.time(at));
        let error = self.params.alpha * (curq - self.params.target.seconds());
        let p = self.base + error + self.params.beta * (curq - self.prevq);
        self.base = p.clamp(0.0, 1.0);
        self.prevq = curq;
    }

    /// The L queue's own marking probability, of a packet that has waited so long.
    //= rfc9332 §A.1, Figure 5
    fn laqm(&self, delay: Duration) -> f64 {
        let (step, range) = (self.params.step, self.params.range);
        if delay >= step + range {
            1.0
        } else if delay > step {
            (delay.seconds() - step.seconds()) / range.seconds()
        } else {
            0.0
        }
    }

    /// p_CL.
    //= rfc9332 §A.2, p_CL type=departure
    // More than 1 would be counted up while the overload lasts.
    fn coupled(&self) -> f64 {
        (self.params.coupling.0 * self.base).min(1.0)
    }

    /// The next packet of the L queue, if it has one and does not drop all of them.
    //= rfc9332 §A.2, Figure 7
    fn pull_l4s(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        let many = self.l4s.units.len() as u64;
        let (mut unit, came) = self.l4s.units.pop_front()?;
        let coupled = self.coupled();
        let marks = if coupled < 1.0 {
            //= rfc9332 §A.2, a queue of one packet
            let own = if many > self.params.th_len.0 {
                self.laqm(now - came)
            } else {
                0.0
            };
            self.l4s.recur(own.max(coupled))
        } else {
            if self.l4s.recur(self.base * self.base) {
                book.drop(unit, Cause::Early);
                return None;
            }
            self.l4s.recur(coupled)
        };
        if marks {
            book.mark(&mut unit);
        }
        Some(unit)
    }

    /// The same of the C queue.
    //= rfc9332 §A.2, Figure 7
    fn pull_classic(&mut self, book: &mut impl Ledger<U>) -> Option<U> {
        let (mut unit, _) = self.classic.units.pop_front()?;
        let (p, k) = (self.base * self.base, self.params.coupling.0);
        if self.classic.recur(p) && (p >= 1.0 / (k * k) || !book.mark(&mut unit)) {
            book.drop(unit, Cause::Early);
            return None;
        }
        Some(unit)
    }
}

impl<U: Unit> Discipline<U> for Dualpi2<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let l4s = is_l4s(&unit);
        self.offer_to(l4s, now, unit, book);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.catch_up(now);
        while self.waiting() > 0 {
            let both = !self.l4s.units.is_empty() && !self.classic.units.is_empty();
            let classic = self.l4s.units.is_empty() || (both && self.credit > 0.0);
            let sent = if classic {
                self.pull_classic(book)
            } else {
                self.pull_l4s(now, book)
            };
            let Some(unit) = sent else { continue };
            //= rfc9332 §4.2.2
            if both {
                let (bytes, share) = (f64::from(unit.bytes()), self.params.classic.0);
                self.credit += bytes * if classic { share - 1.0 } else { share };
            }
            return Some(unit);
        }
        None
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.waiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::laws::{Fates, Named};
    use crate::queue::tests::script::line;
    use std::format;

    const MS: u64 = 1_000_000_000;

    fn queue(texts: &[(&str, &str)]) -> Dualpi2<Named> {
        Dualpi2::make(&Dualpi2Params::from_texts(texts), line())
    }

    fn packet(number: usize, ecn: Ecn) -> Named {
        Named {
            ecn,
            ..Named::packet(format!("a{number}"), 1000)
        }
    }

    /// Which of the packets that depart, one every millisecond and one of each kind arriving in that time, are of the C queue.
    fn shares(queue: &mut Dualpi2<Named>, turns: usize) -> (usize, usize, Fates) {
        let (mut book, mut sent) = (Fates::default(), (0, 0));
        for turn in 0..turns {
            let now = Instant(turn as u64 * MS);
            queue.offer(now, packet(2 * turn, Ecn::NotEct), &mut book);
            queue.offer(now, packet(2 * turn + 1, Ecn::Ect1), &mut book);
            let unit = queue.pull(now, &mut book).expect("some wait");
            match unit.ecn {
                Ecn::NotEct => sent.0 += 1,
                _ => sent.1 += 1,
            }
        }
        (sent.0, sent.1, book)
    }

    #[test]
    //= rfc9332 §4.2.2 type=test
    fn classic_packets_have_their_share_while_both_wait() {
        // No gain: nothing is dropped, so both queues are always backlogged.
        let off = [("alpha", "0"), ("beta", "0")];
        let (classic, l4s, _) = shares(&mut queue(&off), 1600);
        assert_eq!((classic, l4s), (100, 1500));
        let half = [off[0], off[1], ("classic", "0.5")];
        let (classic, l4s, _) = shares(&mut queue(&half), 1600);
        assert_eq!((classic, l4s), (800, 800));
    }

    #[test]
    //= rfc9332 §2.1 type=test
    fn l4s_packets_are_marked_by_the_coupled_probability_and_others_by_the_square() {
        // Updates that change nothing, a base probability of a fifth, and delays far below the step.
        let mut queue = queue(&[("alpha", "0"), ("beta", "0")]);
        queue.base = 0.2;
        let mut book = Fates::default();
        let mut marked = |ecn| {
            let before = book.0.len();
            for turn in 0..10_000 {
                queue.offer(Instant::ZERO, packet(turn, ecn), &mut book);
                queue.pull(Instant::ZERO, &mut book);
            }
            book.0.len() - before
        };
        let counts = [Ecn::Ect1, Ecn::Ect0, Ecn::NotEct].map(&mut marked);
        // 2 x 0.2 of the L4S packets, and 0.2^2 of the others; a sum of 0.1 may be a little more or less.
        for (count, want) in counts.into_iter().zip([4000, 400, 400]) {
            assert!(count.abs_diff(want) <= 1, "{counts:?}");
        }
        assert!(book.0[..4000].iter().all(|(_, fate)| *fate == "marked"));
        assert_eq!(
            book.0.iter().filter(|(_, fate)| *fate == "early").count(),
            counts[2]
        );
    }

    #[test]
    //= rfc9332 §A.2 type=test
    fn an_overload_of_l4s_packets_is_shed() {
        // Twice as many L4S packets come as depart. Without drops the queue would grow by 1000 packets.
        let mut queue = queue(&[]);
        let mut book = Fates::default();
        let mut backlog = 0;
        for turn in 0..20_000usize {
            let now = Instant(turn as u64 * MS);
            queue.offer(now, packet(2 * turn, Ecn::Ect1), &mut book);
            queue.offer(now, packet(2 * turn + 1, Ecn::Ect1), &mut book);
            queue.pull(now, &mut book);
            backlog = queue.backlog();
        }
        let dropped = book.0.iter().filter(|(_, fate)| *fate == "early").count();
        assert!(dropped > 9_000, "{dropped}");
        // The controller keeps the delay near its target of 15 ms.
        assert!((5..40).contains(&backlog), "{backlog}");
        assert!(book.0.iter().all(|(_, fate)| *fate != "overflow"));
    }
}
