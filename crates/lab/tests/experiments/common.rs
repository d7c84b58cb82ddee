//! Plans of tests and their runs.

use dupack_lab::plan::{Plan, PlanErrors};
use dupack_lab::run::{Job, Outcome, run};
use dupack_sim::report::Report;
use dupack_sim::spec::Network;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A plan with overrides; files that it names are found from the folder of tests.
pub fn read(text: &str, sets: &[&str]) -> Result<Plan, PlanErrors> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
    Plan::parse(text.as_bytes(), "tests/plan_laws/test.toml", &sets)
}

/// The mistakes of a wrong plan.
pub fn mistakes(text: &str, sets: &[&str]) -> Vec<String> {
    let errors = read(text, sets).expect_err("a wrong plan").errors;
    errors.iter().map(ToString::to_string).collect()
}

/// A right plan.
pub fn plan(text: &str, sets: &[&str]) -> Plan {
    read(text, sets).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Its first network.
pub fn network(text: &str, sets: &[&str]) -> Arc<Network> {
    Arc::clone(&plan(text, sets).points[0].network)
}

/// A run of a network.
pub fn job(network: Arc<Network>, seed: u64, tape: bool) -> Job {
    Job {
        network,
        seed,
        threads: 1,
        tape,
        connections: false,
    }
}

/// The run of a plan's first network. Every ledger in it balances, or it would have failed.
pub fn outcome(text: &str, sets: &[&str], seed: u64, tape: bool) -> Outcome {
    let job = job(network(text, sets), seed, tape);
    run(&job, &AtomicBool::new(false)).expect("the ledgers balance")
}

/// The report of its run with seed 1.
pub fn report(text: &str, sets: &[&str]) -> Report {
    outcome(text, sets, 1, false).document.report
}
