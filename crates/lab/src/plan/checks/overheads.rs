//! Processing times of hosts: extra delays of what they send, on the first line of its way.

use crate::plan::error::Log;
use crate::plan::links::Links;
use crate::plan::nodes::Nodes;
use dupack_core::jitter::JitterParams;
use dupack_core::jitter::uniform::UniformParams;
use dupack_core::queue::Grain;
use dupack_core::time::Duration;

/// The jitter of lines that leave a node, if it is a host that takes a time for each packet.
pub(in crate::plan) fn of(nodes: &Nodes, from: usize) -> Option<JitterParams> {
    let max_delay = nodes.overheads.get(from).copied().flatten()?;
    Some(JitterParams::Uniform(UniformParams { max_delay }))
}

/// Reports hosts whose lines cannot be late, or are late already.
pub(in crate::plan) fn check(log: &mut Log, nodes: &Nodes, links: &Links) {
    // If the ends of some link are not known, those of others are not at their places.
    if !links.sound || nodes.overheads.iter().all(Option::is_none) {
        return;
    }
    for link in &links.declared {
        for member in link.members.clone() {
            let (from, to) = links.ends[member];
            for (node, way) in [(from, 0), (to, 1)] {
                let late: Option<Duration> = nodes.overheads.get(node).copied().flatten();
                if late.is_none() {
                    continue;
                }
                let path = format!("host.{}.overhead", nodes.names.member(node));
                if links.grain == Some(Grain::Cells) {
                    let message = "the links carry cells, which keep their distance; write it in a plan of packets";
                    log.error(path, message);
                    return;
                }
                if link.ways[way].jitter.is_some() {
                    let name = links.names.member(member);
                    let key = link.ways[way].keys.jitter;
                    let message = format!("link {name:?} has `{key}` already; write one of them");
                    log.error(path, message);
                    return;
                }
            }
        }
    }
}
