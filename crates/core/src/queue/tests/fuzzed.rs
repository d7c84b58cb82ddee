//! Any bytes as a discipline and its arrivals. The fuzzer in `fuzz/` includes this file; the tests replay what it has kept.

use super::tried::{Tried, roster};
use crate::measure::Rate;
use crate::queue::laws::{self, Asks, Named, Step};
use crate::queue::{Line, Queue};
use crate::rng::Stream;
use crate::time::Duration;
use crate::unit::{Ecn, FlowId};
use std::sync::OnceLock;
use std::vec::Vec;

/// Rooms of buffers that are tried \[units\].
const ROOMS: [u64; 4] = [1, 3, 12, 40];

/// All disciplines, made once.
fn all() -> &'static [Tried] {
    static ALL: OnceLock<Vec<Tried>> = OnceLock::new();
    ALL.get_or_init(|| ROOMS.into_iter().flat_map(roster).collect())
}

/// Panics if the discipline that the first two bytes choose breaks a law with the arrivals that the rest is, four bytes a step.
pub fn holds(bytes: &[u8]) {
    let [high, low, rest @ ..] = bytes else {
        return;
    };
    let all = all();
    let tried = &all[usize::from(u16::from_be_bytes([*high, *low])) % all.len()];
    let (chunks, _) = rest.as_chunks();
    let steps: Vec<Step> = chunks.iter().map(step).collect();
    let steps = tried.sorted(&steps);
    let run = |asks| {
        let queue = Queue::<Named>::new(&tried.params, line());
        laws::check_if(queue, Some(tried.limit), &steps, (asks, !tried.reorders))
            .unwrap_or_else(|breach| panic!("{:?}: {breach:?}", tried.params))
    };
    assert_eq!(
        run(Asks::Once),
        run(Asks::Often),
        "asked often: {:?}",
        tried.params
    );
}

/// A line of 10 Mb/s with guarantees to three of four flows.
fn line() -> Line {
    let guaranteed = [(0, 1), (1, 4), (2, 0)];
    Line {
        rate: Rate(10_000_000),
        guaranteed: guaranteed
            .map(|(flow, mbps)| (FlowId(flow), Rate(mbps * 1_000_000)))
            .into(),
        longest: 3,
        stream: Stream::new(1, "queue"),
    }
}

fn step(&[tag, what, a, b]: &[u8; 4]) -> Step {
    match tag % 8 {
        0..5 => Step::Offer {
            flow: what & 3,
            last: what & 4 != 0,
            bytes: 1 + u32::from(u16::from_be_bytes([a, b])) % 1500,
            priority: u8::from(what & 8 != 0),
            ecn: Ecn::ALL[usize::from(what >> 4 & 3)],
        },
        5..7 => Step::Pull,
        // From picoseconds to tens of seconds.
        _ => Step::Wait(Duration(
            u64::from(what % 9 + 1) * 10u64.pow(u32::from(a % 14)),
        )),
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/queue");
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
