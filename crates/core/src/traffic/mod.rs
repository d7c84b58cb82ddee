//! Traffic: how much data an application hands to its transport, and when. One file each.

pub mod cbr;
pub mod file;
pub mod greedy;
pub mod on_off;
pub mod poisson;
pub mod random_file;
pub mod real_time;
pub mod request_response;
pub mod trace;
pub mod video;

use crate::declare::Fault;
use crate::measure::{Bytes, Rate};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::vec::Vec;

/// Data that an application has handed over so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Released {
    /// Segments in all.
    pub segments: u64,
    /// There will be no more before these are acknowledged.
    pub complete: bool,
}

/// Measures of an application of its own, besides those that every flow has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measures {
    /// None.
    Nothing,
    /// Delays of frames, which are of use for this long.
    Frames(Duration),
    /// Times of responses: its messages.
    Responses,
    /// Rates and stalls of a video.
    Playback,
}

/// A video so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Playback {
    /// Chunks that have arrived.
    pub chunks: u64,
    /// Sum of their rates \[bit/s\].
    pub rates: u128,
    /// Changes of the rate.
    pub switches: u64,
    /// Times that the player's buffer ran empty.
    pub stalls: u64,
    /// Time during which it was empty after that \[ps\].
    pub stalled: u128,
    /// Time from the start to the first chunk; `None` before that.
    pub startup: Option<Duration>,
}

/// An application. It sends messages, and is told of the end of each; one message may be all.
pub trait Traffic {
    /// Its flow starts.
    fn handle_start(&mut self, now: Instant);
    /// All segments before `segments` have been acknowledged, or sent if the transport has no acks. Call it when these are all released
    /// segments, and complete; repeated calls are harmless. Returns the start of the message that this acknowledges, if there is one.
    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant>;
    /// The time of [`Traffic::poll_timeout`] has come.
    fn handle_timeout(&mut self, now: Instant);
    /// Time at which [`Traffic::handle_timeout`] is due; changes only in `handle_*`.
    fn poll_timeout(&self) -> Option<Instant>;
    /// Data handed over so far; changes only in `handle_*`.
    fn released(&self) -> Released;
    /// Whether the application cuts its segments itself; otherwise they are of the MSS, but for the last of its extent. It never changes.
    fn cuts(&self) -> bool {
        false
    }
    /// Payload of a segment, if the application cuts them itself.
    fn payload(&self, _segment: u64) -> Option<Bytes> {
        None
    }
    /// All that is ever handed over; `None` for no end.
    fn extent(&self) -> Option<Extent> {
        None
    }
    /// Whether [`Traffic::handle_read`] is to be called.
    fn listens(&self) -> bool {
        false
    }
    /// The receiving application gets a segment: the next one, or a datagram, which may be missing or come twice. Returns when the
    /// frame was generated that it completes, if there is one.
    fn handle_read(&mut self, _now: Instant, _segment: u64) -> Option<Instant> {
        None
    }
    /// Frames generated before this time.
    fn generated(&self, _before: Instant) -> u64 {
        0
    }
    /// The video as it has been played, if it is one.
    fn playback(&self, _now: Instant) -> Option<Playback> {
        None
    }
}

/// Amount of data of a source that ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Number of segments, at least one.
    pub segments: u64,
    /// Payload of the last.
    pub last: Bytes,
}

impl Extent {
    /// A file of `size` bytes, at least one, in segments of `mss`; the last may be short.
    pub fn of(size: Bytes, mss: Bytes) -> Self {
        let segments = size.0.div_ceil(mss.0);
        Self {
            segments,
            last: Bytes(size.0 - (segments - 1) * mss.0),
        }
    }
}

/// A piece of an application's data that is handed over at once, such as a response: whole segments, of which the last may be short.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    from: u64,
    segments: u64,
    last: Bytes,
}

impl Piece {
    /// The next piece, of `size` bytes, at least one.
    pub fn then(&self, size: Bytes, mss: Bytes) -> Self {
        let size = size.0.max(1);
        let segments = size.div_ceil(mss.0);
        Self {
            from: self.end(),
            segments,
            last: Bytes(size - (segments - 1) * mss.0),
        }
    }

    /// One beyond its last segment.
    pub fn end(&self) -> u64 {
        // The sum saturates, because the largest number of segments is more than is ever sent.
        self.from.saturating_add(self.segments)
    }

    /// Payload of one of its segments; `None` for any other.
    pub fn payload(&self, segment: u64, mss: Bytes) -> Option<Bytes> {
        let within = (self.from..self.end()).contains(&segment);
        let last = segment + 1 == self.end();
        within.then_some(if last { self.last } else { mss })
    }
}

/// Properties of an application that are known before it starts.
pub trait Offer {
    /// Mean of all that is ever handed over \[bytes\]; `None` for no end.
    fn mean_size(&self, _mss: Bytes) -> Option<f64> {
        None
    }
    /// Files that are equally likely and stand for all that is ever handed over; empty for no end.
    fn files(&self, _mss: Bytes) -> Vec<Extent> {
        Vec::new()
    }
    /// Lengths of the shortest and the longest packet, headers included, if the application determines packet lengths.
    fn packets(&self) -> Option<(Bytes, Bytes)> {
        None
    }
    /// The rate, headers included, which the sender's transmissions must not exceed.
    fn access_rate(&self) -> Option<Rate> {
        None
    }
    /// Its own measures.
    fn measures(&self) -> Measures {
        Measures::Nothing
    }
    /// Whether only acks tell it when to go on.
    fn needs_acks(&self) -> bool {
        false
    }
    /// Error for a flow whose sender waits for no acks: without a change, this traffic would send without end at one instant.
    fn endless(&self) -> Option<Fault> {
        None
    }
}

include!(concat!(env!("OUT_DIR"), "/traffic.rs"));

words! {
    ($)
    /// The parameters of any traffic.
    params TrafficParams,
    /// Any traffic.
    #[derive(Clone, Debug)]
    any AnyTraffic (),
    about (),
    beside (),
}

impl AnyTraffic {
    /// An application before the start of its flow, whose segments of `mss` bytes get headers of `header` bytes.
    pub fn new(params: &TrafficParams, mss: Bytes, header: Bytes, stream: Stream) -> Self {
        made!(params, new, mss, header, stream)
    }
}

impl Offer for TrafficParams {
    fn mean_size(&self, mss: Bytes) -> Option<f64> {
        each!(self, it => it.mean_size(mss))
    }
    fn files(&self, mss: Bytes) -> Vec<Extent> {
        each!(self, it => it.files(mss))
    }
    fn packets(&self) -> Option<(Bytes, Bytes)> {
        each!(self, it => it.packets())
    }
    fn access_rate(&self) -> Option<Rate> {
        each!(self, it => it.access_rate())
    }
    fn measures(&self) -> Measures {
        each!(self, it => it.measures())
    }
    fn needs_acks(&self) -> bool {
        each!(self, it => it.needs_acks())
    }
    fn endless(&self) -> Option<Fault> {
        each!(self, it => it.endless())
    }
}

impl Traffic for AnyTraffic {
    fn handle_start(&mut self, now: Instant) {
        each!(self, it => it.handle_start(now));
    }
    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
        each!(self, it => it.handle_acknowledged(now, segments))
    }
    fn handle_timeout(&mut self, now: Instant) {
        each!(self, it => it.handle_timeout(now));
    }
    fn poll_timeout(&self) -> Option<Instant> {
        each!(self, it => it.poll_timeout())
    }
    fn released(&self) -> Released {
        each!(self, it => it.released())
    }
    fn cuts(&self) -> bool {
        each!(self, it => it.cuts())
    }
    fn payload(&self, segment: u64) -> Option<Bytes> {
        each!(self, it => it.payload(segment))
    }
    fn extent(&self) -> Option<Extent> {
        each!(self, it => it.extent())
    }
    fn listens(&self) -> bool {
        each!(self, it => it.listens())
    }
    fn handle_read(&mut self, now: Instant, segment: u64) -> Option<Instant> {
        each!(self, it => it.handle_read(now, segment))
    }
    fn generated(&self, before: Instant) -> u64 {
        each!(self, it => it.generated(before))
    }
    fn playback(&self, now: Instant) -> Option<Playback> {
        each!(self, it => it.playback(now))
    }
}
