//! Trials: one run of a plan's text, for the tests of programs that bring controllers or disciplines of their own.

use crate::plan::{Externals, Plan, PlanErrors};
use crate::run::{Job, run};
use dupack_sim::Failure;
use dupack_sim::report::Report;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why a trial has no report.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TrialError {
    /// The plan is wrong.
    #[error("{0}")]
    Plan(PlanErrors),
    /// It has this many runs, not one.
    #[error("the plan has {0} runs, where a trial makes a single one; leave its sweep out")]
    Many(usize),
    /// The run failed.
    #[error("{0}")]
    Run(Failure),
}

/// Runs the plan `text` once, with overrides `PATH=VALUE`, and with the controllers and disciplines that it names. Files that it names are
/// found in the current directory.
///
/// # Errors
/// If the plan is wrong, or the run fails.
///
/// # Panics
/// If a controller breaks a law, such as a window below one segment.
pub fn trial(text: &str, sets: &[&str], externals: &Externals) -> Result<Report, TrialError> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let plan = Plan::parse_with(text.as_bytes(), Path::new("plan"), &sets, externals)
        .map_err(TrialError::Plan)?;
    let (point, seed) = match (&plan.points[..], &plan.seeds[..]) {
        ([point], [seed]) => (point, *seed),
        (points, seeds) => return Err(TrialError::Many(points.len() * seeds.len())),
    };
    let job = Job {
        network: Arc::clone(&point.network),
        seed,
        threads: 1,
        tape: false,
        connections: false,
    };
    let outcome = run(&job, &AtomicBool::new(false)).map_err(TrialError::Run)?;
    Ok(outcome.document.report)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"
        duration = "2 s"
        host = [{ name = "a" }, { name = "b" }]
        link = [{ name = "l", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms" }]
        flow = [{ name = "f", from = "a", to = "b" }]
    "#;

    #[test]
    fn its_report_has_flows_and_links_by_name() {
        let report = trial(PLAN, &["duration=1 s"], &Externals::new()).expect("a right plan");
        assert!(report.flow("f").goodput_bps > 0.5e6);
        assert!(report.link("l").utilization > 0.5);
    }

    #[test]
    #[should_panic(expected = "there is no flow \"g\"; there are f")]
    fn a_name_that_is_not_there_is_told() {
        let report = trial(PLAN, &[], &Externals::new()).expect("a right plan");
        report.flow("g");
    }

    #[test]
    fn what_is_no_single_run_is_an_error() {
        let told = |sets: &[&str]| trial(PLAN, sets, &Externals::new()).expect_err("no run");
        assert!(told(&["duration=0"]).to_string().contains("duration"));
        let many = told(&["sweep.seeds=1..3"]).to_string();
        assert!(many.starts_with("the plan has 3 runs"), "{many}");
    }
}
