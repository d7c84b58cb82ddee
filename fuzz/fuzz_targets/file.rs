//! Any text in a file that a plan names: traces of lines and packets, sizes, GraphML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

#[path = "../../crates/lab/tests/file_fuzz/hold.rs"]
mod hold;

/// A folder of this process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("dupack-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|bytes: &[u8]| hold::holds(bytes, &FOLDER));
