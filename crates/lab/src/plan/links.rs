//! `[[link]]`: duplex lines between nodes, each direction with its buffer and its losses.

use super::directions::{BACK, Keys, THERE};
use super::ends::{Ends, ends};
use super::error::Log;
use super::externals;
use super::members::{leave_out_if_equal, pieces};
use super::names::{Names, declare, name, path_of};
use super::nodes::Nodes;
use super::on_the_line::{late, order, turns, twice};
use super::optional::Optional;
use super::part::{LOSSES, MARKERS, QUEUES, part};
use super::reader::Reader;
use super::schedule::{AS_THERE, Schedule, course, schedule};
use super::spelling::{join, quoted};
use super::value::canonical;
use dupack_core::abr::switch;
use dupack_core::data::{Data, Opportunities};
use dupack_core::declare::{Fallback, Kind, Value};
use dupack_core::framing::Framing;
use dupack_core::grants::GrantsParams;
use dupack_core::measure::{Rate, Room, Share};
use dupack_core::queue::{self, Grain};
use dupack_core::roster::Roster;
use dupack_core::schedule::{Course, State};
use dupack_core::time::{Duration, Instant};
use dupack_core::{jitter, loss, reorder};
use std::collections::HashSet;
use std::sync::Arc;

/// One direction of a declared link.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Line rate; of a line with a trace its mean, of one with a schedule that at the beginning.
    pub rate: Rate,
    /// Opportunities of its trace, if the plan gives one.
    pub trace: Option<Arc<Opportunities>>,
    /// How it changes, if the plan says that it does.
    pub schedule: Option<Arc<Course>>,
    /// How it waits for its turn, if the plan says that it does.
    pub grants: Option<GrantsParams>,
    /// Propagation delay; of a line with a schedule that at the beginning.
    pub delay: Duration,
    /// What it adds to packets.
    pub framing: Framing,
    /// Its discipline, if the plan gives one.
    pub queue: Option<queue::QueueParams>,
    /// Rate marker there, if the plan gives one.
    pub marker: Option<switch::MarkerParams>,
    /// Its losses, if the plan gives some.
    pub loss: Option<loss::LossParams>,
    /// Their path in the plan.
    pub loss_path: String,
    /// Jitter, if the plan gives some.
    pub jitter: Option<jitter::JitterParams>,
    /// Reordering, if the plan gives one.
    pub reorder: Option<reorder::ReorderParams>,
    /// Probability that a packet arrives twice, if the plan gives one.
    pub duplicate: Option<Share>,
    /// Names of these keys in the plan.
    pub keys: &'static Keys,
}

/// A declared link.
#[derive(Debug)]
pub(super) struct Link {
    /// Its path in the plan.
    pub path: String,
    /// Its members: member `m` becomes the network's links `2m` and `2m + 1`.
    pub members: std::ops::Range<usize>,
    /// Units that it carries.
    pub carries: Grain,
    /// There and back.
    pub ways: [Way; 2],
}

/// All links of a plan.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Links as declared; those with a mistake are missing.
    pub declared: Vec<Link>,
    /// Their names.
    pub names: Names,
    /// Nodes at the two ends of each member.
    pub ends: Vec<(usize, usize)>,
    /// Every loss model and its path, of links with mistakes too.
    pub losses: Vec<(String, loss::LossParams)>,
    /// Units that they carry; packets, if some carry packets and others cells.
    pub grain: Option<Grain>,
    /// Some carry packets and others cells.
    pub mixed: bool,
    /// Whether the ends of all links are known.
    pub sound: bool,
}

/// Reads the section.
pub(super) fn links(log: &mut Log, plan: &mut Reader<'_>, nodes: &Nodes) -> Links {
    let mut links = Links {
        sound: true,
        ..Links::default()
    };
    let entries = plan.entries(log, "link");
    if entries.is_empty() && log.errors.iter().all(|e| !e.path.starts_with("link")) {
        log.error("link", "missing; write at least one [[link]]");
    }
    let mut earlier = HashSet::new();
    for (i, table) in entries {
        let mut reader = Reader::new(path_of("link", i, table, &mut earlier), table);
        let name = name(log, &mut reader);
        let ends = ends(log, &mut reader, nodes, false);
        let kept = (log.key.len(), log.errors.len());
        let grain = carries(log, &mut reader);
        links.sees(grain);
        let ways = ways(log, &mut reader, grain, &mut links.losses);
        let count = ends.as_ref().map_or(Some(1), Ends::count);
        let pieces = name.map(|name| pieces(log, &mut reader, "link", table, (name, count)));
        let path = reader.path.clone();
        reader.finish(log);
        let group = log.key[kept.0..].to_string();
        let members = name.and_then(|name| {
            let count = ends.as_ref().and_then(Ends::count);
            declare(log, &mut links.names, &path, "link", name, count)
        });
        // If only a rate is wrong, the ends are still known, and so is whether a flow has a path.
        let (Some(members), Some(ends)) = (members, ends) else {
            links.sound = false;
            continue;
        };
        links.ends.extend(ends.pairs);
        let right = log.errors.len() == kept.1;
        for piece in pieces.into_iter().flatten() {
            let (path, grain, ways) = match piece.own {
                None => (path.clone(), grain, ways.clone()),
                // A mistake of the group would be repeated for each of them.
                Some(_) if !right => continue,
                Some((own, table)) => {
                    let start = log.key.len();
                    let mut reader = Reader::new(own, &table);
                    let grain = carries(log, &mut reader);
                    links.sees(grain);
                    let ways = self::ways(log, &mut reader, grain, &mut links.losses);
                    let own = reader.path.clone();
                    for key in ["name", "from", "to"] {
                        reader.raw(key);
                    }
                    reader.finish(log);
                    leave_out_if_equal(log, start, (&path, &own), &group);
                    (own, grain, ways)
                }
            };
            if let (Some(carries), Some(ways)) = (grain, ways) {
                let first = members.start;
                links.declared.push(Link {
                    path,
                    members: first + piece.members.start..first + piece.members.end,
                    carries,
                    ways,
                });
            }
        }
    }
    links
}

impl Links {
    /// What a link of the network carries, by its number.
    pub fn carries(&self, at: usize) -> Option<Grain> {
        let declared = self.declared.partition_point(|it| it.members.end <= at / 2);
        self.declared.get(declared).map(|it| it.carries)
    }

    /// One of them carries these.
    fn sees(&mut self, grain: Option<Grain>) {
        let Some(grain) = grain else { return };
        self.mixed |= self.grain.is_some_and(|it| it != grain);
        self.grain = Some(if self.mixed { Grain::Packets } else { grain });
    }
}

/// Reads both ways of a link that carries `grain`.
fn ways(
    log: &mut Log,
    reader: &mut Reader<'_>,
    grain: Option<Grain>,
    losses: &mut Vec<(String, loss::LossParams)>,
) -> Option<[Way; 2]> {
    let there = way(log, reader, &THERE, grain, None, losses);
    let back = way(log, reader, &BACK, grain, Some(&there.line), losses);
    Some([there.whole?, back.whole?])
}

fn carries(log: &mut Log, reader: &mut Reader<'_>) -> Option<Grain> {
    const WORDS: Kind = Kind::Choice(&["cells", "packets"]);
    match reader.value(log, "carries", WORDS, Fallback::Required)? {
        Value::Choice("cells") => Some(Grain::Cells),
        Value::Choice(_) => Some(Grain::Packets),
        _ => None,
    }
}

/// Trace or rate, delay and schedule of a direction: `None` is a mistake that has been reported.
struct Capacity {
    rate: Option<Rate>,
    trace: Optional<Arc<Opportunities>>,
    schedule: Optional<Schedule>,
    delay: Option<Duration>,
}

impl Capacity {
    /// The line at the beginning.
    fn state(&self) -> Option<State> {
        Some(State {
            rate: self.rate?,
            delay: self.delay?,
            loss: None,
            up: true,
        })
    }
}

impl Way {
    /// Mean rate between two times.
    pub fn mean_rate(&self, (from, to): (Duration, Duration)) -> Rate {
        (self.schedule.as_ref()).map_or(self.rate, |course| course.mean_rate(from, to))
    }
}

/// A direction that was read.
struct Read {
    /// Values that the reverse direction has, too.
    line: Capacity,
    /// All of it, if there is no mistake.
    whole: Option<Way>,
}

/// Reads one direction; the way back is as the line `there` unless the plan says otherwise. Its loss model joins the `losses`, whether
/// the rest is right or not.
fn way(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &'static Keys,
    grain: Option<Grain>,
    there: Option<&Capacity>,
    losses: &mut Vec<(String, loss::LossParams)>,
) -> Read {
    let line = match there {
        None => line_there(log, reader, keys, grain),
        Some(there) => line_back(log, reader, keys, grain, there),
    };
    let framing = Optional::<Framing>::get(log, reader, keys.framing, "raw");
    let queue = discipline(log, reader, keys, grain);
    let marker = reader.raw(keys.marker);
    let marker_path = reader.at(keys.marker);
    let has_queue = !queue.is_absent();
    let marker = Optional::read(marker, |found| {
        answers(log, marker_path, found, grain, has_queue, keys)
    });
    let loss = reader.raw(keys.loss);
    let loss_path = reader.at(keys.loss);
    let loss = Optional::read(loss, |found| {
        part(log, loss_path.clone(), Some(found), &LOSSES, &|_| Ok(()))
    });
    if let Optional::Given(loss) = &loss {
        losses.push((loss_path.clone(), loss.clone()));
    }
    let jitter = reader.raw(keys.jitter);
    let jitter_path = reader.at(keys.jitter);
    let jitter = Optional::read(jitter, |found| late(log, jitter_path, found, grain));
    let reorder = reader.raw(keys.reorder);
    let reorder_path = reader.at(keys.reorder);
    let reorder = Optional::read(reorder, |found| order(log, &reorder_path, found, grain));
    let duplicate = twice(log, reader, keys, grain);
    let grants = reader.raw(keys.grants);
    let grants_path = reader.at(keys.grants);
    let grants = Optional::read(grants, |found| turns(log, &grants_path, found, grain));
    if grants.is_given() && (line.trace.is_given() || line.schedule.is_given()) {
        let (trace, schedule) = (keys.trace, keys.schedule);
        let message =
            format!("it cannot be combined with `{trace}` or `{schedule}`; write one of them");
        log.error(grants_path, message);
    }
    let schedule_path = reader.at(keys.schedule);
    let whole = || {
        let (state, loss) = (line.state()?, loss.right().ok()?);
        let (schedule, loss) = match line.schedule.clone().right().ok()? {
            None => (None, loss),
            Some(it) => {
                let (course, loss) = course(log, schedule_path, &it, (state, loss))?;
                (Some(course), loss)
            }
        };
        // A step at the very beginning may change the line.
        let state = (schedule.as_ref()).map_or(state, |it| *it.at(Instant::ZERO));
        Some(Way {
            rate: state.rate,
            trace: line.trace.clone().right().ok()?,
            schedule,
            grants: grants.right().ok()?,
            delay: state.delay,
            framing: framing.clone().right().ok()?.unwrap_or_default(),
            queue: queue.right().ok()?,
            marker: marker.right().ok()?,
            loss,
            loss_path,
            jitter: jitter.right().ok()?,
            reorder: reorder.right().ok()?,
            duplicate: duplicate.right().ok()?,
            keys,
        })
    };
    Read {
        whole: whole(),
        line,
    }
}

/// Reads the line of the way there.
fn line_there(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &'static Keys,
    grain: Option<Grain>,
) -> Capacity {
    let trace = trace(log, reader, keys, grain);
    let rate = match &trace {
        // The mistake in the trace has been reported.
        Optional::Wrong => {
            reader.raw(keys.rate);
            None
        }
        Optional::Given(trace) => Some(Rate(trace.mean_rate())),
        Optional::Absent => reader.get(log, keys.rate, Fallback::Required),
    };
    let schedule = schedule(log, reader, keys.schedule, None);
    either(log, reader, keys, &trace, &schedule);
    Capacity {
        rate,
        trace,
        schedule,
        delay: reader.get(log, keys.delay, Fallback::Required),
    }
}

/// Reads the line of the way back, which is as that `there` unless the plan says otherwise.
fn line_back(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &'static Keys,
    grain: Option<Grain>,
    there: &Capacity,
) -> Capacity {
    let trace = trace(log, reader, keys, grain);
    let kept = log.key.len();
    let own_rate = Optional::get(log, reader, keys.rate, AS_THERE);
    let own_delay = Optional::get(log, reader, keys.delay, AS_THERE);
    let (rate, trace) = match (own_rate, trace) {
        (Optional::Absent, Optional::Absent) => {
            (there.rate, Optional::from(there.trace.clone().given()))
        }
        (own, Optional::Absent) => (own.given(), Optional::Absent),
        (_, Optional::Given(trace)) => (Some(Rate(trace.mean_rate())), Optional::Given(trace)),
        (_, Optional::Wrong) => (None, Optional::Wrong),
    };
    let delay = match own_delay {
        Optional::Absent => there.delay,
        own => own.given(),
    };
    // A reverse direction with the forward direction's values is the same experiment as none, so it is left out of the key.
    log.key.truncate(kept);
    if let (Some(rate), Some(delay)) = (rate, delay) {
        log.record(&reader.at(keys.rate), &canonical(&Value::Rate(rate)));
        log.record(&reader.at(keys.delay), &canonical(&Value::Time(delay)));
    }
    if let Optional::Given(trace) = &trace {
        let data = Value::Data(Data::Opportunities(trace.clone()));
        log.record(&reader.at(keys.trace), &canonical(&data));
    }
    let schedule = schedule(log, reader, keys.schedule, Some(&there.schedule));
    either(log, reader, keys, &trace, &schedule);
    Capacity {
        rate,
        trace,
        schedule,
        delay,
    }
}

/// Reports a line with both a trace and a schedule.
fn either(
    log: &mut Log,
    reader: &Reader<'_>,
    keys: &Keys,
    trace: &Optional<Arc<Opportunities>>,
    schedule: &Optional<Schedule>,
) {
    if trace.is_given() && schedule.is_given() {
        let message = format!(
            "its trace already says when it sends; write either `{}` or `{}`",
            keys.schedule, keys.trace
        );
        log.error(reader.at(keys.schedule), message);
    }
}

/// Reads the discipline of a direction.
fn discipline(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &'static Keys,
    grain: Option<Grain>,
) -> Optional<queue::QueueParams> {
    let found = reader.raw(keys.queue);
    let path = reader.at(keys.queue);
    Optional::read(found, |found| {
        if externals::is_guest(found) {
            return externals::external(log, &path, found);
        }
        let params = part(log, path.clone(), Some(found), &QUEUES, &|value| {
            fits(value, grain)
        });
        let kind = found.get("kind").and_then(toml::Value::as_str);
        runs_on(log, &path, kind, grain);
        params
    })
}

/// Reads the trace of a direction.
fn trace(
    log: &mut Log,
    reader: &mut Reader<'_>,
    keys: &'static Keys,
    grain: Option<Grain>,
) -> Optional<Arc<Opportunities>> {
    let kept = log.key.len();
    let trace = Optional::get(log, reader, keys.trace, "none");
    if trace.is_absent() {
        // Most links have no trace; a line of the key for its absence would be useless.
        log.key.truncate(kept);
    } else if grain == Some(Grain::Cells) {
        let message = "this link carries cells, which are sent at its rate; write it on a link that carries packets";
        log.error(reader.at(keys.trace), message);
    } else if reader.raw(keys.rate).is_some() {
        let message = format!(
            "its trace already says when it sends; write either `{}` or `{}`",
            keys.rate, keys.trace
        );
        log.error(reader.at(keys.rate), message);
    }
    trace
}

/// Reads the rate marker of a direction.
fn answers(
    log: &mut Log,
    path: String,
    found: &toml::Value,
    grain: Option<Grain>,
    has_queue: bool,
    keys: &Keys,
) -> Option<switch::MarkerParams> {
    if grain == Some(Grain::Packets) {
        let message = "this link carries packets, and RM cells need ATM; write it on a link that carries cells";
        log.error(path, message);
        return None;
    }
    if !has_queue {
        let key = keys.queue;
        let message = format!(
            "it watches a buffer, and this one is unlimited; write a `{key}` such as {{ kind = \"plain\", buffer = \"2000 cells\" }}"
        );
        log.error(path.clone(), message);
    }
    part(log, path, Some(found), &MARKERS, &|value| {
        fits(value, grain)
    })
}

/// Checks that a buffer's room is counted in the link's units.
fn fits(value: &Value, grain: Option<Grain>) -> Result<(), String> {
    match (value, grain) {
        (Value::Room(Room::Packets(n)), Some(Grain::Cells)) => Err(format!(
            "\"{n} packets\", but this link carries cells; write room in cells such as \"1200 cells\""
        )),
        (Value::Room(Room::Cells(n)), Some(Grain::Packets)) => Err(format!(
            "\"{n} cells\", but this link carries packets; write room in packets such as \"50 packets\""
        )),
        _ => Ok(()),
    }
}

/// The plain FIFO by its names, which the literature keeps apart.
const EQUALS: [(&str, &str); 2] = [("plain", "drop-tail"), ("drop-tail", "plain")];

/// Reports a discipline that cannot run on this link's grain.
fn runs_on(log: &mut Log, path: &str, kind: Option<&str>, grain: Option<Grain>) {
    let (Some(kind), Some(grain)) = (kind, grain) else {
        return;
    };
    let Some(entry) = queue::QueueParams::entry(kind) else {
        return;
    };
    if entry.about.grains.contains(&grain) {
        return;
    }
    let others: Vec<&str> = queue::QueueParams::ENTRIES
        .iter()
        .filter(|e| e.about.grains.contains(&grain))
        .map(|e| e.name)
        .collect();
    let grains: Vec<&str> = entry.about.grains.iter().map(|g| g.name()).collect();
    let mut message = format!(
        "{kind:?} runs on {} and this link carries {}; allowed: {}",
        grains.join(" and "),
        grain.name(),
        quoted(&others)
    );
    if let Some((_, equal)) = EQUALS.iter().find(|(name, _)| *name == kind) {
        message += &format!(" ({kind:?} is called {equal:?} there)");
    }
    log.error(join(path, "kind"), message);
}
