//! Packet-pair: all data goes in back-to-back pairs; the spacing of their acks gives the rate at which the bottleneck serves this flow,
//! and a control law aims at a small set-point of the flow's own packets waiting there. It is made for networks that serve their flows in
//! turn.
//!
//! The paper summarises what Keshav 1991 defines; this is what is built here, in segments and seconds:
//!
//! - Estimator. The acks of a pair that come `s` apart say that the flow is served at 1/s. A pair of which one segment or one ack
//!   is lost says nothing. s' <- (1 - g) s' + g s, g = `gain`, mu = 1 / s'; the first pair sets it. (Keshav filters by fuzzy
//!   logic, with a gain that follows the prediction error; a fixed gain is the simplest thing that filters. Times are
//!   filtered and not rates: the mean of rates is ruled by the shortest spacing that jitter makes. With `filtered = "rate"`, rates are
//!   filtered, as Keshav & Morgan say: mu' <- (1 - g) mu' + g / s.)
//! - State. X = N - mu R0 segments of the flow wait at the bottleneck: N in the network, as the repair part counts them, less those
//!   that propagation takes; R0 is the shortest round trip seen.
//! - Law. lambda = mu + (B - X) / R: serve what is served, and correct the distance from the set-point B within a smoothed
//!   round trip R. It is evaluated whenever N changes: at every ack and every segment sent, as in Keshav's continuous-time version.
//!   With `law = "acks"` it is evaluated at every ack only. A pair may go 2 / lambda after the one before; if lambda is not above zero,
//!   none may until an ack changes it.
//!
//! The first pair of a connection goes at once, and the next when its acks have come. A timeout frees the sender: nothing is
//! known to be in the network.
//= keshav-morgan-1997 §5
//= keshav-1991
//= keshav-1991 type=departure

use super::{About, AckSample, Answer, Controller, Needs, Outstanding, Sending, Signal};
use crate::measure::{Packets, Share};
use crate::time::{Instant, SECOND};
use crate::transport::Common;
use alloc::collections::VecDeque;

crate::choice! {
    /// Quantity that is averaged to estimate the service rate.
    pub enum Filtered {
        /// The spacing of the acks of a pair.
        Spacing = "spacing",
        /// Its inverse, the rate that the pair measures.
        Rate = "rate",
    }
}

crate::choice! {
    /// Events at which the control law sets the sending rate.
    pub enum Law {
        /// Every change of the number of segments in the network: every ack and every segment sent.
        Continuous = "continuous",
        /// Every ack.
        Acks = "acks",
    }
}

crate::declare! {
    /// Measures the rate at which the bottleneck serves the flow with pairs of segments, and sends at that rate, with a few segments
    /// waiting there.
    pub struct PacketPairParams as "packet-pair" from "keshav-1991" {
        /// Number of packets that should wait at the bottleneck.
        set_point: Packets = "2 packets", try ["1 packets"];
        /// Weight of a new measurement in the filtered service rate.
        gain: Share = "0.25", try ["1"];
        /// Quantity that is averaged to estimate the service rate.
        filtered: Filtered = "spacing";
        /// Events at which the control law sets the sending rate.
        law: Law = "continuous";
    }
    check |it| if it.gain.0 > 0.0 {
        Ok(())
    } else {
        Err(crate::declare::Fault { name: "gain", found: "0".into(), allowed: "above 0, or the estimate never changes".into() })
    }
}

/// Its part of the entry.
pub const ABOUT: About = About::new(Answer::Stays, Needs::EveryAck).with_repair("smart");

/// The last burst: a pair, or one segment that had no partner.
#[derive(Clone, Copy, Debug)]
struct Burst {
    begun: Instant,
    segments: u32,
}

/// Rate control by packet pairs.
#[derive(Clone, Debug)]
pub struct PacketPair {
    set_point: f64,
    gain: f64,
    filtered: Filtered,
    law: Law,
    /// The receiver's window, the only limit on outstanding data.
    window: f64,
    /// The filtered spacing of the acks of a pair, the time that the bottleneck takes for a segment of this flow \[s\].
    spacing: Option<f64>,
    /// N.
    in_network: f64,
    /// R and R0 \[s\], once measured.
    trips: Option<(f64, f64)>,
    /// The sending rate \[segments/s\]; not above zero: wait for an ack.
    rate: f64,
    /// `None`: the next pair may go at once.
    last: Option<Burst>,
    /// The first transmissions of the pairs whose acks are awaited.
    pairs: VecDeque<u64>,
    /// Arrival time of the ack of the first of `pairs`.
    first_heard: Option<Instant>,
}

impl PacketPair {
    /// At the start of a connection.
    pub fn new(own: &PacketPairParams, common: &Common) -> Self {
        Self {
            set_point: own.set_point.0 as f64,
            gain: own.gain.0,
            filtered: own.filtered,
            law: own.law,
            window: common.receiver_window() as f64,
            spacing: None,
            in_network: 0.0,
            trips: None,
            rate: 0.0,
            last: None,
            pairs: VecDeque::new(),
            first_heard: None,
        }
    }

    /// The spacing of the acks of the pair that transmission `id` completes \[s\].
    fn measured(&mut self, now: Instant, id: u64) -> Option<f64> {
        while self.pairs.front().is_some_and(|first| first + 1 < id) {
            self.pairs.pop_front();
            self.first_heard = None;
        }
        let first = *self.pairs.front()?;
        if id == first {
            self.first_heard = Some(now);
            return None;
        }
        if id != first + 1 {
            return None;
        }
        self.pairs.pop_front();
        let spacing = now - self.first_heard.take()?;
        (spacing.0 > 0).then(|| spacing.seconds())
    }

    /// lambda = mu + (B - X) / R, X = N - mu R0
    //= keshav-1991
    fn apply_the_law(&mut self) {
        if let (Some(spacing), Some((round_trip, shortest))) = (self.spacing, self.trips) {
            let served = 1.0 / spacing;
            let waiting = self.in_network - served * shortest;
            self.rate = served + (self.set_point - waiting) / round_trip;
        }
    }

    /// Whether the burst that began at `now` is a segment short of a pair.
    fn is_half(&self, now: Instant) -> bool {
        self.last
            .is_some_and(|last| last.segments == 1 && last.begun == now)
    }
}

impl Controller for PacketPair {
    fn window(&self) -> f64 {
        self.window
    }

    fn state(&self, _recovering: bool) -> &'static str {
        match self.spacing.is_some() && self.trips.is_some() {
            true => "controlled",
            false => "measuring",
        }
    }

    // A separate function, so that the acks of other controllers do not pay for its stack frame.
    #[inline(never)]
    fn on_ack(&mut self, sample: &AckSample) {
        if let Some(spacing) = (sample.id).and_then(|id| self.measured(sample.now, id)) {
            self.spacing = Some(match self.spacing {
                None => spacing,
                Some(mean) => match self.filtered {
                    Filtered::Spacing => mean + self.gain * (spacing - mean),
                    Filtered::Rate => 1.0 / ((1.0 - self.gain) / mean + self.gain / spacing),
                },
            });
        }
        self.in_network = sample.in_flight as f64;
        if let (Some(round_trip), Some(shortest)) = (sample.srtt, sample.min_rtt) {
            self.trips = Some((round_trip.seconds(), shortest.seconds()));
        }
        // The only pair was lost or measured nothing: send another.
        let unknown = self.spacing.is_none() || self.trips.is_none();
        if unknown && sample.in_flight == 0 {
            self.last = None;
        }
        self.apply_the_law();
    }

    fn on_congestion(&mut self, signal: Signal, _: &Outstanding) {
        if !matches!(signal, Signal::Timeout { .. }) {
            return;
        }
        self.last = None;
        self.pairs.clear();
        self.first_heard = None;
        self.in_network = 0.0;
        self.apply_the_law();
    }

    fn on_sent(&mut self, sending: &Sending) {
        let Sending { now, id, .. } = *sending;
        self.in_network += 1.0;
        if self.law == Law::Continuous {
            self.apply_the_law();
        }
        match &mut self.last {
            Some(last) if last.segments == 1 && last.begun == now => {
                last.segments = 2;
                self.pairs.push_back(id - 1);
            }
            last => {
                *last = Some(Burst {
                    begun: now,
                    segments: 1,
                });
            }
        }
    }

    fn next_at(&self, now: Instant) -> Instant {
        let Some(last) = self.last else {
            return Instant::ZERO;
        };
        if self.is_half(now) {
            return now;
        }
        if self.rate <= 0.0 {
            return Instant::NEVER;
        }
        // The cast saturates: a gap that is too large becomes the largest.
        let gap = f64::from(last.segments) * SECOND as f64 / self.rate;
        Instant(last.begun.0.saturating_add(gap as u64))
    }

    fn begins_pair(&self, now: Instant) -> bool {
        !self.is_half(now)
    }
}
