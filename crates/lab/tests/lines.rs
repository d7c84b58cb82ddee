//! Whole runs on links of packets: who gets what of a shared buffer, what lines lose and how they order it.

use dupack_lab::plan::Plan;
use dupack_lab::run::{Job, Outcome, run};
use dupack_sim::report::Report;
use std::sync::atomic::AtomicBool;

/// The run of a plan. Every ledger in it balances, or it would have failed.
fn outcome(text: &str, sets: &[&str], seed: u64) -> Outcome {
    let sets: Vec<_> = sets.iter().map(|s| (*s).to_string()).collect();
    let plan = Plan::parse(text.as_bytes(), "test.toml", &sets)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let job = Job {
        network: plan.points[0].network.clone(),
        seed,
        tape: true,
    };
    run(&job, &AtomicBool::new(false)).expect("the ledgers balance")
}

fn report(text: &str, sets: &[&str]) -> Report {
    outcome(text, sets, 1).document.report
}

/// A modest and a greedy flow at one bottleneck.
const SHARED: &str = r#"
duration = "60 s"
warm_up = "10 s"
host = [{ name = "modest" }, { name = "greedy" }, { name = "sink" }]
switch = [{ name = "s" }]
link = [
    { name = "m", from = "modest", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "g", from = "greedy", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "sink", carries = "packets", rate = "2 Mb/s", delay = "5 ms" },
]
flow = [
    { name = "m", from = "modest", to = "sink", transport = { kind = "sack", max_window = "10 segments" } },
    { name = "g", from = "greedy", to = "sink", transport = { kind = "sack", max_window = "60 segments", mss = "1460 B" } },
]
"#;

/// What the modest flow sends over what the greedy flow sends \[bytes on the line\].
fn share(report: &Report) -> f64 {
    let rate = |flow: usize, mss: f64| report.flows[flow].goodput_bps * (mss + 40.0) / mss;
    rate(0, 536.0) / rate(1, 1460.0)
}

#[test]
fn fair_queueing_gives_equal_shares_to_unequal_windows_and_sizes() {
    let with = |queue: &str| report(SHARED, &[&format!("link.out.queue={queue}")]);
    let fifo = with(r#"{ kind = "drop-tail", buffer = "100 packets" }"#);
    assert!(share(&fifo) < 0.1, "{}", share(&fifo));
    let fair = with(r#"{ kind = "fair-queueing", buffer = "100 packets" }"#);
    assert!((share(&fair) - 1.0).abs() < 0.01, "{}", share(&fair));
    assert_eq!((fair.summary.timeouts, fifo.summary.timeouts), (0, 0));
}

#[test]
fn who_is_dropped_is_as_the_plan_says() {
    let with = |overflow: &str| {
        let queue = format!(
            r#"link.out.queue={{ kind = "fair-queueing", buffer = "20 packets", overflow = "{overflow}" }}"#
        );
        let outcome = outcome(SHARED, &[&queue], 1);
        let lost = |flow: &str| {
            let rows = outcome.tape.as_deref().unwrap().lines();
            rows.filter(|l| l.contains(&format!(",{flow},drop,")))
                .count()
        };
        let out = &outcome.document.report.links[4];
        let causes: Vec<_> = out.dropped.keys().copied().collect();
        assert_eq!(out.max_backlog, 20);
        (causes, lost("m"), lost("g"))
    };
    let (causes, modest, greedy) = with("arriving");
    assert_eq!(causes, ["overflow"]);
    assert!(modest > 0 && greedy > 0);
    for overflow in ["longest-queue", "longest-queue-head", "longest-queue-tail"] {
        let (causes, modest, greedy) = with(overflow);
        assert_eq!(causes, ["pushed-out"]);
        // With a window of half of the buffer it never has the longest queue when that overflows.
        assert!(modest == 0 && greedy > 0, "{overflow}: {modest} {greedy}");
    }
}
