//! Plans made by programs: turns a table into the text of a plan file, sets values by their paths, and checks single parts.

use super::error::{Log, PlanErrors};
use super::files::Files;
use super::overrides::{self, Override};
use super::part::{ARRIVALS, JITTERS, LOSSES, QUEUES, TRAFFICS, part};
use super::spelling::is_bare;
use super::syntax;
use super::topology;
use super::transports::transport;
use dupack_core::declare::{Field, Kind};
use dupack_core::time::Duration;
use std::path::Path;
use toml::{Table, Value};

/// The text of a plan, as people write it: a section per thing, its values on a line each.
pub fn text(plan: &Table) -> String {
    let mut text = String::new();
    for (key, value) in plan.iter().filter(|(_, value)| !is_section(value)) {
        text += &line(key, value);
    }
    for (key, value) in plan {
        match value {
            Value::Table(table) => text += &section(&format!("[{}]", quoted(key)), table),
            Value::Array(items) if is_section(value) => {
                for table in items.iter().filter_map(Value::as_table) {
                    text += &section(&format!("[[{}]]", quoted(key)), table);
                }
            }
            _ => {}
        }
    }
    text
}

/// A table, or several.
fn is_section(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_table),
        _ => false,
    }
}

fn section(head: &str, table: &Table) -> String {
    let lines = table.iter().map(|(key, value)| line(key, value));
    format!("\n{head}\n{}", lines.collect::<String>())
}

fn line(key: &str, value: &Value) -> String {
    format!("{} = {value}\n", quoted(key))
}

fn quoted(key: &str) -> String {
    if is_bare(key) {
        key.to_string()
    } else {
        Value::String(key.to_string()).to_string()
    }
}

/// Reads a time as plans write it \[ps\]; `None` for other texts.
pub fn picoseconds(text: &str) -> Option<u64> {
    Duration::take(&Kind::Time.read(text)?).map(|time| time.0)
}

/// Sets values in a plan by their paths, like `--set`; `origin` is the plan's name in errors. A topology is expanded if there are
/// values of generated links or nodes, or if `whole`.
///
/// # Errors
/// Every path without a place, and mistakes in the topology.
pub fn put(
    plan: &mut Table,
    origin: &Path,
    values: Vec<(String, Value)>,
    whole: bool,
) -> Result<(), PlanErrors> {
    let mut log = Log::with(&Files::beside(origin));
    let values = values.into_iter();
    let sets: Vec<_> = values
        .map(|(path, value)| Override { path, value })
        .collect();
    let (first, later) = overrides::in_turn(plan, &sets);
    overrides::apply(&mut log, plan, &first);
    if log.errors.is_empty() && (whole || !later.is_empty()) {
        topology::expand(&mut log, plan);
        if log.errors.is_empty() {
            overrides::apply(&mut log, plan, &later);
        }
    }
    refuse(log, &origin.to_string_lossy())
}

/// The plan in `bytes` as one experiment: with the values of a point of its sweep, then with overrides, and without its sweep and its
/// rule to stop. With `whole`, a topology is expanded to hosts, switches and links.
///
/// # Errors
/// Mistakes in the syntax, in overrides and in the topology; other mistakes are those of [`super::Plan::parse`].
pub fn settled(
    bytes: &[u8],
    origin: &str,
    settings: &[(String, Value)],
    sets: &[String],
    whole: bool,
) -> Result<Table, PlanErrors> {
    let mut plan = syntax::parse(bytes).map_err(|errors| PlanErrors {
        origin: origin.to_string(),
        errors,
    })?;
    plan.remove("sweep");
    plan.remove("stop");
    let mut log = Log::with(&Files::beside(Path::new(origin)));
    let (_, sets) = overrides::split(overrides::read(&mut log, sets));
    refuse(log, origin)?;
    let sets = sets.into_iter().map(|set| (set.path, set.value));
    let values = settings.iter().cloned().chain(sets).collect();
    put(&mut plan, Path::new(origin), values, whole)?;
    Ok(plan)
}

/// A part of a plan that can be checked alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the names say everything
pub enum Part {
    Queue,
    Transport,
    Traffic,
    Arrivals,
    Loss,
    Jitter,
}

/// Checks that `found` is a valid table of its family; errors call it `path`.
///
/// # Errors
/// Every mistake in it.
pub fn check(family: Part, path: &str, found: &Table) -> Result<(), PlanErrors> {
    let mut log = Log::with(&Files::beside(""));
    let (at, found) = (path.to_string(), Some(&Value::Table(found.clone())));
    match family {
        Part::Queue => drop(part(&mut log, at, found, &QUEUES, &|_| Ok(()))),
        Part::Traffic => drop(part(&mut log, at, found, &TRAFFICS, &|_| Ok(()))),
        Part::Arrivals => drop(part(&mut log, at, found, &ARRIVALS, &|_| Ok(()))),
        Part::Loss => drop(part(&mut log, at, found, &LOSSES, &|_| Ok(()))),
        Part::Jitter => drop(part(&mut log, at, found, &JITTERS, &|_| Ok(()))),
        Part::Transport => drop(transport(&mut log, at, found)),
    }
    refuse(log, path)
}

/// The parameters of the discipline in the table `found`, which errors call `path`.
///
/// # Errors
/// Every mistake in it.
pub fn queue(path: &str, found: &Table) -> Result<dupack_core::queue::QueueParams, PlanErrors> {
    let mut log = Log::with(&Files::beside(""));
    let found = Value::Table(found.clone());
    let params = part(&mut log, path.to_string(), Some(&found), &QUEUES, &|_| {
        Ok(())
    });
    match params {
        Some(params) if log.errors.is_empty() => Ok(params),
        _ => Err(PlanErrors {
            origin: path.to_string(),
            errors: log.errors,
        }),
    }
}

fn refuse(log: Log, origin: &str) -> Result<(), PlanErrors> {
    if log.errors.is_empty() {
        return Ok(());
    }
    Err(PlanErrors {
        origin: origin.to_string(),
        errors: log.errors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_written_as_it_was_read() {
        let written = concat!(
            "duration = \"2 s\"\nseed = 1\n\n[aal5]\ntrailer = \"0 B\"\n\n[[host]]\nname = \"a b\"\ncount = 2\n",
            "\n[[host]]\nname = \"sink\"\nqueue = { kind = \"bpd\", lower = 0.4, inner = { kind = \"red\" } }\n",
            "\n[sweep]\n\"link.b.rate\" = [\"1 Mb/s\", \"2 Mb/s\"]\nempty = []\n",
        );
        let table: Table = written.parse().expect("TOML");
        assert_eq!(text(&table), written);
    }

    #[test]
    fn values_that_follow_sections_still_stand_at_the_top() {
        let mut table = Table::new();
        let inner: Table = "x = 1".parse().expect("TOML");
        table.insert("aal5".into(), Value::Table(inner));
        table.insert("seed".into(), Value::Integer(7));
        assert_eq!(text(&table), "seed = 7\n\n[aal5]\nx = 1\n");
    }

    #[test]
    fn a_part_is_checked_alone_under_the_name_it_is_given() {
        let table: Table = "kind = \"bpd\"\nbuffer = \"9 cells\"\nlowr = 1"
            .parse()
            .expect("TOML");
        let error = check(Part::Queue, "dk.queue.bpd", &table).expect_err("a slip");
        let found = &error.errors[0];
        assert_eq!(
            found.to_string(),
            "dk.queue.bpd.lowr: unknown key; did you mean \"lower\"?"
        );
        let table: Table = "kind = \"sack\"".parse().expect("TOML");
        assert_eq!(check(Part::Transport, "x", &table), Ok(()));
    }

    #[test]
    fn a_value_is_put_where_its_path_leads_or_refused() {
        let mut table: Table = "duration = \"1 s\"\n[[flow]]\nname = \"bulk\""
            .parse()
            .expect("TOML");
        let set = |path: &str| vec![(path.to_string(), Value::String("5 s".into()))];
        put(&mut table, Path::new("a net"), set("flow.b*.start"), false).expect("a place");
        assert!(text(&table).contains("start = \"5 s\""));
        let error = put(
            &mut table,
            Path::new("a net"),
            set("flow.none.start"),
            false,
        )
        .expect_err("no such flow");
        assert!(error.to_string().starts_with("a net: 1 error"));
    }

    #[test]
    fn a_topology_is_written_out_when_a_value_is_of_what_it_makes() {
        let plan = r#"
            topology = { kind = "incast", senders = 2, carries = "packets", access = { rate = "1 Mb/s", delay = "1 ms" } }
            flow = [{ name = "f", from = "source", to = "sink" }]
        "#;
        let mut table: Table = plan.parse().expect("TOML");
        let set = |path: &str| vec![(path.to_string(), Value::String("2 ms".into()))];
        put(
            &mut table,
            Path::new("a net"),
            set("topology.access.delay"),
            false,
        )
        .expect("a place");
        assert!(text(&table).contains("[topology]"));
        put(
            &mut table,
            Path::new("a net"),
            set("link.bottleneck.delay"),
            false,
        )
        .expect("a place");
        assert!(!text(&table).contains("[topology]"));
        assert!(text(&table).contains("name = \"bottleneck\""));
        let mut table: Table = plan
            .replace("senders = 2", "senders = 0")
            .parse()
            .expect("TOML");
        let error = put(&mut table, Path::new("a net"), Vec::new(), true).expect_err("no sender");
        assert_eq!(error.errors[0].path, "topology.senders");
    }
}
