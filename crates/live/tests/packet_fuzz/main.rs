//! Packets that hosts send: random ones, and those that the fuzzer has kept.
#![cfg(target_os = "linux")]

mod hold;

use proptest::prelude::*;
use std::fs;
use std::path::Path;

#[test]
fn what_the_fuzzer_kept_breaks_no_law() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/packet");
    let files = fs::read_dir(folder).expect("the corpus is in the repository");
    let packets: u64 = files
        .map(|file| hold::holds(&fs::read(file.expect("a file").path()).expect("it is read")))
        .sum();
    assert!(packets > 1000, "{packets}");
}

proptest! {
    #[test]
    fn no_packets_break_a_law(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        hold::holds(&bytes);
    }
}
