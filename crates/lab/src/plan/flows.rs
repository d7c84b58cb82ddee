//! `[[flow]]`: transport connections between hosts.

use super::abr;
use super::arrivals;
use super::ends::{Ends, ends, pairs};
use super::error::Log;
use super::members::{Piece, leave_out_if_equal, pieces};
use super::names::{Names, declare, name, path_of};
use super::nodes::Nodes;
use super::optional::Optional;
use super::part::{TRAFFICS, part};
use super::reader::Reader;
use super::spelling::join;
use super::transports::{asked, kernel, sysctls, transport};
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
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// A declared flow.
#[derive(Debug)]
pub(super) struct Flow {
    /// Its path in the plan.
    pub path: String,
    /// Its members, the network's flows.
    pub members: Range<usize>,
    /// If it is many connections, when they begin and where.
    pub arrivals: Option<spec::Arrivals>,
    /// Transport of the flow: its sender and receiver.
    pub transport: Arc<transport::TransportParams>,
    /// The congestion control of the kernel in live runs, if the plan names one.
    pub kernel: Option<String>,
    /// The parameters of the transport that the plan gives, and their values.
    pub asked: Vec<(String, String)>,
    /// Sysctls of its hosts' TCP in live runs, names below `net.ipv4` and values.
    pub sysctls: Vec<(String, String)>,
    /// The application.
    pub traffic: Arc<traffic::TrafficParams>,
    /// The earliest and the latest start.
    pub start: (Duration, Duration),
    /// The VC that it shares.
    pub vc: Option<usize>,
    /// Rate guaranteed to its own VC.
    pub mpr: Option<Rate>,
    /// ABR source that paces its VC.
    pub abr: Option<Abr>,
    /// Diffserv code point of its packets.
    pub dscp: spec::Dscp,
}

/// All flows of a plan.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// Flows as declared; those with a mistake are missing.
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
    /// Flows whose receivers are drawn.
    pub fn permutations(&self) -> impl Iterator<Item = &spec::Permutation> {
        self.ends
            .iter()
            .filter_map(|(_, it)| it.permutation.as_ref())
    }

    /// Notes flows with the same values, even if something else about them is wrong.
    fn place(&mut self, path: &str, members: &Range<usize>, channel: &Channel) {
        self.members.push((path.to_string(), members.clone()));
        if channel.abr.is_given() {
            self.paced.push((path.to_string(), members.clone()));
        }
        if let Optional::Given(vc) = channel.vc {
            self.on_vcs.push((path.to_string(), members.clone(), vc));
        }
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
    let mut earlier = HashSet::new();
    for (i, table) in entries {
        let reader = Reader::new(path_of("flow", i, table, &mut earlier), table);
        flow(log, (reader, table), nodes, vcs, duration, &mut flows);
    }
    flows
}

/// Reads one entry into `flows`.
fn flow(
    log: &mut Log,
    (mut reader, table): (Reader<'_>, &toml::Table),
    nodes: &Nodes,
    vcs: &Vcs,
    duration: Option<Duration>,
    flows: &mut Flows,
) {
    let name = name(log, &mut reader);
    let coming = arrivals::given(&mut reader);
    let which = pairs_of(log, &mut reader, coming.is_some());
    let (ends, arrivals) = match (coming, which) {
        (None, None) => {
            // The mistake hides what these keys should be; they are read so that they are not reported as unknown.
            let _ = (reader.raw("from"), reader.raw("to"));
            (None, None)
        }
        (None, Some(Pairs::InOrder)) => (ends(log, &mut reader, nodes, true), None),
        (None, Some(which)) => (pairs(log, &mut reader, nodes, which), None),
        (Some(found), _) => arrivals::arrivals(log, &mut reader, nodes, found).unzip(),
    };
    let kept = (log.key.len(), log.errors.len());
    let drawn = which == Some(Pairs::Permutation);
    let values = values(log, &mut reader, vcs, duration, (coming.is_some(), drawn));
    let group = log.key[kept.0..].to_string();
    let count = ends.as_ref().map_or(Some(1), Ends::count);
    let pieces = name.map(|name| pieces(log, &mut reader, "flow", table, (name, count)));
    let path = reader.path.clone();
    reader.finish(log);
    let members = name.and_then(|name| {
        let count = ends.as_ref().and_then(Ends::count);
        declare(log, &mut flows.names, &path, "flow", name, count)
    });
    let (Some(members), Some(mut ends)) = (members, ends) else {
        return;
    };
    if let Some(permutation) = &mut ends.permutation {
        permutation.flows = members.clone();
    }
    flows.ends.push((path.clone(), ends));
    let right = log.errors.len() == kept.1;
    for Piece { members: some, own } in pieces.into_iter().flatten() {
        let of_piece = members.start + some.start..members.start + some.end;
        match own {
            None => values
                .clone()
                .place(flows, &path, of_piece, arrivals.as_ref()),
            // A mistake of the group would be repeated for each of them.
            Some(_) if !right => {}
            Some((own, table)) => {
                let start = log.key.len();
                let mut reader = Reader::new(own, &table);
                let values = self::values(log, &mut reader, vcs, duration, (false, drawn));
                let own = reader.path.clone();
                for key in ["name", "from", "to", "pairs"] {
                    reader.raw(key);
                }
                reader.finish(log);
                leave_out_if_equal(log, start, (&path, &own), &group);
                values.place(flows, &own, of_piece, None);
            }
        }
    }
}

/// Values that each member of a group may have for itself; `None` is a mistake that has been reported.
#[derive(Clone)]
struct Values {
    start: Option<(Duration, Duration)>,
    channel: Channel,
    dscp: Optional<spec::Dscp>,
    traffic: Option<traffic::TrafficParams>,
    transport: Option<transport::TransportParams>,
    kernel: Option<String>,
    asked: Vec<(String, String)>,
    sysctls: Vec<(String, String)>,
}

/// Reads them, of a flow that is `many` connections or whose receivers are `drawn`.
fn values(
    log: &mut Log,
    reader: &mut Reader<'_>,
    vcs: &Vcs,
    duration: Option<Duration>,
    (many, drawn): (bool, bool),
) -> Values {
    let start = start(log, reader, duration);
    let channel = channel(log, reader, vcs);
    let dscp = Optional::get(log, reader, "dscp", "CS0");
    let (traffic, transport) = traffic_and_transport(log, reader, many);
    if drawn {
        channel.refuse_drawn_ways(log, reader);
    }
    Values {
        start,
        channel,
        dscp,
        traffic,
        transport,
        kernel: kernel(reader.raw("transport")),
        asked: asked(reader.raw("transport")),
        sysctls: sysctls(reader.raw("transport")),
    }
}

impl Values {
    /// Adds flows with these values.
    fn place(
        self,
        flows: &mut Flows,
        path: &str,
        members: Range<usize>,
        arrivals: Option<&spec::Arrivals>,
    ) {
        flows.place(path, &members, &self.channel);
        if let (Some(start), Ok(dscp), Some(traffic), Some(transport), Ok(vc), Ok(mpr), Ok(abr)) = (
            self.start,
            self.dscp.right(),
            self.traffic,
            self.transport,
            self.channel.vc.right(),
            self.channel.mpr.right(),
            self.channel.abr.right(),
        ) {
            flows.declared.push(Flow {
                path: path.to_string(),
                arrivals: arrivals.cloned(),
                members,
                transport: Arc::new(transport),
                kernel: self.kernel,
                asked: self.asked,
                sysctls: self.sysctls,
                traffic: Arc::new(traffic),
                start,
                vc,
                mpr,
                abr,
                dscp: dscp.unwrap_or_default(),
            });
        }
    }
}

/// A flow's keys about its VC.
#[derive(Clone)]
struct Channel {
    /// VC that it shares.
    vc: Optional<usize>,
    /// Rate guaranteed to its own VC.
    mpr: Optional<Rate>,
    /// ABR source that paces it.
    abr: Optional<Abr>,
}

/// Reads a flow's keys about its virtual channel.
fn channel(log: &mut Log, reader: &mut Reader<'_>, vcs: &Vcs) -> Channel {
    let vc = vc(log, reader, vcs);
    let mpr = Optional::get(log, reader, "mpr", "none");
    let found = reader.raw("abr");
    let abr = abr::abr(log, reader.at("abr"), found);
    if abr.is_given() && mpr.is_given() {
        let message = "a VC with ABR is guaranteed its `mcr`; write `mcr`, and leave `mpr` out";
        log.error(reader.at("mpr"), message);
    }
    Channel { vc, mpr, abr }
}

impl Channel {
    /// Reports keys that are not supported with routes drawn for each seed.
    fn refuse_drawn_ways(&self, log: &mut Log, reader: &Reader<'_>) {
        let message = "a shared VC or a guarantee belongs to one path, and `pairs = \"permutation\"` draws a path for every seed; write other pairs";
        for (key, given) in [
            ("vc", self.vc.is_given()),
            ("mpr", self.mpr.is_given()),
            ("abr", self.abr.is_given()),
        ] {
            if given {
                log.error(reader.at(key), message);
            }
        }
    }
}

/// Reads a flow's traffic and transport, and reports inconsistencies; `many` if it has many connections.
fn traffic_and_transport(
    log: &mut Log,
    reader: &mut Reader<'_>,
    many: bool,
) -> (
    Option<traffic::TrafficParams>,
    Option<transport::TransportParams>,
) {
    let found_traffic = reader.raw("traffic");
    let path = reader.at("traffic");
    let traffic = part(log, path.clone(), found_traffic, &TRAFFICS, &|_| Ok(()));
    let found = reader.raw("transport");
    let transport = transport(log, reader.at("transport"), found);
    if let (Some(traffic), Some(transport)) = (&traffic, &transport) {
        if let Some(fault) = mismatch(traffic, &transport.pair) {
            let given = found_traffic.and_then(|it| it.get(fault.name));
            let found = given.map_or(fault.found, show);
            let allowed = fault.allowed;
            log.error(
                join(&path, fault.name),
                format!("{found} does not fit; write {allowed}"),
            );
        }
        if traffic.needs_acks() && !transport.pair.acknowledged() {
            let message = format!(
                "{} has no acks, and this traffic goes on when its data is acknowledged; write a transport with acks, such as reno",
                transport.name()
            );
            log.error(reader.at("transport"), message);
        }
        if many {
            arrivals::fits(log, reader, traffic, transport);
        }
        arrivals::check_packets(log, &path, traffic, &transport.common);
    }
    (traffic, transport)
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

/// Reads `vc`.
fn vc(log: &mut Log, reader: &mut Reader<'_>, vcs: &Vcs) -> Optional<usize> {
    let name: String = match Optional::get(log, reader, "vc", "its own") {
        Optional::Given(name) => name,
        Optional::Absent => return Optional::Absent,
        Optional::Wrong => return Optional::Wrong,
    };
    match vcs.names.find(&name) {
        Some(span) => Optional::Given(span.members.start),
        None => {
            log.error(reader.at("vc"), vcs.names.unknown(&name));
            Optional::Wrong
        }
    }
}

/// Key of `traffic` that a transport of this pair does not support, if there is one.
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
        // Such a flow would send nothing, and its figures would be meaningless.
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
