//! BBR, version 1, as in Linux 6.1: measures the bottleneck's rate and the round trip without a queue, sends at the one, and keeps their
//! product in flight.
//!
//! The rate is the largest delivery rate of the last ten rounds, the round trip the shortest of the last ten seconds. STARTUP doubles the
//! rate every round until it no longer grows, and DRAIN empties the queue that this has made. PROBE_BW sends faster for a round trip and
//! slower for the next in every eight. PROBE_RTT lets the path run empty when no round trip was as short as the shortest for ten seconds.
//! A loss changes neither of the two, but it changes the window during a recovery.
//!
//! Windows are whole segments and gains are in 256ths, as in the kernel. Rates are of full packets with their headers.
//= linux-bbr

use super::aggregation::Aggregation;
use super::policed::{Counts, Event, Policed};
use super::windowed::Maximum;
use super::{
    About, AckSample, Answer, Controller, Delivery, Needs, Newest, Outstanding, Phase, Sending,
    Signal, Wants,
};
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::{Duration, Instant, SECOND};
use crate::transport::{Common, shaper::burst};
use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

crate::declare! {
    /// Sends at the largest delivery rate of the last ten rounds, with two bandwidth-delay products in flight at most.
    pub struct Bbr1Params as "bbr1" from "linux-bbr" {}
}

/// With selective acks it is the transport `bbr1`. Its initial window is Linux's.
pub const ABOUT: About = About::new(Answer::Stays, Needs::Acks)
    .with_repair("sack")
    .with_defaults(&[("initial_window", "10 segments")]);

/// A gain of 1.
const UNIT: u64 = 256;
/// 2/ln 2, by which the rate doubles every round.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
/// Its inverse.
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
/// Phases of PROBE_BW.
const PHASES: usize = 8;
/// Gain of the window in PROBE_BW.
const CWND_GAIN: u64 = 2 * UNIT;
/// Rounds for which a delivery rate counts: ten after its own.
const BW_ROUNDS: u64 = PHASES as u64 + 2 + 1;
/// Time for which a round trip counts.
const MIN_RTT_WINDOW: Duration = Duration::secs(10);
/// Least time of PROBE_RTT with its window.
const PROBE_RTT_TIME: Duration = Duration::millis(200);
/// Least window \[segments\].
const LEAST_CWND: u64 = 4;
/// Least growth of the rate, in three rounds, of a pipe that is not full.
const FULL_BW: u64 = UNIT * 5 / 4;
const FULL_BW_ROUNDS: u64 = 3;
/// TCP_INIT_CWND \[segments\]
const INIT_CWND: u64 = 10;
/// Most time whose data `extra_acked` may add.
const EXTRA_ACKED_TIME: Duration = Duration::millis(100);
/// Time whose worth of segments is a burst: `sk_pacing_shift` of 10.
const TSO_TIME: Duration = Duration(SECOND >> 10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// State of the repair: `icsk_ca_state`, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repairs {
    Nothing,
    /// Losses found by acks.
    Recovery,
    /// All that was outstanding when the timer ran out.
    Timeout,
}

/// BBRv1. Its state is boxed: that of other controllers is much smaller, and would grow with it.
#[derive(Clone, Debug)]
pub struct Bbr1(Box<Model>);

impl Bbr1 {
    /// At the start of a connection.
    pub fn new(own: &Bbr1Params, common: &Common) -> Self {
        Self(Box::new(Model::new(own, common)))
    }
}

impl Deref for Bbr1 {
    type Target = Model;
    fn deref(&self) -> &Model {
        &self.0
    }
}

impl DerefMut for Bbr1 {
    fn deref_mut(&mut self) -> &mut Model {
        &mut self.0
    }
}

/// Its model of the path, and what it does.
#[derive(Clone, Debug)]
pub struct Model {
    /// Bits of a full packet.
    bits: u64,
    max_cwnd: u64,
    draws: Stream,
    /// Something was sent.
    begun: bool,
    pub(crate) mode: Mode,
    pacing_gain: u64,
    cwnd_gain: u64,
    /// `cycle_idx`, and the time at which that phase began.
    pub(crate) cycle: usize,
    cycle_at: Instant,
    /// \[bit/s\]
    bw: Maximum<u64>,
    policed: Policed,
    min_rtt: Option<Duration>,
    min_rtt_at: Instant,
    rounds: u64,
    round_start: bool,
    /// `next_rtt_delivered` \[segments\]
    round_ends: u64,
    full_bw: u64,
    full_bw_count: u64,
    full_bw_reached: bool,
    aggregation: Aggregation,
    idle_restart: bool,
    probe_rtt_done: Option<Instant>,
    probe_rtt_round_done: bool,
    cwnd: u64,
    /// The window before a recovery or PROBE_RTT.
    prior_cwnd: u64,
    ssthresh: f64,
    packet_conservation: bool,
    /// `prev_ca_state`
    repairs: Repairs,
    /// Segments outstanding at the last timeout that are not yet acknowledged.
    timed_out: u64,
    delivered: u64,
    delivered_at: Instant,
    lost: u64,
    /// Before the next ack \[segments\].
    in_flight: u64,
    srtt: Option<Duration>,
    /// The rate is based on a measured round trip.
    has_seen_rtt: bool,
    rate: Rate,
    /// Time at which pacing lets the next packet go.
    next_send: Instant,
}

impl Model {
    /// At the start of a connection.
    fn new(_: &Bbr1Params, common: &Common) -> Self {
        let bits = (common.mss.0 + common.header.0) * 8;
        let segments = |it: crate::measure::Window| it.whole_segments(common.mss);
        let max_cwnd = common.max_cwnd.map_or(u64::MAX, segments);
        let mut it = Self {
            bits,
            max_cwnd,
            draws: Stream::new(0, "control"),
            begun: false,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            cycle: 0,
            cycle_at: Instant::ZERO,
            bw: Maximum::new(),
            policed: Policed::new(bits),
            min_rtt: None,
            min_rtt_at: Instant::ZERO,
            rounds: 0,
            round_start: false,
            round_ends: 0,
            full_bw: 0,
            full_bw_count: 0,
            full_bw_reached: false,
            aggregation: Aggregation::default(),
            idle_restart: false,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            cwnd: segments(common.initial_window).min(max_cwnd),
            prior_cwnd: 0,
            ssthresh: f64::INFINITY,
            packet_conservation: false,
            repairs: Repairs::Nothing,
            timed_out: 0,
            delivered: 0,
            delivered_at: Instant::ZERO,
            lost: 0,
            in_flight: 0,
            srtt: None,
            has_seen_rtt: false,
            rate: Rate(1),
            next_send: Instant::ZERO,
        };
        it.init_pacing_rate();
        it
    }

    /// The largest delivery rate of the last rounds \[bit/s\].
    pub(crate) fn max_bw(&self) -> u64 {
        self.bw.get().unwrap_or(0)
    }

    /// The estimated rate of the path \[bit/s\].
    fn bw(&self) -> u64 {
        self.policed.rate().unwrap_or(self.max_bw())
    }

    fn watch_policer(&mut self, now: Instant, loss: bool, app_limited: bool, round_start: bool) {
        let counts = Counts::new(now, self.delivered, self.lost);
        let probes = self.mode == Mode::ProbeBw;
        let event = Event {
            counts,
            loss,
            app_limited,
            round_start,
            probes,
        };
        if self.policed.on(&event) {
            self.enter_probe_bw();
        }
    }

    /// Whole segments that arrive in `time` at `bw`.
    fn segments(&self, bw: u64, time: Duration) -> u64 {
        let bits = u128::from(bw) * u128::from(time.0);
        (bits / (u128::from(self.bits) * u128::from(SECOND))) as u64
    }

    /// A rate 1 % below `gain` times `bw`.
    fn paced(bw: u64, gain: u64) -> Rate {
        let rate = u128::from(bw) * u128::from(gain) / u128::from(UNIT) * 99 / 100;
        Rate(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
    }

    /// The initial window in a round trip, or in a millisecond before that is known.
    fn init_pacing_rate(&mut self) {
        let round_trip = self.srtt.unwrap_or(Duration::millis(1)).0.max(1);
        self.has_seen_rtt = self.srtt.is_some();
        let bits = u128::from(self.cwnd) * u128::from(self.bits) * u128::from(SECOND);
        let bw = u64::try_from(bits / u128::from(round_trip)).unwrap_or(u64::MAX);
        self.rate = Self::paced(bw, HIGH_GAIN);
    }

    fn set_pacing_rate(&mut self, bw: u64, gain: u64) {
        let rate = Self::paced(bw, gain);
        if !self.has_seen_rtt && self.srtt.is_some() {
            self.init_pacing_rate();
        }
        if self.full_bw_reached || rate > self.rate {
            self.rate = rate;
        }
    }

    /// The bandwidth-delay product times `gain`, rounded up \[segments\].
    fn bdp(&self, bw: u64, gain: u64) -> u64 {
        let Some(min_rtt) = self.min_rtt else {
            return INIT_CWND;
        };
        let bits = u128::from(bw) * u128::from(min_rtt.0) * u128::from(gain) / u128::from(UNIT);
        let segment = u128::from(self.bits) * u128::from(SECOND);
        bits.div_ceil(segment) as u64
    }

    /// Segments of a burst for which a host with segmentation offload makes room. Packets leave one by one unless `send_quantum` is
    /// set, but the windows are always those of the kernel.
    fn tso_segs_goal(&self) -> u64 {
        burst(self.rate, TSO_TIME, self.bits)
    }

    fn quantization_budget(&self, cwnd: u64) -> u64 {
        let even = (cwnd + 3 * self.tso_segs_goal()).next_multiple_of(2);
        even + 2 * u64::from(self.mode == Mode::ProbeBw && self.cycle == 0)
    }

    fn inflight(&self, bw: u64, gain: u64) -> u64 {
        self.quantization_budget(self.bdp(bw, gain))
    }

    /// Of `in_flight` segments, those that will still be in the network when the next one may go; with that one, if more are to come.
    fn in_network_at_next_send(&self, now: Instant, in_flight: u64) -> u64 {
        let delivered = self.segments(self.bw(), self.next_send - now);
        let more = u64::from(self.pacing_gain > UNIT) * self.tso_segs_goal();
        (in_flight + more).saturating_sub(delivered)
    }

    /// `bbr_update_bw`
    fn update_bw(&mut self, now: Instant, delivery: &Delivery, newest: &Newest, rate: Rate) {
        if newest.delivered_when_sent >= self.round_ends {
            self.round_ends = self.delivered;
            self.rounds += 1;
            self.round_start = true;
            self.packet_conservation = false;
        }
        self.watch_policer(now, delivery.lost > 0, newest.app_limited, self.round_start);
        if !newest.app_limited || rate.0 >= self.max_bw() {
            self.bw.add(self.rounds, rate.0, BW_ROUNDS);
        }
    }

    /// `bbr_update_ack_aggregation`
    fn update_aggregation(&mut self, now: Instant, arrived: u64) {
        let expected = self.segments(self.bw(), self.aggregation.elapsed(now));
        (self.aggregation).on_ack(now, (arrived, expected, self.cwnd), self.round_start);
    }

    /// `bbr_ack_aggregation_cwnd`
    fn aggregation_cwnd(&self) -> u64 {
        if !self.full_bw_reached {
            return 0;
        }
        let most = self.segments(self.bw(), EXTRA_ACKED_TIME);
        self.aggregation.extra_acked().min(most)
    }

    /// `bbr_is_next_cycle_phase`; `in_flight` is as before the ack.
    fn is_next_cycle_phase(&self, now: Instant, in_flight: u64, loss: bool) -> bool {
        let elapsed = self.delivered_at - self.cycle_at;
        let full_length = self.min_rtt.is_some_and(|it| elapsed > it);
        let in_network = self.in_network_at_next_send(now, in_flight);
        let bw = self.max_bw();
        match self.pacing_gain {
            UNIT => full_length,
            gain if gain > UNIT => full_length && (loss || in_network >= self.inflight(bw, gain)),
            _ => full_length || in_network <= self.inflight(bw, UNIT),
        }
    }

    fn advance_cycle_phase(&mut self) {
        self.cycle = (self.cycle + 1) % PHASES;
        self.cycle_at = self.delivered_at;
    }

    /// The cycle begins in a random phase, but not in the one that drains.
    fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        self.cycle = PHASES - 1 - self.draws.between(0, 6) as usize;
        self.advance_cycle_phase();
    }

    /// `bbr_check_full_bw_reached`, at the start of a round whose sample the application does not limit.
    fn check_full_bw(&mut self) {
        let max = self.max_bw();
        let least = u128::from(self.full_bw) * u128::from(FULL_BW) / u128::from(UNIT);
        if u128::from(max) >= least {
            (self.full_bw, self.full_bw_count) = (max, 0);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_reached = self.full_bw_count >= FULL_BW_ROUNDS;
    }

    fn check_drain(&mut self, now: Instant, in_flight: u64) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            self.ssthresh = self.inflight(self.max_bw(), UNIT) as f64;
        }
        let target = self.inflight(self.max_bw(), UNIT);
        if self.mode == Mode::Drain && self.in_network_at_next_send(now, in_flight) <= target {
            self.enter_probe_bw();
        }
    }

    /// `bbr_update_min_rtt`, with PROBE_RTT.
    fn update_min_rtt(&mut self, sample: &AckSample, delivery: &Delivery) {
        let now = sample.now;
        let expired = now > self.min_rtt_at + MIN_RTT_WINDOW;
        if let Some(rtt) = delivery.newest.and_then(|it| it.rtt)
            && (expired || self.min_rtt.is_none_or(|least| rtt < least))
        {
            (self.min_rtt, self.min_rtt_at) = (Some(rtt), now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done = None;
        }
        if self.mode == Mode::ProbeRtt {
            if self.probe_rtt_done.is_none() {
                if sample.in_flight <= LEAST_CWND {
                    self.probe_rtt_done = Some(now + PROBE_RTT_TIME);
                    self.probe_rtt_round_done = false;
                    self.round_ends = self.delivered;
                }
            } else {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done(now);
                }
            }
        }
        if delivery.arrived > 0 {
            self.idle_restart = false;
        }
    }

    fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_done.is_none_or(|at| now <= at) {
            return;
        }
        self.min_rtt_at = now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full_bw_reached {
            self.enter_probe_bw();
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.policed.rate().is_some() => (UNIT, CWND_GAIN),
            Mode::ProbeBw if self.cycle == 0 => (UNIT * 5 / 4, CWND_GAIN),
            Mode::ProbeBw if self.cycle == 1 => (UNIT * 3 / 4, CWND_GAIN),
            Mode::ProbeBw => (UNIT, CWND_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    fn save_cwnd(&mut self) {
        let good = self.repairs == Repairs::Nothing && self.mode != Mode::ProbeRtt;
        let before = if good { 0 } else { self.prior_cwnd };
        self.prior_cwnd = self.cwnd.max(before);
    }

    /// What a recovery makes of the window; `None` if the packets in flight are conserved, and the window is set.
    fn recover_or_restore(&mut self, sample: &AckSample, delivery: &Delivery) -> Option<u64> {
        let before = self.repairs;
        self.repairs = match sample.phase {
            Phase::Recovery => Repairs::Recovery,
            _ if self.timed_out > 0 => Repairs::Timeout,
            _ => Repairs::Nothing,
        };
        let conserved = sample.in_flight + delivery.arrived;
        let mut cwnd = self.cwnd.saturating_sub(delivery.lost).max(1);
        if self.repairs == Repairs::Recovery && before != Repairs::Recovery {
            self.packet_conservation = true;
            self.round_ends = self.delivered;
            cwnd = conserved;
        } else if before != Repairs::Nothing && self.repairs == Repairs::Nothing {
            cwnd = cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        if self.packet_conservation {
            self.cwnd = cwnd.max(conserved);
            return None;
        }
        Some(cwnd)
    }

    /// `bbr_set_cwnd`
    fn set_cwnd(&mut self, sample: &AckSample, delivery: &Delivery) {
        let acked = delivery.arrived;
        if acked > 0
            && let Some(cwnd) = self.recover_or_restore(sample, delivery)
        {
            let target = self.bdp(self.bw(), self.cwnd_gain) + self.aggregation_cwnd();
            let target = self.quantization_budget(target);
            self.cwnd = if self.full_bw_reached {
                (cwnd + acked).min(target)
            } else if cwnd < target || self.delivered < INIT_CWND {
                cwnd + acked
            } else {
                cwnd
            };
            self.cwnd = self.cwnd.max(LEAST_CWND);
        }
        self.cwnd = self.cwnd.min(self.max_cwnd);
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST_CWND);
        }
    }
}

impl Controller for Bbr1 {
    fn window(&self) -> f64 {
        self.cwnd as f64
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    // A separate function, so that the acks of other controllers do not pay for its stack frame.
    #[inline(never)]
    fn on_ack(&mut self, sample: &AckSample) {
        let Some(delivery) = &sample.delivery else {
            return;
        };
        let now = sample.now;
        self.srtt = sample.srtt;
        self.delivered = delivery.delivered;
        self.lost += delivery.lost;
        self.timed_out = self.timed_out.saturating_sub(sample.acked);
        if delivery.arrived > 0 {
            self.delivered_at = now;
        }
        self.round_start = false;
        let mut app_limited = false;
        if let Some(newest) = delivery.newest
            && let Some(rate) = newest.delivery_rate
        {
            app_limited = newest.app_limited;
            self.update_bw(now, delivery, &newest, rate);
            self.update_aggregation(now, delivery.arrived);
        }
        if self.mode == Mode::ProbeBw
            && self.is_next_cycle_phase(now, self.in_flight, delivery.lost > 0)
        {
            self.advance_cycle_phase();
        }
        if self.round_start && !self.full_bw_reached && !app_limited {
            self.check_full_bw();
        }
        self.check_drain(now, sample.in_flight);
        self.update_min_rtt(sample, delivery);
        self.update_gains();
        let (bw, gain) = (self.bw(), self.pacing_gain);
        self.set_pacing_rate(bw, gain);
        self.set_cwnd(sample, delivery);
        self.in_flight = sample.in_flight;
    }

    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            Signal::Loss { .. } => self.save_cwnd(),
            // It does not answer marks.
            Signal::Ecn => {}
            Signal::Timeout { .. } => {
                self.save_cwnd();
                self.cwnd = 1;
                self.repairs = Repairs::Timeout;
                (self.timed_out, self.in_flight) = (outstanding.flight, 0);
                self.full_bw = 0;
                // It counts as the end of a round.
                self.watch_policer(outstanding.now, true, false, true);
            }
        }
    }

    //= linux-bbr §bbr_undo_cwnd
    fn undo(&mut self) {
        (self.timed_out, self.full_bw, self.full_bw_count) = (0, 0, 0);
        self.policed.forget();
    }

    fn state(&self, _recovering: bool) -> &'static str {
        ["startup", "drain", "probe-bw", "probe-rtt"][self.mode as usize]
    }
    fn wants(&self) -> Wants {
        Wants::MODEL
    }

    fn pacing(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        self.draws = make();
    }

    /// Low rates during PROBE_RTT are not the path's.
    fn holds_back(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn on_sent(&mut self, sending: &Sending) {
        let now = sending.now;
        if !self.begun {
            self.begun = true;
            self.min_rtt_at = now;
            self.aggregation.begin(now);
        }
        if sending.in_flight == 0 && sending.app_limited {
            self.idle_restart = true;
            self.aggregation.begin(now);
            match self.mode {
                Mode::ProbeBw => {
                    let bw = self.bw();
                    self.set_pacing_rate(bw, UNIT);
                }
                Mode::ProbeRtt => self.check_probe_rtt_done(now),
                Mode::Startup | Mode::Drain => {}
            }
        }
        self.in_flight = sending.in_flight + 1;
        self.next_send = self.next_send.max(now) + Duration(self.bits * SECOND / self.rate.0);
    }
}
