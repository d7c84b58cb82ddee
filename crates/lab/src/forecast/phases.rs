//! Phase effects: packets of several flows that stay in step behind a full drop-tail queue, so that some always find it full.
//!
//! Behind a busy line acks come at multiples of a packet's time on the line, and so do the packets that they release. Each flow then arrives
//! at a phase of its own, if nothing on the way is random, and if the times of packets on the other lines are in a simple ratio to that
//! time. A difference of microseconds in a delay decides which flow finds the last place.
//!
//! Packets at a constant rate stay in step with the line in the same way, if their interval is in a simple ratio to a packet's time on it.
//! Other regular traffic, such as a call, takes some of the room, and leaves the others in step.
//= floyd-jacobson-1992 §2

use dupack_core::queue::QueueParams;
use dupack_core::traffic::TrafficParams;
use dupack_sim::spec::{Flow, Link, Network};

/// Rates are in a simple ratio if the smaller term is at most this: 1 : n keeps packets in step for any n.
const TERMS: u64 = 200;

/// Largest part by which `dupack compare --detune` changes rates.
const DETUNED: f64 = 0.001;

/// Round trip of a full packet and its ack if nothing waits \[s\].
fn round_trip(network: &Network, flow: &Flow) -> f64 {
    let header = flow.transport.common.header.0;
    super::passing(network, &flow.forward, length(flow))
        + super::passing(network, &flow.back, header)
}

/// Whether the rates of two lines are in a simple ratio.
fn simple(one: u64, other: u64) -> bool {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one.min(other) / a <= TERMS
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

/// Whether nothing about the times at which a flow sends is random.
fn regular(flow: &Flow) -> bool {
    let own = matches!(
        *flow.traffic,
        TrafficParams::Cbr(_) | TrafficParams::RealTime(_)
    );
    flow.arrivals.is_none() && own
}

/// Whether a flow sends at fixed intervals, in a simple ratio to the times of its packets on the line.
fn periodic(flow: &Flow, link: &Link) -> bool {
    let TrafficParams::Cbr(cbr) = &*flow.traffic else {
        return false;
    };
    flow.arrivals.is_none()
        && !flow.transport.pair.acknowledged()
        && simple(cbr.rate.0, link.served().0)
}

/// Whether flows that send at constant rates alone are more than the line carries.
fn overload(flows: &[usize], network: &Network, link: &Link) -> bool {
    let rates = flows.iter().map(|at| match &*network.flows[*at].traffic {
        TrafficParams::Cbr(cbr) => cbr.rate.0,
        _ => u64::MAX,
    });
    rates.fold(0, u64::saturating_add) > link.served().0
}

/// A note on the first link at which flows may stay in step.
pub(super) fn note(network: &Network) -> Option<String> {
    let passing = Passing::new(network);
    let at = (0..network.links.len()).find(|at| stays_in_step(network, &passing, *at))?;
    let link = &network.links[at];
    let name = super::of_way(link, "queue");
    let first = (passing.data[at].iter()).find(|it| in_step(&network.flows[**it], link))?;
    let time = link.bits(length(&network.flows[*first])) as f64 / link.served().bps();
    let constant = |at: &usize| matches!(*network.flows[*at].traffic, TrafficParams::Cbr(_));
    // Other rates of the lines leave constant rates in step for a long time, and others while they move arrivals by less than a packet.
    let steady = passing.data[at].iter().any(constant);
    let detune = if !steady && DETUNED * round_trip(network, &network.flows[*first]) > time {
        " `dupack compare --detune` shows the effect, too."
    } else {
        ""
    };
    let time = match time * 1e3 {
        ms if ms >= 1.0 => format!("{ms:.0} ms"),
        ms => format!("{:.0} us", (ms * 1e3).max(1.0)),
    };
    Some(format!(
        "{name}: nothing on the way is random, and the packets of several flows come in step with the line (phase effects): a small change of a rate or a delay can change which flow finds the buffer full. Give the hosts an `overhead` of a packet's time on the line, \"{time}\": a random time for each packet.{detune}"
    ))
}

/// Whether packets that come to a full buffer are dropped, and nothing on the line is random.
fn may_be_full(link: &Link) -> bool {
    link.queue.as_ref().is_some_and(drops_at_the_tail) && steady(link)
}

/// Whether a discipline, or the one inside it, drops packets only when its buffer is full.
fn drops_at_the_tail(params: &QueueParams) -> bool {
    let within = |inner: Option<&QueueParams>| inner.is_none_or(drops_at_the_tail);
    match params {
        QueueParams::DropTail(_) | QueueParams::Plain(_) => true,
        QueueParams::TokenBucket(it) => within(it.inner.as_ref().map(|it| it.params())),
        QueueParams::Wfq(it) => within(it.inner.as_ref().map(|it| it.params())),
        QueueParams::StrictPriority(it) => within(it.inner.as_ref().map(|it| it.params())),
        _ => false,
    }
}

/// Whether the packets of a flow can come in step with the line.
fn in_step(flow: &Flow, link: &Link) -> bool {
    clocked(flow) || periodic(flow, link)
}

/// Bytes of a full packet.
fn length(flow: &Flow) -> u64 {
    flow.transport.common.mss.0 + flow.transport.common.header.0
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
    let data = flows.data[at].iter().copied();
    let in_step: Vec<usize> = data
        .filter(|it| in_step(&network.flows[*it], link))
        .collect();
    let of = |at: &usize| &network.flows[*at];
    let mut lengths = in_step.iter().map(|it| length(of(it)));
    let first = lengths.next();
    if in_step.len() < 2 || !lengths.all(|it| Some(it) == first) {
        return false;
    }
    // Any traffic at random times breaks the step, and so does any line with random delays.
    let mut passing = flows.data[at].iter().chain(&flows.acks[at]).map(of);
    passing.all(|flow| {
        if regular(flow) && !periodic(flow, link) {
            return true;
        }
        let ways = flow.forward.iter().chain(&flow.back);
        let mut lines = ways.map(|line| &network.links[*line]);
        self::in_step(flow, link)
            && lines.all(|it| steady(it) && simple(it.rate.0, link.served().0))
    }) && overload(&in_step, network, link)
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
        let within = |inner: &str| {
            format!(
                "link.bottleneck.queue={{ kind = \"token-bucket\", buffer = \"50 packets\", rate = \"4 Mb/s\"{inner} }}"
            )
        };
        for keeps in [
            "",
            "link.access-*.rate=10 Gb/s",
            "link.bottleneck.queue={ kind = \"wfq\", buffer = \"50 packets\" }",
            &within(""),
            &within(", inner = { kind = \"wfq\", buffer = \"50 packets\" }"),
        ] {
            assert!(told(keeps), "{keeps}");
        }
        assert!(!told(&within(", inner = { kind = \"codel\" }")));
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
    fn detuned_rates_are_a_remedy_where_they_move_arrivals_by_a_packet() {
        let offered = |rate: &str| {
            let sets = [
                format!("link.bottleneck.rate={rate}"),
                "link.bottleneck.delay=50 ms".into(),
            ];
            let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points);
            let note = notes.iter().find(|it| it.0.contains("phase effects"));
            note.expect("a note").0.contains("--detune")
        };
        // 0.1 ms of a round trip; a packet takes 0.0576 ms, or 0.576 ms.
        assert!(offered("80 Mb/s"));
        assert!(!offered("8 Mb/s"));
    }

    #[test]
    fn a_call_does_not_break_the_step_and_a_random_flow_does() {
        let other = |traffic: &str| {
            let text = format!(
                "{PLAN}[[flow]]\nname = \"other\"\nfrom = \"source-0\"\nto = \"sink-0\"\ntransport = {{ kind = \"udp\" }}\ntraffic = {traffic}\n"
            );
            let plan = Plan::parse(text.as_bytes(), "x", &[]).unwrap_or_else(|e| panic!("{e}"));
            let notes = notes(&plan.points);
            notes.iter().any(|it| it.0.contains("phase effects"))
        };
        assert!(other("{ kind = \"real-time\" }"));
        assert!(other("{ kind = \"cbr\", rate = \"123457 b/s\" }"));
        assert!(!other("{ kind = \"poisson\", rate = \"100 kb/s\" }"));
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
        // 576 bytes at 8 Mb/s.
        let remedy = "Give the hosts an `overhead` of a packet's time on the line, \"576 us\"";
        assert!(note.contains(remedy), "{note}");
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
