//! The measured part of a run, and the accuracy of its results: warm-up by MSER-5, intervals from batches.

use crate::common::{job, network, outcome};
use dupack_lab::run::{Document, run};
use dupack_lab::statistics::mean_ci95;
use dupack_sim::mser::mser5;
use std::sync::atomic::AtomicBool;

fn document(text: &str, sets: &[&str], seed: u64) -> Document {
    outcome(text, sets, seed, false).document
}

/// Flows that begin one after the other, and lose enough to wait for timeouts now and then.
const LATE: &str = r#"
duration = "100 s"
warm_up = "mser-5"
host = [{ name = "a", count = 4 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
    { name = "in", from = "a", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "b", carries = "packets", rate = "2 Mb/s", delay = "20 ms", loss = { kind = "bernoulli", rate = 0.02 }, queue = { kind = "drop-tail", buffer = "10 packets" } },
]
flow = [{ name = "f", from = "a", to = "b", start = "0 s..15 s", transport = { kind = "reno" } }]
"#;

#[test]
//= white-1997 type=test
fn the_warm_up_that_is_found_is_that_of_the_goodputs_and_as_good_as_one_that_is_given() {
    let mut found = Vec::new();
    for seed in 1..=4 {
        let told = document(LATE, &[], seed);
        // The expected warm-up follows from a run without one: goodput of all flows in each thousandth of the run.
        let plain = document(LATE, &["warm_up=0 s", "sample=100 ms"], seed);
        let series = plain.report.series.expect("asked for");
        let delivered = |at: usize| series.delivered.values().map(|of| of[at]).sum::<u64>();
        let goodputs: Vec<f64> = (1..=1000)
            .map(|at| (delivered(at) - delivered(at - 1)) as f64)
            .collect();
        let left_out = mser5(&goodputs).expect("it becomes steady");
        assert!(
            (told.warm_up_s - left_out as f64 * 0.1).abs() < 1e-9,
            "{}",
            told.warm_up_s
        );
        let given = document(LATE, &[&format!("warm_up={} ms", 100 * left_out)], seed);
        let text = |document: &Document| serde_json::to_string(&document.report).expect("a report");
        assert_eq!(text(&told), text(&given));
        assert_eq!(told.warm_up_s, given.warm_up_s);
        found.push(told.warm_up_s);
    }
    assert!(
        found.iter().all(|at| *at < 50.0) && found.iter().any(|at| *at > 2.0),
        "{found:?}"
    );
    assert!(
        found.iter().any(|at| *at != found[0]),
        "each seed has its own: {found:?}"
    );
}

#[test]
//= hoad-robinson-davies-2010 type=test
fn a_run_that_does_not_become_steady_fails_in_words() {
    for sets in [
        ["flow.f.start=52 s"],
        ["flow.f.start=60 s"],
        ["flow.f.start=75 s"],
        ["flow.f.start=90 s"],
    ] {
        let failed = run(
            &job(network(LATE, &sets), 1, false),
            &AtomicBool::new(false),
        );
        let words = failed.expect_err("no steady state").to_string();
        assert!(
            words.starts_with("warm_up: \"mser-5\" finds no steady state"),
            "{words}"
        );
    }
}

#[test]
//= schruben-1982 type=test
fn a_run_that_is_steady_early_is_not_refused_for_a_smooth_stretch_near_its_end() {
    for seed in 1..=20 {
        // Without random losses, the windows grow and halve regularly, and nothing else changes.
        let sets = ["flow.f.start=0 s..2 s", "link.out.loss.rate=0"];
        let told = document(LATE, &sets, seed);
        assert!(told.warm_up_s < 50.0, "seed {seed}: {}", told.warm_up_s);
    }
}

#[test]
fn a_tape_and_a_capture_have_the_same_warm_up() {
    let mut job = job(network(LATE, &[]), 2, false);
    let told = run(&job, &AtomicBool::new(false)).expect("a run").document;
    job.tape = true;
    let taped = run(&job, &AtomicBool::new(false)).expect("a run").document;
    assert!(told.warm_up_s > 0.0);
    assert_eq!(told.warm_up_s, taped.warm_up_s);
    assert_eq!(
        told.report.summary.goodput_bps,
        taped.report.summary.goodput_bps
    );
}

#[test]
//= law-2015 §9.5.3 type=test
fn batches_are_the_parts_of_what_the_run_says() {
    for (carries, buffer) in [
        ("packets", "drop-tail\", buffer = \"10 packets"),
        ("cells", "plain\", buffer = \"130 cells"),
    ] {
        let text = (LATE.replace("\"packets\", rate", &format!("\"{carries}\", rate")))
            .replace("drop-tail\", buffer = \"10 packets", buffer);
        // The batches are so short that most waits for a timeout extend into the next one.
        let told = document(&text, &["warm_up=20 s", "batches=300"], 1);
        let (summary, batches) = (&told.report.summary, told.batches.expect("asked for"));
        assert!(summary.timeouts > 50, "{}", summary.timeouts);
        assert_eq!(batches.count, 300);
        assert!((batches.length_s - 80.0 / 300.0).abs() < 1e-12);
        let values = batches.values;
        let of = |values: &Option<Vec<f64>>| values.clone().expect("told");
        let near =
            |a: f64, b: f64, what: &str| assert!((a - b).abs() < 1e-9 * b.abs(), "{what}: {a} {b}");
        let mean = |values: &Option<Vec<f64>>| mean_ci95(&of(values)).0;
        near(mean(&values.goodput_bps), summary.goodput_bps, "goodput");
        near(
            mean(&values.goodput_fraction),
            summary.goodput_fraction,
            "share",
        );
        near(
            mean(&values.active_fraction),
            summary.active_fraction,
            "active",
        );
        assert!(
            of(&values.active_fraction)
                .iter()
                .all(|x| (0.0..=1.0).contains(x))
        );
        assert_eq!(
            of(&values.timeouts).iter().sum::<f64>(),
            summary.timeouts as f64
        );
        let half = mean_ci95(&of(&values.goodput_bps)).1;
        assert_eq!(batches.ci95.goodput_bps, half);
        let half = mean_ci95(&of(&values.timeouts)).1.map(|half| half * 300.0);
        assert_eq!(batches.ci95.timeouts, half, "the summary has the sum");
    }
}

#[test]
fn a_batch_is_what_a_run_says_that_is_measured_there() {
    let told = document(LATE, &["warm_up=20 s", "batches=8"], 3);
    let values = told.batches.expect("asked for").values;
    for k in [0, 3, 7] {
        let sets = [
            format!("warm_up={} s", 20 + 10 * k),
            format!("duration={} s", 30 + 10 * k),
        ];
        let alone = document(LATE, &sets.each_ref().map(String::as_str), 3)
            .report
            .summary;
        let of = |values: &Option<Vec<f64>>| values.as_ref().expect("told")[k];
        assert!(
            (of(&values.goodput_bps) / alone.goodput_bps - 1.0).abs() < 1e-12,
            "{k}"
        );
        assert!(
            (of(&values.goodput_fraction) / alone.goodput_fraction - 1.0).abs() < 1e-12,
            "{k}"
        );
        assert_eq!(of(&values.timeouts), alone.timeouts as f64, "{k}");
    }
}

#[test]
fn connections_that_come_and_go_have_batches_too() {
    let text = LATE.replace(
        "start = \"0 s..15 s\", transport",
        "arrivals = { kind = \"poisson\", every = \"100 ms\" }, traffic = { kind = \"file\", size = \"20 kB\" }, transport",
    );
    let told = document(&text, &["warm_up=20 s", "batches=20"], 1);
    let (summary, batches) = (&told.report.summary, told.batches.expect("asked for"));
    let goodputs = batches.values.goodput_bps.expect("told");
    let (mean, half) = mean_ci95(&goodputs);
    assert!((mean / summary.goodput_bps - 1.0).abs() < 1e-9);
    assert!(half.is_some_and(|half| half > 0.0));
    let timeouts: f64 = batches.values.timeouts.expect("told").iter().sum();
    assert_eq!(timeouts, summary.timeouts as f64);
    let active = batches.values.active_fraction.expect("told");
    assert!(active.iter().all(|x| (0.0..=1.0).contains(x)), "{active:?}");
    assert_eq!(batches.values.goodput_fraction, None);
}
