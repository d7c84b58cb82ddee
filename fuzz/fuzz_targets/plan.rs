//! Any text as a plan, with changes typical of plans: a word replaced by another of its kind, a line from another plan.
#![no_main]

mod mutate;

// The laboratory's tests check the corpus with the same file.
#[path = "../../crates/lab/tests/plan_fuzz/hold.rs"]
mod hold;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|text: &[u8]| hold::holds(text));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed)
});
