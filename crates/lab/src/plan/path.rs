//! Paths into a plan, `link.bottleneck.queue.lower`: overrides and sweeps use them to name what they set. A star matches any
//! letters of a name or key in the plan: `flow.*.traffic.off` is that of every flow, `link.path.*loss.rate` means those of `loss`
//! and `back_loss`.

use super::members::{self, OF_GROUP};
use super::names::is_name;
use super::part;
use super::spelling::{is_bare, join, nearest, suggest};
use super::stars::{STAR, matches};
use super::value::show;
use dupack_core::declare::Declared;
use dupack_core::declare::Kind;
use dupack_core::queue::{QueueParams, drop_tail};
use dupack_core::roster::Roster;
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

/// Keys that hold a part, a table with a `kind`.
const PARTS: [&str; 11] = [
    "queue",
    "back_queue",
    "loss",
    "back_loss",
    "jitter",
    "back_jitter",
    "marker",
    "back_marker",
    "traffic",
    "arrivals",
    "transport",
];

/// Sections of nodes.
const NODES: [&str; 3] = ["host", "switch", "edge"];

/// Sections whose groups have members with values of their own.
const GROUPS: [&str; 2] = ["link", "flow"];

/// The key of a wrapped discipline.
const WRAPPED: &str = "inner";

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
    let names: Vec<String> = things.iter().filter_map(|t| name_of(t)).collect();
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|n| is_name(n))
        .collect();
    let Some((name, rest)) = rest.split_first() else {
        return Err(format!(
            "a whole section; write a path such as {first}.NAME.KEY"
        ));
    };
    let meant = |thing: &Table| name_of(thing).is_some_and(|own| matches(&own, name));
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
        let near = match nearest(name, &members) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => suggest(name, &names),
        };
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

/// Sets the value at the path `keys` below `table`, which stands at `place`.
pub(super) fn put(table: &mut Table, place: &str, keys: &str, value: &Value) -> Result<(), String> {
    let keys: Vec<&str> = keys.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err("not a path; write one such as queue.buffer".into());
    }
    insert(table, place, &keys, value)
}

/// The groups of a section.
enum Groups {
    /// Things with an end in one of these groups of nodes.
    At(Vec<String>),
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
            Self::None => false,
            Self::Unknown => true,
        }
    }
}

fn groups(plan: &Table, section: &str) -> Groups {
    if !GROUPS.contains(&section) {
        return Groups::None;
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

/// Sets the value at `keys` below `table`, which stands at `path`.
fn insert(table: &mut Table, path: &str, keys: &[&str], value: &Value) -> Result<(), String> {
    let Some((key, rest)) = keys.split_first() else {
        return Ok(());
    };
    let meant: Vec<String> = if key.contains(STAR) {
        let known = table.keys().filter(|known| matches(known, key));
        known.cloned().collect()
    } else {
        vec![(*key).to_string()]
    };
    if meant.is_empty() {
        return Err(format!(
            "{path} has no such key; a star matches only keys that the plan writes"
        ));
    }
    for key in meant {
        let path = join(path, &key);
        if rest.is_empty() {
            let value = of_kind(&key, table.get(&key), value).unwrap_or_else(|| value.clone());
            table.insert(key, value);
            continue;
        }
        let next = table
            .entry(key)
            .or_insert_with(|| Value::Table(Table::new()));
        match next {
            Value::Table(next) => insert(next, &path, rest, value)?,
            Value::Array(items) if items.iter().any(Value::is_table) => {
                insert_into(items, &path, rest, value)?;
            }
            other => {
                let found = show(other);
                return Err(format!(
                    "{path} is {found}, which has no keys; write {path} itself"
                ));
            }
        }
    }
    Ok(())
}

/// Sets the value at the path `keys` below a list of tables, `0.rate`: the first key is the place of one, or a star for all.
fn insert_into(
    items: &mut [Value],
    path: &str,
    keys: &[&str],
    value: &Value,
) -> Result<(), String> {
    let Some((place, rest)) = keys.split_first() else {
        return Ok(());
    };
    let many = items.len();
    let meant = items.iter_mut().enumerate();
    let mut meant = meant
        .filter(|(at, _)| matches(&at.to_string(), place))
        .peekable();
    if meant.peek().is_none() {
        return Err(format!(
            "{path} has the places 0 to {}; write one such as {path}.0",
            many - 1
        ));
    }
    for (at, item) in meant {
        let path = format!("{path}.{at}");
        match item {
            Value::Table(table) if !rest.is_empty() => insert(table, &path, rest, value)?,
            Value::Table(_) => {
                return Err(format!(
                    "a whole step; write the path of one of its values, such as {path}.rate"
                ));
            }
            other => return Err(format!("{path} is {}, which has no keys", show(other))),
        }
    }
    Ok(())
}

/// A part given by its kind alone, `link.bottleneck.queue = "ppd"`: it keeps those parameters of the old part that the kind has.
/// A discipline that wraps another one wraps the old one, and one that wraps none replaces the wrapped one.
/// `None` if the value is not such a word.
fn of_kind(key: &str, found: Option<&Value>, value: &Value) -> Option<Value> {
    let word = value.as_str().filter(|word| is_bare(word))?;
    let parameters = part::parameters(key, word);
    // If there is no part here and no roster has the word, it may be another word that the key allows, such as "none".
    let part = found.and_then(Value::as_table);
    let parameters = match (part, parameters) {
        (None, None) => return None,
        (_, parameters) => parameters.unwrap_or_default(),
    };
    if !PARTS.contains(&key) {
        return None;
    }
    let mut table = Table::from_iter([("kind".to_string(), value.clone())]);
    let wraps = parameters.contains(&WRAPPED);
    let inner = part.and_then(|part| part.get(WRAPPED));
    let kept = match inner.and_then(Value::as_table) {
        Some(inner) if !wraps => Some(inner),
        _ => part,
    };
    let kept = kept.into_iter().flatten();
    let kept = kept.filter(|(name, _)| parameters.contains(&name.as_str()));
    table.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
    if let (true, None, Some(part)) = (wraps, inner, part) {
        table.insert(WRAPPED.into(), Value::Table(wrapped(part, inside(value))));
    }
    Some(Value::Table(table))
}

/// The words that the discipline `word` can wrap.
fn inside(word: &Value) -> &'static [&'static str] {
    let entry = word.as_str().and_then(QueueParams::entry);
    let mut parameters = entry.into_iter().flat_map(|it| it.parameters);
    match parameters.find(|it| it.name == WRAPPED).map(|it| it.kind) {
        Some(Kind::Discipline(words)) => words,
        _ => &[],
    }
}

/// The discipline that a wrapper in place of `part` wraps: `part` itself, or a buffer of its size if `part` cannot be wrapped.
fn wrapped(part: &Table, words: &[&str]) -> Table {
    let kind = part.get("kind").and_then(Value::as_str);
    if kind.is_some_and(|kind| words.contains(&kind)) {
        return part.clone();
    }
    let plain = Value::String(drop_tail::DropTailParams::NAME.into());
    let buffer = part.get("buffer").map(|it| ("buffer".into(), it.clone()));
    Table::from_iter([("kind".to_string(), plain)].into_iter().chain(buffer))
}

fn name_of(table: &Table) -> Option<String> {
    table.get("name")?.as_str().map(str::to_string)
}

/// Whether `path` equals `above` or is below it; `above` may have stars.
pub(super) fn is_within(path: &str, above: &str) -> bool {
    let mut keys = path.split('.');
    above
        .split('.')
        .all(|upper| keys.next().is_some_and(|key| matches(key, upper)))
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

    #[test]
    fn a_word_for_a_part_is_its_kind_and_keeps_the_parameters_that_it_has() {
        let text = r#"
            [[link]]
            name = "l"
            queue = { kind = "bpd", buffer = "9 cells", lower = 0.2, gap = "3 packets" }
        "#;
        let after = |path: &str, word: &str| {
            let mut plan: Table = toml::from_str(text).unwrap();
            set(&mut plan, path, &Value::String(word.into())).unwrap();
            plan["link"][0].clone()
        };
        let queue = |text: &str| text.parse::<Value>().unwrap();
        let plain = queue(r#"{ kind = "plain", buffer = "9 cells" }"#);
        assert_eq!(after("link.l.queue", "plain")["queue"], plain);
        let wrong = queue(r#"{ kind = "bdp" }"#);
        assert_eq!(after("link.l.queue", "bdp")["queue"], wrong);
        let none = after("link.l.back_queue", "plain");
        assert_eq!(none["back_queue"], queue(r#"{ kind = "plain" }"#));
        assert_eq!(
            after("link.l.back_queue", "x")["back_queue"],
            Value::String("x".into())
        );
        assert_eq!(
            after("link.l.rate", "plain")["rate"],
            Value::String("plain".into())
        );
    }

    #[test]
    fn a_discipline_that_wraps_another_wraps_what_stands_there() {
        let after = |queue: &str, word: &str| {
            let text = format!("[[link]]\nname = \"l\"\nqueue = {queue}");
            let mut plan: Table = toml::from_str(&text).unwrap();
            set(&mut plan, "link.l.queue", &Value::String(word.into())).unwrap();
            plan["link"][0]["queue"].clone()
        };
        let value = |text: &str| text.parse::<Value>().unwrap();
        let red = r#"{ kind = "red", buffer = "9 packets", max_p = 0.1 }"#;
        let wrapping = format!(r#"{{ kind = "triple-buffering", inner = {red} }}"#);
        assert_eq!(after(red, "triple-buffering"), value(&wrapping));
        assert_eq!(
            after(&wrapping, "triple-truncated"),
            value(&format!(
                r#"{{ kind = "triple-truncated", inner = {red} }}"#
            ))
        );
        assert_eq!(
            after(&wrapping, "drop-tail"),
            value(r#"{ kind = "drop-tail", buffer = "9 packets" }"#)
        );
        // `trim` cannot be wrapped: `triple-truncated` wraps a buffer of the same size instead.
        assert_eq!(
            after(
                r#"{ kind = "trim", buffer = "9 packets", ratio = 2 }"#,
                "triple-buffering"
            ),
            value(
                r#"{ kind = "triple-buffering", inner = { kind = "drop-tail", buffer = "9 packets" } }"#
            )
        );
    }
}
