//! Paths into a plan, `link.bottleneck.queue.lower`: overrides and sweeps use them to name what they set. A star matches any
//! letters of a name or key in the plan: `flow.*.traffic.off` is that of every flow, `link.path.*loss.rate` means those of `loss`
//! and `back_loss`.

use super::members::{self, OF_GROUP};
use super::names::is_name;
use super::put::insert;
use super::spelling::{join, nearest, suggest};
use super::stars::{STAR, is_within, matches};
use toml::{Table, Value};

/// Keys that stand at the top of a plan and hold a value.
const SCALARS: [&str; 9] = [
    "title",
    "duration",
    "warm_up",
    "seed",
    "sample",
    "percentiles",
    "batches",
    "detune",
    "routing",
];

/// Sections that are one table.
const TABLES: [&str; 3] = ["aal5", "stop", TOPOLOGY];

/// The section that makes entries of others.
pub(super) const TOPOLOGY: &str = "topology";

/// Sections of which a topology makes entries.
pub(super) const MADE: [&str; 3] = ["host", "switch", "link"];

/// Sections of things with names.
const SECTIONS: [&str; 6] = ["vc", "host", "switch", "edge", "link", "flow"];

/// Sections of nodes.
const NODES: [&str; 3] = ["host", "switch", "edge"];

/// Sections whose groups have members with values of their own.
const GROUPS: [&str; 3] = ["host", "link", "flow"];

/// Sets the value at `path`, and creates missing keys and tables on the way. The plan reader checks whether the key is valid;
/// here it is only checked that there is a place for it.
pub(super) fn set(plan: &mut Table, path: &str, value: &Value) -> Result<(), String> {
    let keys: Vec<&str> = path.split('.').collect();
    let (first, rest) = match keys.as_slice() {
        [first, rest @ ..] if keys.iter().all(|key| !key.is_empty()) => (*first, rest),
        _ => return Err("not a path; write one such as link.bottleneck.rate".into()),
    };
    if !SECTIONS.contains(&first) {
        return if SCALARS.contains(&first) || TABLES.contains(&first) {
            insert(plan, "", &keys, value)
        } else {
            if let Some(section) = section_of(plan, first) {
                return Err(format!("unknown key; did you mean \"{section}.{path}\"?"));
            }
            let known = [&SCALARS[..], &TABLES, &SECTIONS].concat();
            Err(format!("unknown key; {}", suggest(first, &known)))
        };
    }
    let groups = groups(plan, first);
    let things: Vec<&mut Table> = match plan.get_mut(first) {
        Some(Value::Array(items)) => items.iter_mut().filter_map(Value::as_table_mut).collect(),
        _ => Vec::new(),
    };
    let Some((name, rest)) = rest.split_first() else {
        return Err(format!(
            "a whole section; write a path such as {first}.NAME.KEY"
        ));
    };
    let named = |thing: &Table| name_of(thing).is_some_and(|own| matches(&own, name));
    // Some topologies make single links with numbers instead of a group. The name without a number means all of them, as for a group.
    let numbered = |thing: &Table| name_of(thing).is_some_and(|own| is_numbered(&own, name));
    let all = !things.iter().any(|thing| named(thing));
    let meant = |thing: &Table| named(thing) || all && numbered(thing);
    // What is no thing of its own may be a member of a group.
    let member = |thing: &Table| {
        let own = name_of(thing).filter(|own| members::may_mean(own, name) && !matches(own, name));
        own.is_some() && groups.has(thing)
    };
    let exact = !name.contains(STAR);
    let found = things.iter().any(|thing| meant(thing));
    let known = found || things.iter().any(|thing| member(thing));
    if known && rest.is_empty() {
        return Err(format!(
            "a whole {first}; write the path of one of its values, such as {first}.{name}.KEY"
        ));
    }
    if !known {
        let near = near(&things, &groups, name);
        return Err(format!("there is no {first} {name:?}; {near}"));
    }
    if let [key] = rest
        && matches("name", key)
    {
        return Err(
            "a name cannot be set, because other paths contain it; write it in the plan".into(),
        );
    }
    for thing in things {
        if meant(thing) {
            let place = join(first, &name_of(thing).unwrap_or_default());
            insert(thing, &place, rest, value)?;
        } else if member(thing) && !(exact && found) {
            if OF_GROUP.contains(&rest[0]) {
                let group = join(first, &name_of(thing).unwrap_or_default());
                let key = rest[0];
                return Err(format!(
                    "it is the same for all of {group}; write {group}.{key}"
                ));
            }
            members::set(thing, name, rest, value);
        }
    }
    Ok(())
}

/// Whether a thing is called `name` with numbers behind it: `fabric-0-1`.
fn is_numbered(own: &str, name: &str) -> bool {
    own.strip_prefix(name).is_some_and(|numbers| {
        numbers.starts_with('-') && numbers.chars().all(|c| c == '-' || c.is_ascii_digit())
    })
}

/// What to write instead of `name`, which none of the `things` has.
fn near(things: &[&mut Table], groups: &Groups, name: &str) -> String {
    // The group's name may be misspelled, with the number of a member behind it.
    let number = name.rsplit_once('-').map(|(_, number)| number);
    let number = number.filter(|it| it.parse::<usize>().is_ok());
    let members: Vec<String> = (number.into_iter())
        .flat_map(|number| {
            let things = things.iter().filter(|thing| groups.has(thing));
            let names = things.filter_map(|thing| name_of(thing));
            names.map(move |own| format!("{own}-{number}"))
        })
        .collect();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    if let Some(near) = nearest(name, &members) {
        return format!("did you mean \"{near}\"?");
    }
    let names: Vec<String> = things.iter().filter_map(|t| name_of(t)).collect();
    let names: Vec<&str> = (names.iter().map(String::as_str))
        .filter(|n| is_name(n))
        .collect();
    suggest(name, &names)
}

/// The groups of a section.
enum Groups {
    /// Things with an end in one of these groups of nodes.
    At(Vec<String>),
    /// Nodes with a `count`.
    Counted,
    /// The section has none.
    None,
    /// A topology that is not expanded yet may make any: it is checked when the section is read.
    Unknown,
}

impl Groups {
    fn has(&self, thing: &Table) -> bool {
        let text = |key| thing.get(key).and_then(Value::as_str);
        match self {
            Self::At(nodes) => {
                let ends = [text("from"), text("to")];
                let mut ends = ends.into_iter().flatten();
                text("pairs").is_some() || ends.any(|end| nodes.iter().any(|node| node == end))
            }
            Self::Counted => thing.contains_key("count"),
            Self::None => false,
            Self::Unknown => true,
        }
    }
}

fn groups(plan: &Table, section: &str) -> Groups {
    if !GROUPS.contains(&section) {
        return Groups::None;
    }
    if NODES.contains(&section) {
        return Groups::Counted;
    }
    if plan.contains_key(TOPOLOGY) {
        return Groups::Unknown;
    }
    let nodes = NODES
        .into_iter()
        .filter_map(|sort| plan.get(sort)?.as_array());
    let nodes = nodes.flatten().filter_map(Value::as_table);
    let counted = nodes.filter(|node| node.contains_key("count"));
    Groups::At(counted.filter_map(name_of).collect())
}

/// The section that contains a thing of this name: the path of one of its values begins with that section.
fn section_of<'s>(plan: &Table, name: &str) -> Option<&'s str> {
    let has = |section: &&str| {
        let things = plan.get(*section).and_then(Value::as_array);
        let mut things = things.into_iter().flatten().filter_map(Value::as_table);
        things.any(|thing| name_of(thing).as_deref() == Some(name))
    };
    SECTIONS.into_iter().rev().find(has)
}

fn name_of(table: &Table) -> Option<String> {
    table.get("name")?.as_str().map(str::to_string)
}

/// Order in which paths are set: a whole table before its values, a path with a star before a single match.
pub(super) fn rank(path: &str) -> impl Ord {
    (path.matches('.').count(), !path.contains(STAR))
}

/// Why a sweep may set nothing at `path`, if it may not.
pub(super) fn not_an_axis(path: &str) -> Option<String> {
    match path {
        "seed" => Some("`seed` cannot be an axis; write \"seeds\"".into()),
        "title" => Some("a title changes no result; write the path of a value that does".into()),
        _ if is_within(path, "stop") => {
            Some("the number of runs of a point changes no result; write `stop` once".into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_with_a_name_can_be_set() {
        for section in SECTIONS {
            let mut plan: Table = toml::from_str(&format!("[[{section}]]\nname = \"a\"")).unwrap();
            set(&mut plan, &format!("{section}.a.key"), &Value::Integer(3)).unwrap();
            assert_eq!(plan[section][0]["key"], Value::Integer(3));
        }
    }
}
