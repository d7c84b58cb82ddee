//! A controller: its window, pacing rate and state while one flow fills a line.

use super::scene::Scene;
use super::signs::{COLUMNS, bars, row};
use super::transfer;
use dupack_core::transport::Pair;
use dupack_core::transport::repair::Hears;
use dupack_sim::report::Series;
use dupack_sim::spec::Network;
use std::sync::atomic::AtomicBool;

/// A plan: 10 Mb/s with a round trip of 40 ms, which hold 33 packets of 1500 B; the buffer before it has as many.
macro_rules! full {
    ($queue:literal) => {
        concat!(
            r#"
duration = "20 s"
sample = "10 ms"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
flow = [{ name = "flow", from = "a", to = "b", transport = PART }]
[[link]]
name = "access"
from = "a"
to = "s"
carries = "packets"
rate = "1 Gb/s"
delay = "1 ms"
[[link]]
name = "line"
from = "s"
to = "b"
carries = "packets"
rate = "10 Mb/s"
delay = "19 ms"
queue = { buffer = "33 packets", "#,
            $queue,
            " }\n"
        )
    };
}

const FIFO: &str = full!(r#"kind = "drop-tail""#);
/// For a controller that is ECN-capable by default.
const MARKING: &str = full!(r#"kind = "codel", ecn = true"#);

const SIZES: &str = r#"mss = "1460 B", max_window = "150 segments""#;

/// The scene of a pair, which the plan calls `head`, or by its halves; none for a sender without acks.
pub(super) fn scene(head: &str, pair: &Pair) -> Option<Scene> {
    if pair.repair.about.habits.hears == Hears::Nothing {
        return None;
    }
    Some(Scene {
        written: transfer::written(head, pair, SIZES),
        path: "flow.flow.transport",
        plan: if transfer::marks(pair) { MARKING } else { FIFO },
        file: None,
    })
}

/// Signs of states: those of windows, then those of BBR.
const STATES: [(&str, char); 13] = [
    ("slow-start", 'S'),
    ("conservative-slow-start", 'C'),
    ("congestion-avoidance", '.'),
    ("recovery", 'R'),
    ("startup", 'S'),
    ("drain", 'D'),
    ("probe-bw", '.'),
    ("probe-bw-down", 'd'),
    ("probe-bw-cruise", '.'),
    ("probe-bw-refill", 'r'),
    ("probe-bw-up", 'u'),
    ("probe-rtt", 'P'),
    ("measuring", 'M'),
];

/// The picture of the first flow.
pub(super) fn draw(network: &Network) -> Vec<String> {
    let report = match dupack_sim::measure(network, 1, &AtomicBool::new(false)) {
        Ok(report) => report,
        // The flag to halt is never set, and tests would find a ledger that does not balance.
        Err(failure) => unreachable!("{failure}"),
    };
    let Some(series) = report.series else {
        return Vec::new();
    };
    let flow = &network.flows[0].name;
    let cwnd = columns(&series.cwnd[flow]);
    let queue: Vec<f64> = (series.backlog.values().next().into_iter().flatten())
        .map(|waiting| *waiting as f64)
        .collect();
    let queue = columns(&queue);
    let mut lines = vec![
        format!(
            "One flow fills a line of 10 Mb/s; the RTT is at least 40 ms, so 33 packets fill the line. The queue is {}.",
            match network
                .links
                .iter()
                .filter_map(|it| it.queue.as_ref())
                .next()
            {
                Some(queue) if queue.name() != "drop-tail" => "a CoDel with 33 packets that marks",
                _ => "a FIFO of 33 packets",
            }
        ),
        String::new(),
    ];
    lines.extend(chart("cwnd", &cwnd, 6));
    if let Some(paced) = series.pacing_bps.get(flow) {
        let rate: Vec<f64> = paced.iter().map(|rate| rate.unwrap_or(0.0) / 1e6).collect();
        lines.extend(chart("rate", &columns(&rate), 3));
    }
    lines.extend(chart("queue", &queue, 3));
    let (signs, key) = states(&series, flow);
    lines.push(row("state", signs));
    let seconds = network.duration.seconds();
    let width = COLUMNS.saturating_sub(3);
    lines.push(format!("{:>8}  0 s{:>width$}", "", format!("{seconds} s")));
    lines.push(String::new());
    let paced = series.pacing_bps.contains_key(flow);
    let rate = if paced {
        "; rate: the pacing rate in Mb/s"
    } else {
        ""
    };
    lines.push(format!(
        "cwnd in segments{rate}; queue: packets that wait. {key}."
    ));
    lines
}

/// The means of as many parts of equal length as a picture has columns.
fn columns(values: &[f64]) -> Vec<f64> {
    let part = |column: usize| {
        let [from, to] = [column, column + 1].map(|it| it * values.len() / COLUMNS);
        &values[from..to.max(from + 1).min(values.len())]
    };
    (0..COLUMNS)
        .map(|column| part(column).iter().sum::<f64>() / part(column).len().max(1) as f64)
        .collect()
}

/// Bars of `rows` rows, with the largest value above the label.
fn chart(label: &str, values: &[f64], rows: usize) -> Vec<String> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let top = if most < 10.0 {
        format!("{most:.1}")
    } else {
        format!("{most:.0}")
    };
    bars((&top, label), values, rows)
}

/// The state in each column, and what the signs mean. A column with several states shows the one that is the rarest in the whole run.
fn states(series: &Series, flow: &str) -> (Vec<char>, String) {
    let all = &series.state[flow];
    let often = |state: &str| all.iter().filter(|it| **it == state).count();
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for &state in all {
        if !seen.iter().any(|(known, _)| *known == state) {
            seen.push((state, often(state)));
        }
    }
    let sign = |state: &str| {
        let known = STATES.iter().find(|(name, _)| *name == state);
        known.map_or('.', |(_, sign)| *sign)
    };
    let drawn = |column: usize| {
        let [from, to] = [column, column + 1].map(|it| it * all.len() / COLUMNS);
        let rarest = seen
            .iter()
            .filter(|(state, _)| all[from..to].contains(state))
            .min_by_key(|(_, often)| *often);
        rarest.map_or(' ', |(state, _)| sign(state))
    };
    let key: Vec<String> = seen
        .iter()
        .map(|(state, _)| format!("{} {state}", sign(state)))
        .collect();
    (
        (0..COLUMNS).map(drawn).collect(),
        format!("State: {}", key.join(", ")),
    )
}
