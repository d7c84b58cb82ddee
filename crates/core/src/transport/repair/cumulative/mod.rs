//! Repair by cumulative acks: the missing segment is retransmitted on three duplicate acks (Tahoe, Reno, NewReno).
//!
//! | style | on the third duplicate | on an ack of new data thereafter |
//! |---|---|---|
//! | Restart (Tahoe) | goes back to the missing segment and sends on from there | -- |
//! | Resend (4.3BSD's Tahoe) | sends it again, then nothing before an ack of new data | sends on where it was |
//! | Recover (Reno) | sends it again, then one new segment per further duplicate | recovery is over |
//! | Partial (NewReno) | as Reno | a partial ack sends the next missing segment again |
//!
//! `careful` is RFC 2582's avoidance of multiple fast retransmits: duplicate acks that do not acknowledge beyond what was outstanding at
//! the last recovery or timeout start no further recovery. NewReno is always careful.
//= rfc5681 §3.2
//= rfc6582 §3.2
//= fall-floyd-1996 §2, §3, §4

mod frto;

use super::{Advance, DUPLICATES, Reading, Repair, Span, window_end};
use crate::transport::{Ack, Common, RecoverAtStart};
use alloc::boxed::Box;
use frto::Frto;

/// Recovery that the third duplicate starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Tahoe.
    Restart,
    /// Tahoe of 4.3BSD.
    Resend,
    /// Reno.
    Recover,
    /// NewReno.
    Partial,
}

crate::choice! {
    /// Quantity that partial acks deflate when they have acknowledged more than the duplicates had added.
    pub enum Deflate {
        /// The sum of window and inflation, until the recovery ends.
        Sum = "sum",
        /// The congestion window itself, permanently: ns-2.
        Window = "window",
        /// Neither: a partial ack takes back the inflation alone, and the window stays (ns-2 with `partial_window_deflation_ 0`).
        None = "none",
    }
}

crate::choice! {
    /// Partial acks of a recovery that restart the retransmission timer.
    pub enum PartialTimer {
        /// The first: the impatient variant of RFC 6582. With many losses, the timer ends the recovery.
        First = "first",
        /// Every one: the slow-but-steady variant (ns-2 with `newreno_changes1_ 0`).
        Every = "every",
    }
}

/// The state of a recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// No loss is known; `duplicates` duplicate acks have arrived in a row.
    Open { duplicates: u64 },
    /// Fast recovery: the window is inflated by `credit`, and `partial` partial acks have arrived.
    Recovery { credit: i64, partial: u64 },
}

/// Repair by cumulative acks.
#[derive(Clone, Debug)]
pub struct Cumulative {
    style: Style,
    careful: bool,
    /// Duplicates that acknowledge exactly what was outstanding may start a recovery, too.
    less_careful: bool,
    limited_transmit: bool,
    /// Whether limited transmit may send old segments, too.
    limited_again: bool,
    /// Largest number of new segments sent per ack of a recovery.
    burst: u64,
    /// Those of them still to be sent for the last ack.
    burst_left: u64,
    deflate: Deflate,
    timer: PartialTimer,
    /// A timeout leaves the count of duplicates.
    keeps_duplicates: bool,
    /// Limited transmit sends nothing before the next ack: the timer has run out since the last, or it has had its segment.
    quiet: bool,
    state: State,
    /// One beyond the highest segment sent when the last recovery or timeout began.
    recover: Option<u64>,
    /// Duplicates that acknowledge one segment may always start a recovery.
    exempt: bool,
    /// The missing segment, until it has been sent again.
    missing: Option<u64>,
    /// Fewer duplicates are enough at the end of the data.
    early_retransmit: bool,
    /// Finds spurious timeouts, if that is switched on.
    frto: Option<Box<Frto>>,
}

impl Cumulative {
    /// At the start of a connection.
    pub fn new(style: Style, params: &Common) -> Self {
        Self {
            style,
            careful: params.careful || style == Style::Partial,
            less_careful: params.less_careful,
            limited_transmit: params.limited_transmit,
            limited_again: params.limited_again,
            burst: u64::MAX,
            burst_left: u64::MAX,
            deflate: Deflate::Sum,
            timer: PartialTimer::First,
            keeps_duplicates: false,
            quiet: false,
            state: State::Open { duplicates: 0 },
            recover: (params.recover_at_start != RecoverAtStart::None).then_some(0),
            exempt: params.recover_at_start == RecoverAtStart::Exempt,
            missing: None,
            early_retransmit: false,
            frto: None,
        }
    }

    /// With early retransmit.
    pub fn early(mut self, early_retransmit: bool) -> Self {
        self.early_retransmit = early_retransmit;
        self
    }

    /// With F-RTO.
    pub fn frto(mut self, frto: bool) -> Self {
        self.frto = Frto::new(frto);
        self
    }

    /// If `keeps`, the count of duplicates is kept after a timeout.
    pub fn keeping(mut self, keeps: bool) -> Self {
        self.keeps_duplicates = keeps;
        self
    }

    /// With what NewReno's recovery may have of its own.
    pub fn with(mut self, burst: Option<u64>, deflate: Deflate, timer: PartialTimer) -> Self {
        self.burst = burst.unwrap_or(u64::MAX);
        (self.deflate, self.timer) = (deflate, timer);
        self
    }

    /// Whether the duplicates of `una` may start a recovery.
    //= rfc6582 §3.2, step 2, covers
    //= rfc6582 §3.2, step 2, does not
    // Only if the cumulative ack covers more than `recover`.
    //= rfc6582 §3.2, step 1
    //= rfc6582 §3.2, step 1 type=departure
    // At the start `recover` has no value that must be covered.
    fn new_loss(&self, una: u64) -> bool {
        !self.careful
            || self.recover.is_none_or(|recover| una > recover)
            //= ns-2
            || (self.less_careful && self.recover == Some(una))
            || (self.exempt && una == 1)
    }
}

impl Cumulative {
    /// Reads an ack.
    #[inline(always)]
    fn read(&mut self, ack: &Ack, span: &Span) -> Reading {
        self.burst_left = self.burst;
        self.quiet = false;
        if ack.next > span.una {
            return Reading::Advance(self.on_advance(ack.next, span));
        }
        if ack.next < span.una || span.una == span.max {
            return Reading::Stale;
        }
        match &mut self.state {
            State::Recovery { credit, .. } => {
                //= rfc5681 §3.2, step 4
                //= rfc6582 §3.2, step 3, on
                // Each further duplicate means that a segment has left the network.
                *credit += 1;
                Reading::Duplicate
            }
            State::Open { duplicates } => {
                *duplicates += 1;
                let count = *duplicates;
                //= rfc5827 §3.2, ER_thresh
                let early =
                    self.early_retransmit && span.early_threshold().is_some_and(|it| count >= it);
                if !(count == DUPLICATES || early) || !self.new_loss(span.una) {
                    return Reading::Duplicate;
                }
                //= rfc2582 §5 type=departure
                // `recover` is recorded here as well, not only at timeouts.
                self.recover = Some(span.max);
                if self.style == Style::Restart {
                    return Reading::Loss { restart: true };
                }
                self.missing = Some(span.una);
                if self.style == Style::Resend {
                    return Reading::Loss { restart: false };
                }
                //= rfc5681 §3.2, step 3
                // The window is inflated by the three segments that have left the network; early, by fewer.
                self.state = State::Recovery {
                    credit: count as i64,
                    partial: 0,
                };
                Reading::Loss { restart: false }
            }
        }
    }
}

impl Repair for Cumulative {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        let reading = self.read(ack, span);
        if self.frto.is_none() {
            return reading;
        }
        self.judge(ack, span, reading)
    }

    fn may_undo(&mut self) -> bool {
        self.frto.as_mut().is_some_and(|it| it.begins())
    }

    fn on_timeout(&mut self, span: &Span) {
        if let Some(frto) = &mut self.frto {
            frto.on_timeout(span, self.recover);
        }
        if !(self.keeps_duplicates && matches!(self.state, State::Open { .. })) {
            self.state = State::Open { duplicates: 0 };
        }
        self.missing = None;
        self.quiet = true;
        //= rfc6582 §3.2, step 4, exit
        //= rfc6582 §3.2, step 4, recover
        // After a timeout, `recover` is the highest segment sent.
        self.recover = Some(span.max);
    }

    fn credit(&self) -> i64 {
        match self.state {
            State::Recovery { credit, .. } => credit,
            State::Open { .. } => 0,
        }
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        if let Some(missing) = self.missing {
            return Some(missing);
        }
        if self.frto.is_some()
            && let Some(decided) = self.poll_frto(span, window)
        {
            return decided;
        }
        if self.burst_left == 0 && matches!(self.state, State::Recovery { .. }) {
            return None;
        }
        //= rfc6582 §3.2, step 3, send
        let extra = self.credit() + self.limited(span);
        (span.next < window_end(span, window, extra)).then_some(span.next)
    }

    fn on_sent(&mut self, segment: u64, id: u64, span: &Span) {
        if self.frto.is_some() {
            self.sent_with_frto(segment, id, span);
        }
        if self.missing == Some(segment) {
            self.missing = None;
        } else {
            self.burst_left = self.burst_left.saturating_sub(1);
            // The kept count of duplicates would otherwise allow more than one segment.
            self.quiet |= self.keeps_duplicates;
        }
    }

    fn each_lost(&self, _: &Span, found: &mut dyn FnMut(u64)) {
        self.missing.into_iter().for_each(found);
    }
}

impl Cumulative {
    /// Segments that limited transmit sends beyond the window: new ones only.
    //= rfc3042 §2
    //= rfc5681 §3.2, step 1
    //= rfc5681 §3.2, step 1 type=departure
    // Limited transmit is sent only if a plan asks for it.
    //= rfc5681 §3.2, step 1, cwnd
    fn limited(&self, span: &Span) -> i64 {
        match self.state {
            State::Open { duplicates }
                if self.limited_transmit
                    && !self.quiet
                    && duplicates < DUPLICATES
                    && (span.next == span.max || self.limited_again) =>
            {
                duplicates as i64
            }
            _ => 0,
        }
    }

    fn on_advance(&mut self, next: u64, span: &Span) -> Advance {
        self.missing = None;
        let State::Recovery { credit, partial } = &mut self.state else {
            self.state = State::Open { duplicates: 0 };
            return Advance::Open;
        };
        if self.style == Style::Partial && self.recover.is_some_and(|recover| next < recover) {
            //= rfc6582 §3.2, step 3, partial
            //= rfc6582 §3.2, step 3, deflate
            //= rfc6582 §3.2, step 3, add back
            // Deflate by what was acknowledged, add one back, resend the next missing segment.
            *credit += 1 - (next - span.una) as i64;
            *partial += 1;
            self.missing = Some(next);
            let deflate = match self.deflate {
                Deflate::Sum => 0,
                Deflate::None => {
                    //= ns-2
                    *credit = 0;
                    0
                }
                Deflate::Window => {
                    //= ns-2
                    let beyond = (1 - *credit).max(0);
                    *credit += beyond;
                    beyond as u64
                }
            };
            return Advance::Partial {
                //= rfc6582 §3.2, step 3, timer
                //= rfc2582 §4
                restart_timer: *partial == 1 || self.timer == PartialTimer::Every,
                deflate,
            };
        }
        //= rfc6582 §3.2, step 3, full
        self.state = State::Open { duplicates: 0 };
        Advance::Over
    }
}
