//! Captures read back with the libraries that wrote them; `tests/python` asks Wireshark.

use super::recording::{Talk, ends_of};
use super::*;
use crate::plan::Plan;
use dupack_sim::probe::{Event, Row, Seen};
use etherparse::{NetHeaders, PacketHeaders, TransportHeader};
use pcap_file::pcapng::{Block, PcapNgReader};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

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
                .rows
                .iter()
                .filter(|row| row.event == event)
                .count()
        };
        let data: Vec<&Read> = packets
            .iter()
            .filter(|it| it.from_a && it.payload > 0)
            .collect();
        let sent = count(Event::Send) + count(Event::Retransmit);
        // Segments that the transmitter still held at the end have not passed.
        assert!(sent - data.len() <= 105, "{carries}: {sent} {}", data.len());
        let acks = packets
            .iter()
            .filter(|it| !it.from_a && !it.made_up)
            .count();
        assert_eq!(acks, count(Event::Ack) + count(Event::DupAck), "{carries}");
        assert!(data.iter().all(|it| it.payload == 948));
        // Twenty segments precede segment 20, and it is sent twice.
        let again = data
            .iter()
            .filter(|it| it.tcp.sequence_number == 1 + 20 * 948);
        assert_eq!(again.count(), 2, "{carries}");
        // Duplicate acks report what arrived after the hole in SACK blocks; acks without a hole have no blocks.
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
    // 20 ms of propagation, and a header of 52 B on both lines, there and back.
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
    // A header of 52 B has room for time stamps: the ack echoes that of transmission 0.
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
    let text = recording.qlog(0).expect("a log");
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
    let rows = |event| {
        recording
            .rows
            .iter()
            .filter(|row| row.event == event)
            .count()
    };
    assert_eq!(
        count("quic:packet_sent"),
        rows(Event::Send) + rows(Event::Retransmit)
    );
    assert_eq!(
        count("quic:packet_received"),
        rows(Event::Ack) + rows(Event::DupAck)
    );
    // Two segments are lost, and duplicate acks reveal both.
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
    // No lost transmission is acknowledged. None is acknowledged twice, except as the cause of an ack.
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

const CONNECTIONS: &str = r#"
duration = "0.4 s"
routing = "ecmp"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts = 2
carries = "packets"
queue = { kind = "drop-tail", buffer = "6 packets" }
access = { rate = "10 Mb/s", delay = "50 us" }
[[flow]]
name = "long"
from = "host-0"
to = "host-2"
transport = { kind = "sack", mss = "948 B", tick = "10 ms" }
[[flow]]
name = "web"
from = "host"
to = "host"
arrivals = { kind = "poisson", every = "3 ms" }
traffic = { kind = "file", size = "12345 B" }
transport = { kind = "sack", mss = "948 B", tick = "10 ms" }
"#;

fn connections() -> (Recording, Vec<End>) {
    let plan = Plan::parse(CONNECTIONS.as_bytes(), "x", &[]).expect("a right plan");
    let network = &plan.points[0].network;
    let ends =
        ["access-0", "fabric-0-1"].map(|link| End::find(network, link, None).expect("an end"));
    let halt = AtomicBool::new(false);
    let recording = record(network, "a test", 1, &ends, &halt).expect("a run");
    (recording, ends.to_vec())
}

/// A packet's conversation: its sender's address and port, and its receiver's; the same for both ways.
fn conversations(recording: &Recording, end: End) -> HashMap<[(u8, u16); 2], Vec<Conversed>> {
    let mut file = Vec::new();
    let options = Options { snaplen: 65_535 };
    recording.capture(end, options, &mut file).expect("written");
    let mut reader = PcapNgReader::new(&file[..]).expect("a pcapng");
    let mut found: HashMap<_, Vec<Conversed>> = HashMap::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a block") else {
            continue;
        };
        let headers = PacketHeaders::from_ip_slice(&packet.data).expect("headers");
        let (Some(NetHeaders::Ipv4(ip, _)), Some(TransportHeader::Tcp(tcp))) =
            (headers.net, headers.transport)
        else {
            panic!("no TCP over IPv4")
        };
        let payload = headers.payload.slice();
        let sum = tcp.calc_checksum_ipv4(&ip, payload).expect("short");
        assert_eq!(tcp.checksum, sum);
        let here = (ip.source[3], tcp.source_port);
        let there = (ip.destination[3], tcp.destination_port);
        let data = tcp.destination_port == 9;
        let ends = if data { [here, there] } else { [there, here] };
        found.entry(ends).or_default().push(Conversed {
            at: packet.timestamp.as_nanos() as i128 - 946_684_800_000_000_000,
            data,
            tcp,
            payload: payload.len(),
        });
    }
    found
}

struct Conversed {
    at: i128,
    data: bool,
    tcp: etherparse::TcpHeader,
    payload: usize,
}

#[test]
fn each_connection_of_many_is_a_conversation_of_its_own() {
    let (recording, ends) = connections();
    assert!(recording.talks.len() > 100);
    let delivers = recording
        .rows
        .iter()
        .filter(|row| row.event == Event::Deliver);
    let delivered: HashSet<usize> = delivers
        .map(|row| recording.at[&(row.flow, row.connection)])
        .collect();
    // A host's own link sees the connections of that host; a link in the fabric sees those that are routed over it.
    for (end, link) in [(ends[0], "access-0"), (ends[1], "fabric-0-1")] {
        let passes = |talk: &Talk| {
            let ways = talk.forward.iter().chain(&talk.back);
            let mut names = ways.map(|at| recording.network.links[*at].name.as_str());
            names.any(|name| name == link || name.strip_suffix(".back") == Some(link))
        };
        let found = conversations(&recording, end);
        let talks = recording.talks.iter().enumerate();
        let here: Vec<usize> = talks
            .filter(|(_, talk)| passes(talk))
            .map(|(at, _)| at)
            .collect();
        // What the latest connections have sent may still wait elsewhere; it has passed if anything of it was delivered.
        let least = here.iter().filter(|at| delivered.contains(at)).count();
        assert!(
            least > 30 && (least..=here.len()).contains(&found.len()),
            "{least} {} {}",
            here.len(),
            found.len()
        );
        for packets in found.values() {
            let mut packets: Vec<&Conversed> = packets.iter().collect();
            packets.sort_by_key(|it| it.at);
            assert!(packets[0].tcp.syn && packets[0].data && !packets[0].tcp.ack);
            assert_eq!(packets.iter().filter(|it| it.tcp.syn).count(), 2);
            // Each connection counts its bytes from its own beginning, and ends with its file.
            let data = packets.iter().filter(|it| it.payload > 0);
            let ends = data.map(|it| it.tcp.sequence_number as usize + it.payload - 1);
            let last = ends.max().unwrap_or(0);
            assert!(
                last <= 12_345 || packets[0].tcp.source_port == 49_152,
                "{last}"
            );
        }
    }
    // The sending host's own link sees as many retransmissions as the tape has.
    let hosts = recording.hosts();
    let from = |last: u8| hosts[usize::from(last) - 1] == "host-0";
    let found = conversations(&recording, ends[0]);
    let outgoing = found.iter().filter(|(ends, _)| from(ends[0].0));
    let again = outgoing.map(|(_, packets)| {
        let data: Vec<u32> = packets
            .iter()
            .filter(|it| it.payload > 0)
            .map(|it| it.tcp.sequence_number)
            .collect();
        data.len() - data.iter().collect::<std::collections::BTreeSet<_>>().len()
    });
    let again: usize = again.sum();
    let told = (recording.talks.iter().enumerate())
        .filter(|(_, talk)| ends_of(&recording.network, &talk.forward)[0] == "host-0")
        .flat_map(|(at, _)| recording.own(at))
        .filter(|row| row.event == Event::Retransmit)
        .count();
    // Segments that the transmitter still held at the end have not passed.
    assert!(
        told > 5 && again <= told && told - again <= 6,
        "{again} {told}"
    );
}

#[test]
fn each_connection_of_many_has_a_log_of_its_own() {
    let (recording, _) = connections();
    let names = recording.logs();
    assert_eq!(names.len(), recording.talks.len());
    assert_eq!(names[..3], ["long", "web.0", "web.1"]);
    let mut sent = 0;
    for (at, name) in names.iter().enumerate() {
        let text = recording.qlog(at).expect("a log");
        let records: Vec<serde_json::Value> = text
            .split('\u{1e}')
            .skip(1)
            .map(|record| serde_json::from_str(record).expect("JSON"))
            .collect();
        assert_eq!(records[0]["trace"]["title"], name.as_str());
        sent += records
            .iter()
            .filter(|it| it["name"] == "quic:packet_sent")
            .count();
    }
    let sends = |row: &&Row| matches!(row.event, Event::Send | Event::Retransmit);
    assert_eq!(sent, recording.rows.iter().filter(sends).count());
    assert!(recording.qlog(names.len()).is_none());
}

/// The ECN fields and flags that headers have: of data with every field and of acks, as they would be seen at the near end of `access`.
#[test]
//= rfc3168 §5, Fig. 1 type=test
//= rfc3168 §6.1.1 type=test
fn headers_tell_of_ecn() {
    use dupack_core::transport::Ack;
    use dupack_core::unit::Ecn;
    use dupack_sim::probe::{Carried, Left};
    let (mut recording, ends) = recording("packets", "40 B", &[("access", None)]);
    let capable = |recording: &Recording| {
        let packets = read(recording, ends[0]);
        let flags = |it: &Read| (it.tcp.ece, it.tcp.cwr);
        [0, 1, 2].map(|at| flags(&packets[at]))
    };
    assert_eq!(capable(&recording), [(false, false); 3]);
    let first = *recording.seen.first().expect("something passed");
    let seen = |ecn, carried| Seen {
        ecn,
        carried,
        left: Left::Whole,
        ..first
    };
    let data = |ecn, cwr| {
        let carried = Carried::Data {
            segment: 0,
            again: false,
            id: 0,
            cwr,
        };
        seen(ecn, carried)
    };
    let ack = |ece| {
        let ack = Ack {
            next: 1,
            ece,
            ..Ack::default()
        };
        seen(Ecn::NotEct, Carried::Ack(ack))
    };
    let fields = Ecn::ALL.map(|ecn| data(ecn, false));
    recording.seen = [&fields[..], &[data(Ecn::Ect0, true), ack(true), ack(false)]].concat();
    let mut file = Vec::new();
    let options = Options { snaplen: 65_535 };
    recording
        .capture(ends[0], options, &mut file)
        .expect("written");
    let mut reader = PcapNgReader::new(&file[..]).expect("a pcapng");
    let mut told = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a block") else {
            continue;
        };
        let headers = PacketHeaders::from_ip_slice(&packet.data).expect("headers");
        let (Some(NetHeaders::Ipv4(ip, _)), Some(TransportHeader::Tcp(tcp))) =
            (headers.net, headers.transport)
        else {
            panic!("no TCP over IPv4")
        };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let sum = tcp.calc_checksum_ipv4(&ip, headers.payload.slice());
        assert_eq!(tcp.checksum, sum.expect("short"));
        if !tcp.syn {
            // The ECN field is the last two bits of the second byte.
            assert_eq!(packet.data[1] & 3, ip.ecn.value());
            told.push((ip.ecn.value(), tcp.ece, tcp.cwr));
        }
    }
    let field = |ecn: Ecn| (ecn.bits(), false, false);
    let [not, ect0, ect1, ce] = Ecn::ALL.map(field);
    let cwr = (Ecn::Ect0.bits(), false, true);
    let ece = (0, true, false);
    // The first packet is the last of the handshake, which is made up.
    assert_eq!(told, [not, not, ect0, ect1, ce, cwr, ece, not]);
    // A SYN that offers ECN has ECE and CWR; the answer that accepts it has ECE alone.
    let agreed = [(true, true), (true, false), (false, false)];
    assert_eq!(capable(&recording), agreed);
    recording.seen = vec![data(Ecn::NotEct, false), ack(true)];
    assert_eq!(capable(&recording), agreed);
    recording.seen = vec![data(Ecn::NotEct, false), ack(false)];
    assert_eq!(capable(&recording), [(false, false); 3]);
}

#[test]
fn a_log_tells_of_acks_with_ece() {
    let (mut recording, _) = recording("packets", "40 B", &[]);
    let schemas = |records: &[serde_json::Value]| {
        let schemas = &records[0]["trace"]["event_schemas"];
        schemas.as_array().map(Vec::len)
    };
    assert_eq!(schemas(&log(&recording)), Some(1));
    let acks: Vec<usize> = (0..recording.rows.len())
        .filter(|at| recording.rows[*at].event == Event::Ack)
        .collect();
    for at in [acks[3], acks[5]] {
        recording.rows[at].ece = true;
    }
    let records = log(&recording);
    assert_eq!(schemas(&records), Some(2));
    let of = |name: &str| {
        let named = records.iter().filter(|it| it["name"] == name);
        named.collect::<Vec<_>>()
    };
    let told: Vec<usize> = of("quic:packet_received")
        .iter()
        .enumerate()
        .filter(|(_, it)| it["data"]["ece"] == true)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(told, [3, 5]);
    // The state is reported only once.
    let states = of("quic:ecn_state_updated");
    assert_eq!(states.len(), 1);
    assert_eq!(states[0]["data"]["new"], "capable");
    assert_eq!(states[0]["time"], of("quic:packet_received")[3]["time"]);
}

#[test]
//= rfc9768 §3.1.1 type=test
//= rfc9768 §3.2.1 type=test
//= rfc9768 §3.2.2.1 type=test
fn headers_negotiate_and_have_counters_of_marks() {
    let header = "40 B\", ecn = true, ecn_echo = \"counter";
    let (recording, ends) = recording("packets", header, &[("access", None)]);
    let packets = read(&recording, ends[0]);
    let ace = |it: &Read| [it.tcp.ns, it.tcp.cwr, it.tcp.ece].map(u8::from);
    // Offered, accepted by the answer to a SYN without ECT, and the ack of an answer without ECT.
    let [syn, answer, last] = [0, 1, 2].map(|at| ace(&packets[at]));
    assert_eq!((syn, answer, last), ([1, 1, 1], [0, 1, 0], [0, 1, 0]));
    // Nothing is marked here: all counters are 5.
    assert!(packets.len() > 100);
    assert!(packets[3..].iter().all(|it| ace(it) == [1, 0, 1]));
}
