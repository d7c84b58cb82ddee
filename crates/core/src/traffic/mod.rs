//! Traffic: how much data an application hands to its transport, and when. One file each.

pub mod cbr;
pub mod file;
pub mod greedy;
pub mod on_off;
pub mod poisson;
pub mod random_file;
pub mod trace;

use crate::declare::Fault;
use crate::measure::{Bytes, Rate};
use crate::rng::Stream;
use crate::time::Instant;
use alloc::vec::Vec;

/// Data that an application has handed over so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Released {
    /// Segments in all.
    pub segments: u64,
    /// There will be no more before these are acknowledged.
    pub complete: bool,
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
    /// Payload of a segment, if the application cuts them itself; segments of the MSS otherwise.
    fn payload(&self, _segment: u64) -> Option<Bytes> {
        None
    }
    /// All that is ever handed over; `None` for no end.
    fn extent(&self) -> Option<Extent> {
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
    fn payload(&self, segment: u64) -> Option<Bytes> {
        each!(self, it => it.payload(segment))
    }
    fn extent(&self) -> Option<Extent> {
        each!(self, it => it.extent())
    }
}
