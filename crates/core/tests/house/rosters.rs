//! Every algorithm has a file, every file its word in the roster, and every word a source.

use crate::none;
use crate::tree::Tree;

include!("../../families.rs");

/// The modules that a `mod.rs` declares for tests only.
fn for_tests(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let pairs = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    pairs
        .filter_map(|pair| pair[1].split("mod ").nth(1)?.strip_suffix(';'))
        .collect()
}

fn breaches_of_rosters(tree: &Tree) -> Vec<String> {
    let mut breaches = Vec::new();
    for folder in FAMILIES {
        let folder = format!("crates/core/src/{folder}");
        let list = tree.text(&format!("{folder}/mod.rs"));
        let tests = for_tests(list);
        let folders = tree
            .rust(&folder)
            .filter_map(|(below, _)| below.strip_suffix("/mod.rs"));
        let folders = folders
            .filter(|name| !name.contains('/'))
            .map(str::to_string);
        let files = tree.modules(&folder).into_iter().map(|name| (name, true));
        for (name, is_file) in files.chain(folders.map(|name| (name, false))) {
            let path = match is_file {
                true => format!("{folder}/{name}.rs"),
                false => format!("{folder}/{name}/mod.rs"),
            };
            let text = tree.text(&path);
            if tests.contains(&name.as_str()) {
                continue;
            }
            let marked = text.lines().any(|line| line.trim().starts_with("//= "));
            if is_file && !marked && !text.contains(" from \"") {
                breaches.push(format!("{path}: it names no source"));
            }
            let names: Vec<&str> = declared(text).collect();
            if names.is_empty() {
                continue;
            }
            let (want, word) = (
                format!("{}Params", camel(&name)),
                format!("pub mod {name};"),
            );
            if !names.contains(&want.as_str()) {
                breaches.push(format!(
                    "{path}: it declares {}; its roster looks for {want}",
                    names.join(" and ")
                ));
            }
            if !list.lines().any(|line| line == word) {
                breaches.push(format!(
                    "{path}: not on its roster: {folder}/mod.rs has no line `{word}`"
                ));
            }
        }
    }
    breaches
}

#[test]
fn every_algorithm_is_on_its_roster() {
    let tree = Tree::project();
    assert!(tree.modules("crates/core/src/queue").len() > 4);
    none(breaches_of_rosters(&tree));
}

#[test]
fn what_is_not_on_its_roster_is_found() {
    let declares =
        |name: &str| format!("declare! {{\n    pub struct {name} as \"x\" from \"book §1\" {{\n");
    let tree = Tree::of(&[
        (
            "crates/core/src/queue/mod.rs",
            "pub mod plain;\npub mod red;\nmod codel;\nmod shared;\n#[cfg(test)]\npub(crate) mod script;",
        ),
        ("crates/core/src/queue/plain.rs", &declares("PlainParams")),
        ("crates/core/src/queue/red.rs", &declares("Red")),
        ("crates/core/src/queue/codel.rs", &declares("CodelParams")),
        (
            "crates/core/src/queue/shared.rs",
            "//= book §2\npub struct $name as \"x\"",
        ),
        ("crates/core/src/queue/script.rs", ""),
        ("crates/core/src/traffic/mod.rs", "pub mod cbr;"),
        ("crates/core/src/traffic/cbr.rs", "//! Constant."),
        (
            "crates/core/src/transport/control/drop_tail.rs",
            &declares("DropTailParams"),
        ),
    ]);
    assert_eq!(
        breaches_of_rosters(&tree),
        [
            "crates/core/src/queue/red.rs: it declares Red; its roster looks for RedParams",
            "crates/core/src/queue/codel.rs: not on its roster: crates/core/src/queue/mod.rs has no line `pub mod codel;`",
            "crates/core/src/traffic/cbr.rs: it names no source",
            "crates/core/src/transport/control/drop_tail.rs: not on its roster: crates/core/src/transport/control/mod.rs has no line `pub mod drop_tail;`",
        ]
    );
}
