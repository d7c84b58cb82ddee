//! The catalogue: every word that a plan can name, with its parameters, from the declarations in `dupack-core`.

use crate::family::{self, Family, one_line};
use crate::plan::{Graph, Links, Without};
use crate::schema::{Key, SECTIONS, Section, Shape};
use dupack_core::declare::{Declared, Fallback, Kind, Parameter};
use dupack_core::roster::Roster;
use dupack_core::transport::{self, Common, Pair, control, repair};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A word.
#[derive(Clone, Debug, Serialize)]
pub struct Word {
    /// Its family.
    pub family: Family,
    /// The word.
    pub name: &'static str,
    /// Summary, in one line.
    pub summary: String,
    /// The key of its source, and the place there.
    pub source: &'static str,
    /// The source in full; none for common practice.
    pub published: Option<String>,
    /// For a discipline, the kinds of links on which it runs; empty for other families.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carries: Vec<&'static str>,
    /// Controller and repair of a named pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub halves: Option<[&'static str; 2]>,
    /// The preset whose defaults a named pair has, if it is a whole stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'static str>,
    /// Its parameters, in order; those that all transports have are in [`Catalogue::transports`].
    pub parameters: Vec<Told>,
    /// Tables of a topology that describe its links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Lines>,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// The plan's key.
    pub name: &'static str,
    /// Help text.
    pub help: String,
    /// Kind of its value: `time`, `share`, `discipline`, ...
    pub kind: &'static str,
    /// Description of its value, with the units.
    pub written: String,
    /// Its units, none for a value without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<&'static str>,
    /// The words it may be, if it is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<&'static str>,
    /// The plan must say.
    pub required: bool,
    /// Whether it is unset by default; `default` then says what that means.
    pub unset: bool,
    /// Default: a value, or the word for none.
    pub default: Option<Cow<'static, str>>,
}

/// All there is.
#[derive(Clone, Debug, Serialize)]
pub struct Catalogue {
    /// Every word.
    pub entries: Vec<Word>,
    /// The parameters that all transports have.
    pub transports: Vec<Told>,
    /// Every controller with every repair.
    pub pairs: Vec<Paired>,
    /// Sections of a plan.
    pub sections: Vec<Part>,
}

/// A controller and a repair.
#[derive(Clone, Debug, Serialize)]
pub struct Paired {
    /// The controller's word.
    pub control: &'static str,
    /// The repair's word.
    pub repair: &'static str,
    /// The reason if the two are incompatible.
    pub refused: Option<&'static str>,
}

/// A table of a topology.
#[derive(Clone, Debug, Serialize)]
pub struct Lines {
    /// Its key.
    pub name: &'static str,
    /// Links that it describes.
    pub help: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// The table that replaces it if it is not given, if there is one.
    pub like: Option<&'static str>,
}

impl From<&Links> for Lines {
    fn from(it: &Links) -> Self {
        Self {
            name: it.name,
            help: it.help,
            required: it.without == Without::Wrong,
            like: match it.without {
                Without::Like(table) => Some(table),
                _ => None,
            },
        }
    }
}

/// A section of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Its name; empty for the plan itself.
    pub name: &'static str,
    /// Help text.
    pub help: String,
    /// Its keys, in order.
    pub parameters: Vec<Told>,
}

/// Description of a section.
fn part(section: &Section) -> Part {
    let key = |key: &Key| {
        let kind = match key.shape {
            Shape::Value(kind) => kind,
            _ => Kind::Name,
        };
        let told = about(&Parameter {
            name: key.name,
            kind,
            fallback: key.fallback,
            help: key.help,
            tried: &[],
            shown: None,
        });
        let written = match key.shape {
            Shape::Value(Kind::Name) => "a name from the plan".into(),
            Shape::Value(_) => told.written,
            Shape::Title => "a text".into(),
            Shape::Name => "letters, digits, \"_\" and \"-\", at most 100".into(),
            Shape::WarmUp => "a time such as \"0.3 ms\", or \"mser-5\"".into(),
            Shape::Start => "a time such as \"0.3 ms\", or a range \"0 s..100 ms\"".into(),
            Shape::Section(name) => format!("a table, [{name}]"),
            Shape::Sections(name) => format!("tables, [[{name}]]"),
            Shape::Schedule(_) => "a list of steps such as [{ at = \"2.5 s\", rate = \"10 Mb/s\" }], or a table such as { file = \"steps.csv\", every = \"2 s\" }".into(),
            Shape::Part(family) => match family {
                Family::Abr => "a table such as { icr = 0.05 }, or \"none\"".into(),
                Family::Grants => "a table such as { slot = \"2 ms\", delay = \"4 ms\" }".into(),
                Family::Reorder => "a table such as { rate = 0.01, delay = \"2 ms\" }".into(),
                _ => "a table such as { kind = ... }; `dupack list` shows the kinds".into(),
            },
            Shape::Topology => "a table such as { kind = \"dumbbell\", senders = 5, ... }".into(),
            Shape::Measure => {
                "the path of a number of the results such as \"summary.goodput_bps\"".into()
            }
            Shape::Members("link") => "a table such as { access-1 = { delay = \"4 ms\" } }".into(),
            Shape::Members(_) => "a table such as { bulk-1 = { start = \"1 s\" } }".into(),
            Shape::Sweep => "a table, [sweep], or several, [[sweep]]".into(),
        };
        Told { written, ..told }
    };
    Part {
        name: section.name,
        help: section.help.into(),
        parameters: section.keys.iter().map(key).collect(),
    }
}

/// Description of a parameter.
fn about(parameter: &Parameter) -> Told {
    let words = match parameter.kind {
        Kind::Choice(words) | Kind::Discipline(words) => words.to_vec(),
        Kind::Flag => vec!["true", "false"],
        _ => Vec::new(),
    };
    Told {
        name: parameter.name,
        help: one_line(parameter.help),
        kind: parameter.kind.name(),
        written: parameter.kind.allowed(),
        units: parameter.kind.units(),
        words,
        required: parameter.fallback == Fallback::Required,
        unset: matches!(parameter.fallback, Fallback::Unset(_)),
        default: match parameter.fallback {
            Fallback::Required => None,
            Fallback::Unset("") => None,
            Fallback::Text(text) | Fallback::Unset(text) => Some(text.into()),
        },
    }
}

/// Description of a parameter of every transport; if the repair sets it, with the value that each repair gives it.
fn of_transports(parameter: &Parameter) -> Told {
    let told = about(parameter);
    let own = transport::repairs_own(parameter.name);
    let default = match (told.default, own) {
        (Some(default), Some(own)) => Some(format!("{default}: {own}").into()),
        (default, _) => default,
    };
    Told { default, ..told }
}

/// Description of a parameter that a preset changes; of the half that it belongs to, if it belongs to one.
fn preset_of((half, parameter): &(Option<&str>, Parameter)) -> Told {
    let told = about(parameter);
    let help = match *half {
        Some(half) if transport::compat::is_repair(half) => {
            format!("With the repair {half}. {}", told.help)
        }
        Some(half) => format!("With the controller {half}. {}", told.help),
        None => told.help,
    };
    Told { help, ..told }
}

fn abouts(parameters: &[Parameter]) -> Vec<Told> {
    parameters.iter().map(about).collect()
}

/// The sources that marks and declarations cite, by key.
struct Sources(BTreeMap<String, toml::Table>);

impl Sources {
    fn new() -> Self {
        // This cannot fail: a test reads the same file, and fails if it cannot be read.
        let text = include_str!("../../../docs/sources.toml");
        Self(toml::from_str(text).unwrap_or_default())
    }

    /// `Cohen, Hamo: Balanced packet discard ..., 2001, in Computer Communications` of `cohen-hamo-2001 §4`.
    fn published(&self, source: &str) -> Option<String> {
        let table = self.0.get(source.split_whitespace().next()?)?;
        let text = |key: &str| table.get(key).and_then(toml::Value::as_str);
        let authors: Vec<&str> = (table.get("authors").and_then(toml::Value::as_array))
            .map(|all| all.iter().filter_map(toml::Value::as_str).collect())
            .unwrap_or_default();
        let year = table.get("year").map(ToString::to_string);
        let parts = [
            (!authors.is_empty()).then(|| authors.join(", ")),
            text("title").map(|title| format!("\"{title}\"")),
            text("published").map(str::to_string),
            year,
        ];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(". "))
    }
}

/// Everything that a plan can name.
pub fn catalogue() -> Catalogue {
    let sources = Sources::new();
    let word = |family: Family, it: family::Word| Word {
        family,
        name: it.entry.name,
        summary: one_line(it.entry.summary),
        source: it.entry.source,
        published: sources.published(it.entry.source),
        carries: it.grains.iter().map(|grain| grain.name()).collect(),
        halves: it.halves.map(|it| [it.control, it.repair]),
        preset: it.halves.and_then(|it| it.preset),
        parameters: match transport::compat::entry(it.entry.name) {
            Some(preset) if family == Family::Compat => {
                preset.parameters().iter().map(preset_of).collect()
            }
            _ => abouts(&it.parameters),
        },
        links: it.links.iter().map(Lines::from).collect(),
    };
    let words = |family: Family| family.words().into_iter().map(move |it| (family, it));
    let entries = (Family::ALL.into_iter().flat_map(words))
        .map(|(family, it)| word(family, it))
        .map(|it| {
            if it.name == Graph::NAME {
                graph(it)
            } else {
                it
            }
        })
        .collect();
    Catalogue {
        entries,
        transports: (Common::PARAMETERS.iter().map(of_transports))
            .chain([about(&transport::compat::PARAMETER)])
            .collect(),
        pairs: pairs().collect(),
        sections: SECTIONS.iter().map(part).collect(),
    }
}

fn pairs() -> impl Iterator<Item = Paired> {
    let pairs = |control| {
        repair::RepairParams::ENTRIES
            .iter()
            .map(move |repair| Pair {
                control,
                repair,
                preset: None,
            })
    };
    let all = control::ControlParams::ENTRIES.iter().flat_map(pairs);
    all.map(|pair| Paired {
        control: pair.control.name,
        repair: pair.repair.name,
        refused: pair.refusal(),
    })
}

/// Adds the description of graph files.
fn graph(mut word: Word) -> Word {
    for file in word.parameters.iter_mut().filter(|it| it.name == "file") {
        (file.kind, file.written) = (
            "file",
            "the name of a file in GraphML, relative to the plan".into(),
        );
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_word_is_listed_once_in_its_family_and_says_what_it_does() {
        let all = catalogue();
        let mut seen = HashSet::new();
        for entry in &all.entries {
            assert!(seen.insert((entry.family.name(), entry.name)), "{entry:?}");
            assert!(entry.summary.ends_with('.'), "{entry:?}");
            assert!(!entry.source.is_empty(), "{entry:?}");
        }
        for family in Family::ALL {
            assert!(all.entries.iter().any(|entry| entry.family == family));
        }
    }

    #[test]
    fn a_source_is_told_in_full_unless_it_is_common_practice() {
        for entry in catalogue().entries {
            let common = entry.source.starts_with("common practice");
            assert_eq!(entry.published.is_none(), common, "{}", entry.source);
        }
        let all = catalogue();
        let bpd = all.entries.iter().find(|entry| entry.name == "bpd");
        let published = bpd.and_then(|entry| entry.published.clone());
        assert!(published.is_some_and(|text| text.contains("Reuven Cohen")));
    }

    #[test]
    fn a_topology_is_told_with_its_tables() {
        let all = catalogue();
        let leaves = all.entries.iter().find(|it| it.name == "leaf-spine");
        let leaves = leaves.expect("a shape");
        let names: Vec<_> = leaves.parameters.iter().map(|it| it.name).collect();
        assert_eq!(names, ["leaves", "spines", "hosts"]);
        let tables: Vec<_> = (leaves.links.iter()).map(|it| (it.name, it.like)).collect();
        assert_eq!(tables, [("access", None), ("fabric", Some("access"))]);
        assert!(leaves.links[0].required && !leaves.links[1].required);
    }

    #[test]
    fn a_parameter_is_told_as_it_is_declared() {
        let all = catalogue();
        let bpd = all.entries.iter().find(|entry| entry.name == "bpd");
        let parameters = &bpd.expect("on the roster").parameters;
        let names: Vec<_> = parameters.iter().map(|it| it.name).collect();
        assert_eq!(names, ["buffer", "lower", "upper", "gap"]);
        assert!(parameters[0].required && parameters[0].units.contains(&"cells"));
        assert_eq!(parameters[1].default, Some("0.4".into()));
        let halve = all.transports.iter().find(|it| it.name == "halve");
        assert_eq!(halve.expect("declared").words[..2], ["window", "flight"]);
    }
}
