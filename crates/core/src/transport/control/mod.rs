//! Controllers: how much may be outstanding, and how fast it may be sent. One file each.

mod aggregation;
pub mod bbr1;
pub mod bbr3;
pub mod cubic;
pub mod dctcp;
pub mod external;
#[cfg(test)]
mod heard;
mod hystart;
mod hystart_plus;
pub mod packet_pair;
mod policed;
pub mod prague;
pub mod reno;
pub mod static_window;
pub mod tahoe;
pub mod tcp_cubic;
pub mod vegas;
mod window;
mod windowed;

pub use window::CongestionWindow;
pub(super) use windowed::Maximum;

use super::Common;
use crate::measure::Rate;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use crate::unit::Ecn;

/// Information for a controller about an ack, whatever the ack means.
///
/// Windows and counts are in segments. Values that are expensive to compute are in [`AckSample::delivery`], for controllers that ask.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Time of its arrival, by the host's clock.
    pub now: Instant,
    /// Whether a recovery is going on, by the repair's reading of this ack and of earlier ones.
    pub phase: Phase,
    /// The transmission whose arrival caused it, by the ack's echo; `None` for a notice of loss, and where that is unknown.
    pub id: Option<u64>,
    /// Segments by which it advances the cumulative ack.
    pub acked: u64,
    /// Segments that it is the first to report as arrived, if the repair counts them, as `rack-tlp` does; else `acked`.
    pub arrived: u64,
    /// Whether it bears ECN-Echo, and the sender is ECN-capable. With `ecn_echo = "latched"` this means only that some packet was marked
    /// since the sender's last CWR.
    pub ece: bool,
    /// Segments that it says arrived with a mark \[segments\]. With `ecn_echo = "counter"` that is the growth of the counter. Else it is those
    /// that the ack is the first to report as arrived, if it bears ECN-Echo; as far as is known without records, those that it
    /// acknowledges. That is right with `ecn_echo = "exact"`, where an ack stands for segments that were all marked or all not. With
    /// `"latched"` it is an upper bound.
    pub ce: u64,
    /// Segments sent and not acknowledged when it arrived, those that it acknowledges among them \[segments\]: the sequence space's.
    pub flight: u64,
    /// A transmission waits for its pace: the window is not full for this reason.
    pub paced: bool,
    /// Segments thought to be in the network, now that it is here \[segments\]: the repair part's count, or that of the records.
    pub in_flight: u64,
    /// The smoothed round trip by an exact clock, once measured: the retransmission timer's, of the acks that `samples` names.
    pub srtt: Option<Duration>,
    /// The shortest round trip so far: that of the same acks, or of all if there are records.
    pub min_rtt: Option<Duration>,
    /// Results of the records of transmissions, for a controller that asks for them by [`Wants::records`].
    pub delivery: Option<Delivery>,
}

impl AckSample {
    /// Whether windows grow: it acknowledges new data, there is no recovery, and no congestion is echoed.
    //= rfc3168 §6.1.2, increase
    // "The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK packet."
    pub fn opens(&self) -> bool {
        self.phase == Phase::Open && self.opens_or_ends()
    }

    /// The same, but for windows that also grow for the ack that ends a recovery.
    //= linux §tcp_input.c, tcp_cong_control, over
    // The kernel has left the recovery when it looks whether the window may grow.
    pub fn opens_or_ends(&self) -> bool {
        self.phase != Phase::Recovery && self.acked > 0 && !self.ece
    }

    /// Whether a window of `window` segments, and not the application or the receiver, limited the outstanding data when it arrived. A
    /// sender that its pace holds back is so limited.
    //= rfc9002 §7.8
    pub fn is_limited_by(&self, window: f64) -> bool {
        self.paced || self.flight >= window as u64
    }
}

/// Results of the records of transmissions at an ack; see [`records`](super::records).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Segments that this ack is the first to report as arrived, in whatever way \[segments\].
    pub arrived: u64,
    /// Those of them beyond the next segment expected; 0 without a repair that uses such reports \[segments\].
    pub sacked: u64,
    /// Transmissions that the repair part has taken for lost since the last sample \[segments\].
    pub lost: u64,
    /// C.delivered: segments that have arrived so far \[segments\].
    pub delivered: u64,
    /// Number of round trips so far, counted by the data delivered when the acknowledged segment was sent.
    pub round: u64,
    /// Measurements of the latest transmission that this ack is the first to report; `None` if it reports none.
    pub newest: Option<Newest>,
}

/// Measurements of a transmission when its ack arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Newest {
    /// Its number.
    pub id: u64,
    /// Its round trip; `None` if its segment was sent more than once and the ack does not tell which transmission has arrived.
    pub rtt: Option<Duration>,
    /// Data delivered between its transmission and its ack, over the longer of the times in which it was sent and acknowledged; in
    /// bits of full packets with their headers, like [`Controller::pacing`] and the rates of links. `None` if the interval is shorter
    /// than the shortest round trip, and so not a measurement.
    pub delivery_rate: Option<Rate>,
    /// Whether it was sent when the application had not enough data: the rate may be the application's.
    pub app_limited: bool,
    /// C.delivered when it went out \[segments\]: since then, [`Delivery::delivered`] less this have arrived.
    pub delivered_when_sent: u64,
    /// Segments in the network when it went out, itself among them \[segments\].
    pub in_flight_when_sent: u64,
    /// Transmissions taken for lost since it went out \[segments\].
    pub lost_since_sent: u64,
    /// Whether it was sent before the latest loss that began a recovery, or the latest timeout, was found.
    pub sent_before_recovery: bool,
}

/// A transmission that is taken for lost: the state when it was sent, and since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Time at which it is taken for lost.
    pub now: Instant,
    /// Its number.
    pub id: u64,
    /// Whether it was sent when the application had not enough data.
    pub app_limited: bool,
    /// Segments in the network when it went out, itself among them \[segments\].
    pub in_flight_when_sent: u64,
    /// Transmissions taken for lost since it went out, itself among them \[segments\].
    pub lost_since_sent: u64,
}

/// Services that a controller asks its sender for. The sender does nothing that is not asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// A record of every transmission: [`AckSample::delivery`].
    pub records: bool,
    /// Transmissions at the rate of [`Controller::pacing`].
    pub pacing: bool,
    /// The rule `idle` for its window, by [`Controller::set_windows`].
    pub idle: bool,
}

impl Wants {
    /// Those of a model of the path: it measures rates, and paces.
    pub const MODEL: Self = Self {
        records: true,
        pacing: true,
        idle: false,
    };
}

/// Phase of loss recovery at an ack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// None is going on. After a timeout, too: the window opens again by slow start.
    Open,
    /// A recovery is going on, or begins with this ack: not all data outstanding when the loss was found is acknowledged. The same of an echo
    /// that reduces the window over a window of data (`echo_reduction`).
    Recovery,
    /// This ack completes it.
    Over,
}

/// Signals of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// The repair part has found a loss, by an ack or by a timer of its own; one for all that was outstanding then.
    Loss {
        /// The lost segment is of a window of data for which [`Signal::Ecn`] was told already: it is the same congestion, and a
        /// window is not reduced for it again. A recovery begins all the same.
        //= rfc3168 §6.1.2
        echoed: bool,
    },
    /// The receiver has echoed congestion that was marked; at most once per window of data, and not if a loss in it was told. Nothing
    /// is to be sent again.
    Ecn,
    /// The retransmission timer ran out; `again` if it had already for the same segment.
    Timeout {
        /// No new data has been acknowledged in between.
        again: bool,
    },
}

/// Outstanding data when congestion is found.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// Time at which congestion is found.
    pub now: Instant,
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// FlightSize: segments sent and not acknowledged, without those sent by limited transmit \[segments\].
    pub flight: u64,
    /// The oldest of them has been sent again already.
    pub resent: bool,
}

/// A transmission that is about to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sending {
    /// Time of the transmission.
    pub now: Instant,
    /// Its number.
    pub id: u64,
    /// Segments in the network before it \[segments\]: by the records if there are any, else those sent and not acknowledged. At
    /// 0, sending begins again after idle time.
    pub in_flight: u64,
    /// The application had nothing more to send before it: by the records if there are any, else true if nothing was in flight.
    pub app_limited: bool,
}

/// Reaction of a controller to a loss: some repairs need one that reduces its window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The window closes to one segment.
    Closes,
    /// It halves its window.
    Halves,
    /// It keeps its window: losses are left to the repair.
    Stays,
}

/// Information about arrivals that a controller needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Acks, which may stand for several segments.
    Acks,
    /// An ack of every segment: it measures the time between those of neighbouring ones.
    EveryAck,
}

/// Congestion control: how much may be outstanding, and how fast it is sent. Windows in segments.
pub trait Controller {
    /// The congestion window, without what the repair part adds for segments known to have left the network.
    fn window(&self) -> f64;
    /// Slow-start threshold; infinite until a loss or a parameter sets it, and for controllers without slow start.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }
    /// Name of its state, for time series and pictures: `slow-start`, `congestion-avoidance`, `recovery`, or that of a phase of its own
    /// such as `probe-rtt`. `recovering` says whether losses are being repaired.
    fn state(&self, recovering: bool) -> &'static str {
        window::state(self.window(), self.ssthresh(), recovering)
    }
    /// An ack has arrived, whatever it means. Called after `on_congestion`, `on_recovered` or `on_deflate`, if it leads to one of them.
    fn on_ack(&mut self, _: &AckSample) {}
    /// Congestion was found.
    fn on_congestion(&mut self, _: Signal, _: &Outstanding) {}
    /// Congestion follows that may turn out to have been none: `undo` will want the state of now. Called before `on_congestion`, of a
    /// sender whose repair finds spurious losses or timeouts.
    fn save(&mut self) {}
    /// What `on_congestion` was told since `save` was no congestion: no segment was lost.
    fn undo(&mut self) {}
    /// The windows are these from now on \[segments\], by the sender's rule for a window that it does not fill (`idle`). Called before data
    /// is sent, or after `on_congestion`, `on_recovered` or `on_ack`, for a controller that asks for the rule by [`Wants::idle`].
    fn set_windows(&mut self, _cwnd: f64, _ssthresh: f64) {}
    /// The repair is complete.
    fn on_recovered(&mut self, _: &Outstanding) {}
    /// A partial ack takes `segments` from the window.
    fn on_deflate(&mut self, _segments: u64) {}
    /// Services that it asks its sender for; called once, at the start of a connection.
    fn wants(&self) -> Wants {
        Wants::default()
    }
    /// The rate of transmissions, those sent again among them, in bits of full packets with their headers, above zero; `None` for no
    /// limit. At a rate of zero nothing goes until it is another.
    /// Each packet waits until the one before has taken its time, at the rate in force when that went; with `send_quantum`, a burst of
    /// them waits for the burst before. Idle time earns nothing. Asked before each transmission, by a sender of a controller that
    /// [`Wants::pacing`].
    fn pacing(&self) -> Option<Rate> {
        None
    }
    /// Its random numbers come from the stream that `make` makes: a stream of its own, so that the draws of others stay as they are.
    /// Called once, before anything is sent; a controller that draws nothing does not call `make`.
    fn draw_from(&mut self, _make: &dyn Fn() -> Stream) {}
    /// It sends less than the path allows, to measure the path: what is sent now says nothing about the rate of the path, as if the
    /// application had no more data. Asked after each ack, of a sender that keeps records.
    fn holds_back(&self) -> bool {
        false
    }
    /// A transmission is taken for lost, of a sender that keeps records: each once, when the repair part finds it, by an ack or by a
    /// timer; between `on_congestion`, if that is called for it, and `on_ack`.
    fn on_lost(&mut self, _: &Lost) {}
    /// A transmission is sent.
    fn on_sent(&mut self, _: &Sending) {}
    /// Time at which the next segment may be sent, as far as is known now: at or before `now` means at once.
    fn next_at(&self, _now: Instant) -> Instant {
        Instant::ZERO
    }
    /// The next segment begins a pair: it had better wait for the other one, if the application is about to hand it over.
    fn begins_pair(&self, _now: Instant) -> bool {
        false
    }
}

/// Part of an entry that only controllers have.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its reaction to a loss.
    pub answer: Answer,
    /// Information about arrivals that it needs.
    pub needs: Needs,
    /// The repair with which it is the transport of its own name, if it is one.
    pub repair: Option<&'static str>,
    /// Codepoint of its data if it is ECN-capable: ECT(1) for a scalable controller, which answers marks one by one (RFC 9331),
    /// else ECT(0).
    //= rfc9331 §4.1
    pub ect: Ecn,
    /// Defaults of common parameters that are other than those of every transport, such as `ecn` and `ecn_echo`: names, and texts as
    /// a plan writes them. A plan's own go before them, and so do those of a preset.
    pub defaults: &'static [(&'static str, &'static str)],
}

impl About {
    /// For a controller with this reaction to a loss, and these needs.
    pub const fn new(answer: Answer, needs: Needs) -> Self {
        Self {
            answer,
            needs,
            repair: None,
            ect: Ecn::Ect0,
            defaults: &[],
        }
    }

    /// The same, for a controller whose data bears `ect` if it is ECN-capable.
    pub const fn with_ect(self, ect: Ecn) -> Self {
        Self { ect, ..self }
    }

    /// The same, with these defaults of common parameters.
    pub const fn with_defaults(self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        Self { defaults, ..self }
    }

    /// The same, for a controller that is a transport of its own name with the repair of this word.
    pub const fn with_repair(self, repair: &'static str) -> Self {
        Self {
            repair: Some(repair),
            ..self
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/transport_control.rs"));

words! {
    ($)
    /// The parameters of any controller.
    params ControlParams,
    /// Any controller.
    #[derive(Debug)]
    any AnyController (),
    about (About),
    beside (external External ExternalParams),
}

impl AnyController {
    /// At the start of a connection.
    pub fn new(params: &ControlParams, common: &Common) -> Self {
        made!(params, new, common)
    }
}

impl Controller for AnyController {
    #[inline(always)]
    fn window(&self) -> f64 {
        each!(self, it => it.window())
    }
    fn ssthresh(&self) -> f64 {
        each!(self, it => it.ssthresh())
    }
    fn state(&self, recovering: bool) -> &'static str {
        each!(self, it => it.state(recovering))
    }
    #[inline(always)]
    fn on_ack(&mut self, sample: &AckSample) {
        each!(self, it => it.on_ack(sample));
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        each!(self, it => it.on_congestion(signal, outstanding));
    }
    fn save(&mut self) {
        each!(self, it => it.save());
    }
    fn undo(&mut self) {
        each!(self, it => it.undo());
    }
    fn set_windows(&mut self, cwnd: f64, ssthresh: f64) {
        each!(self, it => it.set_windows(cwnd, ssthresh));
    }
    fn on_recovered(&mut self, outstanding: &Outstanding) {
        each!(self, it => it.on_recovered(outstanding));
    }
    fn on_deflate(&mut self, segments: u64) {
        each!(self, it => it.on_deflate(segments));
    }
    fn wants(&self) -> Wants {
        each!(self, it => it.wants())
    }
    #[inline(always)]
    fn pacing(&self) -> Option<Rate> {
        each!(self, it => it.pacing())
    }
    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        each!(self, it => it.draw_from(make));
    }
    fn holds_back(&self) -> bool {
        each!(self, it => it.holds_back())
    }
    fn on_lost(&mut self, lost: &Lost) {
        each!(self, it => it.on_lost(lost));
    }
    #[inline(always)]
    fn on_sent(&mut self, sending: &Sending) {
        each!(self, it => it.on_sent(sending));
    }
    #[inline(always)]
    fn next_at(&self, now: Instant) -> Instant {
        each!(self, it => it.next_at(now))
    }
    #[inline(always)]
    fn begins_pair(&self, now: Instant) -> bool {
        each!(self, it => it.begins_pair(now))
    }
}
