//! Any bytes as a transport and its acks. The fuzzer in `fuzz/` includes this file; the tests replay what it has kept.

use super::held::{Held, Input};
use super::tried::{HABITS, as_ns2, pairs, params, values};
use crate::time::Duration;
use crate::transport::control::Needs;
use crate::transport::{Ack, Block, Pair, ROSTER, Ranges, TransportParams};
use std::format;
use std::string::String;
use std::sync::OnceLock;
use std::vec::Vec;

/// Segments that are handed over at most: with more, an input takes seconds.
const MOST: u64 = 400;

/// Every pair, and the stacks: pairs with the defaults of a preset.
fn all() -> &'static [Pair] {
    static ALL: OnceLock<Vec<Pair>> = OnceLock::new();
    ALL.get_or_init(|| {
        let stacks = ROSTER.iter().filter(|it| it.about.preset.is_some());
        let stacks = stacks.map(|it| Pair::of(&it.about).expect("both on their rosters"));
        pairs().into_iter().chain(stacks).collect()
    })
}

/// Choices by the bytes of a text, one byte each; 0 when there are no more.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first) % n
    }

    /// None, or one of `values`.
    fn some<T: Clone>(&mut self, values: &[T]) -> Option<T> {
        self.below(values.len() + 1)
            .checked_sub(1)
            .map(|at| values[at].clone())
    }

    /// A transport; none if its parameters are inconsistent.
    fn transport(&mut self) -> Option<TransportParams> {
        let all = all();
        let pair = all[self.below(all.len())];
        let mut texts: Vec<(&str, String)> = Vec::new();
        // Habits come first: they go together, and of a name that occurs twice the first value is taken.
        match self.some(HABITS) {
            Some(habits) => texts.extend(habits.iter().map(|(name, text)| (*name, (*text).into()))),
            None if self.below(2) == 1 => texts.extend(as_ns2(&pair)),
            None => {}
        }
        for parameter in pair.control.parameters.iter().chain(pair.repair.parameters) {
            let value = self.some(&values(parameter));
            texts.extend(value.map(|text| (parameter.name, text.into())));
        }
        for name in [
            "max_window",
            "initial_window",
            "max_cwnd",
            "initial_ssthresh",
        ] {
            let set = name.starts_with("max_w") || self.below(2) == 1;
            let text = set.then(|| format!("{} segments", 1 + self.below(23)));
            texts.extend(text.map(|text| (name, text)));
        }
        let flags = ["careful", "limited_transmit", "delayed_ack", "ecn", "dsack"];
        for name in flags {
            let refused = name == "delayed_ack" && pair.control.about.needs == Needs::EveryAck;
            let flag = self.some(&["false", "true"]).filter(|_| !refused);
            texts.extend(flag.map(|text| (name, text.into())));
        }
        let others: [(_, &[_]); 3] = [
            ("halve", &["flight", "window"]),
            ("slow_start", &["hystart++", "hystart"]),
            ("tick", &["1 ms", "10 ms"]),
        ];
        for (name, words) in others {
            texts.extend(self.some(words).map(|text| (name, text.into())));
        }
        if pair.repair.about.habits.knows_what_arrived {
            texts.retain(|(name, _)| *name != "out_of_order");
        }
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, &**text)).collect();
        params(pair, &texts).ok()
    }
}

/// Panics if the transport that the first byte says the length of breaks a law with the events that the rest is, ten bytes an event.
pub fn holds(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else {
        return;
    };
    let (choices, rest) = rest.split_at(usize::from(*length).min(rest.len()));
    let Some(params) = Choices(choices).transport() else {
        return;
    };
    let mut held = Held::new(params);
    let (chunks, _) = rest.as_chunks();
    for chunk in chunks {
        let input = input(&held, chunk);
        held.step(&input);
    }
    held.finish();
}

/// A number from `from` on, or any.
fn near(from: u64, byte: u8) -> u64 {
    match byte {
        0..192 => from.wrapping_add(u64::from(byte % 64)),
        192..240 => from.saturating_sub(u64::from(byte - 191)),
        _ => u64::MAX >> (4 * (byte - 240)),
    }
}

/// Ranges of transmissions from `id` down. Each byte is a length and what is missing below it; a small one is the last.
fn ranges(id: u64, bytes: &[u8]) -> Ranges {
    let mut to = id.saturating_add(1);
    let mut ranges = Vec::new();
    for byte in bytes {
        let Some(from) = to.checked_sub(1 + u64::from(byte % 8)) else {
            break;
        };
        ranges.push(Block { from, to });
        to = from.saturating_sub(1 + u64::from(byte >> 3 & 7));
        if *byte < 64 {
            break;
        }
    }
    Ranges::new(&ranges)
}

/// An event; numbers are near those that the sender knows.
fn input(held: &Held, bytes: &[u8; 10]) -> Input {
    let [what, next, cause, id, blocks @ ..] = *bytes;
    let flag = |bit: u8| what >> bit & 1 == 1;
    match what % 16 {
        0..12 => {
            let next = near(held.una, next);
            let block = |at: usize| {
                let from = near(next, blocks[at]);
                let to = from.saturating_add(u64::from(blocks[at + 1] % 16));
                // One of 16 ends before it begins.
                match blocks[at + 1] >> 4 {
                    15 => Block { from: to, to: from },
                    _ => Block { from, to },
                }
            };
            let id = near(held.transmissions, id.wrapping_add(192));
            Input::Ack(
                Ack {
                    next,
                    cause: near(next, cause),
                    id,
                    trimmed: flag(4),
                    ece: flag(5),
                    marks: u32::from(cause % 9),
                    repeats: flag(6),
                    blocks: [block(0), block(2), block(4)],
                    ranges: ranges(id, &blocks),
                    delay: Duration::millis(u64::from(cause)),
                },
                flag(7),
            )
        }
        12 => Input::Wait(u64::from(next) * u64::from(cause)),
        13 | 14 => Input::Due,
        _ => Input::Release(u64::from(next % 32).min(MOST.saturating_sub(held.released))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::println;
    use std::vec::Vec;

    /// The smallest set of inputs with all coverage that `make fuzz` has reached.
    #[test]
    fn what_the_fuzzer_kept_breaks_no_law() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/transport");
        let files = std::fs::read_dir(folder).expect("the corpus");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        assert!(files.len() > 30, "only {} inputs", files.len());
        for file in files {
            println!("{}", file.display());
            super::holds(&std::fs::read(&file).expect("bytes"));
        }
    }
}
