//! A repair that owns the timer: the sender has no retransmission timer, a probe timeout leaves the window alone, and a loss that the
//! repair's clock finds reaches the controller, and so does a timeout that it reads. The repair here is QUIC's loss detection at its
//! smallest.

use super::super::control::reno::RenoParams;
use super::super::control::{AnyController, ControlParams, Controller, Outstanding, Signal};
use super::super::repair::{Advance, Clock, Habits, Reading, Repair, Span, window_end};
use super::super::sender::Sender;
use super::super::{Ack, Common};
use crate::declare::Declared;
use crate::time::{Duration, Instant};
use std::vec::Vec;

/// Probes two smoothed round trips after the last transmission; takes the oldest segment for lost a quarter of one after an ack
/// that a later segment has caused. After three probes in vain it gives all up if it is `impatient`, sends the oldest, and waits for a
/// retransmission timeout before it does so again.
#[derive(Clone, Debug, Default)]
struct Probing {
    impatient: bool,
    probes: u32,
    asked: u32,
    probe_at: Option<Instant>,
    loss_at: Option<Instant>,
    /// The segment to send now, whatever the window.
    urgent: Option<u64>,
    recovery: Option<u64>,
}

impl Repair for Probing {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        if ack.next > span.una {
            self.loss_at = None;
            self.probes = 0;
            if ack.next == span.max {
                self.probe_at = None;
            }
            return Reading::Advance(match self.recovery.take_if(|point| *point <= ack.next) {
                None => Advance::Open,
                Some(_) => Advance::Over,
            });
        }
        if ack.cause > span.una && self.loss_at.is_none() {
            let trips = span.rtt.trips().expect("measured");
            self.loss_at = Some(span.now + Duration(trips.smoothed.0 / 4));
        }
        Reading::Duplicate
    }
    fn on_timeout(&mut self, _: &Span) {
        panic!("there is no retransmission timer");
    }
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        self.urgent
            .or((span.next < window_end(span, window, 0)).then_some(span.next))
    }
    fn on_sent(&mut self, segment: u64, _: u64, span: &Span) {
        self.urgent.take_if(|it| *it == segment);
        let trips = span.rtt.trips();
        let wait = match trips.map(|it| it.smoothed) {
            _ if self.impatient && self.probes > 3 => span.rtt.rto(),
            Some(trip) => Duration(2 * trip.0),
            None => Duration::millis(1000),
        };
        self.probe_at = Some(span.now + wait);
    }
    fn on_clock(&mut self, span: &Span) -> Reading {
        self.asked += 1;
        if self.loss_at.take_if(|at| *at <= span.now).is_some() {
            self.urgent = Some(span.una);
            self.recovery = Some(span.max);
            return Reading::Loss { restart: false };
        }
        if self.probe_at.take_if(|at| *at <= span.now).is_some() {
            self.urgent = Some(span.una);
            self.probes += 1;
            if self.impatient && self.probes > 3 {
                return Reading::Timeout;
            }
        }
        Reading::Stale
    }
    fn poll_clock(&self) -> Option<Instant> {
        [self.probe_at, self.loss_at].into_iter().flatten().min()
    }
}

const HABITS: Habits = Habits {
    clock: Clock::Repair,
    ..Habits::TCP
};

fn ms(n: u64) -> Instant {
    Instant(Duration::millis(n).0)
}

/// A greedy sender of four segments that has measured a round trip of 100 ms.
fn sender() -> Sender<AnyController, Probing> {
    let common = Common::from_texts(&[
        ("initial_window", "4 segments"),
        ("initial_ssthresh", "4 segments"),
    ]);
    let reno = ControlParams::Reno(RenoParams::from_texts(&[]));
    let control = AnyController::new(&reno, &common);
    let mut sender = Sender::new(&common, HABITS, control, Probing::default());
    sender.release(u64::MAX, true);
    assert_eq!(sends(&mut sender, 0), [0, 1, 2, 3]);
    assert_eq!(sender.retransmission_due(), None);
    assert_eq!(sender.poll_timeout(), Some(ms(1000)));
    hear(&mut sender, 100, 1, 0);
    assert_eq!(sends(&mut sender, 100), [4]);
    sender
}

fn sends<C: Controller>(sender: &mut Sender<C, Probing>, now: u64) -> Vec<u64> {
    core::iter::from_fn(|| sender.poll_transmit(ms(now)).map(|it| it.segment)).collect()
}

fn hear<C: Controller>(sender: &mut Sender<C, Probing>, now: u64, next: u64, id: u64) -> Reading {
    let cause = id;
    let ack = Ack {
        next,
        cause,
        id,
        ..Ack::default()
    };
    sender.handle_ack(ms(now), &ack).reading
}

#[test]
fn a_probe_timeout_is_no_loss() {
    let mut sender = sender();
    let before = sender.cwnd();
    for at in [300, 500, 700] {
        assert_eq!(sender.poll_timeout(), Some(ms(at)));
        assert_eq!(sender.handle_timeout(ms(at)), Reading::Stale);
        assert_eq!(sends(&mut sender, at), [1]);
        assert_eq!((sender.cwnd(), sender.retransmission_due()), (before, None));
    }
    hear(&mut sender, 750, 5, 1);
    assert!(sender.cwnd() > before);
}

#[test]
fn a_loss_found_by_the_clock_halves_the_window_once_and_the_recovery_ends() {
    let mut sender = sender();
    assert_eq!(hear(&mut sender, 110, 1, 2), Reading::Duplicate);
    assert_eq!(sends(&mut sender, 110), []);
    assert_eq!(sender.poll_timeout(), Some(ms(135)));
    assert_eq!(sender.handle_timeout(ms(134)), Reading::Stale);
    assert_eq!(sender.ssthresh(), 4.0);
    let loss = Reading::Loss { restart: false };
    assert_eq!(sender.handle_timeout(ms(135)), loss);
    assert_eq!((sender.cwnd(), sender.ssthresh()), (2.0, 2.0));
    assert_eq!(sends(&mut sender, 135), [1]);
    // Duplicates in a recovery do not open the window. At the end of the recovery the window is as the loss left it.
    hear(&mut sender, 136, 1, 3);
    assert_eq!(
        hear(&mut sender, 235, 5, 1),
        Reading::Advance(Advance::Over)
    );
    assert_eq!(sender.cwnd(), 2.0);
    assert_eq!(sends(&mut sender, 235), [5, 6]);
}

/// A window of four segments, and what it is told.
#[derive(Clone, Debug, Default)]
struct Notes(Vec<Signal>);

impl Controller for Notes {
    fn window(&self) -> f64 {
        4.0
    }
    fn on_congestion(&mut self, signal: Signal, _: &Outstanding) {
        self.0.push(signal);
    }
}

#[test]
fn a_timeout_that_the_clock_reads_reaches_the_controller_and_backs_off() {
    let repair = Probing {
        impatient: true,
        ..Probing::default()
    };
    let mut sender = Sender::new(&Common::default(), HABITS, Notes::default(), repair);
    sender.release(u64::MAX, true);
    sends(&mut sender, 0);
    hear(&mut sender, 100, 1, 0);
    sends(&mut sender, 100);
    // The round trip is 100 ms: three probes, each two round trips after the one before, then timeouts of 300, 600 and 1200 ms.
    let mut readings = Vec::new();
    for at in [300, 500, 700, 900, 1500, 2700] {
        assert_eq!(sender.poll_timeout(), Some(ms(at)));
        readings.push(sender.handle_timeout(ms(at)));
        sends(&mut sender, at);
    }
    let (none, timeout) = (Reading::Stale, Reading::Timeout);
    assert_eq!(readings, [none, none, none, timeout, timeout, timeout]);
    let signal = |again| Signal::Timeout { again };
    let told = |sender: &Sender<Notes, Probing>| sender.controller().0.clone();
    let three = [signal(false), signal(true), signal(true)];
    assert_eq!(told(&sender), three);
    assert_eq!(sender.retransmission_due(), None);
    // A measured round trip ends the back-off, and the timeout of new data counts as a first one.
    hear(&mut sender, 2800, 2, 1);
    assert_eq!(sender.rto(), Duration::millis(300));
}

#[test]
fn the_clock_is_asked_when_its_time_has_come_and_not_before() {
    let mut sender = sender();
    let asked = |sender: &Sender<AnyController, Probing>| sender.repair().asked;
    for at in 101..300 {
        assert_eq!(sender.handle_timeout(ms(at)), Reading::Stale);
    }
    assert_eq!(asked(&sender), 0);
    sender.handle_timeout(ms(300));
    assert_eq!(asked(&sender), 1);
}
