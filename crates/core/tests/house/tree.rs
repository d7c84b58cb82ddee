//! The project's files, or files that a test makes up.

use std::fs;
use std::path::Path;

/// Files by their path from the project's root, `/` between the parts.
pub struct Tree {
    /// Path and text, in the order of the paths.
    pub files: Vec<(String, String)>,
}

impl Tree {
    /// Of the project: all of `crates` but what is built and these tests with their planted breaches, and `docs`.
    pub fn project() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        for folder in ["crates", "docs"] {
            collect(&root, folder, &mut files);
        }
        files.sort();
        assert!(files.len() > 40, "only {} files found", files.len());
        Self { files }
    }

    /// Made up.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()));
        Self {
            files: files.collect(),
        }
    }

    /// The text of a file, empty if there is none.
    pub fn text(&self, path: &str) -> &str {
        let found = self.files.iter().find(|(it, _)| it == path);
        found.map_or("", |(_, text)| text)
    }

    /// The Rust files below a folder, with what of their path lies below it.
    pub fn rust<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .filter_map(move |(path, text)| {
                let below = path.strip_prefix(folder)?.strip_prefix('/')?;
                Some((below, text.as_str()))
            })
            .filter(|(below, _)| below.ends_with(".rs"))
    }

    /// The names of the modules that are files of their own directly in a folder.
    pub fn modules(&self, folder: &str) -> Vec<String> {
        self.rust(folder)
            .filter_map(|(below, _)| below.strip_suffix(".rs"))
            .filter(|name| !name.contains('/') && *name != "mod")
            .map(str::to_string)
            .collect()
    }
}

fn collect(root: &Path, folder: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(root.join(folder)).expect(folder) {
        let entry = entry.expect(folder);
        let name = entry.file_name().into_string().expect("a UTF-8 name");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            if !matches!(name.as_str(), "target" | "proptest-regressions" | "house") {
                collect(root, &path, files);
            }
        } else if [".rs", ".toml", ".md"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            files.push((path, fs::read_to_string(entry.path()).expect("text")));
        }
    }
}
