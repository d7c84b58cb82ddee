//! `schedule` of a link: steps at which it changes, as a list or from a file.

use super::error::Log;
use super::optional::Optional;
use super::part::whole;
use super::reader::Reader;
use super::value::{canonical, is_a, show};
use dupack_core::data::{Data, Step, Steps, Unfit};
use dupack_core::declare::{Declared, Fallback, Value};
use dupack_core::loss::LossParams;
use dupack_core::loss::bernoulli::BernoulliParams;
use dupack_core::measure::Share;
use dupack_core::schedule::{Course, State, StepParams};
use dupack_core::time::Duration;
use std::sync::Arc;

/// The word for the schedule of the way there.
pub(super) const AS_THERE: &str = "as there";

/// A right value.
const EXAMPLE: &str = r#"[{ at = "2.5 s", rate = "10 Mb/s" }, { at = "7 s", up = false }, { at = "8 s", up = true }]"#;

/// Steps, as read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule {
    steps: Arc<Steps>,
    /// Time after which they are repeated.
    every: Option<Duration>,
}

/// Reads a schedule; `None` if there is a mistake, which is then in the log.
fn read(log: &mut Log, path: &str, found: &toml::Value) -> Option<Schedule> {
    let kept = log.key.len();
    let schedule = match found {
        toml::Value::Array(items) => Some(Schedule {
            steps: list(log, path, items)?,
            every: None,
        }),
        toml::Value::Table(table) => tabled(log, Reader::new(path, table)),
        other => {
            let message = format!(
                "{}; write a list of steps such as {EXAMPLE}, or a table such as {{ file = \"steps.csv\", every = \"2 s\" }}",
                is_a(other)
            );
            log.error(path, message);
            None
        }
    }?;
    // Equal steps are the same experiment, from whichever file or list they are.
    log.key.truncate(kept);
    schedule.record(log, path);
    Some(schedule)
}

impl Schedule {
    fn record(&self, log: &mut Log, path: &str) {
        let steps = Value::Data(Data::Steps(Arc::clone(&self.steps)));
        let every = self.every.map_or(Value::Unset, Value::Time);
        let text = format!("{} every {}", canonical(&steps), canonical(&every));
        log.record(path, &text);
    }
}

/// Reads the table `{ steps = [...], every = ... }` or `{ file = ..., every = ... }`.
fn tabled(log: &mut Log, mut reader: Reader<'_>) -> Option<Schedule> {
    let path = reader.path.clone();
    let (listed, file) = (reader.raw("steps"), reader.raw("file"));
    let steps = match (listed, file) {
        (Some(toml::Value::Array(items)), None) => list(log, &reader.at("steps"), items),
        (Some(other), None) => {
            let message = format!("{}; write a list of steps such as {EXAMPLE}", is_a(other));
            log.error(reader.at("steps"), message);
            None
        }
        (None, Some(_)) => reader.get(log, "file", Fallback::Required),
        (Some(_), Some(_)) => {
            log.error(
                reader.at("file"),
                "it has `steps` as well; write either `steps` or `file`",
            );
            None
        }
        (None, None) => {
            log.error(&path, "it has no steps; write `steps` or `file`");
            None
        }
    };
    let every: Optional<Duration> = Optional::get(log, &mut reader, "every", "once");
    let found = reader.raw("every").map(show).unwrap_or_default();
    reader.finish(log);
    let (steps, every) = (steps?, every.right().ok()?);
    let last = steps.last();
    if every.is_some_and(|every| every <= last) {
        let last = last.seconds();
        log.error(
            format!("{path}.every"),
            format!(
                "{found} is not after the last step, which is at {last} s; write a longer time"
            ),
        );
        return None;
    }
    Some(Schedule { steps, every })
}

/// Reads the steps of a list.
fn list(log: &mut Log, path: &str, items: &[toml::Value]) -> Option<Arc<Steps>> {
    let parameters: Vec<_> = StepParams::PARAMETERS.iter().collect();
    let steps = items.iter().enumerate().map(|(at, item)| {
        let path = format!("{path}.{at}");
        let toml::Value::Table(table) = item else {
            let message = format!(
                "{}; write a step such as {{ at = \"2.5 s\", rate = \"10 Mb/s\" }}",
                is_a(item)
            );
            log.error(path, message);
            return None;
        };
        let reader = Reader::new(path, table);
        let build = |values: &[Value]| Ok(StepParams::from_values(values));
        whole(log, reader, table, &parameters, &|_| Ok(()), build).map(Step::from)
    });
    let steps: Vec<Option<Step>> = steps.collect();
    let unfit = match Steps::new(steps.into_iter().collect::<Option<_>>()?) {
        Ok(steps) => return Some(Arc::new(steps)),
        Err(unfit) => unfit,
    };
    let time = |at: usize| {
        let time = items.get(at).and_then(|item| item.get("at"));
        time.map(show).unwrap_or_default()
    };
    match unfit {
        Unfit::Empty => log.error(
            path,
            format!("a list without steps; write one such as {EXAMPLE}, or leave it out"),
        ),
        Unfit::Order(at) => {
            let message = format!(
                "{} is not after the step before, which is at {}; write the steps in order of time",
                time(at),
                time(at - 1)
            );
            log.error(format!("{path}.{at}.at"), message);
        }
        Unfit::Idle(at) => log.error(
            format!("{path}.{at}"),
            "it changes nothing; write `rate`, `delay`, `loss` or `up`",
        ),
    }
    None
}

/// Reads the schedule under `key`; that of the way back may be as the one `there`.
pub(super) fn schedule(
    log: &mut Log,
    reader: &mut Reader<'_>,
    key: &'static str,
    there: Option<&Optional<Schedule>>,
) -> Optional<Schedule> {
    let found = reader.raw(key);
    let path = reader.at(key);
    match (found.and_then(toml::Value::as_str), there) {
        (Some(AS_THERE), Some(there)) => {
            if let Optional::Given(schedule) = there {
                schedule.record(log, &path);
            }
            there.clone()
        }
        _ => Optional::read(found, |found| read(log, &path, found)),
    }
}

/// The course of a line that begins with this rate and delay, and its losses: if steps give their rate, a Bernoulli model. `None` if there
/// is a mistake, which is then in the log.
pub(super) fn course(
    log: &mut Log,
    path: String,
    schedule: &Schedule,
    (mut state, loss): (State, Option<LossParams>),
) -> Option<(Arc<Course>, Option<LossParams>)> {
    let Schedule { steps, every } = schedule;
    if steps.all().iter().all(|it| it.loss.is_none()) {
        return Some((Arc::new(Course::new(state, steps, *every)), loss));
    }
    let first = match &loss {
        None => Share(0.0),
        Some(LossParams::Bernoulli(model)) => model.rate,
        Some(other) => {
            let message = format!(
                "its steps give a rate of losses, and the link's loss model is \"{}\"; write a \"bernoulli\" one, whose rate is that at the beginning, or none",
                other.name()
            );
            log.error(path, message);
            return None;
        }
    };
    state.loss = Some(first);
    let loss = LossParams::Bernoulli(BernoulliParams { rate: first });
    Some((Arc::new(Course::new(state, steps, *every)), Some(loss)))
}
