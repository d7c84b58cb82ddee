//! Whole runs of sources that have a rate.

use dupack_lab::plan::Plan;
use dupack_lab::run::{Job, Outcome, run};
use dupack_sim::report::Report;
use std::sync::atomic::AtomicBool;

/// A path on which a packet of 1000 bytes takes 0.08 ms, then 0.8 ms.
const LONE: &str = r#"
duration = "12 s"
warm_up = "2 s"
host = [{ name = "source" }, { name = "sink" }]
switch = [{ name = "s" }]
link = [
    { name = "access", from = "source", to = "s", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "sink", carries = "packets", rate = "10 Mb/s", delay = "10 ms", queue = { kind = "drop-tail", buffer = "50 packets" } },
]
flow = [{ name = "a", from = "source", to = "sink", transport = { kind = "reno", mss = "960 B", max_window = "500 segments" } }]
"#;

fn outcome(text: &str, sets: &[&str]) -> Outcome {
    let sets: Vec<_> = sets.iter().map(|s| (*s).to_string()).collect();
    let plan = Plan::parse(text.as_bytes(), "test.toml", &sets)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let job = Job {
        network: plan.points[0].network.clone(),
        seed: 1,
        tape: true,
    };
    run(&job, &AtomicBool::new(false)).expect("the ledgers balance")
}

fn report(text: &str, sets: &[&str]) -> Report {
    outcome(text, sets).document.report
}

/// When flow `a` had one of these events \[s\].
fn times(outcome: &Outcome, events: &[&str]) -> Vec<f64> {
    let rows = outcome.tape.as_deref().expect("asked for").lines();
    let cells = rows.map(|row| row.split(',').collect::<Vec<_>>());
    cells
        .filter(|row| row[1] == "a" && events.contains(&row[2]))
        .map(|row| row[0].parse().expect("a time"))
        .collect()
}

fn least_gap(times: &[f64]) -> f64 {
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.fold(f64::INFINITY, f64::min)
}

const GREEDY: &str = r#"flow.a.traffic={ kind = "greedy", access_rate = "4 Mb/s" }"#;
const CBR: &str = r#"flow.a.traffic={ kind = "cbr", rate = "4 Mb/s" }"#;
const ONE_LOSS: &str = r#"link.out.loss={ kind = "script", flow = "a", segments = [2500] }"#;

#[test]
fn a_greedy_source_sends_at_its_access_rate_and_never_faster() {
    let free = report(LONE, &[]);
    assert!(free.flows[0].goodput_bps > 9e6 && free.flows[0].segments_retransmitted > 0);
    let lossless = report(LONE, &[GREEDY]);
    assert_eq!(lossless.flows[0].goodput_bps, 0.96 * 4e6);
    assert_eq!(lossless.links[2].max_backlog, 0);
    // Also when a loss is repaired; what is not sent meanwhile is not made up for.
    let lossy = outcome(LONE, &[GREEDY, ONE_LOSS]);
    let sent = times(&lossy, &["send", "retransmit"]);
    assert!((least_gap(&sent) - 2e-3).abs() < 1e-9);
    let flow = &lossy.document.report.flows[0];
    assert_eq!((flow.segments_retransmitted, flow.timeouts), (1, 0));
    assert!(flow.goodput_bps < 0.96 * 4e6);
}

#[test]
// It has a window of five segments per round trip of 22.96 ms, and sends them 2 ms apart.
fn a_window_that_is_smaller_than_the_rate_asks_for_decides() {
    let sets = [GREEDY, "flow.a.transport.max_window=5 segments"];
    let outcome = outcome(LONE, &sets);
    let round_trip = 22e-3 + 0.88e-3 + 40.0 * 8.0 / 100e6 + 40.0 * 8.0 / 10e6;
    let expected = 5.0 * 960.0 * 8.0 / round_trip;
    let goodput = outcome.document.report.flows[0].goodput_bps;
    assert!(
        (goodput / expected - 1.0).abs() < 1e-3,
        "{goodput} {expected}"
    );
    assert!((least_gap(&times(&outcome, &["send"])) - 2e-3).abs() < 1e-9);
}

#[test]
fn a_constant_rate_piles_up_behind_a_window_and_catches_up() {
    let lossy = outcome(LONE, &[CBR, ONE_LOSS]);
    assert!(least_gap(&times(&lossy, &["send"])) < 1e-9);
    let flow = &lossy.document.report.flows[0];
    assert_eq!((flow.segments_retransmitted, flow.timeouts), (1, 0));
    assert_eq!(flow.goodput_bps, 0.96 * 4e6);
}

#[test]
fn so_many_packets_at_a_rate_are_one_message() {
    let sets = [
        r#"flow.a.traffic={ kind = "cbr", rate = "4 Mb/s", packets = "501 packets" }"#,
        "warm_up=0 s",
    ];
    let flow = report(LONE, &sets).flows.remove(0);
    assert_eq!((flow.segments_delivered, flow.messages), (501, 1));
    // The last is born after 1 s and acknowledged a round trip later.
    let completed = flow.completed_s.expect("it ends");
    assert!((completed - 1.0229152).abs() < 1e-9, "{completed}");
    assert_eq!(flow.mean_message_s, Some(completed));
}
