//! Names the build by what results depend on: the version, and a digest of the sources. A stored result is then never taken for
//! one of another program.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let lab = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = lab.join("../..");
    let mut digest = Fnv::new();
    for place in [
        "Cargo.lock",
        "crates/core/src",
        "crates/sim/src",
        "crates/lab/src",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(place).display());
        add(&root, Path::new(place), &mut digest);
    }
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    println!("cargo::rustc-env=DUPACK_BUILD={version}+{:016x}", digest.0);
}

/// Adds a file, or all below a folder in the order of their names.
fn add(root: &Path, place: &Path, digest: &mut Fnv) {
    let path = root.join(place);
    if path.is_dir() {
        let entries = fs::read_dir(&path).expect("a readable folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        for name in names {
            add(root, &place.join(name), digest);
        }
    } else {
        // A wheel built from a source archive may come without the lock file.
        let Ok(text) = fs::read(&path) else { return };
        digest.add(place.to_string_lossy().replace('\\', "/").as_bytes());
        // Git may have changed the ends of the lines; the digest must be the same on every machine.
        let text: Vec<u8> = text.into_iter().filter(|byte| *byte != b'\r').collect();
        digest.add(&(text.len() as u64).to_le_bytes());
        digest.add(&text);
    }
}

/// FNV-1a, 64 bits: tells sources apart, and needs no library.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
