//! Congestion window validation: what a window says about the path is known only as far as it was used.
//!
//! pipeACK is the most that was acknowledged in a round trip lately. While it is less than half of the window, the window is not validated:
//! it stays, and grows only for acks that find it full. A loss then leaves half of what was used, less what was lost; and after
//! `non_validated_period` the window halves.
//!
//! A sample of pipeACK ends when a segment is acknowledged that was sent after it began, or all is acknowledged. Idle time
//! belongs to no sample.
//= rfc7661 §4.5.1

use super::state::{State, Windows};
use crate::time::{Duration, Instant};
use crate::transport::Common;
use crate::transport::control::Maximum;

/// Its state.
#[derive(Clone, Debug)]
pub struct Validation {
    /// NVP, five minutes by default.
    //= rfc7661 §4.4, NVP
    period: Duration,
    /// Bits of a packet, if nothing else paces the sender.
    bits: Option<f64>,
    /// Segments acknowledged when the sample began.
    from: u64,
    /// One beyond the last segment sent before it began; `None` after idle time, until the first ack.
    end: Option<u64>,
    /// The samples of the last sampling period, by time; `None` if pipeACK is undefined.
    samples: Option<Maximum<u64>>,
    /// When a sample last validated the window.
    validated: Option<Instant>,
    /// When the phase in which the window is not validated began, if it goes on.
    since: Option<Instant>,
    /// The last ack found the window full.
    full: bool,
    /// max(pipeACK, LossFlightSize) of a recovery that began in that phase.
    used: Option<u64>,
    /// R: segments that the recovery has sent again, and one beyond the last of them.
    resent: u64,
    resent_to: u64,
}

impl Validation {
    /// At the start of a connection.
    //= rfc7661 §4.1
    pub fn new(params: &Common) -> Self {
        Self {
            period: params.non_validated_period,
            bits: None,
            from: 0,
            end: None,
            samples: None,
            validated: None,
            since: None,
            full: false,
            used: None,
            resent: 0,
            resent_to: 0,
        }
    }

    /// From now on it paces a window that is not validated; packets have `bits`.
    pub fn pace_packets(&mut self, bits: u64) {
        self.bits = Some(bits as f64);
    }

    /// Whether the window is not validated, when last asked.
    pub fn is_non_validated(&self) -> bool {
        self.since.is_some()
    }

    /// Bits to be sent per round trip for each segment of the window, if what is sent now is to be paced: a window per round trip. A full
    /// window lets out no burst, and is not paced.
    //= rfc7661 §4.4.2
    pub fn pace(&self) -> Option<f64> {
        self.bits.filter(|_| self.is_non_validated() && !self.full)
    }

    /// Max(3*RTT, 1 second)
    //= rfc7661 §4.2, period
    fn sampling(srtt: Option<Duration>) -> Duration {
        let three = srtt.map_or(Duration::ZERO, |it| Duration(it.0.saturating_mul(3)));
        three.max(Duration::secs(1))
    }

    /// pipeACK now, adding `sample` to its samples; `None` if it is undefined.
    //= rfc7661 §4.2, pipeACK
    fn pipe_ack(&mut self, now: Instant, srtt: Option<Duration>, sample: u64) -> Option<u64> {
        let samples = self.samples.as_mut()?;
        samples.add(now.0, sample, Self::sampling(srtt).0);
        samples.get()
    }

    /// Finds the phase; `sample` is a new sample of pipeACK, or 0.
    //= rfc7661 §4.3
    fn update(&mut self, state: &State, sample: u64) {
        let half = state.windows.cwnd / 2.0;
        if sample as f64 >= half {
            self.validated = Some(state.now);
        }
        self.since = match self.pipe_ack(state.now, state.srtt, sample) {
            Some(pipe) if (pipe as f64) < half => self.since.or_else(|| {
                let expired = self.validated.map(|at| at + Self::sampling(state.srtt));
                Some(expired.map_or(state.now, |at| at.min(state.now)))
            }),
            _ => None,
        };
    }

    /// An ack of new data has arrived outside a recovery; `state` is that with it, but `full` was the window before.
    //= rfc7661 §4.2, sample
    //= rfc7661 §4.2, recovery
    pub fn on_ack(&mut self, state: &State, full: bool) {
        self.full = full;
        // An echo has begun a sample with this very ack.
        if state.una <= self.from {
            return;
        }
        // The first ack after idle time comes a round trip after the sample began.
        let end = *self.end.get_or_insert(state.max.saturating_sub(1));
        let over = state.una > end || state.una == state.max;
        if !over {
            self.update(state, 0);
            return;
        }
        let sample = state.una - self.from;
        self.begin(state.una, state.max);
        self.samples.get_or_insert_default();
        self.update(state, sample);
    }

    /// A sample begins.
    fn begin(&mut self, una: u64, max: u64) {
        self.from = una;
        self.end = (una < max).then_some(max);
    }

    /// New data waits to be sent; the windows, if they change before it is: the window halves with each `non_validated_period`.
    //= rfc7661 §4.4.3
    // "cwnd = max((1/2)*cwnd, IW)"
    pub fn before_sending(&mut self, state: &State, initial: f64) -> Option<Windows> {
        self.update(state, 0);
        let since = self.since?;
        let periods = (state.now - since).0 / self.period.0;
        if periods == 0 {
            return None;
        }
        self.since = Some(since + Duration(periods * self.period.0));
        let mut windows = state.windows;
        for _ in 0..periods.min(64) {
            let halved = (windows.cwnd / 2.0).max(initial);
            windows = windows.reduced_to(halved.min(windows.cwnd));
        }
        Some(windows)
    }

    /// A segment is sent again. Segments are sent again in order, so one before an earlier one is sent again once more.
    pub fn on_resent(&mut self, segment: u64) {
        if segment >= self.resent_to {
            self.resent += 1;
            self.resent_to = segment + 1;
        }
    }

    /// A recovery begins with `flight` segments outstanding; its window, if the phase says it.
    //= rfc7661 §4.4.1, loss
    // "cwnd = (Max(pipeACK,LossFlightSize))/2"
    pub fn on_loss(&mut self, state: &State, flight: u64) -> Option<f64> {
        (self.resent, self.resent_to) = (0, state.una);
        self.update(state, 0);
        self.used = None;
        self.since?;
        let pipe = self.pipe_ack(state.now, state.srtt, 0).unwrap_or(0);
        let used = pipe.max(flight);
        self.used = Some(used);
        Some(used as f64 / 2.0)
    }

    /// The recovery is over, or given up; its windows if it began in the phase.
    //= rfc7661 §4.4.1, end
    // "cwnd = (Max(pipeACK,LossFlightSize) - R)/2", at least one segment.
    //= rfc7661 §4.4.1, undefined
    // "the sender MUST re-initialise the pipeACK variable to the 'undefined' value".
    //= rfc7661 §4.4, timeout
    //= rfc7661 §4.4.1, ssthresh
    pub fn on_recovered(&mut self, state: &State) -> Option<Windows> {
        self.samples = None;
        (self.validated, self.since) = (None, None);
        self.begin(state.una, state.max);
        let used = self.used.take()?;
        let cwnd = (used.saturating_sub(self.resent) as f64 / 2.0).max(1.0);
        Some(Windows {
            cwnd,
            ssthresh: cwnd.max(2.0),
        })
    }
}
