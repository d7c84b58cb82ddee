//! Pictures that are a line of signs: traffic, losses, jitter, reordering.

use super::scene::run;
use super::signs::{COLUMNS, bar, digit, row};
use dupack_core::time::{Duration, Instant};
use dupack_sim::probe::Event;
use dupack_sim::spec::Network;

/// An application over a transport that is never the limit for long: a column shows up to four segments.
pub(super) const TRAFFIC: &str = r#"
duration = "7.2 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "332.8 kb/s", delay = "1 ms" }]
flow = [{ name = "flow", from = "a", to = "b", transport = { kind = "reno", mss = "1000 B", max_window = "1000 segments" }, traffic = PART }]
"#;

/// Datagrams at a constant rate, one in a column.
pub(super) const LOSSES: &str = r#"
duration = "7.2 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms", loss = PART }]
flow = [{ name = "flow", from = "a", to = "b", transport = { kind = "udp", mss = "1000 B", header = "40 B" }, traffic = { kind = "cbr", rate = "83.2 kb/s" } }]
"#;

/// The same with a line that makes packets late instead of losing them.
pub(super) const JITTER: &str = r#"
duration = "8 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms", jitter = PART }]
flow = [{ name = "flow", from = "a", to = "b", transport = { kind = "udp", mss = "1000 B", header = "40 B" }, traffic = { kind = "cbr", rate = "83.2 kb/s" } }]
"#;

/// The same with a line that waits for grants.
pub(super) const GRANTS: &str = r#"
duration = "8 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms", grants = PART }]
flow = [{ name = "flow", from = "a", to = "b", transport = { kind = "udp", mss = "1000 B", header = "40 B" }, traffic = { kind = "cbr", rate = "83.2 kb/s" } }]
"#;

/// The time of a packet on that line without jitter: its transmission and the propagation delay.
const ON_TIME: Duration = Duration(9_320_000_000);

/// The same for three seconds, with a line that reorders packets instead of losing them.
pub(super) const ORDER: &str = r#"
duration = "3 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "line", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms", reorder = PART }]
flow = [{ name = "flow", from = "a", to = "b", transport = { kind = "udp", mss = "1000 B", header = "40 B" }, traffic = { kind = "cbr", rate = "83.2 kb/s" } }]
"#;

/// Lines drawn, each with its own random numbers.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

/// When segments arrive.
pub(super) fn traffic(network: &Network) -> Vec<String> {
    let end = network.duration.0;
    let mut lines = vec![
        "Segments that arrive in each 0.1 s over a link that carries four of 1000 B in that time; three runs."
            .to_string(),
        String::new(),
    ];
    for seed in SEEDS {
        let mut counts = vec![0; COLUMNS];
        for mark in run(network, seed) {
            if mark.event == Event::Deliver {
                counts[(mark.at.0 as u128 * COLUMNS as u128 / end as u128) as usize % COLUMNS] += 1;
            }
        }
        lines.push(row(&format!("run {seed}"), counts.into_iter().map(digit)));
    }
    lines
}

/// Picture of the packets that are lost.
pub(super) fn losses(network: &Network) -> Vec<String> {
    let mut lines = vec![
        format!("{COLUMNS} packets, one after the other, on the link; three runs."),
        String::new(),
    ];
    let (mut lost, mut all) = (0, 0);
    for seed in SEEDS {
        let mut signs = vec!['.'; COLUMNS];
        for mark in run(network, seed) {
            if mark.event == Event::Drop
                && let Some(sign) = signs.get_mut(mark.segment as usize)
            {
                *sign = 'x';
            }
        }
        all += signs.len();
        lost += signs.iter().filter(|sign| **sign == 'x').count();
        lines.push(row(&format!("run {seed}"), signs));
    }
    lines.push(String::new());
    lines.push(format!(
        ". arrives, x is lost; {lost} of {all} are lost here."
    ));
    lines
}

/// How late packets are.
pub(super) fn lateness(network: &Network) -> Vec<String> {
    let mut late = Vec::new();
    for seed in SEEDS {
        let mut sent = [Instant::ZERO; COLUMNS];
        let mut extra = [0.0; COLUMNS];
        for mark in run(network, seed) {
            let at = mark.segment as usize;
            if at >= COLUMNS {
                continue;
            } else if mark.event == Event::Send {
                sent[at] = mark.at;
            } else if mark.event == Event::Deliver {
                extra[at] = mark.at.since(sent[at] + ON_TIME).seconds() * 1e3;
            }
        }
        late.push(extra);
    }
    let all: Vec<f64> = late.concat();
    let most = all.iter().copied().fold(0.0, f64::max);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let same = late.iter().all(|extra| *extra == late[0]);
    let (runs, told) = match same {
        true => (1, "nothing is random"),
        false => (late.len(), "three runs"),
    };
    let mut lines = vec![
        format!("Extra delay of {COLUMNS} packets, ten per second; {told}."),
        String::new(),
    ];
    for (seed, extra) in SEEDS.zip(&late).take(runs) {
        lines.push(row(
            &format!("run {seed}"),
            extra.iter().map(|it| bar(*it, most)),
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "█ is {most:.3} ms, the most; the mean is {mean:.3} ms here."
    ));
    lines
}

/// In which order packets arrive.
pub(super) fn order(network: &Network) -> Vec<String> {
    let mut lines = vec![
        "Packets leave the sender in order, ten per second; each row is their order of arrival in one run."
            .to_string(),
        String::new(),
    ];
    for seed in SEEDS {
        let (mut highest, mut text) = (None, String::new());
        for mark in run(network, seed) {
            if mark.event != Event::Deliver {
                continue;
            }
            let late = highest.is_some_and(|highest| mark.segment < highest);
            highest = highest.max(Some(mark.segment));
            text += &if late {
                format!("({}) ", mark.segment)
            } else {
                format!("{} ", mark.segment)
            };
        }
        lines.push(row(&format!("run {seed}"), text.chars()));
    }
    lines.push(String::new());
    lines.push("(n) arrives after a packet that was sent later.".into());
    lines
}

/// Connections of ten segments from three hosts to one, a segment of each in 10 ms at most.
pub(super) const ARRIVALS: &str = r#"
duration = "7.2 s"
host = [{ name = "a", count = 3 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "832 kb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "832 kb/s", delay = "1 ms" },
]
flow = [{ name = "flow", from = "a", to = "b", arrivals = PART, traffic = { kind = "file", size = "10 segments" }, transport = { kind = "reno", mss = "1000 B" } }]
"#;

/// When connections begin.
pub(super) fn arrivals(network: &Network) -> Vec<String> {
    let end = network.duration.0;
    let mut lines = vec![
        "Connections of ten segments that start in each 0.1 s, from three hosts; three runs."
            .to_string(),
        String::new(),
    ];
    for seed in SEEDS {
        let mut counts = vec![0; COLUMNS];
        for mark in run(network, seed) {
            if mark.event == Event::Send && mark.segment == 0 {
                counts[(mark.at.0 as u128 * COLUMNS as u128 / end as u128) as usize % COLUMNS] += 1;
            }
        }
        lines.push(row(&format!("run {seed}"), counts.into_iter().map(digit)));
    }
    lines
}
