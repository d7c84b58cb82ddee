//! Any arrivals at any discipline: the laws hold.
#![no_main]

// The included files name these as the modules of their own crate.
use dupack_core::{declare, measure, queue, rng, roster, time, unit};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/core/src/queue/tests/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/core/src/queue/tests/tried.rs"]
mod tried;

fuzz_target!(|bytes: &[u8]| fuzzed::holds(bytes));
