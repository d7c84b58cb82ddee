//! Allowed imports between modules and crates.

use crate::none;
use crate::tree::Tree;

/// Which of our crates each may use. `core <- sim <- lab <- papers <- py`, `lab <- live <- py`, `lab <- wasm`, and `core <- theory`, which the lab compares with.
const CRATES: [(&str, &[&str]); 8] = [
    ("core", &[]),
    ("theory", &["core"]),
    ("sim", &["core"]),
    ("lab", &["core", "theory", "sim"]),
    ("papers", &["core", "theory", "sim", "lab"]),
    ("live", &["core", "sim", "lab"]),
    ("py", &["core", "theory", "sim", "lab", "papers", "live"]),
    ("wasm", &["core", "sim", "lab"]),
];

/// The core's modules from the ground up: each may use those of the rows below it, and none of its own row.
const ROWS: [&[&str]; 9] = [
    &["time"],
    &["measure"],
    &["rng"],
    &["data"],
    &["declare"],
    &["roster"],
    &["unit"],
    &["ledger", "gauge", "storage", "sar", "framing"],
    &[
        "queue",
        "transport",
        "abr",
        "arrivals",
        "traffic",
        "loss",
        "jitter",
        "reorder",
        "grants",
        "schedule",
    ],
];

/// What theory may use of the core.
const MEASURES: &str = "measure";

/// The code of a line, without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// What follows each `start` in a line of code, as far as it is a name.
fn names<'a>(line: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    code(line).split(start).skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    })
}

/// The modules that a line imports by `start`, as in `start::{one::A, two::{B, C}}`.
fn modules<'a>(line: &'a str, start: &'a str) -> Vec<&'a str> {
    let mut all: Vec<&str> = names(line, start).filter(|name| !name.is_empty()).collect();
    for rest in code(line).split(start).skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            continue;
        };
        let mut depth = 0;
        let parts = list.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        all.extend(parts.map(|part| part.trim().split([':', '}', ' ']).next().unwrap_or("")));
    }
    all
}

fn between_crates(tree: &Tree) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in &tree.files {
        let Some(here) = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.split('/').next())
        else {
            continue;
        };
        let Some((_, allowed)) = CRATES.iter().find(|(name, _)| *name == here) else {
            breaches.push(format!("{path}: no arrows are known for crates/{here}"));
            continue;
        };
        let (start, skipped): (_, &[&str]) = match path.rsplit(['.', '/']).next() {
            Some("rs") => ("dupack_", &[]),
            Some("toml") => ("dupack-", &["name", "description"]),
            _ => continue,
        };
        for (at, line) in text.lines().enumerate() {
            if skipped.iter().any(|key| line.starts_with(key)) {
                continue;
            }
            for to in names(line, start) {
                let known = CRATES.iter().any(|(name, _)| *name == to);
                // A crate's own tests and examples name it, too.
                if known && to != here && !allowed.contains(&to) {
                    breaches.push(format!("{path}:{}: {here} may not use {to}", at + 1));
                }
            }
            if here == "theory" {
                for module in modules(line, "dupack_core::")
                    .iter()
                    .filter(|it| **it != MEASURES)
                {
                    breaches.push(format!(
                        "{path}:{}: theory may not use core's {module}",
                        at + 1
                    ));
                }
            }
        }
    }
    breaches
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn inside_core(tree: &Tree) -> Vec<String> {
    let mut breaches = Vec::new();
    for (below, text) in tree.rust("crates/core/src") {
        let here = below
            .split('/')
            .next()
            .unwrap_or("")
            .trim_end_matches(".rs");
        if here == "lib" {
            continue;
        }
        let Some(own) = row(here) else {
            breaches.push(format!(
                "crates/core/src/{below}: no row is known for {here}"
            ));
            continue;
        };
        for (at, line) in text.lines().enumerate() {
            for to in modules(line, "crate::") {
                // Macros are exported at the root, but belong to `declare`.
                let to = if matches!(to, "declare" | "choice") {
                    "declare"
                } else {
                    to
                };
                if to != here && row(to).is_some_and(|row| row >= own) {
                    let at = at + 1;
                    breaches.push(format!(
                        "crates/core/src/{below}:{at}: {here} may not use {to}"
                    ));
                }
            }
        }
    }
    breaches
}

#[test]
fn crates_use_those_before_them() {
    none(between_crates(&Tree::project()));
}

#[test]
fn modules_of_the_core_use_those_below_them() {
    none(inside_core(&Tree::project()));
}

#[test]
fn a_wrong_arrow_between_crates_is_found() {
    let tree = Tree::of(&[
        (
            "crates/core/src/a.rs",
            "// dupack_sim is the host\nuse dupack_sim::World;",
        ),
        (
            "crates/core/Cargo.toml",
            "name = \"dupack-core\"\n[dependencies]\ndupack-lab = { workspace = true }",
        ),
        (
            "crates/sim/src/b.rs",
            "use dupack_core::time;\nlet plan = dupack_lab::plan();",
        ),
        ("crates/sim/tests/b.rs", "use dupack_sim::World;"),
        (
            "crates/theory/src/c.rs",
            "use dupack_core::measure::Bytes;\nuse dupack_core::{measure::Share, rng};",
        ),
        ("crates/new/src/d.rs", ""),
    ]);
    assert_eq!(
        between_crates(&tree),
        [
            "crates/core/src/a.rs:2: core may not use sim",
            "crates/core/Cargo.toml:3: core may not use lab",
            "crates/sim/src/b.rs:2: sim may not use lab",
            "crates/theory/src/c.rs:2: theory may not use core's rng",
            "crates/new/src/d.rs: no arrows are known for crates/new",
        ]
    );
}

#[test]
fn a_wrong_arrow_inside_the_core_is_found() {
    let tree = Tree::of(&[
        (
            "crates/core/src/queue/red.rs",
            "use crate::transport::Ack;\nuse crate::{time::Instant, loss::{Loss, script}};",
        ),
        (
            "crates/core/src/transport/mod.rs",
            "/// [`crate::queue`]\ncrate::declare! {}\nuse crate::{measure, rng};",
        ),
        (
            "crates/core/src/unit.rs",
            "fn it() -> crate::ledger::Cause {}",
        ),
        (
            "crates/core/src/ledger.rs",
            "use crate::unit::Unit; // and crate::queue",
        ),
        (
            "crates/core/src/loss/mod.rs",
            "use crate::loss::script;\nuse crate::traffic;",
        ),
        ("crates/core/src/novel.rs", ""),
    ]);
    assert_eq!(
        inside_core(&tree),
        [
            "crates/core/src/queue/red.rs:1: queue may not use transport",
            "crates/core/src/queue/red.rs:2: queue may not use loss",
            "crates/core/src/unit.rs:1: unit may not use ledger",
            "crates/core/src/loss/mod.rs:2: loss may not use traffic",
            "crates/core/src/novel.rs: no row is known for novel",
        ]
    );
}
