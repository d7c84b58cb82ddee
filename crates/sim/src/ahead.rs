//! Lines whose units may be dealt with ahead of time: as soon as it is known when they arrive, instead of at that time.
//!
//! Such a line leads to a switch or a host where nothing else comes before the next line: what leaves the next line then depends only on the
//! units of this one, in their order. So an arrival needs no event of its own, and the order of events of one instant at all other places
//! stays the same, because that depends on times and links alone.

use crate::spec::{FarEnd, Link, Network};
use dupack_core::time::Duration;

/// The most receivers behind a line of which one delays acks: before each arrival, those that are due earlier are looked for.
const FEW: usize = 4;

/// What offers units to a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    None,
    /// This line alone, through a switch.
    Line(usize),
    /// Receivers that this line alone leads to.
    Receivers(usize),
    /// Several of these, or a sender.
    Many,
}

/// Such lines.
#[derive(Debug)]
pub struct Ahead {
    /// Whether each line is one.
    pub lines: Vec<bool>,
    /// For each of them, the flows whose receivers it leads to, if some of these delay acks.
    pub receivers: Vec<Vec<usize>>,
}

impl Ahead {
    /// No line.
    pub fn none(network: &Network) -> Self {
        Self {
            lines: vec![false; network.links.len()],
            receivers: Vec::new(),
        }
    }

    /// The lines of `network`, whose routes are drawn.
    pub fn new(network: &Network) -> Self {
        // Routes of connections that come and go are not known beforehand, and when their slots are reused depends on what is in flight.
        // What comes from lines of cells comes between what other lines bring.
        if network.flows.iter().any(|flow| flow.arrivals.is_some()) || network.is_mixed() {
            return Self::none(network);
        }
        let feeders = feeders(network);
        let mut lines: Vec<bool> = network.links.iter().map(is_plain).collect();
        for flow in &network.flows {
            for route in [&flow.forward, &flow.back] {
                for pair in route.windows(2) {
                    lines[pair[0]] &= feeders[pair[1]] == Feeder::Line(pair[0])
                        && takes_time(&network.links[pair[1]]);
                }
            }
            if let (Some(last), Some(first)) = (flow.forward.last(), flow.back.first()) {
                lines[*last] &= feeders[*first] == Feeder::Receivers(*last)
                    && takes_time(&network.links[*first]);
            }
            // A sender has timers, and what it sends comes to lines that others send on.
            if let Some(last) = flow.back.last() {
                lines[*last] = false;
            }
        }
        let mut receivers = Vec::new();
        if network
            .flows
            .iter()
            .any(|flow| flow.transport.common.delayed_ack)
        {
            receivers.resize(network.links.len(), Vec::new());
            for (at, flow) in network.flows.iter().enumerate() {
                if let Some(last) = flow.forward.last() {
                    receivers[*last].push(at);
                }
            }
            for (line, receivers) in lines.iter_mut().zip(&receivers) {
                let delays = |flow: &usize| network.flows[*flow].transport.common.delayed_ack;
                *line &= receivers.len() <= FEW || !receivers.iter().any(delays);
            }
        }
        Self { lines, receivers }
    }
}

/// What offers units to each line.
fn feeders(network: &Network) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::None; network.links.len()];
    let mut feeds = |line: usize, by: Feeder| {
        let it = &mut feeders[line];
        *it = if *it == Feeder::None || *it == by {
            by
        } else {
            Feeder::Many
        };
    };
    for flow in &network.flows {
        let receivers = flow
            .forward
            .last()
            .map_or(Feeder::Many, |last| Feeder::Receivers(*last));
        for (route, first) in [(&flow.forward, Feeder::Many), (&flow.back, receivers)] {
            let mut by = first;
            for line in route {
                feeds(*line, by);
                by = Feeder::Line(*line);
            }
        }
    }
    feeders
}

/// Units arrive over it in the order in which they leave, and go on as they are.
fn is_plain(link: &Link) -> bool {
    link.reorder.is_none() && link.far_end != FarEnd::Edge
}

/// What is offered to it arrives later, not in the same instant.
fn takes_time(link: &Link) -> bool {
    link.least_delay() > Duration::ZERO
}
