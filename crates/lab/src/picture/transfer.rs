//! A transport: one transfer over a slow line that loses some of its segments.

use super::scene::{Scene, run, table};
use super::signs::{COLUMNS, bar, row};
use dupack_core::queue::Grain;
use dupack_core::roster::Roster;
use dupack_core::time::Instant;
use dupack_core::transport::repair::Hears;
use dupack_core::transport::{self, Pair, control, repair};
use dupack_sim::probe::Event;
use dupack_sim::spec::Network;

/// A segment takes 80 ms and a round trip 240 ms. First one segment is lost, then two of one window.
const LOSSY: &str = r#"
duration = "6 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "104 kb/s", delay = "75 ms", queue = { kind = "drop-tail", buffer = "20 packets" }, loss = { kind = "script", flow = "flow", segments = [13, 34, 36] } },
]
flow = [{ name = "flow", from = "a", to = "b", transport = PART }]
"#;

/// The same with a switch that trims arrivals at a full buffer.
const TRIMMING: &str = r#"
duration = "6 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "104 kb/s", delay = "75 ms", queue = { kind = "trim", buffer = "5 packets" } },
]
flow = [{ name = "flow", from = "a", to = "b", transport = PART }]
"#;

/// The same as the first with a queue that marks, for a controller that is ECN-capable by default.
const MARKING: &str = r#"
duration = "6 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "104 kb/s", delay = "75 ms", queue = { kind = "codel", buffer = "20 packets", ecn = true }, loss = { kind = "script", flow = "flow", segments = [13, 34, 36] } },
]
flow = [{ name = "flow", from = "a", to = "b", transport = PART }]
"#;

/// The same as the first, for a sender without acks, which sends at a rate.
const UNHEARD: &str = r#"
duration = "6 s"
host = [{ name = "a" }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "104 kb/s", delay = "75 ms", queue = { kind = "drop-tail", buffer = "20 packets" }, loss = { kind = "script", flow = "flow", segments = [13, 34, 36] } },
]
flow = [{ name = "flow", from = "a", to = "b", transport = PART, traffic = { kind = "cbr", rate = "90 kb/s" } }]
"#;

/// A segment and its header take 80 ms. The window keeps the queue short, and the timer does not expire before the ack of a
/// retransmission can arrive.
const SIZES: &str = r#"mss = "1000 B", max_window = "10 segments", min_rto = "1 s""#;
/// The part of these parameters that a sender without acks needs.
const SIZE: &str = r#"mss = "1000 B""#;

/// Rows of the picture.
const ROWS: usize = 24;

/// The pair that shows a half called `name`, among those for which `is_it` is true: the transport of its name, or else the first
/// transport, or else the first pair.
pub(super) fn pair(name: &str, is_it: impl Fn(&Pair) -> bool) -> Option<Pair> {
    let named = (transport::entry(name).into_iter())
        .chain(transport::ROSTER)
        .filter_map(|entry| Pair::new(entry.about.control, entry.about.repair));
    let others = control::ControlParams::ENTRIES.iter().flat_map(|control| {
        repair::RepairParams::ENTRIES
            .iter()
            .map(move |repair| Pair {
                control,
                repair,
                preset: None,
            })
    });
    named
        .chain(others)
        .find(|pair| pair.refusal().is_none() && is_it(pair))
}

/// A pair as a plan writes it, by `head` or by its halves, with these sizes.
pub(super) fn written(head: &str, pair: &Pair, sizes: &str) -> String {
    let (control, repair) = (pair.control.name, pair.repair.name);
    let halves = format!("control = {control:?}, repair = {repair:?}");
    let head = if head.is_empty() { &halves } else { head };
    let own = [pair.control.parameters, pair.repair.parameters].concat();
    table(&format!("{head}, {sizes}"), &own, Grain::Packets)
}

/// Whether its controller is ECN-capable by default.
pub(super) fn marks(pair: &Pair) -> bool {
    pair.control.about.defaults.contains(&("ecn", "true"))
}

/// The scene of a pair, which the plan calls `head`, or by its halves.
pub(super) fn scene(head: &str, pair: &Pair) -> Scene {
    let hears = pair.repair.about.habits.hears;
    let sizes = match hears {
        Hears::Nothing => SIZE,
        Hears::Acks | Hears::Notices | Hears::Packets => SIZES,
    };
    Scene {
        written: written(head, pair, sizes),
        path: "flow.flow.transport",
        plan: match hears {
            Hears::Nothing => UNHEARD,
            Hears::Acks if marks(pair) => MARKING,
            Hears::Acks | Hears::Packets => LOSSY,
            Hears::Notices => TRIMMING,
        },
        file: None,
    }
}

/// The picture of the first flow: which segment is sent when.
pub(super) fn draw(network: &Network) -> Vec<String> {
    let marks = run(network, 1);
    let end = network.duration.0;
    let column =
        |at: Instant| ((at.0 as u128 * COLUMNS as u128 / end as u128) as usize).min(COLUMNS - 1);
    let sent = |event| matches!(event, Event::Send | Event::Retransmit);
    let top = (marks.iter().filter(|mark| sent(mark.event)))
        .map(|mark| mark.segment)
        .max()
        .unwrap_or(0);
    let per_row = (top / ROWS as u64) + 1;
    let rows = (top / per_row + 1) as usize;
    let mut grid = vec![vec![' '; COLUMNS]; rows];
    // Rare events are drawn over frequent ones.
    for (sign, wanted) in [
        ('-', Event::Ack),
        ('o', Event::Send),
        ('R', Event::Retransmit),
    ] {
        for mark in marks.iter().filter(|mark| mark.event == wanted) {
            let level = (mark.segment.min(top) / per_row) as usize;
            grid[rows - 1 - level][column(mark.at)] = sign;
        }
    }
    // A drop is drawn at the latest transmission of its segment before it.
    for lost in marks.iter().filter(|mark| mark.event == Event::Drop) {
        let of = (marks.iter().rev())
            .find(|mark| mark.at <= lost.at && mark.segment == lost.segment && sent(mark.event));
        if let Some(mark) = of {
            let level = (lost.segment / per_row) as usize;
            grid[rows - 1 - level][column(mark.at)] = 'x';
        }
    }
    let lossy = network.links.iter().any(|link| link.loss.is_some());
    let mut lines = vec![
        "One flow; a segment of 1000 B takes 80 ms on the link; the RTT is at least 0.24 s.".into(),
        String::from(if lossy {
            "Segments 13, 34, 36 are lost once."
        } else {
            "A packet that arrives when five wait is trimmed."
        }),
        String::new(),
    ];
    for (at, signs) in grid.into_iter().enumerate() {
        let label = (rows - 1 - at) as u64 * per_row;
        lines.push(row(&label.to_string(), signs));
    }
    lines.extend(below(network, &marks, &column));
    lines.push(String::new());
    let mut key = vec!["o a segment is sent", "x and lost"];
    for (event, says) in [
        (Event::Retransmit, "R sent again"),
        (Event::Ack, "- acknowledged up to here"),
        (Event::FastRetransmit, "F fast retransmit"),
        (Event::Timeout, "T timeout"),
    ] {
        key.extend(marks.iter().any(|mark| mark.event == event).then_some(says));
    }
    lines.push(format!("{}.", key.join(", ")));
    lines
}

/// The rows below the segments: what the sender notices, its window, and the time.
fn below(
    network: &Network,
    marks: &[dupack_sim::probe::Row],
    column: &dyn Fn(Instant) -> usize,
) -> Vec<String> {
    let mut noticed = vec![' '; COLUMNS];
    let mut cwnd = vec![None; COLUMNS];
    for mark in marks {
        let at = column(mark.at);
        match mark.event {
            Event::FastRetransmit if noticed[at] != 'T' => noticed[at] = 'F',
            Event::Timeout => noticed[at] = 'T',
            _ => {}
        }
        cwnd[at] = Some(mark.cwnd);
    }
    let mut last = 0.0;
    let cwnd: Vec<f64> = cwnd
        .into_iter()
        .map(|it| {
            last = it.unwrap_or(last);
            last
        })
        .collect();
    let most = cwnd.iter().copied().fold(0.0, f64::max);
    let mut lines = Vec::new();
    if noticed.iter().any(|sign| *sign != ' ') {
        lines.push(row("", noticed));
    }
    lines.push(row("cwnd", cwnd.iter().map(|it| bar(*it, most))));
    let seconds = network.duration.seconds();
    let width = COLUMNS.saturating_sub(4);
    lines.push(format!(
        "{:>8}  0 s{:>width$}",
        "",
        format!("{seconds} s, cwnd up to {most:.0} segments"),
    ));
    lines
}
