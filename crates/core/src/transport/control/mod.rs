//! Controllers: how much may be outstanding, and how fast it may be sent. One file each.

pub mod packet_pair;
pub mod reno;
pub mod static_window;
pub mod tahoe;
mod window;

pub use window::CongestionWindow;

use super::Common;
use crate::time::{Duration, Instant};

/// What is outstanding when a loss is found.
#[derive(Clone, Copy, Debug)]
pub struct InUse {
    /// The receiver's window \[segments\].
    pub receiver: u64,
    /// Segments sent and not acknowledged.
    pub flight: u64,
    /// The oldest of them has been sent again already.
    pub resent: bool,
}

/// What an ack tells of the path, whatever it acknowledges.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The transmission whose arrival caused it; `None` for a notice of loss, and where that is unknown.
    pub id: Option<u64>,
    /// Segments thought to be in the network, now that it is here.
    pub in_network: u64,
    /// The smoothed round trip, once measured.
    pub round_trip: Option<Duration>,
    /// The shortest round trip so far.
    pub shortest: Option<Duration>,
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
    /// New data was acknowledged and nothing is being repaired.
    fn on_ack(&mut self) {}
    /// A loss was found by acks.
    fn on_loss(&mut self, _: InUse) {}
    /// The repair is complete.
    fn on_recovered(&mut self, _: InUse) {}
    /// A partial ack takes `segments` from the window.
    fn on_deflate(&mut self, _segments: u64) {}
    /// The retransmission timer ran out; `again` if it had already for the same segment.
    fn on_timeout(&mut self, _: InUse, _again: bool) {}
    /// An ack has come, of whatever meaning.
    fn on_echo(&mut self, _now: Instant, _: &Echo) {}
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

/// What only controllers have in their entries.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What it does about a loss.
    pub answer: Answer,
    /// What it needs to know of arrivals.
    pub needs: Needs,
}

include!(concat!(env!("OUT_DIR"), "/transport_control.rs"));

words! {
    ($)
    /// The parameters of any controller.
    params ControlParams,
    /// Any controller.
    #[derive(Clone, Debug)]
    any AnyController (),
    about (About),
    beside (),
}

impl AnyController {
    /// At the start of a connection.
    pub fn new(params: &ControlParams, common: &Common) -> Self {
        made!(params, new, common)
    }
}

impl Controller for AnyController {
    fn window(&self) -> f64 {
        each!(self, it => it.window())
    }
    fn ssthresh(&self) -> f64 {
        each!(self, it => it.ssthresh())
    }
    fn on_ack(&mut self) {
        each!(self, it => it.on_ack());
    }
    fn on_loss(&mut self, in_use: InUse) {
        each!(self, it => it.on_loss(in_use));
    }
    fn on_recovered(&mut self, in_use: InUse) {
        each!(self, it => it.on_recovered(in_use));
    }
    fn on_deflate(&mut self, segments: u64) {
        each!(self, it => it.on_deflate(segments));
    }
    fn on_timeout(&mut self, in_use: InUse, again: bool) {
        each!(self, it => it.on_timeout(in_use, again));
    }
    fn on_echo(&mut self, now: Instant, echo: &Echo) {
        each!(self, it => it.on_echo(now, echo));
    }
    fn on_sent(&mut self, now: Instant, id: u64) {
        each!(self, it => it.on_sent(now, id));
    }
    fn next_at(&self, now: Instant) -> Instant {
        each!(self, it => it.next_at(now))
    }
    fn begins_pair(&self, now: Instant) -> bool {
        each!(self, it => it.begins_pair(now))
    }
}
