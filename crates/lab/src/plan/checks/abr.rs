//! Refuses combinations that ABR does not support.

use super::super::error::Log;
use super::super::flows::Flows;
use super::super::links::Links;
use super::super::nodes::{Nodes, Sort};
use super::super::spelling::{join, quoted};
use crate::halt::look;
use dupack_core::measure::CellRate;
use dupack_core::queue::{self, Grain};
use dupack_core::roster::Roster;
use dupack_sim::spec::{Acks, Network};

/// Reports ABR where it is not supported: on packets, across edges, through buffers that cannot handle RM cells.
pub fn check(log: &mut Log, nodes: &Nodes, links: &Links, flows: &Flows, routes: &[Vec<usize>]) {
    let mut told = Vec::new();
    for (path, members) in &flows.paced {
        let at = join(path, "abr");
        if links.grain == Some(Grain::Packets) {
            let message = if links.mixed {
                "its hosts are on links of packets, and ABR needs ATM cells from host to host; leave it out"
            } else {
                "its links carry packets, and ABR needs ATM cells; write `carries = \"cells\"` for the links, or leave it out"
            };
            log.error(at, message);
            continue;
        }
        let mut passed = routes[members.clone()].iter().flatten();
        let is_edge = |link: &usize| {
            let (from, to) = links.ends[link / 2];
            [from, to]
                .iter()
                .any(|node| nodes.sorts[*node] == Sort::Edge)
        };
        if passed.any(is_edge) {
            let message = "its flow passes an edge, where its VC ends and another begins without ABR; write a switch instead of the edge";
            log.error(at, message);
        }
        for link in &links.declared {
            look();
            let passes = |member: usize| {
                let mut all = routes[members.clone()].iter().flatten();
                all.any(|at| at / 2 == member)
            };
            if !link.members.clone().any(passes) {
                continue;
            }
            for way in &link.ways {
                let name = way.queue.as_ref().map(queue::QueueParams::name);
                let Some(entry) = name.and_then(queue::QueueParams::entry) else {
                    continue;
                };
                let place = join(&link.path, way.keys.queue);
                if !entry.about.control_cells && !told.contains(&place) {
                    let others: Vec<_> = queue::QueueParams::ENTRIES
                        .iter()
                        .filter(|it| it.about.grains.contains(&Grain::Cells))
                        .filter(|it| it.about.control_cells)
                        .map(|it| it.name)
                        .collect();
                    let message = format!(
                        "{:?} does not handle RM cells, and {path} with ABR passes it; allowed: {}",
                        entry.name,
                        quoted(&others)
                    );
                    log.error(join(&place, "kind"), message);
                    told.push(place);
                }
            }
        }
    }
}

/// Reports sources that are faster than their lines, and lines that cannot guarantee their sources' minimum rates.
pub fn check_rates(log: &mut Log, network: &Network, flows: &Flows) {
    let mut promised = vec![0.0; network.links.len()];
    for (path, members) in &flows.paced {
        let mut slow = None;
        for flow in &network.flows[members.clone()] {
            let Some(abr) = &flow.abr else { continue };
            let paced: &[&Vec<usize>] = match abr.acks {
                Acks::Plain => &[&flow.forward],
                Acks::Abr => &[&flow.forward, &flow.back],
            };
            for route in paced {
                for link in *route {
                    promised[*link] += abr.params.mcr.0;
                }
                let line = route.first().map(|link| &network.links[*link]);
                if let (Some(pcr), Some(line)) = (abr.params.pcr, line)
                    && pcr > CellRate::of(line.rate)
                {
                    slow.get_or_insert((pcr, line));
                }
            }
        }
        if let Some((pcr, line)) = slow {
            let (pcr, rate) = (pcr.0, CellRate::of(line.rate).0);
            let message = format!(
                "{pcr} cells/s is more than its first link {:?} carries; write at most {rate} cells/s",
                line.name
            );
            log.error(format!("{path}.abr.pcr"), message);
        }
    }
    for (link, promised) in network.links.iter().zip(promised) {
        let rate = CellRate::of(link.rate).0;
        if promised > rate {
            let message = format!(
                "the VCs that pass it are guaranteed {promised} cells/s in total, more than its rate of {rate} cells/s; lower their `mcr`"
            );
            log.error(join("link", &link.name), message);
        }
    }
}
