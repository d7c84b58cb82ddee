//! Processor time per delivered segment in a world of packets: two hops for the data, two for the acks, both machines included.
//!
//! `make bench` (or `cargo bench -p dupack-lab --bench packets`) prints the figures; nothing is asserted, because a busy machine shows
//! other figures. The targets of the project are 400 ns with 10 flows and 800 with 1,000.
//!
//! N greedy senders, each on an access line of 100 Mb/s, share a backbone of 10 Mb/s per flow. Packets of 1,500 bytes; a round trip of
//! 36 to 44 ms without queueing, so that flows do not move in step: some 33 packets per flow, and the backbone has room
//! for as many. Reno starts slowly up to 32 segments only, so that losses are few; packet-pair (with SMART) loses some when it starts, and with
//! 1,000 flows that is some per cent in these 4 s. What is counted includes the making of the world and of the report.

mod scenarios;

use dupack_lab::run::{Job, run};
use scenarios::packets::{CASES, SIZES, network};
use std::sync::atomic::AtomicBool;

const RUNS: u64 = 5;

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
            let network = network(flows, seconds, transport, queue);
            let mut costs = Vec::new();
            let (mut delivered, mut again, mut used) = (0, 0, 0.0);
            for seed in 1..=RUNS {
                let job = Job {
                    network: network.clone(),
                    seed,
                    threads: 1,
                    tape: false,
                    connections: false,
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
