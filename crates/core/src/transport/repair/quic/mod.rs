//! QUIC's loss detection: acks name the packets that have arrived, and each packet has a number of its own.
//!
//! | what is lost | how the sender knows |
//! |---|---|
//! | a packet | the third packet after it has arrived (packet threshold), or a later one has and 9/8 of a round trip has passed since it was sent (time threshold) |
//! | the last ones | no ack comes for a probe timeout (PTO): a probe is sent, new data if there is some, and its ack shows what is lost |
//! | all for three such times | the ack that shows it: persistent congestion closes the window, as a timeout does |
//!
//! A probe timeout itself is no loss, and leaves the window alone. Each one in a row doubles the next.
//!
//! Packets that are neither acknowledged nor lost are in flight, and the window limits those. One packet may go beyond it: a probe, or
//! the first retransmission of a recovery. A recovery reduces the window once, and ends when a packet sent in it is acknowledged.
//!
//! With `late_ack_undo`, the window is what it was if all that was taken for lost is acknowledged after all.
//!
//! Its receiver reports ranges of packets ([`Ranges`](crate::transport::Ranges)), and how long it has withheld an ack.
//= rfc9002 §6
//= rfc9002 §7

mod board;
mod late;

use super::{About, Advance, Clock, Counts, Habits, Hears, Make, Reading, Repair, Span};
use crate::time::{Duration, Instant};
use crate::transport::{Ack, Common, Samples};
use alloc::boxed::Box;
use board::{Board, Found, Thresholds};
use late::Late;

crate::declare! {
    /// Finds losses by packet numbers and times, and probes after a timeout without taking anything for lost.
    pub struct QuicParams as "quic" from "rfc9002 §6" {
        /// kPacketThreshold: a packet is lost if one sent this many packets later has arrived.
        packet_threshold: u64 = "3";
        /// kTimeThreshold: a packet is lost if a later one has arrived, and this many round trips have passed since it was sent.
        time_threshold: f64 = "1.125", try ["2"];
        /// kGranularity: least time for which its timer is set.
        granularity: Duration = "1 ms";
        /// kInitialRtt: the round trip before one has been measured.
        initial_rtt: Duration = "333 ms";
        /// max_ack_delay: how much longer a probe waits because the receiver may be withholding the ack.
        max_ack_delay: Option<Duration> = unset "ack_delay with delayed_ack, else 0 s", try ["250 ms"];
        /// kPersistentCongestionThreshold: the window closes if all packets for this many probe timeouts are lost.
        persistent_congestion: u64 = "3", try ["1"];
        /// Losses are spurious if all packets that were taken for lost are acknowledged after all; then the window is what it was.
        late_ack_undo: bool = "false";
    }
    check |it| {
        let fault = |name, found, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.packet_threshold == 0 { return fault("packet_threshold", "0".into(), "at least 1"); }
        if it.time_threshold < 1.0 {
            return fault("time_threshold", alloc::format!("{}", it.time_threshold), "at least 1, or packets are lost before their acks can come");
        }
        if it.granularity == Duration::ZERO { return fault("granularity", "0 s".into(), "more than 0 s"); }
        if it.initial_rtt == Duration::ZERO { return fault("initial_rtt", "0 s".into(), "more than 0 s"); }
        if it.persistent_congestion == 0 { return fault("persistent_congestion", "0".into(), "at least 1"); }
        Ok(())
    }
}

/// Its demands on the timer and on the receiver, which counts marks.
//= rfc9002 §7.1
pub const ABOUT: About = About::new(Habits {
    samples: Samples::Each,
    clock: Clock::Repair,
    goes_back: false,
    knows_what_arrived: true,
    hears: Hears::Packets,
    ..Habits::TCP
})
.counting(Counts::ButOne)
.with_defaults(&[
    ("ecn_echo", "counter"),
    ("loss_window", "2 segments"),
    ("counted", "segments"),
]);

/// Purpose of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// loss_time
    Loss,
    Probe,
}

/// A transmission that is due whatever the window is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Urgent {
    /// Of the first lost segment.
    Lost,
    Probe,
}

/// QUIC's repair.
#[derive(Clone, Debug)]
pub struct Quic(Box<Machine>);

/// Its state, which is large; senders with other repairs have no room for it.
#[derive(Clone, Debug)]
struct Machine {
    packet_threshold: u64,
    time_threshold: f64,
    granularity: Duration,
    initial_rtt: Duration,
    max_ack_delay: Duration,
    persistent_congestion: u64,
    backoff: bool,
    /// Upper bound of the probe timeout.
    max_wait: Duration,
    board: Board,
    /// first_rtt_sample
    sampled: Option<Instant>,
    /// pto_count
    probes: u32,
    /// When the last packet was sent, or the last probe was due.
    since: Instant,
    timer: Option<(Instant, Purpose)>,
    recovering: bool,
    /// congestion_recovery_start_time, as a packet number: losses of packets before it belong to congestion that the controller knows of.
    cut: u64,
    urgent: Option<Urgent>,
    /// Finds spurious losses, if that is switched on.
    late: Option<Box<Late>>,
}

impl Make<QuicParams> for Quic {
    fn make(own: &QuicParams, common: &Common) -> Self {
        let withheld = if common.delayed_ack {
            common.ack_delay
        } else {
            Duration::ZERO
        };
        Self(Box::new(Machine {
            packet_threshold: own.packet_threshold,
            time_threshold: own.time_threshold,
            granularity: own.granularity,
            initial_rtt: own.initial_rtt,
            max_ack_delay: own.max_ack_delay.unwrap_or(withheld),
            persistent_congestion: own.persistent_congestion,
            backoff: common.backoff,
            max_wait: common.max_rto,
            board: Board::default(),
            sampled: None,
            probes: 0,
            since: Instant::ZERO,
            timer: None,
            recovering: false,
            cut: 0,
            urgent: None,
            late: own.late_ack_undo.then(Box::default),
        }))
    }
}

impl Machine {
    /// PTO = smoothed_rtt + max(4 * rttvar, kGranularity) + max_ack_delay
    //= rfc9002 §6.2.1
    //= rfc9002 §6.2.2, initial
    fn pto(&self, span: &Span) -> Duration {
        let trips = span.rtt.trips();
        let (smoothed, variation) = match trips {
            Some(it) => (it.smoothed, it.variation),
            None => (self.initial_rtt, Duration(self.initial_rtt.0 / 2)),
        };
        let spread = Duration(variation.0.saturating_mul(4)).max(self.granularity);
        let pto = smoothed.0.saturating_add(spread.0);
        Duration(pto.saturating_add(self.max_ack_delay.0))
    }

    fn thresholds(&self, span: &Span) -> Thresholds {
        //= rfc9002 §6.1.2
        // max(kTimeThreshold * max(smoothed_rtt, latest_rtt), kGranularity)
        let trips = span.rtt.trips();
        let trip = trips.map_or(self.initial_rtt, |it| it.smoothed.max(it.latest));
        let delay = Duration((trip.0 as f64 * self.time_threshold) as u64);
        Thresholds {
            packets: self.packet_threshold,
            delay: delay.max(self.granularity),
        }
    }

    /// SetLossDetectionTimer(), with `una` the oldest segment that is outstanding, and `max` one beyond the last.
    //= rfc9002 §A.8
    //= rfc9002 §6.2.1, loss time
    // "The PTO timer MUST NOT be set if a timer is set for time threshold loss detection"
    fn set_timer(&mut self, span: &Span, outstanding: bool, loss: Option<Instant>) {
        self.timer = match loss {
            _ if !outstanding => None,
            Some(at) => Some((at.max(span.now), Purpose::Loss)),
            None => {
                //= rfc9002 §6.2.1, backoff
                //= rfc9002 §6.2.1, idle type=departure
                let doubled = if self.backoff { self.probes.min(32) } else { 0 };
                let wait = Duration(self.pto(span).0.saturating_mul(1 << doubled));
                let at = self.since + wait.min(self.max_wait);
                Some((at.max(span.now), Purpose::Probe))
            }
        };
    }

    /// OnPacketsLost(): whether the losses found are congestion that the controller does not know of, and how it is told.
    fn judge(&mut self, found: &Found, span: &Span) -> Option<Reading> {
        let (repairing, cut) = (self.recovering, self.cut);
        let told = self.congestion(found, span);
        if self.late.is_none() {
            return told;
        }
        let wait = Duration(self.pto(span).0.saturating_mul(2));
        if let Some(late) = &mut self.late {
            if told.is_some() {
                late.on_congestion(repairing, cut);
            }
            late.on_lost(&found.lost, span.now, wait);
        }
        told
    }

    //= rfc9002 §B.8
    fn congestion(&mut self, found: &Found, span: &Span) -> Option<Reading> {
        let latest = *found.lost.last()?;
        //= rfc9002 §7.6.1
        let duration = (self.pto(span).0).saturating_mul(self.persistent_congestion);
        if (self.board).persists(&found.lost, self.sampled, Duration(duration)) {
            //= rfc9002 §7.6.2, minimum
            //= rfc9002 §5.2, reset type=departure
            // Slow start follows at once, not a recovery.
            self.recovering = false;
            self.cut = 0;
            return Some(Reading::Timeout);
        }
        //= rfc9002 §7.3.2, once
        if latest < self.cut {
            return None;
        }
        self.cut = self.board.next_id();
        self.recovering = true;
        //= rfc9002 §7.3.2, single
        // "If the congestion window is reduced immediately, a single packet can be sent prior to reduction."
        if !self.board.lost().is_empty() {
            self.urgent = Some(Urgent::Lost);
        }
        Some(Reading::Loss { restart: false })
    }

    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        let advanced = ack.next > span.una;
        let una = span.una.max(ack.next);
        if span.rtt.trips().is_some() {
            self.sampled = self.sampled.or(Some(span.now));
        }
        if let Some(late) = &mut self.late {
            late.on_acknowledged(&self.board.new_runs(ack), span.now);
        }
        let news = self.board.on_ack(ack);
        let found = self.board.detect(span.now, self.thresholds(span));
        if news.count > 0 {
            //= rfc9002 §6.2.1, reset
            self.probes = 0;
            self.urgent = None;
        }
        let before = self.recovering;
        //= rfc9002 §7.3.2, ends
        // "A recovery period ends and the sender enters congestion avoidance when a packet sent during the recovery period is
        // acknowledged."
        self.recovering &= news.largest.is_none_or(|id| id < self.cut);
        let told = self.judge(&found, span);
        let spurious = self.ends();
        self.board.advance(una, una == span.max);
        self.set_timer(span, una < span.max, found.next);
        if una == span.max {
            self.urgent = None;
        }
        match told {
            _ if spurious => Reading::Spurious { advanced },
            _ if span.una == span.max => Reading::Stale,
            Some(told) => told,
            //= rfc9002 §7.3.2, ending ack type=departure
            // It does not let the window grow.
            None if before && !self.recovering => Reading::Advance(Advance::Over),
            None if advanced && self.recovering => Reading::Advance(Advance::Partial {
                restart_timer: true,
                deflate: 0,
            }),
            None if advanced => Reading::Advance(Advance::Open),
            None if news.count > 0 => Reading::Duplicate,
            None => Reading::Stale,
        }
    }

    /// Whether the latest episode of losses was spurious, if it is known by now: then nothing is left of it.
    fn ends(&mut self) -> bool {
        let Some(cut) = self.late.as_mut().and_then(|it| it.ends()) else {
            return false;
        };
        (self.recovering, self.cut, self.urgent) = (false, cut, None);
        true
    }

    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        let new = (span.max < span.edge).then_some(span.max);
        let lost = self.board.lost().first().copied();
        match self.urgent {
            //= rfc9002 §6.2.4, new
            // "An endpoint SHOULD include new data in packets that are sent on PTO expiration. Previously sent data MAY be sent if no new
            // data can be sent." What is known to be lost goes first. If all is known to have arrived, but is not in order, the receiver
            // must have discarded it.
            Some(Urgent::Probe) => lost.or(new).or(self.board.oldest()).or(Some(span.una)),
            //= rfc9002 §7, limit
            None if self.board.in_flight() >= window as u64 => None,
            Some(Urgent::Lost) | None => lost.or(new),
        }
    }

    fn on_sent(&mut self, segment: u64, span: &Span) {
        self.urgent = None;
        self.board.on_sent(span.now, segment);
        //= rfc9002 §6.2.1, restart
        // "A sender SHOULD restart its PTO timer every time an ack-eliciting packet is sent or acknowledged".
        self.since = span.now;
        let loss = self.timer.filter(|(_, purpose)| *purpose == Purpose::Loss);
        self.set_timer(span, true, loss.map(|(at, _)| at));
    }

    fn on_clock(&mut self, span: &Span) -> Reading {
        let Some((_, purpose)) = self.timer.filter(|(at, _)| *at <= span.now) else {
            return Reading::Stale;
        };
        //= rfc9002 §A.9
        match purpose {
            Purpose::Loss => {
                let found = self.board.detect(span.now, self.thresholds(span));
                let told = self.judge(&found, span);
                self.set_timer(span, true, found.next);
                told.unwrap_or(Reading::Stale)
            }
            //= rfc9002 §6.2, no loss
            //= rfc9002 §6.2.4, one
            //= rfc9002 §7.5
            Purpose::Probe => {
                self.probes = self.probes.saturating_add(1);
                self.since = span.now;
                self.urgent = Some(Urgent::Probe);
                self.set_timer(span, true, None);
                Reading::Probe
            }
        }
    }
}

impl Repair for Quic {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        self.0.on_ack(ack, span)
    }

    fn may_undo(&mut self) -> bool {
        (self.0.late.as_mut()).is_some_and(|it| it.begins())
    }

    fn on_echo(&mut self, _: &Span, _: f64) {
        if let Some(late) = &mut self.0.late {
            late.forget();
        }
    }

    /// The timer is its own.
    fn on_timeout(&mut self, _: &Span) {}

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
