//! Instructions of the other benchmarks' scenarios, counted by valgrind: the same from run to run, however busy the machine is.
//!
//! `cargo bench -p dupack-lab --bench instructions` prints them; a word after `--` runs the scenarios with that word in their name.
//! Needs valgrind. They are counted for one run with seed 1, including the reading of the plan; the cost of a process that runs
//! nothing is printed first.

mod scenarios;

use dupack_lab::run::{Job, run};
use dupack_sim::spec::Network;
use scenarios::{packets, push_out, topology_b};
use std::env;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Names the scenario that a process under valgrind runs.
const SCENARIO: &str = "DUPACK_SCENARIO";

type Scenario = (String, Box<dyn Fn() -> Arc<Network>>);

/// Every scenario, shorter than in the other benchmarks: valgrind is fifty times as slow.
fn scenarios() -> Vec<Scenario> {
    let mut all: Vec<Scenario> = Vec::new();
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
        tape: false,
        connections: false,
    };
    run(&job, &AtomicBool::new(false)).expect("the ledgers balance");
}

/// Instructions of this program under valgrind, running `scenario`; `None` if valgrind is missing or failed.
fn count(scenario: &str) -> Option<u64> {
    let valgrind = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().ok()?)
        .env(SCENARIO, scenario)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&valgrind.stderr).into_owned();
    let collected = text.lines().find_map(|line| line.split_once("Collected :"));
    collected?.1.trim().parse().ok()
}

fn main() {
    if let Ok(wanted) = env::var(SCENARIO) {
        let scenario = scenarios().into_iter().find(|(name, _)| *name == wanted);
        if let Some((_, network)) = scenario {
            simulate(network());
        }
        return;
    }
    let Some(nothing) = count("none") else {
        return println!("instructions are not counted: valgrind is missing or failed");
    };
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
    for (name, _) in scenarios() {
        if words.is_empty() || words.iter().any(|word| name.contains(word)) {
            match count(&name) {
                Some(all) => println!("{:15}  {name}", all.saturating_sub(nothing)),
                None => println!("{:>15}  {name}", "failed"),
            }
        }
    }
}
