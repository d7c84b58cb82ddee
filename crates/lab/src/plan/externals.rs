//! `queue = { kind = "external", name = "Mine" }`: a discipline provided by the program that runs the plan.

use super::error::{Log, PlanError};
use super::reader::Reader;
use super::spelling::suggest;
use dupack_core::declare::Fallback;
use dupack_core::queue;
use dupack_core::queue::external::{ExternalParams, ExternalSource};
use dupack_sim::spec::Network;
use std::collections::BTreeMap;
use std::sync::Arc;

/// External disciplines, by name.
pub type Externals = BTreeMap<String, Arc<dyn ExternalSource>>;

/// The word in plans.
const KIND: &str = "external";

/// Whether the table of a queue names an external discipline.
pub(super) fn is_guest(found: &toml::Value) -> bool {
    found.get("kind").and_then(toml::Value::as_str) == Some(KIND)
}

/// Reads such a table; `None` if there is a mistake, which is then in the log.
pub(super) fn external(
    log: &mut Log,
    path: &str,
    found: &toml::Value,
) -> Option<queue::QueueParams> {
    let mut reader = Reader::new(path, found.as_table()?);
    reader.raw("kind");
    log.record(&reader.at("kind"), KIND);
    let name: Option<String> = reader.get(log, "name", Fallback::Required);
    reader.finish(log);
    let (name, from) = (name?, None);
    Some(queue::QueueParams::External(ExternalParams { name, from }))
}

/// Gives every external discipline of a network its maker; those that are not there are mistakes.
pub(super) fn settle(network: &mut Network, externals: &Externals) -> Vec<PlanError> {
    let mut errors = Vec::new();
    for link in &mut network.links {
        let Some(queue::QueueParams::External(params)) = &mut link.queue else {
            continue;
        };
        params.from = externals.get(&params.name).map(Arc::clone);
        if params.from.is_none() {
            let known: Vec<&str> = externals.keys().map(String::as_str).collect();
            let path = match link.name.strip_suffix(".back") {
                Some(name) => format!("link.{name}.back_queue"),
                None => format!("link.{}.queue", link.name),
            };
            let message = format!(
                "there is no discipline {:?}; {} (an external discipline belongs to the program that runs the plan, as Python's do)",
                params.name,
                suggest(&params.name, &known)
            );
            errors.push(PlanError { path, message });
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;
    use dupack_core::queue::Line;
    use dupack_core::queue::external::ExternalDiscipline;
    use std::path::Path;

    #[derive(Debug)]
    struct Empty;

    impl ExternalSource for Empty {
        fn external(&self, _: Line) -> Box<dyn ExternalDiscipline> {
            unreachable!("nothing is run")
        }
        fn room(&self) -> Option<u64> {
            None
        }
    }

    const PLAN: &str = r#"
        duration = "1 s"
        host = [{ name = "a" }, { name = "b" }]
        link = [{ name = "l", from = "a", to = "b", carries = "packets", rate = "1 Mb/s", delay = "1 ms",
                  queue = { kind = "external", name = "Mine" } }]
        flow = [{ name = "f", from = "a", to = "b" }]
    "#;

    fn read(sets: &[&str]) -> Result<Plan, String> {
        let externals =
            Externals::from([("Mine".into(), Arc::new(Empty) as Arc<dyn ExternalSource>)]);
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        Plan::parse_with(PLAN.as_bytes(), Path::new("p"), &sets, &externals)
            .map_err(|errors| errors.errors[0].to_string())
    }

    #[test]
    fn a_guest_is_found_by_its_name_and_is_another_experiment_than_others() {
        let plan = read(&[]).expect("right");
        assert_eq!(
            plan.points[0].network.links[0]
                .queue
                .as_ref()
                .map(|it| it.name()),
            Some("Mine")
        );
        assert!(plan.points[0].key.contains("link.l.queue.name = Mine"));
    }

    #[test]
    fn a_guest_that_is_not_there_is_a_mistake() {
        let told = read(&["link.l.queue.name=Mime"]).expect_err("not there");
        assert!(
            told.starts_with(
                "link.l.queue: there is no discipline \"Mime\"; did you mean \"Mine\"?"
            ),
            "{told}"
        );
        let told = read(&["link.l.back_queue={kind=\"external\", name=\"other\"}"])
            .expect_err("not there");
        assert!(told.starts_with("link.l.back_queue: "), "{told}");
        let told = read(&["link.l.queue.room=3"]).expect_err("no such key");
        assert!(told.starts_with("link.l.queue.room: unknown key"), "{told}");
        assert!(Plan::parse(PLAN.as_bytes(), "p", &[]).is_err());
    }
}
