//! Captures read back with the libraries that wrote them; `tests/python` asks Wireshark.

use super::*;
use crate::plan::Plan;
use etherparse::{NetHeaders, PacketHeaders, TransportHeader};
use pcap_file::pcapng::{Block, PcapNgReader};

const PLAN: &str = r#"
duration = "3 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "CARRIES", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "CARRIES", rate = "1 Mb/s", delay = "9 ms", loss = { kind = "script", flow = "f", segments = [20, 22] } },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "sack", mss = "948 B", header = "HEADER", max_window = "100 KiB" } }]
"#;

fn recording(carries: &str, header: &str, ends: &[(&str, Option<&str>)]) -> (Recording, Vec<End>) {
    let text = PLAN.replace("CARRIES", carries).replace("HEADER", header);
    let plan = Plan::parse(text.as_bytes(), "x", &[]).expect("a right plan");
    let network = &plan.points[0].network;
    let ends: Vec<End> = ends
        .iter()
        .map(|(link, node)| End::find(network, link, *node).expect("an end"))
        .collect();
    let halt = AtomicBool::new(false);
    let recording = record(network, "a test", 1, &ends, &halt).expect("a run");
    (recording, ends)
}

/// A packet that was read: when \[ns\], its headers, its payload, its length.
struct Read {
    at: i128,
    tcp: etherparse::TcpHeader,
    from_a: bool,
    payload: usize,
    made_up: bool,
}

fn read(recording: &Recording, end: End) -> Vec<Read> {
    let mut file = Vec::new();
    recording
        .capture(end, Options { snaplen: 65_535 }, &mut file)
        .expect("written");
    let mut reader = PcapNgReader::new(&file[..]).expect("a pcapng");
    let mut packets = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a block") else {
            continue;
        };
        assert_eq!(packet.original_len as usize, packet.data.len());
        let headers = PacketHeaders::from_ip_slice(&packet.data).expect("headers");
        let Some(NetHeaders::Ipv4(ip, _)) = headers.net else {
            panic!("no IPv4")
        };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let Some(TransportHeader::Tcp(tcp)) = headers.transport else {
            panic!("no TCP")
        };
        let payload = headers.payload.slice();
        assert_eq!(
            tcp.checksum,
            tcp.calc_checksum_ipv4(&ip, payload).expect("short")
        );
        packets.push(Read {
            at: packet.timestamp.as_nanos() as i128 - 946_684_800_000_000_000,
            from_a: ip.source == [10, 0, 0, 1],
            payload: payload.len(),
            made_up: packet
                .options
                .iter()
                .any(|it| format!("{it:?}").contains("made up")),
            tcp,
        });
    }
    packets
}

#[test]
fn a_capture_at_the_sender_holds_what_it_sent_and_heard() {
    for carries in ["packets", "cells"] {
        let (recording, ends) = recording(carries, "40 B", &[("access", None)]);
        let packets = read(&recording, ends[0]);
        let count = |event| {
            recording
                .marks
                .iter()
                .filter(|mark| mark.event == event)
                .count()
        };
        let data: Vec<&Read> = packets
            .iter()
            .filter(|it| it.from_a && it.payload > 0)
            .collect();
        let sent = count(Event::Send) + count(Event::Retransmit);
        // What the transmitter still held at the end has not passed.
        assert!(sent - data.len() <= 105, "{carries}: {sent} {}", data.len());
        let acks = packets
            .iter()
            .filter(|it| !it.from_a && !it.made_up)
            .count();
        assert_eq!(acks, count(Event::Ack) + count(Event::DupAck), "{carries}");
        assert!(data.iter().all(|it| it.payload == 948));
        // Segment 20 begins after twenty others, and goes twice.
        let again = data
            .iter()
            .filter(|it| it.tcp.sequence_number == 1 + 20 * 948);
        assert_eq!(again.count(), 2, "{carries}");
        // Acks that tell of a hole say what came after it, and nothing is said where nothing is missing.
        let told = packets.iter().filter(|it| {
            it.tcp.acknowledgment_number == 1 + 20 * 948 && !it.tcp.options.is_empty()
        });
        assert!(told.count() > 2, "{carries}");
    }
}

#[test]
fn the_first_packets_are_a_handshake_as_long_as_a_round_trip() {
    let (recording, ends) = recording("packets", "52 B", &[("access", None)]);
    let packets = read(&recording, ends[0]);
    let [syn, answer, last] = [&packets[0], &packets[1], &packets[2]];
    assert!(syn.tcp.syn && !syn.tcp.ack && answer.tcp.syn && answer.tcp.ack && last.tcp.ack);
    assert!(packets[..3].iter().all(|it| it.made_up) && packets[3..].iter().all(|it| !it.made_up));
    // 20 ms of propagation, and a header of 52 B twice on either line.
    let round_trip = 20_000_000 + 2 * (416_000 + 41_600);
    assert!(
        (last.at - syn.at - round_trip).abs() < 100,
        "{} {}",
        syn.at,
        last.at
    );
    let options = format!("{:?}", syn.tcp.options);
    assert!(options.contains("MaximumSegmentSize(960)"), "{options}");
    assert!(
        options.contains("SelectiveAcknowledgementPermitted"),
        "{options}"
    );
    assert!(options.contains("WindowScale(1)"), "{options}");
    // A header of 52 B has room for time stamps: transmission 0 is told, and echoed.
    let stamp = format!("{:?}", packets[3].tcp.options);
    assert!(stamp.contains("Timestamp(1, "), "{stamp}");
}

#[test]
fn what_a_line_loses_has_left_and_does_not_arrive() {
    let ends = [("line", None), ("line", Some("b"))];
    let (recording, ends) = recording("packets", "40 B", &ends);
    let [near, far] = [0, 1].map(|at| read(&recording, ends[at]));
    let times = |packets: &[Read], segment: u32| {
        let of = packets
            .iter()
            .filter(|it| it.tcp.sequence_number == 1 + segment * 948);
        of.filter(|it| it.from_a && it.payload > 0)
            .map(|it| it.at)
            .collect::<Vec<_>>()
    };
    assert_eq!((times(&near, 20).len(), times(&far, 20).len()), (2, 1));
    assert_eq!((times(&near, 21).len(), times(&far, 21).len()), (1, 1));
    assert_eq!(times(&far, 21)[0] - times(&near, 21)[0], 9_000_000);
}

#[test]
fn an_end_that_is_not_there_is_told() {
    let plan = PLAN.replace("CARRIES", "packets").replace("HEADER", "40 B");
    let plan = Plan::parse(plan.as_bytes(), "x", &[]).expect("a right plan");
    let network = &plan.points[0].network;
    let told = |link, node| End::find(network, link, node).expect_err("no such end");
    assert_eq!(
        told("lime", None),
        "there is no link \"lime\"; did you mean \"line\"?"
    );
    assert_eq!(
        told("line", Some("a")),
        "link \"line\" does not end at \"a\"; it joins \"s\" and \"b\""
    );
    assert_eq!(
        End::find(network, "line.back", Some("s")),
        End::find(network, "line", None)
    );
}

#[test]
fn columns_are_the_tape() {
    let (recording, _) = recording("packets", "40 B", &[]);
    let (columns, csv) = (recording.columns(), recording.csv());
    assert_eq!(columns.time_ps.len(), csv.lines().count() - 1);
    let last = csv.lines().last().expect("rows");
    let event = Event::ALL[usize::from(*columns.event.last().expect("rows"))].name();
    let segment = columns.segment.last().expect("rows");
    assert!(last.contains(&format!(",f,{event},{segment},")), "{last}");
}

/// The records of a flow's log, as JSON.
fn log(recording: &Recording) -> Vec<serde_json::Value> {
    let text = recording.qlog(0);
    let records = text.split('\u{1e}').skip(1);
    records
        .map(|record| serde_json::from_str(record).expect("JSON"))
        .collect()
}

#[test]
fn a_log_tells_what_the_sender_did_and_heard() {
    let (recording, _) = recording("packets", "40 B", &[]);
    let records = log(&recording);
    let count = |name: &str| records.iter().filter(|it| it["name"] == name).count();
    let marks = |event| {
        recording
            .marks
            .iter()
            .filter(|mark| mark.event == event)
            .count()
    };
    assert_eq!(
        count("quic:packet_sent"),
        marks(Event::Send) + marks(Event::Retransmit)
    );
    assert_eq!(
        count("quic:packet_received"),
        marks(Event::Ack) + marks(Event::DupAck)
    );
    // Two segments are lost, and found by duplicates.
    let lost: Vec<_> = records
        .iter()
        .filter(|it| it["name"] == "quic:packet_lost")
        .collect();
    assert_eq!(lost.len(), 2);
    let numbers: Vec<_> = lost
        .iter()
        .map(|it| it["data"]["header"]["packet_number"].as_u64())
        .collect();
    assert_eq!(numbers, [Some(20), Some(22)]);
    assert!(
        lost.iter()
            .all(|it| it["data"]["trigger"] == "reordering_threshold")
    );
    // No transmission is acknowledged that was lost, and none twice but as a cause.
    let frames = records
        .iter()
        .filter_map(|it| it["data"]["frames"][0]["acked_ranges"].as_array());
    let acked: Vec<u64> = frames
        .flatten()
        .flat_map(|range| {
            let ends: Vec<u64> = range
                .as_array()
                .expect("a range")
                .iter()
                .filter_map(|it| it.as_u64())
                .collect();
            ends[0]..=ends[ends.len() - 1]
        })
        .collect();
    assert!(acked.contains(&21) && !acked.contains(&20) && !acked.contains(&22));
    let times: Vec<f64> = records
        .iter()
        .filter_map(|it| it["time"].as_f64())
        .collect();
    assert!(times.is_sorted() && times.len() + 1 == records.len());
}
