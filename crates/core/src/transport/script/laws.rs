//! Any stream of acks, in any order, with any numbers, from any receiver or an attacker: laws that a sender never breaks, and that
//! it finishes once a receiver answers honestly.

use super::channel::options;
use super::held::{Held, Input};
use super::params;
use crate::time::Duration;
use crate::transport::{Ack, Block, Ranges, SACK_BLOCKS};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::println;
use std::sync::Mutex;
use std::vec::Vec;

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..60u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn input() -> impl Strategy<Value = Input> {
    let block = (number(), number()).prop_map(|(from, to)| Block { from, to });
    let near = (number(), 0..8u64).prop_map(|(from, n)| Block {
        from,
        to: from.saturating_add(n),
    });
    let blocks = prop::array::uniform3(prop_oneof![4 => near, 1 => block]);
    assert_eq!(SACK_BLOCKS, 3);
    let flags = any::<(bool, bool, bool, bool)>();
    // Ranges of transmissions from `id` down: lengths, and what is missing between them.
    let runs = prop::collection::vec((1..5u64, 1..4u64), 0..6);
    let ack = (
        number(),
        number(),
        number(),
        flags,
        blocks,
        (runs, 0..300u64),
    )
        .prop_map(
            |(next, cause, id, (trimmed, repeats, ece, at_once), blocks, (runs, delay))| {
                let mut to = id.saturating_add(1);
                let ranges: Vec<_> = (runs.into_iter())
                    .map_while(|(length, missing)| {
                        let from = to.checked_sub(length)?;
                        let block = Block { from, to };
                        to = from.saturating_sub(missing);
                        Some(block)
                    })
                    .collect();
                let ack = Ack {
                    next,
                    cause,
                    id,
                    trimmed,
                    ece,
                    marks: (cause % 9) as u32,
                    repeats,
                    blocks,
                    ranges: Ranges::new(&ranges),
                    delay: Duration::millis(delay),
                };
                Input::Ack(ack, at_once)
            },
        );
    prop_oneof![
        12 => ack,
        2 => (0..400u64).prop_map(Input::Wait),
        2 => Just(Input::Due),
        1 => (0..30u64).prop_map(Input::Release),
    ]
}

#[test]
//= rfc5681 §3 type=test
fn any_stream_of_acks_leaves_a_sender_within_its_laws() {
    // The number of cases, and their pairs.
    let tried = Mutex::new((0, BTreeSet::new()));
    let config = ProptestConfig {
        cases: 3000,
        ..ProptestConfig::default()
    };
    proptest!(config, |(options in options(), inputs in prop::collection::vec(input(), 0..120))| {
        let (transport, texts) = options;
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let mut held = Held::new(params(&transport, &texts));
        for input in &inputs {
            held.step(input);
        }
        held.finish();
        let mut tried = tried.lock().expect("no case has failed");
        tried.0 += 1;
        tried.1.insert(transport);
    });
    let (cases, pairs) = tried.into_inner().expect("no case has failed");
    println!("{cases} cases, {} pairs", pairs.len());
}
