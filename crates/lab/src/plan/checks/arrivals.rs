//! Refuses combinations that connections do not support, and computes their loads.

use super::super::error::Log;
use super::super::flows::Flows;
use super::super::links::Links;
use super::super::nodes::{Nodes, Sort};
use super::super::spelling::join;
use crate::forecast::backlog;
use crate::halt::look;
use dupack_core::arrivals::Expect;
use dupack_core::queue::Grain;
use dupack_core::time::{Duration, SECOND};
use dupack_core::traffic::Offer;
use dupack_sim::route::{Map, Routes};
use dupack_sim::spec::Network;
use std::collections::HashSet;

/// With more pairs of hosts than this, each host is tried with one other instead of each pair.
const PAIRS: usize = 1_000_000;

/// Reports combinations that connections do not support, and turns loads into mean times, by the rates of links over the time that is measured.
pub fn check(
    log: &mut Log,
    nodes: &Nodes,
    (links, measured): (&Links, (Duration, Duration)),
    flows: &mut Flows,
    map: &Map,
) {
    let mut routes = Routes::new(map);
    for flow in &mut flows.declared {
        let Some(arrivals) = &mut flow.arrivals else {
            continue;
        };
        let at = |key| join(&flow.path, key);
        if links.grain == Some(Grain::Cells) {
            let message = "its links carry cells, on which every connection would need its VCs set up; write links that carry packets";
            log.error(at("arrivals"), message);
        }
        if nodes.sorts.contains(&Sort::Edge) {
            let message = "connections that come and go cannot be combined with an [[edge]]; leave one of the two out";
            log.error(at("arrivals"), message);
        }
        if flow.mpr.is_some() {
            let message = "a rate can be guaranteed only to a flow of one connection; leave it out";
            log.error(at("mpr"), message);
        }
        let watched = |(_, loss): &&(String, dupack_core::loss::LossParams)| {
            let name = loss.watches().map(|it| it.name);
            let span = name.and_then(|name| flows.names.find(name));
            span.is_some_and(|span| span.members == flow.members)
        };
        if let Some((path, loss)) = links.losses.iter().find(watched) {
            let key = loss.watches().map_or("flow", |it| it.key);
            let message = "a flow of many connections, each of which numbers its own segments; write a flow of one connection";
            log.error(join(path, key), message);
        }
        if let Some((from, to)) = unjoined(&mut routes, &arrivals.sources, &arrivals.targets) {
            let [from, to] = [from, to].map(|at| nodes.names.member(at));
            let message = format!(
                "no path from {from:?} to {to:?}; connect them by links, directly or through switches (hosts do not forward)"
            );
            log.error(&flow.path, message);
        }
        let size = flow.traffic.mean_size(flow.transport.common.mss);
        let (Some(load), Some(size)) = (arrivals.params.load(), size) else {
            continue;
        };
        let place = join(&at("arrivals"), "of");
        let Some(rate) = capacity(log, (links, measured), &place, load.of, &arrivals.sources)
        else {
            continue;
        };
        let every = size * 8.0 / (load.share.0 * rate) * SECOND as f64;
        arrivals.params.set_every(Duration((every as u64).max(1)));
    }
}

/// Reports connections of which more would be open than a run can hold.
pub fn check_open(log: &mut Log, network: &Network, flows: &Flows) {
    let most = dupack_sim::most_open(network);
    let Some(it) = backlog(network, most).filter(|it| it.open > most as f64) else {
        return;
    };
    let Some(flow) = flows
        .declared
        .iter()
        .find(|flow| flow.members.contains(&it.flow))
    else {
        return;
    };
    let message = format!(
        "they load the link {:?} to {:.0} %, so that about {:.0} connections would be open at the end, and a run holds at most {most}; \
         write a lower load, a longer `every`, a `limit`, or a shorter duration",
        it.link,
        100.0 * it.load,
        it.open,
    );
    log.error(join(&flow.path, "arrivals"), message);
}

/// Two hosts without a route between them.
pub fn unjoined(
    routes: &mut Routes,
    sources: &[usize],
    targets: &[usize],
) -> Option<(usize, usize)> {
    if routes.in_one_part(sources.iter().chain(targets).copied()) {
        return None;
    }
    let all = sources.len().saturating_mul(targets.len()) <= PAIRS;
    let mut fails = |from: usize, to: usize| {
        look();
        from != to && routes.find(from, to).is_none()
    };
    for from in sources {
        // If there are too many pairs, these are tried: every target from the first source, and the first target from every source.
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

/// The rate to which a load refers \[bit/s\].
fn capacity(
    log: &mut Log,
    (links, measured): (&Links, (Duration, Duration)),
    place: &str,
    of: Option<&str>,
    sources: &[usize],
) -> Option<f64> {
    let rate = |member: usize, way: usize| {
        look();
        // They are in the order of their members; with a thousand switches, there are as many.
        let at = (links.declared).partition_point(|it| it.members.end <= member);
        let link = (links.declared.get(at)).filter(|it| it.members.contains(&member));
        link.map(|it| it.ways[way].mean_rate(measured).bps())
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
