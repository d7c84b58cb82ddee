//! Collects the words of each roster: see `src/roster.rs`.
//!
//! A word is a line `pub mod red;` in the `mod.rs` of a family's folder, if `red.rs` declares parameters
//! (`pub struct RedParams as "red" ...`). Each family gets a file with a macro `words!`, which calls `roster!` with them.

use std::path::{Path, PathBuf};
use std::{env, fs};

include!("families.rs");

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
    let is_a_word = |module: &&str| {
        let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
        let Some(file) = files.iter().find(|file| folder.join(file).exists()) else {
            return false; // the compiler reports the missing file
        };
        let (text, want) = (read(file), format!("{}Params", camel(module)));
        let names: Vec<&str> = declared(&text).collect();
        assert!(
            names.is_empty() || names.contains(&want.as_str()),
            "{}: it declares {}, and by its name the roster looks for {want}",
            folder.join(file).display(),
            names.join(" and ")
        );
        !names.is_empty()
    };
    public.filter(is_a_word).map(String::from).collect()
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
