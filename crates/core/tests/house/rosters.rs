//! Every algorithm has a file, and every file a word in its roster.

use crate::none;
use crate::tree::Tree;

/// Folders whose `mod.rs` has a `roster!(...)` of the files in it.
const BY_MACRO: [&str; 7] = [
    "arrivals",
    "queue",
    "abr/switch",
    "traffic",
    "loss",
    "transport/control",
    "transport/repair",
];

/// The modules that a `mod.rs` declares for tests only.
fn for_tests(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let pairs = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    pairs
        .filter_map(|pair| pair[1].split("mod ").nth(1)?.strip_suffix(';'))
        .collect()
}

/// The words of `roster!(...)`.
fn words(text: &str) -> Vec<&str> {
    let list = text
        .split("\nroster!(")
        .nth(1)
        .and_then(|rest| rest.split(')').next());
    list.unwrap_or("")
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

fn breaches_of_rosters(tree: &Tree) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut check = |folder: &str, listed: &dyn Fn(&str) -> bool| {
        let folder = format!("crates/core/src/{folder}");
        let tests = for_tests(tree.text(&format!("{folder}/mod.rs")));
        for name in tree.modules(&folder) {
            let path = format!("{folder}/{name}.rs");
            if tests.contains(&name.as_str()) {
                continue;
            }
            if !listed(&name) {
                breaches.push(format!("{path}: not on its roster"));
            }
            let text = tree.text(&path);
            let marked = text.lines().any(|line| line.trim().starts_with("//= "));
            if !marked && !text.contains(" from \"") {
                breaches.push(format!("{path}: it names no source"));
            }
        }
    };
    for folder in BY_MACRO {
        let text = tree.text(&format!("crates/core/src/{folder}/mod.rs"));
        // What several share is private to the folder.
        let shared = |name: &str| {
            text.lines()
                .any(|line| line.trim() == format!("mod {name};"))
        };
        check(folder, &|name| shared(name) || words(text).contains(&name));
    }
    for folder in BY_MACRO {
        let folder = format!("crates/core/src/{folder}");
        let files = tree.modules(&folder);
        let text = tree.text(&format!("{folder}/mod.rs"));
        for word in words(text)
            .iter()
            .filter(|word| !files.iter().any(|file| file == *word))
        {
            breaches.push(format!(
                "{folder}/mod.rs: `{word}` is on the roster, but has no file"
            ));
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
fn a_file_without_a_word_and_a_word_without_a_file_are_found() {
    let source = "\n//= book §1";
    let tree = Tree::of(&[
        (
            "crates/core/src/queue/mod.rs",
            "\nroster!(plain, red);\n#[cfg(test)]\npub(crate) mod script;",
        ),
        ("crates/core/src/queue/plain.rs", source),
        ("crates/core/src/queue/codel.rs", source),
        ("crates/core/src/queue/script.rs", ""),
        ("crates/core/src/traffic/mod.rs", "\nroster!(cbr);"),
        ("crates/core/src/traffic/cbr.rs", "//! Constant."),
        ("crates/core/src/loss/mod.rs", "\nroster!(script);"),
        ("crates/core/src/loss/script.rs", source),
        ("crates/core/src/loss/burst.rs", source),
        (
            "crates/core/src/transport/control/mod.rs",
            "mod window;\nroster!(tahoe);",
        ),
        ("crates/core/src/transport/control/window.rs", source),
        ("crates/core/src/transport/control/vegas.rs", source),
        ("crates/core/src/transport/control/tahoe.rs", source),
        (
            "crates/core/src/transport/repair/mod.rs",
            "\nroster!(smart);",
        ),
        ("crates/core/src/transport/repair/smart.rs", source),
        ("crates/core/src/transport/repair/rack.rs", source),
    ]);
    assert_eq!(
        breaches_of_rosters(&tree),
        [
            "crates/core/src/queue/codel.rs: not on its roster",
            "crates/core/src/traffic/cbr.rs: it names no source",
            "crates/core/src/loss/burst.rs: not on its roster",
            "crates/core/src/transport/control/vegas.rs: not on its roster",
            "crates/core/src/transport/repair/rack.rs: not on its roster",
            "crates/core/src/queue/mod.rs: `red` is on the roster, but has no file",
        ]
    );
}
