//! A table with a `kind`: a discipline, a loss model, traffic or a transport, as the core's rosters declare them.

use super::elsewhere::hint;
use super::error::Log;
use super::reader::Reader;
use super::spelling::{join, quoted, suggest};
use super::value::{is_a, show};
use dupack_core::abr::switch::MarkerParams;
use dupack_core::arrivals::ArrivalsParams;
use dupack_core::declare::{Fallback, Fault, Kind, Parameter, Value};
use dupack_core::jitter::JitterParams;
use dupack_core::loss::LossParams;
use dupack_core::queue::{self, QueueParams};
use dupack_core::roster::Roster;
use dupack_core::traffic::TrafficParams;
use dupack_core::transport::{self, Pair};

/// A family of words, as plans see it.
pub(super) struct Kinds<P> {
    /// Noun for one of it in errors.
    pub noun: &'static str,
    /// A right table, for errors.
    pub example: &'static str,
    /// The kind if the plan names none; without one it must.
    pub default: Option<&'static str>,
    /// Its words.
    pub names: fn() -> Vec<&'static str>,
    /// The parameters of a word.
    pub parameters: fn(&str) -> Option<&'static [Parameter]>,
    /// The part, from values in that order.
    pub build: fn(&str, &[Value]) -> Built<P>,
}

/// A part, or its inconsistency; `None` for an unknown word.
type Built<P> = Option<Result<P, Fault>>;

impl<P: Roster + 'static> Kinds<P> {
    /// A part with the words of a roster.
    const fn of(noun: &'static str, example: &'static str, default: Option<&'static str>) -> Self {
        Self {
            noun,
            example,
            default,
            names: || P::ENTRIES.iter().map(|entry| entry.name).collect(),
            parameters: |name| P::entry(name).map(|entry| entry.parameters),
            build: |name, values| {
                let params = P::from_values(name, values)?;
                Some(params.check().map(|()| params))
            },
        }
    }
}

/// Disciplines.
pub(super) const QUEUES: Kinds<QueueParams> = Kinds::of(
    "discipline",
    r#"{ kind = "drop-tail", buffer = "50 packets" }"#,
    None,
);

/// Disciplines that another one wraps.
const WRAPPED: Kinds<Value> = Kinds {
    noun: "inner discipline",
    names: || queue::INNER.to_vec(),
    build: |name, values| {
        let params = queue::Inner::from_values(name, values)?;
        let entry = QueueParams::entry(name)?;
        let value = || Value::Discipline(entry.name, values.to_vec());
        Some(params.check().map(|()| value()))
    },
    parameters: QUEUES.parameters,
    example: QUEUES.example,
    default: None,
};

/// Disciplines that a scheduler contains.
const NESTED: Kinds<Value> = Kinds {
    noun: "inner discipline",
    names: || queue::NESTED.to_vec(),
    build: |name, values| {
        let params = queue::Nested::from_values(name, values)?;
        let entry = QueueParams::entry(name)?;
        let value = || Value::Discipline(entry.name, values.to_vec());
        Some(params.check().map(|()| value()))
    },
    parameters: QUEUES.parameters,
    example: QUEUES.example,
    default: None,
};

/// Disciplines that a shaper contains.
const SHAPED: Kinds<Value> = Kinds {
    names: || queue::SHAPED.to_vec(),
    build: |name, values| {
        let params = queue::Shaped::from_values(name, values)?;
        let entry = QueueParams::entry(name)?;
        let value = || Value::Discipline(entry.name, values.to_vec());
        Some(params.check().map(|()| value()))
    },
    ..NESTED
};

/// Loss models.
pub(super) const LOSSES: Kinds<LossParams> = Kinds::of(
    "loss model",
    r#"{ kind = "script", flow = "transfer", segments = [40, 43] }"#,
    None,
);

/// Models of jitter.
pub(super) const JITTERS: Kinds<JitterParams> = Kinds::of(
    "jitter",
    r#"{ kind = "uniform", max_delay = "5 ms" }"#,
    None,
);

/// Kinds of traffic.
pub(super) const TRAFFICS: Kinds<TrafficParams> =
    Kinds::of("traffic", r#"{ kind = "greedy" }"#, Some("greedy"));

/// Rate markers of ABR.
pub(super) const MARKERS: Kinds<MarkerParams> = Kinds::of(
    "rate marker",
    r#"{ kind = "eprca", congested = "500 cells", very_congested = "800 cells" }"#,
    None,
);

/// Kinds of arrivals.
pub(super) const ARRIVALS: Kinds<ArrivalsParams> =
    Kinds::of("arrivals", r#"{ kind = "poisson", every = "1 ms" }"#, None);

/// The names of the parameters of a word, for a part that stands under `key`; `None` for an unknown word or key.
pub(super) fn parameters(key: &str, word: &str) -> Option<Vec<&'static str>> {
    let found: Vec<&Parameter> = match key {
        "queue" | "back_queue" => (QUEUES.parameters)(word)?.iter().collect(),
        "loss" | "back_loss" => (LOSSES.parameters)(word)?.iter().collect(),
        "jitter" | "back_jitter" => (JITTERS.parameters)(word)?.iter().collect(),
        "marker" | "back_marker" => (MARKERS.parameters)(word)?.iter().collect(),
        "traffic" => (TRAFFICS.parameters)(word)?.iter().collect(),
        "arrivals" => (ARRIVALS.parameters)(word)?.iter().collect(),
        "transport" => {
            let halves = transport::entry(word)?.about;
            let all = Pair::of(&halves)?.parameters();
            return Some(all.map(|parameter| parameter.name).collect());
        }
        _ => return None,
    };
    Some(found.iter().map(|parameter| parameter.name).collect())
}

/// Reads the table `found` at `path`; an absent one is the family's default. `fits` may refuse a value that is right in
/// itself but not here. `None` if there is a mistake, which is then in the log.
pub(super) fn part<P>(
    log: &mut Log,
    path: String,
    found: Option<&toml::Value>,
    family: &Kinds<P>,
    fits: &dyn Fn(&Value) -> Result<(), String>,
) -> Option<P> {
    let nothing = toml::Table::new();
    let table = table(log, &path, found, &nothing, family.example)?;
    let mut reader = Reader::new(path, table);
    let names = (family.names)();
    let kind = word(
        log,
        &mut reader,
        "kind",
        family.noun,
        &names,
        family.default,
    )?;
    let parameters: Vec<_> = (family.parameters)(kind)?.iter().collect();
    log.record(&reader.at("kind"), kind);
    let build = |values: &[Value]| {
        (family.build)(kind, values).unwrap_or_else(|| unreachable!("{kind} is listed"))
    };
    whole(log, reader, table, &parameters, fits, build)
}

/// The table at `path`, `nothing` if there is none; reports other values.
pub(super) fn table<'t>(
    log: &mut Log,
    path: &str,
    found: Option<&'t toml::Value>,
    nothing: &'t toml::Table,
    example: &str,
) -> Option<&'t toml::Table> {
    match found {
        None => Some(nothing),
        Some(toml::Value::Table(table)) => Some(table),
        Some(other) => {
            log.error(
                path,
                format!("{}; write a table such as {example}", is_a(other)),
            );
            None
        }
    }
}

/// The word under `key`, one of `names`; `None` if there is a mistake, which is then in the log.
pub(super) fn word(
    log: &mut Log,
    reader: &mut Reader<'_>,
    key: &'static str,
    noun: &str,
    names: &[&'static str],
    default: Option<&'static str>,
) -> Option<&'static str> {
    let message = match (reader.raw(key), default) {
        (None, Some(default)) => return Some(default),
        (None, None) => format!("missing; allowed: {}", quoted(names)),
        (Some(toml::Value::String(found)), _) => match names.iter().find(|name| *name == found) {
            Some(name) => return Some(name),
            None => {
                let shown = show(&toml::Value::String(found.clone()));
                let near = hint(found, names).unwrap_or_else(|| suggest(found, names));
                format!("unknown {noun} {shown}; {near}")
            }
        },
        (Some(other), _) => format!("{}; allowed: {}", is_a(other), quoted(names)),
    };
    log.error(reader.at(key), message);
    None
}

/// Reads `parameters`, reports all other keys, and builds the part. `None` if there is a mistake, which is then in the log.
pub(super) fn whole<P>(
    log: &mut Log,
    mut reader: Reader<'_>,
    table: &toml::Table,
    parameters: &[&Parameter],
    fits: &dyn Fn(&Value) -> Result<(), String>,
    build: impl Fn(&[Value]) -> Result<P, Fault>,
) -> Option<P> {
    let mut values = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        if let Kind::Discipline(words) = parameter.kind {
            let path = reader.at(parameter.name);
            let inner = if words == queue::INNER {
                &WRAPPED
            } else if words == queue::SHAPED {
                &SHAPED
            } else {
                &NESTED
            };
            if let Some(word) = elsewhere_only(reader.raw(parameter.name), words) {
                let allowed = quoted(words);
                log.error(
                    join(&path, "kind"),
                    format!("{word:?} cannot be contained here; allowed: {allowed}"),
                );
                values.push(None);
                continue;
            }
            values.push(match (reader.raw(parameter.name), parameter.fallback) {
                (Some(found), Fallback::Unset(word)) if found.as_str() == Some(word) => {
                    Some(Value::Unset)
                }
                (Some(found), _) => part(log, path, Some(found), inner, fits),
                (None, Fallback::Unset(_)) => Some(Value::Unset),
                (None, _) => {
                    let message = format!("missing; write {}", parameter.kind.allowed());
                    log.error(path, message);
                    None
                }
            });
            continue;
        }
        let value = reader.value(log, parameter.name, parameter.kind, parameter.fallback);
        // A default that does not fit means that the kind does not fit, which has its own error.
        if reader.raw(parameter.name).is_some()
            && let Some(value) = &value
            && let Err(message) = fits(value)
        {
            log.error(reader.at(parameter.name), message);
        }
        values.push(value);
    }
    let path = reader.path.clone();
    reader.finish(log);
    let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
    match build(&values) {
        Ok(part) => Some(part),
        Err(fault) => {
            // The error repeats the value as the plan writes it; of a list, the fault tells the items. The fault may also lie in a default,
            // which the plan does not write.
            let written = table.get(fault.name).filter(|it| !it.is_array());
            let found = written.map_or(fault.found, show);
            log.error(
                join(&path, fault.name),
                format!("{found} does not fit; write {}", fault.allowed),
            );
            None
        }
    }
}

/// The kind of an inner discipline that is one, but none of `words`.
fn elsewhere_only<'t>(found: Option<&'t toml::Value>, words: &[&str]) -> Option<&'t str> {
    let kind = found?.get("kind")?.as_str()?;
    (QueueParams::entry(kind).is_some() && !words.contains(&kind)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every parameter of every word of a roster.
    fn all<P>(family: &Kinds<P>) -> Vec<(&'static str, &'static Parameter)> {
        let of = |name| (family.parameters)(name).expect("a word of the roster");
        (family.names)()
            .into_iter()
            .flat_map(|name| of(name).iter().map(move |p| (name, p)))
            .collect()
    }

    #[test]
    fn every_declared_default_is_of_its_kind() {
        let declared = [
            all(&QUEUES),
            all(&LOSSES),
            all(&JITTERS),
            all(&TRAFFICS),
            all(&MARKERS),
            all(&ARRIVALS),
        ];
        for (name, parameter) in declared.concat() {
            if let Fallback::Text(text) = parameter.fallback {
                assert!(
                    parameter.kind.read(text).is_some(),
                    "{name}.{}: {text:?} is not {}",
                    parameter.name,
                    parameter.kind.allowed()
                );
            }
        }
    }

    #[test]
    fn the_examples_and_defaults_are_right() {
        fn check<P>(family: &Kinds<P>) {
            let mut log = Log::default();
            let example: toml::Value = family.example.parse().expect("TOML");
            assert!(part(&mut log, "x".into(), Some(&example), family, &|_| Ok(())).is_some());
            if family.default.is_some() {
                assert!(part(&mut log, "x".into(), None, family, &|_| Ok(())).is_some());
            }
            assert_eq!(log.errors, []);
        }
        check(&QUEUES);
        check(&LOSSES);
        check(&JITTERS);
        check(&TRAFFICS);
        check(&MARKERS);
        check(&ARRIVALS);
    }
}
