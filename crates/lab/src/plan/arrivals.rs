//! `arrivals` of a flow: connections that come and go, each between two of many hosts.

use super::ends::{Ends, hosts};
use super::error::Log;
use super::flows::Flows;
use super::links::Links;
use super::nodes::{Nodes, Sort};
use super::part::{ARRIVALS, part};
use super::reader::Reader;
use super::spelling::join;
use dupack_core::arrivals::Expect;
use dupack_core::measure::Bytes;
use dupack_core::queue::Grain;
use dupack_core::time::{Duration, SECOND};
use dupack_core::traffic::Offer;
use dupack_core::{traffic, transport};
use dupack_sim::route::{Map, Routes};
use dupack_sim::spec;
use std::collections::HashSet;

/// Of more pairs of hosts than this not each is tried, but each host with one other.
const PAIRS: usize = 1_000_000;

/// Whether the flow that is being read has arrivals.
pub(super) fn given<'t>(reader: &mut Reader<'t>) -> Option<&'t toml::Value> {
    reader.raw("arrivals")
}

/// Reads arrivals, and the hosts between which connections begin; the ends are those of one that may be.
pub(super) fn arrivals(
    log: &mut Log,
    reader: &mut Reader<'_>,
    nodes: &Nodes,
    found: &toml::Value,
) -> Option<(Ends, spec::Arrivals)> {
    let params = part(log, reader.at("arrivals"), Some(found), &ARRIVALS, &|_| {
        Ok(())
    });
    let sources = hosts(log, reader, nodes, "from");
    let targets = hosts(log, reader, nodes, "to");
    let (params, sources, targets) = (params?, sources?, targets?);
    let message = if sources != targets {
        let sources: HashSet<_> = sources.iter().collect();
        let both = targets.iter().find(|at| sources.contains(at));
        both.map(|at| {
            let name = nodes.names.member(*at);
            format!("{name:?} is at both ends; write the same hosts at both, or none of one at the other")
        })
    } else {
        let alone = sources.len() == 1;
        alone.then(|| "a single host at both ends; write at least two".to_string())
    };
    if let Some(message) = message {
        log.error(reader.at("to"), message);
        return None;
    }
    let other = targets.iter().find(|at| **at != sources[0])?;
    let ends = Ends {
        pairs: vec![(sources[0], *other)],
        group: false,
        permutation: None,
    };
    let arrivals = spec::Arrivals {
        params,
        sources,
        targets,
    };
    Some((ends, arrivals))
}

/// Reports what the connections of such a flow cannot be.
pub(super) fn fits(
    log: &mut Log,
    reader: &Reader<'_>,
    traffic: &traffic::TrafficParams,
    transport: &transport::TransportParams,
) {
    if traffic.mean_size(transport.common.mss).is_none() {
        let message = "does not end, and neither would a connection; write one that does, such as { kind = \"file\", size = \"20 kB\" }";
        log.error(reader.at("traffic"), message);
    }
    if !transport.pair.acknowledged() {
        let message = "says nothing of what has arrived, so nobody knows when a connection ends; write a transport with acks, or traffic of its own";
        log.error(reader.at("transport"), message);
    }
}

/// Reports what does not go with connections that come and go, and turns loads into times.
pub(super) fn check(log: &mut Log, nodes: &Nodes, links: &Links, flows: &mut Flows, map: &Map) {
    let mut routes = Routes::new(map);
    for flow in &mut flows.declared {
        let Some(arrivals) = &mut flow.arrivals else {
            continue;
        };
        let at = |key| join(&flow.path, key);
        if links.grain == Some(Grain::Cells) {
            let message = "connections that come and go run on links of packets; on cells each would need its VCs set up";
            log.error(at("arrivals"), message);
        }
        if nodes.sorts.contains(&Sort::Edge) {
            let message =
                "connections that come and go do not go with an [[edge]]; leave one of the two out";
            log.error(at("arrivals"), message);
        }
        if flow.mpr.is_some() {
            let message = "a rate is guaranteed to a flow that is one connection; leave it out";
            log.error(at("mpr"), message);
        }
        let watched = |(_, loss): &&(String, dupack_core::loss::LossParams)| {
            let name = loss.watches().map(|it| it.name);
            let span = name.and_then(|name| flows.names.find(name));
            span.is_some_and(|span| span.members == flow.members)
        };
        if let Some((path, loss)) = links.losses.iter().find(watched) {
            let key = loss.watches().map_or("flow", |it| it.key);
            let message = "a flow of many connections, which number their segments each for itself; write a flow that is one";
            log.error(join(path, key), message);
        }
        if let Some((from, to)) = unjoined(&mut routes, &arrivals.sources, &arrivals.targets) {
            let [from, to] = [from, to].map(|at| nodes.names.member(at));
            let message = format!(
                "no path from {from:?} to {to:?}; join them by links, directly or through switches (hosts do not forward)"
            );
            log.error(&flow.path, message);
        }
        let size = flow.traffic.mean_size(flow.transport.common.mss);
        let (Some(load), Some(size)) = (arrivals.params.load(), size) else {
            continue;
        };
        let place = join(&at("arrivals"), "of");
        let Some(rate) = capacity(log, links, &place, load.of, &arrivals.sources) else {
            continue;
        };
        let every = size * 8.0 / (load.share.0 * rate) * SECOND as f64;
        arrivals.params.set_every(Duration((every as u64).max(1)));
    }
}

/// Two hosts between which there is no way.
pub(super) fn unjoined(
    routes: &mut Routes,
    sources: &[usize],
    targets: &[usize],
) -> Option<(usize, usize)> {
    let all = sources.len().saturating_mul(targets.len()) <= PAIRS;
    let mut fails = |from: usize, to: usize| from != to && routes.find(from, to).is_none();
    for from in sources {
        // Every target from the first source, the first target from every source.
        let many = if all || *from == sources[0] {
            targets.len()
        } else {
            1
        };
        if let Some(to) = targets[..many].iter().find(|to| fails(*from, **to)) {
            return Some((*from, *to));
        }
    }
    None
}

/// The rate that a load is a share of \[bit/s\].
fn capacity(
    log: &mut Log,
    links: &Links,
    place: &str,
    of: Option<&str>,
    sources: &[usize],
) -> Option<f64> {
    let rate = |member: usize, way: usize| {
        let link = links
            .declared
            .iter()
            .find(|it| it.members.contains(&member));
        link.map(|it| it.ways[way].rate.bps())
    };
    let Some(name) = of else {
        let sources: HashSet<usize> = sources.iter().copied().collect();
        let own = links.ends.iter().enumerate().map(|(member, (from, to))| {
            let there = sources.contains(from).then(|| rate(member, 0)).flatten();
            let back = sources.contains(to).then(|| rate(member, 1)).flatten();
            there.unwrap_or(0.0) + back.unwrap_or(0.0)
        });
        return Some(own.sum());
    };
    match links.names.find(name) {
        Some(span) if span.members.len() == 1 => rate(span.members.start, 0),
        Some(_) => {
            log.error(
                place,
                format!("{name:?} is a group of links; write one of them"),
            );
            None
        }
        None => {
            log.error(place, links.names.unknown(name));
            None
        }
    }
}

/// Reports packets of a trace that the transport's headers and MSS cannot carry.
pub(super) fn check_packets(
    log: &mut Log,
    path: &str,
    traffic: &traffic::TrafficParams,
    common: &transport::Common,
) {
    let Some((Bytes(shortest), Bytes(longest))) = traffic.packets() else {
        return;
    };
    let (least, most) = (common.header.0 + 1, common.mss.0 + common.header.0);
    if shortest < least || longest > most {
        let message = format!(
            "it has packets of {shortest} to {longest} bytes, and the transport's are of {least} to {most}; write another `mss` or `header`"
        );
        log.error(join(path, "packets"), message);
    }
}
