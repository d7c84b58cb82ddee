//! Files of a crate do not import each other in a circle: where two do, one of them owns the idea.
//!
//! A `mod.rs` is left out: it holds what its children share, and collects them.

use crate::none;
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// The paths that a `use` names: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn expanded(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else {
        let path = text.split(" as ").next().unwrap_or("").trim();
        return vec![path.to_string()];
    };
    let list = rest.rsplit_once('}').map_or(rest, |(list, _)| list);
    let mut depth = 0;
    list.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    })
    .filter(|part| !part.trim().is_empty())
    .flat_map(|part| expanded(&format!("{}{}", before.trim(), part.trim())))
    .collect()
}

/// The `use` statements of a file, without its tests and comments.
fn uses(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or("");
    let lines: Vec<&str> = (code.lines())
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect();
    let code = format!(" {}", lines.join(" "));
    code.split(" use ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .flat_map(expanded)
        .collect()
}

/// The module of a file below `src`, as in `plan/mod.rs` and `plan/path.rs`.
fn module(below: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = below.trim_end_matches(".rs").split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts
}

/// From the crate's root, the path that a file of module `here` names; `None` if it is of another crate.
fn absolute<'a>(here: &[&'a str], path: &'a str) -> Option<Vec<&'a str>> {
    let parts: Vec<&str> = path.split("::").map(str::trim).collect();
    let ups = parts.iter().take_while(|part| **part == "super").count();
    match parts[0] {
        "crate" => Some(parts[1..].to_vec()),
        "self" => Some([here, &parts[1..]].concat()),
        "super" => {
            let above = &here[..here.len().saturating_sub(ups)];
            Some([above, &parts[ups..]].concat())
        }
        _ => None,
    }
}

/// The files that each file of a crate imports from; a `mod.rs`, a `lib.rs` and files of tests are left out.
fn imports<'a>(files: &[(&'a str, &'a str)]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let counts = |below: &str| !below.ends_with("mod.rs") && !below.ends_with("lib.rs");
    let modules: BTreeMap<Vec<&str>, &str> = (files.iter())
        .map(|(below, _)| (module(below), *below))
        .collect();
    let of = |below: &'a str, text: &str| {
        let here = module(below);
        let mut found = BTreeSet::new();
        for path in uses(text) {
            let path = absolute(&here, &path);
            let to = path.and_then(|path| {
                let file = |length| modules.get(&path[..length]).copied();
                (1..=path.len()).rev().find_map(file)
            });
            found.extend(to.filter(|to| *to != below && counts(to)));
        }
        found
    };
    (files.iter())
        .filter(|(below, _)| counts(below) && !below.split('/').any(|part| part == "tests"))
        .map(|(below, text)| (*below, of(below, text)))
        .collect()
}

/// All files that can be reached from one.
fn reached<'a>(imports: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let (mut found, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(file) = left.pop() {
        for to in imports.get(file).into_iter().flatten() {
            if found.insert(*to) {
                left.push(to);
            }
        }
    }
    found
}

fn circles(tree: &Tree) -> Vec<String> {
    let crates: BTreeSet<&str> = (tree.files.iter())
        .filter_map(|(path, _)| path.strip_prefix("crates/")?.split('/').next())
        .collect();
    let mut breaches = Vec::new();
    for name in crates {
        let src = format!("crates/{name}/src");
        let files: Vec<(&str, &str)> = tree.rust(&src).collect();
        let imports = imports(&files);
        let reached: BTreeMap<&str, BTreeSet<&str>> = (imports.keys())
            .map(|file| (*file, reached(&imports, file)))
            .collect();
        let mut told = BTreeSet::new();
        for (file, all) in &reached {
            if !all.contains(file) || told.contains(file) {
                continue;
            }
            let circle: Vec<&str> = (all.iter().copied())
                .filter(|to| reached.get(to).is_some_and(|back| back.contains(file)))
                .collect();
            breaches.push(format!("{src}: a circle of imports: {}", circle.join(", ")));
            told.extend(circle);
        }
    }
    breaches
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    none(circles(&Tree::project()));
}

#[test]
fn a_circle_is_found() {
    let tree = Tree::of(&[
        ("crates/a/src/lib.rs", "mod b; mod c; mod d;"),
        (
            "crates/a/src/b.rs",
            "use crate::{\n    c::It,\n    e::{f::{X, Y}},\n};",
        ),
        ("crates/a/src/c.rs", "use super::d::{self, That as Other};"),
        ("crates/a/src/d.rs", "pub use crate::b::Those;"),
        (
            "crates/a/src/e/f.rs",
            "use std::fmt;\n// use crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}",
        ),
        ("crates/a/src/e/mod.rs", "pub mod f; use f::X;"),
    ]);
    // The circle uses `f`, and only a test in it leads back.
    assert_eq!(
        circles(&tree),
        ["crates/a/src: a circle of imports: b.rs, c.rs, d.rs"]
    );
}
