//! The CUBIC of s2n-quic, called as its connection calls it.

use crate::stream::Event;
use num_rational::Ratio;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use std::time::Duration;

const PACKET: u16 = 1200;

/// The controller, and what its connection knows.
pub struct S2n {
    controller: CubicCongestionController,
    rtt: RttEstimator,
    limit: u64,
    told: Told,
}

impl S2n {
    /// At the start of a connection.
    pub fn new() -> Self {
        Self {
            controller: CubicCongestionController::new(PACKET, Default::default()),
            rtt: RttEstimator::default(),
            limit: u64::MAX,
            told: Told::default(),
        }
    }

    /// Its window \[packets\].
    pub fn window(&self) -> f64 {
        f64::from(self.controller.congestion_window()) / f64::from(PACKET)
    }

    /// Whether it has left slow start because round trips grew longer, since the last call.
    pub fn left(&mut self) -> bool {
        std::mem::take(&mut self.told.left)
    }

    fn in_flight(&self) -> u64 {
        u64::from(self.controller.bytes_in_flight() / u32::from(PACKET))
    }

    fn fill(&mut self, now: Timestamp) -> u64 {
        loop {
            let (in_flight, window) = (self.in_flight(), self.window() as u64);
            let room = self.limit.min(window);
            if in_flight >= room {
                return in_flight;
            }
            // The last packet that the application has now, if that is less than the window.
            let limited = in_flight + 1 == room && room < window;
            let bytes = PACKET.into();
            let (rtt, told) = (&self.rtt, &mut self.told);
            (self.controller).on_packet_sent(now, bytes, Some(limited), rtt, told);
        }
    }

    fn acked(&mut self, now: Timestamp, sent: Timestamp, packets: u64) {
        let bytes = usize::from(PACKET) * packets as usize;
        let (rtt, told) = (&self.rtt, &mut self.told);
        (self.controller).on_ack(sent, bytes, (), rtt, &mut NoNumbers, now, told);
    }

    fn lost(&mut self, now: Timestamp, packets: u64, persistent: bool) {
        let bytes = u32::from(PACKET) * packets as u32;
        let told = &mut self.told;
        (self.controller).on_packet_lost(bytes, (), persistent, true, &mut NoNumbers, now, told);
    }

    /// An event.
    pub fn on(&mut self, event: &Event) {
        match *event {
            Event::Round { now, limit } => {
                self.limit = limit;
                self.fill(at(now));
            }
            Event::Ack { now, rtt, packets } => {
                let flight = self.fill(at(now));
                if flight == 0 {
                    return;
                }
                let (now, sent) = (at(now), at(now - rtt));
                let space = PacketNumberSpace::ApplicationData;
                let trip = Duration::from_micros(rtt);
                (self.rtt).update_rtt(Duration::ZERO, trip, now, true, space);
                (self.controller).on_rtt_update(sent, now, &self.rtt, &mut self.told);
                self.acked(now, sent, packets.min(flight));
            }
            Event::Drained { now } => {
                let left = self.in_flight();
                if left > 0 {
                    self.acked(at(now), at(now), left);
                }
            }
            Event::Lost { now, .. } => {
                if self.fill(at(now)) > 0 {
                    self.lost(at(now), 1, false);
                }
            }
            Event::Persistent { now } => {
                let flight = self.fill(at(now));
                self.lost(at(now), flight, true);
            }
        }
    }
}

/// s2n-quic's clock, which counts microseconds and begins at one.
fn at(us: u64) -> Timestamp {
    NoopClock.get_time() + Duration::from_micros(us)
}

#[derive(Default)]
struct Told {
    left: bool,
}

impl Publisher for Told {
    fn on_slow_start_exited(&mut self, cause: SlowStartExitCause, _: u32) {
        self.left |= matches!(cause, SlowStartExitCause::Rtt);
    }
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}

/// CUBIC draws no random numbers, so this is never called.
struct NoNumbers;

impl Generator for NoNumbers {
    fn public_random_fill(&mut self, _: &mut [u8]) {
        unreachable!("CUBIC draws nothing");
    }
    fn private_random_fill(&mut self, _: &mut [u8]) {
        unreachable!("CUBIC draws nothing");
    }
}
