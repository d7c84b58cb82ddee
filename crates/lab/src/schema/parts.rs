//! Schema of a plan's values and parts, from their declarations.

use crate::family::{Family, Word, one_line};
use dupack_core::declare::{Fallback, Kind, Parameter};
use dupack_core::queue::Grain;
use dupack_core::roster::Entry;
use serde_json::{Map, Value, json};

/// The definition of the disciplines for links that carry `grain`.
pub(super) fn queue_on(grain: Grain) -> String {
    format!("queue-on-{}", grain.name())
}

/// A definition in its place.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// Whole or decimal, as the reader of quantities takes it.
pub(super) const NUMBER: &str = r"([0-9]+\.?[0-9]*|\.[0-9]+)";
const WHOLE: &str = "[0-9]+";

/// The pattern of a number and a unit.
pub(super) fn quantity(number: &str, units: &[&str]) -> String {
    format!(r"{number}\s*({})", units.join("|"))
}

/// Schema of a value of a kind; `grain` is the unit of its link.
pub(super) fn value(kind: Kind, fallback: Fallback, grain: Option<Grain>) -> Value {
    let text = |number| {
        let mut units = kind.units();
        if let (Kind::Room, Some(grain)) = (kind, grain) {
            units.retain(|unit| grain.name().starts_with(unit));
        }
        json!({ "type": "string", "pattern": format!(r"^\s*{}\s*$", quantity(number, &units)) })
    };
    let told = match kind {
        Kind::Bytes | Kind::Time | Kind::Rate | Kind::MeanPackets => text(NUMBER),
        Kind::Room | Kind::Packets => text(WHOLE),
        Kind::Window => text(NUMBER),
        Kind::CellRate => text(NUMBER),
        Kind::Factor => json!({ "type": "number", "minimum": 1 }),
        Kind::PartialRate => {
            json!({ "anyOf": [text(NUMBER), { "type": "number", "minimum": 0, "maximum": 1 }] })
        }
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Name | Kind::Data(_) => json!({ "type": "string" }),
        Kind::Indices => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        Kind::Real => json!({ "type": "number" }),
        Kind::Discipline(names) => {
            let mut wrapped = Family::Queue.words();
            wrapped.retain(|it| names.contains(&it.entry.name));
            one_of(&wrapped, None, grain)
        }
    };
    match fallback {
        // A sweep needs a word that says that the key is omitted.
        Fallback::Unset(words) if !words.is_empty() => {
            json!({ "anyOf": [told, { "const": words }] })
        }
        _ => told,
    }
}

/// The same with `key`.
pub(super) fn with(mut told: Value, key: &str, value: Value) -> Value {
    told[key] = value;
    told
}

/// Adds the help text and the default.
pub(super) fn described(told: Value, help: &str, fallback: Fallback) -> Value {
    let help = match fallback {
        Fallback::Text(text) | Fallback::Unset(text) if !text.is_empty() => {
            format!("{} (default: {text})", one_line(help))
        }
        _ => one_line(help),
    };
    if told.get("$ref").is_some() {
        // JSON Schema draft 7 ignores everything beside a reference.
        return json!({ "description": help, "allOf": [told] });
    }
    with(told, "description", help.into())
}

/// A parameter of a part, and its key.
pub(super) fn parameter(it: &Parameter, grain: Option<Grain>) -> (String, Value) {
    let told = value(it.kind, it.fallback, grain);
    (it.name.into(), described(told, it.help, it.fallback))
}

/// The table of a part without its `kind`.
pub(super) fn part(summary: &str, parameters: &[Parameter], grain: Option<Grain>) -> Value {
    let required = parameters
        .iter()
        .filter(|it| it.fallback == Fallback::Required);
    json!({
        "type": "object",
        "description": one_line(summary),
        "additionalProperties": false,
        "properties": parameters.iter().map(|it| parameter(it, grain)).collect::<Map<_, _>>(),
        "required": required.map(|it| it.name).collect::<Vec<_>>(),
    })
}

/// The table of one of these words; `default` is the word if the table names none.
pub(super) fn one_of(words: &[Word], default: Option<&str>, grain: Option<Grain>) -> Value {
    let branch = |word: &Word| {
        let Entry { name, summary, .. } = word.entry;
        let mut told = part(summary, &word.parameters, grain);
        told["properties"]["kind"] = json!({ "const": name, "description": one_line(summary) });
        if default != Some(name)
            && let Some(required) = told["required"].as_array_mut()
        {
            required.insert(0, "kind".into());
        }
        told
    };
    json!({ "oneOf": words.iter().map(branch).collect::<Vec<_>>() })
}
