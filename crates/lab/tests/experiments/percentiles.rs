//! Percentiles of delays in queues and of round trips: every unit that is transmitted is counted once, with the time that it waited, whatever
//! discipline holds it.

use crate::common;
use dupack_sim::report::{Link, Report};

fn report(text: &str, sets: &[&str], tape: bool) -> Report {
    common::outcome(text, sets, 1, tape).document.report
}

fn link<'r>(report: &'r Report, name: &str) -> &'r Link {
    let found = report.links.iter().find(|link| link.name == name);
    found.expect("a link of that name")
}

/// Three senders at one bottleneck, which is too slow for them.
const SHARED: &str = r#"
duration = "40 s"
percentiles = true
host = [{ name = "a", count = 3 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
    { name = "in", from = "a", to = "s", carries = "packets", rate = "20 Mb/s", delay = "1 ms" },
    { name = "out", from = "s", to = "b", carries = "packets", rate = "2 Mb/s", delay = "5 ms" },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "sack", max_window = "40 segments" } }]
"#;

#[test]
fn waits_add_up_to_the_backlog_whatever_the_discipline() {
    // Little's law holds exactly: the integral of the backlog is the sum of all waits. Percentiles leave out two kinds: waits that have not
    // ended, and waits of units that were dropped after they had joined.
    let packets = [
        r#"{ kind = "drop-tail", buffer = "30 packets" }"#,
        r#"{ kind = "drop-tail", buffer = "1000 packets" }"#,
        r#"{ kind = "red", buffer = "60 packets", min_th = "5 packets", max_th = "15 packets" }"#,
        r#"{ kind = "trim", buffer = "30 packets" }"#,
        r#"{ kind = "fair-queueing", buffer = "1000 packets" }"#,
        r#"{ kind = "triple-truncated", inner = { kind = "drop-tail", buffer = "30 packets" } }"#,
    ];
    let cells = [
        r#"{ kind = "plain", buffer = "300 cells" }"#,
        r#"{ kind = "bpd", buffer = "300 cells", lower = 0.4, upper = 0.9, gap = "5 packets" }"#,
        r#"{ kind = "fair-queueing", buffer = "9000 cells" }"#,
    ];
    let all = packets.map(|it| ("packets", it)).into_iter();
    for (carries, queue) in all.chain(cells.map(|it| ("cells", it))) {
        let text = SHARED.replace("\"packets\", rate", &format!("\"{carries}\", rate"));
        let report = report(&text, &[&format!("link.out.queue={queue}")], false);
        let out = link(&report, "out");
        let waits = out.queue_delay_s.expect("asked for");
        let begun = (out.sent + out.in_service) as f64;
        let (sum, area) = (waits.mean * begun, out.mean_backlog * 40.0);
        // This bounds the open waits: no unit has waited longer at the end than the longest wait measured.
        let open = out.waiting as f64 * waits.max;
        assert!(sum <= area * (1.0 + 1e-9), "{queue}: {sum} and {area}");
        assert!(
            area - sum <= open + 1e-9 * area,
            "{queue}: {sum}, {area} and {open}"
        );
        assert!(waits.p50 <= waits.p95 && waits.p95 <= waits.p99 && waits.p99 <= waits.max);
        assert!(out.max_backlog < 5 || waits.p50 > 0.0, "{queue}");
    }
}

#[test]
fn units_that_are_pushed_out_are_not_counted() {
    let text = SHARED.replace("\"packets\", rate", "\"cells\", rate");
    let queues = [
        r#"{ kind = "epd-push-out", buffer = "300 cells", max_packet = "13 cells" }"#,
        r#"{ kind = "abs-push-out", buffer = "300 cells", max_packet = "13 cells" }"#,
        r#"{ kind = "longest-queue-drop", buffer = "300 cells" }"#,
    ];
    for queue in queues {
        let set = format!("link.out.queue={queue}");
        let report = report(&text, &[&set], false);
        let out = link(&report, "out");
        let waits = out.queue_delay_s.expect("asked for");
        let sum = waits.mean * (out.sent + out.in_service) as f64;
        assert!(sum > 0.0 && sum < out.mean_backlog * 40.0, "{queue}");
    }
}

#[test]
fn an_unlimited_fifo_tells_the_same_as_one_that_is_never_full() {
    for (carries, queue, buffer) in [
        ("packets", "drop-tail", "9999 packets"),
        ("cells", "plain", "99999 cells"),
    ] {
        let text = SHARED.replace("\"packets\", rate", &format!("\"{carries}\", rate"));
        let set = format!("link.out.queue={{ kind = \"{queue}\", buffer = \"{buffer}\" }}");
        let (booked, served) = (report(&text, &[], false), report(&text, &[&set], false));
        let of = |report: &Report| link(report, "out").queue_delay_s.expect("asked for");
        let (booked, served) = (of(&booked), of(&served));
        for (one, other) in [
            (booked.mean, served.mean),
            (booked.p50, served.p50),
            (booked.p99, served.p99),
            (booked.max, served.max),
        ] {
            assert!(
                (one / other - 1.0).abs() < 1e-3,
                "{carries}: {booked:?} {served:?}"
            );
        }
    }
}

#[test]
fn a_burst_waits_as_long_as_those_before_it_take() {
    // 100 datagrams of 1,000 bytes arrive at once, and the line takes 1 ms for each: they wait 0, 1, ..., 99 ms.
    let text = r#"
duration = "10 s"
percentiles = true
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "l", from = "a", to = "b", carries = "packets", rate = "8 Mb/s", delay = "1 ms", queue = { kind = "drop-tail", buffer = "1000 packets" } }]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "udp", mss = "972 B", header = "28 B" }, traffic = { kind = "file", size = "97200 B" } }]
"#;
    let all = report(text, &[], false);
    let waits = link(&all, "l").queue_delay_s.expect("asked for");
    assert!((waits.mean - 0.0495).abs() < 1e-12, "{waits:?}");
    assert_eq!(waits.max, 0.099);
    for (found, want) in [(waits.p50, 0.049), (waits.p95, 0.094), (waits.p99, 0.098)] {
        assert!((found - want).abs() < 2e-4, "{waits:?}");
    }
    // After a warm-up of 39.5 ms, only units whose transmission begins later are counted.
    let late = report(text, &["warm_up=39.5 ms"], false);
    let waits = link(&late, "l").queue_delay_s.expect("asked for");
    assert!((waits.mean - 0.0695).abs() < 1e-12, "{waits:?}");
}

#[test]
fn round_trips_are_those_of_which_the_mean_is_told() {
    let sets = [
        "warm_up=10 s",
        r#"link.out.queue={ kind = "drop-tail", buffer = "50 packets" }"#,
    ];
    let report = report(SHARED, &sets, false);
    for flow in &report.flows {
        let trips = flow.rtt_s.expect("asked for");
        let mean = flow.mean_rtt_s.expect("acks came");
        assert!((trips.mean / mean - 1.0).abs() < 1e-9, "{trips:?} {mean}");
        // The longest queueing delay is that of 50 x 576 B at 2 Mb/s; an empty path takes about 15 ms.
        assert!(
            trips.max < 50.0 * 576.0 * 8.0 / 2e6 + 0.02 && trips.p50 > 0.015,
            "{trips:?}"
        );
    }
}

#[test]
fn nothing_is_told_unasked_and_asking_changes_nothing_else() {
    let text = SHARED.replace("percentiles = true\n", "");
    let set = r#"link.out.queue={ kind = "red", buffer = "60 packets", min_th = "5 packets", max_th = "15 packets" }"#;
    let told = |report: &Report| serde_json::to_string(report).expect("a document");
    let without = report(&text, &[set], false);
    assert!(!told(&without).contains("queue_delay_s") && !told(&without).contains("\"rtt_s\""));
    let mut with = report(SHARED, &[set], false);
    assert_eq!(
        told(&with),
        told(&report(SHARED, &[set], true)),
        "a tape changes nothing"
    );
    with.links
        .iter_mut()
        .for_each(|link| link.queue_delay_s = None);
    with.flows.iter_mut().for_each(|flow| flow.rtt_s = None);
    assert_eq!(told(&with), told(&without));
}
