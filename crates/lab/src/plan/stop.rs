//! `stop = { relative_ci = 0.02, of = "summary.goodput_bps" }`: every point is run with as many seeds as it takes.

use super::error::Log;
use super::reader::Reader;
use super::spelling::suggest;
use super::value::{is_a, show};
use dupack_core::declare::{Fallback, Kind, Value};
use dupack_core::measure::Share;
use dupack_sim::report::Summary;
use toml::Table;

/// Fewer runs than these are not looked at: their spread is not known well enough.
pub(crate) const MIN: &str = "10";
/// More runs than these are not made.
pub(crate) const MAX: &str = "1000";

/// When a point has been run often enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The half-width of the 95 % interval, over the mean, that is narrow enough.
    pub relative_ci: f64,
    /// The key of the summary whose interval it is.
    pub of: String,
    /// The runs before it is first looked at.
    pub min: u64,
    /// The runs after which it is given up.
    pub max: u64,
}

/// Reads the rule `found` in the plan, if there is one. It is no part of the network: how often a point is run does not change
/// what is run.
pub(super) fn read(log: &mut Log, found: Option<&toml::Value>) -> Option<Stop> {
    let allowed = "write a table such as { relative_ci = 0.02, of = \"summary.goodput_bps\" }";
    let table: &Table = match found? {
        toml::Value::Table(table) => table,
        other => {
            log.error("stop", format!("{}; {allowed}", is_a(other)));
            return None;
        }
    };
    let mut reader = Reader::new("stop", table);
    let relative: Option<Share> = reader.get(log, "relative_ci", Fallback::Required);
    if relative.is_some_and(|share| share.0 <= 0.0 || share.0 >= 1.0) {
        let found = reader.raw("relative_ci").map(show).unwrap_or_default();
        let message = format!("{found} is never or always reached; write a number between 0 and 1");
        log.error("stop.relative_ci", message);
    }
    let of = of(log, &mut reader);
    let count = |log: &mut Log, reader: &mut Reader<'_>, key, default| match reader.value(
        log,
        key,
        Kind::Count,
        Fallback::Text(default),
    ) {
        Some(Value::Count(n)) => Some(n),
        _ => None,
    };
    let min = count(log, &mut reader, "min", MIN);
    let max = count(log, &mut reader, "max", MAX);
    if min.is_some_and(|n| n < 2) {
        let message = "there is no interval of fewer than two runs; write at least 2";
        log.error("stop.min", message);
    }
    if let (Some(min), Some(max)) = (min, max)
        && max < min
    {
        log.error("stop.max", format!("{max} is below `min`, which is {min}"));
    }
    reader.finish(log);
    Some(Stop {
        relative_ci: relative?.0,
        of: of?,
        min: min?,
        max: max?,
    })
}

fn of(log: &mut Log, reader: &mut Reader<'_>) -> Option<String> {
    let words = words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let message = match reader.raw("of") {
        None => format!("missing; {}", suggest("", &words)),
        Some(toml::Value::String(text)) => {
            if words.contains(&text.as_str()) {
                return text.strip_prefix(SUMMARY).map(str::to_string);
            }
            format!("{text:?} is unknown; {}", suggest(text, &words))
        }
        Some(other) => format!("{}; {}", is_a(other), suggest("", &words)),
    };
    log.error("stop.of", message);
    None
}

/// Where a summary's numbers are in a run's document.
const SUMMARY: &str = "summary.";

/// The numbers of a summary, each by its path.
pub(crate) fn words() -> Vec<String> {
    let schema = schemars::schema_for!(Summary);
    let properties = schema.get("properties").and_then(|p| p.as_object());
    let number = |declared: &serde_json::Value| {
        let kinds = declared["type"].as_array().cloned();
        let kinds = kinds.unwrap_or_else(|| vec![declared["type"].clone()]);
        kinds
            .iter()
            .any(|kind| kind == "number" || kind == "integer")
    };
    let all = properties.into_iter().flatten();
    all.filter(|(_, declared)| number(declared))
        .map(|(key, _)| format!("{SUMMARY}{key}"))
        .collect()
}
