//! The VC that carries each way on each link.
//!
//! A way begins on a VC of its own, with the number of the way. Each edge ends the arriving VC and begins another: the VC that
//! the flow shares with others, if both of its ends are edges, or another one of its own.

use crate::spec::{FarEnd, Network};
use dupack_core::measure::{Bytes, Rate};
use dupack_core::queue::Grain;
use dupack_core::sar;
use dupack_core::unit::FlowId;
use std::collections::HashMap;

/// The VCs of a network.
#[derive(Debug)]
pub struct Channels {
    /// Per place of all ways, one way after another.
    pub at: Vec<FlowId>,
    /// Number of VCs.
    pub count: usize,
    /// For each link with a discipline, its VCs and their guaranteed rates: 0 for none; for other links those that have one.
    pub guaranteed: Vec<Vec<(FlowId, Rate)>>,
    /// Per link, the longest packet that passes there \[units\].
    pub longest: Vec<u64>,
}

impl Channels {
    /// The VCs of a network's ways, the ways of its flows one after another, there and back.
    pub fn new(network: &Network) -> Self {
        let mut count = 2 * network.flows.len();
        let mut shared: HashMap<(usize, usize), FlowId> = HashMap::new();
        let mut guaranteed: Vec<Vec<(FlowId, Rate)>> = vec![Vec::new(); network.links.len()];
        let mut longest = vec![0; network.links.len()];
        let mut at = Vec::new();
        let new = |count: &mut usize| {
            *count += 1;
            FlowId((*count - 1) as u32)
        };
        let mut own = 0;
        for flow in &network.flows {
            let common = &flow.transport.common;
            let data = Bytes(common.mss.0 + common.header.0);
            for (route, bytes) in [(&flow.forward, data), (&flow.back, common.header)] {
                let units = match network.grain {
                    Grain::Cells => u64::from(sar::cells(bytes, network.trailer)),
                    Grain::Packets => 1,
                };
                let is_edge = |link: &usize| network.links[*link].far_end == FarEnd::Edge;
                let edges = route.iter().filter(|link| is_edge(link)).count();
                let (mut passed, mut vc) = (0, FlowId(own));
                own += 1;
                for (place, link) in route.iter().enumerate() {
                    longest[*link] = units.max(longest[*link]);
                    if place > 0 && is_edge(&route[place - 1]) {
                        passed += 1;
                        vc = match flow.vc {
                            Some(name) if passed < edges => *shared
                                .entry((name, *link))
                                .or_insert_with(|| new(&mut count)),
                            _ => new(&mut count),
                        };
                    }
                    // Packets have no VCs: disciplines know them by their way.
                    let (key, mpr) = match (network.links[*link].carries, flow.vc) {
                        (Grain::Packets, _) => (FlowId(own - 1), flow.mpr),
                        (Grain::Cells, Some(name)) if passed > 0 && passed < edges => {
                            (vc, network.vcs[name].mpr)
                        }
                        (Grain::Cells, _) => (vc, flow.mpr),
                    };
                    // Nothing else asks for the VCs of a link without a discipline: with a million flows they are most of the links.
                    if mpr.is_some() || network.links[*link].queue.is_some() {
                        guaranteed[*link].push((key, mpr.unwrap_or(Rate(0))));
                    }
                    at.push(vc);
                }
            }
        }
        // Flows on a shared VC name it once each; the last is kept.
        for vcs in &mut guaranteed {
            vcs.sort_by_key(|(vc, _)| *vc);
            vcs.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    *kept = *later;
                }
                same
            });
        }
        Self {
            at,
            count,
            longest,
            guaranteed,
        }
    }
}
