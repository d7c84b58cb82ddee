//! Collects the words of each roster: see `src/roster.rs`.
//!
//! A word is a line `pub mod red;` in the `mod.rs` of a family's folder, if `red.rs` declares parameters
//! (`pub struct RedParams as "red" ...`). Each family gets a file with a macro `words!`, which calls `roster!` with them.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folders of the families, in `src`.
const FAMILIES: [&str; 7] = [
    "abr/switch",
    "arrivals",
    "loss",
    "queue",
    "traffic",
    "transport/control",
    "transport/repair",
];

/// `DropTail` of `drop_tail`.
fn camel(module: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    module.split('_').map(capital).collect()
}

/// The modules of a folder that declare an algorithm, in the order of its `mod.rs`.
fn words(folder: &Path) -> Vec<String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let text = read("mod.rs");
    let public = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let declares = |module: &&str| {
        let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
        let file = files.iter().find(|file| folder.join(file).exists());
        let declaration = format!("pub struct {}Params as \"", camel(module));
        file.is_some_and(|file| read(file).contains(&declaration))
    };
    public.filter(declares).map(String::from).collect()
}

fn main() {
    let src = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    for family in FAMILIES {
        let folder = src.join(family);
        println!("cargo:rerun-if-changed={}", folder.display());
        let words: String = words(&folder)
            .iter()
            .map(|module| format!("    {module} {0} {0}Params\n", camel(module)))
            .collect();
        let text = format!(
            "macro_rules! words {{ ($($given:tt)*) => {{ crate::roster! {{ words [\n{words}] $($given)* }} }}; }}\n"
        );
        let file = out.join(family.replace('/', "_") + ".rs");
        fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
