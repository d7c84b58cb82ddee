//! Forecast of a plan before it is run: round trips, bandwidth-delay products, loads, and the time that it will take.

mod arrivals;
mod bursts;
mod division;
mod kept;
mod marking;
mod notes;
mod phases;

pub(crate) use arrivals::backlog;
pub use arrivals::{ArrivalFacts, connections};
pub use division::{Divided, divided};
pub use kept::{Kept, kept, tape_rows};
pub use notes::notes;

use crate::halt::{flag, look};
use crate::stopwatch::Stopwatch;
use dupack_core::measure::{Bytes, CELL_BITS, Rate, Window};
use dupack_core::queue::Grain;
use dupack_core::time::{Duration, Instant};
use dupack_sim::probe::{Off, Probe, Spreads};
use dupack_sim::{Session, measure};

use dupack_sim::spec::{FarEnd, Flow, Link, Network};
use serde::Serialize;
use std::collections::HashMap;

/// Properties of a network that are known before it is run.
#[derive(Clone, Debug, Serialize)]
pub struct Forecast {
    /// Length of the run \[s\].
    pub duration_s: f64,
    /// Its flows that are one connection each.
    pub flows: Vec<FlowFacts>,
    /// Flows with many connections, which come and go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<ArrivalFacts>,
    /// Its links, both ways.
    pub links: Vec<LinkFacts>,
}

/// A flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowFacts {
    /// Its name.
    pub name: String,
    /// Its transport.
    pub transport: String,
    /// The nodes that its data passes.
    pub path: Vec<String>,
    /// The line with the smallest rate for it if all flows on the line share it equally; the first of several.
    pub bottleneck: String,
    /// Rate of that line \[b/s\].
    pub bottleneck_bps: u64,
    /// The round trip of a full segment on an empty network \[s\].
    pub round_trip_s: f64,
    /// Bandwidth-delay product: bytes that the bottleneck carries in that time.
    pub bdp_bytes: f64,
    /// The same in full segments with their headers (and, on cells, the cells' own).
    pub bdp_segments: f64,
    /// The largest window that its parameters allow \[segments\]; none for a sender without acks, which has no window.
    pub window_segments: Option<u64>,
    /// Share of the bottleneck's rate that such a window fills if the flow is alone, at most 1; 1 for a sender without acks.
    pub window_share: f64,
}

/// One way of a link.
#[derive(Clone, Debug, Serialize)]
pub struct LinkFacts {
    /// Its name.
    pub name: String,
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Units that it carries.
    pub carries: &'static str,
    /// Its rate \[b/s\]; of a link with a trace or a schedule its mean.
    pub rate_bps: u64,
    /// Its propagation delay \[s\]; of a link with a schedule its mean.
    pub delay_s: f64,
    /// Its discipline.
    pub queue: String,
    /// Room of that discipline \[units\]; none if it is unlimited.
    pub buffer_units: Option<u64>,
    /// Room in time: how long a full buffer takes to be sent, in units of a full packet or a cell \[s\].
    pub buffer_s: Option<f64>,
    /// Flows whose data passes it; connections that come and go are not counted.
    pub flows: usize,
    /// Load that connections offer it, headers and acks included, over its rate; null without any, or if they begin when others have ended.
    pub offered_load: Option<f64>,
}

/// The time of `bits` on a line \[s\].
fn sending(bits: u64, rate: Rate) -> f64 {
    bits as f64 / rate.bps()
}

/// Time that a packet takes on a way if no other traffic is there \[s\].
pub(crate) fn passing(network: &Network, way: &[usize], bytes: u64) -> f64 {
    let mut time = 0.0;
    // A switch of cells forwards each cell as it comes: each line adds the time of one cell, and the slowest adds that of the others.
    let mut slowest: f64 = 0.0;
    for (place, at) in way.iter().enumerate() {
        let link = &network.links[*at];
        time += link.delay.seconds();
        if link.carries == Grain::Packets {
            time += sending(link.bits(bytes), link.rate);
            continue;
        }
        time += sending(CELL_BITS, link.rate);
        let whole = network.bits_on(link, Bytes(bytes));
        slowest = slowest.max(sending(whole.saturating_sub(CELL_BITS), link.rate));
        if link.far_end == FarEnd::Edge || place + 1 == way.len() {
            time += std::mem::take(&mut slowest);
        }
    }
    time
}

/// The largest window of a flow \[segments\].
fn window(flow: &Flow) -> u64 {
    let common = &flow.transport.common;
    let receiver = common.receiver_window();
    let clamp = |window: Option<Window>| window.map(|it| it.whole_segments(common.mss));
    receiver.min(clamp(common.max_cwnd).unwrap_or(u64::MAX))
}

fn flow_facts(network: &Network, flow: &Flow, passes: &[usize]) -> FlowFacts {
    let (mss, header) = (flow.transport.common.mss.0, flow.transport.common.header.0);
    // The bottleneck is the line whose rate is smallest when shared equally by all flows that pass it.
    let share = |at: usize| network.links[at].served().bps() / passes[at].max(1) as f64;
    let least = flow.forward.iter().copied();
    let least = least.reduce(|least, at| if share(at) < share(least) { at } else { least });
    let line = &network.links[least.unwrap_or(0)];
    let there = passing(network, &flow.forward, mss + header);
    let answered = flow.transport.pair.acknowledged();
    let back = if answered {
        passing(network, &flow.back, header)
    } else {
        0.0
    };
    let round_trip = there + back;
    let product = line.served().bps() * round_trip / 8.0;
    let segments = product * 8.0 / network.bits_on(line, Bytes(mss + header)) as f64;
    let window = window(flow);
    let mut path = vec![network.links[flow.forward[0]].from.to_string()];
    path.extend((flow.forward.iter()).map(|at| network.links[*at].to.to_string()));
    FlowFacts {
        name: flow.name.clone(),
        transport: flow.transport.name().into_owned(),
        path,
        bottleneck: line.name.clone(),
        bottleneck_bps: line.served().0,
        round_trip_s: round_trip,
        bdp_bytes: product,
        bdp_segments: segments,
        window_segments: answered.then_some(window),
        window_share: if answered {
            (window as f64 / segments).min(1.0)
        } else {
            1.0
        },
    }
}

/// Buffer sizes by the paths of their links, as the plan's canonical text states them.
fn rooms(key: &str) -> HashMap<&str, u64> {
    let mut rooms = HashMap::new();
    for line in key.lines() {
        let Some((path, value)) = line.split_once(" = ") else {
            continue;
        };
        let room = value.split(' ').next().and_then(|it| it.parse().ok());
        let (Some(path), Some(room)) = (path.strip_prefix("link."), room) else {
            continue;
        };
        if let Some(queue) = path.strip_suffix(".inner.buffer") {
            // A discipline that contains another has a buffer of its own, or that of the other.
            rooms.entry(queue).or_insert(room);
        } else if let Some(queue) = path.strip_suffix(".buffer") {
            rooms.insert(queue, room);
        }
    }
    rooms
}

/// Buffer size of one direction of a link, which may be a member of a group.
fn room_of(rooms: &HashMap<&str, u64>, name: &str) -> Option<u64> {
    let (name, key) = match name.strip_suffix(".back") {
        Some(name) => (name, "back_queue"),
        None => (name, "queue"),
    };
    let group = name.rsplit_once('-').map(|(group, _)| group);
    [Some(name), group]
        .into_iter()
        .flatten()
        .find_map(|name| rooms.get(format!("{name}.{key}").as_str()).copied())
}

/// The path of `key` of a direction of a link: that of the way back is at the link itself, as `back_` and the key.
fn of_way(link: &Link, key: &str) -> String {
    match link.name.strip_suffix(".back") {
        Some(name) => format!("link.{name}.back_{key}"),
        None => format!("link.{}.{key}", link.name),
    }
}

/// A note on the first of these paths, which counts the others.
fn of_paths(mut paths: impl Iterator<Item = String>, note: &str) -> Option<String> {
    let first = paths.next()?;
    let others = match paths.count() {
        0 => String::new(),
        others => format!(" (and {others} more)"),
    };
    Some(format!("{first}{others}: {note}"))
}

/// Forecast of `network`; `key` is its canonical text. The rates and delays of links that change are means over the measured time.
pub fn forecast(network: &Network, key: &str) -> Forecast {
    look();
    let network = &*network.averaged();
    let rooms = rooms(key);
    let mut passes = vec![0; network.links.len()];
    // The longest packet that passes each link: a full buffer of packets is assumed to hold these.
    let mut longest = vec![0; network.links.len()];
    let expected = arrivals::facts(network, &mut longest);
    for flow in network.flows.iter().filter(|it| it.arrivals.is_none()) {
        look();
        let common = &flow.transport.common;
        for at in &flow.forward {
            passes[*at] += 1;
            longest[*at] = longest[*at].max(common.mss.0 + common.header.0);
        }
        for at in &flow.back {
            longest[*at] = longest[*at].max(common.header.0);
        }
    }
    let links = network.links.iter().enumerate().map(|(at, link)| {
        let buffer = link
            .queue
            .as_ref()
            .and_then(|_| room_of(&rooms, &link.name));
        let unit = match link.carries {
            Grain::Cells => CELL_BITS,
            Grain::Packets => link.bits(longest[at]),
        };
        LinkFacts {
            name: link.name.clone(),
            from: link.from.to_string(),
            to: link.to.to_string(),
            carries: link.carries.name(),
            rate_bps: link.rate.0,
            delay_s: link.delay.seconds(),
            queue: link
                .queue
                .as_ref()
                .map_or("unlimited", |it| it.name())
                .into(),
            buffer_units: buffer,
            buffer_s: buffer.map(|n| sending(n * unit, link.served())),
            flows: passes[at],
            offered_load: expected.loads[at],
        }
    });
    let links = links.collect();
    Forecast {
        duration_s: network.duration.seconds(),
        flows: (network.flows.iter())
            // Connections that come and go have no common path: each has one of its own.
            .filter(|flow| flow.arrivals.is_none())
            .map(|flow| flow_facts(network, flow, &passes))
            .collect(),
        arrivals: expected.flows,
        links,
    }
}

/// Estimated duration of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rehearsal {
    /// Part that was run for the estimate \[s of simulated time\].
    pub simulated_s: f64,
    /// Processor time of all of it \[s\].
    pub cpu_s: f64,
}

/// Runs the first part of `network`, as far as it comes in about `budget_s` of processor time, and extrapolates how long all of it
/// will take. The estimate is doubled if MSER-5 has to find the warm-up first. `None` if the run fails or is halted.
pub fn rehearse(network: &Network, seed: u64, budget_s: f64) -> Option<Rehearsal> {
    let part = drawn(network, seed)?;
    // What does not grow with the duration: a run of no time sets all up and makes the report.
    let start = Stopwatch::start();
    let none = Network {
        duration: Duration(1),
        ..part.clone()
    };
    measure(&none, seed, &flag()).ok()?;
    let fixed = start.seconds();
    let (simulated_s, cpu_s) = if part.percentiles {
        rehearsed(&part, seed, Spreads::default(), budget_s, |_, spent| spent)
    } else {
        rehearsed(&part, seed, Off, budget_s, |_, spent| spent)
    }?;
    Some(Rehearsal {
        simulated_s,
        cpu_s: (fixed + cpu_s) * if network.mser { 2.0 } else { 1.0 },
    })
}

/// The network of a run with `seed` without a warm-up, which no rehearsal needs.
fn drawn(network: &Network, seed: u64) -> Option<Network> {
    let part = Network {
        warm_up: Duration::ZERO,
        mser: false,
        ..network.clone()
    };
    Session::<Off>::prepare(&part, seed, &flag()).ok()
}

/// Runs `network`, for which ends and routes are drawn, until a longer and longer part has taken more than `budget_s` of processor time, or
/// to its end. Returns the length of that part \[s\], and what `value` of the probe and of the processor time \[s\] would be at the end if it
/// grew as in the last half of that part.
fn rehearsed<P: Probe>(
    network: &Network,
    seed: u64,
    probe: P,
    budget_s: f64,
    value: impl Fn(&mut P, f64) -> f64,
) -> Option<(f64, f64)> {
    let whole = network.duration;
    let mut session = Session::new(network, seed, probe);
    let start = Stopwatch::start();
    let mut at = |length: Duration| {
        session.advance(Instant(length.0), &flag()).ok()?;
        let spent = start.seconds();
        Some((length.seconds(), value(session.probe(), spent), spent))
    };
    // What happens at the very start happens once.
    let (mut before, mut length) = (at(Duration::ZERO)?, (whole.0 >> 10).max(1));
    loop {
        let now = at(Duration(length))?;
        if length >= whole.0 || now.2 > budget_s {
            let slope = (now.1 - before.1) / (now.0 - before.0);
            let left = whole.seconds() - now.0;
            return Some((now.0, now.1 + slope * left.max(0.0)));
        }
        before = now;
        length = (length * 2).min(whole.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use std::sync::atomic::AtomicBool;

    const PLAN: &str = r#"
duration = "2 s"
host = [{ name = "a", count = 2 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "packets", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "packets", rate = "1 Mb/s", delay = "9 ms", queue = { kind = "drop-tail", buffer = "10 packets" } },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "reno", mss = "960 B", max_window = "2 segments" } }]
"#;

    fn told(plan: &str) -> Forecast {
        let plan = Plan::parse(plan.as_bytes(), "x", &[]).expect("a right plan");
        forecast(&plan.points[0].network, &plan.points[0].key)
    }

    #[test]
    fn round_trips_and_products_are_those_of_the_empty_network() {
        let all = told(PLAN);
        let flow = &all.flows[1];
        assert_eq!(flow.path, ["a-1", "s", "b"]);
        assert_eq!(
            (flow.bottleneck.as_str(), flow.bottleneck_bps),
            ("line", 1_000_000)
        );
        // 1000 B at 10 and at 1 Mb/s, 40 B back over both, and 20 ms of propagation.
        let want = 0.0008 + 0.008 + 0.00032 + 0.000_032 + 0.02;
        assert!(
            (flow.round_trip_s - want).abs() < 1e-9,
            "{}",
            flow.round_trip_s
        );
        assert!((flow.bdp_bytes - want * 125_000.0).abs() < 1e-6);
        assert!((flow.bdp_segments - want * 125.0).abs() < 1e-9);
        assert_eq!(flow.window_segments, Some(2));
        assert!((flow.window_share - 2.0 / (want * 125.0)).abs() < 1e-9);
    }

    #[test]
    fn the_round_trip_is_what_a_run_measures_on_an_empty_network() {
        for carries in ["packets", "cells"] {
            let plan = PLAN
                .replace("packets\", rate", &format!("{carries}\", rate"))
                .replace(
                    ", queue = { kind = \"drop-tail\", buffer = \"10 packets\" }",
                    "",
                )
                .replace("2 segments", "1 segments")
                .replace("count = 2", "count = 1");
            let plan = Plan::parse(plan.as_bytes(), "x", &[]).expect("a right plan");
            let network = &plan.points[0].network;
            let facts = forecast(network, &plan.points[0].key);
            let report = measure(network, 1, &AtomicBool::new(false)).expect("a run");
            let text = serde_json::to_value(&report).expect("a document");
            let measured = text["flows"][0]["mean_rtt_s"].as_f64().expect("a number");
            let told = facts.flows[0].round_trip_s;
            assert!(
                (told / measured - 1.0).abs() < 0.002,
                "{carries}: {told} {measured}"
            );
        }
    }

    #[test]
    fn buffers_of_members_of_groups_are_found_too() {
        let plan = PLAN.replace(
            "rate = \"10 Mb/s\"",
            "rate = \"10 Mb/s\", queue = { kind = \"triple-buffering\", inner = { kind = \"drop-tail\", buffer = \"7 packets\" } }",
        );
        let links = told(&plan).links;
        let of = |name: &str| links.iter().find(|it| it.name == name).expect("a link");
        assert_eq!(of("access-1").buffer_units, Some(7));
        assert_eq!(of("access-1.back").buffer_units, None);
        assert_eq!(of("line").buffer_units, Some(10));
        assert!(
            of("line")
                .buffer_s
                .is_some_and(|s| (s - 0.08).abs() < 1e-12)
        );
        assert_eq!((of("line").flows, of("line.back").flows), (2, 0));
    }

    #[test]
    fn a_rehearsal_that_reaches_the_end_was_the_run() {
        let plan = Plan::parse(PLAN.as_bytes(), "x", &[]).expect("a right plan");
        let network = &plan.points[0].network;
        let all = rehearse(network, 1, f64::INFINITY).expect("it balances");
        assert_eq!(all.simulated_s, 2.0);
        let first = rehearse(network, 1, 0.0).expect("it balances");
        assert!(first.simulated_s < 0.01 && first.cpu_s >= 0.0);
    }

    #[test]
    fn what_is_extrapolated_grows_with_the_simulated_time_alone() {
        let plan = Plan::parse(PLAN.as_bytes(), "x", &[]).expect("a right plan");
        let part = drawn(&plan.points[0].network, 1).expect("a network");
        // A value that is there from the start, such as a set-up, is not multiplied.
        let (simulated, value) = rehearsed(&part, 1, Off, 0.0, |_, _| 7.0).expect("it balances");
        assert!(simulated < 0.01);
        assert_eq!(value, 7.0);
    }
}
