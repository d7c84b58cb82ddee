//! The states, and when one follows another.
//= ccwg-bbr-06 §5.3

use super::*;

impl Model {
    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    //= ccwg-bbr-06 §5.3.1.2
    pub(super) fn check_full_bw_reached(&mut self) {
        let rate = self.rs.delivery_rate;
        if self.full_bw_now || !self.round_start || self.rs.is_app_limited || rate == 0.0 {
            return;
        }
        if rate >= self.full_bw * 1.25 {
            self.reset_full_bw();
            self.full_bw = rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    pub(super) fn check_startup_done(&mut self) {
        self.check_startup_high_loss();
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round_count;
        }
    }

    /// Judges the losses of a round that began with a loss, at its end: then a recovery has taken a round.
    //= ccwg-bbr-06 §5.3.1.3
    //= ccwg-bbr-06 §5.3.1.3, without selective acks type=departure
    //= ccwg-bbr-06 §5.3.1.3, ranges type=departure
    pub(super) fn check_startup_high_loss(&mut self) {
        if !self.loss_round_start {
            return;
        }
        let ranges = core::mem::take(&mut self.lost_ranges);
        let high = self.in_loss_recovery
            && self.timed_out == 0
            && ranges >= STARTUP_FULL_LOSS_COUNT
            && self.is_inflight_too_high();
        if high && !self.full_bw_reached {
            self.leaves(State::Startup);
            (self.full_bw_reached, self.full_bw_now) = (true, true);
            let bdp = self.bdp_multiple(self.bw, 1.0);
            self.inflight_longterm = bdp.max(self.inflight_latest);
        }
    }

    //= ccwg-bbr-06 §5.3.2
    pub(super) fn check_drain_done(&mut self) {
        if self.state != State::Drain {
            return;
        }
        let drained = self.inflight <= self.inflight_of(self.bw)
            || self.round_count > self.drain_start_round + 3;
        if drained {
            self.start_probe_bw_down();
        }
    }

    //= ccwg-bbr-06 §5.3.3.9
    pub(super) fn start_probe_bw_down(&mut self) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = f64::INFINITY;
        //= ccwg-bbr-06 §5.3.3.8
        self.rounds_since_probe_up = self.draws.between(0, 1);
        let second = Duration::secs(1).0;
        self.bw_probe_wait = Duration(2 * second + self.draws.between(0, second));
        self.cycle_stamp = self.now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    pub(super) fn start_probe_bw_refill(&mut self) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    pub(super) fn start_probe_bw_up(&mut self) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = self.rs.delivery_rate;
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    pub(super) fn update_probe_bw_cycle_phase(&mut self) {
        if !self.full_bw_reached || self.adapt_long_term_model() {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe_bw() => {
                self.start_probe_bw_refill();
            }
            State::Down if self.is_time_to_cruise() => self.state = State::Cruise,
            State::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_probe_bw_up();
            }
            State::Up if self.is_time_to_go_down() => {
                self.prev_probe_too_high = false;
                self.start_probe_bw_down();
            }
            _ => {}
        }
    }

    pub(super) fn is_time_to_cruise(&self) -> bool {
        self.inflight <= self.inflight_with_headroom()
            && self.inflight <= self.inflight_of(self.max_bw())
    }

    //= ccwg-bbr-06 §5.3.3.7
    pub(super) fn is_time_to_go_down(&mut self) -> bool {
        //= ccwg-bbr-06 §5.3.3.6
        if self.prev_probe_too_high && self.inflight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = self.rs.delivery_rate;
            return false;
        }
        self.full_bw_now
    }

    //= ccwg-bbr-06 §5.3.3.8
    pub(super) fn is_time_to_probe_bw(&self) -> bool {
        let reno_rounds = self.target_inflight().min(63.0);
        self.now > self.cycle_stamp + self.bw_probe_wait
            || self.rounds_since_probe_up as f64 >= reno_rounds
    }

    //= ccwg-bbr-06 §5.3.3.5
    pub(super) fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = (1u64 << self.bw_probe_up_rounds) as f64;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.cwnd / growth_this_round).max(1.0);
    }

    pub(super) fn probe_inflight_longterm_upward(&mut self) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += self.rs.newly_acked;
        // The cast rounds down.
        let delta = (self.bw_probe_up_acked / self.probe_up_acked_per_inc) as u64 as f64;
        if delta > 0.0 {
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// Whether it has decided a change of state.
    pub(super) fn adapt_long_term_model(&mut self) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() {
                //= ccwg-bbr-06 §5.5.6
                self.cycle_count += u64::from(!self.rs.is_app_limited);
                //= ccwg-bbr-06 §5.3.3.6
                if self.prev_probe_precautionary && !self.prev_probe_too_high {
                    self.start_probe_bw_refill();
                    return true;
                }
            }
        }
        if !self.is_inflight_too_high() && self.inflight_longterm < f64::INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(self.rs.tx_in_flight);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward();
            }
        }
        false
    }

    //= ccwg-bbr-06 §5.5.10.2
    pub(super) fn is_inflight_too_high(&self) -> bool {
        self.rs.lost > self.rs.tx_in_flight * self.loss_thresh
    }

    pub(super) fn handle_inflight_too_high(&mut self) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !self.rs.is_app_limited {
            let least = self.target_inflight() * BETA;
            self.inflight_longterm = self.rs.tx_in_flight.max(least);
        }
        if self.state == State::Up {
            self.leaves(State::Up);
            self.start_probe_bw_down();
        }
    }

    pub(super) fn check_probe_rtt(&mut self) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt();
        }
        if self.rs.delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    pub(super) fn handle_probe_rtt(&mut self) {
        if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done();
            }
        } else if self.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt_done_stamp = Some(self.now + PROBE_RTT_DURATION);
            self.probe_rtt_round_done = false;
            self.start_round();
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done_stamp.is_some_and(|at| self.now > at) {
            self.probe_rtt_min_stamp = self.now;
            self.restore_cwnd();
            self.exit_probe_rtt();
        }
    }

    //= ccwg-bbr-06 §5.3.4.4
    pub(super) fn exit_probe_rtt(&mut self) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down();
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
