//! Plans generated from the declarations on the rosters: additions to a roster are tested here, too.
//!
//! A plan is made from a list of numbers, each of which answers one question; where the list ends every answer is the first. So
//! a shorter list, or a smaller number, makes a simpler plan, and proptest finds the simplest that fails.

use dupack_core::abr::{source, switch};
use dupack_core::data::Format;
use dupack_core::declare::{Declared, Fallback, Kind, Parameter};
use dupack_core::grants::GrantsParams;
use dupack_core::queue::{self, Grain};
use dupack_core::roster::Roster;
use dupack_core::schedule::StepParams;
use dupack_core::traffic::Offer;
use dupack_core::transport::{Common, control, repair};
use dupack_core::{arrivals, jitter, loss, reorder, traffic, transport};
use dupack_lab::plan::{Plan, PlanErrors, SHAPES, Without};
use dupack_lab::run::{Job, run};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

#[path = "frame.rs"]
mod frame;
#[path = "mixed.rs"]
mod mixed;

/// Answers.
pub struct Draw<'n> {
    numbers: std::slice::Iter<'n, u16>,
}

impl<'n> Draw<'n> {
    pub fn new(numbers: &'n [u16]) -> Self {
        Self {
            numbers: numbers.iter(),
        }
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.numbers.next().copied().unwrap_or(0)) % n
    }

    /// Whether an event with `chances` chances in 16 happens; never, once there are no numbers.
    fn happens(&mut self, chances: usize) -> bool {
        self.below(16) >= 16 - chances
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What is not drawn.
#[derive(Clone, Copy)]
pub struct Wants {
    /// Nothing is lost, but by `script`; every flow is a file; whatever waits has room.
    pub completes: bool,
    /// A part of all paths of packets leads over links of cells.
    pub mixed: bool,
}

/// Where the plan stands, and what it may name: beside it are a file of each format.
pub const ORIGIN: &str = "tests/plan_laws/made.toml";

fn file(format: Format) -> &'static str {
    match format {
        Format::Sizes => "\"sizes.txt\"",
        Format::Packets => "\"packets.txt\"",
        Format::Opportunities => "\"opportunities.txt\"",
        Format::Steps => "\"steps.csv\"",
        Format::Delays => "\"delays.txt\"",
    }
}

/// Room, in what the links carry.
const ROOM: [u64; 7] = [50, 1, 2, 7, 30, 200, 1000];

/// A value of a kind, seldom one that is out of the question.
fn value(draw: &mut Draw<'_>, kind: Kind, grain: Grain) -> String {
    let quoted = |text: &str| format!("{text:?}");
    match kind {
        Kind::Bytes => quoted(draw.one(&[
            "1000 B", "1 B", "40 B", "536 B", "1460 B", "9140 B", "64 KiB", "0 B",
        ])),
        Kind::Time => quoted(draw.one(&[
            "10 ms", "0 s", "100 us", "1 ms", "30 ms", "200 ms", "1 s", "7 s",
        ])),
        Kind::Rate => quoted(draw.one(&["1 Mb/s", "10 kb/s", "300 kb/s", "3 Mb/s", "8 Mb/s"])),
        Kind::CellRate => quoted(draw.one(&[
            "2000 cells/s",
            "0 cells/s",
            "10 cells/s",
            "20000 cells/s",
            "1 Mb/s",
        ])),
        Kind::PartialRate => draw
            .one(&["0.5", "0.05", "1", "\"100 cells/s\"", "\"1 Mb/s\""])
            .into(),
        Kind::Room => {
            let number = draw.one(&ROOM);
            format!("\"{number} {}\"", grain.name())
        }
        Kind::Packets => quoted(draw.one(&[
            "1 packets",
            "0 packets",
            "2 packets",
            "9 packets",
            "100 packets",
        ])),
        Kind::MeanPackets => {
            quoted(draw.one(&["2 packets", "1 packets", "1.5 packets", "9 packets"]))
        }
        Kind::Window => quoted(draw.one(&[
            "20 segments",
            "1 segments",
            "2 segments",
            "5 segments",
            "64 KiB",
            "1 B",
            "3000 B",
        ])),
        Kind::Share => draw
            .one(&[
                "0.1", "0", "0.001", "0.02", "0.4", "0.5", "0.9", "0.99", "1",
            ])
            .into(),
        Kind::Factor => draw.one(&["2", "1", "1.5", "4", "100"]).into(),
        Kind::Real => draw.one(&["0.4", "0", "-1", "0.125", "2.5", "1000"]).into(),
        Kind::Count => draw.one(&["2", "0", "1", "3", "4", "5", "8"]).into(),
        Kind::Flag => draw.one(&["true", "false"]).into(),
        Kind::Choice(words) => quoted(draw.one(words)),
        Kind::Name => quoted(draw.one(&["flow-0", "flow-0", "flow-0", "flow-1", "line"])),
        Kind::Indices => draw
            .one(&["[0]", "[]", "[1, 2, 3]", "[3, 5, 9, 20]", "[0, 30, 31]"])
            .into(),
        Kind::Discipline(names) => {
            let name = draw.one(names);
            let entry = queue::QueueParams::entry(name);
            table(draw, name, entry.map_or(&[], |it| it.parameters), grain, 4)
        }
        Kind::Data(format) => file(format).into(),
    }
}

/// The keys and values of a part: those that it must have, and each of the others with `chances` chances in 16.
fn values(
    draw: &mut Draw<'_>,
    parameters: &[Parameter],
    grain: Grain,
    chances: usize,
) -> Vec<String> {
    let mut given = Vec::new();
    for it in parameters {
        if it.fallback == Fallback::Required
            || draw.happens(chances + 8 * usize::from(it.kind == Kind::Indices))
        {
            given.push(format!("{} = {}", it.name, value(draw, it.kind, grain)));
        }
    }
    given
}

fn table(
    draw: &mut Draw<'_>,
    kind: &str,
    parameters: &[Parameter],
    grain: Grain,
    chances: usize,
) -> String {
    let mut given = vec![format!("kind = {kind:?}")];
    given.extend(values(draw, parameters, grain, chances));
    format!("{{ {} }}", given.join(", "))
}

/// One flow over one line, of which it would fill any buffer.
pub fn overload(grain: Grain, queue: &str, traffic: &str) -> Result<Plan, PlanErrors> {
    let text = format!(
        r#"
        duration = "2 s"
        host = [{{ name = "a" }}, {{ name = "b" }}]
        link = [{{ name = "line", from = "a", to = "b", carries = "{}", rate = "1 Mb/s", delay = "1 ms", queue = {queue} }}]
        [[flow]]
        name = "flow-0"
        from = "a"
        to = "b"
        traffic = {traffic}
        transport = {{ kind = "static-window" }}
        "#,
        grain.name()
    );
    Plan::parse(text.as_bytes(), ORIGIN, &[])
}

/// Whether a discipline with plenty of room, as a plan writes it, drops nothing where a window's worth waits for long: found by trying,
/// once for each. What a plan cannot have drops nothing.
pub fn is_patient(grain: Grain, queue: &str) -> bool {
    static KNOWN: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no run has panicked");
    *known.entry(queue.into()).or_insert_with(|| {
        let Ok(plan) = overload(grain, queue, "{ kind = \"greedy\" }") else {
            return true;
        };
        let job = Job {
            network: plan.points[0].network.clone(),
            seed: 1,
            threads: 1,
            tape: false,
            connections: false,
        };
        let outcome = run(&job, &AtomicBool::new(false)).expect("every ledger balances");
        let links = &outcome.document.report.links;
        links
            .iter()
            .all(|link| link.dropped.values().sum::<u64>() == 0)
    })
}

/// Whether traffic, as a plan writes it, is all handed over at some time; asked of the plan's reader once for each.
fn has_an_end(traffic: &str) -> bool {
    static KNOWN: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no reader has panicked");
    *known.entry(traffic.into()).or_insert_with(|| {
        let queue = "{ kind = \"drop-tail\", buffer = \"50 packets\" }";
        overload(Grain::Packets, queue, traffic).is_ok_and(|plan| {
            let flow = &plan.points[0].network.flows[0];
            flow.traffic.mean_size(flow.transport.common.mss).is_some()
        })
    })
}

/// A discipline; mostly one for what the links carry.
fn discipline(draw: &mut Draw<'_>, grain: Grain, wants: Wants) -> String {
    let fits: Vec<_> = (queue::QueueParams::ENTRIES.iter())
        .filter(|it| it.about.grains.contains(&grain))
        .collect();
    let any: Vec<_> = queue::QueueParams::ENTRIES.iter().collect();
    let other = !wants.completes && draw.happens(1);
    let it = draw.one(if other { &any } else { &fits });
    let chances = if wants.completes { 0 } else { 4 };
    let mut text = table(draw, it.name, it.parameters, grain, chances);
    if wants.completes {
        // Flows must complete here, so every buffer is made large enough.
        for number in ROOM {
            let unit = grain.name();
            text = text.replace(
                &format!("\"{number} {unit}\""),
                &format!("\"90000 {unit}\""),
            );
        }
        if !is_patient(grain, &text) {
            // If a discipline drops although there is room, a sender whose window never shrinks may lose everything forever.
            let (fifo, unit) = match grain {
                Grain::Cells => ("plain", "cells"),
                Grain::Packets => ("drop-tail", "packets"),
            };
            text = format!("{{ kind = {fifo:?}, buffer = \"90000 {unit}\" }}");
        }
    }
    text
}

/// A schedule: some steps, in order of time if they all are to be carried out, or a file.
fn schedule(draw: &mut Draw<'_>, grain: Grain, wants: Wants) -> String {
    let every = if draw.happens(5) {
        format!(", every = {:?}", draw.one(&["1 s", "40 ms", "3 ms"]))
    } else {
        String::new()
    };
    if !wants.completes && draw.happens(2) {
        return format!("{{ file = {}{every} }}", file(Format::Steps));
    }
    let (many, mut at) = (1 + draw.below(4), 0);
    let mut steps: Vec<String> = (0..many)
        .map(|_| {
            at += draw.one(&[10, 1, 3, 7, 100, 400]);
            let mut keys = vec![format!("at = \"{at} ms\"")];
            if wants.completes {
                // Packets are neither lost nor sent at a rate at which flows would not end.
                keys.push(format!("up = {}", draw.one(&[false, true])));
                if draw.happens(6) {
                    let rate = draw.one(&["2 Mb/s", "8 Mb/s", "500 kb/s"]);
                    keys.push(format!("rate = {rate:?}"));
                }
                if draw.happens(6) {
                    let delay = draw.one(&["1 ms", "0 s", "20 ms", "90 ms"]);
                    keys.push(format!("delay = {delay:?}"));
                }
            } else {
                keys.extend(values(draw, &StepParams::PARAMETERS[1..], grain, 8));
            }
            format!("{{ {} }}", keys.join(", "))
        })
        .collect();
    if wants.completes {
        steps.push(format!("{{ at = \"{} ms\", up = true }}", at + 2));
    }
    format!("{{ steps = [{}]{every} }}", steps.join(", "))
}

/// What stands in a link besides its name, ends and what it carries.
fn line(draw: &mut Draw<'_>, grain: Grain, wants: Wants) -> Vec<String> {
    let mut keys = Vec::new();
    if grain == Grain::Packets && draw.happens(1) {
        keys.push(format!("trace = {}", file(Format::Opportunities)));
    } else {
        keys.push(format!(
            "rate = {:?}",
            draw.one(&["2 Mb/s", "64 kb/s", "500 kb/s", "8 Mb/s", "1000 cells/s"])
        ));
    }
    keys.push(format!(
        "delay = {:?}",
        draw.one(&["1 ms", "0 s", "3 us", "20 ms", "90 ms"])
    ));
    for back in ["", "back_"] {
        if !back.is_empty() && draw.happens(3) {
            keys.push(format!(
                "back_rate = {:?}",
                draw.one(&["2 Mb/s", "20 kb/s"])
            ));
        }
        if draw.happens(3) {
            keys.push(format!("{back}schedule = {}", schedule(draw, grain, wants)));
        }
        if draw.happens(if back.is_empty() { 12 } else { 4 }) {
            keys.push(format!("{back}queue = {}", discipline(draw, grain, wants)));
        }
        if draw.happens(5) {
            let losses = loss::LossParams::ENTRIES
                .iter()
                .filter(|it| !wants.completes || it.name == "script");
            let it = draw.one(&losses.collect::<Vec<_>>());
            keys.push(format!(
                "{back}loss = {}",
                table(draw, it.name, it.parameters, grain, 4)
            ));
        }
        if grain == Grain::Packets && draw.happens(3) {
            let it = draw.one(jitter::JitterParams::ENTRIES);
            keys.push(format!(
                "{back}jitter = {}",
                table(draw, it.name, it.parameters, grain, 4)
            ));
        }
        if grain == Grain::Packets && draw.happens(3) {
            let given = values(draw, reorder::ReorderParams::PARAMETERS, grain, 8);
            keys.push(format!("{back}reorder = {{ {} }}", given.join(", ")));
        }
        if grain == Grain::Packets && draw.happens(2) {
            let mut given = values(draw, GrantsParams::PARAMETERS, grain, 8);
            // A burst in 7 s may be a packet in 7 s: too few in the longest timeout for what is in flight, so that all are copies.
            given.retain(|it| !(wants.completes && it.contains("\"7 s\"")));
            keys.push(format!("{back}grants = {{ {} }}", given.join(", ")));
        }
        if grain == Grain::Packets && draw.happens(2) {
            // Four lines that send all packets twice make sixteen acks of a segment, which a slow way back may never carry.
            let rates: &[_] = if wants.completes {
                &["0", "0.01"]
            } else {
                &["0", "0.01", "0.5", "1"]
            };
            let rate = draw.one(rates);
            keys.push(format!("{back}duplicate = {rate}"));
        }
        if !wants.completes && grain == Grain::Cells && draw.happens(2) {
            let it = draw.one(switch::MarkerParams::ENTRIES);
            keys.push(format!(
                "{back}marker = {}",
                table(draw, it.name, it.parameters, grain, 4)
            ));
        }
    }
    keys
}

fn transport(draw: &mut Draw<'_>, grain: Grain, wants: Wants) -> String {
    let (mut own, name) = if draw.happens(5) {
        let (control, repair) = (
            draw.one(control::ControlParams::ENTRIES),
            draw.one(repair::RepairParams::ENTRIES),
        );
        let name = format!(
            "kind = \"reno\", control = {:?}, repair = {:?}",
            control.name, repair.name
        );
        ([control.parameters, repair.parameters].concat(), name)
    } else {
        let it = draw.one(transport::ROSTER);
        let halves = (
            control::ControlParams::entry(it.about.control),
            repair::RepairParams::entry(it.about.repair),
        );
        let own = [
            halves.0.map_or(&[][..], |half| half.parameters),
            halves.1.map_or(&[][..], |half| half.parameters),
        ];
        (own.concat(), format!("kind = {:?}", it.name))
    };
    // Segments of one byte make windows of thousands of cells, which no buffer holds. A sender whose timeout is below the round-trip
    // time and never backs off fills any line with copies.
    let without = ["mss", "max_rto", "backoff"];
    let all = Common::PARAMETERS.iter();
    own.extend(all.filter(|it| !(wants.completes && without.contains(&it.name))));
    let mut given = vec![name];
    given.extend(values(
        draw,
        &own,
        grain,
        if wants.completes { 1 } else { 2 },
    ));
    format!("{{ {} }}", given.join(", "))
}

fn flow(
    draw: &mut Draw<'_>,
    number: usize,
    ends: (&'static str, &'static str),
    grain: Grain,
    wants: Wants,
) -> String {
    let (from, to) = if draw.happens(3) {
        (ends.1, ends.0)
    } else {
        ends
    };
    // If a line carries fewer segments in the longest timeout than it has flows, it may carry little but copies, and no flow completes.
    let grouped: &[_] = if wants.completes {
        &["permutation"]
    } else {
        &["permutation", "all-to-all"]
    };
    let pairs = if draw.happens(3) {
        draw.one(grouped)
    } else {
        "in-order"
    };
    // If a shape has one group of hosts, these kinds of pairs use the whole group.
    let many = |end: &'static str| match (pairs, end) {
        ("permutation" | "all-to-all", "host-0" | "host-1") => "host",
        _ => end,
    };
    let (from, to) = (many(from), many(to));
    let mut text = format!("[[flow]]\nname = \"flow-{number}\"\nfrom = {from:?}\nto = {to:?}\n");
    if pairs != "in-order" {
        let _ = writeln!(text, "pairs = {pairs:?}");
    }
    if draw.happens(6) {
        let _ = writeln!(
            text,
            "start = {:?}",
            draw.one(&["1 ms", "0 s..4 ms", "90 ms"])
        );
    }
    let of_file: Vec<_> = traffic::TrafficParams::ENTRIES
        .iter()
        .filter(|it| {
            has_an_end(&table(
                &mut Draw::new(&[]),
                it.name,
                it.parameters,
                grain,
                0,
            ))
        })
        .collect();
    let any: Vec<_> = traffic::TrafficParams::ENTRIES.iter().collect();
    let it = draw.one(if wants.completes { &of_file } else { &any });
    // All pairs of a fat tree's hosts at 64 kb/s: files of thousands of packets would not complete within the plan's duration.
    let parameters = it.parameters.iter();
    let own: Vec<_> = parameters
        .filter(|it| !(wants.completes && it.name == "unit"))
        .copied()
        .collect();
    let _ = writeln!(text, "traffic = {}", table(draw, it.name, &own, grain, 5));
    if !wants.completes && !wants.mixed && grain == Grain::Packets && draw.happens(3) {
        let it = draw.one(arrivals::ArrivalsParams::ENTRIES);
        let _ = writeln!(
            text,
            "arrivals = {}",
            table(draw, it.name, it.parameters, grain, 8)
        );
    }
    if !wants.completes && grain == Grain::Cells && draw.happens(3) {
        let given = values(draw, source::SourceParams::PARAMETERS, grain, 3);
        let _ = writeln!(text, "abr = {{ {} }}", given.join(", "));
    }
    let on_vcs = if wants.mixed { Grain::Cells } else { grain };
    text += &frame::of_flow(draw, on_vcs);
    let _ = writeln!(text, "transport = {}", transport(draw, grain, wants));
    text
}

/// Nodes and links that are written out: two hosts, or groups of them, and up to two switches or edges between.
fn chain(
    draw: &mut Draw<'_>,
    grain: Grain,
    wants: Wants,
) -> (String, (&'static str, &'static str)) {
    let count = if draw.happens(5) { "count = 2\n" } else { "" };
    let mut text = format!("[[host]]\nname = \"a\"\n{count}[[host]]\nname = \"b\"\n{count}");
    let mut nodes = vec!["a"];
    for name in &["s", "t"][..draw.below(3)] {
        let sort = if draw.happens(2) { "edge" } else { "switch" };
        let _ = write!(text, "[[{sort}]]\nname = \"{name}\"\n");
        nodes.push(name);
    }
    nodes.push("b");
    for (at, pair) in nodes.windows(2).enumerate() {
        let name = ["line", "access", "bottleneck"][at];
        let carries = grain.name();
        let _ = write!(
            text,
            "[[link]]\nname = {name:?}\nfrom = {:?}\nto = {:?}\ncarries = {carries:?}\n",
            pair[0], pair[1]
        );
        let _ = writeln!(text, "{}", line(draw, grain, wants).join("\n"));
    }
    (text, ("a", "b"))
}

/// A shape of the roster.
fn shaped(
    draw: &mut Draw<'_>,
    grain: Grain,
    wants: Wants,
) -> (String, (&'static str, &'static str)) {
    let it = draw.one(&SHAPES);
    let mut text = format!(
        "[topology]\nkind = {:?}\ncarries = {:?}\n",
        it.name,
        grain.name()
    );
    for key in values(draw, it.parameters, grain, 4) {
        let _ = writeln!(text, "{key}");
    }
    for links in it.about.links {
        if links.without == Without::Wrong || draw.happens(4) {
            let keys = line(draw, grain, wants).join(", ");
            let _ = writeln!(text, "{} = {{ {keys} }}", links.name);
        }
    }
    // If a shape has only one group of hosts, both ends are members of it.
    let ends = match it.name {
        "dumbbell" | "parking-lot" | "incast" => ("source", "sink"),
        _ => ("host-0", "host-1"),
    };
    (text, ends)
}

/// A plan, right or not quite.
pub fn plan(numbers: &[u16], wants: Wants) -> String {
    let draw = &mut Draw::new(numbers);
    let grain = match draw.one(&[Grain::Packets, Grain::Cells]) {
        _ if wants.mixed => Grain::Packets,
        grain => grain,
    };
    let mut text = String::new();
    // This is long enough for any number of timeouts that periodic losses can cause.
    let duration = if wants.completes {
        "100000 s"
    } else {
        // Some runs last longer than the first timeout, which is one second unless the plan changes it.
        draw.one(&["100 ms", "5 ms", "400 ms", "2500 ms"])
    };
    let _ = writeln!(text, "duration = {duration:?}");
    text += &frame::keys(draw, grain, wants);
    if !wants.completes && draw.happens(4) {
        text += "sample = \"2 ms\"\n";
    }
    if draw.happens(2) {
        text += "routing = \"ecmp\"\n";
    }
    let shape = draw.happens(4);
    let (net, ends) = if wants.mixed {
        mixed::chain(draw, wants)
    } else if shape {
        shaped(draw, grain, wants)
    } else {
        chain(draw, grain, wants)
    };
    let many = 1 + draw.below(3);
    // In TOML, the plan's own keys must come before the first section.
    text += &net;
    // Of a path with cells, too, flows may share a VC.
    let on_vcs = if wants.mixed { Grain::Cells } else { grain };
    text += &frame::channels(draw, on_vcs);
    for number in 0..many {
        text += &flow(draw, number, ends, grain, wants);
    }
    if !wants.completes {
        text += &frame::sweep(draw);
    }
    text
}
