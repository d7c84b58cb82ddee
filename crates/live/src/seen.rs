//! What a router measures.

use crate::gate::Refused;
use crate::watch::{self, Watch};
use dupack_core::time::Instant;
use dupack_sim::probe::Row;
use dupack_sim::report::Series;
use hdrhistogram::Histogram;

/// A packet seen at a host's device.
#[derive(Clone, Debug)]
pub struct Captured {
    /// When.
    pub at: Instant,
    /// The host.
    pub host: usize,
    /// The host sent it.
    pub out: bool,
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// The length of all of it \[bytes\].
    pub length: u32,
}

/// All that a router has measured.
#[derive(Debug)]
pub struct Seen {
    /// Per flow.
    pub watches: Vec<Watch>,
    /// Their counts when warm-up ended.
    pub warm: Vec<watch::Counts>,
    /// Datagrams of each flow: sent, bits of them, arrived, bytes of payload of these, sum of delays \[ps\]; and the same when warm-up
    /// ended.
    pub datagrams: Vec<[Datagrams; 2]>,
    /// Lateness of writes \[ns\].
    pub lateness: Histogram<u64>,
    /// Times from the writing of a segment to the reading of its ack \[ns\].
    pub ack_delays: Histogram<u64>,
    /// Writes that were late by more than the bound.
    pub missed: u64,
    /// Packets read from devices, and written to devices.
    pub read: u64,
    /// See `read`.
    pub written: u64,
    /// Packets that a device did not take.
    pub rejected: u64,
    /// Packets not offered.
    pub refused: Refused,
    /// Round trips after warm-up, per flow \[ps\].
    pub round_trips: Vec<Vec<u64>>,
    /// The tape.
    pub rows: Vec<Row>,
    /// Events that the tape lacks, because there was no more room.
    pub untold: u64,
    /// Round trips that the percentiles lack, because there was no more room.
    pub unmeasured: u64,
    /// Time series, if the plan asks for samples.
    pub series: Option<Series>,
    /// Captured packets.
    pub captured: Vec<Captured>,
    /// Bytes of them, and packets that were not captured any more.
    pub captured_bytes: usize,
    /// See `captured_bytes`.
    pub uncaptured: u64,
    /// The router's processor time.
    pub cpu: std::time::Duration,
    /// It ran before other threads.
    pub precise: bool,
    /// When it ended.
    pub end: Instant,
}

/// Counts of datagrams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Datagrams {
    /// Sent.
    pub sent: u64,
    /// Bits of them.
    pub bits: u64,
    /// Arrived.
    pub arrived: u64,
    /// Payload of these \[bytes\].
    pub payload: u64,
    /// Sum of their delays \[ps\].
    pub delay: u128,
}
