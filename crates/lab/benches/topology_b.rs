//! Processor time per cell offered to the bottleneck of topology B, everything included: senders, receivers, acks.
//!
//! `make bench` (or `cargo bench -p dupack-lab`) prints the figures; nothing is asserted, because a busy machine shows other
//! figures. The target of the project is 60 ns with BPD.

mod scenarios;

use dupack_lab::run::{Job, run};
use scenarios::topology_b::{QUEUES, network};
use std::sync::atomic::AtomicBool;

const RUNS: u64 = 7;

fn main() {
    println!(
        "topology B, 5 Reno senders, 30 s simulated, {RUNS} runs each: processor time per cell offered to the bottleneck"
    );
    println!(
        "{:8} {:>12} {:>12} {:>16} {:>22}",
        "queue", "median [ns]", "least [ns]", "offered [cells]", "simulated s per CPU s"
    );
    for (name, queue) in QUEUES {
        let network = network(queue, 30);
        let mut costs = Vec::new();
        let (mut offered, mut cpu) = (0, 0.0);
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
            let bottleneck = document
                .report
                .links
                .iter()
                .find(|link| link.name == "bottleneck")
                .expect("in the plan");
            costs.push(document.cpu_s / bottleneck.offered as f64 * 1e9);
            offered += bottleneck.offered;
            cpu += document.cpu_s;
        }
        costs.sort_by(f64::total_cmp);
        let speed = 30.0 * RUNS as f64 / cpu;
        println!(
            "{name:8} {:12.1} {:12.1} {offered:16} {speed:22.0}",
            costs[costs.len() / 2],
            costs[0]
        );
    }
}
