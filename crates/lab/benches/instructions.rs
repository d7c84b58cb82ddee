//! Instructions of the other benchmarks' scenarios and of the plans of the guard, counted by valgrind: the same from run to run, however busy
//! the machine is.
//!
//! `cargo bench -p dupack-lab --bench instructions` prints them, and for each plan of the guard (`tests/python/cost`) how many go to each part;
//! a word after `--` runs the scenarios with that word in their name, and a path of a plan runs that plan.
//! Needs valgrind. They are counted for one run with seed 1, including the reading of the plan; the cost of a process that runs
//! nothing is printed first.

mod callgrind;
mod scenarios;

use dupack_lab::run::{Job, run};
use dupack_sim::spec::Network;
use scenarios::{guarded, packets, push_out, topology_b};
use std::env;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Names the scenario that a process under valgrind runs.
const SCENARIO: &str = "DUPACK_SCENARIO";

type Scenario = (String, Box<dyn Fn() -> Arc<Network>>);

/// Every scenario, shorter than in the other benchmarks: valgrind is fifty times as slow.
fn scenarios() -> Vec<Scenario> {
    let mut all: Vec<Scenario> = Vec::new();
    for path in guarded::plans() {
        let name = path.display().to_string();
        all.push((name, Box::new(move || guarded::network(&path))));
    }
    for (name, queue) in topology_b::QUEUES {
        all.push((
            format!("topology-b {name}"),
            Box::new(move || topology_b::network(queue, 3)),
        ));
    }
    for (name, transport, queue) in packets::CASES {
        for (flows, seconds) in [(10, 20), (1000, 1)] {
            let network = move || packets::network(flows, seconds, transport, queue);
            all.push((format!("packets {name}, {flows} flows"), Box::new(network)));
        }
    }
    for queue in push_out::QUEUES {
        all.push((
            format!("push-out {queue}"),
            Box::new(move || push_out::network(queue)),
        ));
    }
    all
}

fn simulate(network: Arc<Network>) {
    let job = Job {
        network,
        seed: 1,
        threads: 1,
        tape: false,
        connections: false,
    };
    run(&job, &AtomicBool::new(false)).expect("the ledgers balance");
}

fn main() {
    if let Ok(wanted) = env::var(SCENARIO) {
        if wanted.ends_with(".toml") {
            return simulate(guarded::network(wanted.as_ref()));
        }
        let scenario = scenarios().into_iter().find(|(name, _)| *name == wanted);
        if let Some((_, network)) = scenario {
            simulate(network());
        }
        return;
    }
    let Some(nothing) = callgrind::count(SCENARIO, "none") else {
        return println!("instructions are not counted: valgrind is missing or failed");
    };
    let nothing = nothing.total;
    println!(
        "{:>15}  scenario (instructions without the process's own)",
        ""
    );
    println!("{nothing:15}  a process that runs nothing");
    // `cargo bench` adds an option of its own, which is no name.
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|it| !it.starts_with("--"))
        .collect();
    let named = scenarios().into_iter().map(|(name, _)| name);
    let plans = words.iter().filter(|word| word.ends_with(".toml")).cloned();
    for name in named.chain(plans) {
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let Some(count) = callgrind::count(SCENARIO, &name) else {
            println!("{:>15}  {name}", "failed");
            continue;
        };
        println!("{:15}  {name}", count.total.saturating_sub(nothing));
        if name.ends_with(".toml") {
            for (part, instructions) in count.parts {
                let share = 100.0 * instructions as f64 / count.total as f64;
                println!("{:15}  {share:4.1} % {part}", "");
            }
        }
    }
}
