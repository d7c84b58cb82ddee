//! Counts instructions of this program with valgrind's callgrind, and reads its profile.

use std::collections::{BTreeMap, HashMap};
use std::process::Command;
use std::{env, fs, process};

/// Instructions of a process.
pub struct Count {
    /// All of them.
    pub total: u64,
    /// Those of each part of the simulator, the largest first. What is inlined from the standard library counts as its own.
    pub parts: Vec<(&'static str, u64)>,
}

/// Parts, by how the paths of their files begin or what these contain; the first that fits counts.
const PARTS: [(&str, &str); 14] = [
    ("crates/sim/src/agenda", "agenda"),
    ("crates/sim/src/packets", "bodies of packets"),
    ("crates/sim/src/port", "ports and lines"),
    ("crates/sim/src/flight", "ports and lines"),
    ("crates/sim/src/unlimited", "ports and lines"),
    ("crates/sim/src/shared", "ports and lines"),
    ("crates/core/src/measure", "ports and lines"),
    ("crates/core/src/queue", "disciplines"),
    ("crates/core/src/transport/receiver", "receivers"),
    ("crates/core/src/transport", "senders"),
    ("crates/core/src/traffic", "applications"),
    ("crates/sim/src", "the world"),
    ("crates/lab/src", "plans and documents"),
    ("/library/", "standard library (vectors, rings, options)"),
];

/// Instructions of this program, with the variable `name` set to `value`; `None` if valgrind is missing or failed.
pub fn count(name: &str, value: &str) -> Option<Count> {
    let out = env::temp_dir().join(format!("dupack-instructions-{}", process::id()));
    let done = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe().ok()?)
        .env(name, value)
        .output()
        .ok()?;
    let profile = fs::read_to_string(&out).ok();
    fs::remove_file(&out).ok();
    done.status.success().then(|| read(&profile?)).flatten()
}

/// Reads a profile.
fn read(profile: &str) -> Option<Count> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut parts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let (mut total, mut file, mut of_call) = (0, "", false);
    for line in profile.lines() {
        if let Some((kind, rest)) = line.split_once('=') {
            // A name is written once, with its number; later the number alone.
            let (number, given) = rest.split_once(' ').unwrap_or((rest, ""));
            if matches!(kind, "fl" | "fi" | "fe" | "cfi" | "cfl") {
                if !given.is_empty() {
                    names.insert(number, given);
                }
                if kind.len() == 2 {
                    file = names.get(number).copied().unwrap_or_default();
                }
            }
            of_call |= kind == "calls";
        } else if line.starts_with(|it: char| it.is_ascii_digit() || "+-*".contains(it)) {
            // The line after `calls` has the cost of what was called, which is counted where it arises.
            if std::mem::take(&mut of_call) {
                continue;
            }
            // Zeros at the end of a line are left out.
            let cost: u64 = line.split(' ').nth(1).unwrap_or("0").parse().ok()?;
            let part = PARTS.iter().find(|(path, _)| file.contains(path));
            *parts.entry(part.map_or("all else", |it| it.1)).or_default() += cost;
            total += cost;
        }
    }
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    (total > 0).then_some(Count { total, parts })
}
