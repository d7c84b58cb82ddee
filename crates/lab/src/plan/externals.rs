//! `queue = { kind = "external", name = "Mine" }`, and the same for transports and their `control`: a discipline or a controller provided
//! by the program that runs the plan.

use super::error::{Log, PlanError};
use super::reader::Reader;
use super::spelling::suggest;
use super::value::is_a;
use dupack_core::declare::Fallback;
use dupack_core::queue;
use dupack_core::queue::external::{ExternalParams, ExternalSource};
use dupack_core::transport::Common;
use dupack_core::transport::control::external as control;
use dupack_core::transport::control::{Answer, Controller};
use dupack_sim::spec::Network;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Disciplines and controllers that a program provides, by their names in plans.
#[derive(Clone, Debug, Default)]
pub struct Externals {
    /// Disciplines.
    pub disciplines: BTreeMap<String, Arc<dyn ExternalSource>>,
    /// Controllers.
    pub controllers: BTreeMap<String, Arc<dyn control::ExternalSource>>,
}

impl Externals {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with the controllers that `make` makes, one for each connection, which react to a loss as `answer` says. Plans call
    /// them `transport = { kind = "external", name = "NAME" }`.
    pub fn with_controller<C: Controller + Send + 'static>(
        mut self,
        name: &str,
        answer: Answer,
        make: impl Fn(&Common) -> C + Send + Sync + 'static,
    ) -> Self {
        let source = control::source(answer, make);
        self.controllers.insert(name.into(), source);
        self
    }
}

/// The word in plans.
pub(super) const KIND: &str = control::KIND;

/// Whether the table of a queue or a transport names an external one.
pub(super) fn is_guest(found: &toml::Value) -> bool {
    found.get("kind").and_then(toml::Value::as_str) == Some(KIND)
}

/// Reads such a table; `None` if there is a mistake, which is then in the log.
pub(super) fn external(
    log: &mut Log,
    path: &str,
    found: &toml::Value,
) -> Option<queue::QueueParams> {
    let name = name_of(log, path, found.as_table()?)?;
    Some(queue::QueueParams::External(ExternalParams {
        name,
        from: None,
    }))
}

/// The name in the table of an external one, which has no other keys.
fn name_of(log: &mut Log, path: &str, table: &toml::Table) -> Option<String> {
    let mut reader = Reader::new(path, table);
    reader.raw("kind");
    log.record(&reader.at("kind"), KIND);
    let name: Option<String> = reader.get(log, "name", Fallback::Required);
    reader.finish(log);
    name
}

/// The external controller of a transport, if it has one: of `kind = "external"`, which has its name beside the transport's other keys,
/// or of `control = { kind = "external", name = "Mine" }`. `Err` is a mistake, which is then in the log.
pub(super) fn controller(
    log: &mut Log,
    reader: &mut Reader<'_>,
    table: &toml::Table,
) -> Result<Option<control::ExternalParams>, ()> {
    // The transport records the name: two spellings of one pair are the same experiment.
    let kept = log.key.len();
    let name = match table.get("control") {
        Some(found @ toml::Value::Table(own)) => {
            reader.raw("control");
            let path = reader.at("control");
            if !is_guest(found) {
                let message = format!(
                    "{}; write a word, or the table of a controller of the program that runs the plan: {{ kind = \"external\", name = \"Mine\" }}",
                    is_a(found)
                );
                log.error(path, message);
                return Err(());
            }
            name_of(log, &path, own)
        }
        _ if table.get("kind").and_then(toml::Value::as_str) == Some(KIND) => {
            let name = reader.get(log, "name", Fallback::Required);
            if table.contains_key("control") {
                let message =
                    "kind = \"external\" has a controller of its own; leave one of the two out";
                log.error(reader.at("control"), message);
                return Err(());
            }
            name
        }
        _ => return Ok(None),
    };
    log.key.truncate(kept);
    let external = |name| control::ExternalParams { name, from: None };
    name.map(external).map(Some).ok_or(())
}

/// Gives every external discipline and controller of a network its maker; those that are not there are mistakes.
pub(super) fn settle(network: &mut Network, externals: &Externals) -> Vec<PlanError> {
    let mut errors = Vec::new();
    for link in &mut network.links {
        // Only a link that is changed gets a line of its own.
        let Some(queue::QueueParams::External(params)) = &link.queue else {
            continue;
        };
        let mut params = params.clone();
        params.from = externals.disciplines.get(&params.name).map(Arc::clone);
        if params.from.is_none() {
            let path = match link.name.strip_suffix(".back") {
                Some(name) => format!("link.{name}.back_queue"),
                None => format!("link.{}.queue", link.name),
            };
            let known = externals.disciplines.keys();
            errors.push(missing(path, "discipline", &params.name, known));
        }
        link.queue = Some(queue::QueueParams::External(params));
    }
    for flow in &mut network.flows {
        let Some(external) = flow.transport.external() else {
            continue;
        };
        let path = || format!("flow.{}.transport", flow.name);
        let mut external = external.clone();
        external.from = externals.controllers.get(&external.name).map(Arc::clone);
        if external.from.is_none() {
            let known = externals.controllers.keys();
            errors.push(missing(path(), "controller", &external.name, known));
            continue;
        }
        let transport = (*flow.transport).clone().with_external(external);
        if let Some(reason) = transport.pair.refusal() {
            let message = format!(
                "the repair \"{}\" does not go with the controller {}: {reason}; write another repair",
                transport.pair.repair.name,
                transport.name()
            );
            errors.push(PlanError {
                path: path(),
                message,
            });
        }
        flow.transport = Arc::new(transport);
    }
    errors
}

fn missing<'a>(
    path: String,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a String>,
) -> PlanError {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let message = format!(
        "there is no {what} {name:?}; {} (an external {what} belongs to the program that runs the plan, as Python's do)",
        suggest(name, &known)
    );
    PlanError { path, message }
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
        let mut externals = Externals::new()
            .with_controller("Ours", Answer::Stays, |_: &Common| Still)
            .with_controller("Shut", Answer::Closes, |_: &Common| Still);
        let empty: Arc<dyn ExternalSource> = Arc::new(Empty);
        externals.disciplines.insert("Mine".into(), empty);
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

    #[derive(Debug)]
    struct Still;

    impl Controller for Still {
        fn window(&self) -> f64 {
            3.0
        }
    }

    #[test]
    fn an_external_controller_is_a_kind_or_a_half_of_one() {
        let read = |transport: &str| read(&[&format!("flow.f.transport={transport}")]);
        let named = |transport: &str| {
            let plan = read(transport).expect(transport);
            let flow = &plan.points[0].network.flows[0];
            let common = &flow.transport.common;
            let made = flow.transport.external().and_then(|it| it.from.as_ref());
            let window = made.map(|from| from.controller(common).window());
            assert_eq!(window, Some(3.0));
            assert!(plan.points[0].key.contains("control = external"));
            assert!(plan.points[0].key.contains("name = Ours"));
            (flow.transport.name().into_owned(), common.mss.0)
        };
        let of = |name: &str, mss| (name.to_string(), mss);
        let kind = r#"{kind="external", name="Ours", mss="1000 B"}"#;
        assert_eq!(named(kind), of("Ours", 1000));
        let other = r#"{kind="external", name="Ours", repair="rack-tlp"}"#;
        assert_eq!(named(other), of("Ours+rack-tlp", 536));
        let half = r#"{kind="linux-cubic", repair="sack", control={kind="external", name="Ours"}}"#;
        assert_eq!(named(half), of("Ours", 1448));
    }

    #[test]
    fn a_controller_that_does_not_fit_or_is_not_there_is_a_mistake() {
        for (transport, said) in [
            (
                r#"{kind="external", name="Our"}"#,
                "flow.f.transport: there is no controller \"Our\"; did you mean \"Ours\"?",
            ),
            (r#"{kind="external"}"#, "flow.f.transport.name: missing"),
            (
                r#"{kind="external", name="Ours", control="reno"}"#,
                "flow.f.transport.control: kind = \"external\" has a controller of its own",
            ),
            (
                r#"{control={name="Ours"}}"#,
                "flow.f.transport.control: a table; write a word, or the table",
            ),
            (
                r#"{control={kind="external", name="Ours", room=3}}"#,
                "flow.f.transport.control.room: unknown key",
            ),
            (
                r#"{kind="external", name="Ours", repair="none"}"#,
                "flow.f.transport.repair: the repair \"none\" does not go with the controller \"external\"",
            ),
            (
                r#"{kind="external", name="Shut", repair="reno"}"#,
                "flow.f.transport: the repair \"reno\" does not go with the controller Shut+reno: fast recovery",
            ),
            (
                r#"{kind="external", name="Ours", window="3 segments"}"#,
                "flow.f.transport.window: unknown key",
            ),
        ] {
            let told = read(&[&format!("flow.f.transport={transport}")]).expect_err(transport);
            assert!(told.starts_with(said), "{transport}: {told}");
        }
    }
}
