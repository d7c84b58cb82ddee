//! Plans: an experiment as a text, accepted as a whole, or refused as a whole with every mistake.
//!
//! A plan is TOML: its end (`duration`) and measurement (`warm_up`, `sample`), its `seed`, the nodes (`[[host]]`, `[[switch]]`),
//! the lines between them (`[[link]]`), the connections (`[[flow]]`), and the values to vary (`[sweep]`). It is read in this order:
//!
//! bytes -> TOML (`syntax`) -> overrides (`path`, `overrides`) -> points of the sweep (`sweep`) -> for each point the expanded
//! topology (`topology`), names and groups, parts, routes (`network`), consistency (`checks`) -> [`Network`].
//!
//! - Links and flows may name nodes, groups, or members of groups (`names`, `ends`), and a member of a group of links or flows may
//!   have values of its own (`members`).
//! - A value that may be omitted can also be written as the word for its omission, `max_cwnd = "unlimited"`, so that a sweep can
//!   try it.
//! - A mistake is reported once, without consequential errors: a node with a wrong count is still a node.
//!
//! The parameters of queues and transports, their kinds of values and their defaults are not written here: they come from the
//! declarations in `dupack-core`.

mod abr;
mod arrivals;
mod checks;
mod directions;
mod elsewhere;
mod ends;
mod error;
mod externals;
mod files;
mod flows;
mod limits;
mod links;
pub mod measures;
mod members;
mod names;
mod network;
mod nodes;
mod on_the_line;
mod optional;
mod overrides;
mod part;
mod path;
mod put;
mod reader;
mod schedule;
mod seeds;
mod spelling;
mod stars;
pub(crate) mod stop;
mod sweep;
mod syntax;
mod text;
mod topology;
mod transports;
mod value;
mod vcs;

pub use elsewhere::elsewhere;
pub use error::{PlanError, PlanErrors};
pub use externals::Externals;
use measures::Measure;
pub(crate) use members::OF_GROUP;
pub(crate) use network::MSER;
pub use seeds::parse_seeds;
pub(crate) use spelling::suggest as suggestion;
pub use stop::Stop;
pub use text::{Part, check, picoseconds, put, queue, settled, text};
pub use topology::{Graph, Links, SHAPES, Wire, Wiring, Without, graph_links, wiring};
pub use transports::{KERNEL, SYSCTL};

use crate::halt::look;
use dupack_sim::spec::Network;
use error::Log;
use files::Files;
use path::TOPOLOGY;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use sweep::Settings;

/// The most links and flows over all points of a sweep: with more, the networks alone would fill the memory. A single network may have
/// as many of each as a plan has names for.
const PARTS: usize = 1_000_000;

/// A right plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its title; the file's name if it has none.
    pub title: String,
    /// The file, or whatever it came from.
    pub origin: String,
    /// Every point is run once with each; with a rule to stop, with the first of them.
    pub seeds: Vec<u64>,
    /// The stopping rule; without one, all seeds are run.
    pub stop: Option<Stop>,
    /// The paths that the sweep varies, in the order of their first mention.
    pub axes: Vec<String>,
    /// Points to run: one point without a sweep.
    pub points: Vec<Point>,
}

/// One point of a sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// Values that the sweep sets here.
    pub settings: Vec<(String, toml::Value)>,
    /// Network to simulate.
    pub network: Arc<Network>,
    /// The experiment as canonical text: a line per value, defaults and overrides included, in base units,
    /// without title, seed and sweep. Equal keys are equal experiments, whatever plans they come from.
    pub key: String,
}

impl Plan {
    /// Reads the plan in `bytes`, which came from `origin`, with overrides `PATH=VALUE`.
    ///
    /// An override holds in every point: an axis of the sweep at its path, or below it, is left out, and an override of
    /// `seed` replaces the sweep's seeds.
    ///
    /// # Errors
    /// Every mistake, one line each.
    pub fn parse(bytes: &[u8], origin: &str, sets: &[String]) -> Result<Self, PlanErrors> {
        Self::parse_with(bytes, Path::new(origin), sets, &Externals::new())
    }

    /// The same with disciplines that the plan may name and the program brings along.
    ///
    /// # Errors
    /// Every mistake, one line each.
    pub fn parse_with(
        bytes: &[u8],
        origin: &Path,
        sets: &[String],
        externals: &Externals,
    ) -> Result<Self, PlanErrors> {
        // The files that it names are found beside it, also if its own name is not UTF-8.
        let files = Files::beside(origin);
        let origin: &str = &origin.to_string_lossy();
        let refuse = |errors| PlanErrors {
            origin: origin.to_string(),
            errors,
        };
        let mut table = syntax::parse(bytes).map_err(refuse)?;
        let mut log = Log::with(&files);
        let written = table.remove("sweep");
        let (for_sweep, sets) = overrides::split(overrides::read(&mut log, sets));
        let (first, later) = overrides::in_turn(&table, &sets);
        overrides::apply(&mut log, &mut table, &first);
        let written_stop = table.remove("stop");
        let stop = stop::read(&mut log, written_stop.as_ref());
        let sweep = sweep::read(&mut log, written.as_ref(), &for_sweep, &sets);

        let title = table.get("title").and_then(toml::Value::as_str);
        let title = title.map_or_else(|| file_name(origin), str::to_string);
        let seed = table.get("seed").and_then(toml::Value::as_integer);
        let seed = seed.and_then(|n| u64::try_from(n).ok()).unwrap_or(1);
        let seeds = match (&sweep.seeds, &stop) {
            (Some(seeds), Some(stop)) => seeds.iter().copied().take(stop.max as usize).collect(),
            (Some(seeds), None) => seeds.clone(),
            (None, Some(stop)) => (seed..=u64::MAX).take(stop.max as usize).collect(),
            (None, None) => vec![seed],
        };
        let mut axes: Vec<String> = Vec::new();
        for axis in sweep.grids.iter().flatten() {
            if !axes.contains(&axis.path) {
                axes.push(axis.path.clone());
            }
        }

        let found = (externals, stop.as_ref());
        let points = points(&mut log, &table, &sweep, (&sets, &later), found);
        // An override without a place is a mistake at every point; it is reported once.
        let mut told = HashSet::new();
        log.errors.retain(|error| told.insert(error.clone()));
        if log.errors.is_empty() {
            Ok(Self {
                title,
                origin: origin.to_string(),
                seeds,
                stop,
                axes,
                points,
            })
        } else {
            Err(refuse(log.errors))
        }
    }

    /// The number of the results that `name` means.
    ///
    /// # Errors
    /// Why it is none, at whatever point.
    pub fn measure(&self, name: &str) -> Result<Measure, String> {
        let found: Vec<_> = self
            .points
            .iter()
            .map(|point| measures::find(&point.network, name))
            .collect();
        let some = found.iter().any(Result::is_ok);
        let missing = found.iter().position(Result::is_err);
        let mut found = found.into_iter();
        match missing {
            None => found
                .next()
                .unwrap_or_else(|| Err("there is nothing to run".into())),
            Some(at) => found
                .nth(at)
                .unwrap_or_else(|| Err(String::new()))
                .map_err(|why| {
                    let settings = sweep::describe(&self.points[at].settings);
                    if some {
                        format!("{why} (at {settings} of the sweep)")
                    } else {
                        why
                    }
                }),
        }
    }
}

/// `balanced-discard` of `plans/balanced-discard.toml`.
fn file_name(origin: &str) -> String {
    let name = origin.rsplit(['/', '\\']).next().unwrap_or(origin);
    name.strip_suffix(".toml").unwrap_or(name).to_string()
}

/// Every point of the sweep, each validated; `later` are the overrides of generated links and nodes.
fn points(
    log: &mut Log,
    table: &toml::Table,
    sweep: &sweep::Sweep,
    sets: (&[overrides::Override], &[overrides::Override]),
    (externals, stop): (&Externals, Option<&Stop>),
) -> Vec<Point> {
    let all = sweep.points();
    let mut faults = Faults::default();
    let mut points = Vec::with_capacity(all.len());
    let mut parts = 0;
    for (i, settings) in all.iter().enumerate() {
        look();
        let built = network_at(&log.files, table, settings, sweep, sets);
        let settled = built.and_then(|(mut network, key)| {
            let mut errors = externals::settle(&mut network, externals);
            errors.extend(stop.and_then(|stop| stop.check(&network).err()));
            (errors.is_empty().then_some((network, key))).ok_or(errors)
        });
        match settled {
            Ok((network, key)) => {
                parts += network.links.len() + network.flows.len();
                points.push(Point {
                    settings: settings.clone(),
                    network: Arc::new(network),
                    key,
                });
            }
            Err(errors) => faults.add(i, errors),
        }
        if parts > PARTS && all.len() > 1 {
            let message = format!(
                "its points have more than {PARTS} links and flows together; write a smaller sweep"
            );
            log.error("sweep", message);
            break;
        }
    }
    faults.report(log, &all);
    points
}

/// The network of one point.
fn network_at(
    files: &Files,
    table: &toml::Table,
    settings: &Settings,
    sweep: &sweep::Sweep,
    (sets, later): (&[overrides::Override], &[overrides::Override]),
) -> Result<(Network, String), Vec<PlanError>> {
    let mut table = table.clone();
    // A whole table is set before its values, whichever of them the sweep names first.
    let mut in_order: Vec<_> = settings.iter().collect();
    in_order.sort_by_key(|(path, _)| path::rank(path));
    let (of_topology, others): (Vec<_>, Vec<_>) = in_order
        .into_iter()
        .partition(|(path, _)| stars::is_within(path, TOPOLOGY));
    let mut log = Log::with(files);
    vary(&mut log, &mut table, &of_topology, sweep, sets);
    let origins = topology::expand(&mut log, &mut table);
    let expanded = log.errors.is_empty();
    if expanded {
        overrides::apply(&mut log, &mut table, later);
        vary(&mut log, &mut table, &others, sweep, sets);
    }
    let paths = settings.iter().map(|(path, _)| path.as_str());
    let paths: Vec<&str> = paths
        .chain(sets.iter().map(|set| set.path.as_str()))
        .collect();
    let told = |mut errors: Vec<PlanError>| {
        origins.tell(&mut errors, &paths);
        errors
    };
    // Without the nodes of the topology, everything that refers to them would be reported as a mistake.
    if !expanded {
        return Err(log.errors);
    }
    match network::network(files, &table) {
        Ok(built) if log.errors.is_empty() => Ok(built),
        Ok(_) => Err(told(log.errors)),
        Err(mut errors) => {
            log.errors.append(&mut errors);
            Err(told(log.errors))
        }
    }
}

/// Applies the values of the sweep.
fn vary(
    log: &mut Log,
    table: &mut toml::Table,
    settings: &[&(String, toml::Value)],
    sweep: &sweep::Sweep,
    sets: &[overrides::Override],
) {
    for (path, value) in settings {
        if let Err(message) = path::set(table, path, value) {
            let mut axes = sweep.grids.iter().flatten();
            let place = axes.find(|axis| axis.path == *path).map(|axis| &axis.place);
            log.error(place.unwrap_or(path), message);
        }
        // The axis may have replaced a table in which an override had set a value; it is set again.
        let inside: Vec<_> = sets
            .iter()
            .filter(|set| stars::is_within(&set.path, path))
            .cloned()
            .collect();
        overrides::apply(log, table, &inside);
    }
}

/// The mistakes of all points; equal ones are reported once.
#[derive(Default)]
struct Faults {
    /// In order of first appearance, with the first point and the number of points.
    seen: Vec<(PlanError, usize, usize)>,
    index: HashMap<PlanError, usize>,
}

impl Faults {
    fn add(&mut self, point: usize, errors: Vec<PlanError>) {
        for error in errors {
            if let Some(at) = self.index.get(&error) {
                self.seen[*at].2 += 1;
            } else {
                self.index.insert(error.clone(), self.seen.len());
                self.seen.push((error, point, 1));
            }
        }
    }

    /// Reports mistakes of some points with the point; mistakes of all points are the plan's own.
    fn report(self, log: &mut Log, all: &[Settings]) {
        for (error, point, count) in self.seen {
            let message = if count >= all.len() {
                error.message
            } else {
                let others = match count - 1 {
                    0 => String::new(),
                    1 => " and 1 more point".into(),
                    n => format!(" and {n} more points"),
                };
                let at = sweep::describe(&all[point]);
                format!("{} (at {at}{others} of the sweep)", error.message)
            };
            log.error(error.path, message);
        }
    }
}
