//! Schema of `[topology]`.

use super::parts::{part, queue_on, reference, with};
use crate::family::one_line;
use crate::plan;
use dupack_core::declare::Declared;
use dupack_core::queue::Grain;
use serde_json::{Value, json};

/// The definition of a topology's tables of links.
pub(super) const LINKS: &str = "links";

/// A shape, or a file, and the tables of its links.
pub(super) fn topology() -> Value {
    let shapes =
        (plan::SHAPES.iter()).map(|it| (it.name, it.summary, it.parameters, it.about.links));
    let file = (
        plan::Graph::NAME,
        plan::Graph::SUMMARY,
        plan::Graph::PARAMETERS,
        plan::graph_links(),
    );
    let branches = shapes.chain([file]).map(|(name, summary, parameters, links)| {
        let mut told = part(summary, parameters, None);
        let about = one_line(summary);
        told["properties"]["kind"] = json!({ "const": name, "description": about });
        told["properties"]["carries"] = json!({ "enum": [Grain::Cells.name(), Grain::Packets.name()] });
        told["properties"]["queue"] = json!({
            "description": "Queue discipline of every port of every switch, unless its link has its own.",
            "anyOf": [reference(&queue_on(Grain::Cells)), reference(&queue_on(Grain::Packets))],
        });
        for it in links {
            told["properties"][it.name] = json!({
                "description": format!("The links {}.", it.help),
                "allOf": [reference(LINKS)],
            });
        }
        let tables = links.iter().filter(|it| it.without == plan::Without::Wrong);
        if let Some(required) = told["required"].as_array_mut() {
            required.insert(0, "kind".into());
            required.extend(tables.map(|it| it.name.into()));
        }
        told
    });
    json!({ "oneOf": branches.collect::<Vec<_>>() })
}

/// Schema of a topology's table of links: all keys of a `link` except its name, its ends and its members'.
pub(super) fn links(link: Value) -> Value {
    let mut told = link;
    if let Some(keys) = told["properties"].as_object_mut() {
        for known in ["name", "from", "to", "members"] {
            keys.remove(known);
        }
        for key in ["queue", "back_queue"] {
            keys[key]["anyOf"] = [Grain::Cells, Grain::Packets]
                .map(|grain| reference(&queue_on(grain)))
                .into();
        }
    }
    // The plan or the graph's file may give these keys elsewhere, so nothing is required here.
    for key in ["required", "allOf"] {
        told.as_object_mut().and_then(|told| told.remove(key));
    }
    with(told, "description", "Properties of links.".into())
}
