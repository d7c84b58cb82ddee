//! Whole runs of on-off users: messages, times to think, and the load that a lone user puts on a line.

use crate::common;
use dupack_lab::statistics::{batch_means, mean_ci95};
use dupack_sim::report::Report;
use dupack_theory::load::nominal_load;

/// Keshav & Morgan's path with one user on it: packets of 500 bytes, 100 of them in a round trip of the backbone of 8 Mb/s. The
/// window is never in the way.
//= keshav-morgan-1997 §2, Fig. 1 type=test
const LONE: &str = r#"
duration = "420 s"
warm_up = "20 s"
sample = "20 s"
[[host]]
name = "source"
[[switch]]
name = "router"
[[host]]
name = "sink"
[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "1 Gb/s"
delay = "5 ms"
[[link]]
name = "backbone"
from = "router"
to = "sink"
carries = "packets"
rate = "8 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "1000 packets" }
[[flow]]
name = "user"
from = "source"
to = "sink"
traffic = { kind = "on-off", on = "200 packets", off = "50 ms", rate = "8 Mb/s" }
transport = { kind = "reno", mss = "460 B", header = "40 B", max_window = "10000 segments", initial_window = "10000 segments" }
"#;

/// Times of a packet on the backbone, and of its round trip but for that: twice 25 ms, the packet on the access line, its
/// ack of 40 bytes on both \[s\].
const PACKET: f64 = 0.5e-3;
const ROUND_TRIP: f64 = 0.05 + 4e-6 + 40e-6 + 0.32e-6;

fn report(sets: &[&str], seed: u64) -> Report {
    common::outcome(LONE, sets, seed, false).document.report
}

/// The rows of the tape.
fn tape(sets: &[&str], seed: u64) -> Vec<Vec<String>> {
    let tape = common::outcome(LONE, sets, seed, true)
        .tape
        .expect("asked for");
    let cells = |row: &str| row.split(',').map(str::to_string).collect();
    tape.lines().map(cells).collect()
}

#[test]
//= keshav-morgan-1997 §2, eq. 1 type=test
fn a_lone_user_has_its_nominal_load() {
    let on = 200.0 * PACKET;
    // Both durations give two thousand messages.
    for (off, seconds) in [(50, 420), (1850, 4020)] {
        let load = nominal_load(on, ROUND_TRIP, f64::from(off) / 1e3);
        let off = format!("flow.user.traffic.off={off} ms");
        let duration = format!("duration={seconds} s");
        let goodputs: Vec<f64> = (1..=20)
            .map(|seed| {
                let report = report(&[&off, &duration], seed);
                assert_eq!(report.flows[0].segments_retransmitted, 0);
                report.summary.goodput_fraction
            })
            .collect();
        let (mean, half) = mean_ci95(&goodputs);
        let half = half.unwrap();
        assert!(half < 0.04 * load, "{half} is too wide to tell");
        assert!((mean - load).abs() < half, "{mean}, not {load} by {half}");
    }
}

#[test]
//= keshav-morgan-1997 §2, eqs. 2 and 3 type=test
// One run of 20 intervals of 20 s.
fn intervals_of_one_run_tell_it_too() {
    let report = report(&[], 1);
    let series = report.series.unwrap();
    let delivered = &series.delivered["user"];
    assert_eq!((series.time_s[1], delivered.len()), (20.0, 22));
    // The line carries 920,000 bytes of payload per second.
    let goodput = |of: &[u64]| (of[1] - of[0]) as f64 / 20.0 / 920_000.0;
    let intervals: Vec<f64> = delivered[1..].windows(2).map(goodput).collect();
    let (mean, half) = batch_means(&intervals);
    assert!((mean - report.summary.goodput_fraction).abs() < 1e-12);
    let load = nominal_load(200.0 * PACKET, ROUND_TRIP, 0.05);
    assert!((mean - load).abs() < half.unwrap(), "{mean} {half:?}");
}

#[test]
fn a_message_is_acknowledged_before_the_next_begins() {
    // Each message is one packet, and there are no pauses: one message per round trip, and the last of the 4 s is under way.
    let sets = [
        "flow.user.traffic.on=1 packets",
        "flow.user.traffic.off=0 s",
        "duration=5 s",
        "warm_up=1 s",
    ];
    let trip = ROUND_TRIP + PACKET;
    let flow = &report(&sets, 1).flows[0];
    assert_eq!(flow.messages, (5.0 / trip) as u64 - (1.0 / trip) as u64);
    let mean = flow.mean_message_s.unwrap();
    assert!((mean - trip).abs() < 1e-12, "{mean}");
    assert_eq!((flow.completed_s, flow.timeouts), (None, 0));

    // The fourth packet is lost, and the user waits until it is repaired.
    let loss = r#"link.backbone.loss={ kind = "script", flow = "user", segments = [3] }"#;
    let sets = [&sets[..3], &["warm_up=0 s", loss]].concat();
    assert_eq!(report(&sets, 1).flows[0].timeouts, 1);
    let ours = ["send", "retransmit", "timeout", "ack"];
    let tape = tape(&sets, 1);
    let rows: Vec<_> = tape
        .iter()
        .filter(|row| ours.contains(&&*row[2]))
        .map(|row| format!("{} {}", row[2], row[3]))
        .skip(6)
        .take(6)
        .collect();
    assert_eq!(
        rows,
        [
            "send 3",
            "timeout 3",
            "retransmit 3",
            "ack 4",
            "send 4",
            "ack 5"
        ]
    );
}

#[test]
fn packets_come_into_being_at_their_rate_or_all_at_once() {
    let at = |rate: &str| -> Vec<f64> {
        let rate = format!("flow.user.traffic.rate={rate}");
        let sets = [&rate, "flow.user.traffic.off=100 s", "duration=21 s"];
        tape(&sets, 4)
            .iter()
            .filter(|row| row[2] == "send")
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    let paced = at("8 Mb/s");
    assert!(paced.len() > 10);
    for (n, sent) in paced.iter().enumerate() {
        assert!((sent - n as f64 * PACKET).abs() < 1e-9, "{n} {sent}");
    }
    // The message has the same length: random choices do not depend on the rate.
    assert_eq!(at("the whole message at once"), vec![0.0; paced.len()]);
}

#[test]
fn a_file_is_one_message_and_greed_has_none() {
    let file = r#"flow.user.traffic={ kind = "file", size = "10 segments" }"#;
    let flow = report(&[file, "warm_up=0 s"], 1).flows.remove(0);
    assert_eq!((flow.messages, flow.mean_message_s), (1, flow.completed_s));
    assert!(flow.completed_s.is_some());
    // The message ended before measuring began.
    let flow = report(&[file], 1).flows.remove(0);
    assert_eq!((flow.messages, flow.mean_message_s), (0, None));
    let greedy = r#"flow.user.traffic={ kind = "greedy" }"#;
    let flow = report(&[greedy], 1).flows.remove(0);
    assert_eq!((flow.messages, flow.mean_message_s), (0, None));
}

#[test]
fn every_sender_finishes_its_messages() {
    // The number of packets may be odd: a sender that sends pairs must not hold back the last one.
    for entry in dupack_core::transport::ROSTER {
        for rate in ["8 Mb/s", "the whole message at once"] {
            let kind = format!("flow.user.transport.kind={}", entry.name);
            let rate = format!("flow.user.traffic.rate={rate}");
            let sets = [
                &kind,
                &rate,
                "flow.user.traffic.on=3 packets",
                // By default Linux delays them: the ack of the third packet would be late.
                "flow.user.transport.delayed_ack=false",
            ];
            let flow = report(&sets, 1).flows.remove(0);
            let said = format!("{} {}: {flow:?}", entry.name, rate);
            assert_eq!(
                (flow.timeouts, flow.segments_retransmitted),
                (0, 0),
                "{said}"
            );
            assert!(flow.mean_message_s.unwrap() < 0.06, "{said}");
            assert!(flow.messages > 3500, "{said}");
        }
    }
}
