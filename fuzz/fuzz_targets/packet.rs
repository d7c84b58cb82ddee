//! Any packets of hosts in a live run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::atomic::{AtomicU64, Ordering};

#[path = "../../crates/live/tests/packet_fuzz/hold.rs"]
mod hold;

/// Packets so far, and at how many they are told next.
static PACKETS: AtomicU64 = AtomicU64::new(0);
const EACH: u64 = 10_000_000;

fuzz_target!(|bytes: &[u8]| {
    let more = hold::holds(bytes);
    let before = PACKETS.fetch_add(more, Ordering::Relaxed);
    if (before + more) / EACH > before / EACH {
        eprintln!("stat::packets: {}", before + more);
    }
});
