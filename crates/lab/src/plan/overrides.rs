//! `--set PATH=VALUE`: values that replace the plan's own.

use super::error::Log;
use super::path::{self, TOPOLOGY};
use super::stars;
use toml::{Table, Value};

/// One override.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// Path that it sets.
    pub path: String,
    /// The value.
    pub value: Value,
}

/// Reads overrides: the value is TOML if it can be parsed as TOML, and otherwise the text itself, so that `duration=10 s` needs no
/// quotes.
pub(super) fn read(log: &mut Log, sets: &[String]) -> Vec<Override> {
    let mut overrides = Vec::with_capacity(sets.len());
    for set in sets {
        let Some((path, value)) = set.split_once('=') else {
            let message = "an override without \"=\"; write PATH=VALUE such as duration=10 s";
            log.error(format!("{set:?}"), message);
            continue;
        };
        let (path, value) = (path.trim(), value.trim());
        overrides.push(Override {
            path: path.to_string(),
            value: value
                .parse()
                .unwrap_or_else(|_| Value::String(value.to_string())),
        });
    }
    overrides
}

/// Separates overrides of the sweep, without their `sweep.`, from the others.
pub(super) fn split(overrides: Vec<Override>) -> (Vec<Override>, Vec<Override>) {
    let (mut sweep, mut others) = (Vec::new(), Vec::new());
    for o in overrides {
        match o.path.strip_prefix("sweep") {
            Some(rest) if stars::is_within(&o.path, "sweep") => sweep.push(Override {
                path: rest.trim_start_matches('.').to_string(),
                value: o.value,
            }),
            _ => others.push(o),
        }
    }
    (sweep, others)
}

/// Separates overrides that apply at once from those that need the plan's topology expanded first, because they may concern generated links.
pub(super) fn in_turn(plan: &Table, overrides: &[Override]) -> (Vec<Override>, Vec<Override>) {
    let of_topology = |o: &&Override| stars::is_within(&o.path, TOPOLOGY);
    let has_one = plan.contains_key(TOPOLOGY) || overrides.iter().any(|o| of_topology(&o));
    let made = |path: &str| {
        path::MADE
            .iter()
            .any(|section| stars::is_within(path, section))
    };
    overrides
        .iter()
        .cloned()
        .partition(|o| !(has_one && made(&o.path)))
}

/// Applies overrides to a plan.
pub(super) fn apply(log: &mut Log, plan: &mut Table, overrides: &[Override]) {
    for o in overrides {
        if let Err(message) = path::set(plan, &o.path, &o.value) {
            log.error(shown(&o.path), message);
        }
    }
}

/// A path as errors show it: unchanged, unless it would break the line.
pub(super) fn shown(path: &str) -> String {
    if path.is_empty() || path.chars().any(|c| c.is_control() || c.is_whitespace()) {
        format!("{path:?}")
    } else {
        path.to_string()
    }
}
