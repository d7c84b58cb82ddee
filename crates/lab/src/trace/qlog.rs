//! The actions and observations of a flow's sender, as qlog: a sequence of JSON texts (RFC 7464) with the events defined for QUIC,
//! because none are defined for TCP. A transmission of a segment is a packet, with the transmission's number; the stream is the
//! flow's data.
//!
//! - The ranges of an ack are the transmissions that it is the first to report: those of all segments below the cumulative ack that
//!   were sent once, and the one that caused it, which the simulator's acks name. For a retransmitted segment, TCP's ack does not
//!   show which of the transmissions arrived. QUIC's ack does, and its ranges are all that it is the first to report.
//! - A transmission is reported lost when the sender considers it lost: on the ack that proves it, on a timeout, or when it sends
//!   the segment again.
//! - An ack with ECE, which reports marks without their number, has a field of its own, `ece`: QUIC's acks count marks, and TCP's
//!   do not. The first one shows that the path and both ends are ECN-capable. A log with such acks names the schema of that field.
//! - Events that the sender cannot see, drops, marks and deliveries, are on the tape, not here.
//!
//! Written after draft-ietf-quic-qlog-main-schema-14 and draft-ietf-quic-qlog-quic-events-13.

use super::recording::{Recording, ends_of};
use dupack_core::time::Instant;
use dupack_core::transport::Ranges;
use dupack_sim::probe::{Event, Row};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Beginning and end of a JSON text in a sequence.
const RECORD: [&str; 2] = ["\u{1e}", "\n"];

/// The schemas of events, and that of the field `ece`.
const SCHEMAS: [&str; 2] = [
    "urn:ietf:params:qlog:events:quic-13",
    "urn:x-dupack:qlog:events:quic#ece",
];

/// Why a transmission counts as lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Duplicates,
    Timeout,
}

impl Why {
    fn of_loss(self) -> &'static str {
        match self {
            Self::Duplicates => "reordering_threshold",
            Self::Timeout => "pto_expired",
        }
    }
    fn of_repeat(self) -> &'static str {
        match self {
            Self::Duplicates => "retransmit_reordered",
            Self::Timeout => "retransmit_timeout",
        }
    }
}

/// A segment that has not been acknowledged.
struct Open {
    /// Its latest transmission, and that of a copy before, if there was one.
    id: u64,
    again: bool,
    lost: bool,
}

/// A log while it is written.
struct Log<'r> {
    text: String,
    mss: u64,
    header: u64,
    starts: &'r [u64],
    ranges: &'r [Ranges],
    /// What the latest ack of QUIC reported.
    reported: Ranges,
    /// Outstanding transmissions, by segment.
    open: BTreeMap<u64, Open>,
    /// The cumulative ack so far.
    acknowledged: u64,
    /// Acks heard.
    heard: u64,
    why: Why,
    /// An ack had ECE.
    capable: bool,
    /// Last reported cwnd and ssthresh \[bytes\].
    told: Option<(u64, Option<u64>)>,
    datagrams: bool,
}

impl Recording {
    /// A log, by its place in [`Recording::logs`].
    pub fn qlog(&self, log: usize) -> Option<String> {
        let network = &self.network;
        let (at, talk) = (log, self.talks.get(log)?);
        let it = &network.flows[talk.flow];
        let common = &it.transport.common;
        let starts = self.starts(at);
        let [sender, _] = ends_of(network, &talk.forward);
        let mut log = Log {
            text: String::new(),
            mss: common.mss.0,
            header: common.header.0,
            starts: &starts,
            ranges: &self.ranges,
            reported: Ranges::default(),
            open: BTreeMap::new(),
            acknowledged: 0,
            heard: 0,
            why: Why::Duplicates,
            capable: false,
            told: None,
            datagrams: !it.transport.pair.acknowledged(),
        };
        let schemas = &SCHEMAS[..1 + usize::from(self.own(at).any(|row| row.ece))];
        log.write(&json!({
            "file_schema": "urn:ietf:params:qlog:file:sequential",
            "serialization_format": "application/qlog+json-seq",
            "title": self.title,
            "description": format!("{}, {}; seed {}; simulated by dupack {}", talk.name, it.transport.name(), self.document.seed, env!("CARGO_PKG_VERSION")),
            "trace": {
                "title": talk.name,
                "vantage_point": { "name": sender, "type": "client" },
                "event_schemas": schemas,
                "common_fields": {
                    "group_id": talk.name,
                    "time_format": "relative_to_epoch",
                    "reference_time": { "clock_type": "monotonic", "epoch": "unknown" },
                },
            },
        }));
        if !log.datagrams {
            let began = self.own(at).next();
            let began = began.map_or(Instant::ZERO, |row| row.at);
            log.event(
                began,
                "recovery_parameters_set",
                json!({
                    "reordering_threshold": dupack_core::transport::repair::DUPLICATES,
                    "timer_granularity": common.tick.0.div_ceil(1_000_000_000),
                    "max_datagram_size": log.mss + log.header,
                    "initial_congestion_window": common.initial_window.whole_segments(common.mss) * log.mss,
                }),
            );
        }
        for row in self.own(at) {
            log.row(row);
        }
        Some(log.text)
    }
}

impl Log<'_> {
    fn write(&mut self, value: &Value) {
        self.text += RECORD[0];
        self.text += &value.to_string();
        self.text += RECORD[1];
    }

    fn event(&mut self, at: Instant, name: &str, data: Value) {
        // The unit is milliseconds; over a day, a float is exact to about ten picoseconds.
        let time = at.0 as f64 / 1e9;
        self.write(&json!({ "time": time, "name": format!("quic:{name}"), "data": data }));
    }

    fn start(&self, segment: u64) -> u64 {
        let known = self.starts.get(segment as usize).or(self.starts.last());
        known.copied().unwrap_or(0)
    }

    fn row(&mut self, row: &Row) {
        match row.event {
            Event::Send | Event::Retransmit => self.send(row),
            Event::Ack | Event::DupAck => self.hear(row),
            Event::FastRetransmit => self.lose(row, Why::Duplicates),
            Event::Timeout => {
                let expired = json!({ "timer_type": "pto", "event_type": "expired" });
                self.event(row.at, "loss_timer_updated", expired);
                self.lose(row, Why::Timeout);
            }
            Event::Cwnd => {}
            // The sender does not notice these events, so its log omits them.
            Event::Deliver | Event::Drop | Event::Mark => return,
        }
        self.metrics(row);
    }

    fn send(&mut self, row: &Row) {
        let again = row.event == Event::Retransmit;
        if again {
            self.lose(row, self.why);
        }
        let frame = if self.datagrams {
            json!({ "frame_type": "datagram", "length": row.bytes })
        } else {
            json!({ "frame_type": "stream", "stream_id": 0, "offset": self.start(row.segment), "length": row.bytes })
        };
        let mut data = json!({
            "header": { "packet_type": "1RTT", "packet_number": row.id },
            "raw": { "length": row.bytes + self.header, "payload_length": row.bytes },
            "frames": [frame],
        });
        if again {
            data["trigger"] = self.why.of_repeat().into();
        }
        self.event(row.at, "packet_sent", data);
        if !self.datagrams {
            let open = Open {
                id: row.id,
                again,
                lost: false,
            };
            self.open.insert(row.segment, open);
        }
    }

    /// An ack: `row.segment` is the next one expected.
    fn hear(&mut self, row: &Row) {
        let still = self.open.split_off(&row.segment.max(self.acknowledged));
        let done = std::mem::replace(&mut self.open, still);
        self.acknowledged = self.acknowledged.max(row.segment);
        let mut ids = self.news(row).unwrap_or_else(|| {
            let once = done.values().filter(|open| !open.again);
            once.map(|open| open.id).collect()
        });
        if row.ranges == 0 || ids.is_empty() {
            // The transmission that caused the ack is known to have arrived.
            ids.push(row.id);
        }
        ids.sort_unstable();
        ids.dedup();
        let mut data = json!({
            "header": { "packet_type": "1RTT", "packet_number": self.heard },
            "raw": { "length": self.header, "payload_length": 0 },
            "frames": [{ "frame_type": "ack", "acked_ranges": ranges(&ids) }],
        });
        self.heard += 1;
        if row.ece {
            data["ece"] = true.into();
        }
        self.event(row.at, "packet_received", data);
        if row.ece && !self.capable {
            self.capable = true;
            self.event(row.at, "ecn_state_updated", json!({ "new": "capable" }));
        }
    }

    /// The transmissions that an ack of QUIC is the first to report.
    fn news(&mut self, row: &Row) -> Option<Vec<u64>> {
        let ranges = self.ranges.get((row.ranges as usize).checked_sub(1)?)?;
        let mut ids = Vec::new();
        ranges.each_new(&self.reported, |run| ids.extend(run.from..run.to));
        // An ack that was overtaken reports less than the one before.
        if ranges.largest() >= self.reported.largest() {
            self.reported = *ranges;
        }
        Some(ids)
    }

    /// The sender takes the latest transmission of a segment for lost, if it has not before.
    fn lose(&mut self, row: &Row, why: Why) {
        self.why = why;
        let Some(open) = self.open.get_mut(&row.segment).filter(|open| !open.lost) else {
            return;
        };
        open.lost = true;
        let data = json!({
            "header": { "packet_type": "1RTT", "packet_number": open.id },
            "trigger": why.of_loss(),
        });
        self.event(row.at, "packet_lost", data);
    }

    /// Writes the windows, if they have changed, and the outstanding data.
    fn metrics(&mut self, row: &Row) {
        let bytes = |segments: f64| (segments * self.mss as f64) as u64;
        let ssthresh = row.ssthresh.is_finite().then(|| bytes(row.ssthresh));
        let now = (bytes(row.cwnd), ssthresh);
        if self.datagrams || self.told == Some(now) {
            return;
        }
        self.told = Some(now);
        let under_way = self.open.iter().filter(|(_, open)| !open.lost);
        let (mut packets, mut length) = (0, 0);
        for (segment, _) in under_way {
            packets += 1;
            length += self.start(segment + 1) - self.start(*segment);
        }
        let mut data = json!({
            "congestion_window": now.0,
            "bytes_in_flight": length,
            "packets_in_flight": packets,
        });
        if let Some(ssthresh) = now.1 {
            data["ssthresh"] = ssthresh.into();
        }
        self.event(row.at, "recovery_metrics_updated", data);
    }
}

/// Numbers in order as ranges: a single one, or the first and the last.
fn ranges(ids: &[u64]) -> Vec<Vec<u64>> {
    let mut ranges: Vec<Vec<u64>> = Vec::new();
    for id in ids {
        match ranges.last_mut() {
            Some(range) if range.last().is_some_and(|last| last + 1 == *id) => {
                range.truncate(1);
                range.push(*id);
            }
            _ => ranges.push(vec![*id]),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::super::record;
    use crate::plan::Plan;
    use serde_json::Value;
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;

    const PLAN: &str = r#"
duration = "3 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "10 ms", reorder = { rate = 0.05, delay = "60 ms" } }]
flow = [{ name = "f", from = "a", to = "b", transport = { control = "reno", repair = "quic", mss = "948 B", header = "40 B", max_window = "100 KiB" } }]
"#;

    #[test]
    // Packets overtake each other, so that QUIC takes some for lost that arrive.
    fn a_log_of_quic_reports_each_packet_that_arrives_once() {
        let plan = Plan::parse(PLAN.as_bytes(), "x", &[]).expect("a right plan");
        let halt = AtomicBool::new(false);
        let network = &plan.points[0].network;
        let recording = record(network, "a test", 1, &[], &halt).expect("a run");
        let text = recording.qlog(0).expect("a log");
        let number = |it: &Value| it.as_u64().expect("a number");
        let (mut acked, mut lost) = (Vec::new(), HashSet::new());
        for event in text.split('\u{1e}').skip(1) {
            let it: Value = serde_json::from_str(event).expect("JSON");
            if it["name"] == "quic:packet_lost" {
                lost.insert(number(&it["data"]["header"]["packet_number"]));
            }
            let frames = it["data"]["frames"].as_array().into_iter().flatten();
            let ranges = frames.filter_map(|it| it["acked_ranges"].as_array());
            for range in ranges.flatten().filter_map(Value::as_array) {
                acked.extend(number(&range[0])..=number(&range[range.len() - 1]));
            }
        }
        let each: HashSet<u64> = acked.iter().copied().collect();
        assert_eq!(each.len(), acked.len());
        assert!(lost.len() > 3 && lost.is_subset(&each), "{lost:?}");
        // The line loses nothing, so all have arrived up to the last.
        let last = each.iter().max().copied().unwrap_or(0);
        assert_eq!(each.len() as u64, last + 1);
    }
}
