//! Whole runs over links with schedules: how much they carry, when it arrives, and what reports and forecasts say of it.

use crate::common::{mistakes, outcome, plan, read};
use dupack_lab::forecast::{forecast, notes};
use dupack_lab::run::Outcome;

/// Datagrams of 1000 bytes, more than the link carries. A cell line needs 22 cells for each.
const SATURATED: &str = r#"
duration = "10 s"
host = [{ name = "a" }, { name = "b" }]
[[link]]
name = "l"
from = "a"
to = "b"
carries = "packets"
rate = "8 Mb/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
traffic = { kind = "cbr", rate = "40 Mb/s" }
transport = { kind = "udp", mss = "960 B", header = "40 B" }
"#;

/// Rates, an outage and other rates, in megabits: 8 for 2 s, 2 for 1 s, none for 2 s, 2 for 1 s, and 16 for 4 s.
const STEPS: &str = r#"[{ at = "2 s", rate = "2 Mb/s" }, { at = "3 s", up = false }, { at = "5 s", up = true }, { at = "6 s", rate = "16 Mb/s" }]"#;
const MEGABITS: f64 = 2.0 * 8.0 + 2.0 + 2.0 + 4.0 * 16.0;

const QUEUES: [&str; 3] = [
    "[]",
    r#"link.l.queue={ kind = "drop-tail", buffer = "50 packets" }"#,
    r#"link.l.queue={ kind = "fair-queueing", buffer = "50 packets" }"#,
];

#[test]
fn a_saturated_link_carries_the_integral_of_its_rate() {
    for queue in QUEUES {
        let mut sets = vec![queue];
        sets.retain(|it| *it != "[]");
        let steps = format!("link.l.schedule={STEPS}");
        sets.push(&steps);
        let report = outcome(SATURATED, &sets, 1, true).document.report;
        let link = &report.links[0];
        // Within the packet that is in transmission at the end.
        let packets = MEGABITS * 1e6 / 8000.0;
        assert!(
            (link.sent as f64 - packets).abs() <= 1.0,
            "{queue}: {link:?}"
        );
        assert!((link.utilization - 1.0).abs() < 1e-3, "{link:?}");
        assert!((link.goodput_fraction - 1.0).abs() < 0.01, "{link:?}");
        // From 3 s on, the link can send 4 s x 16 Mb and 1 s x 2 Mb.
        let sets = [&sets[..], &["warm_up=3 s"]].concat();
        let report = outcome(SATURATED, &sets, 1, true).document.report;
        let link = &report.links[0];
        assert!(
            (link.measured.sent as f64 - 66e6 / 8000.0).abs() <= 2.0,
            "{link:?}"
        );
        assert!((link.utilization - 1.0).abs() < 1e-3, "{link:?}");
        assert!((link.goodput_fraction - 1.0).abs() < 0.01, "{link:?}");
    }
}

#[test]
fn cells_have_schedules_too() {
    let cells = "link.l.carries=cells";
    let queue = r#"link.l.queue={ kind = "epd", buffer = "500 cells", threshold = 0.8 }"#;
    for sets in [&[cells][..], &[cells, queue]] {
        let steps = format!("link.l.schedule={STEPS}");
        let report = outcome(SATURATED, &[sets, &[&steps]].concat(), 1, true)
            .document
            .report;
        let sent = report.links[0].sent as f64;
        assert!((sent - MEGABITS * 1e6 / 424.0).abs() <= 1.0, "{sent}");
    }
    // A shorter delay in the middle of a packet: its cells stay in order, and nothing is lost.
    let shorter = r#"link.l.schedule={ steps = [{ at = "1 ms", delay = "1 ms" }, { at = "31 ms", delay = "80 ms" }], every = "40 ms" }"#;
    let slow = "flow.f.traffic.rate=4 Mb/s";
    let report = outcome(SATURATED, &[cells, slow, shorter], 1, true)
        .document
        .report;
    let link = &report.links[0];
    assert!(link.dropped.is_empty() && link.dead_units == 0, "{link:?}");
    assert!(report.flows[0].segments_delivered > 4900);
}

/// When each segment is delivered \[s\].
fn deliveries(outcome: &Outcome) -> Vec<(u64, f64)> {
    let rows = outcome.tape.as_deref().unwrap_or_default().lines();
    let rows = rows.filter(|row| row.contains(",deliver,"));
    rows.map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        (
            fields[3].parse().expect("a segment"),
            fields[0].parse().expect("a time"),
        )
    })
    .collect()
}

#[test]
fn a_change_of_delay_moves_arrivals() {
    let slow = ["flow.f.traffic.rate=100 kb/s", "duration=2 s"];
    let plain = deliveries(&outcome(SATURATED, &slow, 1, true));
    let steps =
        r#"link.l.schedule=[{ at = "0.5 s", delay = "60 ms" }, { at = "1.5 s", delay = "10 ms" }]"#;
    let moved = deliveries(&outcome(
        SATURATED,
        &[&slow[..], &[steps]].concat(),
        1,
        true,
    ));
    assert!(plain.len() > 20 && moved.len().abs_diff(plain.len()) <= 1);
    for ((number, before), (other, after)) in plain.iter().zip(&moved) {
        assert_eq!(number, other, "in order");
        // A packet leaves 10 ms before it arrives without the schedule. None arrives before those that were sent earlier.
        let left = before - 0.01;
        let later = if (0.5..1.5).contains(&left) {
            0.05
        } else {
            0.0
        };
        let last = moved[..*number as usize].last().map_or(0.0, |it| it.1);
        let want = f64::max(before + later, last);
        assert!((after - want).abs() < 1e-9, "{number}: {after}, not {want}");
    }
}

/// A transfer over a link with a buffer.
const TRANSFER: &str = r#"
duration = "20 s"
host = [{ name = "a" }, { name = "b" }]
[[link]]
name = "l"
from = "a"
to = "b"
carries = "packets"
rate = "8 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "60 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "newreno", mss = "960 B", min_rto = "200 ms", tick = "10 ms" }
"#;

#[test]
fn during_an_outage_nothing_is_delivered_and_what_is_in_flight_arrives() {
    let outage = [
        r#"link.l.schedule=[{ at = "5 s", up = false }, { at = "7 s", up = true }]"#,
        "link.l.back_schedule=as there",
    ];
    let it = outcome(TRANSFER, &outage, 1, true);
    let at: Vec<f64> = deliveries(&it).iter().map(|it| it.1).collect();
    let during = |from: f64, to: f64| at.iter().filter(|at| (from..to).contains(*at)).count();
    // 1000 bytes a millisecond; what left before 5 s arrives until 5.02 s.
    assert!(
        during(5.0, 5.0201) >= 18 && during(5.0201, 7.0) == 0,
        "{}",
        during(5.0, 5.0201)
    );
    assert!(during(7.02, 7.1) > 0);
    let flow = &it.document.report.flows[0];
    assert!(flow.timeouts >= 1, "{flow:?}");
    // Two seconds of twenty are lost to the outage, and more to the recovery.
    assert!(
        (0.5..0.9).contains(&(flow.goodput_bps / 7.68e6)),
        "{flow:?}"
    );
    let [there, back] = &it.document.report.links[..] else {
        panic!("two ways")
    };
    assert!(there.max_backlog <= 60 && back.dropped.is_empty());
}

#[test]
fn acks_without_bits_wait_for_the_end_of_an_outage() {
    // Their transmission takes no time, so that the work of the line is done before the outage.
    let sets = [
        "flow.f.transport.header=0 B",
        r#"link.l.back_schedule=[{ at = "5 s", up = false }, { at = "7 s", up = true }]"#,
    ];
    let it = outcome(TRANSFER, &sets, 1, true);
    let tape = it.tape.as_deref().expect("a tape");
    let acks = tape.lines().filter(|line| line.contains(",ack,"));
    let at: Vec<f64> = (acks.filter_map(|line| line.split(',').next()?.parse().ok())).collect();
    let during = at.iter().filter(|at| (5.0201..7.0).contains(*at)).count();
    let after = at.iter().filter(|at| (7.0..7.1).contains(*at)).count();
    assert!(during == 0 && after > 0, "{during}, {after}");
    let back = &it.document.report.links[1];
    assert!(back.mean_backlog < 60.0, "{back:?}");
}

#[test]
fn schedules_are_repeated_and_come_from_files() {
    let steps = |every: &str| {
        format!(
            r#"link.l.schedule={{ steps = [{{ at = "1 s", rate = "2 Mb/s" }}, {{ at = "1.5 s", rate = "8 Mb/s" }}]{every} }}"#
        )
    };
    let sent =
        |sets: &[&str]| outcome(SATURATED, sets, 1, true).document.report.links[0].sent as f64;
    assert!((sent(&[&steps("")]) - (80e6 - 3e6) / 8000.0).abs() <= 1.0);
    assert!((sent(&[&steps(", every = \"2 s\"")]) - (80e6 - 15e6) / 8000.0).abs() <= 1.0);
    // The same steps are the same experiment, from wherever they are.
    let key = |schedule: &str| {
        let set = format!("link.l.schedule={schedule}");
        plan(SATURATED, &[&set]).points[0].key.clone()
    };
    let list = r#"[{ at = "2 ms", rate = "0.3 Mb/s" }, { at = "5 ms", delay = "30 ms" }, { at = "9 ms", up = false }, { at = "20 ms", rate = "3 Mb/s", delay = "1 ms", loss = 0.02, up = true }]"#;
    assert_eq!(key(list), key(r#"{ file = "steps.csv" }"#));
    assert_ne!(key(list), key(r#"{ file = "steps.csv", every = "1 s" }"#));
    assert_ne!(key(list), key(&list.replace("30 ms", "31 ms")));
}

#[test]
fn losses_have_the_rates_of_the_steps() {
    let steps = r#"link.l.schedule=[{ at = "2 s", loss = 0.1 }, { at = "6 s", loss = 0.5 }]"#;
    let first = r#"link.l.loss={ kind = "bernoulli", rate = 0.02 }"#;
    for (sets, rates) in [
        (&[steps][..], [0.0, 0.1, 0.5]),
        (&[steps, first], [0.02, 0.1, 0.5]),
    ] {
        let link = &outcome(SATURATED, sets, 1, true).document.report.links[0];
        let lost = link.dropped.get("random").copied().unwrap_or(0) as f64;
        let packets = [2000.0, 4000.0, 4000.0];
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            packets
                .iter()
                .zip(rates)
                .map(|(n, rate)| n * of(rate))
                .sum()
        };
        let error = sum(&|rate| rate * (1.0 - rate)).sqrt();
        assert!((lost - sum(&|rate| rate)).abs() < 4.0 * error, "{lost}");
    }
}

#[test]
fn forecasts_have_the_means_of_the_measured_time() {
    let sets = [
        &format!("link.l.schedule={STEPS}"),
        "warm_up=3 s",
        r#"link.l.back_schedule=[{ at = "4.4 s", delay = "60 ms" }]"#,
        r#"link.l.queue={ kind = "drop-tail", buffer = "50 packets" }"#,
    ];
    let plan = plan(SATURATED, &sets);
    let point = &plan.points[0];
    let told = forecast(&point.network, &point.key);
    assert_eq!(told.links[0].rate_bps, 66_000_000 / 7);
    assert_eq!(told.flows[0].bottleneck_bps, 66_000_000 / 7);
    // 10 ms for 1.4 s of the measured 7, and 60 ms for the rest.
    assert!((told.links[1].delay_s - 0.05).abs() < 1e-12);
    let note = "link.l.schedule (and 1 more): the rates and delays above are means over the measured time.";
    assert_eq!(notes(&plan.points), [(note.to_string(), 1, 0)]);
}

#[test]
fn a_step_has_a_path() {
    let steps = format!("link.l.schedule={STEPS}");
    let sent = |sets: &[&str]| {
        outcome(SATURATED, &[&[&*steps], sets].concat(), 1, true)
            .document
            .report
            .links[0]
            .sent as f64
    };
    assert!(
        (sent(&["link.l.schedule.0.rate=4 Mb/s"]) - (MEGABITS + 4.0) * 1e6 / 8000.0).abs() <= 1.0
    );
    assert!((sent(&["link.l.schedule.*.up=true"]) - (MEGABITS + 4.0) * 1e6 / 8000.0).abs() <= 1.0);
    let written = SATURATED.replace("[[flow]]", &format!("schedule = {STEPS}\n[[flow]]"));
    let sweep = "[sweep]\n\"link.l.schedule.3.rate\" = [\"8 Mb/s\", \"16 Mb/s\"]";
    let swept = plan(&format!("{written}\n{sweep}\n"), &[]);
    assert_eq!(swept.points.len(), 2);
    assert_ne!(swept.points[0].key, swept.points[1].key);
    for (set, want) in [
        (
            "link.l.schedule.4.rate=1 Mb/s",
            "link.l.schedule has the places 0 to 3; write one such as link.l.schedule.0",
        ),
        (
            "link.l.schedule.0=1",
            "a whole step; write the path of one of its values, such as link.l.schedule.0.rate",
        ),
    ] {
        let error = mistakes(SATURATED, &[&steps, set]).join("\n");
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_path() {
    for (schedule, want) in [
        (
            "[]",
            "link.l.schedule: a list without steps; write one such as [{",
        ),
        (
            "3",
            "link.l.schedule: 3 is a number; write a list of steps such as [{",
        ),
        (
            "[3]",
            "link.l.schedule.0: 3 is a number; write a step such as {",
        ),
        (
            r#"[{ rate = "1 Mb/s" }]"#,
            "link.l.schedule.0.at: missing; write a time",
        ),
        (
            r#"[{ at = "1 s" }]"#,
            "link.l.schedule.0: it changes nothing; write `rate`, `delay`, `loss` or `up`",
        ),
        (
            r#"[{ at = "-1 s", up = true }]"#,
            "link.l.schedule.0.at: \"-1 s\" is not a time: it is negative",
        ),
        (
            r#"[{ at = "1 s", rate = "0 b/s" }]"#,
            "link.l.schedule.0.rate: \"0 b/s\" is not a rate: it is zero",
        ),
        (
            r#"[{ at = "1 s", loss = 1.5 }]"#,
            "link.l.schedule.0.loss: 1.5 is not from 0 to 1",
        ),
        (
            r#"[{ at = "1 s", dely = "1 s" }]"#,
            "link.l.schedule.0.dely: unknown key; did you mean \"delay\"?",
        ),
        (
            r#"[{ at = "2 s", up = true }, { at = "2 s", up = false }]"#,
            "link.l.schedule.1.at: \"2 s\" is not after the step before, which is at \"2 s\"; write the steps in order of time",
        ),
        (
            "{}",
            "link.l.schedule: it has no steps; write `steps` or `file`",
        ),
        (
            r#"{ file = "none.csv" }"#,
            "link.l.schedule.file: \"none.csv\" cannot be read",
        ),
        (
            r#"{ file = "sizes.txt" }"#,
            "is no column; the first line names the columns",
        ),
        (
            r#"{ file = "steps.csv", steps = [] }"#,
            "link.l.schedule.file: it has `steps` as well",
        ),
        (
            r#"{ file = "steps.csv", often = 1 }"#,
            "link.l.schedule.often: unknown key",
        ),
        (
            r#"{ file = "steps.csv", every = "20 ms" }"#,
            "link.l.schedule.every: \"20 ms\" is not after the last step, which is at 0.02 s; write a longer time",
        ),
    ] {
        let set = format!("link.l.schedule={schedule}");
        let error = mistakes(SATURATED, &[&set]).join("\n");
        assert!(error.contains(want), "{schedule}: {error}");
    }
}

#[test]
fn what_does_not_go_with_a_schedule_is_told() {
    let steps = r#"link.l.schedule=[{ at = "1 s", loss = 0.1 }]"#;
    let burst = r#"link.l.loss={ kind = "burst", rate = 0.02, mean_burst = "3 packets" }"#;
    let error = mistakes(SATURATED, &[steps, burst]).join("\n");
    assert!(error.contains("link.l.schedule: its steps give a rate of losses, and the link's loss model is \"burst\""), "{error}");
    let text = SATURATED.replace("rate = \"8 Mb/s\"", "trace = \"opportunities.txt\"");
    let error = mistakes(&text, &[steps]).join("\n");
    assert!(error.contains("link.l.schedule: its trace already says when it sends; write either `schedule` or `trace`"), "{error}");
}

#[test]
fn a_step_after_the_end_of_the_run_is_none() {
    let late = r#"link.l.schedule=[{ at = "1 h", up = false }]"#;
    assert!(read(SATURATED, &[late]).is_ok());
}

#[test]
fn runs_over_schedules_are_the_same_every_time() {
    let sets = [
        r#"link.l.schedule={ file = "steps.csv", every = "100 ms" }"#,
        r#"link.l.jitter={ kind = "uniform", max_delay = "5 ms" }"#,
        "link.l.back_schedule=as there",
        "percentiles=true",
    ];
    let bytes = || {
        let mut outcome = outcome(TRANSFER, &sets, 1, true);
        outcome.document.cpu_s = 0.0;
        serde_json::to_string(&outcome.document).expect("a document")
            + &outcome.tape.unwrap_or_default()
    };
    assert_eq!(bytes(), bytes());
}
