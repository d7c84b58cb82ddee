//! `stop = { relative_ci = 0.02, of = "summary.goodput_bps" }`: runs every point with as many seeds as the interval requires.

use super::error::{Log, PlanError};
use super::measures;
use super::reader::Reader;
use super::value::{is_a, show};
use dupack_core::declare::{Fallback, Kind, Value};
use dupack_core::measure::Share;
use dupack_sim::spec::Network;
use toml::Table;

/// Fewer runs than these are not looked at: their spread is not known well enough.
pub(crate) const MIN: &str = "10";
/// More runs than these are not made.
pub(crate) const MAX: &str = "1000";

/// The stopping rule of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The half-width of the 95 % interval, over the mean, that is narrow enough.
    pub relative_ci: f64,
    /// The path of the number whose interval it is (`measures`).
    pub of: String,
    /// The runs before it is first looked at.
    pub min: u64,
    /// The runs after which it is given up.
    pub max: u64,
}

/// Reads the rule `found` in the plan, if there is one. It is not a part of the network: the number of runs of a point does not
/// change the runs.
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
        let message = "fewer than two runs have no confidence interval; write at least 2";
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

/// Reads the measure of the rule; whether it is measured is known with each point's network.
fn of(log: &mut Log, reader: &mut Reader<'_>) -> Option<String> {
    let write = "write the path of a number of the results such as \"summary.goodput_bps\"";
    let message = match reader.raw("of") {
        Some(toml::Value::String(text)) => return Some(measures::whole(text)),
        None => format!("missing; {write}"),
        Some(other) => format!("{}; {write}", is_a(other)),
    };
    log.error("stop.of", message);
    None
}

impl Stop {
    /// Checks that runs of the network measure the rule's number.
    pub(super) fn check(&self, network: &Network) -> Result<(), PlanError> {
        let found = measures::find(network, &self.of);
        found.map(|_| ()).map_err(|message| PlanError {
            path: "stop.of".into(),
            message,
        })
    }
}
