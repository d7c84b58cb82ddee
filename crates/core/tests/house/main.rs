//! The project's own coding rules: imports, rosters, citations, files and their lengths.
//!
//! Each rule is a function from the files to its breaches, tried on the project and on a tree in which it is broken.

mod arrows;
mod circles;
mod marks;
mod rosters;
mod tree;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use tree::Tree;

/// Lines of a file without its tests, beyond which it is named, and beyond which it is refused.
const LONG: (usize, usize) = (400, 600);

/// The lines of a source file before its tests.
fn without_tests(text: &str) -> usize {
    let tests = text.find("\n#[cfg(test)]\nmod tests {");
    text[..tests.unwrap_or(text.len())].lines().count()
}

fn long_files(tree: &Tree, limit: usize) -> Vec<String> {
    tree.files
        .iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .map(|(path, text)| (path, without_tests(text)))
        .filter(|(_, lines)| *lines > limit)
        .map(|(path, lines)| format!("{path}: {lines} lines without its tests, more than {limit}"))
        .collect()
}

/// Modules that are both a file and a folder: the file is the folder's `mod.rs`.
fn twice(tree: &Tree) -> Vec<String> {
    let below = |folder: &str| {
        let folder = format!("{folder}/");
        let mut rust = (tree.files.iter()).filter(|(path, _)| path.ends_with(".rs"));
        rust.any(|(path, _)| path.starts_with(&folder))
    };
    (tree.files.iter())
        .filter_map(|(path, _)| path.strip_suffix(".rs").filter(|folder| below(folder)))
        .map(|folder| format!("{folder}.rs: write {folder}/mod.rs"))
        .collect()
}

/// What the core may not do without.
fn core_attributes(tree: &Tree) -> Vec<String> {
    ["#![no_std]", "#![forbid(unsafe_code)]"]
        .into_iter()
        .filter(|attribute| {
            let lib = tree.text("crates/core/src/lib.rs");
            !lib.lines().any(|line| line.trim() == *attribute)
        })
        .map(|attribute| format!("crates/core/src/lib.rs: no {attribute}"))
        .collect()
}

/// Fails with the breaches, if any.
fn none(breaches: Vec<String>) {
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

#[test]
fn files_are_short() {
    let tree = Tree::project();
    for file in long_files(&tree, LONG.0) {
        eprintln!("soft limit: {file}");
    }
    none(long_files(&tree, LONG.1));
}

#[test]
fn a_long_file_is_found() {
    let code = "fn it() {}\n".repeat(500);
    let tests = "\n#[cfg(test)]\nmod tests {\n".to_string() + &code;
    let tree = Tree::of(&[("a.rs", &code), ("b.rs", &tests), ("c.md", &code)]);
    let want = "a.rs: 500 lines without its tests, more than 400";
    assert_eq!(long_files(&tree, 400), [want]);
}

#[test]
fn a_module_is_a_file_or_a_folder() {
    none(twice(&Tree::project()));
}

#[test]
fn a_module_that_is_both_is_found() {
    let files = [("a.rs", ""), ("a/b.rs", ""), ("c.rs", ""), ("c/d.toml", "")];
    assert_eq!(twice(&Tree::of(&files)), ["a.rs: write a/mod.rs"]);
}

#[test]
fn the_core_is_no_std_and_safe() {
    none(core_attributes(&Tree::project()));
}

#[test]
fn a_core_that_is_not_is_found() {
    let tree = Tree::of(&[(
        "crates/core/src/lib.rs",
        "// #![no_std]\n#![forbid(unsafe_code)]",
    )]);
    assert_eq!(
        core_attributes(&tree),
        ["crates/core/src/lib.rs: no #![no_std]"]
    );
}

#[test]
fn property_tests_draw_from_a_fixed_seed() {
    let seed = ProptestConfig::default().rng_seed;
    assert!(
        matches!(seed, RngSeed::Fixed(_)),
        "PROPTEST_RNG_SEED, which cargo sets by .cargo/config.toml, is not set: run cargo inside the project"
    );
}
