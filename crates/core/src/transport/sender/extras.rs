//! Parts that few senders have, behind one pointer, so that the others pay only for a comparison with null: a shaper, pacing,
//! ECN, records of transmissions, a receiver that tunes its window.

use super::Sender;
use super::idle::{State, Unused, Windows};
use crate::measure::Rate;
use crate::time::{Duration, Instant};
use crate::transport::control::{AckSample, Controller, Lost, Sending, Wants};
use crate::transport::records::Records;
use crate::transport::repair::{Clock, Habits, Hears, Reading, Repair, Span};
use crate::transport::shaper::{Pacing, Shaper};
use crate::transport::{Ack, Common, EcnEcho};
use crate::unit::Ecn;
use alloc::boxed::Box;

/// The optional parts of a sender.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Limits the rate of transmissions, whatever the controller allows.
    pub shaper: Option<Shaper>,
    /// The controller sets the rate of transmissions, or its window does.
    pub pacing: Option<Pacing>,
    /// Bits per smoothed round trip for each segment of the window, if that sets the rate.
    pace: Option<f64>,
    /// Present if the controller uses records.
    pub records: Option<Records>,
    /// Present if the sender is ECN-capable.
    pub ecn: Option<Echoes>,
    /// Present if the receiver tunes its window.
    tuning: Option<Tuning>,
    /// Present if a window that is not used changes.
    unused: Option<Unused>,
}

impl Extras {
    /// Those of a sender at the start of a connection, whose controller `wants` this; most need none.
    pub fn of(params: &Common, habits: &Habits, wants: Wants) -> Option<Box<Self>> {
        let answered = habits.hears != Hears::Nothing;
        let bits = (params.mss.0 + params.header.0) * 8;
        let mut it: Option<Box<Self>> = None;
        if let Some(window) = params.tuned_window.filter(|_| answered) {
            let window = window.whole_segments(params.mss);
            it.get_or_insert_default().tuning = Some(Tuning::new(window, params.receiver_window()));
        }
        if params.ecn && answered {
            let it = it.get_or_insert_default();
            let counts = params.ecn_echo == EcnEcho::Counter;
            it.ecn = Some(Echoes::new(counts.then(|| Counter::new(habits.hears))));
        }
        let counts = params.ecn && params.ecn_echo == EcnEcho::Counter;
        if (wants.records || counts) && answered {
            it.get_or_insert_default().records =
                Some(Records::new(bits, habits.knows_what_arrived));
        }
        if wants.pacing || params.pace.is_some() {
            it.get_or_insert_default()
                .pace_packets(bits, params.pace.filter(|_| !wants.pacing));
        }
        if let Some(mut unused) = Unused::new(params).filter(|_| answered) {
            let it = it.get_or_insert_default();
            if it.pacing.is_none() && unused.pace_packets(bits) {
                it.pace_packets(bits, None);
            }
            it.unused = Some(unused);
        }
        it
    }

    /// The receiver's window now, if it is tuned \[segments\].
    pub fn tuned(&self) -> Option<u64> {
        self.tuning.as_ref().map(Tuning::window)
    }

    /// An ack has been read, after which all before `una` is acknowledged, and `max` is one beyond the last segment sent so far; the
    /// receiver's window, if it is tuned \[segments\].
    pub fn tune(&mut self, una: u64, max: u64) -> Option<u64> {
        let tuning = self.tuning.as_mut()?;
        tuning.on_advance(una, max);
        Some(tuning.window())
    }

    /// Packets of `bits` are paced from now on: by the controller's rate, or at `pace` windows per smoothed round trip.
    pub fn pace_packets(&mut self, bits: u64, pace: Option<f64>) {
        self.pacing = Some(Pacing::new(bits));
        self.pace = pace.map(|pace| pace * bits as f64);
    }

    /// Rate of transmissions, if there is one: the controller's, or that which `pace` makes of its window; without either, a window per
    /// round trip if the window is not validated.
    pub fn rate(&self, own: Option<Rate>, window: f64, srtt: Option<Duration>) -> Option<Rate> {
        let validating = || self.unused.as_ref().and_then(Unused::pace);
        let Some(pace) = self.pace.or_else(validating) else {
            return own;
        };
        //= rfc9002 §7.7
        // "rate = N * congestion_window / smoothed_rtt"
        let rate = pace * window / srtt?.seconds();
        Some(Rate((rate as u64).max(1)))
    }

    /// Time at which the next packet may be sent, with the controller's pacing rate `rate`.
    pub fn next_at(&self, rate: Option<Rate>) -> Instant {
        let shaped = self.shaper.as_ref().map(Shaper::next_at);
        let paced = self.pacing.as_ref().map(|it| match rate {
            Some(Rate(0)) => Instant::NEVER,
            _ => it.next_at(),
        });
        shaped.max(paced).unwrap_or(Instant::ZERO)
    }

    /// Completes the controller's information about a transmission from the records, if there are any.
    pub fn complete(&self, sending: &mut Sending) {
        if let Some(records) = &self.records {
            sending.in_flight = records.in_flight();
            sending.app_limited = records.is_app_limited();
        }
    }

    /// A packet of `segment` is sent, `again` if the segment was sent before; `rate` is the controller's pacing rate. Returns the ECN
    /// field and CWR of the packet.
    pub fn on_sent(
        &mut self,
        now: Instant,
        segment: u64,
        again: bool,
        rate: Option<Rate>,
    ) -> (Ecn, bool) {
        if let Some(shaper) = &mut self.shaper {
            shaper.on_sent(now);
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.on_sent(now, rate);
        }
        if let Some(records) = &mut self.records {
            records.on_sent(now, segment);
        }
        if let Some(unused) = &mut self.unused {
            unused.on_sent(now, segment, again);
        }
        match &mut self.ecn {
            //= rfc3168 §6.1.5
            // "ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or ECT(1)) in the IP header for retransmitted
            // data packets"
            //= rfc3168 §6.1.2, retransmitted
            // "the CWR bit in the TCP header SHOULD NOT be set on retransmitted packets"
            //= rfc9768 §3.1.5, CWR
            Some(echoes) if !again => {
                let cwr = core::mem::take(&mut echoes.cwr) && echoes.counter.is_none();
                (echoes.ect, cwr)
            }
            _ => (Ecn::NotEct, false),
        }
    }
}

/// The receiver's window, tuned by what is delivered in a round trip (dynamic right-sizing). The receiver's application reads at once, so
/// the sender knows from its acks what the receiver knows, and no ack has to carry the window.
//= linux §tcp_input.c, tcp_rcv_space_adjust
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// \[segments\]
    most: u64,
    /// The window now \[segments\].
    window: u64,
    /// The oldest segment that was not acknowledged when the round trip began, and one beyond the last that was sent.
    from: u64,
    to: u64,
    /// The most that was delivered in a round trip \[segments\].
    space: u64,
}

/// What Linux takes for delivered in a round trip at the start: TCP_INIT_CWND \[segments\].
const SPACE: u64 = 10;

impl Tuning {
    /// From `window` on, up to `most` \[segments\].
    pub fn new(window: u64, most: u64) -> Self {
        let window = window.min(most);
        Self {
            most,
            window,
            from: 0,
            to: 0,
            // Half of a smaller window, which could otherwise never be outgrown.
            space: (window / 2).min(SPACE),
        }
    }

    /// The window now \[segments\].
    pub fn window(&self) -> u64 {
        self.window
    }

    /// All before `una` is acknowledged, and `max` is one beyond the last segment sent so far.
    pub fn on_advance(&mut self, una: u64, max: u64) {
        // The round trip ends with the first segment that this ack lets out.
        if una <= self.to {
            return;
        }
        let copied = una - self.from;
        if copied > self.space {
            // rcvwin = 2 copied + 16 segments, and in slow start as much more as delivery has grown.
            let window = 2 * copied + 16;
            let grow = window.saturating_mul(copied - self.space) / self.space.max(1);
            let wanted = window.saturating_add(grow.saturating_mul(2));
            self.window = self.window.max(wanted).min(self.most);
            self.space = copied;
        }
        (self.from, self.to) = (una, max);
    }
}

/// The sender's count of marked packets, from the counters of acks.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// s.cep
    marks: u32,
    /// The transmission that caused the last ack whose counter was read.
    last: Option<u64>,
    /// The counter is a whole number: QUIC's.
    whole: bool,
}

impl Counter {
    /// At the start of a connection, of a sender that `hears` this.
    pub fn new(hears: Hears) -> Self {
        Self {
            marks: 0,
            last: None,
            whole: hears == Hears::Packets,
        }
    }

    /// Packets that `ack` reports as marked first; it is the first to report `arrived` packets, and advances the cumulative ack if that is
    /// `advances`.
    pub fn read(&mut self, ack: &Ack, advances: bool, arrived: u64) -> u64 {
        //= rfc9768 §3.2.2.2, superseded
        //= rfc9000 §13.4.2.1, largest
        // "An endpoint MUST NOT fail ECN validation as a result of processing an ACK frame that does not increase the largest acknowledged packet
        // number": an ack that was overtaken is not read.
        if !advances && self.last.is_some_and(|last| ack.id <= last) {
            return 0;
        }
        self.last = self.last.max(Some(ack.id));
        if self.whole {
            let news = ack.marks.saturating_sub(self.marks);
            self.marks = self.marks.max(ack.marks);
            return u64::from(news);
        }
        //= rfc9768 §3.2.2.2
        // d.cep = (ACE + DIVACE - (s.cep mod DIVACE)) mod DIVACE
        let news = u64::from(ack.marks.wrapping_sub(self.marks) % 8);
        self.marks = ack.marks;
        //= rfc9768 §3.2.2.5.2
        // dSafer.cep = newlyAckedPkt - ((newlyAckedPkt - d.cep) mod DIVACE)
        match arrived.checked_sub(news) {
            Some(others) => arrived - others % 8,
            None => news,
        }
    }
}

/// The sender's side of ECN: one reduction per window of data, and CWR after it.
//= rfc3168 §6.1.2
#[derive(Clone, Copy, Debug)]
pub struct Echoes {
    /// ECN field of new data: ECT(0) or ECT(1).
    ect: Ecn,
    /// One beyond the highest segment sent when the window was last reduced, for whatever reason.
    reduced: Option<u64>,
    /// The reason was an echo.
    by_echo: bool,
    /// The next new segment bears CWR.
    cwr: bool,
    /// Present if acks count marked packets, and echo none.
    pub counter: Option<Counter>,
}

impl Echoes {
    /// Nothing has been sent; new data bears ECT(0). Acks have a `counter`, or echo marks.
    pub fn new(counter: Option<Counter>) -> Self {
        Self {
            ect: Ecn::Ect0,
            reduced: None,
            by_echo: false,
            cwr: false,
            counter,
        }
    }

    /// New data bears `ect`.
    pub fn bear(&mut self, ect: Ecn) {
        self.ect = ect;
    }

    /// Whether an echo is of a later window of data than the last reduction; its ack leaves `una` the oldest unacknowledged segment.
    // "TCP should not react to congestion indications more than once every window of data"
    pub fn is_news(&self, una: u64) -> bool {
        self.reduced.is_none_or(|at| una > at)
    }

    /// Whether the window was reduced for an echo in the window of data of `una`: then a loss in it is the same congestion.
    // "the TCP sender's congestion window should be reduced only once in response to a series of dropped and/or CE packets from a
    // single window of data"
    pub fn covers(&self, una: u64) -> bool {
        self.by_echo && self.reduced.is_some_and(|at| una < at)
    }

    /// Records that the window was reduced when all segments before `max` had been sent.
    // "for any reason (because of a retransmit timeout, a Fast Retransmit, or in response to an ECN Notification)"
    pub fn on_reduced(&mut self, max: u64, by_echo: bool) {
        *self = Self {
            reduced: Some(max),
            by_echo,
            cwr: true,
            ..*self
        };
    }
}

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
        let most = self.bound_on_growth(sample);
        self.controller.on_ack(sample);
        if let Some(Windows { cwnd, ssthresh }) = most
            && self.controller.window() > cwnd
        {
            self.controller.set_windows(cwnd, ssthresh);
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
        self.count_marks(sample, ack);
    }

    /// Reads the counter of marked packets, if acks have one; `sample` has what the records say of the ack.
    fn count_marks(&mut self, sample: &mut AckSample, ack: &Ack) {
        let Some(counter) = self.echoes_mut().and_then(|it| it.counter.as_mut()) else {
            return;
        };
        let arrived = sample.delivery.map_or(0, |it| it.arrived);
        let marks = counter.read(ack, sample.acked > 0, arrived);
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
        self.resize(now, |it, state| it.after_sending(state, sent_all));
    }

    /// Rate of transmissions.
    pub(super) fn rate(&self, extras: &Extras) -> Option<Rate> {
        let srtt = self.rtt.trips().map(|it| it.smoothed);
        extras.rate(self.controller.pacing(), self.controller.window(), srtt)
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
            rto: self.rtt.base(),
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

    /// The windows, if the controller's may not grow for an ack.
    fn bound_on_growth(&mut self, sample: &AckSample) -> Option<Windows> {
        let mut bound = None;
        self.resize(sample.now, |it, state| {
            bound = (!it.lets_grow(state, sample)).then_some(state.windows);
            None
        });
        bound
    }

    /// Congestion is found, with `flight` segments outstanding; the controller has not been told. Returns the window that it leaves, if
    /// the rule says so and not the controller.
    //= rfc7661 §4.4, congestion
    pub(super) fn lost_unused(&mut self, now: Instant, flight: u64) -> Option<f64> {
        let mut left = None;
        self.resize(now, |it, state| {
            left = it.on_loss(state, flight);
            None
        });
        left
    }

    /// A recovery is over; it is complete, or given up.
    pub(super) fn recovered_unused(&mut self, now: Instant, complete: bool) {
        self.resize(now, |it, state| it.on_recovered(state).filter(|_| complete));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(id: u64, marks: u32) -> Ack {
        Ack {
            id,
            marks,
            ..Ack::default()
        }
    }

    #[test]
    //= rfc9768 §3.2.2.5.2 type=test
    // The two examples of appendix A.2.1, and one with more marks than packets: the counter is right.
    fn a_counter_may_have_gone_round_if_as_many_packets_have_arrived() {
        for (arrived, marks, safe) in [
            (9, 2, 2),
            (10, 2, 10),
            (7, 0, 0),
            (8, 0, 8),
            (17, 1, 17),
            (1, 3, 3),
        ] {
            let mut counter = Counter::new(Hears::Acks);
            assert_eq!(
                counter.read(&ack(0, marks), true, arrived),
                safe,
                "{arrived} packets, {marks} marks"
            );
        }
    }

    #[test]
    //= rfc9768 §3.2.2.2 type=test
    //= rfc9768 §3.2.2.2, superseded type=test
    fn a_counter_goes_on_from_the_last_ack_that_was_not_overtaken() {
        let mut counter = Counter::new(Hears::Acks);
        let mut read = |id, marks, advances| counter.read(&ack(id, marks), advances, 1);
        assert_eq!(read(0, 6, true), 6);
        // From 6 to 1, modulo 8.
        assert_eq!(read(3, 1, true), 3);
        // An earlier duplicate comes late; a later one does not.
        assert_eq!(read(2, 7, false), 0);
        assert_eq!(read(4, 2, false), 1);
    }

    #[test]
    //= rfc9000 §13.4.2.1, largest type=test
    fn a_whole_counter_never_goes_round() {
        let mut counter = Counter::new(Hears::Packets);
        let mut read = |id, marks| counter.read(&ack(id, marks), false, 20);
        assert_eq!((read(9, 3), read(8, 2), read(30, 20)), (3, 0, 17));
    }
}
