//! Any text as a plan, with changes typical of plans: a word replaced by another of its kind, a line from another plan.
#![no_main]

// The laboratory's tests use both files, too.
#[path = "../../crates/lab/tests/plan_fuzz/hold.rs"]
mod hold;
mod mutate;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|text: &[u8]| hold::holds(text));

// Half of the changes are libFuzzer's own, of bytes. Few of those are still TOML.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed.is_multiple_of(2) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut text = data[..size].to_vec();
    mutate::mutate(&mut text, seed);
    let size = text.len().min(max_size).min(data.len());
    data[..size].copy_from_slice(&text[..size]);
    size
});
