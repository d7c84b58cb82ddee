//! Repairs: how a loss is found, and what is retransmitted. One file each.

mod cumulative;
pub mod datagrams;
pub mod go_back_n;
pub mod nack;
pub mod newreno;
mod prr;
pub mod quic;
pub mod rack_tlp;
pub mod reno;
pub mod sack;
pub mod smart;
mod spurious;
pub mod tahoe;

use super::control::Answer;
use super::rtt::Rtt;
use super::{Ack, Common, RtoRule, Samples};
use crate::time::Instant;

/// Duplicate acks that mean a loss.
//= rfc5681 §3.2, fast retransmit
pub const DUPLICATES: u64 = 3;

/// The sender's sequence space \[segments\], and its clock.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// The oldest segment not acknowledged.
    pub una: u64,
    /// The next segment to send in sequence; behind `max` after a timeout.
    pub next: u64,
    /// One beyond the highest segment ever sent.
    pub max: u64,
    /// One beyond the last that may be sent: the application's data and the receiver's window end here.
    pub edge: u64,
    /// Now.
    pub now: Instant,
    /// The round trips measured so far, and the retransmission timeout that they make.
    pub rtt: &'a Rtt,
}

impl Span<'_> {
    /// Duplicate acks, or segments reported beyond the oldest, that are enough for a fast retransmit by early retransmit, if it applies:
    /// fewer than four segments are outstanding, and none can be sent that would bring more.
    //= rfc5827 §3.2, (3.a)
    //= rfc5827 §3.2, (3.b)
    //= rfc5827 §3.2, not
    pub fn early_threshold(&self) -> Option<u64> {
        let outstanding = self.max - self.una;
        ((2..=DUPLICATES).contains(&outstanding) && self.max >= self.edge).then(|| outstanding - 1)
    }
}

/// Meaning of an ack, or of the expiry of the repair's own timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Nothing: the ack is old, or nothing is outstanding. From a clock: it found no loss that the controller has not heard of.
    Stale,
    /// A duplicate.
    Duplicate,
    /// A loss is found, and a recovery begins. It is reported once for all that is outstanding now. The ack may acknowledge new data as well, if acks
    /// report more than the next segment expected.
    Loss {
        /// Everything from `una` on is sent again, as Tahoe does.
        restart: bool,
    },
    /// All that is outstanding counts as lost, the window closes, and the timer backs off: the sender's retransmission timer expired, or a
    /// repair that has a timer of its own ([`Clock::Repair`]) says so.
    Timeout,
    /// No loss, and no congestion: the repair's own timer has made it send a segment, whatever the window, of which the ack will tell
    /// whether something is lost.
    Probe,
    /// New data is acknowledged.
    Advance(Advance),
    /// The congestion that was found last was none: nothing had been lost. What is being repaired for it is not repaired any further.
    Spurious {
        /// The ack acknowledges new data.
        advanced: bool,
    },
}

/// Effect of an ack of new data on a recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// No recovery was going on.
    Open,
    /// The recovery continues: the ack covers a part of the data outstanding when the loss was found.
    Partial {
        /// The first partial ack of this recovery, or one that should restart the timer as it does.
        restart_timer: bool,
        /// Segments that it takes from the congestion window, where no more inflation is left to take.
        deflate: u64,
    },
    /// The recovery is over.
    Over,
}

/// Event from which the retransmission timer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The last ack of new data, or the transmission that found nothing outstanding.
    //= rfc6298 §5.1
    //= rfc6298 §5.2
    //= rfc6298 §5.3
    Progress,
    /// The last transmission.
    //= keshav-morgan-1997 §3
    Transmission,
    /// Nothing: there is none. The repair part has a timer of its own ([`Repair::poll_clock`]) that does all of its work, such as
    /// QUIC's probe timeout, which is no loss and leaves the window alone. [`Repair::on_timeout`] is never called: the repair reads a
    /// timeout itself, as [`Reading::Timeout`], and then knows of it.
    Repair,
}

/// Reports of the receiver to the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hears {
    /// Nothing: a segment is finished when it is sent.
    Nothing,
    /// Acks.
    Acks,
    /// Acks, and notices of loss.
    Notices,
    /// Acks that report the transmissions that have arrived, as QUIC's do, and how long they were withheld.
    Packets,
}

/// Demands of a repair on the sender's timer and on the receiver, unless a parameter says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Rule for the timeout.
    pub rto: RtoRule,
    /// Acks that measure the round trip.
    pub samples: Samples,
    /// Event from which it counts.
    pub clock: Clock,
    /// After a timeout the sequence begins again at the oldest segment not acknowledged.
    pub goes_back: bool,
    /// Whether segments that acks report beyond the next one expected count as delivered, as long as they are outstanding.
    pub knows_what_arrived: bool,
    /// Reports that it understands; the receiver sends no others.
    pub hears: Hears,
}

impl Habits {
    /// TCP's.
    pub const TCP: Self = Self {
        rto: RtoRule::Jacobson,
        samples: Samples::Timed,
        clock: Clock::Progress,
        goes_back: true,
        knows_what_arrived: false,
        hears: Hears::Acks,
    };
}

/// How a repair that knows which segments have arrived ([`Habits::knows_what_arrived`]) counts data in flight, which the window limits.
/// The laws of senders require only this limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Every transmission that may still arrive.
    Transmissions,
    /// Every segment once, also where a copy of it has been sent again.
    Segments,
    /// From the loss that begins a recovery, which is retransmitted at once, whatever is in the network: retransmissions of earlier
    /// recoveries are forgotten, and each duplicate counts as one that has left.
    SinceLoss,
    /// Every transmission that may still arrive; but the first retransmission of a recovery is sent at once, whatever is in the network,
    /// and so is a probe ([`Reading::Probe`]).
    ButOne,
}

/// Loss recovery: decides which segments to send again.
pub trait Repair {
    /// Reads an ack of no more than was sent; `span` is as before it.
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading;
    /// The retransmission timer ran out.
    fn on_timeout(&mut self, span: &Span);
    /// The ack that was read last echoes congestion, for which the controller is about to reduce its window of `window` segments; `span` is as
    /// after it.
    fn on_echo(&mut self, _: &Span, _window: f64) {}
    /// Segments that the ack that was read last is the first to report as arrived, if the repair counts them.
    fn arrived(&self) -> Option<u64> {
        None
    }
    /// Whether the window is coming down after an echo, and does not grow meanwhile.
    fn reduces(&self) -> bool {
        false
    }
    /// Segments known to have left the network, which fast recovery adds to the congestion window.
    fn credit(&self) -> i64 {
        0
    }
    /// Asked once when it has found congestion: whether a [`Reading::Spurious`] may follow, and no other congestion that may be undone
    /// came before it.
    fn may_undo(&mut self) -> bool {
        false
    }
    /// The segment to send now under a congestion window of `window` segments, if any.
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64>;
    /// `segment` is sent, for the first time or again, as transmission `id`; `span` is as before it.
    fn on_sent(&mut self, segment: u64, id: u64, span: &Span);
    /// Segments thought to be in the network.
    fn in_network(&self, span: &Span) -> u64 {
        span.next - span.una
    }
    /// Calls `found` for each outstanding segment that it takes for lost and has not retransmitted since, except those lost by the
    /// sender's timer or a restart of the sequence. A sender with records calls it after each ack, so it may be slow.
    fn each_lost(&self, _: &Span, _found: &mut dyn FnMut(u64)) {}
    /// The time of [`Repair::poll_clock`] has come: [`Reading::Loss`] or [`Reading::Timeout`] if it finds one, [`Reading::Probe`] if it
    /// sends a probe, else [`Reading::Stale`].
    fn on_clock(&mut self, _: &Span) -> Reading {
        Reading::Stale
    }
    /// Time at which [`Repair::on_clock`] is due, for a repair with a timer of its own.
    fn poll_clock(&self) -> Option<Instant> {
        None
    }
}

/// Part of an entry that only repairs have.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its demands on the sender's timer and on the receiver.
    pub habits: Habits,
    /// Why it does not go with controllers that answer a loss so, if it does not.
    pub refuses: fn(Answer) -> Option<&'static str>,
    /// The controller with which it is the transport of its own name, if it is one.
    pub control: Option<&'static str>,
    /// Its count of data in the network, if it limits transmissions by that.
    pub counts: Counts,
    /// Defaults of common parameters that are other than those of every transport, as a controller has them
    /// ([`control::About::defaults`](super::control::About::defaults)), which go before these.
    pub defaults: &'static [(&'static str, &'static str)],
}

impl About {
    /// For a repair that supports every controller.
    pub const fn new(habits: Habits) -> Self {
        Self {
            habits,
            refuses: |_| None,
            control: None,
            counts: Counts::Transmissions,
            defaults: &[],
        }
    }

    /// The same, with these defaults of common parameters.
    pub const fn with_defaults(self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        Self { defaults, ..self }
    }

    /// The same, for a repair that is a transport of its own name with the controller of this word.
    pub const fn with_control(self, control: &'static str) -> Self {
        Self {
            control: Some(control),
            ..self
        }
    }

    /// The same, for a repair that counts the data in flight in this way.
    pub const fn counting(self, counts: Counts) -> Self {
        Self { counts, ..self }
    }

    /// The same, for a repair that does not support controllers with some reactions to a loss.
    pub const fn refusing(self, refuses: fn(Answer) -> Option<&'static str>) -> Self {
        Self { refuses, ..self }
    }
}

/// Makes a repair at the start of a connection; a machine that several words share is made from the parameters of each.
pub trait Make<P> {
    /// From its own parameters and those of every transport.
    fn make(own: &P, common: &Common) -> Self;
}

include!(concat!(env!("OUT_DIR"), "/transport_repair.rs"));

words! {
    ($)
    /// The parameters of any repair.
    params RepairParams,
    /// Any repair.
    #[derive(Clone, Debug)]
    any AnyRepair (),
    about (About),
    beside (),
}

impl AnyRepair {
    /// At the start of a connection.
    pub fn new(params: &RepairParams, common: &Common) -> Self {
        made!(params, make, common)
    }
}

impl Repair for AnyRepair {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        each!(self, it => it.on_ack(ack, span))
    }
    fn on_timeout(&mut self, span: &Span) {
        each!(self, it => it.on_timeout(span));
    }
    fn arrived(&self) -> Option<u64> {
        each!(self, it => it.arrived())
    }
    fn on_echo(&mut self, span: &Span, window: f64) {
        each!(self, it => it.on_echo(span, window));
    }
    #[inline(always)]
    fn reduces(&self) -> bool {
        each!(self, it => it.reduces())
    }
    fn may_undo(&mut self) -> bool {
        each!(self, it => it.may_undo())
    }
    #[inline(always)]
    fn credit(&self) -> i64 {
        each!(self, it => it.credit())
    }
    #[inline(always)]
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        each!(self, it => it.poll(span, window))
    }
    #[inline(always)]
    fn on_sent(&mut self, segment: u64, id: u64, span: &Span) {
        each!(self, it => it.on_sent(segment, id, span));
    }
    #[inline(always)]
    fn in_network(&self, span: &Span) -> u64 {
        each!(self, it => it.in_network(span))
    }
    fn each_lost(&self, span: &Span, found: &mut dyn FnMut(u64)) {
        each!(self, it => it.each_lost(span, found));
    }
    fn on_clock(&mut self, span: &Span) -> Reading {
        each!(self, it => it.on_clock(span))
    }
    #[inline(always)]
    fn poll_clock(&self) -> Option<Instant> {
        each!(self, it => it.poll_clock())
    }
}

/// One beyond the last segment that a window of `window` plus `credit` segments allows.
//= rfc5681 §3
//= rfc5681 §3.2, step 5
pub(crate) fn window_end(span: &Span, window: f64, credit: i64) -> u64 {
    let whole = (window as u64).saturating_add_signed(credit);
    span.edge.min(span.una.saturating_add(whole))
}

/// The reason against fast recovery with a window that closes.
pub(crate) fn needs_a_window_that_stays_open(answer: Answer) -> Option<&'static str> {
    (answer == Answer::Closes).then_some(
        "fast recovery adds duplicate acks to a window that is at most halved; under one that closes to a single \
         segment it would wait for a timeout",
    )
}
