//! `arrivals` of a flow: connections that come and go, each between two of many hosts.

use super::ends::{Ends, hosts};
use super::error::Log;
use super::nodes::Nodes;
use super::part::{ARRIVALS, part};
use super::reader::Reader;
use super::spelling::join;
use dupack_core::measure::Bytes;
use dupack_core::traffic::Offer;
use dupack_core::{traffic, transport};
use dupack_sim::spec;
use std::collections::HashSet;

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
            format!(
                "{name:?} is at both ends; write the same hosts at both ends, or no host at both"
            )
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

/// Reports keys that such a flow does not support.
pub(super) fn fits(
    log: &mut Log,
    reader: &Reader<'_>,
    traffic: &traffic::TrafficParams,
    transport: &transport::TransportParams,
) {
    if traffic.mean_size(transport.common.mss).is_none() {
        let message = "does not end, so a connection would not end either; write traffic that ends, such as { kind = \"file\", size = \"20 kB\" }";
        log.error(reader.at("traffic"), message);
    }
    if !transport.pair.acknowledged() {
        let message = "has no acks, so the end of a connection is unknown; write a transport with acks, or leave `arrivals` out";
        log.error(reader.at("transport"), message);
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
            "its packets have {shortest} to {longest} bytes, and the transport's have {least} to {most}; write another `mss` or `header`"
        );
        log.error(join(path, "packets"), message);
    }
}
