//! `[topology]`: a network by the name of its shape, or from a GraphML file. It is written out as the hosts, switches and links that a
//! plan could have declared itself, before anything else is read; so each of them can be named, and overridden by its path.
//!
//! A mistake in what stands in `[topology]` is told there, though it is found in the links that are made of it.

mod graphml;
mod shapes;

pub use shapes::{Entry, Links, SHAPES};

use super::error::{Log, PlanError};
use super::names::MEMBERS;
use super::part::word;
use super::path::is_within;
use super::reader::Reader;
use super::spelling::join;
use super::value::is_a;
use dupack_core::declare::Fault;
use dupack_core::declare::Value as Given;
use shapes::{Line, Net};
use std::collections::HashSet;
use toml::{Table, Value};

/// The section.
pub(super) const TOPOLOGY: &str = "topology";

/// A right one, for errors.
const EXAMPLE: &str = r#"a table such as { kind = "dumbbell", senders = 5, carries = "packets", access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "100 Mb/s", delay = "10 ms" } }"#;

/// The keys that hold for all links whose tables say nothing else.
const COMMON: [&str; 2] = ["carries", "queue"];

/// Where what was written out comes from: the path that an error has, and the one that it is told under; the more special first.
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<(String, String)>);

impl Origins {
    /// Moves errors to where the plan says what is wrong; those at one of the paths in `set` stay.
    pub fn tell(&self, errors: &mut Vec<PlanError>, set: &[&str]) {
        for error in errors.iter_mut() {
            if set.iter().any(|path| is_within(&error.path, path)) {
                continue;
            }
            let from = (self.0.iter()).find(|(made, _)| is_within(&error.path, made));
            if let Some((made, origin)) = from {
                error.path = format!("{origin}{}", &error.path[made.len()..]);
            }
        }
        let mut told = Vec::<PlanError>::new();
        errors.retain(|error| {
            let first =
                !self.0.iter().any(|(_, o)| is_within(&error.path, o)) || !told.contains(error);
            told.push(error.clone());
            first
        });
    }
}

/// Writes the plan's topology out, if it has one.
pub(super) fn expand(log: &mut Log, plan: &mut Table) -> Origins {
    let Some(found) = plan.remove(TOPOLOGY) else {
        return Origins::default();
    };
    let Value::Table(table) = &found else {
        log.error(TOPOLOGY, format!("{}; write {EXAMPLE}", is_a(&found)));
        return Origins::default();
    };
    // The links that are written out go into the key; how the plan came to them does not.
    let kept = log.key.len();
    let drawn = draw(log, table);
    log.key.truncate(kept);
    match drawn {
        Some((net, links)) => write_out(log, plan, &net, links),
        None => Origins::default(),
    }
}

/// What the links of a table are like, and where that stands.
struct Like<'t> {
    name: &'static str,
    path: String,
    table: &'t Table,
}

/// What links are like, per table, and what holds for all.
struct Likes<'t> {
    tables: Vec<Like<'t>>,
    common: Vec<(&'static str, &'t Value)>,
}

/// Reads the section.
fn draw<'t>(log: &mut Log, table: &'t Table) -> Option<(Net, Likes<'t>)> {
    let mut reader = Reader::new(TOPOLOGY, table);
    let mut names: Vec<&str> = SHAPES.iter().map(|it| it.name).collect();
    names.push(graphml::NAME);
    let kind = word(log, &mut reader, "kind", TOPOLOGY, &names, None)?;
    let (net, links) = match SHAPES.iter().find(|it| it.name == kind) {
        Some(shape) => (shaped(log, &mut reader, shape), shape.links),
        None => (graphml::read(log, &mut reader), graphml::LINKS),
    };
    let common = COMMON.map(|key| (key, reader.raw(key)));
    let common = common
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    let likes = Likes {
        tables: likes(log, &mut reader, links),
        common: common.collect(),
    };
    let path = reader.path.clone();
    reader.finish(log);
    let net = net?;
    if likes.tables.len() < links.len() {
        return None;
    }
    // What a file does not say of a link the table must.
    for line in &net.lines {
        let like = likes.tables.iter().find(|it| it.name == line.table)?;
        let missing = |key: &str, known: bool| !known && !like.table.contains_key(key);
        for (key, known) in [
            ("rate", line.rate.is_some()),
            ("delay", line.delay_ns.is_some()),
        ] {
            if missing(key, known) && kind == graphml::NAME {
                let message = format!(
                    "missing, and the file does not say it of the link from {:?} to {:?}",
                    line.from, line.to
                );
                log.error(join(&join(&path, like.name), key), message);
                return None;
            }
        }
    }
    Some((net, likes))
}

/// Reads the numbers of a shape, and makes it.
fn shaped(log: &mut Log, reader: &mut Reader<'_>, shape: &Entry) -> Option<Net> {
    let read = |p: &dupack_core::declare::Parameter| reader.value(log, p.name, p.kind, p.fallback);
    let values: Vec<Option<Given>> = shape.parameters.iter().map(read).collect();
    let values: Vec<Given> = values.into_iter().collect::<Option<_>>()?;
    let fault = match (shape.build_if)(&values, MEMBERS as u128) {
        Ok(Some(net)) => return Some(net),
        Ok(None) => {
            let message = format!("makes more than {MEMBERS} nodes and links; write a smaller one");
            log.error(TOPOLOGY, message);
            return None;
        }
        Err(fault) => fault,
    };
    let Fault {
        name,
        found,
        allowed,
    } = fault;
    log.error(reader.at(name), format!("{found}; write {allowed}"));
    None
}

/// The tables of links; those with a mistake are missing.
fn likes<'t>(log: &mut Log, reader: &mut Reader<'t>, links: &[Links]) -> Vec<Like<'t>> {
    let mut likes = Vec::<Like<'t>>::new();
    for it in links {
        let path = reader.at(it.name);
        match (reader.raw(it.name), it.like) {
            (Some(Value::Table(table)), _) => {
                for key in ["name", "from", "to"] {
                    if table.contains_key(key) {
                        let message = "the topology says this; leave it out";
                        log.error(join(&path, key), message);
                    }
                }
                likes.push(Like {
                    name: it.name,
                    path,
                    table,
                });
            }
            (None, Some(like)) => {
                // What it is like may be missing itself, and that has been told.
                if let Some(at) = likes.iter().position(|known| known.name == like) {
                    let (path, table) = (likes[at].path.clone(), likes[at].table);
                    likes.push(Like {
                        name: it.name,
                        path,
                        table,
                    });
                }
            }
            (found, _) => {
                let found = found.map_or("missing".into(), is_a);
                let message = format!(
                    "{found}; write what the links {} are like, a table such as {{ rate = \"1 Gb/s\", delay = \"10 us\" }}",
                    it.help
                );
                log.error(path, message);
            }
        }
    }
    likes
}

/// Puts what the topology makes into the plan.
fn write_out(log: &mut Log, plan: &mut Table, net: &Net, likes: Likes<'_>) -> Origins {
    let node = |(name, count): &(String, Option<u64>)| {
        let mut table = Table::new();
        table.insert("name".into(), Value::String(name.clone()));
        if let Some(count) = count {
            table.insert("count".into(), Value::Integer(*count as i64));
        }
        Value::Table(table)
    };
    let mut origins = Vec::new();
    let lines = net.lines.iter().filter_map(|line| {
        let like = likes.tables.iter().find(|it| it.name == line.table)?;
        Some(Value::Table(link(line, like, net, &likes, &mut origins)))
    });
    let lines: Vec<Value> = lines.collect();
    append(log, plan, "host", net.hosts.iter().map(node).collect());
    append(log, plan, "switch", net.switches.iter().map(node).collect());
    append(log, plan, "link", lines);
    Origins(origins)
}

fn link(
    line: &Line,
    like: &Like<'_>,
    net: &Net,
    likes: &Likes<'_>,
    origins: &mut Vec<(String, String)>,
) -> Table {
    let mut table = Table::new();
    let made = join("link", &line.name);
    let texts = [
        ("name", Some(line.name.clone())),
        ("from", Some(line.from.clone())),
        ("to", Some(line.to.clone())),
        ("rate", line.rate.map(|rate| format!("{rate} b/s"))),
        ("delay", line.delay_ns.map(|delay| format!("{delay} ns"))),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            table.insert(key.into(), Value::String(text));
        }
    }
    for (key, value) in like.table {
        table.insert(key.clone(), value.clone());
    }
    for (key, value) in &likes.common {
        // Every port of a switch, that is, unless it has one of its own.
        let places = match *key {
            "queue" => {
                let is_switch = |name: &str| {
                    (net.switches.iter()).any(|(group, count)| of(name, group, *count))
                };
                [("queue", &line.from), ("back_queue", &line.to)]
                    .into_iter()
                    .filter(|(_, end)| is_switch(end))
                    .map(|(place, _)| place)
                    .collect()
            }
            key => vec![key],
        };
        for place in places {
            if !table.contains_key(place) {
                table.insert(place.into(), (*value).clone());
                origins.push((join(&made, place), join(TOPOLOGY, key)));
            }
        }
    }
    origins.push((made, like.path.clone()));
    table
}

/// Whether `name` is that of a node, or of a member of a group.
fn of(name: &str, node: &str, count: Option<u64>) -> bool {
    match name.strip_prefix(node) {
        Some("") => true,
        Some(rest) => {
            count.is_some()
                && rest
                    .strip_prefix('-')
                    .is_some_and(|n| n.parse::<u64>().is_ok())
        }
        None => false,
    }
}

/// Puts what the topology makes after what the plan declares itself.
fn append(log: &mut Log, plan: &mut Table, section: &str, items: Vec<Value>) {
    let own = match plan.get_mut(section) {
        Some(Value::Array(own)) => own,
        // What is wrong with it is told when it is read.
        Some(_) => return,
        None if items.is_empty() => return,
        None => {
            plan.insert(section.into(), Value::Array(items));
            return;
        }
    };
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_string);
    let names: HashSet<_> = own.iter().filter_map(name).collect();
    for item in &items {
        if let Some(taken) = name(item).filter(|it| names.contains(it)) {
            let message = format!(
                "makes the {section} {taken:?}, and the plan has one of that name; rename that"
            );
            log.error(TOPOLOGY, message);
        }
    }
    own.extend(items);
}
