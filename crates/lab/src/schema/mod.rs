//! The JSON Schema of plans, for editors that complete and check plans. It is generated from the declarations in `dupack-core`, and
//! checks less than the plan reader does: it does not know whether names exist and values are compatible.
//!
//! Draft 7, because that is what editors of TOML understand.

mod parts;
mod sections;
mod topologies;

pub use sections::{Key, SECTIONS, Section, Shape, section};

use crate::family::{Family, Word, one_line};
use crate::plan;
use dupack_core::declare::{Declared, Fallback, Kind};
use dupack_core::queue::Grain;
use dupack_core::transport::{self, Common};
use parts::{
    NUMBER, described, one_of, parameter, part, quantity, queue_on, reference, value, with,
};
use serde_json::{Map, Value, json};

/// The schema of all plans.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for section in SECTIONS.iter().filter(|section| !section.name.is_empty()) {
        definitions.insert(section.name.into(), object(section));
    }
    for grain in [Grain::Cells, Grain::Packets] {
        definitions.insert(queue_on(grain), queues(grain));
    }
    definitions.insert("transport".into(), transports());
    for (family, default, grain) in [
        (Family::Traffic, Some("greedy"), None),
        (Family::Arrivals, None, None),
        (Family::Loss, None, None),
        (Family::Jitter, None, None),
        (Family::Marker, None, Some(Grain::Cells)),
    ] {
        let told = one_of(&family.words(), default, grain);
        definitions.insert(family.name().into(), told);
    }
    // These families have only one word each, which plans do not write.
    for family in [Family::Abr, Family::Reorder, Family::Grants] {
        for word in family.words() {
            let told = part(word.entry.summary, &word.parameters, None);
            definitions.insert(family.name().into(), told);
        }
    }
    let link = section("link").map_or_else(|| json!({}), object);
    definitions.insert(topologies::LINKS.into(), topologies::links(link));
    let mut plan = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A plan of dupack",
    });
    if let (Value::Object(plan), Some(Value::Object(top))) = (&mut plan, section("").map(object)) {
        plan.extend(top);
        plan.insert("definitions".into(), Value::Object(definitions));
    }
    plan
}

/// A section's table.
fn object(section: &Section) -> Value {
    let keys = section.keys.iter();
    let mut told = json!({
        "type": "object",
        "description": section.help,
        "additionalProperties": false,
        "properties": keys.clone().map(|key| (key.name.to_string(), shape(key))).collect::<Map<_, _>>(),
        "required": keys.filter(|key| key.fallback == Fallback::Required).map(|key| key.name).collect::<Vec<_>>(),
    });
    if section.name == "link" {
        // The allowed disciplines depend on what the link carries.
        told["allOf"] = [Grain::Cells, Grain::Packets]
            .map(|grain| {
                let queue = reference(&queue_on(grain));
                json!({
                    "if": { "properties": { "carries": { "const": grain.name() } }, "required": ["carries"] },
                    "then": { "properties": { "queue": queue, "back_queue": queue } },
                })
            })
            .into();
    }
    told
}

/// Allowed values of a key of a section.
fn shape(key: &Key) -> Value {
    let told = match key.shape {
        Shape::Value(kind) => value(kind, key.fallback, None),
        Shape::Title => json!({ "type": "string" }),
        Shape::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$" }),
        Shape::Start => {
            let time = quantity(NUMBER, &Kind::Time.units());
            json!({ "type": "string", "pattern": format!(r"^\s*{time}\s*(\.\.\s*{time}\s*)?$") })
        }
        Shape::WarmUp => value(Kind::Time, Fallback::Unset(plan::MSER), None),
        Shape::Section(name) => reference(name),
        Shape::Measure => json!({ "type": "string", "pattern": plan::measures::pattern() }),
        Shape::Sections(name) => {
            let most = json!({ "type": "array", "items": reference(name) });
            if key.fallback == Fallback::Required {
                with(most, "minItems", 1.into())
            } else {
                most
            }
        }
        Shape::Schedule(words) => {
            let list = json!({ "type": "array", "minItems": 1, "items": reference("step") });
            let words = words.iter().map(|word| json!({ "const": word }));
            let all = [list, reference("schedule")].into_iter().chain(words);
            json!({ "anyOf": all.collect::<Vec<_>>() })
        }
        // The allowed disciplines depend on what the link carries, which is declared with the section.
        Shape::Part(Family::Queue) => json!({ "type": "object" }),
        Shape::Part(Family::Abr) => {
            json!({ "anyOf": [reference(Family::Abr.name()), { "const": "none" }] })
        }
        Shape::Part(family) => reference(family.name()),
        Shape::Topology => topologies::topology(),
        Shape::Sweep => sweep(),
        Shape::Members(name) => members(name),
    };
    described(told, key.help, key.fallback)
}

/// Values of single members: the keys of their section, and paths to values inside a part, `"queue.buffer"`.
fn members(name: &str) -> Value {
    let keys = section(name).map_or(&[][..], |section| section.keys);
    let own = keys
        .iter()
        .filter(|key| !plan::OF_GROUP.contains(&key.name));
    // A part may be given in part: what is missing is the group's.
    let values = own.map(|key| match key.shape {
        Shape::Part(_) => (
            key.name.to_string(),
            json!({ "type": ["object", "string"] }),
        ),
        _ => (key.name.to_string(), shape(key)),
    });
    let own = json!({
        "type": "object",
        "properties": values.collect::<Map<_, _>>(),
        "patternProperties": { r"^[a-z0-9_]+(\.[a-z0-9_]+)+$": {} },
        "additionalProperties": false,
    });
    json!({ "type": "object", "additionalProperties": own })
}

/// A sweep: one table of paths and lists, or several. TOML reads an unquoted path as tables within tables.
fn sweep() -> Value {
    let grid = json!({
        "type": "object",
        "properties": { "seeds": { "description": "Seeds; every point is run once with each: \"1..20\", or a list.", "anyOf": [
            { "type": "string", "pattern": r"^\s*[0-9]+\s*\.\.\s*[0-9]+\s*$" },
            { "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 0 } },
        ] } },
        "additionalProperties": { "anyOf": [
            { "type": "array", "minItems": 1 },
            { "type": "string", "pattern": r"^\s*[0-9]+\s*\.\.\s*[0-9]+\s*$" },
            { "type": "object" },
        ] },
    });
    json!({ "anyOf": [grid, { "type": "array", "items": grid }] })
}

fn queues(grain: Grain) -> Value {
    let mut here = Family::Queue.words();
    here.retain(|it| it.grains.contains(&grain));
    one_of(&here, None, Some(grain))
}

/// A transport: a kind, of which either half may be replaced. A half's own parameters go with that half alone.
fn transports() -> Value {
    let mut told = part(Common::SUMMARY, Common::PARAMETERS, None);
    for (key, family) in [
        ("kind", Family::Transport),
        ("control", Family::Control),
        ("repair", Family::Repair),
    ] {
        told["properties"][key] = words(&family.words());
    }
    let preset = &transport::compat::PARAMETER;
    let any =
        json!({ "anyOf": [words(&Family::Compat.words()), { "const": transport::compat::NONE }] });
    told["properties"][preset.name] = described(any, preset.help, preset.fallback);
    told["properties"][crate::plan::KERNEL] = json!({
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]{1,15}$",
        "description": "Congestion control of the Linux kernel that the flow has in live runs. Without a kind, its model is simulated: reno, cubic or bbr.",
    });
    told["properties"][crate::plan::SYSCTL] = json!({
        "type": "object",
        "propertyNames": { "pattern": "^tcp_[a-z0-9_]*$" },
        "additionalProperties": { "type": ["integer", "string"] },
        "description": "Sysctls below net.ipv4 that the flow's hosts have in live runs, such as { tcp_sack = 0 }. Simulations ignore them.",
    });
    let halves = [("control", Family::Control), ("repair", Family::Repair)];
    let halves = halves
        .into_iter()
        .flat_map(|(half, family)| family.words().into_iter().map(move |it| (half, it)));
    let mut homes: Map<String, Value> = Map::new();
    for (half, word) in halves {
        for it in &word.parameters {
            let (key, mut value) = parameter(it, None);
            // Two halves may have a parameter of one name: its default is then that of neither.
            let known = told["properties"].get(&key);
            if known.is_some_and(|known| known["default"] != value["default"])
                && let Some(value) = value.as_object_mut()
            {
                value.remove("default");
            }
            told["properties"][&key] = value;
            let homes = homes.entry(key).or_insert_with(|| json!({ "anyOf": [] }));
            if let Some(homes) = homes["anyOf"].as_array_mut() {
                homes.extend(ways_to(half, word.entry.name));
            }
        }
    }
    told["dependencies"] = Value::Object(homes);
    told
}

/// These words, each with its summary.
fn words(all: &[Word]) -> Value {
    let word =
        |it: &Word| json!({ "const": it.entry.name, "description": one_line(it.entry.summary) });
    json!({ "oneOf": all.iter().map(word).collect::<Vec<_>>() })
}

/// Ways in which a table can have this half: by its name, or by a kind that it does not replace.
fn ways_to(half: &str, name: &str) -> [Value; 2] {
    let kinds = transport::ROSTER.iter().filter(|it| match half {
        "control" => it.about.control == name,
        _ => it.about.repair == name,
    });
    let kinds: Vec<_> = kinds.map(|it| it.name).collect();
    [
        json!({ "properties": { half: { "const": name } }, "required": [half] }),
        json!({ "properties": { "kind": { "enum": kinds } }, "required": ["kind"], "not": { "required": [half] } }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_word_and_parameter_is_in_it() {
        let text = schema().to_string();
        for entry in crate::catalogue::catalogue().entries {
            if !matches!(entry.family, Family::Reorder | Family::Grants | Family::Abr) {
                assert!(
                    text.contains(&format!("\"const\":{:?}", entry.name)),
                    "{}",
                    entry.name
                );
            }
            for parameter in entry.parameters {
                assert!(
                    text.contains(&format!("\"{}\":{{", parameter.name)),
                    "{}",
                    parameter.name
                );
            }
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_string));
                    map.values().for_each(|it| references(it, found));
                }
                Value::Array(items) => items.iter().for_each(|it| references(it, found)),
                _ => {}
            }
        }
        let (schema, mut found) = (schema(), Vec::new());
        references(&schema, &mut found);
        assert!(found.len() > 8);
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(schema.pointer(pointer).is_some(), "{reference}");
        }
    }
}
