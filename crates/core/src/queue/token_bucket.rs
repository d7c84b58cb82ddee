//! Token bucket: sends at most at a rate, and after a pause a burst at once; packets wait for their tokens.
//!
//! Tokens come one at a time at `rate`, up to `burst`. The packet that an inner discipline sends next waits until there are as many as it has
//! bytes, and takes them. So between any two times no more than `burst` bytes and what the rate allows are sent, and after a pause
//! exactly that. A packet that is longer than `burst` would wait forever, and is dropped as it arrives.
//!
//! `drop-tail`, `red` and `choke` keep the packet that waits for its tokens, and count it. They are asked for a packet only when one waits and
//! may be sent, so they do not learn that the line is idle, and RED's average does not fall meanwhile. From other disciplines the packet is
//! taken before there are tokens for it: one that decides at departure (CoDel) decides up to one packet's time early. Linux does the same,
//! but the inner qdisc counts the packet that was taken.
//= linux-tbf

use super::drop_law::DropLaw;
use super::nested::{Shaped, or_drop_tail};
use super::tokens::Bucket;
use super::{About, Discipline, Grain, Line, Make, Queue};
use crate::gauge::{TOKENS, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Rate, Room};
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Holds packets back so that no more than a burst and what a rate allows is sent in any time.
    pub struct TokenBucketParams as "token-bucket" from "linux-tbf" {
        /// Capacity of the buffer, without the packet being transmitted.
        buffer: Room;
        /// Rate of the tokens.
        rate: Rate, show "4 Mb/s";
        /// Size of the bucket: bytes that may be sent at once after a pause.
        burst: Bytes = "15000 B", try ["3000 B"], show "4000 B";
        /// Discipline that chooses the packets. If it is a scheduler, each class or flow can have a discipline of its own.
        inner: Option<Shaped> = unset "drop-tail";
    }
    check |it| {
        if it.burst.0 == 0 { return Err(crate::declare::Fault { name: "burst", found: "0 B".into(), allowed: "at least 1 B".into() }); }
        it.inner.as_ref().map_or(Ok(()), Shaped::check)
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A queue whose packets wait for tokens.
#[derive(Debug)]
pub struct TokenBucket<U> {
    queue: Box<Queue<U>>,
    /// The packet that is sent next, if the inner discipline does not keep it.
    next: Option<U>,
    bucket: Bucket,
    room: u64,
}

impl<U: Unit> Make<TokenBucketParams> for TokenBucket<U> {
    fn make(params: &TokenBucketParams, line: Line) -> Self {
        let inner = or_drop_tail(params.inner.as_ref().map(|it| &it.0), params.buffer);
        // What the tokens allow is the line that the inner discipline sees.
        let rate = line.rate.min(params.rate);
        let line = Line { rate, ..line };
        Self {
            queue: inner.queue(&line, 0),
            next: None,
            bucket: Bucket::new(params.rate, params.burst.0),
            room: params.buffer.count(),
        }
    }
}

impl<U: Unit> TokenBucket<U> {
    /// The packet that waits for its tokens.
    fn head(&self) -> Option<&U> {
        match self.queue.shows_first() {
            true => self.queue.first(),
            false => self.next.as_ref(),
        }
    }
}

impl<U: Unit> Discipline<U> for TokenBucket<U> {
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        if Discipline::<U>::backlog(self) >= self.room
            || u64::from(unit.bytes()) > self.bucket.size()
        {
            return book.drop(unit, Cause::Overflow);
        }
        self.queue.offer(now, unit, book);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.bucket.fill(now);
        let keeps = self.queue.shows_first();
        if !keeps && self.next.is_none() {
            self.next = self.queue.pull(now, book);
        }
        let bytes = u64::from(self.head()?.bytes());
        if !self.bucket.has(bytes) {
            return None;
        }
        self.bucket.take(bytes);
        if keeps {
            self.queue.pull(now, book)
        } else {
            self.next.take()
        }
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.queue.backlog() + u64::from(self.next.is_some())
    }

    #[inline]
    fn holds_back(&self) -> bool {
        true
    }

    fn ready_at(&self, _: Instant) -> Option<Instant> {
        let first = self.head()?;
        Some(self.bucket.time_of(u64::from(first.bytes())))
    }

    fn gauges(&self, tell: &mut Tell) {
        tell(TOKENS, self.bucket.tokens() as f64);
        self.queue.gauges(tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.queue.drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::QueueParams;
    use crate::queue::cake::CakeParams;
    use crate::queue::choke::ChokeParams;
    use crate::queue::codel::CodelParams;
    use crate::queue::drop_tail::DropTailParams;
    use crate::queue::fred::FredParams;
    use crate::queue::laws::Fates;
    use crate::queue::nested::Nested;
    use crate::queue::red::RedParams;
    use crate::queue::strict_priority::StrictPriorityParams;
    use crate::queue::tests::script::{Named, check, line};
    use crate::time::SECOND;
    use std::format;
    use std::vec::Vec;

    fn queue(texts: &[(&str, &str)]) -> TokenBucket<Named> {
        let all = [texts, &[("buffer", "1000 packets"), ("rate", "8 kb/s")]].concat();
        TokenBucket::make(&TokenBucketParams::from_texts(&all), line())
    }

    #[test]
    //= linux-tbf type=test
    fn packets_wait_for_their_tokens() {
        check(
            queue(&[("burst", "1500 B")]),
            "a1 1000 => kept
             a2 700 => kept
             a3 1501 => overflow          # it would never be sent
             pull => a1
             pull => nothing              # 500 are left
             @199.999ms pull => nothing
             @200ms pull => a2
             a4 1500 => kept
             @1699ms pull => nothing
             @1.7s pull => a4
             a5 100 => kept
             @9s pull => a5               # 1500 at most: 1400 are left
             a6 1400 => kept
             pull => a6
             a7 1 => kept
             pull => nothing",
        );
    }

    #[test]
    //= linux-tbf type=test
    fn no_more_than_the_burst_and_the_rate_is_sent_and_no_less_while_packets_wait() {
        // All of the packets wait; each is sent as soon as it may. The nth byte is sent when burst + rate x t reaches n, exactly.
        let mut queue = queue(&[("burst", "2000 B"), ("rate", "1234567 b/s")]);
        let mut book = Fates::default();
        let sizes: Vec<u32> = (0..900).map(|n| 40 + n * 7919 % 1461).collect();
        for (n, bytes) in sizes.iter().enumerate() {
            queue.offer(
                Instant::ZERO,
                Named::packet(format!("a{n}"), *bytes),
                &mut book,
            );
        }
        let (mut now, mut sent) = (Instant::ZERO, 0u64);
        while queue.backlog() > 0 {
            match queue.pull(now, &mut book) {
                Some(unit) => {
                    sent += u64::from(unit.bytes);
                    let needs = u128::from(sent.saturating_sub(2000)) * 8 * u128::from(SECOND);
                    let due = needs.div_ceil(1_234_567);
                    assert_eq!(u128::from(now.0), due, "byte {sent}");
                }
                None => {
                    let at = Discipline::<Named>::ready_at(&queue, now).expect("a time");
                    assert!(at > now);
                    now = at;
                }
            }
        }
        assert!(book.0.is_empty());
    }

    /// Behind a bucket of this size that is full.
    fn behind(inner: QueueParams, burst: &str) -> TokenBucket<Named> {
        let texts = [
            ("buffer", "1000 packets"),
            ("rate", "8 kb/s"),
            ("burst", burst),
        ];
        let params = TokenBucketParams {
            inner: Some(Shaped(Nested::of(inner))),
            ..TokenBucketParams::from_texts(&texts)
        };
        TokenBucket::make(&params, line())
    }

    #[test]
    //= linux-tbf type=test
    fn classes_inside_share_the_tokens_and_have_a_discipline_each() {
        let codel = [("target", "1 s"), ("interval", "5 s"), ("ecn", "false")];
        let classes = StrictPriorityParams {
            inner: Some(Nested::of(QueueParams::Codel(CodelParams::from_texts(
                &codel,
            )))),
            ..StrictPriorityParams::from_texts(&[("buffer", "1000 packets")])
        };
        check(
            behind(QueueParams::StrictPriority(classes), "1500 B"),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => kept
             a4 1500 => kept
             a5 1500 => kept
             a6 1500 => kept
             a7 1500 => kept
             a8 1500 => kept
             pull => a1
             pull => nothing              # a2 is taken, and waits for its tokens
             @1.5s pull => a2
             pull => nothing              # a3 is the first above the target, at 1.5 s
             @3s pull => a3
             b1 1500 => kept              # voice
             pull => nothing              # b1 is taken
             @4.5s pull => b1
             pull => nothing
             @6s pull => a4
             pull => nothing              # a5 is taken: 4.5 s after a3
             @7.5s pull => a5
             pull => nothing, early a6    # 5 s after a3
             @9s pull => a7",
        );
    }

    const AVERAGES: &[(&str, &str)] = &[
        ("buffer", "10 packets"),
        ("min_th", "1 packets"),
        ("max_th", "2 packets"),
        ("max_p", "0.0001"),
        ("weight", "0.1"),
    ];

    #[test]
    //= linux-tbf type=test
    fn red_does_not_learn_that_the_line_is_idle() {
        check(
            behind(QueueParams::Red(RedParams::from_texts(AVERAGES)), "15000 B"),
            "a1 500 => kept
             a2 500 => kept
             a3 500 => kept
             a4 500 => kept
             a5 500 => kept
             a6 500 => kept
             a7 500 => kept               # the average is 1.78
             a8 500 => early              # 2.30
             a9 500 => early              # 2.77
             pull => a1
             pull => a2
             pull => a3
             pull => a4
             pull => a5
             pull => a6
             pull => a7
             pull => nothing
             @60s a10 500 => early        # 2.50: an arrival at an empty queue, and no more
             a11 500 => early             # 2.25
             a12 500 => early             # 2.02
             a13 500 => kept",
        );
    }

    #[test]
    // The average of an idle FRED falls with each packet that could be sent: at the rate of the tokens, not of the line behind them.
    fn the_inner_discipline_sees_a_line_of_the_rate_of_the_tokens() {
        let texts = [AVERAGES, &[("many_flows", "false")]].concat();
        check(
            behind(QueueParams::Fred(FredParams::from_texts(&texts)), "15000 B"),
            "a1 500 => kept
             b1 500 => kept
             c1 500 => kept
             d1 500 => kept
             e1 500 => kept
             f1 500 => kept
             g1 500 => kept               # the average is 1.78
             h1 500 => early              # 2.30
             i1 500 => early              # 2.77
             j1 500 => early              # 3.20
             pull => a1
             pull => b1
             pull => c1
             pull => d1
             pull => e1
             pull => f1
             pull => g1                   # 2.81, as it is measured at departures, too
             pull => nothing
             @3s k1 500 => early          # two packets of 1500 B later: 2.27
             @9s l1 500 => kept",
        );
    }

    #[test]
    //= linux-tbf type=test
    fn a_fifo_keeps_and_counts_the_packet_that_waits_for_its_tokens() {
        let inner = |room| QueueParams::DropTail(DropTailParams::from_texts(&[("buffer", room)]));
        check(
            behind(inner("2 packets"), "1500 B"),
            "a1 1500 => kept
             pull => a1
             a2 1500 => kept
             pull => nothing
             a3 1500 => kept
             a4 1500 => overflow
             @1.5s pull => a2
             a5 1500 => kept
             pull => nothing",
        );
    }

    #[test]
    //= linux-tbf type=test
    fn choke_may_drop_the_packet_that_waits_for_its_tokens() {
        let texts = [
            ("buffer", "10 packets"),
            ("min_th", "0 packets"),
            ("max_th", "9 packets"),
            ("max_p", "0.0001"),
            ("weight", "1"),
        ];
        check(
            behind(
                QueueParams::Choke(ChokeParams::from_texts(&texts)),
                "1500 B",
            ),
            "a1 1500 => kept
             pull => a1
             a2 1500 => kept
             pull => nothing
             a3 1500 => early, early a2
             b1 100 => kept
             @100ms pull => b1",
        );
    }

    #[test]
    fn it_sends_what_cake_chooses() {
        check(
            behind(QueueParams::Cake(CakeParams::from_texts(&[])), "1500 B"),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => kept
             b1 1500 => kept
             pull => a1
             pull => nothing
             @1.5s pull => b1
             @3s pull => a2",
        );
    }
}
