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
//! `queue-protection` sends packets with the code point NQB to the L queue, too, and moves L4S packets of flows that build a queue there to the
//! C queue. Then:
//!
//! - A packet with ECT(1) in the C queue is marked, or dropped in overload, as one of the L queue whose delay is below `step`.
//! - A packet with ECT(0) in the L queue is marked with the probability (p_L / coupling)^2, where p_L is that of an L4S packet in its place.
//! - A packet without ECN in the L queue is neither marked nor dropped. If nothing protects the queue, it is dropped with that probability.
//!
//! While both queues have packets, they are served in the proportion of bytes 1 - `classic` to `classic` (weighted round robin). The credit for that
//! counts only such times, and begins anew when the queues have been empty, as in Linux.
//!
//! The L queue's own probability is 0 for a packet behind which fewer than `th_len` others wait. Updates are due at multiples of
//! `update` from the start of the run, as those of PIE.
//!
//! With `signals = "linux"`, four things are as in Linux's `sch_dualpi2`:
//!
//! - Each packet is chosen at random.
//! - While less than 3000 B wait, two packets of the longest size on Ethernet, the base probability marks and drops nothing.
//! - An L4S packet is marked because of `step` only if at least `th_len` others waited in the L queue when it arrived (`min_qlen_step`
//!   of Linux, which is 0 by default).
//! - The credit begins at -(1 - 2 `classic`) packets of 1500 B: with a small `classic`, the L queue is served first for several packets. It does so
//!   once the link has found both queues empty, and not while it still sends the last packet.
//!
//! Then the defaults of `th_len` and `classic` are those of Linux, too (`min_qlen_step 0`, `classic_protection 10%`).
//= rfc9332 §2
//= rfc9332 §A
//= linux-dualpi2

use super::drop_law::{Curve, DropLaw, of_ms};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{Gauge, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Factor, Packets, Room, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use crate::unit::{Ecn, Unit};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

crate::choice! {
    /// Whose rules choose the packets that are marked or dropped.
    pub enum Signals {
        /// Those of appendix A of RFC 9332.
        Rfc9332 = "rfc9332",
        /// Those of Linux's `sch_dualpi2`.
        Linux = "linux",
    }
}

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
        /// `step` marks an L4S packet only if more L4S packets than this wait when it departs, itself included. With `signals = "linux"`, it
        /// marks one only if at least this number wait when it arrives.
        th_len: Option<Packets> = unset "1, or 0 with the rules of Linux";
        /// Marks of an L4S packet per unit of base probability.
        coupling: Factor = "2";
        /// Share of the link's bytes for classic packets, while both queues have packets.
        classic: Option<Share> = unset "0.0625, or 0.1 with the rules of Linux";
        /// Choice of the packets that are marked or dropped: as regular as their probability allows, with the rules of RFC 9332, or at
        /// random, with those of Linux.
        signals: Signals = "rfc9332";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.target == Duration::ZERO { return fault("target", "0 s".into(), "more than 0"); }
        if it.update < Duration(1_000_000) { return fault("update", alloc::format!("{} ps", it.update.0), "at least 1 us"); }
        if it.alpha < 0.0 { return fault("alpha", alloc::format!("{}", it.alpha), "at least 0"); }
        if it.beta < 0.0 { return fault("beta", alloc::format!("{}", it.beta), "at least 0"); }
        if let Some(Share(classic)) = it.classic && (classic <= 0.0 || classic >= 1.0) { return fault("classic", alloc::format!("{classic}"), "above 0 and below 1"); }
        Ok(())
    }
}

/// The links on which it runs. Every parameter has a default.
//= rfc9332 §2.5.1, k
//= rfc9332 §2.5.2.1, defaults
pub const ABOUT: About = About::on(&[Grain::Packets])
    .marking()
    .sorted_by_ecn()
    .blind_to_flows();

/// While fewer bytes wait, Linux neither marks nor drops by the base probability: two MTUs. It counts the headers of Ethernet on both
/// sides, and plans mostly on none.
//= linux-dualpi2
const SPARED: u64 = 2 * MTU;
const MTU: u64 = 1500;

/// A packet that waits.
#[derive(Debug)]
struct Entry<U> {
    unit: U,
    came: Instant,
    /// As it came, at least `th_len` packets were in its queue.
    crowded: bool,
}

/// Packets in order, and the sum of probabilities since the last that was chosen.
#[derive(Debug)]
struct Waiting<U> {
    units: VecDeque<Entry<U>>,
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
        first.map_or(0.0, |it| (now - it.came).seconds())
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
//= rfc9332 §2.5.1, two queues
#[derive(Debug)]
pub struct Dualpi2<U> {
    params: Box<Dualpi2Params>,
    th_len: u64,
    /// Share of the bytes for the C queue.
    weight: f64,
    l4s: Waiting<U>,
    classic: Waiting<U>,
    /// p'.
    base: f64,
    /// Delay at the last update \[s\].
    prevq: f64,
    next_update: Instant,
    /// Bytes that the classic queue may send before the other, while both have packets; not if negative or zero.
    credit: f64,
    /// That after the queues have been empty.
    initial_credit: f64,
    /// Bytes that wait in both queues.
    bytes: u64,
    /// Of Linux's rules, which choose packets at random.
    random: Option<Stream>,
    /// Whether queue protection stands before the L queue.
    pub(super) protected: bool,
}

impl<U> Make<Dualpi2Params> for Dualpi2<U> {
    fn make(params: &Dualpi2Params, line: Line) -> Self {
        let linux = params.signals == Signals::Linux;
        let (th_len, weight) = if linux { (0, 0.1) } else { (1, 0.0625) };
        let weight = params.classic.map_or(weight, |it| it.0);
        let initial_credit = match linux {
            true => MTU as f64 * (2.0 * weight - 1.0),
            false => 0.0,
        };
        Self {
            params: Box::new(params.clone()),
            th_len: params.th_len.map_or(th_len, |it| it.0),
            weight,
            l4s: Waiting::new(),
            classic: Waiting::new(),
            base: 0.0,
            prevq: 0.0,
            next_update: Instant::ZERO + params.update,
            credit: initial_credit,
            initial_credit,
            bytes: 0,
            random: linux.then_some(line.stream),
            protected: false,
        }
    }
}

/// Whether a packet is for the L queue.
//= rfc9331 §5.1
//= rfc9332 §2.5.1, L4S
pub(super) fn is_l4s(unit: &impl Unit) -> bool {
    matches!(unit.ecn(), Ecn::Ect1 | Ecn::Ce)
}

impl<U: Unit> Dualpi2<U> {
    /// Bytes that wait in the L queue.
    pub(super) fn l4s_bytes(&self) -> u64 {
        let units = self.l4s.units.iter();
        units.map(|it| u64::from(it.unit.bytes())).sum()
    }

    /// A packet arrives for the L queue, or for the C queue.
    //= rfc9332 §A.1, Figure 3
    pub(super) fn offer_to(&mut self, l4s: bool, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.catch_up(now);
        let waiting = self.waiting();
        if waiting == 0 && self.random.is_none() {
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
        self.bytes += u64::from(unit.bytes());
        let crowded = queue.units.len() as u64 >= self.th_len;
        queue.units.push_back(Entry {
            unit,
            came: now,
            crowded,
        });
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
    //= rfc9332 §2.5.2.1, time
    fn update(&mut self, at: Instant) {
        let curq = self.classic.time(at).max(self.l4s.time(at));
        let error = self.params.alpha * (curq - self.params.target.seconds());
        let p = self.base + error + self.params.beta * (curq - self.prevq);
        self.base = p.clamp(0.0, 1.0);
        self.prevq = curq;
    }

    /// The L queue's own marking probability, of a packet that has waited so long.
    //= rfc9332 §A.1, Figure 5
    //= rfc9332 §A.1, step type=departure
    // By default there is no ramp.
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

    /// p_CL at this p'.
    //= rfc9332 §2.5.1, equation (1)
    //= rfc9332 §A.2, p_CL type=departure
    // More than 1 would be counted up while the overload lasts.
    fn coupled(&self, base: f64) -> f64 {
        (self.params.coupling.0 * base).min(1.0)
    }

    /// With which probability a packet of the L queue is dropped at this p'; `None` if there is no overload.
    //= rfc9332 §A.2, Figure 7
    fn l4s_drop(&self, base: f64) -> Option<f64> {
        (self.coupled(base) >= 1.0).then_some(base * base)
    }

    /// p_C at this p', and whether ECN-capable packets that are chosen are dropped, too.
    //= rfc9332 §A.2, Figure 7
    fn classic(&self, base: f64) -> (f64, bool) {
        let (p, k) = (base * base, self.params.coupling.0);
        (p, p >= 1.0 / (k * k))
    }

    /// The next packet of the L queue, if it has one and does not drop all of them.
    //= rfc9332 §A.2, Figure 7
    fn pull_l4s(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        let many = self.l4s.units.len() as u64;
        let entry = self.l4s.units.pop_front()?;
        self.bytes -= u64::from(entry.unit.bytes());
        if self.random.is_some() {
            return self.signal_as_linux(now, entry, book);
        }
        //= rfc9332 §A.2, a queue of one packet
        let own = if many > self.th_len {
            self.laqm(now - entry.came)
        } else {
            0.0
        };
        self.signal(entry.unit, own, book)
    }

    /// What the RFC does with a packet of the L queue, which marks those of L4S with the probability `own`.
    //= rfc9332 §A.2, Figure 7
    //= rfc9332 §2.5.1, marks
    //= rfc9332 §2.5.1.1, overload
    fn signal(&mut self, mut unit: U, own: f64, book: &mut impl Ledger<U>) -> Option<U> {
        let ecn = unit.ecn();
        // Its flow may not respond to drops, and is protected against.
        //= rfc9332 §2.5.1.1, Not-ECT
        if ecn == Ecn::NotEct && self.protected {
            return Some(unit);
        }
        if let Some(drop) = self.l4s_drop(self.base)
            && self.l4s.recur(drop)
        {
            book.drop(unit, Cause::Early);
            return None;
        }
        let likelihood = own.max(self.coupled(self.base));
        // The sender's response to a mark or a drop is the classic one.
        //= rfc9332 §2.5.1.1, ECT(0)
        //= rfc9332 §2.5.1.1, Not-ECT without protection
        let chosen = if matches!(ecn, Ecn::NotEct | Ecn::Ect0) {
            let root = likelihood / self.params.coupling.0;
            self.classic.recur((root * root).min(1.0))
        } else {
            self.l4s.recur(likelihood)
        };
        if chosen && !book.mark(&mut unit) {
            book.drop(unit, Cause::Early);
            return None;
        }
        Some(unit)
    }

    /// What Linux does with a packet of the L queue.
    //= linux-dualpi2
    fn signal_as_linux(
        &mut self,
        now: Instant,
        Entry {
            mut unit,
            came,
            crowded,
        }: Entry<U>,
        book: &mut impl Ledger<U>,
    ) -> Option<U> {
        let (coupled, drop) = (self.coupled(self.base), self.l4s_drop(self.base));
        let waited = now - came;
        let own = if crowded && waited > self.params.step {
            self.laqm(waited)
        } else {
            0.0
        };
        let random = self.random.as_mut()?;
        let mut marks = false;
        if self.bytes >= SPARED {
            if drop.is_some_and(|drop| random.happens(drop)) {
                book.drop(unit, Cause::Early);
                return None;
            }
            marks = random.happens(coupled);
        }
        if marks || random.happens(own) {
            book.mark(&mut unit);
        }
        Some(unit)
    }

    /// The same of the C queue.
    //= rfc9332 §A.2, Figure 7
    fn pull_classic(&mut self, book: &mut impl Ledger<U>) -> Option<U> {
        let mut unit = self.classic.units.pop_front()?.unit;
        self.bytes -= u64::from(unit.bytes());
        // Queue protection has moved it here. Its sender responds to marks as one whose packets are in the L queue.
        //= rfc9332 §2.5.1.1, ECT(1)
        if self.random.is_none() && unit.ecn() == Ecn::Ect1 {
            return self.signal(unit, 0.0, book);
        }
        let (p, drops) = self.classic(self.base);
        let chosen = match &mut self.random {
            Some(random) => self.bytes >= SPARED && random.happens(p),
            None => self.classic.recur(p),
        };
        if chosen && (drops || !book.mark(&mut unit)) {
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
        //= rfc9332 §2.5.1, work-conserving
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
            //= rfc9332 §2.5.1, priority
            //= rfc9332 §2.5.2.1, priority
            if both {
                let (bytes, share) = (f64::from(unit.bytes()), self.weight);
                self.credit += bytes * if classic { share - 1.0 } else { share };
            }
            return Some(unit);
        }
        self.credit = self.initial_credit;
        None
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.waiting()
    }

    // What a run tells of drops, marks and delays is that of the link and of each flow.
    //= rfc9332 §2.5.2.2 type=departure
    //= rfc9332 §2.5.2.3 type=departure
    fn gauges(&self, tell: &mut Tell) {
        tell(Gauge::probability("base_probability"), self.base);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        let marked = |base: f64| (1.0 - self.l4s_drop(base).unwrap_or(0.0)) * self.coupled(base);
        let classic = move |drops: bool| {
            move |base: f64| match self.classic(base) {
                (p, found) if found == drops => p,
                _ => 0.0,
            }
        };
        let coupled = DropLaw {
            says: "Probability that an ECN-capable packet is marked or dropped, over the base probability p'. In the C queue, packets that are \
                   not ECN-capable are dropped instead of marked.",
            over: Gauge::new("p'", ""),
            range: (0.0, 1.0),
            parameters: Vec::from([("1 / coupling", 1.0 / self.params.coupling.0)]),
            curves: Vec::from([
                Curve::probability("L queue, marked", marked),
                Curve::probability("L queue, dropped", |base| {
                    self.l4s_drop(base).unwrap_or(0.0)
                }),
                Curve::probability("C queue, marked", classic(false)),
                Curve::probability("C queue, dropped", classic(true)),
            ]),
        };
        let (step, range) = (self.params.step, self.params.range);
        let [from, to] = [step, step + range].map(|it| it.seconds() * 1e3);
        let mut parameters = Vec::from([("step", from)]);
        if range > Duration::ZERO {
            parameters.push(("step + range", to));
        }
        let own = DropLaw {
            says: "Probability that a packet of the L queue is marked because of its own sojourn time, over that time.",
            over: Gauge::new("sojourn time", "ms"),
            range: (0.0, 2.0 * to),
            parameters,
            curves: Vec::from([Curve::probability("L queue, marked", |sojourn| {
                self.laqm(of_ms(sojourn))
            })]),
        };
        Vec::from([coupled, own])
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
    //= rfc9332 §2.5.1, priority type=test
    //= rfc9332 §2.5.2.1, priority type=test
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
    //= rfc9332 §2.5.1, two queues type=test
    //= rfc9332 §2.5.1, marks type=test
    //= rfc9332 §2.5.1, equation (1) type=test
    //= rfc9332 §2.5.1, k type=test
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
    //= rfc9332 §2.5.1.1, overload type=test
    //= rfc9332 §2.5.1.1, ECT(0) type=test
    //= rfc9332 §2.5.1.1, ECT(1) type=test
    //= rfc9332 §2.5.1.1, Not-ECT type=test
    //= rfc9332 §2.5.1.1, Not-ECT without protection type=test
    fn packets_in_the_other_queue_have_signals_for_their_response() {
        // Of 10,000 packets, those that are marked and those that are dropped. No delay exceeds the step.
        let counts = |base, l4s, ecn, protected| {
            let mut queue = queue(&[("alpha", "0"), ("beta", "0")]);
            (queue.base, queue.protected) = (base, protected);
            let mut book = Fates::default();
            for turn in 0..10_000 {
                queue.offer_to(l4s, Instant::ZERO, packet(turn, ecn), &mut book);
                queue.pull(Instant::ZERO, &mut book);
            }
            ["marked", "early"].map(|it| book.count(|fate| fate == it))
        };
        let near = |found: [u64; 2], want: [u64; 2]| {
            let equal = found.iter().zip(want).all(|(a, b)| a.abs_diff(b) <= 1);
            assert!(equal, "found {found:?}, want {want:?}");
        };
        // ECT(1) in the C queue: p_CL = 2 x 0.2, and in overload p_C = 0.8^2, with a mark on all others.
        near(counts(0.2, false, Ecn::Ect1, true), [4000, 0]);
        near(counts(0.8, false, Ecn::Ect1, true), [3600, 6400]);
        // ECT(0) in the L queue: p_C = (0.4 / 2)^2; in overload (1 / 2)^2 of what is not dropped.
        near(counts(0.2, true, Ecn::Ect0, true), [400, 0]);
        near(counts(0.8, true, Ecn::Ect0, true), [900, 6400]);
        // Without ECN: untouched, or if nothing else protects the queue dropped as classic packets.
        near(counts(0.2, true, Ecn::NotEct, true), [0, 0]);
        near(counts(0.8, true, Ecn::NotEct, true), [0, 0]);
        near(counts(0.2, true, Ecn::NotEct, false), [0, 400]);
        near(counts(0.8, true, Ecn::NotEct, false), [0, 7300]);
    }

    #[test]
    //= linux-dualpi2 type=test
    fn linux_chooses_packets_at_random() {
        let counts = |signals| {
            let mut queue = queue(&[("alpha", "0"), ("beta", "0"), ("signals", signals)]);
            queue.base = 0.2;
            let mut book = Fates::default();
            let mut numbers = Vec::new();
            // Four packets always wait.
            for turn in 0..10_004 {
                queue.offer(Instant::ZERO, packet(turn, Ecn::Ect1), &mut book);
                if turn >= 4 {
                    let before = book.0.len();
                    queue.pull(Instant::ZERO, &mut book);
                    numbers.push(book.0.len() > before);
                }
            }
            let pairs = numbers.windows(2).filter(|it| it[0] && it[1]).count();
            (numbers.iter().filter(|it| **it).count(), pairs)
        };
        let (marked, pairs) = counts("rfc9332");
        assert!(marked.abs_diff(4000) <= 1 && pairs == 0, "{marked} {pairs}");
        // 2 x 0.2 of all, and 0.4^2 of all pairs: five standard deviations, of 49 and 46, are allowed.
        let (marked, pairs) = counts("linux");
        assert!(
            marked.abs_diff(4000) < 245 && pairs.abs_diff(1600) < 230,
            "{marked} {pairs}"
        );
    }

    #[test]
    //= linux-dualpi2 type=test
    fn linux_has_defaults_of_its_own() {
        let of = |texts: &[(&str, &str)]| {
            let queue = queue(texts);
            (queue.th_len, queue.weight, queue.initial_credit)
        };
        assert_eq!(of(&[]), (1, 0.0625, 0.0));
        assert_eq!(
            of(&[("signals", "linux")]),
            (0, 0.1, 1500.0 * (2.0 * 0.1 - 1.0))
        );
        let both = [
            ("signals", "linux"),
            ("th_len", "2 packets"),
            ("classic", "0.5"),
        ];
        assert_eq!(of(&both), (2, 0.5, 0.0));
    }

    #[test]
    //= linux-dualpi2 type=test
    fn linux_spares_the_last_frames_but_for_the_step() {
        let fates = |base, bytes: [u32; 4], ecn, age| {
            let mut queue = queue(&[
                ("alpha", "0"),
                ("beta", "0"),
                ("signals", "linux"),
                ("th_len", "0 packets"),
            ]);
            queue.base = base;
            let mut book = Fates::default();
            for (number, bytes) in bytes.into_iter().enumerate() {
                let unit = Named {
                    ecn,
                    ..Named::packet(format!("a{number}"), bytes)
                };
                queue.offer(Instant::ZERO, unit, &mut book);
            }
            while queue.pull(Instant(age), &mut book).is_some() {}
            book.0.into_iter().map(|it| it.1).collect::<Vec<_>>()
        };
        // Behind the first wait 3000 B, behind the second 1500 B.
        let long = [1000, 1500, 1499, 1];
        assert_eq!(fates(1.0, long, Ecn::Ect1, MS / 2), ["early"]);
        assert_eq!(fates(1.0, long, Ecn::Ect0, MS / 2), ["early"]);
        let short = [1000, 1500, 1498, 1];
        assert!(fates(1.0, short, Ecn::Ect1, MS / 2).is_empty());
        assert!(fates(1.0, short, Ecn::Ect0, MS / 2).is_empty());
        // Beyond the step of 1 ms all are marked, the last ones, too.
        assert_eq!(fates(0.0, long, Ecn::Ect1, 2 * MS), ["marked"; 4]);
    }

    #[test]
    //= linux-dualpi2 type=test
    fn linux_counts_the_packets_of_the_step_as_one_arrives() {
        let marked = |signals| {
            let mut queue = queue(&[("th_len", "2 packets"), ("signals", signals)]);
            let mut book = Fates::default();
            for number in 0..5 {
                queue.offer(Instant::ZERO, packet(number, Ecn::Ect1), &mut book);
            }
            while queue.pull(Instant(2 * MS), &mut book).is_some() {}
            book.0.into_iter().map(|it| it.0).collect::<Vec<_>>()
        };
        // The first two found less than two packets there.
        assert_eq!(marked("linux"), ["a2", "a3", "a4"]);
        // With the last two, less than three packets are left; and a first sum of 1 does not exceed 1.
        assert_eq!(marked("rfc9332"), ["a1", "a2"]);
    }

    #[test]
    //= linux-dualpi2 type=test
    fn linux_serves_the_l_queue_first_after_both_were_empty() {
        let first = |texts: &[(&str, &str)]| {
            let off = [
                ("alpha", "0"),
                ("beta", "0"),
                ("classic", "0.125"),
                ("step", "1 s"),
            ];
            let mut queue = queue(&[texts, &off].concat());
            let mut book = Fates::default();
            for number in 0..40 {
                let ecn = [Ecn::NotEct, Ecn::Ect1][number % 2];
                let unit = Named {
                    ecn,
                    ..Named::packet(format!("a{number}"), 1500)
                };
                queue.offer(Instant::ZERO, unit, &mut book);
            }
            (0..20)
                .take_while(|_| {
                    queue.pull(Instant::ZERO, &mut book).expect("some wait").ecn == Ecn::Ect1
                })
                .count()
        };
        // A credit of -3/4 packets, to which each L4S packet adds an eighth; the classic queue is served if it is above 0.
        assert_eq!(first(&[("signals", "linux")]), 7);
        assert_eq!(first(&[]), 1);
    }

    #[test]
    //= rfc9332 §A.2 type=test
    //= rfc9332 §2.5.2.1, defaults type=test
    //= rfc9332 §2.5.2.1, time type=test
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

    #[test]
    fn the_drawn_law_is_that_of_departures() {
        for signals in ["rfc9332", "linux"] {
            // At 100 % all packets are dropped at once, except for those that Linux spares.
            for percent in (0..=90).step_by(10) {
                let mut queue = queue(&[("alpha", "0"), ("beta", "0"), ("signals", signals)]);
                queue.base = f64::from(percent) / 100.0;
                for (ecn, of) in [(Ecn::Ect1, "L"), (Ecn::Ect0, "C"), (Ecn::NotEct, "")] {
                    let mut book = Fates::default();
                    // 200 packets always wait, and no delay exceeds the step.
                    for number in 0..200 {
                        queue.offer(Instant::ZERO, packet(number, ecn), &mut book);
                    }
                    let mut sent = 0;
                    while sent + book.count(|fate| fate == "early") < 5_000 {
                        queue.offer(Instant::ZERO, packet(4, ecn), &mut book);
                        sent += u64::from(queue.pull(Instant::ZERO, &mut book).is_some());
                        while queue.backlog() < 200 {
                            queue.offer(Instant::ZERO, packet(4, ecn), &mut book);
                        }
                    }
                    let decided = (sent + book.count(|fate| fate == "early")) as u32;
                    let laws = queue.drop_laws();
                    let drawn = |name: &str| value(&laws[0], name, queue.base);
                    let [marked, dropped] = match of {
                        // Those that cannot be marked are dropped.
                        "" => [0.0, drawn("C queue, marked") + drawn("C queue, dropped")],
                        of => ["marked", "dropped"].map(|it| drawn(&format!("{of} queue, {it}"))),
                    };
                    let counts = ["marked", "early"].map(|it| book.count(|fate| fate == it) as u32);
                    assert!(
                        agrees(counts[0], decided, marked) && agrees(counts[1], decided, dropped),
                        "{signals} {percent} {of}: {counts:?} {marked} {dropped}"
                    );
                    drop(laws);
                    while queue.pull(Instant::ZERO, &mut book).is_some() {}
                }
            }
        }
    }

    #[test]
    fn the_drawn_ramp_is_that_of_sojourn_times() {
        for range in ["0 s", "400 us"] {
            for tenths in 0..30u64 {
                let mut queue = queue(&[
                    ("alpha", "0"),
                    ("beta", "0"),
                    ("range", range),
                    ("th_len", "0 packets"),
                ]);
                let mut book = Fates::default();
                for number in 0..1000 {
                    queue.offer(Instant::ZERO, packet(number, Ecn::Ect1), &mut book);
                    queue.pull(Instant(tenths * MS / 10), &mut book);
                }
                let drawn = value(
                    &queue.drop_laws()[1],
                    "L queue, marked",
                    tenths as f64 / 10.0,
                );
                assert!(agrees(book.0.len() as u32, 1000, drawn), "{range} {tenths}");
            }
        }
    }
}
