//! No text makes the plan reader panic, and whatever it accepts can be built.

mod hold;
// The fuzzer's changes of plans. That the tests use them shows that they compile: `make test` does not build the fuzzer.
#[path = "../../../../fuzz/fuzz_targets/mutate.rs"]
mod mutate;

use dupack_lab::plan::Plan;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const PLANS: [&str; 3] = [
    include_str!("../plans/balanced-discard.toml"),
    include_str!("../plans/scripted-loss.toml"),
    concat!(
        include_str!("../plans/balanced-discard.toml"),
        "[[sweep]]\nseeds = \"1..3\"\n\"link.bottleneck.queue.lower\" = [0.1, 0.2]\n",
        "[[sweep]]\nhost.source.count = \"1..3\"\n"
    ),
];

/// Pieces that plans are made of, and that break them.
const PIECES: [&str; 24] = [
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    "\n",
    "-",
    "0",
    "9",
    "99999999999999999999",
    "1..3",
    "..",
    " s",
    "nan",
    "name",
    "[[sweep]]\n",
    "[[link]]\n",
    "count = 2\n",
    "é",
    "\u{0}",
    "source-0",
    "kind = \"epd\"",
];

/// One change of a text: cut, double or insert at a place.
fn change() -> impl Strategy<Value = (usize, usize, usize, usize)> {
    (any::<usize>(), 0..12_usize, 0..3_usize, 0..PIECES.len())
}

fn spoil(text: &mut Vec<u8>, (at, length, how, piece): (usize, usize, usize, usize)) {
    let at = at % (text.len() + 1);
    let end = (at + length).min(text.len());
    match how {
        0 => drop(text.drain(at..end)),
        1 => {
            let copy = text[at..end].to_vec();
            text.splice(at..at, copy);
        }
        _ => drop(text.splice(at..end, PIECES[piece].bytes())),
    }
}

/// The number of cases of each property.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2_000,
        ..ProptestConfig::default()
    }
}

#[test]
fn a_spoilt_plan_is_refused_or_whole() {
    let cases = AtomicUsize::new(0);
    let changes = prop::collection::vec(change(), 1..6);
    proptest!(config(), |(which in 0..PLANS.len(), changes in changes)| {
        cases.fetch_add(1, Ordering::Relaxed);
        let mut text = PLANS[which].as_bytes().to_vec();
        for change in changes {
            spoil(&mut text, change);
        }
        match Plan::parse(&text, "spoilt.toml", &[]) {
            Ok(plan) => prop_assert!(!plan.points.is_empty() && !plan.seeds.is_empty()),
            Err(errors) => {
                prop_assert!(!errors.errors.is_empty());
                let lines = errors.to_string().lines().count();
                prop_assert_eq!(lines, errors.errors.len() + 1, "{}", errors);
            }
        }
    });
    println!("{cases:?} texts");
}

#[test]
fn what_the_fuzzer_makes_of_a_plan_is_refused_or_whole() {
    let cases = AtomicUsize::new(0);
    let seeds = prop::collection::vec(any::<u32>(), 1..6);
    proptest!(config(), |(which in 0..PLANS.len(), seeds in seeds)| {
        cases.fetch_add(1, Ordering::Relaxed);
        let mut text = PLANS[which].as_bytes().to_vec();
        for seed in seeds {
            mutate::mutate(&mut text, seed);
        }
        hold::holds(&text);
    });
    println!("{cases:?} texts");
}

#[test]
fn an_odd_override_is_refused_or_right() {
    let cases = AtomicUsize::new(0);
    let set = r#"(link|flow|host|sweep|aal5|seed|duration|[a-z]{0,3})(\.(bottleneck|bulk|source|queue|loss|transport|[a-z\.]{0,4})){0,4}=?.{0,20}"#;
    proptest!(config(), |(set in set)| {
        cases.fetch_add(1, Ordering::Relaxed);
        if let Err(errors) = Plan::parse(PLANS[0].as_bytes(), "set.toml", &[set]) {
            prop_assert!(!errors.errors.is_empty());
        }
    });
    println!("{cases:?} overrides");
}

/// What coverage-guided fuzzing kept (`make fuzz`): the fewest texts that it needs to reach all that it has ever reached.
#[test]
fn what_the_fuzzer_kept_is_refused_or_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/plan");
    let files = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() > 100, "only {} texts", files.len());
    for file in files {
        let text = fs::read(&file).expect("a text");
        // The test's output is shown only if it fails; its last line then names the file.
        println!("{}", file.display());
        hold::holds(&text);
    }
}
