//! Any acks at any transport: the laws hold.
#![no_main]

// The included files name these as the modules of their own crate.
use dupack_core::{declare, roster, time, transport};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/core/src/transport/script/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/core/src/transport/script/held.rs"]
mod held;
#[path = "../../crates/core/src/transport/script/tried.rs"]
mod tried;

fuzz_target!(|bytes: &[u8]| fuzzed::holds(bytes));
