//! Changes of a plan: of tokens and lines, with words from the rosters and from existing plans.

use dupack_lab::catalogue::{Told, catalogue};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// What a piece of a plan may be exchanged for.
struct Pool {
    /// Texts with their quotes.
    quoted: Vec<String>,
    /// Keys, numbers, `true`.
    bare: Vec<String>,
    lines: Vec<String>,
}

const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "53",
    "100",
    "1000",
    "65535",
    "65536",
    "100000",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999",
    "-1",
    "0.1",
    "0.5",
    "1e-9",
    "1e308",
    "nan",
    "inf",
    "1..3",
];

static POOL: LazyLock<Pool> = LazyLock::new(pool);

fn pool() -> Pool {
    let mut pool = Pool {
        quoted: Vec::new(),
        bare: ["true", "false"].map(String::from).to_vec(),
        lines: Vec::new(),
    };
    pool.bare.extend(NUMBERS.map(String::from));
    let all = catalogue();
    for entry in &all.entries {
        pool.quoted.push(format!("{:?}", entry.name));
        pool.bare.push(entry.family.name().into());
        entry.parameters.iter().for_each(|it| add(&mut pool, it));
    }
    all.transports.iter().for_each(|it| add(&mut pool, it));
    for file in plans() {
        let text = fs::read_to_string(&file).unwrap_or_default();
        // Wrong plans are written as `> FROM => TO` and `> ADD TEXT`, with `\n` for new lines.
        let text = text
            .replace("> ", "")
            .replace("ADD ", "")
            .replace("\\n", "\n");
        for line in text.lines() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            for token in tokens(line.as_bytes()) {
                let token = &line[token];
                let kept = if token.starts_with('"') {
                    &mut pool.quoted
                } else {
                    &mut pool.bare
                };
                kept.push(token.to_string());
            }
            pool.lines.push(format!("{line}\n"));
        }
    }
    for kept in [&mut pool.quoted, &mut pool.bare, &mut pool.lines] {
        kept.sort();
        kept.dedup();
    }
    pool
}

fn add(pool: &mut Pool, parameter: &Told) {
    pool.bare.push(parameter.name.into());
    pool.quoted
        .extend(parameter.words.iter().map(|word| format!("{word:?}")));
    for unit in &parameter.units {
        pool.quoted
            .extend(NUMBERS.map(|number| format!("\"{number} {unit}\"")));
    }
    if let Some(default) = &parameter.default {
        pool.quoted.push(format!("{default:?}"));
    }
}

/// The papers' plans, those of the tests, and the wrong ones.
fn plans() -> Vec<PathBuf> {
    // The laboratory's tests include this file, so their package is another one.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = (above.into_iter().find(|it| it.join("papers").is_dir())).expect("a checkout");
    let mut files = vec![root.join("crates/lab/tests/bad_plans.txt")];
    let mut folders = vec![root.join("papers"), root.join("crates/lab/tests/plans")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "toml")
                && !["paper.toml", "published.toml", "figures.toml"]
                    .iter()
                    .any(|words| path.ends_with(words))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Where the texts in quotes, and the words and numbers outside of them, stand.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.+*".contains(&byte);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match rest[0] {
            b'"' => {
                let end = rest[1..].iter().position(|byte| b"\"\n".contains(byte));
                match end {
                    Some(end) if rest[1 + end] == b'"' => end + 2,
                    _ => 0,
                }
            }
            byte if bare(byte) => rest
                .iter()
                .position(|byte| !bare(*byte))
                .unwrap_or(rest.len()),
            _ => 0,
        };
        if length > 0 {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}

fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect()
}

/// Splitmix64: libFuzzer gives one number a change.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % n.max(1)
    }

    fn one<'a>(&mut self, of: &'a [String]) -> &'a [u8] {
        of.get(self.below(of.len())).map_or(b"", |it| it.as_bytes())
    }
}

/// Makes one to three changes, which `seed` draws.
pub fn mutate(text: &mut Vec<u8>, seed: u32) {
    let mut draw = Draw(seed.into());
    for _ in 0..=draw.below(3) {
        change(text, &mut draw);
    }
}

fn change(text: &mut Vec<u8>, draw: &mut Draw) {
    let how = draw.below(10);
    let spans = if how < 6 { tokens(text) } else { lines(text) };
    let span = spans.get(draw.below(spans.len())).cloned().unwrap_or(0..0);
    let old = text[span.clone()].to_vec();
    let new = match how {
        // Replaces a token by another one of its sort, and seldom by one of the other sort.
        0..=4 if old.starts_with(b"\"") == (draw.below(8) > 0) => draw.one(&POOL.quoted).to_vec(),
        0..=4 => draw.one(&POOL.bare).to_vec(),
        // Replaces a token by another one of the same plan.
        5 => text[spans.get(draw.below(spans.len())).cloned().unwrap_or(0..0)].to_vec(),
        6 => Vec::new(),
        7 => [&old[..], &old[..]].concat(),
        8 => [draw.one(&POOL.lines), &old[..]].concat(),
        _ => {
            let other = spans.get(draw.below(spans.len())).cloned().unwrap_or(0..0);
            [&text[other], &old[..]].concat()
        }
    };
    text.splice(span, new);
}
