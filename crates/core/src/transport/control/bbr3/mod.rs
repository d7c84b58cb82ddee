//! BBR, version 3, as in the IETF's draft: measures the bottleneck's rate and the round trip without a queue, sends at the one, and
//! keeps their product in flight; but not more than losses allow.
//!
//! The model has two time scales. The long term: `max_bw`, the largest delivery rate of this and the last cycle of bandwidth probing, and
//! `inflight_longterm`, the volume in flight that lost too much in a probe. The short term: `bw_shortterm` and `inflight_shortterm`,
//! which losses between the probes reduce, and which the next probe forgets. Startup and Drain find the rate, ProbeBW probes for more of it
//! every two to three seconds or sooner (DOWN, CRUISE, REFILL, UP), and ProbeRTT halves what is in flight every five seconds, to measure the
//! round trip.
//!
//! The draft's names are kept, in segments where it has bytes, and rates are of full packets with their headers. BBR.send_quantum is the
//! common parameter `send_quantum`: one packet unless it is set, the smallest that is feasible.
//= ccwg-bbr-06 §5

mod path;
mod states;

use super::windowed::Maximum;
use super::{
    About, AckSample, Answer, Controller, Lost, Needs, Outstanding, Phase, Sending, Signal, Wants,
};
use crate::declare::Fault;
use crate::measure::{Rate, Share};
use crate::rng::Stream;
use crate::time::{Duration, Instant, SECOND};
use crate::transport::Common;
use crate::transport::shaper::burst;
use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

crate::declare! {
    /// Sends at the largest delivery rate of two cycles of probing, and bounds what is in flight by what losses have shown.
    pub struct Bbr3Params as "bbr3" from "ccwg-bbr-06 §5" {
        /// LossThresh: largest share of lost segments in a round trip that a probe for bandwidth tolerates.
        loss_thresh: Share = "0.02", try ["0", "0.2"];
        /// Headroom: share of `inflight_longterm` that is left to others between the probes.
        headroom: Share = "0.15", try ["0.5"];
    }
    check |it| {
        if it.loss_thresh.0 >= 1.0 {
            return Err(Fault { name: "loss_thresh", found: alloc::format!("{}", it.loss_thresh.0), allowed: "below 1".into() });
        }
        Ok(())
    }
}

/// With selective acks it is the transport `bbr3`. The initial window is outside its scope (§5.6.4.1); 10 segments is RFC 6928's.
pub const ABOUT: About = About::new(Answer::Stays, Needs::Acks)
    .with_repair("sack")
    .with_defaults(&[("initial_window", "10 segments")]);

const STARTUP_PACING_GAIN: f64 = 2.77;
/// Part of the bandwidth at which it is paced.
const PACING_MARGIN: f64 = 0.99;
/// BBR.MinPipeCwnd \[segments\]
const MIN_PIPE_CWND: f64 = 4.0;
/// BBR.MaxBwFilterLen \[cycles\]
const MAX_BW_FILTER_LEN: u64 = 2;
/// BBR.ExtraAckedFilterLen \[rounds\]
const EXTRA_ACKED_FILTER_LEN: u64 = 10;
const MIN_RTT_FILTER_LEN: Duration = Duration::secs(10);
/// BBR.Beta
const BETA: f64 = 0.7;
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
const PROBE_RTT_DURATION: Duration = Duration::millis(200);
const PROBE_RTT_INTERVAL: Duration = Duration::secs(5);
/// BBRStartupFullLossCnt
const STARTUP_FULL_LOSS_COUNT: u64 = 6;

/// BBR.state
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// IsInAProbeBWState()
    fn is_probe_bw(self) -> bool {
        use State::{Cruise, Down, Refill, Up};
        matches!(self, Down | Cruise | Refill | Up)
    }

    /// IsProbingBW()
    fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// BBR.pacing_gain and BBR.cwnd_gain
    //= ccwg-bbr-06 §5.6.1
    pub(crate) fn gains(self) -> (f64, f64) {
        match self {
            Self::Startup => (STARTUP_PACING_GAIN, 2.0),
            Self::Drain => (0.5, 2.0),
            Self::Down => (0.9, 2.0),
            Self::Cruise | Self::Refill => (1.0, 2.0),
            Self::Up => (1.25, 2.25),
            Self::ProbeRtt => (1.0, PROBE_RTT_CWND_GAIN),
        }
    }
}

/// BBR.ack_phase
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// RS: the rate sample of an ack, or what is known of a lost transmission. Of an ack that reports no arrival all is zero.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// \[bit/s\]; 0 for none.
    delivery_rate: f64,
    delivered: f64,
    /// `None` without an arrival.
    prior_delivered: Option<u64>,
    tx_in_flight: f64,
    lost: f64,
    is_app_limited: bool,
    newly_acked: f64,
    rtt: Option<Duration>,
}

/// State of before a loss that may turn out to be spurious: BBR.undo_state and the others.
#[derive(Clone, Copy, Debug)]
struct Saved {
    /// The state that was left because of the loss.
    state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

/// BBRv3. Its state is boxed: that of other controllers is much smaller, and would grow with it.
#[derive(Clone, Debug)]
pub struct Bbr3(Box<Model>);

impl Bbr3 {
    /// At the start of a connection.
    pub fn new(own: &Bbr3Params, common: &Common) -> Self {
        Self(Box::new(Model::new(own, common)))
    }
}

impl Deref for Bbr3 {
    type Target = Model;
    fn deref(&self) -> &Model {
        &self.0
    }
}

impl DerefMut for Bbr3 {
    fn deref_mut(&mut self) -> &mut Model {
        &mut self.0
    }
}

/// Its model of the path, and what it does. Volumes are in segments, rates in bit/s.
#[derive(Clone, Debug)]
pub struct Model {
    loss_thresh: f64,
    headroom: f64,
    /// C.SMSS, as bits of a full packet.
    bits: f64,
    initial_cwnd: f64,
    send_quantum: Duration,
    max_cwnd: f64,
    draws: Stream,
    /// Something was sent.
    begun: bool,
    now: Instant,
    pub(crate) state: State,
    ack_phase: AckPhase,
    rs: Sample,
    srtt: Option<Duration>,
    /// The pacing rate is based on a measured round trip.
    has_seen_rtt: bool,
    /// C.pacing_rate
    pub(crate) pacing_rate: f64,
    /// Its whole part, at least 1.
    pace: Rate,
    pub(crate) cwnd: f64,
    prior_cwnd: f64,
    /// C.inflight and C.delivered
    inflight: f64,
    delivered: u64,
    /// C.is_cwnd_limited until more than this is delivered.
    cwnd_limited: Option<u64>,
    /// The time of the last timeout, and the window before it.
    pub(crate) timeout: Option<(Instant, f64)>,
    saved: Option<Saved>,
    /// InLossRecovery()
    pub(crate) in_loss_recovery: bool,
    /// Segments outstanding at the last timeout that are not yet acknowledged.
    timed_out: u64,
    pub(crate) round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    pub(crate) drain_start_round: u64,
    pub(crate) idle_restart: bool,
    max_bw_filter: Maximum<f64>,
    pub(crate) cycle_count: u64,
    pub(crate) bw: f64,
    pub(crate) bw_shortterm: f64,
    pub(crate) inflight_shortterm: f64,
    pub(crate) inflight_longterm: f64,
    bw_latest: f64,
    inflight_latest: f64,
    pub(crate) is_loss_in_round: bool,
    loss_round_start: bool,
    loss_round_delivered: u64,
    /// Discontiguous ranges lost in this round, and the last lost transmission.
    lost_ranges: u64,
    last_lost: Option<u64>,
    extra_acked_interval_start: Instant,
    extra_acked_delivered: f64,
    extra_acked_filter: Maximum<f64>,
    pub(crate) full_bw_reached: bool,
    pub(crate) full_bw_now: bool,
    full_bw: f64,
    pub(crate) full_bw_count: u64,
    is_bw_probe_sample: bool,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    bw_probe_up_rounds: u32,
    rounds_since_probe_up: u64,
    pub(crate) bw_probe_wait: Duration,
    pub(crate) cycle_stamp: Instant,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    pub(crate) min_rtt: Option<Duration>,
    min_rtt_stamp: Instant,
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Instant,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Instant>,
    probe_rtt_round_done: bool,
}

impl Model {
    /// At the start of a connection.
    //= ccwg-bbr-06 §5.2.1
    fn new(own: &Bbr3Params, common: &Common) -> Self {
        let segments = |it: crate::measure::Window| it.whole_segments(common.mss) as f64;
        let max_cwnd = common.max_cwnd.map_or(f64::INFINITY, segments);
        let initial_cwnd = segments(common.initial_window).min(max_cwnd);
        let mut it = Self {
            loss_thresh: own.loss_thresh.0,
            headroom: own.headroom.0,
            bits: ((common.mss.0 + common.header.0) * 8) as f64,
            initial_cwnd,
            send_quantum: common.send_quantum,
            max_cwnd,
            draws: Stream::new(0, "control"),
            begun: false,
            now: Instant::ZERO,
            state: State::Startup,
            ack_phase: AckPhase::Init,
            rs: Sample::default(),
            srtt: None,
            has_seen_rtt: false,
            pacing_rate: 0.0,
            pace: Rate(1),
            cwnd: initial_cwnd,
            prior_cwnd: 0.0,
            inflight: 0.0,
            delivered: 0,
            cwnd_limited: None,
            timeout: None,
            saved: None,
            in_loss_recovery: false,
            timed_out: 0,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            drain_start_round: 0,
            idle_restart: false,
            max_bw_filter: Maximum::new(),
            cycle_count: 0,
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            is_loss_in_round: false,
            loss_round_start: false,
            loss_round_delivered: 0,
            lost_ranges: 0,
            last_lost: None,
            extra_acked_interval_start: Instant::ZERO,
            extra_acked_delivered: 0.0,
            extra_acked_filter: Maximum::new(),
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            is_bw_probe_sample: false,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            bw_probe_wait: Duration::ZERO,
            cycle_stamp: Instant::ZERO,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            min_rtt: None,
            min_rtt_stamp: Instant::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Instant::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
        };
        it.init_pacing_rate();
        it
    }
}

impl Controller for Bbr3 {
    fn window(&self) -> f64 {
        self.cwnd
    }

    // A separate function, so that the acks of other controllers do not pay for its stack frame.
    //= ccwg-bbr-06 §5.2.3
    #[inline(never)]
    fn on_ack(&mut self, sample: &AckSample) {
        let Some(delivery) = &sample.delivery else {
            return;
        };
        self.now = sample.now;
        self.srtt = sample.srtt;
        self.delivered = delivery.delivered;
        self.inflight = sample.in_flight as f64;
        self.rs = delivery.newest.map_or(Sample::default(), |newest| Sample {
            delivery_rate: newest.delivery_rate.map_or(0.0, Rate::bps),
            delivered: (delivery.delivered - newest.delivered_when_sent) as f64,
            prior_delivered: Some(newest.delivered_when_sent),
            tx_in_flight: newest.in_flight_when_sent as f64,
            lost: newest.lost_since_sent as f64,
            is_app_limited: newest.app_limited,
            newly_acked: delivery.arrived as f64,
            rtt: newest.rtt,
        });
        self.follow_recovery(sample);
        self.update_latest_delivery_signals();
        self.update_congestion_signals();
        self.update_ack_aggregation();
        self.check_full_bw_reached();
        self.check_startup_done();
        self.check_drain_done();
        self.update_probe_bw_cycle_phase();
        self.update_min_rtt();
        self.check_probe_rtt();
        self.advance_latest_delivery_signals();
        self.bw = self.max_bw().min(self.bw_shortterm);
        let (gain, _) = self.state.gains();
        self.set_pacing_rate_with_gain(gain);
        self.set_cwnd();
    }

    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        self.now = outstanding.now;
        match signal {
            //= ccwg-bbr-06 §5.6.4.4
            Signal::Loss { .. } => {
                self.save_cwnd();
                self.in_loss_recovery = true;
            }
            Signal::Timeout { .. } => {
                self.save_cwnd();
                self.in_loss_recovery = true;
                (self.timed_out, self.inflight) = (outstanding.flight, 0.0);
                self.timeout = Some((self.now, self.cwnd));
                self.cwnd = 1.0;
            }
            //= ccwg-bbr-06 §3.7
            // It "MUST treat any CE marks as congestion": like a loss in this round, and in a probe like too much loss.
            Signal::Ecn => {
                self.note_loss();
                if self.is_bw_probe_sample {
                    self.rs.tx_in_flight = self.inflight;
                    self.handle_inflight_too_high();
                }
            }
        }
    }

    //= ccwg-bbr-06 §5.5.11
    fn save(&mut self) {
        self.saved = Some(Saved {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        });
    }

    fn undo(&mut self) {
        if let Some(saved) = self.saved.take() {
            self.restore(&saved);
        }
    }

    //= ccwg-bbr-06 §5.5.10.2
    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        let continues = self.last_lost.is_some_and(|last| last + 1 == lost.id);
        self.lost_ranges += u64::from(!continues || self.lost_ranges == 0);
        self.last_lost = Some(lost.id);
        self.note_loss();
        if !self.is_bw_probe_sample {
            return;
        }
        self.rs.tx_in_flight = lost.in_flight_when_sent as f64;
        self.rs.lost = lost.lost_since_sent as f64;
        self.rs.is_app_limited = lost.app_limited;
        if self.is_inflight_too_high() {
            self.rs.tx_in_flight = self.inflight_at_loss();
            self.handle_inflight_too_high();
        }
    }

    fn state(&self, _recovering: bool) -> &'static str {
        match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::Down => "probe-bw-down",
            State::Cruise => "probe-bw-cruise",
            State::Refill => "probe-bw-refill",
            State::Up => "probe-bw-up",
            State::ProbeRtt => "probe-rtt",
        }
    }

    fn wants(&self) -> Wants {
        Wants::MODEL
    }

    fn pacing(&self) -> Option<Rate> {
        Some(self.pace)
    }

    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        self.draws = make();
    }

    /// MarkConnectionAppLimited(): "Ignore low rate samples during ProbeRTT".
    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }

    //= ccwg-bbr-06 §5.2.2
    fn on_sent(&mut self, sending: &Sending) {
        self.now = sending.now;
        if !self.begun {
            self.begun = true;
            (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (self.now, self.now);
            self.extra_acked_interval_start = self.now;
        }
        //= ccwg-bbr-06 §5.4.1
        if sending.in_flight == 0 && sending.app_limited {
            self.idle_restart = true;
            self.extra_acked_interval_start = self.now;
            if self.state.is_probe_bw() {
                self.set_pacing_rate_with_gain(1.0);
            } else if self.state == State::ProbeRtt {
                self.check_probe_rtt_done();
            }
        }
        let in_flight = sending.in_flight + 1;
        self.inflight = in_flight as f64;
        if self.inflight + 1.0 > self.cwnd {
            self.cwnd_limited = Some(self.delivered + in_flight);
        }
    }
}
