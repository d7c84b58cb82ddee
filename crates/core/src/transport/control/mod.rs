//! Controllers: how much may be outstanding, and how fast it may be sent. One file each; the roster is the line at the end.

mod window;

pub use window::CongestionWindow;

use super::Common;
use crate::declare::{Declared, Fault, Parameter, Value};
use crate::time::{Duration, Instant};

/// What a controller is told of an ack, whatever the ack means.
///
/// Windows and counts are in segments. What costs something to know is in [`AckSample::delivery`], for controllers that ask.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// When it arrived: the host's clock.
    pub now: Instant,
    /// Whether losses are being repaired: the repair part's reading of this ack and of those before it.
    pub phase: Phase,
    /// The transmission whose arrival caused it, by the ack's echo; `None` for a notice of loss, and where that is unknown.
    pub id: Option<u64>,
    /// By how much it moves the cumulative ack \[segments\].
    pub acked: u64,
    /// It bears ECN-Echo, and the sender is ECN-capable. With `ecn_echo = "latched"` that says no more than that something was marked
    /// since the sender's last CWR.
    pub ece: bool,
    /// Segments that it says arrived with a mark \[segments\]: those that it is the first to report as arrived, if it bears ECN-Echo, else
    /// none. As far as is known without records, those are the ones that it acknowledges. Right with `ecn_echo = "exact"`, where
    /// an ack stands for segments that were all marked or all not; with `"latched"` an upper bound.
    pub ce: u64,
    /// Segments sent and not acknowledged when it arrived, those that it acknowledges among them \[segments\]: the sequence space's.
    pub flight: u64,
    /// Segments thought to be in the network, now that it is here \[segments\]: the repair part's count, or that of the records.
    pub in_flight: u64,
    /// The smoothed round trip by an exact clock, once measured: the retransmission timer's, of the acks that `samples` names.
    pub srtt: Option<Duration>,
    /// The shortest round trip so far: that of the same acks, or of all if there are records.
    pub min_rtt: Option<Duration>,
}

impl AckSample {
    /// It acknowledges new data, nothing is being repaired, and no congestion echoed: where windows grow.
    //= rfc3168 §6.1.2, increase
    // "The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK packet."
    pub fn opens(&self) -> bool {
        self.phase == Phase::Open && self.acked > 0 && !self.ece
    }

    /// A window of `window` segments, and not the application or the receiver, limited what was outstanding when it arrived.
    pub fn is_limited_by(&self, window: f64) -> bool {
        self.flight >= window as u64
    }
}

/// Where an ack finds the repair of losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// None is going on. After a timeout, too: the window opens again by slow start.
    Open,
    /// It goes on, or begins with this ack: what was outstanding when the loss was found is not all acknowledged.
    Recovery,
    /// This ack completes it.
    Over,
}

/// What tells of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// The repair part has found a loss, by an ack or by a timer of its own; one for all that was outstanding then.
    Loss,
    /// The receiver has echoed congestion that was marked; at most once per window of data, and not if a loss in it was told. Nothing
    /// is to be sent again.
    Ecn,
    /// The retransmission timer ran out; `again` if it had already for the same segment.
    Timeout {
        /// No new data has been acknowledged in between.
        again: bool,
    },
}

/// What is outstanding when congestion is found.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// When that is.
    pub now: Instant,
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// FlightSize: segments sent and not acknowledged, without those that limited transmit let out \[segments\].
    pub flight: u64,
    /// The oldest of them has been sent again already.
    pub resent: bool,
}

/// What a controller does about a loss: some repairs need one that yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The window closes to one segment.
    Closes,
    /// It halves.
    Halves,
    /// It stays: losses are the repair part's business alone.
    Stays,
}

/// What a controller needs to know of arrivals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Acks, which may stand for several segments.
    Acks,
    /// An ack of every segment: it measures the time between those of neighbouring ones.
    EveryAck,
}

/// How much, how fast. Windows in segments.
pub trait Controller {
    /// The congestion window, without what the repair part adds for segments known to have left the network.
    fn window(&self) -> f64;
    /// Where slow start ends; infinite until a loss or a parameter sets it, and where there is none.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }
    /// An ack has come, of whatever meaning; after `on_congestion`, `on_recovered` or `on_deflate`, if it leads to one of them.
    fn on_ack(&mut self, _: &AckSample) {}
    /// Congestion was found.
    fn on_congestion(&mut self, _: Signal, _: &Outstanding) {}
    /// The repair is complete.
    fn on_recovered(&mut self, _: &Outstanding) {}
    /// A partial ack takes `segments` from the window.
    fn on_deflate(&mut self, _segments: u64) {}
    /// Transmission `id` goes out.
    fn on_sent(&mut self, _now: Instant, _id: u64) {}
    /// When the next segment may go, as far as is known now: at `now` or before it for at once.
    fn next_at(&self, _now: Instant) -> Instant {
        Instant::ZERO
    }
    /// The next segment begins a pair: it had better wait for the other one, if the application is about to hand it over.
    fn begins_pair(&self, _now: Instant) -> bool {
        false
    }
}

/// What plans, pages and errors say of a controller.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// The parameters that only it has.
    pub own: &'static [Parameter],
    /// What it does about a loss.
    pub answer: Answer,
    /// What it needs to know of arrivals.
    pub needs: Needs,
    /// Whether the values of `own` go together.
    pub check: fn(&[Value]) -> Result<(), Fault>,
    /// Makes one.
    pub make: fn(&[Value], &Common) -> AnyController,
}

/// Makes the roster: per word a module with `Own` (declared), `ANSWER`, `NEEDS` and `Control`.
macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        $(pub mod $word;)+

        /// Any controller.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum AnyController { $($word($word::Control)),+ }

        /// Every controller, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Own::NAME,
            summary: $word::Own::SUMMARY,
            source: $word::Own::SOURCE,
            own: $word::Own::PARAMETERS,
            answer: $word::ANSWER,
            needs: $word::NEEDS,
            check: |own| $word::Own::from_values(own).check(),
            make: |own, common| AnyController::$word($word::Control::new(&$word::Own::from_values(own), common)),
        }),+];

        impl Controller for AnyController {
            fn window(&self) -> f64 {
                match self { $(Self::$word(it) => it.window()),+ }
            }
            fn ssthresh(&self) -> f64 {
                match self { $(Self::$word(it) => it.ssthresh()),+ }
            }
            fn on_ack(&mut self, sample: &AckSample) {
                match self { $(Self::$word(it) => it.on_ack(sample)),+ }
            }
            fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
                match self { $(Self::$word(it) => it.on_congestion(signal, outstanding)),+ }
            }
            fn on_recovered(&mut self, outstanding: &Outstanding) {
                match self { $(Self::$word(it) => it.on_recovered(outstanding)),+ }
            }
            fn on_deflate(&mut self, segments: u64) {
                match self { $(Self::$word(it) => it.on_deflate(segments)),+ }
            }
            fn on_sent(&mut self, now: Instant, id: u64) {
                match self { $(Self::$word(it) => it.on_sent(now, id)),+ }
            }
            fn next_at(&self, now: Instant) -> Instant {
                match self { $(Self::$word(it) => it.next_at(now)),+ }
            }
            fn begins_pair(&self, now: Instant) -> bool {
                match self { $(Self::$word(it) => it.begins_pair(now)),+ }
            }
        }
    };
}

roster!(tahoe, reno, static_window, packet_pair);
