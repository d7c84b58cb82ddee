//! Repair by selective acks: a scoreboard says which segments are missing, and `pipe` says when one may be sent.
//!
//! Three ways of counting `pipe`:
//! - `fall-floyd` (1996, and §6.1 of Cohen & Hamo): starts at what is outstanding less the three duplicates; one more per segment
//!   sent, one less per ack that reports something new, two less per partial ack; any hole below the highest
//!   selective ack counts as missing. Step for step:
//!   send una; pipe <- flight - 3; then, while pipe < cwnd, the lowest hole not yet sent again, else a new segment.
//! - `rfc6675`: SetPipe() and IsLost() over the scoreboard at every ack, NextSeg()'s four rules.
//! - `sack1`: as `fall-floyd`, with the habits of ns-2's agent Sack1. A duplicate counts only if it reports something new, but every ack
//!   of a recovery takes one from `pipe`. The ack that begins a recovery sends una alone. The scoreboard is of one recovery: an ack of
//!   new data outside it clears it, and after a timeout everything is retransmitted in sequence, whatever is reported. A timeout, and a
//!   recovery that ended with one, is over when more than was outstanding is acknowledged.
//! - `sack1-partial`: as `sack1`, with its `partial_ack_`: a partial ack sends two segments whatever `pipe` says.
//!
//! With `reduction = "prr"`, the window of a recovery is that of proportional rate reduction, whatever the rule for `pipe`: what is in
//! flight then is counted from the scoreboard, and the rule says only which segments are missing.
//!
//! A timeout forgets the scoreboard: the receiver may have discarded what it reported (RFC 2018 §5).
//= cohen-hamo-2001 §6.1
//= fall-floyd-1996 §5
//= rfc6675 §5
//= rfc5681 §4.3, advanced
//= rfc2018 §5.1, congestion
//= ns-2

mod partial;
mod reduction;
mod undo;

use self::partial::Partials;
use super::prr::{Prr, Reduction};
use super::spurious::{News, Spurious};
use super::{About, Advance, Counts, DUPLICATES, Habits, Make, Reading, Repair, Span, window_end};
use crate::transport::{Ack, Common};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

crate::choice! {
    /// Rule by which the segments in flight, `pipe`, are counted.
    pub enum Pipe {
        /// Fall & Floyd 1996.
        FallFloyd = "fall-floyd",
        /// RFC 6675.
        Rfc6675 = "rfc6675",
        /// ns-2's agent Sack1.
        Sack1 = "sack1",
        /// The same with `partial_ack_`: a partial ack sends two segments in any case.
        Sack1Partial = "sack1-partial",
    }
}

impl Pipe {
    /// Whether the habits are those of ns-2's agent.
    fn is_sack1(self) -> bool {
        matches!(self, Pipe::Sack1 | Pipe::Sack1Partial)
    }
}

crate::declare! {
    /// Learns from selective acks what is missing, and fills the holes while `pipe` allows.
    pub struct SackParams as "sack" from "cohen-hamo-2001 §6.1" {
        /// Rule by which the segments in flight, `pipe`, are counted.
        pipe: Pipe = "fall-floyd";
        /// Window of a recovery: reduced at once, or in the course of it.
        reduction: Reduction = "classic";
        /// F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is what it was.
        frto: bool = "false";
        /// Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent again (RFC 3522); then the
        /// window is what it was.
        eifel: bool = "false";
        /// Losses and timeouts are spurious if the receiver reports all that was sent again as arrived twice (RFC 3708); then the
        /// window is what it was. Needs `dsack`.
        dsack_undo: bool = "false";
        /// Early retransmit: with fewer than four segments outstanding and no more to send, the oldest is lost if all others are reported
        /// (RFC 5827).
        early_retransmit: bool = "false";
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits {
    knows_what_arrived: true,
    ..Habits::TCP
})
.refusing(super::needs_a_window_that_stays_open)
.with_control("reno")
.counting(Counts::SinceLoss);

/// A segment that is outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SegmentState {
    /// The receiver has reported it.
    sacked: bool,
    /// Whether it has been retransmitted in this recovery.
    resent: bool,
}

/// A recovery that is going on.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    /// The recovery ends when all segments before this one are acknowledged.
    point: u64,
    /// Segments thought to be in the network; with `entering`, as if the first missing one had been sent.
    pipe: i64,
    /// The first missing segment has not yet been sent again; it is sent whatever `pipe` says.
    entering: bool,
    /// RFC 6675's RescueRxt: no rescue before the cumulative ack exceeds this.
    rescue: u64,
    /// Proportional rate reduction, instead of `pipe`.
    prr: Option<Prr>,
}

impl Recovery {
    /// `segments` have left the network. The count at the start of the recovery was an estimate, but it never falls below 0.
    fn leave(&mut self, segments: i64) {
        self.pipe = (self.pipe - segments).max(0);
    }
}

/// Repair by selective acks.
#[derive(Clone, Debug)]
pub struct Sack {
    count: Pipe,
    reduction: Reduction,
    limited_transmit: bool,
    /// Whether limited transmit may send old segments, too.
    limited_again: bool,
    early_retransmit: bool,
    /// One mark per outstanding segment from `base` on, as far as anything is known.
    states: VecDeque<SegmentState>,
    base: u64,
    /// One beyond the highest segment sent.
    sent: u64,
    /// Duplicates since the last ack of new data.
    duplicates: u64,
    /// Those of them that reported something new.
    news: u64,
    recovery: Option<Recovery>,
    /// No new recovery before all before this are acknowledged (and, with `sack1`, one more).
    recover: u64,
    /// Whether nothing more is sent for this ack, because it has begun a recovery (`sack1`).
    held: bool,
    /// The timer ran out, and no new data has been acknowledged since.
    timed_out: bool,
    /// Finds spurious congestion, if that is switched on.
    spurious: Option<Box<Spurious>>,
    /// F-RTO has sent new segments after a timeout that was genuine: from here on the old ones are sent again.
    back: Option<u64>,
    /// What partial acks send whatever `pipe` says (`sack1-partial`).
    partials: Option<Box<Partials>>,
}

impl Make<SackParams> for Sack {
    fn make(own: &SackParams, common: &Common) -> Self {
        Sack {
            count: own.pipe,
            reduction: own.reduction,
            limited_transmit: common.limited_transmit,
            limited_again: common.limited_again,
            early_retransmit: own.early_retransmit,
            states: VecDeque::new(),
            base: 0,
            sent: 0,
            duplicates: 0,
            news: 0,
            recovery: None,
            recover: 0,
            held: false,
            timed_out: false,
            spurious: Spurious::new(own.frto, own.eifel, own.dsack_undo),
            back: None,
            partials: (own.pipe == Pipe::Sack1Partial).then(Box::default),
        }
    }
}

impl Sack {
    fn state(&self, segment: u64) -> SegmentState {
        self.states
            .get((segment - self.base) as usize)
            .copied()
            .unwrap_or_default()
    }

    fn state_mut(&mut self, segment: u64) -> &mut SegmentState {
        let at = (segment - self.base) as usize;
        if at >= self.states.len() {
            self.states.resize(at + 1, SegmentState::default());
        }
        &mut self.states[at]
    }

    /// Enters the blocks of an ack; how many segments they report for the first time.
    //= rfc2018 §5, reported
    //= rfc2883 §4, compatible
    //= rfc6675 §4, Update
    fn update(&mut self, ack: &Ack, span: &Span) -> u64 {
        let mut new = 0;
        for block in ack.sacked() {
            for segment in block.from.max(self.base)..block.to.min(span.max) {
                let mark = self.state_mut(segment);
                new += u64::from(!mark.sacked);
                mark.sacked = true;
            }
        }
        new
    }

    /// One beyond the highest segment reported.
    fn highest_sacked(&self) -> u64 {
        self.states
            .iter()
            .rposition(|m| m.sacked)
            .map_or(self.base, |at| self.base + at as u64 + 1)
    }

    /// The segments that count as missing: not reported, and enough beyond them is.
    //= rfc6675 §4, IsLost
    // DupThresh segments above it have been selectively acknowledged. Fall & Floyd ask for one.
    fn lost_below(&self) -> u64 {
        let enough = match self.count {
            Pipe::FallFloyd | Pipe::Sack1 | Pipe::Sack1Partial => 1,
            Pipe::Rfc6675 => DUPLICATES as usize,
        };
        self.states
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, m)| m.sacked)
            .nth(enough - 1)
            .map_or(self.base, |(at, _)| self.base + at as u64)
    }

    //= rfc6675 §4, SetPipe (a)
    //= rfc6675 §4, SetPipe (b)
    // Each unreported segment counts one if it is not lost, and one if it has been sent again.
    fn in_flight(&self, span: &Span) -> u64 {
        let lost_below = self.lost_below();
        (span.una..span.max)
            .map(|s| (s, self.state(s)))
            .filter(|(_, m)| !m.sacked)
            .map(|(s, m)| u64::from(s >= lost_below) + u64::from(m.resent))
            .sum()
    }

    fn set_pipe(&mut self, span: &Span) {
        let pipe = self.in_flight(span) as i64;
        if let Some(recovery) = &mut self.recovery {
            recovery.pipe = pipe;
        }
    }

    /// Whether sending `segment` would be for rescue: it has been sent again in this recovery, or no segment beyond it is reported.
    fn is_rescue(&self, segment: u64) -> bool {
        segment >= self.highest_sacked() || self.state(segment).resent
    }

    /// Segments reported beyond `una`.
    fn sacked(&self) -> u64 {
        self.states.iter().filter(|m| m.sacked).count() as u64
    }

    /// The lowest segment below `end` that is neither reported nor sent again.
    fn hole_below(&self, end: u64) -> Option<u64> {
        (self.base..end).find(|s| self.state(*s) == SegmentState::default())
    }

    //= rfc6675 §4, NextSeg (1)
    //= rfc6675 §4, NextSeg (2)
    //= rfc6675 §4, NextSeg (3)
    //= rfc6675 §4, NextSeg (4)
    //= rfc2018 §5, skip
    fn next_segment(&self, span: &Span, recovery: &Recovery) -> Option<u64> {
        let new = || {
            let again = self.partials.as_ref().and_then(|it| it.again(span));
            again.or_else(|| (span.max < span.edge).then_some(span.max))
        };
        let rule_1 = self.hole_below(self.lost_below());
        if self.count != Pipe::Rfc6675 {
            return rule_1.or_else(new);
        }
        rule_1
            .or_else(new)
            .or_else(|| self.hole_below(self.highest_sacked()))
            .or_else(|| {
                (span.una > recovery.rescue)
                    .then(|| (span.una..span.max).rfind(|s| !self.state(*s).sacked))
                    .flatten()
            })
    }

    fn on_duplicate(&mut self, new: u64, span: &Span) -> Reading {
        if self.recovery.is_some() {
            match (self.count, &mut self.recovery) {
                (Pipe::FallFloyd, Some(recovery)) => recovery.leave(i64::from(new > 0)),
                (Pipe::Sack1 | Pipe::Sack1Partial, Some(recovery)) => recovery.pipe -= 1,
                _ => self.set_pipe(span),
            }
            return Reading::Duplicate;
        }
        self.news += u64::from(new > 0);
        let proof = match self.count {
            Pipe::FallFloyd => {
                self.duplicates += 1;
                self.duplicates == DUPLICATES
            }
            Pipe::Sack1 | Pipe::Sack1Partial => {
                self.duplicates += u64::from(new > 0);
                new > 0 && self.duplicates == DUPLICATES
            }
            //= rfc6675 §2, duplicate
            //= rfc6675 §5, (1)
            //= rfc6675 §5, (2)
            // A duplicate is an ack that reports something new; the third of them is one case of IsLost(HighACK + 1).
            Pipe::Rfc6675 => new > 0 && span.una < self.lost_below(),
        };
        //= rfc6675 §5.1, point
        // No new recovery before HighACK has reached the point where the last one, or a timeout, began.
        let beyond = match self.count {
            Pipe::Sack1 | Pipe::Sack1Partial => span.una > self.recover || span.una == 1,
            _ => span.una >= self.recover,
        };
        //= rfc5827 §3.2, SACK
        let early = self.early_retransmit && span.early_threshold() == Some(self.sacked());
        if !(proof || early) || !beyond {
            return Reading::Duplicate;
        }
        self.recover = span.max;
        self.recovery = Some(Recovery {
            //= rfc6675 §5, (4.1)
            point: span.max,
            //= fall-floyd-1996 §5
            //= cohen-hamo-2001 §6.1 type=departure
            // Three segments have left the network. The lost one is not in the pipe, but its retransmission is.
            pipe: ((span.max - span.una) as i64 - DUPLICATES as i64).max(1),
            entering: true,
            //= rfc6675 §5, (4.3)
            // RescueRxt <- the segment that is about to be sent again.
            rescue: span.una + 1,
            prr: None,
        });
        if self.count == Pipe::Rfc6675 && self.reduction == Reduction::Classic {
            self.state_mut(span.una).resent = true;
            //= rfc6675 §5, (4.4)
            self.set_pipe(span);
        }
        //= rfc6675 §5, (4.2)
        Reading::Loss { restart: false }
    }

    fn on_advance(&mut self, ack: &Ack, span: &Span) -> Reading {
        let gone = ((ack.next - self.base) as usize).min(self.states.len());
        self.states.drain(..gone);
        self.base = ack.next;
        let span = Span {
            una: ack.next,
            ..*span
        };
        let new = self.update(ack, &span);
        //= rfc6675 §5, reset
        (self.duplicates, self.news) = (0, 0);
        let phase = match &mut self.recovery {
            None => {
                if let Some(partials) = &mut self.partials {
                    partials.on_open();
                }
                Advance::Open
            }
            Some(recovery) if ack.next < recovery.point => {
                recovery.entering = false;
                match self.count {
                    //= cohen-hamo-2001 §6.1
                    // Two less: the lost original, which the initial pipe counted, and the segment that has just arrived.
                    Pipe::FallFloyd => recovery.leave(2),
                    Pipe::Sack1 | Pipe::Sack1Partial => recovery.pipe -= 2,
                    //= rfc6675 §5, (B.1)
                    //= rfc6675 §5, (B.2)
                    Pipe::Rfc6675 => self.set_pipe(&span),
                }
                //= rfc6675 §6
                let restart_timer = self.partials.as_mut().is_none_or(|it| it.on_partial());
                return Reading::Advance(Advance::Partial {
                    restart_timer,
                    deflate: 0,
                });
            }
            Some(_) => {
                //= rfc6675 §5, (A)
                //= rfc9937 §6.4
                // cwnd = ssthresh: the controller's window is that already.
                self.recovery = None;
                self.states.iter_mut().for_each(|m| m.resent = false);
                if self.count.is_sack1() {
                    self.recover = 0;
                }
                Advance::Over
            }
        };
        if self.count.is_sack1() {
            self.states.clear();
            self.timed_out = false;
        }
        //= rfc6675 §5, any duplicate
        // "a duplicate acknowledgment per the definition in Section 2 (regardless of its status as a cumulative acknowledgment)"
        if self.count == Pipe::Rfc6675
            && let loss @ Reading::Loss { .. } = self.on_duplicate(new, &span)
        {
            return loss;
        }
        Reading::Advance(phase)
    }

    /// Segments that limited transmit sends beyond the window, if `next` is the next to send: new ones only.
    fn limited(&self, span: &Span, next: u64) -> i64 {
        if !self.limited_transmit || (span.next != span.max && !self.limited_again) {
            return 0;
        }
        let reported = match self.count {
            //= rfc5681 §3.2, step 1, SACK
            // For the first two duplicates, if they report something new.
            Pipe::FallFloyd | Pipe::Sack1 | Pipe::Sack1Partial if self.duplicates < DUPLICATES => {
                self.news as usize
            }
            //= rfc6675 §5, (3)
            // (3.3): cwnd - pipe. Nothing is lost here, so at most two are reported. Those from `next` on are in neither.
            Pipe::Rfc6675 if span.una >= self.lost_below() => {
                (span.una..next).filter(|s| self.state(*s).sacked).count()
            }
            _ => 0,
        };
        reported as i64
    }

    /// Reads an ack.
    fn read(&mut self, ack: &Ack, span: &Span) -> Reading {
        self.held = false;
        if let Some(partials) = &mut self.partials {
            partials.on_ack();
        }
        if ack.next > span.una {
            return self.on_advance(ack, span);
        }
        if span.una == span.max {
            return Reading::Stale;
        }
        if self.timed_out && self.count.is_sack1() {
            return Reading::Duplicate;
        }
        let new = self.update(ack, span);
        //= rfc6675 §5, any ack
        // "Upon the receipt of any ACK containing SACK information, the scoreboard MUST be updated". New information makes an
        // old ack a duplicate.
        if ack.next < span.una && (self.count != Pipe::Rfc6675 || new == 0) {
            return Reading::Stale;
        }
        self.on_duplicate(new, span)
    }
}

impl Repair for Sack {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        if self.reduction == Reduction::Classic {
            let reading = self.read(ack, span);
            return self.judge(ack, span, reading);
        }
        let before = (self.sacked(), self.lost_below());
        let reading = self.read(ack, span);
        self.reduce(span, before, ack.next.saturating_sub(span.una));
        self.judge(ack, span, reading)
    }

    fn may_undo(&mut self) -> bool {
        self.spurious.as_mut().is_some_and(|it| it.begins())
    }

    fn on_echo(&mut self, _: &Span, _: f64) {
        self.judge_no_more();
    }

    fn on_timeout(&mut self, span: &Span) {
        self.judge_timeout(span);
        //= rfc2018 §5, timeout
        //= rfc2018 §5.1, ignore
        //= rfc2018 §5, left edge
        // Sending begins again at `una`, and all that was reported is forgotten.
        self.states.clear();
        (self.duplicates, self.news) = (0, 0);
        self.recovery = None;
        (self.held, self.timed_out) = (false, true);
        if let Some(partials) = &mut self.partials {
            partials.on_timeout();
        }
        //= rfc6675 §5.1, end
        //= rfc6675 §5.1
        //= rfc6675 §5.1 type=departure
        // `recover` is set whether a recovery was going on or not.
        self.recover = span.max;
    }

    fn credit(&self) -> i64 {
        let prr = self.recovery.and_then(|it| it.prr);
        prr.map_or(0, |it| it.credit)
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        if self.held {
            return None;
        }
        let Some(recovery) = &self.recovery else {
            //= rfc6675 §5.1, reports
            // After a timeout, segments that the receiver reports anew are not sent again.
            let mut next = span.next;
            if self.spurious.is_some()
                && let Some(decided) = self.poll_undo(span, window)
            {
                return decided;
            }
            while !self.count.is_sack1() && self.state(next).sacked {
                next += 1;
            }
            if let Some(again) = self.partials.as_ref().and_then(|it| it.again(span)) {
                next = again.min(next);
            }
            return (next < window_end(span, window, self.limited(span, next))).then_some(next);
        };
        if recovery.prr.is_some() {
            return self.poll_prr(span, window);
        }
        if recovery.entering {
            return Some(span.una);
        }
        if let Some(forced) = self.partials.as_ref().and_then(|it| it.next(self, span)) {
            return Some(forced);
        }
        //= rfc5681 §4.3, half
        //= rfc6675 §5, (C)
        //= rfc6675 §5, (4.5)
        // A fraction of a segment in the window is no room: "cwnd - pipe >= 1 SMSS".
        (recovery.pipe < window as i64)
            .then(|| self.next_segment(span, recovery))
            .flatten()
    }

    fn on_sent(&mut self, segment: u64, id: u64, _: &Span) {
        let again = segment < self.sent;
        self.sent = self.sent.max(segment + 1);
        if let Some(spurious) = &mut self.spurious {
            spurious.on_sent(segment, id, again);
            self.back = (self.back.is_some() && segment + 1 < self.sent).then_some(segment + 1);
        }
        let forced = (self.partials.as_mut()).is_some_and(|it| it.on_sent(segment, again));
        let Some(recovery) = &mut self.recovery else {
            return;
        };
        if let Some(prr) = &mut recovery.prr {
            //= rfc9937 §6.3
            prr.on_sent();
        }
        if recovery.entering {
            // This segment was counted when the recovery began.
            recovery.entering = false;
            self.held = self.count.is_sack1();
            self.state_mut(segment).resent = true;
            return;
        }
        //= rfc6675 §5, (C.4)
        recovery.pipe += 1;
        if forced {
            self.pass(segment);
            return;
        }
        if !again {
            return;
        }
        if self.is_rescue(segment) {
            //= rfc6675 §4, NextSeg (4)
            // Only rule 4 of NextSeg() returns such a segment: "RescueRxt set to RecoveryPoint. HighRxt MUST NOT be updated."
            if let Some(recovery) = &mut self.recovery {
                recovery.rescue = recovery.point;
            }
        } else {
            //= rfc6675 §5, (C.2)
            self.state_mut(segment).resent = true;
        }
    }

    fn each_lost(&self, span: &Span, found: &mut dyn FnMut(u64)) {
        let Some(recovery) = &self.recovery else {
            return;
        };
        if recovery.entering {
            found(span.una);
        }
        let holes = self.base..self.lost_below();
        holes
            .filter(|s| self.state(*s) == SegmentState::default())
            .for_each(found);
    }
}
