//! Writes a value into a table of a plan: below it at a path of keys, whose stars match keys that are there. A part's kind given as a
//! word keeps the parameters that the old and the new kind share.

use super::part;
use super::spelling::{is_bare, join};
use super::stars::{STAR, matches};
use super::value::show;
use dupack_core::declare::Declared;
use dupack_core::declare::Kind;
use dupack_core::queue::{QueueParams, drop_tail};
use dupack_core::roster::Roster;
use toml::{Table, Value};

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

/// The key of a wrapped discipline.
const WRAPPED: &str = "inner";

/// Sets the value at `keys` below `table`, which stands at `path`.
pub(super) fn insert(
    table: &mut Table,
    path: &str,
    keys: &[&str],
    value: &Value,
) -> Result<(), String> {
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

/// Sets the value at the path `keys` below `table`, which stands at `place`.
pub(super) fn put(table: &mut Table, place: &str, keys: &str, value: &Value) -> Result<(), String> {
    let keys: Vec<&str> = keys.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err("not a path; write one such as queue.buffer".into());
    }
    insert(table, place, &keys, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_a_part_is_its_kind_and_keeps_the_parameters_that_it_has() {
        let text = r#"
            [[link]]
            name = "l"
            queue = { kind = "bpd", buffer = "9 cells", lower = 0.2, gap = "3 packets" }
        "#;
        let after = |path: &str, word: &str| {
            let mut plan: Table = toml::from_str(text).unwrap();
            let keys: Vec<&str> = path.split('.').skip(2).collect();
            let link = plan["link"][0].as_table_mut().unwrap();
            insert(link, "link.l", &keys, &Value::String(word.into())).unwrap();
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
            let link = plan["link"][0].as_table_mut().unwrap();
            insert(link, "link.l", &["queue"], &Value::String(word.into())).unwrap();
            link["queue"].clone()
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
