//! Phase effects: packets of several flows that stay in step behind a full drop-tail queue, so that some always find it full.
//!
//! Behind a busy line acks come at multiples of a packet's time on the line, and so do the packets that they release. Each flow then arrives
//! at a phase of its own, if nothing on the way is random, and if the times of packets on the other lines are in a simple ratio to that
//! time. A difference of microseconds in a delay decides which flow finds the last place.
//!
//! Packets at a constant rate stay in step with the line in the same way, if their interval is in a simple ratio to a packet's time on it.
//= floyd-jacobson-1992 §2

use dupack_core::queue::QueueParams;
use dupack_core::traffic::TrafficParams;
use dupack_sim::spec::{Flow, Link, Network};

/// Rates are in a simple ratio if it has no larger terms.
const TERMS: u64 = 200;

/// Whether the rates of two lines are in a simple ratio.
fn simple(one: u64, other: u64) -> bool {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one / a <= TERMS && other / a <= TERMS
}

/// Whether every packet takes the same time on the line.
fn steady(link: &Link) -> bool {
    let random = link.jitter.is_some() || link.reorder.is_some() || link.duplicate.is_some();
    // Losses that are named in a script are not random, but they are no phase effect either.
    let varies = link.trace.is_some() || link.schedule.is_some() || link.grants.is_some();
    !random && !varies && link.loss.is_none()
}

/// Whether a flow sends whenever an ack lets it.
fn clocked(flow: &Flow) -> bool {
    let endless = matches!(
        *flow.traffic,
        TrafficParams::Greedy(_) | TrafficParams::File(_)
    );
    flow.arrivals.is_none() && flow.transport.pair.acknowledged() && endless
}

/// Whether a flow sends at fixed intervals, in a simple ratio to the times of its packets on the line.
fn periodic(flow: &Flow, link: &Link) -> bool {
    let TrafficParams::Cbr(cbr) = &*flow.traffic else {
        return false;
    };
    flow.arrivals.is_none()
        && !flow.transport.pair.acknowledged()
        && simple(cbr.rate.0, link.rate.0)
}

/// Whether flows that send at constant rates alone are more than the line carries.
fn overload(flows: &[usize], network: &Network, link: &Link) -> bool {
    let rates = flows.iter().map(|at| match &*network.flows[*at].traffic {
        TrafficParams::Cbr(cbr) => cbr.rate.0,
        _ => u64::MAX,
    });
    rates.fold(0, u64::saturating_add) > link.rate.0
}

/// A note on the first link at which flows may stay in step.
pub(super) fn note(network: &Network) -> Option<String> {
    let passing = Passing::new(network);
    let at = (0..network.links.len()).find(|at| stays_in_step(network, &passing, *at))?;
    let link = &network.links[at];
    let name = super::of_way(link, "queue");
    let constant = |at: &usize| matches!(*network.flows[*at].traffic, TrafficParams::Cbr(_));
    // Other rates of the lines leave constant rates in step for a long time.
    let remedy = if passing.data[at].iter().any(constant) {
        "Give the hosts an `overhead`, such as \"1 ms\": a random time for each packet"
    } else {
        "Try `dupack compare --detune`, or detune = 0.001 in the plan"
    };
    Some(format!(
        "{name}: nothing on the way is random, and the packets of several flows come in step with the line (phase effects): a small change of a rate or a delay can change which flow finds the buffer full. {remedy}."
    ))
}

/// Whether packets that come to a full buffer are dropped, and nothing on the line is random.
fn may_be_full(link: &Link) -> bool {
    let tail = |params: &QueueParams| {
        let name = params.name();
        name == "drop-tail" || name == "plain"
    };
    link.queue.as_ref().is_some_and(tail) && steady(link)
}

/// The flows that pass each link that may be full: a search through all flows for each of them would take too long.
struct Passing {
    /// With their data.
    data: Vec<Vec<usize>>,
    /// With their acks.
    acks: Vec<Vec<usize>>,
}

impl Passing {
    fn new(network: &Network) -> Self {
        let many = network.links.len();
        let mut passing = Self {
            data: vec![Vec::new(); many],
            acks: vec![Vec::new(); many],
        };
        for (at, flow) in network.flows.iter().enumerate() {
            for (route, flows) in [
                (&flow.forward, &mut passing.data),
                (&flow.back, &mut passing.acks),
            ] {
                let full = route.iter().filter(|it| may_be_full(&network.links[**it]));
                full.for_each(|link| flows[*link].push(at));
            }
        }
        passing
    }
}

/// Whether the flows behind a link may stay in step.
fn stays_in_step(network: &Network, flows: &Passing, at: usize) -> bool {
    let link = &network.links[at];
    let mut data = flows.data[at].iter().map(|it| &network.flows[*it]);
    let Some(first) = data.next() else {
        return false;
    };
    let length = |flow: &Flow| flow.transport.common.mss.0 + flow.transport.common.header.0;
    let mut others = data.peekable();
    if others.peek().is_none() || !others.all(|it| length(it) == length(first)) {
        return false;
    }
    // Any traffic with a clock of its own breaks the step, and so does any line with random delays.
    let mut passing = (flows.data[at].iter().chain(&flows.acks[at])).map(|it| &network.flows[*it]);
    passing.all(|flow| {
        let ways = flow.forward.iter().chain(&flow.back);
        let mut lines = ways.map(|line| &network.links[*line]);
        (clocked(flow) || periodic(flow, link))
            && lines.all(|it| steady(it) && simple(it.rate.0, link.rate.0))
    }) && overload(&flows.data[at], network, link)
}

#[cfg(test)]
mod tests {
    use crate::forecast::notes;
    use crate::plan::Plan;

    const PLAN: &str = r#"
duration = "1 s"
topology = { kind = "dumbbell", senders = 2, carries = "packets", access = { rate = "100 Mb/s", delay = "1 ms" }, bottleneck = { rate = "8 Mb/s", delay = "1 ms", queue = { kind = "drop-tail", buffer = "50 packets" } } }
[[flow]]
name = "bulk"
from = "source"
to = "sink"
transport = { kind = "sack" }
"#;

    #[test]
    fn flows_that_stay_in_step_are_told() {
        let told = |set: &str| {
            let sets: Vec<String> = (!set.is_empty())
                .then(|| set.to_string())
                .into_iter()
                .collect();
            let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points);
            notes.iter().any(|it| it.0.contains("phase effects"))
        };
        assert!(told(""));
        for breaks in [
            "detune=0.001",
            "link.bottleneck.queue=codel",
            "link.bottleneck.rate=8.0001 Mb/s",
            "link.bottleneck.jitter={ kind = \"uniform\", max_delay = \"1 ms\" }",
            "link.access-0.grants={ slot = \"2 ms\" }",
            "link.access-0.back_duplicate=0.01",
            "topology.senders=1",
        ] {
            assert!(!told(breaks), "{breaks}");
        }
    }

    #[test]
    fn constant_rates_that_stay_in_step_are_told_and_what_helps() {
        let told = |more: &[&str]| {
            let sets = [
                "flow.bulk.transport=udp",
                "flow.bulk.traffic={ kind = \"cbr\", rate = \"8 Mb/s\" }",
            ];
            let sets: Vec<String> = sets.iter().chain(more).map(ToString::to_string).collect();
            let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points);
            notes.into_iter().find(|it| it.0.contains("phase effects"))
        };
        let note = told(&[]).expect("a note").0;
        assert!(note.contains("Give the hosts an `overhead`"), "{note}");
        for breaks in [
            "host.source.overhead=1 ms",
            "flow.bulk.traffic.rate=7.9999 Mb/s",
            "flow.bulk.traffic.rate=4 Mb/s",
            "flow.bulk.traffic={ kind = \"poisson\", rate = \"8 Mb/s\" }",
        ] {
            assert_eq!(told(&[breaks]), None, "{breaks}");
        }
    }
}
