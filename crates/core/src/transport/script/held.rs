//! A sender with its laws: what it may send, whatever acks come, and that it ends once a receiver answers honestly. The fuzzer in
//! `fuzz/` includes this file.

use crate::time::{Duration, Instant};
use crate::transport::repair::{Counts, Reading, RepairParams};
use crate::transport::{Ack, AnySender, TransportParams};
use std::collections::BTreeMap;
use std::vec::Vec;

/// Events at a sender.
#[derive(Clone, Debug)]
pub enum Input {
    /// Numbers near those that it knows, or anywhere; at the instant of what was before it, or a little later.
    Ack(Ack, bool),
    /// This many milliseconds pass, and a timer may be due.
    Wait(u64),
    /// The time of its timer comes.
    Due,
    /// The application hands over this many more segments.
    Release(u64),
}

/// A sender, and what is known of it.
pub struct Held {
    params: TransportParams,
    sender: AnySender,
    now: Instant,
    /// Segments that the application has handed over.
    pub released: u64,
    /// One beyond the highest segment sent.
    pub max: u64,
    /// All segments before it are acknowledged.
    pub una: u64,
    /// Transmissions so far, and `max`, when this instant began.
    before: (u64, u64),
    pub transmissions: u64,
    /// `max` when the timer last ran out.
    point: u64,
}

impl Held {
    /// A sender to which the application has handed over 40 segments.
    pub fn new(params: TransportParams) -> Self {
        let mut held = Self {
            sender: params.sender(),
            params,
            now: Instant::ZERO,
            released: 0,
            max: 0,
            una: 0,
            before: (0, 0),
            transmissions: 0,
            point: 0,
        };
        held.give(&Input::Release(40));
        held.sends();
        held
    }

    /// One event, and what the sender does then.
    pub fn step(&mut self, input: &Input) {
        self.give(input);
        self.sends();
        self.check();
    }

    /// Advances the time to `at`.
    fn pass(&mut self, at: Instant) {
        if at > self.now {
            self.now = at;
            self.before = (self.transmissions, self.max);
        }
    }

    fn due(&self) -> Instant {
        self.sender.poll_timeout().unwrap_or(self.now).max(self.now)
    }

    fn give(&mut self, input: &Input) {
        match input {
            Input::Ack(ack, at_once) => {
                // Even an attacker's ack of a transmission takes some time, because SMART's timer for a retransmission is a
                // round trip. Several acks may arrive at one instant.
                if !at_once || ack.id >= self.before.0 || ack.next > self.before.1 {
                    self.pass(self.now + Duration::millis(1));
                }
                self.sender.handle_ack(self.now, ack);
            }
            Input::Wait(ms) => {
                self.pass(self.now + Duration::millis(*ms));
                self.handle_timeout();
            }
            Input::Due => {
                self.pass(self.due());
                self.handle_timeout();
            }
            Input::Release(more) => {
                self.released += more;
                self.sender.release(self.released, false);
            }
        }
    }

    fn handle_timeout(&mut self) {
        if self.sender.handle_timeout(self.now) == Reading::Timeout {
            self.point = self.max;
        }
    }

    /// Whether its repair counts cumulative acks and has F-RTO, which sends two new segments after a timeout, whatever is outstanding.
    fn has_frto(&self) -> bool {
        match self.params.repair() {
            RepairParams::Reno(it) => it.frto,
            RepairParams::Newreno(it) => it.frto,
            _ => false,
        }
    }

    /// Transmissions of the sender now; checks the laws for each.
    fn sends(&mut self) -> Vec<(u64, u64)> {
        let common = &self.params.common;
        let limited = if common.limited_transmit { 2.0 } else { 0.0 };
        let repair = &self.params.pair.repair.about;
        let mut sent = Vec::new();
        while let Some(it) = self.sender.poll_transmit(self.now) {
            let una = self.sender.acknowledged();
            // A transmission is of a segment sent before or of the next one, and the receiver has room for it.
            assert!(it.segment < self.released && it.segment >= una, "{it:?}");
            assert_eq!(it.again, it.segment < self.max);
            assert!(
                it.segment <= self.max,
                "{it:?} leaves a gap after {}",
                self.max
            );
            assert!(
                it.segment < una + common.receiver_window(),
                "{it:?} is beyond the receiver's window"
            );
            self.max = self.max.max(it.segment + 1);
            // With cumulative acks, a new segment is within the window, which may be inflated.
            if !repair.habits.knows_what_arrived && !it.again {
                let beyond = (it.segment + 1 - una) as f64;
                let tests = self.has_frto() && it.segment < self.point + 2;
                assert!(
                    beyond <= self.sender.cwnd() + limited || tests,
                    "{it:?} of a window of {}",
                    self.sender.cwnd()
                );
            }
            sent.push((it.segment, it.id));
            self.transmissions = it.id + 1;
            // The others send by what they think is in flight. Strange acks make that smaller than what is outstanding, but never negative:
            // an ack lets out at most a window and the fast retransmit, or twice that if two copies of a segment count once.
            // `network.rs` checks what honest acks let out against what is in the network.
            let copies = if repair.counts == Counts::Segments {
                2.0
            } else {
                1.0
            };
            let most = copies * (self.sender.cwnd().floor() + limited + 1.0);
            assert!(
                sent.len() as f64 <= most,
                "{} at a time: {sent:?} of a window of {}",
                sent.len(),
                self.sender.cwnd()
            );
        }
        sent
    }

    fn check(&mut self) {
        let una = self.sender.acknowledged();
        assert!(
            una >= self.una && una <= self.max,
            "{} -> {una} of {}",
            self.una,
            self.max
        );
        self.una = una;
        assert_eq!(self.sender.flight(), self.max - una);
        assert!(self.sender.flight() <= self.params.common.receiver_window());
        assert_eq!(
            self.sender.resort().is_some(),
            self.sender.flight() > 0,
            "the timer"
        );
        let (cwnd, ssthresh) = (self.sender.cwnd(), self.sender.ssthresh());
        assert!(
            cwnd.is_finite() && cwnd >= 0.0 && ssthresh >= 1.0,
            "cwnd {cwnd}, ssthresh {ssthresh}"
        );
        assert!(self.sender.rto() > Duration::ZERO);
    }

    /// All that is in the network is lost, and from now on a receiver that has all before `una`, and nothing else, answers.
    pub fn finish(mut self) -> u64 {
        let mut receiver = self.params.receiver();
        for segment in 0..self.una {
            receiver.handle_segment(self.now, segment, 0);
        }
        self.released += 20;
        self.sender.release(self.released, true);
        let mut acks: BTreeMap<(Instant, u64), Ack> = BTreeMap::new();
        let mut count = 0;
        for _ in 0..10_000_000 {
            // While the pace holds a segment back, a timer without back-off may run out thousands of times.
            count += u64::from(!self.sender.is_held());
            if count == 20_000 {
                break;
            }
            for (segment, id) in self.sends() {
                let at = self.now + Duration::millis(20);
                if let Some(ack) = receiver.handle_segment(self.now, segment, id).ack {
                    acks.insert((at, 1000 * count + acks.len() as u64), ack);
                }
            }
            self.check();
            if self.una == self.released {
                return count;
            }
            let withheld = receiver.poll_timeout();
            let ack = acks.keys().next().map(|(at, _)| *at);
            let next = [ack, withheld, self.sender.poll_timeout()]
                .into_iter()
                .flatten()
                .min();
            let next = next.unwrap_or_else(|| {
                let (una, all, cwnd) = (self.una, self.released, self.sender.cwnd());
                panic!("{una} of {all} are acknowledged, nothing is to come, and a window of {cwnd} sends nothing")
            });
            self.now = next.max(self.now);
            if let Some(ack) = receiver.handle_timeout(self.now) {
                acks.insert((self.now + Duration::millis(20), 1000 * count + 999), ack);
            }
            while let Some(first) = acks.first_entry().filter(|it| it.key().0 <= self.now) {
                self.sender.handle_ack(self.now, &first.remove());
            }
            self.handle_timeout();
        }
        panic!(
            "{} of {} are acknowledged, and no more comes",
            self.una, self.released
        );
    }
}
