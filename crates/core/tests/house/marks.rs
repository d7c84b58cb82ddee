//! Every citation has a source, and every departure from a source has a reason.
//!
//! A mark is a comment line `//= KEY PLACE`, with `type=test` at a test of the code and `type=departure` where the
//! code departs from it. Sources are the tables of `docs/sources.toml`; a departure is a page in `docs/departures` with a
//! line `Cites: KEY PLACE`.

use crate::none;
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

const SOURCES: &str = "docs/sources.toml";
const DEPARTURES: &str = "docs/departures/";
/// What a source, and a departure, says of itself.
const FIELDS: [&str; 4] = ["title", "authors", "year", "published"];
const PARTS: [&str; 3] = ["**It says:**", "**We:**", "**Why:**"];
/// What parts say instead of a source.
const NO_SOURCE: &str = "common practice";

/// A citation mark.
struct Mark<'a> {
    file: &'a str,
    line: usize,
    /// `KEY PLACE`
    cites: &'a str,
    kind: &'a str,
}

impl Mark<'_> {
    fn key(&self) -> &str {
        self.cites.split(' ').next().unwrap_or("")
    }
    fn place(&self) -> &str {
        self.cites[self.key().len()..].trim()
    }
}

fn marks(tree: &Tree) -> Vec<Mark<'_>> {
    let mut all = Vec::new();
    for (file, text) in tree.files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        for (at, line) in text.lines().enumerate() {
            let Some(mark) = line.trim().strip_prefix("//= ") else {
                continue;
            };
            let (cites, kind) = mark.split_once(" type=").unwrap_or((mark, ""));
            all.push(Mark {
                file,
                line: at + 1,
                cites: cites.trim(),
                kind,
            });
        }
    }
    all
}

/// The sources that the declarations and rosters of the crates name: `from "KEY PLACE"`, `source: "KEY PLACE"`.
fn named(tree: &Tree) -> Vec<Mark<'_>> {
    let mut all = Vec::new();
    for (file, text) in tree.files.iter().filter(|(path, _)| path.contains("/src/")) {
        for (at, line) in text.lines().enumerate() {
            let declared = line
                .trim_start()
                .starts_with("pub struct ")
                .then(|| line.split_once(" from \""));
            let listed = line
                .trim()
                .strip_prefix("source: \"")
                .map(|rest| ("", rest));
            let Some((_, rest)) = declared.flatten().or(listed) else {
                continue;
            };
            let cites = rest.split('"').next().unwrap_or("");
            if cites != NO_SOURCE {
                all.push(Mark {
                    file,
                    line: at + 1,
                    cites,
                    kind: "",
                });
            }
        }
    }
    all
}

/// The keys of the sources, and the fields that each has.
fn sources(tree: &Tree) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut key = "";
    for line in tree.text(SOURCES).lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            key = name;
            all.entry(key).or_default();
        } else if let Some((field, value)) = line.split_once(" = ")
            && !value.is_empty()
            && let Some(fields) = all.get_mut(key)
        {
            fields.push(field);
        }
    }
    all
}

fn unknown_sources(tree: &Tree) -> Vec<String> {
    let sources = sources(tree);
    let mut breaches = Vec::new();
    let marks: Vec<Mark> = marks(tree).into_iter().chain(named(tree)).collect();
    for mark in &marks {
        let at = format!("{}:{}", mark.file, mark.line);
        if !sources.contains_key(mark.key()) {
            breaches.push(format!("{at}: `{}` is not in {SOURCES}", mark.key()));
        }
        if !matches!(mark.kind, "" | "test" | "departure") {
            breaches.push(format!("{at}: a mark is of no type `{}`", mark.kind));
        }
        if !["", "§", "Fig. ", "Table "]
            .iter()
            .any(|start| match *start {
                "" => mark.place().is_empty(),
                start => mark.place().starts_with(start),
            })
        {
            breaches.push(format!("{at}: `{}` is no place in a source", mark.place()));
        }
    }
    let cited: BTreeSet<&str> = marks.iter().map(Mark::key).collect();
    for (key, fields) in &sources {
        if !cited.contains(key) {
            breaches.push(format!("{SOURCES}: nothing cites `{key}`"));
        }
        for field in FIELDS.iter().filter(|field| !fields.contains(field)) {
            breaches.push(format!("{SOURCES}: `{key}` has no {field}"));
        }
    }
    breaches
}

fn unfiled_departures(tree: &Tree) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut filed: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, text) in tree
        .files
        .iter()
        .filter(|(path, _)| path.starts_with(DEPARTURES) && !path.ends_with("/index.md"))
    {
        let cites = text.lines().find_map(|line| line.strip_prefix("Cites: "));
        for cites in cites.unwrap_or("").split(';').map(str::trim) {
            if let Some(other) = filed.insert(cites, path) {
                breaches.push(format!("{path}: `{cites}` is filed in {other}, too"));
            }
        }
        for part in PARTS {
            let said = text
                .split_once(part)
                .and_then(|(_, rest)| rest.split("\n\n").next());
            if said.is_none_or(|said| said.trim().is_empty()) {
                breaches.push(format!("{path}: no {part}"));
            }
        }
    }
    let marks = marks(tree);
    let marked = || marks.iter().filter(|mark| mark.kind == "departure");
    for mark in marked().filter(|mark| !filed.contains_key(mark.cites)) {
        let Mark {
            file, line, cites, ..
        } = mark;
        breaches.push(format!(
            "{file}:{line}: no page in {DEPARTURES} cites `{cites}`"
        ));
    }
    for (cites, path) in &filed {
        if !marked().any(|mark| mark.cites == *cites) {
            breaches.push(format!(
                "{path}: no code is marked `//= {cites} type=departure`"
            ));
        }
    }
    breaches
}

#[test]
fn what_is_cited_has_a_source() {
    let tree = Tree::project();
    assert!(marks(&tree).len() > 100 && named(&tree).len() > 8);
    none(unknown_sources(&tree));
}

#[test]
fn every_departure_is_filed_and_marked() {
    none(unfiled_departures(&Tree::project()));
}

const BOOK: &str =
    "# All\n[book]\ntitle = \"It\"\nauthors = [\"He\"]\nyear = 1999\npublished = \"There\"\n";

#[test]
fn a_wrong_mark_is_found() {
    let code = "//= book §1, Fig. 2 type=test\n    //= boook §1\n//= book §1 type=tset\n//= book page 3\n// = not a mark";
    let declared = "    pub struct Own as \"x\" from \"novel §1\" {\n    source: \"common practice\",\n    source: \"poem\",";
    let tree = Tree::of(&[
        ("crates/core/src/a.rs", code),
        ("crates/core/src/b.rs", declared),
        (
            SOURCES,
            &format!("{BOOK}[essay]\ntitle = \"An\"\nyear = 2001\n"),
        ),
    ]);
    assert_eq!(
        unknown_sources(&tree),
        [
            "crates/core/src/a.rs:2: `boook` is not in docs/sources.toml",
            "crates/core/src/a.rs:3: a mark is of no type `tset`",
            "crates/core/src/a.rs:4: `page 3` is no place in a source",
            "crates/core/src/b.rs:1: `novel` is not in docs/sources.toml",
            "crates/core/src/b.rs:3: `poem` is not in docs/sources.toml",
            "docs/sources.toml: nothing cites `essay`",
            "docs/sources.toml: `essay` has no authors",
            "docs/sources.toml: `essay` has no published",
        ]
    );
}

#[test]
fn a_departure_without_its_other_half_is_found() {
    let page = |cites: &str| {
        format!("# So\n\nCites: {cites}\n\n**It says:** a\n\n**We:** b\n\n**Why:** c\n")
    };
    let tree = Tree::of(&[
        (
            "crates/core/src/a.rs",
            "//= book §1 type=departure\n//= book §2 type=departure\n//= book §9",
        ),
        ("docs/departures/one.md", &page("book §1")),
        ("docs/departures/three.md", &page("book §3")),
        (
            "docs/departures/two.md",
            "Cites: book §1\n**It says:** a\n\n**We:**\n\n**Why:** c",
        ),
    ]);
    assert_eq!(
        unfiled_departures(&tree),
        [
            "docs/departures/two.md: `book §1` is filed in docs/departures/one.md, too",
            "docs/departures/two.md: no **We:**",
            "crates/core/src/a.rs:2: no page in docs/departures/ cites `book §2`",
            "docs/departures/three.md: no code is marked `//= book §3 type=departure`",
        ]
    );
}
