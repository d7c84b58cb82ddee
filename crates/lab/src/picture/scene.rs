//! A scene: a plan that contains the part to be shown, and its run.

use crate::plan::{Plan, PlanErrors};
use dupack_core::declare::{Fallback, Kind, Parameter};
use dupack_core::queue::Grain;
use dupack_sim::probe::{Row, Tape};
use dupack_sim::spec::Network;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A value of a parameter as a plan for links of `grain` writes it: what its declaration says, for `text`, without quotes.
fn written(parameter: &Parameter, text: &str, grain: Grain) -> String {
    match parameter.kind {
        Kind::Share | Kind::Factor | Kind::Real | Kind::Count | Kind::Flag | Kind::Indices => {
            text.into()
        }
        Kind::Discipline(_) => text.into(),
        // A packet has several cells, so a buffer of cells must be larger.
        Kind::Room if text == parameter.kind.example() && grain == Grain::Cells => {
            "\"24 cells\"".into()
        }
        _ => format!("{text:?}"),
    }
}

/// The table of a part as a plan writes it: `head`, what must be given, and what its declaration says is shown.
pub(super) fn table(head: &str, parameters: &[Parameter], grain: Grain) -> String {
    let mut entries: Vec<String> = Vec::from([head.to_string()]);
    entries.retain(|entry| !entry.is_empty());
    for parameter in parameters {
        let text = match parameter.shown {
            Some(text) => text,
            None if matches!(parameter.kind, Kind::Data(_)) => continue,
            None if parameter.fallback == Fallback::Required => parameter.kind.example(),
            None => continue,
        };
        let value = written(parameter, text, grain);
        entries.push(format!("{} = {value}", parameter.name));
    }
    format!("{{ {} }}", entries.join(", "))
}

/// The scene of a picture.
pub(super) struct Scene {
    /// The part that is shown, as the plan writes it.
    pub written: String,
    /// Where it stands.
    pub path: &'static str,
    /// The plan around it, with `PART` in its place.
    pub plan: &'static str,
    /// The parameter that names a file, without which there is nothing to be seen.
    pub file: Option<&'static str>,
}

impl Scene {
    /// Its network, with the user's own values in the part.
    pub fn network(&self, sets: &[String]) -> Result<Arc<Network>, PlanErrors> {
        let text = self.plan.replace("PART", &self.written);
        let sets: Vec<String> = sets
            .iter()
            .map(|set| format!("{}.{set}", self.path))
            .collect();
        let plan = Plan::parse(text.as_bytes(), "the picture's plan", &sets)?;
        Ok(Arc::clone(&plan.points[0].network))
    }
}

/// Runs a scene, and gives what happened in order of time.
pub(super) fn run(network: &Network, seed: u64) -> Vec<Row> {
    match dupack_sim::simulate(network, seed, Tape::default(), &AtomicBool::new(false)) {
        Ok((_, tape)) => tape.rows(),
        // The flag to halt is never set, and tests would find a ledger that does not balance.
        Err(failure) => unreachable!("{failure}"),
    }
}
