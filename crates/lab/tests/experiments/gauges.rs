//! Time series of the state variables of disciplines.

use crate::common;

/// Ten TCPs over 10 Mb/s.
const SAMPLED: &str = r#"
duration = "20 s"
sample = "100 ms"
topology = { kind = "dumbbell", senders = 10, carries = "packets", access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "10 Mb/s", delay = "8 ms", queue = QUEUE } }
flow = [{ name = "f", from = "source", to = "sink", transport = { kind = "sack", mss = "1448 B", header = "52 B", max_window = "1 MiB", tick = "10 ms", ecn = true } }]
"#;

#[test]
fn samples_have_what_disciplines_follow() {
    let queues = [
        (
            r#"{ kind = "red", buffer = "100 packets", adaptive = true, ecn = true }"#,
            &["average", "max_p"][..],
        ),
        (r#"{ kind = "codel" }"#, &["count"]),
        (r#"{ kind = "cobalt" }"#, &["count", "p_drop"]),
        (r#"{ kind = "pie" }"#, &["drop_prob"]),
        (
            r#"{ kind = "choke", buffer = "100 packets" }"#,
            &["average"],
        ),
        (r#"{ kind = "fred", buffer = "100 packets" }"#, &["average"]),
        (r#"{ kind = "afd", buffer = "100 packets" }"#, &["m_fair"]),
        (r#"{ kind = "dualpi2" }"#, &["base_probability"]),
        (r#"{ kind = "queue-protection" }"#, &["base_probability"]),
        (
            r#"{ kind = "token-bucket", buffer = "100 packets", rate = "8 Mb/s", inner = { kind = "pie" } }"#,
            &["drop_prob"],
        ),
        (r#"{ kind = "drop-tail", buffer = "100 packets" }"#, &[]),
    ];
    for (queue, gauges) in queues {
        let series = common::report(&SAMPLED.replace("QUEUE", queue), &[])
            .series
            .expect("it was asked for");
        let names: Vec<_> = series.gauges.keys().cloned().collect();
        let wanted: Vec<_> = gauges.iter().map(|it| format!("bottleneck.{it}")).collect();
        assert_eq!(names, wanted, "{queue}");
        for (name, values) in &series.gauges {
            assert_eq!(values.len(), series.time_s.len(), "{queue}");
            // Blue only acts when the buffer overflows.
            let moves = values.iter().any(|it| *it != values[0]) || name.ends_with("p_drop");
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
