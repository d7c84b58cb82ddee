//! Refuses networks in which cells and packets meet elsewhere than at an edge, and what lines of cells within paths of packets do not support.

use super::super::error::Log;
use super::super::flows::Flows;
use super::super::links::{Link, Links, Way};
use super::super::nodes::{Nodes, Sort};
use super::super::spelling::{join, quoted};
use crate::halt::look;
use dupack_core::declare::{Field, Kind, Value};
use dupack_core::framing::Framing;
use dupack_core::loss::LossParams;
use dupack_core::loss::bit_errors::FoundBy;
use dupack_core::measure::Bytes;
use dupack_core::queue::Grain;
use dupack_sim::spec::Network;
use std::collections::HashMap;

/// The longest frame: AAL5's 65,535 bytes, and what makes them whole cells.
const FRAME: u64 = 65_568;

/// Reports links of cells that packets cannot pass.
pub fn check(log: &mut Log, nodes: &Nodes, links: &Links) {
    if !links.sound {
        return;
    }
    let cells = |it: &&Link| it.carries == Grain::Cells;
    let packets = of_packets(nodes, links);
    for link in links.declared.iter().filter(cells) {
        look();
        check_framing(log, links, link);
        if !links.mixed {
            continue;
        }
        match meets(nodes, links, link, &packets) {
            Some(message) => log.error(join(&link.path, "carries"), message),
            None => link.ways.iter().for_each(|way| check_way(log, link, way)),
        }
    }
    if links.mixed {
        check_switches(log, nodes, links);
    }
}

/// Per node, a link of packets that it has, if there are others that carry cells.
fn of_packets(nodes: &Nodes, links: &Links) -> Vec<Option<usize>> {
    let mut packets = vec![None; nodes.sorts.len()];
    let all = |it: &&Link| links.mixed && it.carries == Grain::Packets;
    for member in (links.declared.iter().filter(all)).flat_map(|it| it.members.clone()) {
        look();
        let (from, to) = links.ends[member];
        for node in [from, to] {
            packets[node].get_or_insert(member);
        }
    }
    packets
}

/// Where a link of cells meets packets, if that is not at an edge.
fn meets(nodes: &Nodes, links: &Links, link: &Link, packets: &[Option<usize>]) -> Option<String> {
    let ends = link.members.clone().map(|member| links.ends[member]);
    let mut ends = ends.flat_map(|(from, to)| [from, to]);
    ends.find_map(|node| {
        let name = nodes.names.member(node);
        match (nodes.sorts[node], packets[node]) {
            (Sort::Host, _) => Some(format!(
                "\"cells\", but other links carry packets, and this one leads to the host {name:?}; write the same for all links, \
                 or put an [[edge]] between the host and this link (there a packet becomes cells)"
            )),
            (Sort::Switch, Some(other)) => Some(format!(
                "\"cells\", but link {:?} carries packets, and the two meet at the switch {name:?}; write the same for all links, \
                 or make {name:?} an [[edge]] (there a packet becomes cells)",
                links.names.member(other)
            )),
            _ => None,
        }
    })
}

/// Reports what a link of cells adds to packets.
fn check_framing(log: &mut Log, links: &Links, link: &Link) {
    for way in &link.ways {
        if way.framing == Framing::Raw {
            continue;
        }
        let message = if !links.mixed {
            "a link of cells adds nothing to them: AAL5 and the cells' headers are counted already; leave it out".to_string()
        } else if way.framing.before_cells().is_some() {
            continue;
        } else {
            let Kind::Choice(words) = Framing::KIND else {
                continue;
            };
            let of_atm = words.iter().copied().filter(|word: &&'static str| {
                let framing = Framing::take(&Value::Choice(word));
                framing.is_some_and(|it| it.before_cells().is_some())
            });
            let names: Vec<&str> = of_atm.collect();
            format!(
                "{:?}, but this link carries cells; allowed: {}, or leave it out for AAL5's trailer alone",
                way.framing.in_plans(),
                quoted(&names)
            )
        };
        log.error(join(&link.path, way.keys.framing), message);
    }
}

/// Reports what one direction of a line of cells within paths of packets does not support.
fn check_way(log: &mut Log, link: &Link, way: &Way) {
    if way.marker.is_some() {
        let message = "it answers RM cells, and here packets come and go, not cells of a source with ABR; leave it out";
        log.error(join(&link.path, way.keys.marker), message);
    }
    let message = match &way.loss {
        Some(loss) if loss.watches().is_some() => {
            "it watches the segments of a flow, and this link has cells of packets that it does not see; write it on a link of packets"
        }
        Some(LossParams::BitErrors(it)) if it.found_by == FoundBy::Host => {
            "its bit errors are found by hosts, and AAL5 finds them here; write `found_by = \"link\"`"
        }
        _ => return,
    };
    log.error(join(&link.path, way.keys.loss), message);
}

/// Reports links of cells that meet at a switch, and of which one adds something else to packets than the other: the same cells pass both.
fn check_switches(log: &mut Log, nodes: &Nodes, links: &Links) {
    let mut at: HashMap<usize, Vec<End<'_>>> = HashMap::new();
    for link in &links.declared {
        let allowed =
            |way: &Way| way.framing == Framing::Raw || way.framing.before_cells().is_some();
        if link.carries != Grain::Cells || !link.ways.iter().all(allowed) {
            continue;
        }
        let [there, back] = &link.ways;
        for member in link.members.clone() {
            look();
            let (from, to) = links.ends[member];
            for (node, comes, goes) in [(from, back, there), (to, there, back)] {
                if nodes.sorts[node] == Sort::Switch {
                    let ends = at.entry(node).or_default();
                    // A switch with a thousand links is not a million pairs.
                    let (first, last) = (ends.first(), ends.last());
                    let differs = first.into_iter().chain(last).find(|it| {
                        it.comes.framing != goes.framing || it.goes.framing != comes.framing
                    });
                    if let Some(other) = differs {
                        let (way, theirs) = if other.comes.framing == goes.framing {
                            (comes, other.goes)
                        } else {
                            (goes, other.comes)
                        };
                        let message = format!(
                            "{:?}, but the same cells pass link {:?}, which has {:?}; write the same for both",
                            way.framing.in_plans(),
                            links.names.member(other.member),
                            theirs.framing.in_plans()
                        );
                        log.error(join(&link.path, way.keys.framing), message);
                        return;
                    }
                    ends.push(End {
                        member,
                        comes,
                        goes,
                    });
                }
            }
        }
    }
}

/// A link of cells at a switch.
struct End<'a> {
    member: usize,
    /// The direction in which cells come to the switch, and the other.
    comes: &'a Way,
    goes: &'a Way,
}

/// Reports flows whose packets would be longer than a frame.
pub fn check_lengths(log: &mut Log, network: &Network, flows: &Flows) {
    for (path, members) in &flows.members {
        for flow in &network.flows[members.clone()] {
            look();
            let common = &flow.transport.common;
            let packet = Bytes(common.mss.0 + common.header.0);
            let cells = flow.forward.iter().map(|at| &network.links[*at]);
            let trailers = cells.filter(|it| it.carries == Grain::Cells);
            let most = trailers.map(|it| network.trailer_on(it).0).max();
            if let Some(trailer) = most.filter(|it| packet.0 + it > FRAME) {
                let (mss, header) = (common.mss.0, common.header.0);
                let message = format!(
                    "\"{mss} B\" is too long for cells: with a header of {header} B and {trailer} B before it becomes cells, a packet has more than \
                     {FRAME} B; write a smaller one"
                );
                log.error(join(&join(path, "transport"), "mss"), message);
                break;
            }
        }
    }
}
