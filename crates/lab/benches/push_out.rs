//! Processor time per cell and switch with disciplines that push out: 50 senders on 5 VCs through two switches, everything included:
//! senders, receivers, edges, acks.
//!
//! `cargo bench --bench push_out -- weighted` runs the disciplines with that in their line only.
//!
//! A cell of data is offered to a switch twice: to the line between the switches, where the discipline is, and behind it. So per cell of
//! the line the cost is twice that per cell and switch; both are printed. Nothing is asserted, because a busy machine shows
//! other figures. The target of the project is 80 ns per offered cell per switch.

mod scenarios;

use dupack_lab::run::{Job, run};
use scenarios::push_out::{QUEUES, network};
use std::sync::atomic::AtomicBool;

const RUNS: u64 = 5;

fn main() {
    println!(
        "50 NewReno senders on 5 VCs, 5 s simulated, {RUNS} runs each: processor time per cell offered to the line between the switches, and per cell offered to a switch"
    );
    println!("line: median [ns]  least [ns]  switch: median [ns]  dropped [%]  queue");
    // `cargo bench` adds an option of its own, which is no name.
    let wanted: Vec<_> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with("--"))
        .collect();
    let is_wanted = |queue: &&str| wanted.is_empty() || wanted.iter().any(|it| queue.contains(it));
    for queue in QUEUES.into_iter().filter(is_wanted) {
        let network = network(queue);
        let mut costs = Vec::new();
        let (mut dropped, mut per_line) = (0.0, 0.0);
        for seed in 1..=RUNS {
            let network = network.clone();
            let job = Job {
                network,
                seed,
                threads: 1,
                tape: false,
                connections: false,
            };
            let document = run(&job, &AtomicBool::new(false))
                .expect("the ledgers balance")
                .document;
            let links = &document.report.links;
            let line = (links.iter().find(|it| it.name == "backbone")).expect("in the plan");
            let leaves_a_switch = |from: &str| ["a", "b"].contains(&from);
            let offered: u64 = (links.iter().filter(|it| leaves_a_switch(&it.from)))
                .map(|it| it.offered)
                .sum();
            per_line += offered as f64 / (line.offered * RUNS) as f64;
            costs.push(document.cpu_s / line.offered as f64 * 1e9);
            dropped += 100.0 * (line.offered - line.sent) as f64 / (line.offered * RUNS) as f64;
        }
        costs.sort_by(f64::total_cmp);
        let median = costs[costs.len() / 2];
        println!(
            "{median:17.1} {:11.1} {:20.1} {dropped:12.2}  {queue}",
            costs[0],
            median / per_line
        );
    }
}
