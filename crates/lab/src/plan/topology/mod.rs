//! `[topology]`: a network by the name of its shape, or from a GraphML file. It is expanded into the hosts, switches and links that
//! a plan could have declared itself, before anything else is read; so each of them can be named, and overridden by its path.
//!
//! A mistake in `[topology]` is reported there, although it is found in the links made from it.

mod graphml;
mod shapes;

pub use graphml::Graph;
pub use shapes::{About, Links, SHAPES, Without};

use super::error::{Log, PlanError, PlanErrors};
use super::files::Files;
use super::limits::MEMBERS;
use super::members::MEMBERS as MEMBERS_OF;
use super::part::word;
use super::path::TOPOLOGY;
use super::reader::Reader;
use super::spelling::join;
use super::stars::is_within;
use super::value::is_a;
use super::{overrides, syntax};
use crate::halt::look;
use dupack_core::declare::Value as Given;
use dupack_core::declare::{Declared, Fault};
use dupack_core::roster::Entry;
use shapes::{Cable, Net};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use toml::{Table, Value};

/// The tables of a graph from a file.
pub const fn graph_links() -> &'static [Links] {
    graphml::LINKS
}

/// A right one, for errors.
const EXAMPLE: &str = r#"a table such as { kind = "dumbbell", senders = 5, carries = "packets", access = { rate = "1 Gb/s", delay = "1 ms" }, bottleneck = { rate = "100 Mb/s", delay = "10 ms" } }"#;

/// Number of links or nodes that an error names.
const NAMED: usize = 3;

/// The keys that hold for all links whose tables say nothing else.
const COMMON: [&str; 2] = ["carries", "queue"];

/// Origins of generated tables: the path in an error, and the path in the plan under which it is reported.
#[derive(Debug, Default)]
pub(super) struct Origins(HashMap<String, String>);

impl Origins {
    /// Reports errors at their cause in the plan; errors at one of the paths in `set` stay there.
    pub fn tell(&self, errors: &mut Vec<PlanError>, set: &[&str]) {
        for error in errors.iter_mut() {
            if set.iter().any(|path| is_within(&error.path, path)) {
                continue;
            }
            // The most specific path decides.
            let ends = error.path.match_indices('.').map(|(end, _)| end);
            let mut ends: Vec<usize> = ends.chain([error.path.len()]).collect();
            ends.reverse();
            let mut known = ends
                .iter()
                .map(|end| (*end, self.0.get(&error.path[..*end])));
            if let Some((end, Some(origin))) = known.find(|(_, origin)| origin.is_some()) {
                error.path = format!("{origin}{}", &error.path[end..]);
            }
        }
        let origins: HashSet<&str> = self.0.values().map(String::as_str).collect();
        let mut told = HashSet::new();
        errors.retain(|error| {
            let new = told.insert(error.clone());
            new || !origins.iter().any(|origin| is_within(&error.path, origin))
        });
    }
}

/// The nodes and links of a topology, for drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// Hosts at which links begin, then switches, then the other hosts.
    pub nodes: Vec<String>,
    /// Links, in order.
    pub lines: Vec<Wire>,
}

/// A link, as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Its name.
    pub name: String,
    /// Its ends, by their places among the nodes.
    pub ends: (usize, usize),
    /// The table that describes it.
    pub table: &'static str,
}

/// The nodes and links of the topology `text` (`topology = { ... }`), with overrides `topology.KEY=VALUE`.
///
/// # Errors
/// Mistakes in it.
pub fn wiring(text: &str, origin: &str, sets: &[String]) -> Result<Wiring, PlanErrors> {
    let refuse = |errors| PlanErrors {
        origin: origin.to_string(),
        errors,
    };
    let mut plan = syntax::parse(text.as_bytes()).map_err(refuse)?;
    let mut log = Log::with(&Files::beside(origin));
    let sets = overrides::read(&mut log, sets);
    overrides::apply(&mut log, &mut plan, &sets);
    let drawn = match plan.get(TOPOLOGY) {
        Some(Value::Table(table)) => draw(&mut log, table),
        _ => None,
    };
    match drawn {
        Some((net, _)) if log.errors.is_empty() => Ok(wired(&net)),
        _ => Err(refuse(log.errors)),
    }
}

fn wired(net: &Net) -> Wiring {
    let members = |(name, count): &(String, Option<u64>)| -> Vec<String> {
        match count {
            None => vec![name.clone()],
            Some(count) => (0..*count).map(|at| format!("{name}-{at}")).collect(),
        }
    };
    let all = Groups::new(net.hosts.iter().chain(&net.switches));
    let first: HashSet<&str> = (net.lines.iter())
        .filter_map(|line| all.find(&line.from))
        .collect();
    let begins = |(name, _): &&(String, Option<u64>)| first.contains(name.as_str());
    let (first, last): (Vec<_>, Vec<_>) = net.hosts.iter().partition(begins);
    let groups = first.into_iter().chain(&net.switches).chain(last);
    let nodes: Vec<String> = groups.flat_map(members).collect();
    let places: HashMap<&str, usize> = nodes.iter().map(String::as_str).zip(0..).collect();
    let groups: HashMap<&str, u64> = (net.hosts.iter().chain(&net.switches))
        .filter_map(|(name, count)| Some((name.as_str(), (*count)?)))
        .collect();
    let mut lines = Vec::new();
    for line in &net.lines {
        let ends = [&line.from, &line.to];
        let many = ends.map(|end| groups.get(end.as_str()));
        let count = many.into_iter().flatten().max();
        for at in 0..count.copied().unwrap_or(1) {
            let place = |end: usize| {
                let name = match many[end] {
                    None => ends[end].clone(),
                    Some(_) => format!("{}-{at}", ends[end]),
                };
                places.get(name.as_str()).copied()
            };
            if let (Some(from), Some(to)) = (place(0), place(1)) {
                lines.push(Wire {
                    name: match count {
                        None => line.name.clone(),
                        Some(_) => format!("{}-{at}", line.name),
                    },
                    ends: (from, to),
                    table: line.table,
                });
            }
        }
    }
    Wiring { nodes, lines }
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
    // The key contains the generated links, but not the topology that generated them.
    let kept = log.key.len();
    let drawn = draw(log, table);
    log.key.truncate(kept);
    match drawn {
        Some((net, links)) => write_out(log, plan, &net, links),
        None => Origins::default(),
    }
}

/// A table that says nothing.
static NOTHING: LazyLock<Table> = LazyLock::new(Table::new);

/// Values for the links of a table, and their place in the plan.
struct Like<'t> {
    name: &'static str,
    path: String,
    table: &'t Table,
}

/// Values for links, per table, and values for all.
struct Likes<'t> {
    tables: Vec<Like<'t>>,
    common: Vec<(&'static str, &'t Value)>,
}

/// Reads the section.
fn draw<'t>(log: &mut Log, table: &'t Table) -> Option<(Net, Likes<'t>)> {
    let mut reader = Reader::new(TOPOLOGY, table);
    let mut names: Vec<&str> = SHAPES.iter().map(|it| it.name).collect();
    names.push(Graph::NAME);
    let kind = word(log, &mut reader, "kind", TOPOLOGY, &names, None)?;
    let (net, links) = match SHAPES.iter().find(|it| it.name == kind) {
        Some(shape) => (shaped(log, &mut reader, shape), shape.about.links),
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
    if kind == Graph::NAME && !all_said(log, &path, &net, &likes) {
        return None;
    }
    Some((net, likes))
}

/// Reports values of trunks that neither the plan nor the file gives.
fn all_said(log: &mut Log, path: &str, net: &Net, likes: &Likes<'_>) -> bool {
    let Some(like) = likes.tables.first() else {
        return true;
    };
    let trunks: Vec<&Cable> = (net.lines.iter().filter(|it| it.table == like.name)).collect();
    let known = |line: &Cable, key| match key {
        "rate" => line.rate.is_some(),
        _ => line.delay_ps.is_some(),
    };
    let mut all = true;
    for (key, right) in [("rate", "10 Gb/s"), ("delay", "1 ms")] {
        let unknown: Vec<_> = trunks.iter().filter(|it| !known(it, key)).collect();
        if unknown.is_empty() || like.table.contains_key(key) {
            continue;
        }
        all = false;
        let told: Vec<String> = (unknown.iter().take(NAMED))
            .map(|it| format!("{} - {}", it.from, it.to))
            .collect();
        let more = if unknown.len() > NAMED { ", ..." } else { "" };
        let message = format!(
            "the file does not give it for {} of its {} links ({}{more}); write {} = {{ {key} = \"{right}\" }} for those, or {} = {{ {key} = \"{right}\" }} for all",
            unknown.len(),
            trunks.len(),
            told.join(", "),
            graphml::FALLBACK,
            like.name,
        );
        log.error(join(&join(path, like.name), key), message);
    }
    all
}

/// Reads the numbers of a shape, and makes it.
fn shaped(log: &mut Log, reader: &mut Reader<'_>, shape: &Entry<About>) -> Option<Net> {
    let read = |p: &dupack_core::declare::Parameter| reader.value(log, p.name, p.kind, p.fallback);
    let values: Vec<Option<Given>> = shape.parameters.iter().map(read).collect();
    let values: Vec<Given> = values.into_iter().collect::<Option<_>>()?;
    // Nodes and links are counted apart in a plan.
    let most = 2 * MEMBERS;
    let fault = match (shape.about.build_if)(&values, most as u128) {
        Ok(Some(net)) => return Some(net),
        Ok(None) => {
            let message = format!("makes more than {most} nodes and links; write a smaller one");
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
        match (reader.raw(it.name), it.without) {
            (Some(Value::Table(table)), _) => {
                for key in ["name", "from", "to"] {
                    if table.contains_key(key) {
                        let message = "the topology sets this; leave it out";
                        log.error(join(&path, key), message);
                    }
                }
                if table.contains_key(MEMBERS_OF) {
                    let message = "a topology's links have no members here; override one by its path, such as link.access-1.delay, with --set or in [sweep]";
                    log.error(join(&path, MEMBERS_OF), message);
                }
                likes.push(Like {
                    name: it.name,
                    path,
                    table,
                });
            }
            (None, Without::Known) => likes.push(Like {
                name: it.name,
                path,
                table: &NOTHING,
            }),
            (None, Without::Like(like)) => {
                // The table that this one is like may be missing, too; if so, that has been reported.
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
                    "{found}; write the properties of the links {}, a table such as {{ rate = \"1 Gb/s\", delay = \"10 us\" }}",
                    it.help
                );
                log.error(path, message);
            }
        }
    }
    likes
}

/// Adds the generated nodes and links to the plan.
fn write_out(log: &mut Log, plan: &mut Table, net: &Net, likes: Likes<'_>) -> Origins {
    let node = |(name, count): &(String, Option<u64>)| {
        let mut table = Table::new();
        table.insert("name".into(), Value::String(name.clone()));
        if let Some(count) = count {
            table.insert("count".into(), Value::Integer(*count as i64));
        }
        Value::Table(table)
    };
    let mut origins = HashMap::new();
    let switches = Groups::new(net.switches.iter());
    let lines = net.lines.iter().filter_map(|line| {
        let like = likes.tables.iter().find(|it| it.name == line.table)?;
        Some(Value::Table(link(
            line,
            like,
            &switches,
            &likes,
            &mut origins,
        )))
    });
    let lines: Vec<Value> = lines.collect();
    append(log, plan, "host", net.hosts.iter().map(node).collect());
    append(log, plan, "switch", net.switches.iter().map(node).collect());
    append(log, plan, "link", lines);
    Origins(origins)
}

fn link(
    line: &Cable,
    like: &Like<'_>,
    switches: &Groups<'_>,
    likes: &Likes<'_>,
    origins: &mut HashMap<String, String>,
) -> Table {
    look();
    let mut table = Table::new();
    let made = join("link", &line.name);
    let texts = [
        ("name", Some(line.name.clone())),
        ("from", Some(line.from.clone())),
        ("to", Some(line.to.clone())),
        ("rate", line.rate.map(|rate| format!("{rate} b/s"))),
        ("delay", line.delay_ps.map(|delay| format!("{delay} ps"))),
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
        // A queue applies to every port of a switch, except where the link's own table gives one.
        let places = match *key {
            "queue" => [("queue", &line.from), ("back_queue", &line.to)]
                .into_iter()
                .filter(|(_, end)| switches.find(end).is_some())
                .map(|(place, _)| place)
                .collect(),
            key => vec![key],
        };
        for place in places {
            if !table.contains_key(place) {
                table.insert(place.into(), (*value).clone());
                origins.insert(join(&made, place), join(TOPOLOGY, key));
            }
        }
    }
    origins.insert(made, like.path.clone());
    table
}

/// Nodes by name: a graph from a file has a switch per node, so a search through all of them for each link would take too long.
struct Groups<'n>(HashMap<&'n str, bool>);

impl<'n> Groups<'n> {
    /// Of these nodes, and groups of nodes.
    fn new(nodes: impl Iterator<Item = &'n (String, Option<u64>)>) -> Self {
        Self(
            nodes
                .map(|(name, count)| (name.as_str(), count.is_some()))
                .collect(),
        )
    }

    /// The node called `name`, or the group that has a member of this name.
    fn find(&self, name: &str) -> Option<&'n str> {
        if let Some((known, _)) = self.0.get_key_value(name) {
            return Some(known);
        }
        let (group, number) = name.rsplit_once('-')?;
        let (known, grouped) = self.0.get_key_value(group)?;
        (*grouped && number.parse::<u64>().is_ok()).then_some(*known)
    }
}

/// Adds generated tables after those that the plan declares itself.
fn append(log: &mut Log, plan: &mut Table, section: &str, items: Vec<Value>) {
    let own = match plan.get_mut(section) {
        Some(Value::Array(own)) => own,
        // It is no list of tables, which is reported when the section is read.
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
                "makes the {section} {taken:?}, and the plan has one of that name; rename that one"
            );
            log.error(TOPOLOGY, message);
        }
    }
    own.extend(items);
}
