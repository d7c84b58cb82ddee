//! Laws of any text that is read as a plan. Used by the tests, and by the fuzzer in `fuzz/`.

use dupack_core::time::Duration;
use dupack_lab::plan::Plan;
use dupack_lab::run::{Job, run};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The largest sweep that is read with all its points: larger ones are right, and take their time.
const POINTS: usize = 200;

/// Reads `text`, and panics unless it is a plan of which a world can be made, or refused with paths.
pub fn holds(text: &[u8]) {
    let sets = match points(text) {
        0..=POINTS => Vec::new(),
        _ => vec!["sweep={}".to_string()],
    };
    match Plan::parse(text, "fuzzed.toml", &sets) {
        Ok(plan) => {
            assert!(!plan.points.is_empty() && !plan.seeds.is_empty());
            let ends = [plan.points.first(), plan.points.last()];
            for point in ends.into_iter().flatten() {
                let mut network = (*point.network).clone();
                // The flag to halt is first looked at when a sender wakes. Ticks of the clock cost time before that, so they are limited.
                if let Some(sample) = network.sample {
                    network.duration = network.duration.min(Duration(sample.0.saturating_mul(100)));
                    network.warm_up = network.warm_up.min(network.duration);
                }
                let job = Job {
                    network: Arc::new(network),
                    seed: plan.seeds[0],
                    threads: 1,
                    tape: false,
                    connections: false,
                };
                // The run builds the world, and is halted as soon as a sender wakes.
                drop(run(&job, &AtomicBool::new(true)));
            }
        }
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                let line = error.to_string();
                assert!(
                    !error.path.is_empty() && !error.message.is_empty(),
                    "{line}"
                );
                assert!(!line.contains(['\n', '\r']), "{line}");
            }
        }
    }
}

/// About how many points the sweep in `text` has.
fn points(text: &[u8]) -> usize {
    let text = std::str::from_utf8(text).unwrap_or_default();
    match text.parse::<toml::Table>() {
        Ok(plan) => plan.get("sweep").map_or(1, values),
        Err(_) => 1,
    }
}

/// How many combinations of values a table has, its grids together; ranges count for what they span.
fn values(found: &toml::Value) -> usize {
    match found {
        toml::Value::Table(table) => table
            .values()
            .fold(1, |n: usize, value| n.saturating_mul(values(value))),
        toml::Value::Array(items) if items.iter().all(toml::Value::is_table) => items
            .iter()
            .fold(0, |n: usize, grid| n.saturating_add(values(grid))),
        toml::Value::Array(items) => items.len(),
        toml::Value::String(text) => {
            let ends = text
                .split_once("..")
                .map(|(from, to)| (from.trim().parse(), to.trim().parse()));
            match ends {
                Some((Ok(from), Ok(to))) => usize::saturating_sub(to, from).saturating_add(1),
                _ => 1,
            }
        }
        _ => 1,
    }
}
