//! `[[flow]]`: transport connections between hosts.

use super::abr;
use super::arrivals;
use super::ends::{Ends, ends, pairs};
use super::error::Log;
use super::names::{Names, declare, name, path_of};
use super::nodes::Nodes;
use super::part::{TRAFFICS, part};
use super::reader::Reader;
use super::spelling::join;
use super::transports::transport;
use super::value::{canonical, is_a, read, show};
use super::vcs::Vcs;
use dupack_core::declare::{Fallback, Fault, Field, Kind, Value};
use dupack_core::measure::Rate;
use dupack_core::time::Duration;
use dupack_core::traffic::Offer;
use dupack_core::transport::Pair;
use dupack_core::transport::control::Needs;
use dupack_core::{traffic, transport};
use dupack_sim::spec;
use dupack_sim::spec::{Abr, Pairs};
use std::ops::Range;

/// A declared flow.
#[derive(Debug)]
pub(super) struct Flow {
    /// Where it stands in the plan.
    pub path: String,
    /// Its members, the network's flows.
    pub members: Range<usize>,
    /// If it is many connections, when they begin and where.
    pub arrivals: Option<spec::Arrivals>,
    /// Sender and receiver.
    pub transport: transport::TransportParams,
    /// The application.
    pub traffic: traffic::TrafficParams,
    /// The earliest and the latest start.
    pub start: (Duration, Duration),
    /// The VC that it shares.
    pub vc: Option<usize>,
    /// What its own VC is guaranteed.
    pub mpr: Option<Rate>,
    /// What paces its VC.
    pub abr: Option<Abr>,
}

/// All flows of a plan.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// As declared; those with a mistake are missing.
    pub declared: Vec<Flow>,
    /// Path in the plan, and ends, of every flow whose ends are right.
    pub ends: Vec<(String, Ends)>,
    /// Path in the plan, and members, of the same flows.
    pub members: Vec<(String, Range<usize>)>,
    /// The same of those that share a VC, and which.
    pub on_vcs: Vec<(String, Range<usize>, usize)>,
    /// The same of those with ABR.
    pub paced: Vec<(String, Range<usize>)>,
    /// Their names.
    pub names: Names,
}

impl Flows {
    /// Those whose receivers are drawn.
    pub fn permutations(&self) -> impl Iterator<Item = &spec::Permutation> {
        self.ends
            .iter()
            .filter_map(|(_, it)| it.permutation.as_ref())
    }
}

/// Reads the section; `duration` is the plan's, if it is right.
pub(super) fn flows(
    log: &mut Log,
    plan: &mut Reader<'_>,
    nodes: &Nodes,
    vcs: &Vcs,
    duration: Option<Duration>,
) -> Flows {
    let mut flows = Flows::default();
    let entries = plan.entries(log, "flow");
    if entries.is_empty() && log.errors.iter().all(|e| !e.path.starts_with("flow")) {
        log.error("flow", "missing; write at least one [[flow]]");
    }
    let mut earlier = Vec::new();
    for (i, table) in entries {
        let mut reader = Reader::new(path_of("flow", i, table, &earlier), table);
        earlier.push(table);
        let name = name(log, &mut reader);
        let coming = arrivals::given(&mut reader);
        let which = pairs_of(log, &mut reader, coming.is_some());
        let (ends, arrivals) = match (coming, which) {
            (None, None) => {
                // What they may be is not known; that they are keys is.
                let _ = (reader.raw("from"), reader.raw("to"));
                (None, None)
            }
            (None, Some(Pairs::InOrder)) => (ends(log, &mut reader, nodes, true), None),
            (None, Some(which)) => (pairs(log, &mut reader, nodes, which), None),
            (Some(found), _) => arrivals::arrivals(log, &mut reader, nodes, found).unzip(),
        };
        let start = start(log, &mut reader, duration);
        let vc = vc(log, &mut reader, vcs);
        let mpr: Option<Option<Rate>> = reader.get(log, "mpr", Fallback::Unset("none"));
        let found_abr = reader.raw("abr");
        let abr = abr::abr(log, reader.at("abr"), found_abr);
        if let (Some(Some(_)), Some(Some(_))) = (&abr, mpr) {
            let message = "a VC with ABR is promised its `mcr`; write that, and leave `mpr` out";
            log.error(reader.at("mpr"), message);
        }
        let found_traffic = reader.raw("traffic");
        let path = reader.at("traffic");
        let traffic = part(log, path, found_traffic, &TRAFFICS, &|_| Ok(()));
        let found = reader.raw("transport");
        let transport = transport(log, reader.at("transport"), found);
        if let (Some(traffic), Some(transport)) = (&traffic, &transport)
            && let Some(fault) = mismatch(traffic, &transport.pair)
        {
            let given = found_traffic.and_then(|it| it.get(fault.name));
            let found = given.map_or(fault.found, show);
            let allowed = fault.allowed;
            log.error(
                join(&reader.at("traffic"), fault.name),
                format!("{found} does not fit; write {allowed}"),
            );
        }
        if let (Some(traffic), Some(transport)) = (&traffic, &transport) {
            if coming.is_some() {
                arrivals::fits(log, &reader, traffic, transport);
            }
            arrivals::check_packets(log, &reader.at("traffic"), traffic, &transport.common);
        }
        if which == Some(Pairs::Permutation) {
            let message = "what a VC shares or is promised is of one way, and `pairs = \"permutation\"` draws another for every seed; write other pairs";
            for (key, given) in [
                ("vc", matches!(vc, Some(Some(_)))),
                ("mpr", matches!(mpr, Some(Some(_)))),
                ("abr", matches!(abr, Some(Some(_)))),
            ] {
                if given {
                    log.error(reader.at(key), message);
                }
            }
        }
        let path = reader.path.clone();
        reader.finish(log);
        let members = name.and_then(|name| {
            let count = ends.as_ref().and_then(Ends::count);
            declare(log, &mut flows.names, &path, "flow", name, count)
        });
        if let (Some(members), Some(mut ends)) = (members, ends) {
            if let Some(permutation) = &mut ends.permutation {
                permutation.flows = members.clone();
            }
            flows.ends.push((path.clone(), ends));
            flows.members.push((path.clone(), members.clone()));
            if let Some(Some(_)) = abr {
                flows.paced.push((path.clone(), members.clone()));
            }
            if let Some(Some(vc)) = vc {
                flows.on_vcs.push((path.clone(), members.clone(), vc));
            }
            if let (Some(start), Some(traffic), Some(transport), Some(vc), Some(mpr), Some(abr)) =
                (start, traffic, transport, vc, mpr, abr)
            {
                flows.declared.push(Flow {
                    path,
                    arrivals,
                    members,
                    transport,
                    traffic,
                    start,
                    vc,
                    mpr,
                    abr,
                });
            }
        }
    }
    flows
}

/// Reads `pairs`; `None` if there is a mistake.
fn pairs_of(log: &mut Log, reader: &mut Reader<'_>, many: bool) -> Option<Pairs> {
    let which: Pairs = reader.get(log, "pairs", Fallback::Text("in-order"))?;
    if many && which != Pairs::InOrder {
        let message =
            "with `arrivals` each connection draws its two hosts; leave one of the two out";
        log.error(reader.at("pairs"), message);
    }
    Some(which)
}

/// Reads `vc`; `None` if there is a mistake.
fn vc(log: &mut Log, reader: &mut Reader<'_>, vcs: &Vcs) -> Option<Option<usize>> {
    let name: Option<String> = reader.get(log, "vc", Fallback::Unset("its own"))?;
    let Some(name) = name else { return Some(None) };
    match vcs.names.find(&name) {
        Some(span) => Some(Some(span.members.start)),
        None => {
            log.error(reader.at("vc"), vcs.names.unknown(&name));
            None
        }
    }
}

/// What of `traffic` does not go over a transport of this pair.
fn mismatch(traffic: &traffic::TrafficParams, pair: &Pair) -> Option<Fault> {
    if !pair.acknowledged() {
        return traffic.endless();
    }
    let rate = traffic.access_rate()?;
    (pair.control.about.needs == Needs::EveryAck).then(|| Fault {
        name: "access_rate",
        found: canonical(&Value::Rate(rate)),
        allowed: format!(
            "\"unlimited\": {} sends its segments in pairs, back to back; an access link of that rate limits it, too",
            pair.control.name
        ),
    })
}

/// Reads `start`: a time, or a range of times to draw from.
fn start(
    log: &mut Log,
    reader: &mut Reader<'_>,
    duration: Option<Duration>,
) -> Option<(Duration, Duration)> {
    let found = reader.raw("start");
    match found.map_or(Ok((Duration::ZERO, Duration::ZERO)), instants) {
        // Such a flow would do nothing, and its figures would say nothing.
        Ok((low, _)) if duration.is_some_and(|end| low >= end && end > Duration::ZERO) => {
            let found = found.map_or_else(String::new, show);
            log.error(
                reader.at("start"),
                format!("{found} is not before the end; write a time below `duration`"),
            );
            None
        }
        Ok((low, high)) => {
            let both = [low, high].map(|t| canonical(&Value::Time(t)));
            log.record(&reader.at("start"), &both.join(".."));
            Some((low, high))
        }
        Err(message) => {
            log.error(reader.at("start"), message);
            None
        }
    }
}

/// The earliest and the latest start that `found` allows.
fn instants(found: &toml::Value) -> Result<(Duration, Duration), String> {
    let range = "a time such as \"0.3 ms\" or a range of times such as \"0 s..100 ms\"";
    let text = match found {
        toml::Value::String(text) => text,
        toml::Value::Integer(_) | toml::Value::Float(_) => {
            let found = show(found);
            return Err(format!("{found} is a bare number; write a unit: {range}"));
        }
        other => return Err(format!("{}; write {range}", is_a(other))),
    };
    let time = |text: &str| Kind::Time.read(text).and_then(|v| Duration::take(&v));
    let Some((low, high)) = text.split_once("..") else {
        let value = read(Kind::Time, found)?;
        let at = Duration::take(&value).unwrap_or(Duration::ZERO);
        return Ok((at, at));
    };
    let end = |end: &str| {
        time(end).ok_or_else(|| {
            let (whole, end) = (show(found), show(&toml::Value::String(end.to_string())));
            format!("in {whole}, {end} is not a time; write {range}")
        })
    };
    let (low, high) = (end(low)?, end(high)?);
    if low > high {
        let found = show(found);
        return Err(format!(
            "{found} ends before it begins; write the earlier time first"
        ));
    }
    Ok((low, high))
}
