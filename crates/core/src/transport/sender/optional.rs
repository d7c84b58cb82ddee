//! What a sender does with its optional parts.

use super::Sender;
use super::extras::Extras;
use super::state::{State, Windows};
use super::unused::Unused;
use crate::measure::Rate;
use crate::time::Instant;
use crate::transport::Ack;
use crate::transport::control::{AckSample, Controller, Lost, Phase};
use crate::transport::records::Records;
use crate::transport::repair::{Clock, Reading, Repair, Span};

impl<C: Controller, R: Repair> Sender<C, R> {
    pub(super) fn records(&mut self) -> Option<&mut Records> {
        self.extras.as_mut()?.records.as_mut()
    }

    /// The controller's part of an ack, with all that needs optional parts.
    #[inline(never)]
    pub(super) fn on_ack_with_extras(
        &mut self,
        sample: &mut AckSample,
        ack: &Ack,
        reading: Reading,
    ) {
        self.record(sample, ack, reading);
        self.count_marks(sample, ack);
        if sample.phase == Phase::Open && self.repair.reduces() {
            sample.phase = Phase::Recovery;
        }
        let most = self.bound_on_growth(sample);
        self.controller.on_ack(sample);
        if let Some(most) = most
            && self.controller.window() > most
        {
            // HyStart or HyStart++ may have set ssthresh.
            let ssthresh = self.controller.ssthresh();
            self.controller.set_windows(most, ssthresh);
        }
        if sample.ece {
            self.resize(sample.now, Unused::after_echo);
        }
        if sample.delivery.is_some() && self.controller.holds_back() {
            let records = self.records();
            records.expect("the sample is theirs").on_app_limited();
        }
    }

    /// Completes `sample` by the records, if there are any.
    fn record(&mut self, sample: &mut AckSample, ack: &Ack, reading: Reading) {
        if let Some(extras) = &mut self.extras
            && let Some(window) = extras.tune(self.una, self.max)
        {
            self.receiver_window = window;
        }
        self.record_losses(sample.now, reading);
        let Some(records) = self.records() else {
            return;
        };
        let delivery = records.on_ack(sample.now, ack);
        sample.in_flight = records.in_flight();
        sample.min_rtt = records.min_rtt();
        if sample.ece {
            sample.ce = delivery.arrived;
        }
        sample.delivery = Some(delivery);
    }

    /// Reads the counter of marked packets, if acks have one.
    fn count_marks(&mut self, sample: &mut AckSample, ack: &Ack) {
        if ack.next < self.una {
            return;
        }
        let Some(counter) = self.echoes_mut().and_then(|it| it.counter.as_mut()) else {
            return;
        };
        let marks = counter.read(ack, sample.acked);
        (sample.ece, sample.ce) = (marks > 0, marks);
        if marks > 0 {
            self.on_echo(sample.now);
        }
    }

    /// Enters the segments that the repair takes for lost, if there are records.
    pub(super) fn record_losses(&mut self, now: Instant, reading: Reading) {
        let span = span!(self, now);
        let Some(extras) = &mut self.extras else {
            return;
        };
        let Some(records) = &mut extras.records else {
            return;
        };
        let controller = &mut self.controller;
        let mut tell = |lost: &Lost| controller.on_lost(lost);
        match reading {
            Reading::Loss { restart: true } => records.on_all_lost(now, &mut tell),
            // A repair with a timer of its own reports which segments it gives up.
            Reading::Timeout if self.clock != Clock::Repair => records.on_all_lost(now, &mut tell),
            _ => (self.repair).each_lost(&span, &mut |segment| {
                if let Some(lost) = records.on_lost(now, segment) {
                    tell(&lost);
                }
            }),
        }
        if matches!(reading, Reading::Loss { .. } | Reading::Timeout) {
            records.on_recovery();
        }
    }

    /// There is nothing to send now: tells the records, and the rule for unused windows, whether the application has no more data.
    //= delivery-rate-02 §3.4
    // All that was handed over has been sent, there is room in the window, and what was lost has been sent again.
    #[inline(never)]
    pub(super) fn record_limit(&mut self, now: Instant) {
        let window = self.controller.window() as u64;
        let sent_all = self.next == self.max && self.max == self.released;
        if let Some(records) = self.records()
            && sent_all
            && records.in_flight() < window
        {
            records.on_app_limited();
        }
        // A recovery is no time to judge what the window is used for.
        if !self.recovering {
            self.resize(now, |it, state| it.after_sending(state, sent_all));
        }
    }

    /// Rate of transmissions, if there is one.
    #[inline]
    pub(super) fn rate(&self, extras: &Extras) -> Option<Rate> {
        let Some(pace) = extras.pace() else {
            return self.controller.pacing();
        };
        //= rfc9002 §7.7
        // "rate = N * congestion_window / smoothed_rtt"
        let rate = pace * self.controller.window() / self.rtt.trips()?.smoothed.seconds();
        Some(Rate((rate as u64).max(1)))
    }

    /// What the rule for unused windows makes of the state now, if there is such a rule.
    fn resize(&mut self, now: Instant, rule: impl FnOnce(&mut Unused, &State) -> Option<Windows>) {
        let Some(unused) = self.extras.as_mut().and_then(|it| it.unused.as_mut()) else {
            return;
        };
        let windows = Windows {
            cwnd: self.controller.window(),
            ssthresh: self.controller.ssthresh(),
        };
        let state = State {
            now,
            windows,
            una: self.una,
            max: self.max,
            receiver: self.receiver_window,
            rto: self.rtt.rto(),
            srtt: self.rtt.trips().map(|it| it.smoothed),
        };
        if let Some(Windows { cwnd, ssthresh }) = rule(unused, &state) {
            self.controller.set_windows(cwnd, ssthresh);
        }
    }

    /// New data may be sent next.
    #[inline(never)]
    pub(super) fn before_sending(&mut self, now: Instant) {
        if self.max < self.released && !self.recovering {
            self.resize(now, Unused::before_sending);
        }
    }

    /// The window, if it may not grow for an ack \[segments\].
    fn bound_on_growth(&mut self, sample: &AckSample) -> Option<f64> {
        let extras = self.extras.as_ref().filter(|it| it.unused.is_some())?;
        let mut bound = None;
        // The rate of a shaper is the host's, and not the window's.
        let shaped = extras.shaper.is_some();
        let sample = &AckSample {
            paced: sample.paced && !shaped,
            ..*sample
        };
        self.resize(sample.now, |it, state| {
            bound = (!it.lets_grow(state, sample)).then_some(state.windows.cwnd);
            None
        });
        bound
    }

    /// A loss is found, with `flight` segments outstanding; the controller has not been told. Returns the window that it leaves, if
    /// the rule says so and not the controller.
    //= rfc7661 §4.4, congestion
    #[cold]
    pub(super) fn before_loss(&mut self, now: Instant, flight: u64) -> Option<f64> {
        let mut left = None;
        self.resize(now, |it, state| {
            left = it.on_loss(state, flight);
            None
        });
        left
    }

    /// A recovery is over; it is complete, or given up.
    #[cold]
    pub(super) fn after_recovery(&mut self, now: Instant, complete: bool) {
        self.resize(now, |it, state| it.on_recovered(state).filter(|_| complete));
    }

    /// Congestion is echoed; the controller has not been told.
    //= rfc7661 §4.4, congestion
    #[cold]
    pub(super) fn before_echo(&mut self, now: Instant, flight: u64) {
        self.resize(now, |it, state| {
            it.on_echo(state, flight);
            None
        });
    }
}
