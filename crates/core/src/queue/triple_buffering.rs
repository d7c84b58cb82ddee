//! Triple buffering: after a packet of a flow is dropped, admits the next three of that flow that would be dropped.
//!
//! The receiver then gets three packets of that flow soon after the gap, and their duplicate acks tell the sender of the loss. After
//! them, candidates are dropped for an invocation interval without starting this again.
//!
//! A packet can be admitted only if there is room, and a full buffer has none. So discarding begins before the buffer is full in the
//! paper's simulator; the paper does not say how full: `trigger`. Nor does it say whether, beyond that depth, all arrivals but the three
//! are to be dropped, or only the packet that begins an episode: `early`. Without room a packet that was to be admitted is dropped, and
//! is not one of the three.
//= viswanathan-kamal §III.3, Fig. 2
//= viswanathan-kamal §III.3, Fig. 2 type=departure

use super::drop_law::DropLaw;
use super::episodes::{Candidate, Episodes, declare_with_episodes};
use super::inner::AnyInner;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::Tell;
use crate::ledger::{Cause, Ledger};
use crate::measure::Share;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

crate::choice! {
    /// Treatment of a packet that arrives beyond the trigger.
    pub enum Early {
        /// Drops the packet.
        Drop = "drop",
        /// Drops the packet if its flow has no episode yet; otherwise admits it while there is room, the first three as the packets that
        /// the episode spares.
        Start = "start",
    }
}

declare_with_episodes! {
    /// Admits the next three packets of a flow that would be dropped, after it has dropped one of that flow.
    pub struct TripleBufferingParams as "triple-buffering" from "viswanathan-kamal §III.3" {
        /// Share of the buffer from which on packets are to be dropped early, which leaves room for those that are admitted: without it
        /// drop-tail leaves no room, and none are admitted.
        trigger: Option<Share> = unset "never", try ["0.6"];
        /// Packets that are to be dropped early: all that arrive, or those that begin an episode.
        early: crate::queue::triple_buffering::Early = "drop";
    }
    // An inner discipline that drops although there is room.
    show inner "{ kind = \"red\", buffer = \"8 packets\", min_th = \"2 packets\", max_th = \"5 packets\", weight = 0.3, max_p = 0.2 }"
    // With a trigger of 0, only packets that an episode spares would ever join.
    refuse |it| it.trigger.filter(|share| share.0 == 0.0).map(|_| ("trigger", "0", "more than 0"))
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// A FIFO that accepts some of the packets that are to be dropped.
#[derive(Debug)]
pub struct TripleBuffering<U> {
    ring: VecDeque<U>,
    // Boxed, as is the next field: every `Queue` has the size of the largest discipline, and few are of this kind.
    inner: Box<AnyInner>,
    episodes: Box<Episodes>,
    /// \[units\]
    trigger: f64,
    early: Early,
}

impl<U> Make<TripleBufferingParams> for TripleBuffering<U> {
    fn make(params: &TripleBufferingParams, line: Line) -> Self {
        let inner = AnyInner::make(&params.inner, line);
        let trigger = params.trigger.map(|share| share.of(inner.room()));
        Self {
            ring: VecDeque::new(),
            inner: Box::new(inner),
            episodes: Box::new(params.episodes(params.duplicates)),
            trigger: trigger.unwrap_or(f64::INFINITY),
            early: params.early,
        }
    }
}

impl<U: Unit> TripleBuffering<U> {
    fn join(&mut self, now: Instant, unit: U) {
        self.inner.on_joined(now, unit.bytes());
        self.ring.push_back(unit);
    }
}

impl<U: Unit> Discipline<U> for TripleBuffering<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let (flow, backlog) = (unit.hosts(), self.ring.len() as u64);
        self.episodes.on_packet(now, flow);
        let refused = self.inner.refuse(now, unit.bytes(), backlog);
        let beyond = backlog as f64 >= self.trigger;
        let early = beyond && (self.early == Early::Drop || !self.episodes.within(now, flow));
        let Some(why) = refused.or(early.then_some(Cause::Early)) else {
            if beyond {
                // Without its episode the packet would have been dropped: it is one of the three that are let in.
                self.episodes.let_in(now, flow);
            }
            return self.join(now, unit);
        };
        let spared = self.episodes.candidate(now, flow) == Candidate::Spared;
        if spared && backlog < self.inner.room() {
            self.episodes.let_in(now, flow);
            return self.join(now, unit);
        }
        book.drop(unit, why);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let Some(unit) = self.ring.pop_front() else {
            self.inner.on_empty(now);
            return None;
        };
        self.inner.on_pulled(now, unit.bytes());
        Some(unit)
    }

    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn gauges(&self, tell: &mut Tell) {
        self.inner.gauges(tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.inner.drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::script::{Named, check, line, wrapping};

    /// Before a buffer of four packets.
    fn queue(texts: &[(&str, &str)]) -> TripleBuffering<Named> {
        let params: TripleBufferingParams =
            wrapping(("drop-tail", &[("buffer", "4 packets")]), texts);
        TripleBuffering::make(&params, line())
    }

    #[test]
    //= viswanathan-kamal §III.3, Fig. 2 type=test
    fn an_episode_lets_three_in_and_then_drops_an_interval_and_one_that_clears_it() {
        check(
            queue(&[
                ("trigger", "0.5"),
                ("interval", "2 packets"),
                ("duplicates", "2"),
            ]),
            "a1 9 => kept
             a2 9 => kept
             a3 9 => early       # two wait: begins an episode
             a4 9 => kept        # the first that is let in
             b1 9 => early       # another flow has an episode of its own
             a5 9 => kept        # the second
             a6 9 => overflow    # the interval: two
             pull => a1
             a7 9 => early
             a8 9 => early       # clears the entry
             b2 9 => kept
             b3 9 => overflow    # there is no room: not let in,
             pull => a2
             b4 9 => kept        # and so not the second of b
             pull => a4
             pull => a5
             pull => b2
             a9 9 => kept        # one waits: no candidate
             a10 9 => early      # begins the next episode
             a11 9 => kept
             pull => b4",
        );
    }

    #[test]
    //= viswanathan-kamal §III.3 type=test
    fn an_interval_may_count_all_packets_of_the_flow() {
        check(
            queue(&[
                ("trigger", "0.5"),
                ("interval", "2 packets"),
                ("duplicates", "1"),
                ("interval_counts", "packets"),
            ]),
            "a1 9 => kept
             a2 9 => kept
             a3 9 => early      # begins
             a4 9 => kept       # let in
             pull => a1
             pull => a2
             a5 9 => kept       # no candidate, but the first of the interval
             a6 9 => early      # the second
             a7 9 => early      # the next one clears the entry, and so begins an episode
             a8 9 => kept",
        );
    }

    #[test]
    fn beyond_the_trigger_only_what_begins_an_episode_may_be_dropped() {
        check(
            queue(&[("trigger", "0.5"), ("early", "start")]),
            "a1 9 => kept
             a2 9 => kept
             a3 9 => early      # begins
             a4 9 => kept       # has an episode, and there is room
             b1 9 => early      # begins
             b2 9 => kept
             a5 9 => overflow   # one to be let in, but the buffer is full
             pull => a1
             a6 9 => kept",
        );
    }

    #[test]
    fn what_is_let_in_beyond_the_trigger_uses_up_the_episode() {
        let own = |counts| {
            queue(&[
                ("trigger", "0.25"),
                ("early", "start"),
                ("duplicates", "2"),
                ("interval", "1 packet"),
                ("interval_counts", counts),
            ])
        };
        check(
            own("packets"),
            "a1 9 => kept
             a2 9 => early      # begins
             a3 9 => kept       # the first that is let in
             a4 9 => kept       # the second
             pull => a1
             a5 9 => kept       # the interval: one packet
             pull => a3
             a6 9 => early      # begins the next
             a7 9 => kept",
        );
        check(
            own("candidates"),
            "a1 9 => kept
             a2 9 => early      # begins
             a3 9 => kept       # the first that is let in
             a4 9 => kept       # the second
             a5 9 => kept       # there is room
             a6 9 => overflow   # the interval: one candidate
             a7 9 => overflow   # clears the entry
             pull => a1
             a8 9 => early      # begins the next",
        );
    }

    #[test]
    fn without_a_trigger_there_is_no_room_for_those_to_be_let_in() {
        check(
            queue(&[]),
            "a1 9 => kept
             a2 9 => kept
             a3 9 => kept
             a4 9 => kept
             a5 9 => overflow
             a6 9 => overflow
             pull => a1
             a7 9 => kept",
        );
    }

    #[test]
    fn flows_beyond_the_table_are_dropped_as_if_there_was_no_scheme() {
        check(
            queue(&[("trigger", "0.25"), ("table", "1")]),
            "a1 9 => kept
             a2 9 => early
             b1 9 => early
             b2 9 => early      # b found the table full
             a3 9 => kept",
        );
        check(
            queue(&[("trigger", "0.25"), ("table", "1"), ("when_full", "oldest")]),
            "a1 9 => kept
             a2 9 => early
             b1 9 => early      # takes the place of a
             b2 9 => kept
             a3 9 => early      # begins again, in the place of b
             a4 9 => kept",
        );
    }

    #[test]
    fn what_red_drops_is_let_in_while_there_is_room() {
        let red = [
            ("buffer", "4 packets"),
            ("min_th", "0 packets"),
            ("max_th", "1 packet"),
            ("weight", "1"),
        ];
        let params: TripleBufferingParams = wrapping(("red", &red), &[]);
        check(
            TripleBuffering::<Named>::make(&params, line()),
            "a1 9 => kept
             a2 9 => early      # one waits: above both thresholds
             a3 9 => kept
             a4 9 => kept
             a5 9 => kept
             a6 9 => overflow
             pull => a1
             a7 9 => early      # three have been let in",
        );
    }
}
