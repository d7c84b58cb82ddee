//! Paths into a plan, `link.bottleneck.queue.lower`: how overrides and sweeps name what they set.

use super::names::is_name;
use super::spelling::{join, suggest};
use super::value::show;
use toml::{Table, Value};

/// Keys that stand at the top of a plan and hold a value.
const SCALARS: [&str; 5] = ["title", "duration", "warm_up", "seed", "sample"];

/// Sections of things with names.
const SECTIONS: [&str; 4] = ["host", "switch", "link", "flow"];

/// Sets the value at `path`; a key, or a table on the way to it, that the plan lacks is made. Whether the key is right is
/// seen when the plan is read; what is checked here is that there is a place for it.
pub(super) fn set(plan: &mut Table, path: &str, value: &Value) -> Result<(), String> {
    let keys: Vec<&str> = path.split('.').collect();
    let (first, rest) = match keys.as_slice() {
        [first, rest @ ..] if keys.iter().all(|key| !key.is_empty()) => (*first, rest),
        _ => return Err("not a path; write one such as link.bottleneck.rate".into()),
    };
    if !SECTIONS.contains(&first) {
        return if SCALARS.contains(&first) || first == "aal5" {
            insert(plan, "", &keys, value)
        } else {
            let known = [&SCALARS[..], &["aal5"], &SECTIONS].concat();
            Err(format!("unknown key; {}", suggest(first, &known)))
        };
    }
    let mut things: Vec<&mut Table> = match plan.get_mut(first) {
        Some(Value::Array(items)) => items.iter_mut().filter_map(Value::as_table_mut).collect(),
        _ => Vec::new(),
    };
    let names: Vec<String> = things.iter().filter_map(|t| name_of(t)).collect();
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|n| is_name(n))
        .collect();
    let (name, rest) = match rest {
        [name, rest @ ..] if !rest.is_empty() => (*name, rest),
        [name] if names.contains(name) => {
            return Err(format!(
                "a whole {first}; write the path of one of its values, such as {first}.{name}.KEY"
            ));
        }
        [name, ..] => (*name, rest),
        [] => {
            return Err(format!(
                "a whole section; write a path such as {first}.NAME.KEY"
            ));
        }
    };
    let Some(at) = things
        .iter()
        .position(|t| name_of(t).as_deref() == Some(name))
    else {
        return Err(format!(
            "there is no {first} {name:?}; {}",
            suggest(name, &names)
        ));
    };
    if rest == ["name"] {
        return Err(
            "a name cannot be set, other paths lead through it; write it in the plan".into(),
        );
    }
    insert(things[at], &join(first, name), rest, value)
}

/// Sets the value at `keys` below `table`, which stands at `path`.
fn insert(table: &mut Table, path: &str, keys: &[&str], value: &Value) -> Result<(), String> {
    let Some((key, rest)) = keys.split_first() else {
        return Ok(());
    };
    if rest.is_empty() {
        table.insert((*key).to_string(), value.clone());
        return Ok(());
    }
    let path = join(path, key);
    let next = table
        .entry(*key)
        .or_insert_with(|| Value::Table(Table::new()));
    match next {
        Value::Table(next) => insert(next, &path, rest, value),
        other => Err(format!(
            "{path} is {}, which has no keys; write {path} itself",
            show(other)
        )),
    }
}

fn name_of(table: &Table) -> Option<String> {
    table.get("name")?.as_str().map(str::to_string)
}

/// Whether `path` is `above`, or leads through it.
pub(super) fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The paths of a plan at which a sweep may set nothing, and why.
pub(super) fn not_an_axis(path: &str) -> Option<String> {
    match path {
        "seed" => Some("seeds are no axis; write \"seeds\"".into()),
        "title" => Some("a title changes no result; write the path of a value that does".into()),
        _ => None,
    }
}
