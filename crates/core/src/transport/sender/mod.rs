//! The sender: sequence space, retransmission timer, and the two parts that decide.

pub use super::outcome::{AckOutcome, Transmit};

use super::control::{AckSample, Controller, Outstanding, Phase, Sending, Signal};
use super::repair::{self, Clock, Habits, Hears, Reading, Repair, Span};
use super::rtt::Rtt;
use super::shaper::Shaper;
use super::{Ack, Common};
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use crate::unit::Ecn;
use alloc::boxed::Box;
use extras::{Echoes, Extras};

/// The span of `$it` at `$now`. It borrows the estimator alone, which a method could not.
macro_rules! span {
    ($it:ident, $now:expr) => {
        Span {
            una: $it.una,
            next: $it.next,
            max: $it.max,
            edge: ($it.released).min($it.una.saturating_add($it.receiver_window)),
            now: $now,
            rtt: &$it.rtt,
        }
    };
}

mod extras;
mod optional;
mod state;
mod unused;
mod validation;

/// The sending end of a flow: a [`Controller`] and a [`Repair`] on a sequence space. The fields are in the order of use.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender<C, R> {
    una: u64,
    next: u64,
    max: u64,
    /// Segments that the application has handed over.
    released: u64,
    /// The receiver's window \[segments\].
    receiver_window: u64,
    /// Transmissions so far, which number the next one.
    transmissions: u64,
    /// Most senders have none.
    extras: Option<Box<Extras>>,
    clock: Clock,
    /// No more than `released` is to come before these are acknowledged.
    complete: bool,
    goes_back: bool,
    /// Losses are being repaired.
    recovering: bool,
    /// Whether there are no acks: a segment is finished when it is sent.
    unanswered: bool,
    /// The repair's own timer makes it send a segment, which does not wait for the controller's pace.
    probing: bool,
    timer: Option<Instant>,
    /// A segment waits for the controller's pace, or the shaper's, until then.
    held: Option<Instant>,
    /// One beyond the highest retransmitted segment. All that were missing below it have been sent again, but for SACK's rescues.
    resent: u64,
    /// New segments sent beyond the congestion window since the last ack of new data.
    beyond: u64,
    /// The segment that the timer last ran out for.
    timed_out: Option<u64>,
    repair: R,
    controller: C,
    rtt: Rtt,
}

impl<C: Controller, R: Repair> Sender<C, R> {
    /// At the start of a connection, with nothing to send yet.
    pub fn new(params: &Common, habits: Habits, controller: C, repair: R) -> Self {
        let rule = params.rto.unwrap_or(habits.rto);
        let samples = params.samples.unwrap_or(habits.samples);
        let mut it = Self {
            controller,
            repair,
            rtt: Rtt::new(params, rule, samples),
            receiver_window: params.receiver_window(),
            una: 0,
            next: 0,
            max: 0,
            released: 0,
            complete: false,
            transmissions: 0,
            clock: habits.clock,
            goes_back: habits.goes_back,
            recovering: false,
            unanswered: habits.hears == Hears::Nothing,
            timer: None,
            held: None,
            probing: false,
            extras: None,
            timed_out: None,
            resent: 0,
            beyond: 0,
        };
        it.extras = Extras::of(params, &habits, it.controller.wants());
        if let Some(window) = it.extras.as_ref().and_then(|it| it.tuned()) {
            it.receiver_window = window;
        }
        it
    }

    fn extras(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    /// Its new data bears `ect` if it is ECN-capable; ECT(0) if nothing is said. Before anything is sent.
    pub fn send_as(&mut self, ect: Ecn) {
        if let Some(extras) = &mut self.extras
            && let Some(echoes) = &mut extras.ecn
        {
            echoes.bear(ect);
        }
    }

    /// Its controller draws from the stream that `make` makes, if it draws at all. Before anything is sent.
    pub fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        self.controller.draw_from(make);
    }

    /// Its packets, of `bits` each, go at `rate` at most from now on.
    pub fn shape(&mut self, rate: Rate, bits: u64) {
        self.extras().shaper = Some(Shaper::new(rate, bits));
    }

    /// Reads from each cache line that an ack needs, so that all of them are on their way to the cache; the number has no meaning.
    #[inline(always)]
    pub fn glance(&self) -> u64 {
        self.una ^ self.beyond ^ self.rtt.glance() ^ self.cwnd().to_bits()
    }

    /// The application has handed over `segments` in all, and no more will come before they are acknowledged if that is
    /// `complete`; [`Sender::poll_transmit`] may have more to send.
    pub fn release(&mut self, segments: u64, complete: bool) {
        self.released = self.released.max(segments);
        self.complete = complete;
    }

    /// An ack has arrived; [`Sender::poll_transmit`] and [`Sender::poll_timeout`] may change.
    pub fn handle_ack(&mut self, now: Instant, ack: &Ack) -> AckOutcome {
        //= rfc793 §3.9
        // "If the ACK acks something not yet sent [...] drop the segment"; the same if its cause has not yet been sent.
        let sent = ack.next <= self.max && ack.cause < self.max && ack.id < self.transmissions;
        if !sent || self.unanswered {
            return AckOutcome {
                reading: Reading::Stale,
                measured: false,
            };
        }
        self.probing = false;
        let (una, flight) = (self.una, self.max - self.una);
        let measured = self.rtt.on_ack(now, ack, ack.next > una);
        let reading = self.repair.on_ack(ack, &span!(self, now));
        if ack.next > self.una {
            self.una = ack.next;
            self.next = self.next.max(ack.next);
        }
        let phase = self.follow(now, reading);
        if ack.next > una {
            self.beyond = 0;
        }
        let ece = ack.ece && self.echoes().is_some_and(|it| it.counter.is_none());
        if ece && ack.next >= una {
            self.on_echo(now);
        }
        let trips = self.rtt.trips();
        let mut sample = AckSample {
            now,
            phase,
            id: (!ack.trimmed && !ack.repeats).then_some(ack.id),
            acked: self.una - una,
            arrived: self.repair.arrived().unwrap_or(self.una - una),
            ece,
            ce: if ece { self.una - una } else { 0 },
            flight,
            paced: self.held.is_some(),
            in_flight: self.repair.in_network(&span!(self, now)),
            srtt: trips.map(|it| it.smoothed),
            min_rtt: trips.map(|it| it.shortest),
            delivery: None,
        };
        if self.extras.is_some() {
            self.on_ack_with_extras(&mut sample, ack, reading);
        } else {
            self.controller.on_ack(&sample);
        }
        AckOutcome { reading, measured }
    }

    /// Acts on the repair's reading of an ack, or of its own timer.
    #[inline]
    fn follow(&mut self, now: Instant, reading: Reading) -> Phase {
        match reading {
            Reading::Stale | Reading::Duplicate | Reading::Probe if self.recovering => {
                Phase::Recovery
            }
            Reading::Stale | Reading::Duplicate | Reading::Probe => Phase::Open,
            Reading::Loss { restart } => {
                let mut outstanding = self.outstanding(now);
                //= rfc5681 §3.2, step 2, limited transmit
                outstanding.flight -= self.beyond.min(outstanding.flight);
                let echoed = self.echoes().is_some_and(|it| it.covers(self.una));
                let before = self.controller.window();
                let left = self.before_loss(now, outstanding.flight);
                if self.repair.may_undo() {
                    self.controller.save();
                }
                self.controller
                    .on_congestion(Signal::Loss { echoed }, &outstanding);
                match left {
                    _ if restart => self.after_recovery(now, false),
                    Some(cwnd) if !echoed => {
                        let ssthresh = self.controller.ssthresh();
                        self.controller.set_windows(cwnd.max(1.0), ssthresh);
                    }
                    _ => {}
                }
                // A loss that leaves the window as it is begins no new window of data: marks on segments sent since the reduction
                // for the echo are news.
                if !echoed || self.controller.window() < before {
                    self.reduced(false);
                }
                self.rtt.stop_timing();
                //= rfc6298 §5, early
                // As BSD does; the retransmission follows at once, unless the controller paces it.
                self.start_timer(now);
                if restart {
                    self.next = self.una;
                }
                self.recovering = !restart;
                Phase::Recovery
            }
            Reading::Timeout => {
                self.time_out(now);
                Phase::Open
            }
            Reading::Spurious { advanced } => {
                self.undo(now, advanced);
                Phase::Over
            }
            Reading::Advance(phase) => {
                let (phase, restart_timer) = match phase {
                    repair::Advance::Open => (Phase::Open, true),
                    repair::Advance::Over => {
                        self.controller.on_recovered(&self.outstanding(now));
                        self.after_recovery(now, true);
                        (Phase::Over, true)
                    }
                    repair::Advance::Partial {
                        restart_timer,
                        deflate,
                    } => {
                        if deflate > 0 {
                            self.controller.on_deflate(deflate);
                        }
                        (Phase::Recovery, restart_timer)
                    }
                };
                self.recovering = phase == Phase::Recovery;
                //= rfc6298 §5.2
                //= rfc6298 §5.3
                //= rfc6298 §5.3 type=departure
                // The later partial acks of NewReno do not restart the timer.
                //= rfc6298 §5, early type=departure
                // Retransmissions of a recovery do not start it, either.
                if self.una == self.max {
                    self.timer = None;
                } else if restart_timer && self.clock == Clock::Progress {
                    self.start_timer(now);
                }
                phase
            }
        }
    }

    /// The time of [`Sender::poll_timeout`] may have come. Returns [`Reading::Timeout`] if the retransmission timer has expired,
    /// else the reading of the repair's own timer, if that is due. A loss found in this way is not a timeout, and reaches the
    /// controller like one found by an ack; a probe does not reach it.
    //= rfc6298 §5.4
    pub fn handle_timeout(&mut self, now: Instant) -> Reading {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let reading = if due(self.timer) {
            self.repair.on_timeout(&span!(self, now));
            Reading::Timeout
        } else if due(self.repair.poll_clock()) {
            self.repair.on_clock(&span!(self, now))
        } else {
            return Reading::Stale;
        };
        self.probing = reading == Reading::Probe;
        if reading != Reading::Stale {
            self.follow(now, reading);
        }
        if self.extras.is_some() {
            self.record_losses(now, reading);
        }
        reading
    }

    /// All that is outstanding is given up.
    //= rfc6298 §5.5
    //= rfc6298 §5.6
    #[cold]
    fn time_out(&mut self, now: Instant) {
        let again = self.timed_out == Some(self.una);
        let outstanding = self.outstanding(now);
        if self.repair.may_undo() {
            self.controller.save();
        }
        self.controller
            .on_congestion(Signal::Timeout { again }, &outstanding);
        self.recovering = false;
        self.after_recovery(now, false);
        self.reduced(false);
        self.rtt.back_off();
        self.timed_out = Some(self.una);
        self.beyond = 0;
        if self.goes_back {
            self.next = self.una;
        }
        self.start_timer(now);
    }

    /// The congestion found last was none: sending goes on where it was, with the window of before.
    //= rfc4015 §3.2, resume
    // "resume the transmission with previously unsent data", SND.NXT <- SND.MAX
    #[cold]
    fn undo(&mut self, now: Instant, advanced: bool) {
        self.controller.undo();
        self.after_recovery(now, false);
        (self.recovering, self.timed_out, self.next) = (false, None, self.max);
        if self.una == self.max {
            self.timer = None;
        } else if advanced && self.clock == Clock::Progress {
            self.start_timer(now);
        }
    }

    /// The next segment to send now, if any: call until there is none. Changes after `handle_*` and `release`, and with time if
    /// the controller or a shaper paces.
    //= rfc5681 §4.1 type=departure
    // The window stays as it is, however long the sender is idle, unless `idle` says otherwise.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        self.held = None;
        if self.extras.as_ref().is_some_and(|it| it.unused.is_some()) {
            self.before_sending(now);
        }
        let span = span!(self, now);
        let Some(segment) = self.repair.poll(&span, self.controller.window()) else {
            if self.extras.is_some() {
                self.record_limit(now);
            }
            return None;
        };
        let extras = self.extras.as_ref();
        let shaped = extras.map(|it| it.next_at(now, || self.rate(it)));
        let at = self.controller.next_at(now).max(shaped.unwrap_or_default());
        if at > now && !(self.probing && extras.is_none_or(|it| it.shaper.is_none())) {
            self.held = Some(at);
            return None;
        }
        let again = segment < self.max;
        let alone = core::mem::take(&mut self.probing);
        let partner_to_come = !self.complete && !again && segment + 1 == self.released;
        if partner_to_come && !alone && self.controller.begins_pair(now) {
            return None;
        }
        let id = self.transmissions;
        self.transmissions += 1;
        self.repair.on_sent(segment, id, &span);
        let in_flight = self.max - self.una;
        let app_limited = in_flight == 0;
        let mut sending = Sending {
            now,
            id,
            in_flight,
            app_limited,
        };
        if let Some(extras) = &self.extras {
            extras.complete(&mut sending);
        }
        self.controller.on_sent(&sending);
        let rate = self.pacing();
        let (ecn, cwr) = match &mut self.extras {
            None => (Ecn::NotEct, false),
            Some(extras) => extras.on_sent(now, segment, again, rate),
        };
        if segment >= self.next {
            self.next = segment + 1;
        }
        let transmit = Transmit {
            segment,
            again,
            id,
            ecn,
            cwr,
        };
        if self.unanswered {
            (self.una, self.max) = (self.next, self.next);
            return Some(transmit);
        }
        self.rtt.on_sent(now, segment, again);
        if again {
            self.resent = self.resent.max(segment + 1);
        } else {
            //= rfc6675 §5, (C.3)
            self.max = segment + 1;
            self.beyond += u64::from(self.max - self.una > self.controller.window() as u64);
        }
        //= rfc6298 §5.1
        if self.timer.is_none() || self.clock == Clock::Transmission {
            self.start_timer(now);
        }
        Some(transmit)
    }

    /// When [`Sender::handle_timeout`] and [`Sender::poll_transmit`] are due; changes with every call but the polls of state.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let own = Instant::first_of(self.held, self.timer);
        Instant::first_of(own, self.repair.poll_clock())
    }

    /// When the retransmission timer runs out; it runs while something is outstanding, if the sender has one ([`Clock::Repair`]).
    pub fn retransmission_due(&self) -> Option<Instant> {
        self.timer
    }

    /// When something is done about outstanding data if no ack comes: by the retransmission timer, or the repair's in its place.
    pub fn resort(&self) -> Option<Instant> {
        match self.clock {
            Clock::Repair => self.repair.poll_clock(),
            Clock::Progress | Clock::Transmission => self.timer,
        }
    }

    /// Whether a transmission waits for its time, by pacing or a shaper.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// cwnd as TCP states it, with the inflation of fast recovery \[segments\].
    pub fn cwnd(&self) -> f64 {
        (self.controller.window() + self.repair.credit() as f64).max(0.0)
    }

    /// ssthresh \[segments\], infinite until set.
    pub fn ssthresh(&self) -> f64 {
        self.controller.ssthresh()
    }

    /// Name of the controller's state: see [`Controller::state`].
    pub fn state(&self) -> &'static str {
        self.controller.state(self.recovering)
    }

    /// Whether transmissions are paced.
    pub fn is_paced(&self) -> bool {
        self.extras.as_ref().is_some_and(|it| it.pacing.is_some())
    }

    /// Rate of transmissions, in bits of full packets with their headers, if they are paced and the rate is known.
    pub fn pacing(&self) -> Option<Rate> {
        let extras = self.extras.as_ref()?;
        extras.pacing.as_ref().and_then(|_| self.rate(extras))
    }

    /// No acks come: each segment is taken for acknowledged when it is sent.
    pub fn unanswered(&self) -> bool {
        self.unanswered
    }

    /// The oldest segment not acknowledged: all before it have arrived, or have been sent if no acks come.
    pub fn acknowledged(&self) -> u64 {
        self.una
    }

    /// Segments sent and not acknowledged.
    pub fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// Its controller, for those who look into it.
    pub fn controller(&self) -> &C {
        &self.controller
    }

    /// Segments in the network by its records, for the same.
    #[cfg(test)]
    pub(crate) fn in_flight(&self) -> u64 {
        let records = self.extras.as_ref().and_then(|it| it.records.as_ref());
        records.expect("it keeps records").in_flight()
    }

    /// Its repair, for the same.
    #[cfg(test)]
    pub(crate) fn repair(&self) -> &R {
        &self.repair
    }

    /// The retransmission timeout without back-off.
    pub fn rto(&self) -> Duration {
        self.rtt.base()
    }

    /// The sender's side of ECN, if it is ECN-capable.
    #[inline]
    fn echoes(&self) -> Option<&Echoes> {
        self.extras.as_ref()?.ecn.as_ref()
    }

    fn echoes_mut(&mut self) -> Option<&mut Echoes> {
        self.extras.as_mut()?.ecn.as_mut()
    }

    /// The window was reduced.
    #[inline]
    fn reduced(&mut self, by_echo: bool) {
        if let Some(extras) = &mut self.extras
            && let Some(echoes) = &mut extras.ecn
        {
            echoes.on_reduced(self.max, by_echo);
        }
    }

    /// An ack echoes congestion.
    #[cold]
    fn on_echo(&mut self, now: Instant) {
        if self.echoes().is_some_and(|it| it.is_news(self.una)) {
            let outstanding = self.outstanding(now);
            self.before_echo(now, outstanding.flight);
            let window = self.controller.window();
            self.repair.on_echo(&span!(self, now), window);
            self.controller.on_congestion(Signal::Ecn, &outstanding);
            self.reduced(true);
        }
    }

    /// The retransmission timer runs out an RTO from now, unless the repair part has one of its own in its place.
    #[inline]
    fn start_timer(&mut self, now: Instant) {
        if self.clock != Clock::Repair {
            self.timer = Some(self.rtt.expiry(now));
        }
    }

    fn outstanding(&self, now: Instant) -> Outstanding {
        Outstanding {
            now,
            receiver: self.receiver_window,
            flight: self.max - self.una,
            resent: self.una < self.resent,
        }
    }
}
