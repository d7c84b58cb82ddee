//! Time series of the state variables of disciplines, and of the states of senders.

use crate::common;
use dupack_core::declare::Declared;
use dupack_core::queue::QueueParams;
use std::sync::atomic::AtomicBool;

/// Ten TCPs over 10 Mb/s.
const SAMPLED: &str = r#"
duration = "20 s"
sample = "100 ms"
topology = { kind = "dumbbell", senders = 10, carries = "packets", access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "8 ms", queue = QUEUE } }
flow = [{ name = "f", from = "source", to = "sink", transport = { kind = "sack", mss = "1448 B", header = "52 B", max_window = "1 MiB", tick = "10 ms", ecn = true } }]
"#;

/// Queues, and the names and units of what they follow.
const QUEUES: &[(&str, &[&str])] = &[
    (
        r#"{ kind = "red", buffer = "100 packets", adaptive = true, ecn = true }"#,
        &["average packets", "max_p probability"],
    ),
    (
        r#"{ kind = "red", buffer = "100 packets", mode = "bytes" }"#,
        &["average bytes"],
    ),
    (r#"{ kind = "codel" }"#, &["count drops and marks"]),
    (
        r#"{ kind = "cobalt" }"#,
        &["count drops and marks", "p_drop probability"],
    ),
    (r#"{ kind = "pie" }"#, &["drop_prob probability"]),
    (
        r#"{ kind = "choke", buffer = "100 packets" }"#,
        &["average packets"],
    ),
    (
        r#"{ kind = "fred", buffer = "100 packets" }"#,
        &["average packets"],
    ),
    (
        r#"{ kind = "afd", buffer = "100 packets" }"#,
        &["m_fair packets"],
    ),
    (r#"{ kind = "dualpi2" }"#, &["base_probability probability"]),
    (
        r#"{ kind = "queue-protection" }"#,
        &[
            "base_probability probability",
            "redirected packets",
            "score ms",
        ],
    ),
    (
        r#"{ kind = "fq-codel" }"#,
        &["count drops and marks", "queues queues"],
    ),
    (
        r#"{ kind = "fq-pie" }"#,
        &["drop_prob probability", "queues queues"],
    ),
    (
        r#"{ kind = "cake" }"#,
        &[
            "count drops and marks",
            "p_drop probability",
            "queues queues",
        ],
    ),
    (
        r#"{ kind = "flow-queueing", inner = { kind = "red", buffer = "100 packets" } }"#,
        &["average packets", "queues queues"],
    ),
    (r#"{ kind = "sfq" }"#, &["longest packets", "queues queues"]),
    (
        r#"{ kind = "policer", buffer = "100 packets", rate = "8 Mb/s" }"#,
        &["tokens bytes"],
    ),
    (
        r#"{ kind = "bpd", buffer = "100 packets" }"#,
        &["spared flows"],
    ),
    (
        r#"{ kind = "token-bucket", buffer = "100 packets", rate = "8 Mb/s", inner = { kind = "pie" } }"#,
        &["drop_prob probability", "tokens bytes"],
    ),
    (
        r#"{ kind = "triple-buffering", inner = { kind = "red", buffer = "100 packets" } }"#,
        &["average packets"],
    ),
    (
        r#"{ kind = "triple-truncated", inner = { kind = "red", buffer = "100 packets" } }"#,
        &["average packets"],
    ),
    (
        r#"{ kind = "drr", buffer = "100 packets" }"#,
        &["longest packets", "queues queues"],
    ),
    (r#"{ kind = "drop-tail", buffer = "100 packets" }"#, &[]),
];

#[test]
fn samples_have_what_disciplines_follow() {
    for (queue, gauges) in QUEUES {
        let series = common::report(&SAMPLED.replace("QUEUE", queue), &[])
            .series
            .expect("it was asked for");
        let names: Vec<_> = (series.gauge_units.iter())
            .map(|(name, unit)| format!("{name} {unit}"))
            .collect();
        let wanted: Vec<_> = gauges.iter().map(|it| format!("bottleneck.{it}")).collect();
        assert_eq!(names, wanted, "{queue}");
        for (name, values) in &series.gauges {
            assert_eq!(values.len(), series.time_s.len(), "{queue}");
            // Blue only acts when the buffer overflows, and scores and redirections are of flows of the L queue.
            let own = ["p_drop", "score", "redirected"];
            let rests = own.iter().any(|it| name.ends_with(it));
            let moves = values.iter().any(|it| *it != values[0]) || rests;
            assert!(
                moves && values.iter().all(|it| it.is_finite()),
                "{queue}: {name} {values:?}"
            );
        }
    }
    // An average backlog is near the mean of the samples.
    let red = r#"{ kind = "red", buffer = "100 packets", weight = 0.01 }"#;
    let series = common::report(&SAMPLED.replace("QUEUE", red), &[])
        .series
        .expect("it was asked for");
    let late = |values: &[f64]| values[50..].iter().sum::<f64>() / values[50..].len() as f64;
    let backlog: Vec<f64> = series.backlog["bottleneck"]
        .iter()
        .map(|it| *it as f64)
        .collect();
    let (average, mean) = (late(&series.gauges["bottleneck.average"]), late(&backlog));
    assert!((average / mean - 1.0).abs() < 0.2, "{average} {mean}");
}

#[test]
fn disciplines_of_classes_report_their_gauges_by_class() {
    for kind in ["wfq", "strict-priority"] {
        let queue = format!(
            r#"{{ kind = "{kind}", buffer = "100 packets", inner = {{ kind = "codel" }} }}"#
        );
        let series = common::report(&SAMPLED.replace("QUEUE", &queue), &[])
            .series
            .expect("it was asked for");
        let classes = ["background", "best-effort", "video", "voice"];
        let wanted: Vec<String> = classes
            .iter()
            .flat_map(|class| ["backlog", "count"].map(|it| format!("bottleneck.{class}.{it}")))
            .collect();
        let names: Vec<_> = series.gauges.keys().cloned().collect();
        assert_eq!(names, wanted, "{kind}");
        for (name, values) in &series.gauges {
            assert_eq!(values.len(), series.time_s.len(), "{kind}: {name}");
            let moves = values.iter().any(|it| *it > 0.0);
            assert_eq!(moves, name.contains("best-effort"), "{kind}: {name}");
            let unit = if name.ends_with("backlog") {
                "packets"
            } else {
                "drops and marks"
            };
            assert_eq!(series.gauge_units[name], unit);
        }
    }
}

#[test]
fn links_of_cells_in_paths_of_packets_report_their_gauges() {
    let path = r#"
duration = "5 s"
sample = "100 ms"
host = [{ name = "a" }, { name = "b" }]
edge = [{ name = "in" }, { name = "out" }]
link = [
    { name = "access", from = "a", to = "in", carries = "packets", rate = "100 Mb/s", delay = "1 ms", queue = { kind = "red", buffer = "50 packets", weight = 0.5 } },
    { name = "line", from = "in", to = "out", carries = "cells", rate = "2 Mb/s", delay = "1 ms", queue = { kind = "plain", buffer = "500 cells" } },
    { name = "exit", from = "out", to = "b", carries = "packets", rate = "100 Mb/s", delay = "1 ms" },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "sack", mss = "1448 B", tick = "10 ms" } }]
"#;
    let mut network = (*common::network(path, &[])).clone();
    // No discipline that plans allow on cells has gauges, so one for packets stands in.
    let red = Declared::from_texts(&[
        ("buffer", "500 cells"),
        ("max_th", "400 packets"),
        ("weight", "0.5"),
    ]);
    let line = network.links.iter_mut().find(|it| it.name == "line");
    line.expect("the line of cells").queue = Some(QueueParams::Red(red));
    let report = dupack_sim::measure(&network, 1, &AtomicBool::new(false)).expect("a run");
    let series = report.series.expect("it was asked for");
    let names: Vec<_> = series.gauges.keys().map(String::as_str).collect();
    assert_eq!(names, ["access.average", "line.average"]);
    let backlog = series.backlog["line"].iter().map(|it| *it as f64);
    let most = backlog.fold(0.0, f64::max);
    let average = series.gauges["line.average"].iter().copied();
    let average = average.fold(0.0, f64::max);
    assert!(most > 100.0 && average > most / 2.0, "{average} {most}");
}

/// One TCP over a long line with a large buffer.
const ALONE: &str = r#"
duration = "30 s"
sample = "10 ms"
topology = { kind = "dumbbell", senders = 1, carries = "packets", access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "48 ms", queue = { kind = "drop-tail", buffer = "200 packets" } } }
flow = [{ name = "f", from = "source", to = "sink", transport = { kind = "KIND", mss = "1448 B", header = "52 B", max_window = "4 MiB", tick = "1 ms" } }]
"#;

#[test]
fn samples_have_the_states_of_senders_in_their_order() {
    let cases = [
        (
            "reno",
            "standard",
            &[
                "slow-start",
                "recovery",
                "congestion-avoidance",
                "slow-start",
            ][..],
            false,
        ),
        (
            "sack",
            "hystart++",
            &[
                "slow-start",
                "conservative-slow-start",
                "recovery",
                "congestion-avoidance",
            ],
            false,
        ),
        (
            "quic-cubic",
            "standard",
            &["slow-start", "recovery", "congestion-avoidance", "recovery"],
            true,
        ),
        (
            "bbr1",
            "standard",
            &["startup", "drain", "probe-bw", "probe-rtt", "probe-bw"],
            true,
        ),
        (
            "bbr3",
            "standard",
            &[
                "startup",
                "drain",
                "probe-bw-cruise",
                "probe-bw-refill",
                "probe-bw-up",
            ],
            true,
        ),
        ("static-window", "standard", &["constant"], false),
    ];
    for (kind, slow_start, wanted, paced) in cases {
        let set = format!("flow.f.transport.slow_start={slow_start}");
        let sets = if slow_start == "standard" {
            &[][..]
        } else {
            &[set.as_str()]
        };
        let series = common::report(&ALONE.replace("KIND", kind), sets)
            .series
            .expect("it was asked for");
        let states = &series.state["f-0"];
        assert_eq!(states.len(), series.time_s.len());
        let mut order = states.clone();
        order.dedup();
        assert_eq!(
            &order[..wanted.len().min(order.len())],
            wanted,
            "{kind}: {order:?}"
        );
        let rates = series.pacing_bps.get("f-0");
        assert_eq!(rates.is_some(), paced, "{kind}");
        if let Some(rates) = rates {
            assert_eq!(rates.len(), series.time_s.len());
            // A sender that fills the line is paced at about its rate.
            let late = rates[rates.len() / 2..].iter().flatten();
            let mean = late.clone().sum::<f64>() / late.count() as f64;
            assert!((0.8..1.5).contains(&(mean / 1e7)), "{kind}: {mean}");
        }
    }
}
