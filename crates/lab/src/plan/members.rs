//! `members`: values of single members of a group of hosts, links or flows, `members = { access-1 = { delay = "4 ms" } }`.
//!
//! A member has the values of its group, and these instead. Its keys are paths: `"queue.buffer"` replaces one value of the group's
//! queue, `queue` all of it. An override of `link.access-1.delay` is written there, so that it holds whatever the group becomes.

use super::error::Log;
use super::put::put;
use super::reader::Reader;
use super::spelling::join;
use super::stars::{STAR, is_within, matches};
use super::value::is_a;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::{Table, Value};

/// The key.
pub(super) const MEMBERS: &str = "members";

/// Keys that describe the whole group.
pub(crate) const OF_GROUP: [&str; 7] =
    ["name", "from", "to", "count", "pairs", "arrivals", MEMBERS];

/// Members of a group with the same values: the group's own, or those of a single member.
#[derive(Debug)]
pub(super) struct Piece {
    /// Members, counted from the group's first.
    pub members: Range<usize>,
    /// Path and values of a single member.
    pub own: Option<(String, Table)>,
}

/// Divides the entry `table` of a `section`, the group or thing `name` of `count` members, by its members' own values.
pub(super) fn pieces(
    log: &mut Log,
    reader: &mut Reader<'_>,
    section: &str,
    table: &Table,
    (name, count): (&str, Option<usize>),
) -> Vec<Piece> {
    let many = count.unwrap_or(1);
    let rest = |members| Piece { members, own: None };
    let whole = vec![rest(0..many)];
    let found = match reader.raw(MEMBERS) {
        None => return whole,
        Some(Value::Table(found)) => found,
        Some(other) => {
            let message = format!(
                "{}; write a table such as {{ {name}-0 = {{ start = \"1 s\" }} }}",
                is_a(other)
            );
            log.error(reader.at(MEMBERS), message);
            return whole;
        }
    };
    let mut own: BTreeMap<usize, Table> = BTreeMap::new();
    // What is said of several members comes before what is said of one.
    let mut patterns: Vec<(&String, &Value)> = found.iter().collect();
    patterns.sort_by_key(|(pattern, _)| !pattern.contains(STAR));
    for (pattern, values) in patterns {
        let place = join(section, pattern);
        let Value::Table(values) = values else {
            let message = format!("{}; write a table of its values", is_a(values));
            log.error(place, message);
            continue;
        };
        let meant = meant(name, count, pattern);
        if meant.is_empty() {
            // A star in an override may reach things that are no groups.
            if count.is_some() || !pattern.contains(STAR) {
                log.error(place, none(section, name, count, pattern));
            }
            continue;
        }
        for at in meant {
            let member = own.entry(at).or_insert_with(|| {
                let of_group = |key: &str| key == MEMBERS;
                let kept = table.iter().filter(|(key, _)| !of_group(key));
                kept.map(|(key, value)| (key.clone(), value.clone()))
                    .collect()
            });
            for (keys, value) in in_turn(values) {
                let first = keys.split('.').next().unwrap_or_default();
                let placed = if OF_GROUP.contains(&first) {
                    let group = join(section, name);
                    Err(format!("it is the same for all of {group}; write it there"))
                } else {
                    put(member, &place, &keys, &value)
                };
                if let Err(message) = placed {
                    log.error(format!("{place}.{keys}"), message);
                }
            }
        }
    }
    let (mut pieces, mut next) = (Vec::new(), 0);
    for (at, table) in own {
        if next < at {
            pieces.push(rest(next..at));
        }
        let path = join(section, &format!("{name}-{at}"));
        pieces.push(Piece {
            members: at..at + 1,
            own: Some((path, table)),
        });
        next = at + 1;
    }
    if next < many {
        pieces.push(rest(next..many));
    }
    pieces
}

/// Members of the group that `pattern` means.
fn meant(name: &str, count: Option<usize>, pattern: &str) -> Vec<usize> {
    let Some(count) = count else {
        return Vec::new();
    };
    if pattern.contains(STAR) {
        return (0..count)
            .filter(|at| matches(&format!("{name}-{at}"), pattern))
            .collect();
    }
    let number = pattern
        .strip_prefix(name)
        .and_then(|it| it.strip_prefix('-'));
    let at = number.and_then(|it| it.parse::<usize>().ok().filter(|at| at.to_string() == it));
    at.filter(|at| *at < count).into_iter().collect()
}

/// Why there is no such member.
fn none(section: &str, name: &str, count: Option<usize>, pattern: &str) -> String {
    match count {
        None => format!(
            "there is no {section} {pattern:?}, and {name:?} is no group; write {section}.{name}"
        ),
        Some(1) => format!("there is no {section} {pattern:?}; {name:?} has \"{name}-0\""),
        Some(count) => format!(
            "there is no {section} {pattern:?}; {name:?} has \"{name}-0\" to \"{name}-{}\"",
            count - 1
        ),
    }
}

/// The values as paths, the less deep first. A table without a `kind` is a part of a part: its values replace those of the group,
/// one by one.
fn in_turn(values: &Table) -> Vec<(String, Value)> {
    fn add(found: &mut Vec<(String, Value)>, above: &str, table: &Table) {
        for (key, value) in table {
            let path = if above.is_empty() {
                key.clone()
            } else {
                format!("{above}.{key}")
            };
            match value {
                Value::Table(inner) if !inner.contains_key("kind") => add(found, &path, inner),
                value => found.push((path, value.clone())),
            }
        }
    }
    let mut found = Vec::new();
    add(&mut found, "", values);
    found.sort_by_key(|(path, _)| path.matches('.').count());
    found
}

/// Whether `pattern` can mean a member of a group called `name`.
pub(super) fn may_mean(name: &str, pattern: &str) -> bool {
    pattern.rsplit_once('-').is_some_and(|(stem, number)| {
        let is_number = |c: char| c.is_ascii_digit() || c == STAR;
        !number.is_empty() && number.chars().all(is_number) && matches(name, stem)
    })
}

/// Writes an override of the members `pattern` into the entry of their group.
pub(super) fn set(group: &mut Table, pattern: &str, keys: &[&str], value: &Value) {
    let nothing = || Value::Table(Table::new());
    let members = group.entry(MEMBERS).or_insert_with(nothing);
    let Value::Table(members) = members else {
        return; // It is no table, which is reported when it is read.
    };
    let own = members.entry(pattern).or_insert_with(nothing);
    if let Value::Table(own) = own {
        let keys = keys.join(".");
        // A whole part replaces what was set inside it before.
        own.retain(|known, _| !is_within(known, &keys));
        own.insert(keys, value.clone());
    }
}

/// Forgets the lines of the key from `start` on, which are a member's, if the group's lines in `group` say the same.
pub(super) fn leave_out_if_equal(
    log: &mut Log,
    start: usize,
    (path, own): (&str, &str),
    group: &str,
) {
    let (path, own) = (format!("{path}."), format!("{own}."));
    let mut lines = log.key[start..].lines().map(|it| it.strip_prefix(&own));
    let mut groups = group.lines().map(|it| it.strip_prefix(&path));
    if lines.by_ref().eq(groups.by_ref()) {
        drop((lines, groups));
        log.key.truncate(start);
    }
}
