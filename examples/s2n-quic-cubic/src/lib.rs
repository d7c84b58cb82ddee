//! The CUBIC of s2n-quic as a controller of dupack: a team's own controller, unchanged, in a simulated world.
//!
//! Only calls are translated. s2n-quic counts bytes where dupack counts segments, and keeps its own count of bytes in flight, so it must be
//! told of every transmission, and of the fate of each: the sender keeps records for that.

use dupack_core::time::{Duration, Instant};
use dupack_core::transport::Common;
use dupack_core::transport::control::{
    AckSample, Controller, Lost, Newest, Outstanding, Sending, Signal, Wants,
};
use num_rational::Ratio;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Transmissions of which the time is remembered, beyond the latest that was acknowledged.
const REMEMBERED: usize = 1 << 16;

/// A call of s2n-quic's controller. Times are since the start of the run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Call {
    /// `on_packet_sent`
    Sent {
        /// Its time.
        now: Duration,
        /// The application had nothing more to send.
        app_limited: bool,
    },
    /// `on_rtt_update`
    Rtt {
        /// When the packet was sent.
        sent: Duration,
        /// When its ack came.
        now: Duration,
    },
    /// `on_ack`
    Ack {
        /// When the latest of the packets was sent.
        sent: Duration,
        /// When the ack came.
        now: Duration,
        /// Packets that it is the first to report.
        packets: u64,
    },
    /// `on_packet_lost`
    Lost {
        /// When it was taken for lost.
        now: Duration,
        /// All packets of a longer time were lost.
        persistent: bool,
    },
    /// `on_explicit_congestion`
    Marked {
        /// When the echo came.
        now: Duration,
    },
}

/// Calls, each with the window that it has left \[bytes\].
pub type Log = Arc<Mutex<Vec<(Call, u32)>>>;

/// s2n-quic's controller with what it asks of a connection.
#[derive(Debug)]
pub struct Quic {
    controller: CubicCongestionController,
    rtt: RttEstimator,
    /// Length of a packet \[bytes\].
    packet: u16,
}

impl Quic {
    /// At the start of a connection with packets of `packet` bytes.
    pub fn new(packet: u16) -> Self {
        Self {
            controller: CubicCongestionController::new(packet, Default::default()),
            rtt: RttEstimator::default(),
            packet,
        }
    }

    /// Its window \[bytes\].
    pub fn window(&self) -> u32 {
        self.controller.congestion_window()
    }

    /// Makes one call.
    pub fn call(&mut self, call: Call) {
        let (rtt, quiet, random) = (&mut self.rtt, &mut Quiet, &mut Quiet);
        match call {
            Call::Sent { now, app_limited } => {
                let bytes = usize::from(self.packet);
                let now = timestamp(now);
                (self.controller).on_packet_sent(now, bytes, Some(app_limited), rtt, quiet);
            }
            Call::Rtt { sent, now } => {
                let trip = core::time::Duration::from_nanos((now.0 - sent.0) / 1000);
                let (sent, now) = (timestamp(sent), timestamp(now));
                let space = PacketNumberSpace::ApplicationData;
                rtt.update_rtt(core::time::Duration::ZERO, trip, now, true, space);
                self.controller.on_rtt_update(sent, now, rtt, quiet);
            }
            Call::Ack { sent, now, packets } => {
                let bytes = usize::from(self.packet) * packets as usize;
                let (sent, now) = (timestamp(sent), timestamp(now));
                (self.controller).on_ack(sent, bytes, (), rtt, random, now, quiet);
            }
            Call::Lost { now, persistent } => {
                let bytes = u32::from(self.packet);
                let now = timestamp(now);
                (self.controller).on_packet_lost(bytes, (), persistent, true, random, now, quiet);
            }
            Call::Marked { now } => {
                (self.controller).on_explicit_congestion(1, timestamp(now), quiet);
            }
        }
    }
}

/// The controller. Windows are in segments.
#[derive(Debug)]
pub struct S2nCubic {
    quic: Quic,
    log: Option<Log>,
    /// Packets in flight, as s2n-quic counts them.
    in_flight: u64,
    /// When transmissions from number `first` on were sent.
    sent: VecDeque<Instant>,
    first: u64,
    /// The loss that is told next is of persistent congestion.
    persistent: bool,
}

impl S2nCubic {
    /// At the start of a connection; a segment and its header is a packet of s2n-quic.
    ///
    /// # Panics
    /// If a packet is longer than 65,535 bytes, which no transport of dupack allows.
    pub fn new(common: &Common) -> Self {
        let packet = u16::try_from(common.mss.0).expect("at most 65,535 bytes");
        Self {
            quic: Quic::new(packet),
            log: None,
            in_flight: 0,
            sent: VecDeque::new(),
            first: 0,
            persistent: false,
        }
    }

    /// The same, with every call written to `log`.
    pub fn logged(common: &Common, log: Log) -> Self {
        Self {
            log: Some(log),
            ..Self::new(common)
        }
    }

    fn call(&mut self, call: Call) {
        self.quic.call(call);
        if let Some(log) = &self.log {
            let mut log = log.lock().expect("no test has failed");
            log.push((call, self.quic.window()));
        }
    }

    /// When the transmission `newest` was sent.
    fn sent_at(&mut self, newest: &Newest) -> Option<Instant> {
        let at = newest.id.checked_sub(self.first)? as usize;
        self.sent.get(at).copied()
    }
}

impl Controller for S2nCubic {
    fn window(&self) -> f64 {
        f64::from(self.quic.window()) / f64::from(self.quic.packet)
    }

    fn wants(&self) -> Wants {
        Wants {
            records: true,
            ..Wants::default()
        }
    }

    fn on_sent(&mut self, sending: &Sending) {
        self.in_flight += 1;
        self.sent.push_back(sending.now);
        if self.sent.len() > REMEMBERED {
            self.sent.pop_front();
            self.first += 1;
        }
        self.call(Call::Sent {
            now: since_start(sending.now),
            app_limited: sending.app_limited,
        });
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let now = since_start(ack.now);
        let newest = ack.delivery.and_then(|it| it.newest);
        let sent = newest.and_then(|it| self.sent_at(&it)).map(since_start);
        if let (Some(sent), Some(Newest { rtt: Some(_), .. })) = (sent, newest) {
            self.call(Call::Rtt { sent, now });
        }
        // What is no longer in flight, and was not taken for lost, has arrived.
        let packets = self.in_flight.saturating_sub(ack.in_flight);
        self.in_flight -= packets;
        if packets > 0 {
            let sent = sent.unwrap_or(now);
            self.call(Call::Ack { sent, now, packets });
        }
    }

    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        match signal {
            // Each lost transmission is told to `on_lost`.
            Signal::Loss { .. } => {}
            Signal::Timeout { .. } => self.persistent = true,
            Signal::Ecn => self.call(Call::Marked {
                now: since_start(outstanding.now),
            }),
        }
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.in_flight -= 1;
        let persistent = std::mem::take(&mut self.persistent);
        self.call(Call::Lost {
            now: since_start(lost.now),
            persistent,
        });
    }
}

fn since_start(at: Instant) -> Duration {
    at - Instant::ZERO
}

/// s2n-quic's clock, which counts microseconds and begins at one.
fn timestamp(at: Duration) -> Timestamp {
    NoopClock.get_time() + core::time::Duration::from_nanos(at.0 / 1000)
}

/// Hears no events, and has no random numbers, for which CUBIC does not ask.
#[derive(Debug)]
struct Quiet;

impl Publisher for Quiet {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}

impl Generator for Quiet {
    fn public_random_fill(&mut self, _: &mut [u8]) {
        unreachable!("CUBIC draws nothing");
    }
    fn private_random_fill(&mut self, _: &mut [u8]) {
        unreachable!("CUBIC draws nothing");
    }
}
