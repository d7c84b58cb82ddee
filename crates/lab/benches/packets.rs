//! Processor time per delivered segment in a world of packets: two hops for the data, two for the acks, both machines included.
//!
//! `make bench` (or `cargo bench -p dupack-lab --bench packets`) prints the figures; nothing is asserted, because a machine that is busy
//! with other things shows other figures. The targets of the project are 400 ns with 10 flows and 800 with 1,000.
//!
//! N greedy senders, each on an access line of 100 Mb/s, share a backbone of 10 Mb/s per flow. Packets of 1,500 bytes; a round trip of
//! 36 to 44 ms without queueing, so that flows do not move in step: some 33 packets per flow, and the backbone has room
//! for as many. Reno starts slowly up to 32 segments only, so that losses are few; packet-pair (with SMART) loses some when it starts, and with
//! 1,000 flows that is some per cent in these 4 s. What is counted includes the making of the world and of the report.

use dupack_lab::plan::Plan;
use dupack_lab::run::{Job, run};
use std::sync::atomic::AtomicBool;

const RUNS: u64 = 5;

/// Flows, and the time that is simulated \[s\].
const SIZES: [(u64, u64); 2] = [(10, 100), (1000, 4)];

/// The senders, with what is peculiar to them, and the discipline of the backbone.
const CASES: [(&str, &str, &str); 2] = [
    (
        "reno, drop-tail",
        r#"kind = "reno", initial_ssthresh = "32 segments""#,
        r#"kind = "drop-tail""#,
    ),
    (
        "packet-pair, fair-queueing",
        r#"kind = "packet-pair""#,
        r#"kind = "fair-queueing""#,
    ),
];

fn plan(flows: u64, seconds: u64, transport: &str, queue: &str) -> String {
    let (rate, buffer) = (10 * flows, 33 * flows);
    let mut text = format!(
        r#"
duration = "{seconds} s"
[[switch]]
name = "router"
[[host]]
name = "sink"
[[link]]
name = "backbone"
from = "router"
to = "sink"
carries = "packets"
rate = "{rate} Mb/s"
delay = "10 ms"
queue = {{ {queue}, buffer = "{buffer} packets" }}
"#
    );
    for group in 0..5 {
        let (members, delay) = (flows / 5, 8 + group);
        text += &format!(
            r#"
[[host]]
name = "source-{group}"
count = {members}
[[link]]
name = "access-{group}"
from = "source-{group}"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "{delay} ms"
[[flow]]
name = "flow-{group}"
from = "source-{group}"
to = "sink"
start = "0 s..100 ms"
transport = {{ mss = "1460 B", header = "40 B", max_window = "200 segments", {transport} }}
"#
        );
    }
    text
}

fn main() {
    println!("packets over two hops, {RUNS} runs each: processor time per segment delivered");
    println!(
        "{:28} {:>6} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "senders, queue",
        "flows",
        "median [ns]",
        "least [ns]",
        "delivered",
        "sent again",
        "utilization"
    );
    for (name, transport, queue) in CASES {
        for (flows, seconds) in SIZES {
            let text = plan(flows, seconds, transport, queue);
            let plan =
                Plan::parse(text.as_bytes(), "packets.toml", &[]).expect("the plan is right");
            let mut costs = Vec::new();
            let (mut delivered, mut again, mut used) = (0, 0, 0.0);
            for seed in 1..=RUNS {
                let job = Job {
                    network: plan.points[0].network.clone(),
                    seed,
                    tape: false,
                };
                let document = run(&job, &AtomicBool::new(false))
                    .expect("the ledgers balance")
                    .document;
                let flows = &document.report.flows;
                let segments: u64 = flows.iter().map(|f| f.segments_delivered).sum();
                costs.push(document.cpu_s / segments as f64 * 1e9);
                delivered += segments;
                again += flows.iter().map(|f| f.segments_retransmitted).sum::<u64>();
                used += document.report.summary.goodput_fraction / RUNS as f64;
            }
            costs.sort_by(f64::total_cmp);
            println!(
                "{name:28} {flows:6} {:12.1} {:12.1} {delivered:12} {again:12} {used:12.3}",
                costs[costs.len() / 2],
                costs[0]
            );
        }
    }
}
