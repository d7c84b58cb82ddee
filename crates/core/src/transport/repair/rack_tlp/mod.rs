//! RACK-TLP: losses are found by time. A segment is lost if one that was sent later has arrived, and has left it a reordering window.
//! If no ack comes for two round trips, a probe asks for one.
//!
//! | what is lost | how the sender knows |
//! |---|---|
//! | a transmission, the first of its segment or a later one | an ack reports a later transmission; and the reordering window is over, by this ack, a later one, or the timer |
//! | the last ones | a probe, which is new data or the last segment again: the ack that it causes reports a later transmission |
//! | the last one alone, and the probe has replaced it | no ack reports a second copy of the probe's segment (DSACK) |
//! | all, and the probe | the retransmission timer: the oldest segment, and all that were sent a round trip before |
//!
//! The receiver reports segments that arrive twice (`dsack`): each round trip with such a report widens the reordering window.
//!
//! Segments that are neither reported nor lost are in flight, and the window limits those. One transmission may go beyond it: the first
//! retransmission of a recovery, as in RFC 5681, or a probe. With `reduction = "classic"` a loss among what was sent since the last
//! reduction is new congestion, also in a recovery; with `"prr"` a fast recovery reduces the window once.
//!
//! One timer serves for the reordering window, the probe and the retransmission timeout.
//= rfc8985 §6
//= rfc8985 §7
//= rfc8985 §8
//= rfc8985 §4, scoreboard

mod board;
mod recovery;
mod timer;
mod window;

use super::prr::{Prr, Reduction};
use super::spurious::{News, Spurious, arrived_twice};
use super::{About, Advance, Clock, Counts, DUPLICATES, Habits, Make, Reading, Repair, Span};
use crate::time::{Duration, Instant};
use crate::transport::{Ack, Block, Common, Samples};
use alloc::boxed::Box;
use board::Board;
use recovery::Recovery;
use timer::Purpose;
use window::{Adaptation, MinRtt};

crate::declare! {
    /// Finds losses by the times of transmissions, and probes for losses at the end of the data.
    pub struct RackTlpParams as "rack-tlp" from "rfc8985 §6" {
        /// Window of a recovery: reduced at once, or in the course of it.
        reduction: Reduction = "prr";
        /// How an echo of congestion reduces the window: at once, or over a window of data, during which it does not grow (Linux).
        echo_reduction: Reduction = "classic";
        /// Probes: without them it is RACK alone.
        tlp: bool = "true";
        /// TLP.max_ack_delay: how much longer a probe waits if the receiver may be withholding the ack.
        max_ack_delay: Option<Duration> = unset "ack_delay with delayed_ack, else 0 s", try ["250 ms"];
        /// Ticks that are added to the timer for reordering and probes, after its time is rounded up to whole ticks; with 0 it is exact.
        late_ticks: u64 = "0", try ["2"];
        /// F-RTO: after a timeout new data is sent, and acks of what was not sent again show that it was spurious (RFC 5682); then the
        /// window is what it was.
        frto: bool = "false";
        /// Eifel: losses and timeouts are spurious if the ack echoes the first transmission of what was sent again (RFC 3522); then the
        /// window is what it was.
        eifel: bool = "false";
        /// Losses and timeouts are spurious if the receiver reports all that was sent again as arrived twice (RFC 3708); then the
        /// window is what it was.
        dsack_undo: bool = "false";
        /// Time over which the shortest round trip is taken; the estimate is of the last one to two of these.
        min_rtt_window: Duration = "300 s", try ["50 ms"];
    }
    check |it| {
        if it.min_rtt_window == Duration::ZERO {
            return Err(crate::declare::Fault { name: "min_rtt_window", found: "0 s".into(), allowed: "more than 0 s".into() });
        }
        Ok(())
    }
}

/// Its demands on the timer and on the receiver.
//= rfc8985 §4, SACK
pub const ABOUT: About = About::new(Habits {
    samples: Samples::Each,
    clock: Clock::Repair,
    goes_back: false,
    knows_what_arrived: true,
    ..Habits::TCP
})
.refusing(super::needs_a_window_that_stays_open)
.counting(Counts::ButOne)
.with_defaults(&[("dsack", "true")]);

/// A transmission that is due whatever the window is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Urgent {
    /// Of the first lost segment.
    Lost,
    Probe,
}

/// The last probe.
//= rfc8985 §7.1
#[derive(Clone, Copy, Debug, Default)]
struct Probe {
    /// TLP.end_seq
    end: Option<u64>,
    /// TLP.is_retrans
    again: bool,
}

/// Repair by times.
#[derive(Clone, Debug)]
pub struct RackTlp(Box<Machine>);

/// Its state, which is large; senders with other repairs have no room for it.
#[derive(Clone, Debug)]
struct Machine {
    reduction: Reduction,
    echo_reduction: Reduction,
    tlp: bool,
    max_ack_delay: Duration,
    late_ticks: u64,
    /// An ack of fewer segments may be withheld.
    ack_every: u64,
    board: Board,
    adaptation: Adaptation,
    /// RACK.reo_wnd
    wnd: Duration,
    min_rtt: MinRtt,
    /// Round trips measured so far, and when the last probe was sent.
    measured: [u64; 2],
    recovery: Option<Recovery>,
    /// The reduction for an echo, until a segment at or beyond this number is acknowledged: Linux' state CWR.
    echo: Option<(u64, Prr)>,
    /// Segments that the last ack was the first to report.
    delivered: u64,
    /// Losses of transmissions before this number belong to congestion that the controller knows of.
    cut: u64,
    probe: Probe,
    urgent: Option<Urgent>,
    timer: Option<(Instant, Purpose)>,
    /// From when the retransmission timeout counts.
    since: Instant,
    /// Finds spurious congestion, if that is switched on.
    spurious: Option<Box<Spurious>>,
}

impl Make<RackTlpParams> for RackTlp {
    fn make(own: &RackTlpParams, common: &Common) -> Self {
        let withheld = if common.delayed_ack {
            common.ack_delay
        } else {
            Duration::ZERO
        };
        Self(Box::new(Machine {
            reduction: own.reduction,
            echo_reduction: own.echo_reduction,
            tlp: own.tlp,
            max_ack_delay: own.max_ack_delay.unwrap_or(withheld),
            late_ticks: own.late_ticks,
            ack_every: common.ack_every.max(2),
            board: Board::default(),
            adaptation: Adaptation::default(),
            wnd: Duration::ZERO,
            min_rtt: MinRtt::new(own.min_rtt_window),
            measured: [0; 2],
            recovery: None,
            echo: None,
            delivered: 0,
            cut: 0,
            probe: Probe::default(),
            urgent: None,
            timer: None,
            since: Instant::ZERO,
            spurious: Spurious::new(own.frto, own.eifel, own.dsack_undo),
        }))
    }
}

impl Machine {
    /// Takes the round trips that the sender has measured.
    //= rfc8985 §6.2, step 1
    fn measure(&mut self, span: &Span) {
        if let Some(trips) = span.rtt.trips()
            && trips.count > self.measured[0]
        {
            self.measured[0] = trips.count;
            self.min_rtt.on_measured(span.now, trips.latest);
        }
    }

    /// RACK_update_reo_wnd(), its second half, and RACK_detect_loss().
    fn detect(&mut self, span: &Span) -> board::Found {
        //= rfc8985 §3.3.2, zero
        //= rfc8985 §6.2, DupThresh
        let close = self.recovery.is_some() || self.board.sacked() >= DUPLICATES;
        self.wnd = if close && !self.board.reordering_seen() {
            Duration::ZERO
        } else {
            let srtt = span.rtt.trips().map(|it| it.smoothed);
            self.adaptation.window(self.min_rtt.get(), srtt)
        };
        self.board.detect(span.now, self.wnd)
    }

    /// TLP_process_ack(): whether the ack shows that the last probe has repaired a loss.
    //= rfc8985 §7.4.2, process
    fn on_probes_ack(&mut self, ack: &Ack, una: u64, dsack: Option<Block>) -> bool {
        let Some(end) = self.probe.end.filter(|end| ack.next >= *end) else {
            return false;
        };
        let case_1 = dsack.is_some_and(|it| it.to == end);
        let repaired = self.probe.again && !case_1 && ack.next > end;
        let case_2 = ack.next == una && ack.sacked().next().is_none();
        if !self.probe.again || case_1 || repaired || case_2 {
            self.probe.end = None;
        }
        repaired
    }

    /// The congestion of the losses found is new to the controller: a fast recovery begins, of what is outstanding from `una` on, of
    /// which an ack is the first to report `delivered` segments.
    fn begin(&mut self, span: &Span, una: u64, delivered: u64) {
        //= rfc8985 §7.1, reset
        self.probe = Probe::default();
        self.cut = self.board.next_id();
        let repairing = self.board.repairing();
        if let Some(spurious) = &mut self.spurious {
            spurious.on_congestion(span, una, false);
            if let Some((first, count)) = repairing {
                spurious.on_repairing(first, count);
            }
        }
        let was = self.recovery.take();
        if una == span.max {
            return;
        }
        let lost = !self.board.lost().is_empty();
        // A loss that a probe has repaired leaves nothing to repair.
        let repairs = lost || repairing.is_some();
        let begun = self.echo.take();
        let prr = (repairs && self.reduction == Reduction::Prr).then(|| {
            //= rfc9937 §6.1, RecoverFS
            let outstanding = span.max - una - self.board.sacked();
            // A reduction that an echo has begun goes on: the losses are the same congestion.
            let mut prr = begun.map_or_else(|| Prr::new(outstanding + delivered), |it| it.1);
            prr.on_ack(delivered, false);
            prr
        });
        if lost && was.is_none() {
            self.urgent = Some(Urgent::Lost);
        }
        let point = span.max;
        self.recovery = Some(Recovery::Fast { point, prr });
    }

    /// The last ack echoed congestion, when the window was `window`.
    //= linux §tcp_input.c, tcp_enter_cwr
    fn on_echo(&mut self, span: &Span, window: f64) {
        if let Some(spurious) = &mut self.spurious {
            // What comes late now does not give the window back that the echo has reduced.
            spurious.forget();
        }
        let delivered = self.delivered;
        if self.echo_reduction == Reduction::Prr && self.recovery.is_none() && span.una < span.max {
            let mut prr = Prr::new((window as u64).max(1));
            prr.on_ack(delivered, delivered > 0);
            self.echo = Some((span.max, prr));
        }
    }

    /// The reduction that is going on in the course of a window of data, if one is.
    fn reduction(&mut self) -> Option<&mut Prr> {
        match (&mut self.recovery, &mut self.echo) {
            (Some(Recovery::Fast { prr, .. }), _) => prr.as_mut(),
            (None, Some((_, prr))) => Some(prr),
            _ => None,
        }
    }

    /// Whether losses, of which `latest` is the latest transmission, are congestion that the controller does not know of.
    //= rfc8985 §9.3, twice
    // "In the absence of PRR, when RACK-TLP detects a lost retransmission, the congestion control MUST trigger an additional congestion
    // response".
    fn is_news(&self, latest: Option<u64>) -> bool {
        let reduces = matches!(self.recovery, Some(Recovery::Fast { prr: Some(_), .. }));
        !reduces && latest.is_some_and(|id| id >= self.cut)
    }

    /// Whether an ack that has left `una` the oldest segment shows that the last congestion was none. Then nothing is lost, and nothing
    /// is being repaired.
    fn undoes(&mut self, ack: &Ack, span: &Span, una: u64) -> bool {
        let Some(spurious) = &mut self.spurious else {
            return false;
        };
        let originals = self.board.take_originals();
        let found = spurious.on_ack(
            ack,
            &News {
                una,
                advanced: una > span.una,
                duplicate: ack.next == span.una,
                originals,
            },
        );
        if found {
            self.board.restore();
            (self.recovery, self.echo, self.urgent) = (None, None, None);
            self.cut = 0;
        }
        found
    }

    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        self.measure(span);
        let advanced = ack.next > span.una;
        let una = span.una.max(ack.next);
        let dsack = arrived_twice(ack);
        let least = self.min_rtt.get().unwrap_or_default();
        let delivered = self.board.on_ack(span.now, ack, least);
        self.delivered = delivered;
        let repaired = self.on_probes_ack(ack, span.una, dsack);
        let over = self.recovery.take_if(|it| una >= it.point());
        self.echo.take_if(|(point, _)| una > *point);
        (self.adaptation).on_ack(una, span.max, dsack.is_some(), over.is_some());
        let found = self.detect(span);
        let fast = matches!(over, Some(Recovery::Fast { .. }));
        // What a recovery with proportional reduction has left to the next one: losses of what was sent in its course, whether they have
        // been sent again or not.
        //= linux §tcp_input.c, tcp_time_to_recover
        let reduced = matches!(over, Some(Recovery::Fast { prr: Some(_), .. }));
        let left =
            fast && !self.board.lost().is_empty() || reduced && self.board.repairing().is_some();
        let news = repaired || self.is_news(found.lost);
        //= linux §tcp_input.c, tcp_try_undo_recovery
        // What an ack shows about the recovery that it ends comes first.
        let undone = !news && self.spurious.is_some() && self.undoes(ack, span, una);
        let loss = news || left && !undone;
        if delivered > 0 {
            self.urgent.take_if(|it| *it == Urgent::Probe);
        }
        if loss {
            self.begin(span, una, delivered);
        } else if let Some(prr) = self.reduction() {
            //= rfc9937 §6.2, SafeACK
            prr.on_ack(delivered, advanced && found.lost.is_none());
        }
        self.set_timer(span, una, advanced || loss || undone, found.remaining);
        match self.recovery {
            _ if undone => Reading::Spurious { advanced },
            _ if span.una == span.max => Reading::Stale,
            _ if loss => Reading::Loss { restart: false },
            Some(Recovery::Fast { .. }) if advanced => Reading::Advance(Advance::Partial {
                restart_timer: true,
                deflate: 0,
            }),
            _ if fast => Reading::Advance(Advance::Over),
            _ if advanced => Reading::Advance(Advance::Open),
            _ if ack.next == span.una || delivered > 0 => Reading::Duplicate,
            _ => Reading::Stale,
        }
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        let in_flight = self.board.in_flight();
        // One more segment fits into the window.
        let mut room = (in_flight + 1) as f64 <= window;
        if let Some(prr) = self.reduction() {
            //= rfc9937 §6.2, inflight
            prr.answer(in_flight, window as u64, false);
            // With nothing in flight no ack will come that lets a segment out. Reports of segments beyond an ack that does not advance, as no
            // honest receiver sends them, can lead there.
            room = prr.left > 0 || in_flight == 0;
        }
        let new = (span.max < span.edge).then_some(span.max);
        if let Some(spurious) = &mut self.spurious
            && spurious.awaits_second()
            && self.urgent.is_none()
            && room
        {
            //= rfc5682 §2.1, step 2b
            match new {
                Some(_) if spurious.new_segments() > 0 => return new,
                None if spurious.new_segments() == 2 => spurious.give_up(),
                _ => return None,
            }
        }
        match self.urgent {
            //= rfc8985 §7.3, new
            //= rfc8985 §7.3, last
            Some(Urgent::Probe) => new.or(Some(span.max - 1)),
            //= rfc8985 §9.3, appropriate
            //= rfc5681 §3.2, step 3
            None if !room => None,
            Some(Urgent::Lost) | None => self.board.lost().first().copied().or(new),
        }
    }

    fn on_sent(&mut self, segment: u64, span: &Span) {
        let new = segment == span.max;
        let urgent = self.urgent.take();
        if let Some(spurious) = &mut self.spurious {
            spurious.on_sent(segment, self.board.next_id(), !new);
        }
        self.board.on_sent(span.now, segment);
        if let Some(prr) = self.reduction() {
            prr.on_sent();
        }
        if span.una == span.max {
            self.since = span.now;
        }
        if urgent == Some(Urgent::Probe) {
            //= rfc8985 §7.3, send
            self.probe = Probe {
                end: Some(span.max + u64::from(new)),
                again: !new,
            };
            self.measured[1] = self.measured[0];
            self.timer = self.retransmission(span);
            return;
        }
        match self.timer {
            Some((_, Purpose::Reordering)) => {}
            //= rfc8985 §7.2, schedule
            _ if new && self.may_probe() => {
                let at = self.probe_at(span, span.max + 1 - span.una);
                self.timer = Some((at, Purpose::Probe));
            }
            // The timeout of a segment that is sent again counts from then.
            None => self.timer = self.retransmission(span),
            Some(_) if segment == span.una => self.timer = self.retransmission(span),
            Some(_) => {}
        }
    }

    fn on_clock(&mut self, span: &Span) -> Reading {
        let Some((_, purpose)) = self.timer.filter(|(at, _)| *at <= span.now) else {
            return Reading::Stale;
        };
        match purpose {
            Purpose::Reordering => {
                let found = self.detect(span);
                let loss = self.is_news(found.lost);
                if loss {
                    self.begin(span, span.una, 0);
                }
                self.timer = None;
                self.set_timer(span, span.una, loss, found.remaining);
                if loss {
                    return Reading::Loss { restart: false };
                }
                Reading::Stale
            }
            Purpose::Probe => {
                //= rfc8985 §7.3, rearm
                self.timer = self.retransmission(span);
                //= rfc8985 §7.3, conditions
                if self.probe.end.is_some() || self.measured[0] <= self.measured[1] {
                    return Reading::Stale;
                }
                self.urgent = Some(Urgent::Probe);
                Reading::Probe
            }
            Purpose::Retransmission => {
                //= rfc8985 §6.3
                //= rfc8985 §7.1, reset
                self.board.on_timeout(span.now, self.wnd);
                if let Some(spurious) = &mut self.spurious {
                    self.board.take_originals();
                    spurious.on_congestion(span, span.una, true);
                }
                self.probe = Probe::default();
                self.recovery = Some(Recovery::Timeout { point: span.max });
                self.echo = None;
                self.cut = self.board.next_id();
                //= rfc6298 §5.4
                self.urgent = Some(Urgent::Lost);
                //= rfc6298 §5.6
                // Backed off once the sender knows; the retransmission then sets it anew.
                self.timer = self.retransmission(span);
                Reading::Timeout
            }
        }
    }
}

impl Repair for RackTlp {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        self.0.on_ack(ack, span)
    }

    /// The timer is its own.
    fn on_timeout(&mut self, _: &Span) {}

    //= linux §tcp_input.c, tcp_may_raise_cwnd
    // With more reordering than that, Linux's windows grow for reports of single segments as well. Here they grow when those are acknowledged.
    fn arrived(&self) -> Option<u64> {
        (self.0.board.extent() <= 3).then_some(self.0.delivered)
    }

    fn may_undo(&mut self) -> bool {
        let spurious = &mut self.0.spurious;
        spurious.as_mut().is_some_and(|it| it.begins())
    }

    fn on_echo(&mut self, span: &Span, window: f64) {
        self.0.on_echo(span, window);
    }

    fn reduces(&self) -> bool {
        self.0.echo.is_some()
    }

    fn credit(&self) -> i64 {
        match (&self.0.recovery, &self.0.echo) {
            (Some(Recovery::Fast { prr: Some(prr), .. }), _) | (None, Some((_, prr))) => prr.credit,
            _ => 0,
        }
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        self.0.poll(span, window)
    }

    fn on_sent(&mut self, segment: u64, _: u64, span: &Span) {
        self.0.on_sent(segment, span);
    }

    fn in_network(&self, _: &Span) -> u64 {
        self.0.board.in_flight()
    }

    fn each_lost(&self, _: &Span, found: &mut dyn FnMut(u64)) {
        self.0.board.lost().iter().copied().for_each(found);
    }

    fn on_clock(&mut self, span: &Span) -> Reading {
        self.0.on_clock(span)
    }

    fn poll_clock(&self) -> Option<Instant> {
        self.0.timer.map(|(at, _)| at)
    }
}
