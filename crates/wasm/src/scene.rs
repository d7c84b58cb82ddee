//! A network, as a page draws it.

use dupack_core::ledger::Cause;
use dupack_core::queue::Grain;
use dupack_core::time::Instant;
use dupack_sim::probe::Event;
use dupack_sim::spec::{self, FarEnd, Network};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// A network before its run.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    title: String,
    seed: u64,
    duration_ps: u64,
    warm_up_ps: u64,
    /// `cells` or `packets`.
    carries: &'static str,
    nodes: Vec<Node>,
    /// One for each direction.
    links: Vec<Link>,
    flows: Vec<Flow>,
    /// Words for the events of rows, by number.
    events: Vec<&'static str>,
    /// Words for causes of drops, by number.
    causes: Vec<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct Node {
    name: String,
    /// `host` or `switch`.
    kind: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct Link {
    name: String,
    from: String,
    to: String,
    rate_bps: f64,
    delay_ps: u64,
    /// Word of its discipline; none for an unlimited FIFO.
    queue: Option<String>,
    /// Its rate, delay or losses change over time.
    varies: bool,
    /// The states of its schedule, the earliest first; none without a schedule.
    course: Vec<State>,
}

/// A line from a time on.
#[derive(Clone, Debug, Serialize)]
struct State {
    at_ps: u64,
    rate_bps: f64,
    delay_ps: u64,
    up: bool,
}

/// States of a schedule that are told; one that is repeated may have any number.
const STATES: usize = 10_000;

#[derive(Clone, Debug, Serialize)]
struct Flow {
    name: String,
    from: String,
    to: String,
    /// The earliest start.
    start_ps: u64,
    /// The data's way: indices of links.
    forward: Vec<usize>,
    /// The acks' way.
    back: Vec<usize>,
    /// Connections that come and go.
    arrivals: bool,
    /// Word of its transport.
    transport: String,
    /// A full packet with its headers \[bits\].
    packet_bits: u64,
}

impl Scene {
    /// Of a network as it was drawn for a seed.
    pub fn new(network: &Network, title: &str, seed: u64) -> Self {
        let mut kinds = BTreeMap::new();
        for link in &network.links {
            let kind = match link.far_end {
                FarEnd::Host => "host",
                _ => "switch",
            };
            kinds.insert(link.to.as_ref(), kind);
        }
        let ends = network.links.iter().flat_map(|link| [&link.from, &link.to]);
        let mut told = HashSet::new();
        let nodes = ends.filter(|name| told.insert(*name)).map(|name| Node {
            name: name.to_string(),
            // A node that only sends is a host.
            kind: kinds.get(name.as_ref()).copied().unwrap_or("host"),
        });
        let links = network.links.iter().map(|link| Link {
            name: link.name.clone(),
            from: link.from.to_string(),
            to: link.to.to_string(),
            rate_bps: link.rate.bps(),
            delay_ps: link.delay.0,
            queue: link.queue.as_ref().map(|queue| queue.name().to_string()),
            varies: link.schedule.is_some() || link.trace.is_some(),
            course: course(link, Instant::ZERO + network.duration),
        });
        let flows = network.flows.iter().map(|flow| {
            let end = |at: Option<&usize>, far: bool| {
                let link = at.map(|at| &network.links[*at]);
                link.map_or(String::new(), |it| {
                    if far { &it.to } else { &it.from }.to_string()
                })
            };
            Flow {
                name: flow.name.clone(),
                from: end(flow.forward.first(), false),
                to: end(flow.forward.last(), true),
                start_ps: flow.start.0.0,
                forward: flow.forward.clone(),
                back: flow.back.clone(),
                arrivals: flow.arrivals.is_some(),
                transport: flow.transport.name().into_owned(),
                packet_bits: (flow.transport.common.mss.0 + flow.transport.common.header.0) * 8,
            }
        });
        Self {
            title: title.into(),
            seed,
            duration_ps: network.duration.0,
            warm_up_ps: network.warm_up.0,
            carries: match network.grain {
                Grain::Cells => "cells",
                Grain::Packets => "packets",
            },
            nodes: nodes.collect(),
            links: links.collect(),
            flows: flows.collect(),
            events: Event::ALL.iter().map(|event| event.name()).collect(),
            causes: Cause::ALL.iter().map(|cause| cause.name()).collect(),
        }
    }
}

/// The states of a link's schedule until the end of the run.
fn course(link: &spec::Link, end: Instant) -> Vec<State> {
    let states = link.schedule.iter().flat_map(|course| course.until(end));
    let told = states.take(STATES).map(|(at, state)| State {
        at_ps: at.0,
        rate_bps: state.rate.bps(),
        delay_ps: state.delay.0,
        up: state.up,
    });
    told.collect()
}
