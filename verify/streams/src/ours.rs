//! dupack's CUBIC, called as its sender with QUIC's acks calls it.

use crate::stream::Event;
use dupack_core::declare::Declared;
use dupack_core::time::{Duration, Instant};
use dupack_core::transport::Common;
use dupack_core::transport::control::cubic::{Cubic, CubicParams};
use dupack_core::transport::control::{AckSample, Controller, Outstanding, Phase, Sending, Signal};

/// The window that the receiver allows: more than any stream needs \[packets\].
const RECEIVER: u64 = 100_000;
/// Packets sent after the lost one, up to the acknowledged one that shows the loss: kPacketThreshold of RFC 9002. Here all of them are
/// acknowledged.
const THRESHOLD: u64 = 3;

/// Round-trip times, smoothed as RFC 9002 §5.3 says, with acks that are not delayed \[s\].
#[derive(Clone, Copy, Default, Debug)]
pub struct Rtt {
    /// The latest sample.
    pub latest: f64,
    /// The minimum.
    pub min: f64,
    /// The smoothed one.
    pub smoothed: f64,
}

impl Rtt {
    /// A round trip has been measured \[s\].
    pub fn measured(&mut self, rtt: f64) {
        *self = if self.smoothed == 0.0 {
            Self {
                latest: rtt,
                min: rtt,
                smoothed: rtt,
            }
        } else {
            Self {
                latest: rtt,
                min: self.min.min(rtt),
                smoothed: 7.0 / 8.0 * self.smoothed + rtt / 8.0,
            }
        };
    }
}

/// The controller, and what its sender knows.
pub struct Ours {
    cubic: Cubic,
    rtt: Rtt,
    in_flight: u64,
    limit: u64,
    sent: u64,
    /// When the current recovery began, if there is one.
    recovery: Option<u64>,
    /// When the last loss was found.
    lost: u64,
}

impl Ours {
    /// At the start of a connection.
    pub fn new() -> Self {
        let common = Common::from_texts(&[
            ("mss", "1200 B"),
            ("initial_window", "10 segments"),
            ("loss_window", "2 segments"),
            ("max_window", "100000 segments"),
            ("counted", "segments"),
        ]);
        Self {
            cubic: Cubic::new(&CubicParams::from_texts(&[]), &common),
            rtt: Rtt::default(),
            in_flight: 0,
            limit: u64::MAX,
            sent: 0,
            recovery: None,
            lost: 0,
        }
    }

    /// Its window \[packets\].
    pub fn window(&self) -> f64 {
        self.cubic.window()
    }

    /// Whether a recovery goes on.
    pub fn in_recovery(&self) -> bool {
        self.recovery.is_some()
    }

    /// Whether the loss of a packet sent at `sent` begins a recovery: none is under way, and it was sent after the last loss was found.
    pub fn is_news(&self, sent: u64) -> bool {
        !self.in_recovery() && sent > self.lost
    }

    /// Its packets in flight.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Sends what the window and the application allow; returns the packets in flight afterwards.
    fn fill(&mut self, now: u64) -> u64 {
        while self.in_flight < self.limit.min(self.cubic.window() as u64) {
            self.cubic.on_sent(&Sending {
                now: instant(now),
                id: self.sent,
                in_flight: self.in_flight,
                app_limited: self.in_flight == 0,
            });
            self.sent += 1;
            self.in_flight += 1;
        }
        self.in_flight
    }

    fn outstanding(&self, now: u64) -> Outstanding {
        Outstanding {
            now: instant(now),
            receiver: RECEIVER,
            flight: self.in_flight + THRESHOLD,
            resent: false,
        }
    }

    /// An event.
    pub fn on(&mut self, event: &Event) {
        match *event {
            Event::Round { now, limit } => {
                self.limit = limit;
                self.fill(now);
            }
            Event::Ack { now, rtt, packets } => {
                let flight = self.fill(now);
                if flight == 0 {
                    return;
                }
                let packets = packets.min(flight);
                self.rtt.measured(rtt as f64 * 1e-6);
                self.acked(now, now - rtt, packets, flight);
            }
            Event::Drained { now } => {
                if self.in_flight > 0 {
                    self.acked(now, now, self.in_flight, self.in_flight);
                }
            }
            Event::Lost { now, .. } => {
                self.fill(now);
                let outstanding = self.outstanding(now);
                let loss = Signal::Loss { echoed: false };
                self.cubic.on_congestion(loss, &outstanding);
                self.in_flight = self.in_flight.saturating_sub(1);
                (self.recovery, self.lost) = (Some(now), now);
            }
            Event::Persistent { now } => {
                self.fill(now);
                let outstanding = self.outstanding(now);
                let timeout = Signal::Timeout { again: false };
                self.cubic.on_congestion(timeout, &outstanding);
                self.in_flight = 0;
                self.recovery = None;
            }
        }
    }

    fn acked(&mut self, now: u64, sent: u64, packets: u64, flight: u64) {
        self.in_flight -= packets;
        let phase = match self.recovery {
            None => Phase::Open,
            Some(start) if sent <= start => Phase::Recovery,
            Some(_) => {
                self.recovery = None;
                let outstanding = self.outstanding(now);
                self.cubic.on_recovered(&outstanding);
                Phase::Over
            }
        };
        let trip = |s: f64| Some(Duration((s * 1e12) as u64));
        self.cubic.on_ack(&AckSample {
            now: instant(now),
            phase,
            id: None,
            acked: packets,
            arrived: packets,
            ece: false,
            ce: 0,
            flight,
            paced: false,
            in_flight: self.in_flight,
            srtt: trip(self.rtt.smoothed),
            min_rtt: trip(self.rtt.min),
            delivery: None,
        });
    }
}

fn instant(us: u64) -> Instant {
    Instant(us * 1_000_000)
}
