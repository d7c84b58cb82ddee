//! The model of the path, and the window and the pacing rate that follow from it.
//= ccwg-bbr-06 §5.5
//= ccwg-bbr-06 §5.6

use super::*;

impl Model {
    /// BBR.max_bw \[bit/s\]
    pub(crate) fn max_bw(&self) -> f64 {
        self.max_bw_filter.get().unwrap_or(0.0)
    }

    /// BBR.extra_acked \[segments\]
    pub(crate) fn extra_acked(&self) -> f64 {
        self.extra_acked_filter.get().unwrap_or(0.0)
    }

    /// Segments that arrive in `time` at `bw`.
    pub(super) fn segments(&self, bw: f64, time: Duration) -> f64 {
        bw * time.0 as f64 / SECOND as f64 / self.bits
    }

    /// BDPMultiple(bw, gain)
    //= ccwg-bbr-06 §5.6.4.2
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        (self.min_rtt).map_or(self.initial_cwnd, |it| gain * self.segments(bw, it))
    }

    /// BBR.offload_budget: room for three bursts.
    fn offload_budget(&self) -> f64 {
        if self.send_quantum == Duration::ZERO {
            return 0.0;
        }
        let rate = Rate(self.pacing_rate as u64);
        3.0 * burst(rate, self.send_quantum, self.bits as u64) as f64
    }

    pub(super) fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let more = if self.state == State::Up { 2.0 } else { 0.0 };
        let floor = MIN_PIPE_CWND.max(self.offload_budget());
        inflight_cap.max(floor) + more
    }

    /// Inflight(bw, 1.0)
    pub(crate) fn inflight_of(&self, bw: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, 1.0))
    }

    //= ccwg-bbr-06 §5.6.2
    pub(super) fn init_pacing_rate(&mut self) {
        let round_trip = self.srtt.unwrap_or(Duration::millis(1)).0.max(1) as f64;
        self.has_seen_rtt = self.srtt.is_some();
        let nominal = self.initial_cwnd * self.bits * SECOND as f64 / round_trip;
        self.pace_at(STARTUP_PACING_GAIN * nominal);
    }

    fn pace_at(&mut self, rate: f64) {
        if rate != self.pacing_rate {
            self.pacing_rate = rate;
            // The cast saturates.
            self.pace = Rate((rate as u64).max(1));
        }
    }

    pub(super) fn set_pacing_rate_with_gain(&mut self, gain: f64) {
        // "the initial C.srtt after the first non-zero RTT sample"
        if !self.has_seen_rtt && self.srtt.is_some() {
            self.init_pacing_rate();
        }
        let rate = gain * self.bw * PACING_MARGIN;
        if self.full_bw_reached || rate > self.pacing_rate {
            self.pace_at(rate);
        }
    }

    //= ccwg-bbr-06 §5.5.1
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    pub(super) fn update_round(&mut self) {
        self.round_start =
            (self.rs.prior_delivered).is_some_and(|it| it >= self.next_round_delivered);
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    //= ccwg-bbr-06 §5.5.5
    pub(super) fn update_max_bw(&mut self) {
        self.update_round();
        let rate = self.rs.delivery_rate;
        if rate > 0.0 && (rate >= self.max_bw() || !self.rs.is_app_limited) {
            (self.max_bw_filter).add(self.cycle_count, rate, MAX_BW_FILTER_LEN);
        }
    }

    //= ccwg-bbr-06 §5.5.10.3
    pub(super) fn update_latest_delivery_signals(&mut self) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(self.rs.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(self.rs.delivered);
        if (self.rs.prior_delivered).is_some_and(|it| it >= self.loss_round_delivered) {
            self.loss_round_delivered = self.delivered;
            self.loss_round_start = true;
        }
    }

    pub(super) fn advance_latest_delivery_signals(&mut self) {
        if self.loss_round_start {
            self.bw_latest = self.rs.delivery_rate;
            self.inflight_latest = self.rs.delivered;
        }
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
    }

    pub(super) fn update_congestion_signals(&mut self) {
        self.update_max_bw();
        if self.loss_round_start {
            if self.is_loss_in_round && !self.state.is_probing() {
                self.lower_short_term_bounds();
            }
            self.is_loss_in_round = false;
        }
    }

    /// InitLowerBounds() and LossLowerBounds()
    pub(super) fn lower_short_term_bounds(&mut self) {
        let infinite = |it: f64, or: f64| if it == f64::INFINITY { or } else { it };
        let bw = infinite(self.bw_shortterm, self.max_bw());
        let inflight = infinite(self.inflight_shortterm, self.cwnd);
        self.bw_shortterm = self.bw_latest.max(BETA * bw);
        self.inflight_shortterm = self.inflight_latest.max(BETA * inflight);
    }

    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    //= ccwg-bbr-06 §5.5.9
    pub(super) fn update_ack_aggregation(&mut self) {
        if self.rs.newly_acked == 0.0 {
            return;
        }
        let interval = self.now - self.extra_acked_interval_start;
        let mut expected = self.segments(self.bw, interval);
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_interval_start = self.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += self.rs.newly_acked;
        let extra = (self.extra_acked_delivered - expected).min(self.cwnd);
        let length = if self.full_bw_reached {
            EXTRA_ACKED_FILTER_LEN
        } else {
            1
        };
        (self.extra_acked_filter).add(self.round_count, extra, length);
    }

    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.cwnd_limited.is_some_and(|end| self.delivered <= end)
    }

    /// The losses of a timeout are told after it, when the window is one segment: for them the window before it counts.
    pub(super) fn target_inflight(&self) -> f64 {
        let before = self.timeout.filter(|(at, _)| *at == self.now);
        let cwnd = before.map_or(self.cwnd, |(_, cwnd)| cwnd);
        self.bdp_multiple(self.bw, 1.0).min(cwnd)
    }

    pub(crate) fn inflight_with_headroom(&self) -> f64 {
        let headroom = (self.headroom * self.inflight_longterm).max(1.0);
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        (self.inflight_longterm - headroom).max(MIN_PIPE_CWND)
    }

    pub(super) fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.delivered;
            self.save_cwnd();
        }
        self.is_loss_in_round = true;
    }

    /// HandleSpuriousLossDetection(): the bounds are what they were before the loss, and if it has ended a probe, that begins again.
    //= ccwg-bbr-06 §5.5.11
    // What is saved is of before the first loss of an episode, which the repair knows, and not of the first in a round.
    pub(super) fn restore(&mut self, saved: &Saved) {
        self.timed_out = 0;
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(saved.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(saved.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(saved.inflight_longterm);
        let probes = self.state != State::ProbeRtt;
        match saved.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if probes {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && probes => self.start_probe_bw_refill(),
            _ => {}
        }
    }

    /// BBR.undo_state: a loss makes it leave `state`.
    pub(super) fn leaves(&mut self, state: State) {
        if let Some(saved) = &mut self.saved {
            saved.state = Some(state);
        }
    }

    /// Volume in flight at which the losses crossed the threshold. The lost transmission is the last of it.
    pub(super) fn inflight_at_loss(&self) -> f64 {
        let inflight_prev = self.rs.tx_in_flight - 1.0;
        let lost_prev = self.rs.lost - 1.0;
        let lost_prefix = (self.loss_thresh * inflight_prev - lost_prev) / (1.0 - self.loss_thresh);
        inflight_prev + lost_prefix
    }

    //= ccwg-bbr-06 §5.3.4.3
    pub(super) fn update_min_rtt(&mut self) {
        let now = self.now;
        let shorter = |rtt: Duration, than: Option<Duration>| than.is_none_or(|it| rtt < it);
        self.probe_rtt_expired = now > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = self.rs.rtt
            && (shorter(rtt, self.probe_rtt_min_delay) || self.probe_rtt_expired)
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (Some(rtt), now);
        }
        let min_rtt_expired = now > self.min_rtt_stamp + MIN_RTT_FILTER_LEN;
        if let Some(delay) = self.probe_rtt_min_delay
            && (shorter(delay, self.min_rtt) || min_rtt_expired)
        {
            self.min_rtt = Some(delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// ProbeRTTCwnd()
    pub(crate) fn probe_rtt_cwnd(&self) -> f64 {
        (self.bdp_multiple(self.bw, PROBE_RTT_CWND_GAIN)).max(MIN_PIPE_CWND)
    }

    //= ccwg-bbr-06 §5.6.4.4
    pub(super) fn save_cwnd(&mut self) {
        let good = !self.in_loss_recovery && self.state != State::ProbeRtt;
        let before = if good { 0.0 } else { self.prior_cwnd };
        self.prior_cwnd = self.cwnd.max(before);
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    //= ccwg-bbr-06 §5.6.4.6
    pub(super) fn set_cwnd(&mut self) {
        let (_, gain) = self.state.gains();
        let inflight_cap = self.bdp_multiple(self.bw, gain) + self.extra_acked();
        let max_inflight = self.quantization_budget(inflight_cap);
        let grown = self.cwnd + self.rs.newly_acked;
        if self.full_bw_reached {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || (self.delivered as f64) < self.initial_cwnd {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        //= ccwg-bbr-06 §5.6.4.5
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        //= ccwg-bbr-06 §5.6.4.7
        let cap = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
        };
        let cap = cap.min(self.inflight_shortterm).max(MIN_PIPE_CWND);
        self.cwnd = self.cwnd.min(cap).min(self.max_cwnd);
    }

    /// What the ack says of the repair: it may have ended.
    pub(super) fn follow_recovery(&mut self, sample: &AckSample) {
        self.timed_out = self.timed_out.saturating_sub(sample.acked);
        let before = self.in_loss_recovery;
        self.in_loss_recovery = sample.phase == Phase::Recovery || self.timed_out > 0;
        if before && !self.in_loss_recovery {
            self.restore_cwnd();
        }
    }
}
