//! Refuses virtual channels where they are impossible, and guarantees that cannot be kept.

use super::super::error::Log;
use super::super::flows::Flows;
use super::super::links::Links;
use super::super::nodes::{Nodes, Sort};
use super::super::spelling::join;
use crate::halt::look;
use dupack_core::queue::Grain;
use dupack_core::unit::Cell;
use dupack_sim::channels::Channels;
use dupack_sim::spec::Network;

/// Reports VCs that are impossible: on packets, on routes without two edges, and for flows whose routes differ between the edges.
pub fn check(log: &mut Log, nodes: &Nodes, links: &Links, flows: &Flows, routes: &[Vec<usize>]) {
    if links.grain == Some(Grain::Cells) || links.mixed {
        for (path, members) in &flows.members {
            look();
            // In a plan of packets, only the links of cells count.
            let counts = |at: &&usize| !links.mixed || links.carries(**at) == Some(Grain::Cells);
            let lengths = routes[members.clone()].iter();
            let longest = lengths.map(|it| it.iter().filter(counts).count()).max();
            if longest > Some(Cell::HOPS) {
                let most = Cell::HOPS;
                log.error(
                    path,
                    format!("its path has more than {most} links; cells pass at most that many"),
                );
            }
        }
    }
    // Per VC, the first flow on it, and that flow's route between the edges.
    let mut ways: Vec<Option<(&str, &[usize])>> = Vec::new();
    for (path, members, vc) in &flows.on_vcs {
        look();
        if links.grain == Some(Grain::Packets) && !links.mixed {
            let message = "packets have no virtual channels; write `carries = \"cells\"` for the links, or leave it out";
            log.error(join(path, "vc"), message);
            continue;
        }
        ways.resize(ways.len().max(vc + 1), None);
        for route in &routes[members.clone()] {
            let Some(between) = between_edges(nodes, links, route) else {
                let message = "its flow passes fewer than two edges; a VC that flows share begins at one [[edge]] and ends at another";
                log.error(join(path, "vc"), message);
                break;
            };
            let (first, way) = *ways[*vc].get_or_insert((path, between));
            if way != between {
                let message = format!(
                    "its flow takes another path between the edges than that of {first}, on the same VC"
                );
                log.error(join(path, "vc"), message);
                break;
            }
        }
    }
}

/// Reports flows whose route is drawn for each seed, although something needs it before.
pub fn check_known_ways(log: &mut Log, flows: &Flows) {
    let message = "a shared VC or a guarantee belongs to one path, and `routing = \"ecmp\"` draws a path for every seed; write `routing = \"first\"`";
    for (path, _, _) in &flows.on_vcs {
        log.error(join(path, "vc"), message);
    }
    for (path, _) in &flows.paced {
        log.error(join(path, "abr"), message);
    }
    for flow in flows.declared.iter().filter(|it| it.mpr.is_some()) {
        log.error(join(&flow.path, "mpr"), message);
    }
}

/// The links of a way from its first edge to its last.
fn between_edges<'r>(nodes: &Nodes, links: &Links, route: &'r [usize]) -> Option<&'r [usize]> {
    let to_edge = |link: &usize| {
        let (from, to) = links.ends[link / 2];
        nodes.sorts[if link.is_multiple_of(2) { to } else { from }] == Sort::Edge
    };
    let first = route.iter().position(to_edge)?;
    let last = route.iter().rposition(to_edge)?;
    (first < last).then(|| &route[first + 1..=last])
}

/// Reports lines that cannot keep the guarantees of their VCs.
pub fn check_guarantees(log: &mut Log, network: &Network) {
    let sums: Vec<u64> = Channels::new(network)
        .guaranteed
        .iter()
        .map(|vcs| {
            vcs.iter()
                .fold(0, |sum: u64, (_, rate)| sum.saturating_add(rate.0))
        })
        .collect();
    let broken = |at: usize| sums[at] > network.links[at].rate.0;
    for (at, link) in network.links.iter().enumerate() {
        // If both directions of a link break the guarantee, only the first is reported.
        if !broken(at) || (at % 2 == 1 && broken(at - 1)) {
            continue;
        }
        let (sum, rate) = (sums[at] as f64 / 1e6, link.rate.bps() / 1e6);
        let message = format!(
            "the VCs that pass it are guaranteed {sum} Mb/s in total, more than its rate of {rate} Mb/s; lower their `mpr`"
        );
        log.error(join("link", &link.name), message);
    }
}
