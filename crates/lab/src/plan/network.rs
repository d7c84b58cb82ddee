//! Converts one whole plan, without its sweep, into one network.

use super::checks;
use super::checks::arrivals::unjoined;
use super::error::{Log, PlanError};
use super::files::Files;
use super::flows::{Flows, flows};
use super::links::{Links, Way, links};
use super::nodes::{Nodes, Sort, nodes};
use super::optional::Optional;
use super::path::TOPOLOGY;
use super::reader::Reader;
use super::value::{canonical, is_a, read, show};
use super::vcs::{self, Vcs};
use crate::halt::look;
use dupack_core::declare::{Fallback, Kind, Value};
use dupack_core::measure::{Bytes, Rate, Share};
use dupack_core::queue::Grain;
use dupack_core::time::Duration;
use dupack_sim::route::{Map, Routes};
use dupack_sim::spec::{self, FarEnd, Network, Routing};
use std::sync::Arc;
use toml::Table;

/// The longest trailer that still makes a frame whose cells can be counted: AAL5's own limit on a frame.
const TRAILER: u64 = 65_535;

/// The word for a warm-up that is found.
pub(crate) const MSER: &str = "mser-5";

/// The most batches.
const BATCHES: u64 = 1000;

/// The largest part by which rates may be detuned: beyond, it would be another network.
const DETUNE: f64 = 0.1;

/// The most points of a time series: a plan that asks for more most likely has a wrong unit.
const SAMPLES: u64 = 10_000_000;

/// The network of a plan (all of it but `sweep`), and its canonical text.
pub(super) fn network(files: &Files, plan: &Table) -> Result<(Network, String), Vec<PlanError>> {
    let mut log = Log::with(files);
    let mut top = Reader::new("", plan);
    let frame = frame(&mut log, &mut top);
    let routing: Option<Routing> = top.get(&mut log, "routing", Fallback::Text("first"));
    let ecmp = routing == Some(Routing::Ecmp);
    let nodes = nodes(&mut log, &mut top);
    let links = links(&mut log, &mut top, &nodes);
    // Packets have no trailer: plans of packets that differ only in it are the same experiment, so it is left out of the key.
    let kept = log.key.len();
    let trailer = trailer(&mut log, &mut top);
    if links.grain == Some(Grain::Cells) && frame.as_ref().is_some_and(|it| it.detune.is_some()) {
        let message = "the links carry cells, whose rates are those of their VCs; leave it out";
        log.error("detune", message);
    }
    if links.grain == Some(Grain::Packets) && !links.mixed {
        log.key.truncate(kept);
    }
    let duration = frame.as_ref().map(|frame| frame.duration);
    let vcs = vcs::vcs(&mut log, &mut top);
    let mut flows = flows(&mut log, &mut top, &nodes, &vcs, duration);
    // These sections were removed before; asking for them keeps them from being reported as unknown.
    top.raw("sweep");
    top.raw("stop");
    top.raw(TOPOLOGY);
    top.finish(&mut log);

    checks::losses::check(&mut log, &links, &flows);
    checks::overheads::check(&mut log, &nodes, &links);
    checks::grains::check(&mut log, &nodes, &links);
    let map = Map {
        hosts: (nodes.sorts.iter().map(|sort| *sort == Sort::Host)).collect(),
        links: links.ends.clone(),
    };
    let routes = routes(&mut log, &nodes, &links, &flows, &map);
    if routes.is_some() {
        // Without a frame there is no network; what else is wrong is reported all the same.
        let measured = frame.as_ref().map(|it| (it.warm_up, it.duration));
        let measured = measured.unwrap_or((Duration::ZERO, Duration::secs(1)));
        checks::arrivals::check(&mut log, &nodes, (&links, measured), &mut flows, &map);
    }
    if ecmp {
        checks::vcs::check_known_ways(&mut log, &flows);
    }
    if let Some(routes) = &routes {
        checks::vcs::check(&mut log, &nodes, &links, &flows, routes);
        checks::abr::check(&mut log, &nodes, &links, &flows, routes);
    }
    let network = routes.and_then(|routes| {
        let watched = checks::losses::watched(&mut log, &links, &flows, &routes, ecmp);
        let frame = frame?;
        Some(Network {
            grain: links.grain?,
            trailer: trailer?,
            duration: frame.duration,
            warm_up: frame.warm_up,
            mser: frame.mser,
            batches: frame.batches,
            sample: frame.sample,
            percentiles: frame.percentiles,
            detune: frame.detune,
            links: expand_links(&nodes, &links, &watched?),
            vcs: expand_vcs(&vcs),
            permutations: flows.permutations().cloned().collect(),
            flows: expand_flows(&flows, routes),
            map,
            routing: routing?,
        })
    });
    // After a mistake, links are missing from the network, and the routes' indices of links are wrong.
    if let Some(network) = network.as_ref().filter(|_| log.errors.is_empty()) {
        checks::vcs::check_guarantees(&mut log, network);
        checks::grains::check_lengths(&mut log, network, &flows);
        checks::abr::check_rates(&mut log, network, &flows);
        checks::arrivals::check_open(&mut log, network, &flows);
    }
    match network {
        Some(network) if log.errors.is_empty() => Ok((network, log.key)),
        _ => Err(log.errors),
    }
}

/// End of a run, and its measured part.
struct Frame {
    duration: Duration,
    warm_up: Duration,
    mser: bool,
    batches: Option<u64>,
    sample: Option<Duration>,
    percentiles: bool,
    detune: Option<f64>,
}

fn frame(log: &mut Log, top: &mut Reader<'_>) -> Option<Frame> {
    if let Some(title) = top.raw("title").filter(|title| !title.is_str()) {
        log.error("title", format!("{}; write a title in quotes", is_a(title)));
    }
    // The seed is a property of a run, not of the network or its key.
    if let Some(Err(message)) = top.raw("seed").map(|seed| read(Kind::Count, seed)) {
        log.error("seed", message);
    }
    let duration: Option<Duration> = top.get(log, "duration", Fallback::Required);
    let warm_up = warm_up(log, top);
    let sample: Optional<Duration> = Optional::get(log, top, "sample", "none");
    let percentiles: Option<bool> = top.get(log, "percentiles", Fallback::Text("false"));
    let batches = batches(log, top);
    let detune = detune(log, top);
    let zero = "\"0 s\"; write a time above zero";
    if duration == Some(Duration::ZERO) {
        log.error("duration", zero);
    } else if let (Some(duration), Some(warm_up)) = (duration, &warm_up)
        && warm_up.time() >= duration
    {
        let found = text(top, "warm_up");
        let end = text(top, "duration");
        log.error(
            "warm_up",
            format!("{found} is not before the end; write a time below `duration`, which is {end}"),
        );
    }
    if sample == Optional::Given(Duration::ZERO) {
        log.error("sample", zero);
    } else if let (Some(duration), Optional::Given(sample)) = (duration, &sample)
        && duration.0 / sample.0 > SAMPLES
    {
        let found = text(top, "sample");
        log.error(
            "sample",
            format!("{found} gives too long a series; write a spacing that gives at most {SAMPLES} points"),
        );
    }
    let warm_up = warm_up?;
    Some(Frame {
        duration: duration?,
        warm_up: warm_up.time(),
        mser: warm_up == WarmUp::Found,
        batches: batches.right().ok()?,
        sample: sample.right().ok()?,
        percentiles: percentiles?,
        detune: detune.right().ok()?.map(|it| it.0),
    })
}

fn detune(log: &mut Log, top: &mut Reader<'_>) -> Optional<Share> {
    let found = Optional::get(log, top, "detune", "none");
    if let Optional::Given(Share(most)) = found
        && !(most > 0.0 && most <= DETUNE)
    {
        let message = format!(
            "{most}; write a share above 0 and at most {DETUNE}, such as 0.001 for rates that differ by up to 0.1 %"
        );
        log.error("detune", message);
    }
    found
}

/// Ways to choose the warm-up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WarmUp {
    /// At this time.
    Until(Duration),
    /// MSER-5 finds it.
    Found,
}

impl WarmUp {
    /// The warm-up, as far as it is known before the run.
    fn time(self) -> Duration {
        match self {
            Self::Until(time) => time,
            Self::Found => Duration::ZERO,
        }
    }
}

fn warm_up(log: &mut Log, top: &mut Reader<'_>) -> Option<WarmUp> {
    let fallback = match top.raw("warm_up") {
        None => Fallback::Text("0 s"),
        Some(_) => Fallback::Unset(MSER),
    };
    let time: Option<Duration> = top.get(log, "warm_up", fallback)?;
    Some(time.map_or(WarmUp::Found, WarmUp::Until))
}

fn batches(log: &mut Log, top: &mut Reader<'_>) -> Optional<u64> {
    let found = Optional::get(log, top, "batches", "none");
    if let Optional::Given(n) = found
        && !(2..=BATCHES).contains(&n)
    {
        let message = format!(
            "{n} is too {}; write 2 to {BATCHES} batches, best 10 to 30: long batches depend less on each other",
            if n < 2 { "few" } else { "many" }
        );
        log.error("batches", message);
    }
    found
}

/// A value as the plan writes it.
fn text(top: &mut Reader<'_>, key: &'static str) -> String {
    top.raw(key).map(show).unwrap_or_default()
}

fn trailer(log: &mut Log, top: &mut Reader<'_>) -> Option<Bytes> {
    let nothing = Table::new();
    let table = match top.raw("aal5") {
        None => &nothing,
        Some(toml::Value::Table(table)) => table,
        Some(other) => {
            let message = format!(
                "{}; write a table such as {{ trailer = \"8 B\" }}",
                is_a(other)
            );
            log.error("aal5", message);
            return None;
        }
    };
    let mut reader = Reader::new("aal5", table);
    // ITU-T I.363.5 adds eight bytes; some papers count none.
    let trailer: Option<Bytes> = reader.get(log, "trailer", Fallback::Text("8 B"));
    if let Some(bytes) = trailer.filter(|bytes| bytes.0 > TRAILER) {
        let found = canonical(&Value::Bytes(bytes));
        let message = format!("{found:?} is longer than a frame; write at most \"{TRAILER} B\"");
        log.error(reader.at("trailer"), message);
    }
    reader.finish(log);
    trailer
}

/// The data's route of every flow's member; `None` if there is a mistake, reported here or before.
fn routes(
    log: &mut Log,
    nodes: &Nodes,
    links: &Links,
    flows: &Flows,
    map: &Map,
) -> Option<Vec<Vec<usize>>> {
    // If links are missing because of a mistake, a missing path is a consequence of it, and is not reported. If the ends of some flow are
    // missing, there would not be one route per member.
    let members: usize = flows.ends.iter().map(|(_, ends)| ends.pairs.len()).sum();
    if !(nodes.sound && links.sound && members == flows.names.len()) {
        return None;
    }
    let mut finder = Routes::new(map);
    let mut routes = Vec::with_capacity(flows.names.len());
    let mut missing = false;
    for (path, ends) in &flows.ends {
        // A permutation may draw any pair, so all of them must have a path.
        let drawn = ends.permutation.as_ref();
        let unjoined = drawn.and_then(|it| unjoined(&mut finder, &it.sources, &it.targets));
        let found: Result<Vec<_>, _> = ends
            .pairs
            .iter()
            .map(|(from, to)| {
                look();
                finder.find(*from, *to).ok_or((*from, *to))
            })
            .collect();
        match unjoined.map_or(found, Err) {
            Ok(found) => routes.extend(found),
            Err((from, to)) => {
                missing = true;
                let (from, to) = (nodes.names.member(from), nodes.names.member(to));
                log.error(
                    path,
                    format!(
                        "no path from {from:?} to {to:?}; connect them by links, directly or through switches \
                         (hosts do not forward)"
                    ),
                );
            }
        }
    }
    (!missing).then_some(routes)
}

/// The lines of one way of a declared link: members share theirs unless something is its member's own.
struct Lines<'a> {
    nodes: &'a Nodes,
    carries: Grain,
    way: &'a Way,
    watched: &'a [usize],
    /// The last one, the sort of its far end, and the longest time that its near end takes to send.
    last: Option<(Arc<spec::Line>, Sort, Option<Duration>)>,
}

impl Lines<'_> {
    /// The line of the member of a link called `name`.
    fn of(&mut self, name: &str, from: usize, to: usize) -> Arc<spec::Line> {
        let (far, takes) = (self.nodes.sorts[to], self.nodes.overheads[from]);
        let way = self.way;
        let own = way.loss.is_some() || way.jitter.is_some() || takes.is_some();
        let own = own || way.reorder.is_some() || way.duplicate.is_some();
        if let Some((line, sort, overhead)) = &self.last
            && !own
            && (*sort, *overhead) == (far, takes)
        {
            return Arc::clone(line);
        }
        let line = Arc::new(self.line(name, from, to));
        self.last = Some((Arc::clone(&line), far, takes));
        line
    }

    fn line(&self, name: &str, from: usize, to: usize) -> spec::Line {
        let Way {
            rate,
            trace,
            schedule,
            grants,
            delay,
            framing,
            queue,
            marker,
            loss,
            jitter,
            reorder,
            duplicate,
            keys,
            ..
        } = self.way;
        spec::Line {
            carries: self.carries,
            far_end: match self.nodes.sorts[to] {
                Sort::Host => FarEnd::Host,
                Sort::Switch => FarEnd::Switch,
                Sort::Edge => FarEnd::Edge,
            },
            rate: *rate,
            trace: trace.clone(),
            schedule: schedule.clone(),
            grants: grants.clone(),
            delay: *delay,
            framing: *framing,
            queue: queue.clone(),
            marker: marker.clone(),
            loss: loss.as_ref().map(|params| spec::Loss {
                params: params.clone(),
                watched: self.watched.to_vec(),
                path: format!("link.{name}.{}", keys.loss),
            }),
            jitter: match (jitter, checks::overheads::of(self.nodes, from)) {
                (Some(params), _) => Some(spec::Jitter {
                    params: params.clone(),
                    path: format!("link.{name}.{}", keys.jitter),
                }),
                (None, Some(params)) => Some(spec::Jitter {
                    params,
                    path: format!("link.{name}.{}.overhead", keys.jitter),
                }),
                (None, None) => None,
            },
            reorder: reorder.as_ref().map(|params| spec::Reorder {
                params: params.clone(),
                path: format!("link.{name}.{}", keys.reorder),
            }),
            duplicate: duplicate.map(|rate| spec::Duplicate {
                rate,
                path: format!("link.{name}.{}", keys.duplicate),
            }),
        }
    }
}

fn expand_links(nodes: &Nodes, links: &Links, watched: &[[Vec<usize>; 2]]) -> Vec<spec::Link> {
    let names: Vec<Arc<str>> = (0..nodes.names.len())
        .map(|node| nodes.names.member(node).into())
        .collect();
    let mut expanded = Vec::with_capacity(2 * links.ends.len());
    for (link, watched) in links.declared.iter().zip(watched) {
        let [mut there, mut back] = [0, 1].map(|way| Lines {
            nodes,
            carries: link.carries,
            way: &link.ways[way],
            watched: &watched[way],
            last: None,
        });
        for member in link.members.clone() {
            look();
            let name = links.names.member(member);
            let (from, to) = links.ends[member];
            let ways = [
                (&mut there, name.clone(), from, to),
                (&mut back, format!("{name}.back"), to, from),
            ];
            for (lines, full, from, to) in ways {
                expanded.push(spec::Link {
                    name: full,
                    from: Arc::clone(&names[from]),
                    to: Arc::clone(&names[to]),
                    line: lines.of(&name, from, to),
                });
            }
        }
    }
    expanded
}

fn expand_vcs(vcs: &Vcs) -> Vec<spec::Vc> {
    let named = |(at, mpr): (usize, &Option<Rate>)| spec::Vc {
        name: vcs.names.member(at).to_string(),
        mpr: *mpr,
    };
    vcs.mprs.iter().enumerate().map(named).collect()
}

fn expand_flows(flows: &Flows, routes: Vec<Vec<usize>>) -> Vec<spec::Flow> {
    let declared = flows.declared.iter().flat_map(|flow| {
        let program = Arc::new(spec::Program {
            arrivals: flow.arrivals.clone(),
            transport: flow.transport.clone(),
            kernel: flow.kernel.clone(),
            asked: flow.asked.clone(),
            sysctls: flow.sysctls.clone(),
            traffic: flow.traffic.clone(),
            start: flow.start,
            vc: flow.vc,
            mpr: flow.mpr,
            abr: flow.abr.clone(),
            dscp: flow.dscp,
        });
        let members = flow.members.clone();
        members.map(move |member| (Arc::clone(&program), member))
    });
    let pairs = flows.ends.iter().flat_map(|(_, ends)| ends.pairs.iter());
    declared
        .zip(routes)
        .zip(pairs)
        .map(|(((program, member), forward), ends)| spec::Flow {
            name: flows.names.member(member).to_string(),
            ends: *ends,
            back: Routes::reverse(&forward),
            forward,
            program,
        })
        .collect()
}
