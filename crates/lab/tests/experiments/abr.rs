//! ABR: sources that pace cells, RM cells in the network, the answers of markers, and the report.

use crate::common;
use dupack_sim::report::{Link, Report};

/// Three senders, a line of 10,000 cells/s between two switches; what is said of flow and line follows.
const PLAN: &str = r#"
duration = "20 s"
warm_up = "5 s"
host = [{ name = "source", count = 3 }, { name = "sink", count = 3 }]
switch = [{ name = "s" }, { name = "t" }]
link = [
    { name = "access", from = "source", to = "s", carries = "cells", rate = "10000 cells/s", delay = "1 ms" },
    { name = "line", from = "s", to = "t", carries = "cells", rate = "10000 cells/s", delay = "2 ms", LINE },
    { name = "exit", from = "t", to = "sink", carries = "cells", rate = "10000 cells/s", delay = "1 ms" },
]
flow = [{ name = "f", from = "source", to = "sink", FLOW, transport = { kind = "tahoe", mss = "2000 B", tick = "10 ms", max_window = "30 segments" } }]
"#;

const EPRCA: &str =
    r#"marker = { kind = "eprca", congested = "40 cells", very_congested = "80 cells" }"#;
const ROOM: &str = r#"queue = { kind = "plain", buffer = "5000 cells" }"#;
/// 2000 B and 40 B of header and the trailer are 43 cells.
const CELLS: f64 = 43.0;

fn run(line: &str, flow: &str, sets: &[&str]) -> Report {
    common::report(&PLAN.replace("LINE", line).replace("FLOW", flow), sets)
}

fn link<'r>(report: &'r Report, name: &str) -> &'r Link {
    report
        .links
        .iter()
        .find(|link| link.name == name)
        .expect(name)
}

fn law(report: &Report) {
    for it in &report.links {
        let dropped: u64 = it.dropped.values().sum();
        let fates = it.sent + dropped + it.waiting + it.in_service;
        assert_eq!(it.offered + it.minted, fates, "{}", it.name);
    }
}

#[test]
fn without_losses_the_line_is_full_of_data_but_for_one_cell_in_32() {
    let report = run(&format!("{ROOM}, {EPRCA}"), "abr = { icr = 0.05 }", &[]);
    law(&report);
    let line = link(&report, "line");
    assert!(line.dropped.is_empty());
    assert!(line.utilization > 0.999, "{}", line.utilization);
    assert!(line.empty_fraction < 0.001);
    let ceiling = 10_000.0 * 31.0 / 32.0 / CELLS * 2000.0 * 8.0;
    let share = report.summary.goodput_bps / ceiling;
    // Per flow, the number of waiting packets may change by one.
    assert!((0.99..1.003).contains(&share), "{share}");
    // The fraction refers to the capacity for data, not to that for all cells.
    assert!((report.summary.goodput_fraction - share).abs() < 1e-12);
    assert!(report.summary.jain > Some(0.99));
    for flow in &report.flows {
        let abr = flow.abr.as_ref().expect("it has ABR");
        // A window of 30 segments is more than the path holds, so the rate is the limit.
        assert!(abr.rate_based_fraction > 0.999);
        assert_eq!(abr.rate_based_fraction + abr.window_based_fraction, 1.0);
        assert!(abr.mean_backlog > 500.0 && abr.max_backlog <= 30 * 43);
        // They are equal, except for a part of a cell at either end of the measured time.
        let unused = abr.unused_acr_bps / abr.mean_acr_bps;
        assert!(unused.abs() < 1e-4, "{unused}");
        // Each flow has a third of the line; one cell in 32 is an RM cell, counted both ways.
        let third = 10_000.0 * 15.0 / 32.0 / 3.0;
        assert!(
            (abr.forward_rm as f64 / third - 1.0).abs() < 0.05,
            "{}",
            abr.forward_rm
        );
        assert!(abr.forward_rm.abs_diff(abr.backward_rm) < 10);
    }
}

#[test]
fn losses_of_rm_cells_are_in_the_ledger_and_early_discard_is_of_packets_alone() {
    // All disciplines together: a run has few RM cells, of which none may be lost, and in one it may be that no packet arrives whole.
    let (mut all, mut goodput) = ((0, 0), 0.0);
    for queue in [
        r#"kind = "plain""#,
        r#"kind = "ppd""#,
        r#"kind = "epd", threshold = 0.5"#,
        r#"kind = "bpd", lower = 0.3, upper = 0.7, gap = "5 packets""#,
        r#"kind = "fair-queueing""#,
        r#"kind = "longest-queue-drop""#,
        r#"kind = "weighted-round-robin""#,
    ] {
        // No marker slows the sources down, so cells are lost.
        let line = format!(r#"queue = {{ {queue}, buffer = "60 cells" }}"#);
        let report = run(&line, "abr = {}", &[]);
        law(&report);
        let line = link(&report, "line");
        let dropped: u64 = line.dropped.values().sum();
        assert!(dropped > 100, "{queue}: {dropped}");
        let sum = |of: fn(&dupack_sim::report::Abr) -> u64| -> u64 {
            report
                .flows
                .iter()
                .filter_map(|f| f.abr.as_ref())
                .map(of)
                .sum()
        };
        let (there, back) = (sum(|it| it.forward_rm), sum(|it| it.backward_rm));
        assert!(
            there >= back,
            "{queue}: {there} RM cells went, {back} came back"
        );
        all = (all.0 + there, all.1 + back);
        goodput += report.summary.goodput_bps;
    }
    assert!(all.0 > all.1 && goodput > 0.0, "{all:?} {goodput}");
}

#[test]
fn an_rm_cell_is_as_good_as_data_in_a_buffer_that_is_closed_to_packets() {
    // The window is far larger than the buffer, so EPD rejects packets most of the time; yet all RM cells get through.
    let report = run(
        r#"queue = { kind = "epd", buffer = "1000 cells", threshold = 0.05 }"#,
        "abr = {}",
        &[],
    );
    let line = link(&report, "line");
    assert!(line.dropped["early"] > 100 && !line.dropped.contains_key("overflow"));
    for flow in &report.flows {
        let abr = flow.abr.as_ref().expect("it has ABR");
        assert!(abr.forward_rm.abs_diff(abr.backward_rm) < 10);
    }
}

#[test]
fn without_a_marker_a_source_rises_to_its_peak() {
    let sets = [
        "sample=1 ms",
        "warm_up=0 s",
        "duration=2 s",
        "host.source.count=1",
        "host.sink.count=1",
    ];
    let report = run(
        ROOM,
        r#"abr = { pcr = "8000 cells/s", icr = "1000 cells/s", rif = 0.25 }"#,
        &sets,
    );
    let series = report.series.expect("it was asked for");
    let steps = &mut series.acr_bps["f-0"].clone();
    steps.dedup();
    let cells: Vec<f64> = steps.iter().map(|bps| bps / 424.0).collect();
    assert_eq!(cells, [1000.0, 3000.0, 5000.0, 7000.0, 8000.0]);
    assert_eq!(series.source_backlog["f-0"].len(), series.time_s.len());
}

#[test]
fn a_source_is_no_faster_than_its_acr() {
    // The minimum rate is above what the marker would allow, and the peak rate is below the line's.
    let flow = r#"abr = { pcr = "3000 cells/s", mcr = "2500 cells/s", icr = 1 }"#;
    let report = run(&format!("{ROOM}, {EPRCA}"), flow, &["sample=10 ms"]);
    let series = report.series.as_ref().expect("it was asked for");
    for acr in series.acr_bps.values().flatten() {
        assert!((2500.0 * 424.0..=3000.0 * 424.0).contains(acr), "{acr}");
    }
    let line = link(&report, "line");
    assert!(
        (0.75..0.91).contains(&line.utilization),
        "{}",
        line.utilization
    );
    assert!((line.empty_fraction + line.utilization - 1.0).abs() < 1e-12);
    assert!(line.empty_periods > 1000);
}

#[test]
fn acks_may_be_paced_as_well() {
    let acks = |word: &str| {
        let flow = format!(r#"abr = {{ icr = 0.05, acks = "{word}" }}"#);
        let report = run(&format!("{ROOM}, {EPRCA}"), &flow, &[]);
        law(&report);
        report
    };
    let (plain, paced) = (acks("plain"), acks("abr"));
    let turned = |report: &Report| report.flows[0].abr.as_ref().map(|abr| abr.backward_rm);
    assert!(turned(&plain).is_some() && turned(&paced).is_some());
    // Paced acks have RM cells of their own, which the other end turns around: more cells pass in both directions.
    let back = |report: &Report| link(report, "line.back").offered;
    assert!(
        back(&paced) > back(&plain) + 100,
        "{} {}",
        back(&paced),
        back(&plain)
    );
    let ratio = paced.summary.goodput_bps / plain.summary.goodput_bps;
    assert!((0.9..1.01).contains(&ratio), "{ratio}");
}

#[test]
fn flows_with_and_without_share_lines_and_runs_repeat() {
    let flow = |abr: &str| {
        format!(
            r#"abr = {{ icr = 0.05 }} }}, {{ name = "g", from = "source", to = "sink", abr = {abr}"#
        )
    };
    let sets = [
        "flow.g.traffic.kind=cbr",
        "flow.g.traffic.rate=500 kb/s",
        "flow.g.transport.kind=udp",
    ];
    let both = || run(&format!("{ROOM}, {EPRCA}"), &flow("\"none\""), &sets);
    let report = both();
    law(&report);
    let (abr, plain) = report.flows.split_at(3);
    assert!(abr.iter().all(|it| it.abr.is_some()) && plain.iter().all(|it| it.abr.is_none()));
    let json = |report: &Report| serde_json::to_string(report).expect("numbers");
    assert_eq!(json(&report), json(&both()));
    assert!(!json(&run(ROOM, "start = \"0 s\"", &[])).contains("acr"));
}
