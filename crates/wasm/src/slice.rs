//! A part of a run as numbers, which a page reads without parsing.
//!
//! All are 64-bit floats, little-endian; times are whole picoseconds, exact up to 2^53 ps, which is 2.5 hours. A header of nine: now,
//! 1 at the end of the run, and the numbers of rows, packets seen, incidents, connections begun, directions of links, flows, and cells; then
//! these in that order, each of as many numbers as its `const` says.

use dupack_core::ledger::Cause;
use dupack_core::time::Instant;
use dupack_sim::probe::{Begun, Carried, Deed, Event, Incident, Left, Passed, Reel, Row, Seen};
use dupack_sim::{FlowNow, LinkNow};

/// Numbers of the header.
pub const HEADER: usize = 9;
/// Numbers of a row: time, flow, connection (-1 for none), event, segment, cwnd, ssthresh, number of the transmission, bytes, ECE.
pub const ROW: usize = 10;
/// Numbers of a packet seen: time, link, far end, flow, connection, hop, kind (0 data, 1 retransmission, 2 ack), segment or next one
/// expected, number of the transmission, bytes, ECN field, remaining part.
pub const SEEN: usize = 12;
/// Numbers of an incident: time, link, flow, connection, hop, deed (0 dropped, 1 marked, 2 trimmed), cause (-1 for none), units that wait
/// afterwards, kind, segment or next one expected, number of the transmission, bytes, 1 if the line lost it.
pub const INCIDENT: usize = 13;
/// Numbers of a connection that began: flow, connection, 0, 0.
pub const BEGUN: usize = 4;
/// Numbers of a direction of a link: backlog, time spent transmitting, 0, 0.
pub const LINK: usize = 4;
/// Numbers of a flow: cwnd, ssthresh, bytes delivered, sum of round trips, their number, retransmission timeout, segments in flight,
/// timeouts, retransmissions, transmissions, pacing rate \[b/s\] (0 for none).
pub const FLOW: usize = 11;
/// Numbers of a cell that has left a transmitter: time, link, flow, kind (0 data, 1 ack, 2 RM cell).
pub const CELL: usize = 4;

/// The slice that ends at `now`, as bytes.
pub fn bytes(
    now: Instant,
    ended: bool,
    reel: &Reel,
    links: &[LinkNow],
    flows: &[FlowNow],
) -> Vec<u8> {
    let counts = [
        reel.rows.len(),
        reel.seen.len(),
        reel.incidents.len(),
        reel.begun.len(),
        links.len(),
        flows.len(),
        reel.passed.len(),
    ];
    let sizes = [ROW, SEEN, INCIDENT, BEGUN, LINK, FLOW, CELL];
    let all: usize = counts.iter().zip(sizes).map(|(n, size)| n * size).sum();
    let mut out = Vec::with_capacity((HEADER + all) * 8);
    let mut put = |numbers: &[f64]| {
        for number in numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
    };
    put(&[time(now), f64::from(u8::from(ended))]);
    put(&counts.map(|count| count as f64));
    reel.rows.iter().for_each(|it| put(&row(it)));
    reel.seen.iter().for_each(|it| put(&seen(it)));
    reel.incidents.iter().for_each(|it| put(&incident(it)));
    reel.begun.iter().for_each(|it| put(&begun(it)));
    links.iter().for_each(|it| put(&link(it)));
    flows.iter().for_each(|it| put(&flow(it)));
    reel.passed.iter().for_each(|it| put(&cell(it)));
    out
}

fn time(at: Instant) -> f64 {
    at.0 as f64
}

fn number(connection: Option<u64>) -> f64 {
    connection.map_or(-1.0, |number| number as f64)
}

fn flag(it: bool) -> f64 {
    f64::from(u8::from(it))
}

/// Kind, segment or next one expected, number of the transmission.
fn contents(carried: &Carried) -> [f64; 3] {
    match carried {
        Carried::Data {
            segment, again, id, ..
        } => [flag(*again), *segment as f64, *id as f64],
        Carried::Ack(ack) => [2.0, ack.next as f64, ack.id as f64],
    }
}

fn row(it: &Row) -> [f64; ROW] {
    let event = Event::ALL.iter().position(|event| *event == it.event);
    [
        time(it.at),
        it.flow as f64,
        number(it.connection),
        event.unwrap_or(0) as f64,
        it.segment as f64,
        it.cwnd,
        it.ssthresh,
        it.id as f64,
        it.bytes as f64,
        flag(it.ece),
    ]
}

fn seen(it: &Seen) -> [f64; SEEN] {
    let [kind, segment, id] = contents(&it.carried);
    [
        time(it.at),
        it.link as f64,
        flag(it.far),
        it.flow as f64,
        number(it.connection),
        f64::from(it.hop),
        kind,
        segment,
        id,
        f64::from(it.bytes),
        f64::from(it.ecn as u8),
        match it.left {
            Left::Whole => 0.0,
            Left::Truncated => 1.0,
            Left::Trimmed => 2.0,
        },
    ]
}

fn incident(it: &Incident) -> [f64; INCIDENT] {
    let [kind, segment, id] = contents(&it.carried);
    let (deed, cause) = match it.deed {
        Deed::Dropped(cause) => (0.0, cause as usize as f64),
        Deed::Marked => (1.0, -1.0),
        Deed::Trimmed => (2.0, -1.0),
    };
    let of_line = matches!(it.deed, Deed::Dropped(Cause::Script | Cause::Random));
    [
        time(it.at),
        it.link as f64,
        it.flow as f64,
        number(it.connection),
        f64::from(it.hop),
        deed,
        cause,
        it.waiting as f64,
        kind,
        segment,
        id,
        f64::from(it.bytes),
        flag(of_line),
    ]
}

fn cell(it: &Passed) -> [f64; CELL] {
    let kind = match (it.control, it.back) {
        (true, _) => 2.0,
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    [time(it.at), it.link as f64, it.flow as f64, kind]
}

fn begun(it: &Begun) -> [f64; BEGUN] {
    [it.flow as f64, it.connection as f64, 0.0, 0.0]
}

fn link(it: &LinkNow) -> [f64; LINK] {
    [it.backlog as f64, it.busy.0 as f64, 0.0, 0.0]
}

fn flow(it: &FlowNow) -> [f64; FLOW] {
    [
        it.cwnd,
        it.ssthresh,
        it.delivered.0 as f64,
        it.rtt.0 as f64,
        it.rtt.1 as f64,
        it.rto.0 as f64,
        it.flight as f64,
        it.timeouts as f64,
        it.retransmitted as f64,
        it.sent as f64,
        it.pacing.map_or(0.0, |rate| rate.bps()),
    ]
}
