//! Referees: the pseudocode of RFCs, typed as it is printed, beside our disciplines. Both see the same random arrivals and departures, and
//! every packet must have the same fate in the same step.

mod cobalt;
mod codel;
mod drr;
mod dualpi2;
mod fq_codel;
mod pie;
mod policer;
mod queue_protection;

use super::script::Fates;
use crate::queue::Discipline;
use crate::queue::laws::{Named, NamedFate};
use crate::time::Instant;
use crate::unit::{DATA, Ecn};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

/// In a millisecond \[ps\].
pub const MS: u64 = 1_000_000_000;

/// A packet, as the pseudocode knows it.
#[derive(Debug)]
pub struct Packet {
    pub name: String,
    pub flow: u32,
    pub bytes: u64,
    pub ecn_capable: bool,
    pub ecn: Ecn,
    /// Time of its arrival \[ps\].
    pub tstamp: u64,
}

/// A queue as an RFC prints it.
pub trait Referee {
    /// A packet arrives.
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>);
    /// The next packet to send.
    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet>;
}

/// An arrival, or a departure if one waits, some time after what was before.
#[derive(Clone, Debug)]
pub struct Turn {
    /// \[ps\]
    gap: u64,
    /// Flow, bytes and ECN field, for an arrival.
    offer: Option<(u8, u32, Ecn)>,
}

/// Turns of several regimes: in each, the queue shrinks, grows or keeps its length on average.
pub fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let gap = prop_oneof![2 => Just(0), 9 => 1..3 * MS, 1 => 3 * MS..400 * MS];
    let ecn = prop::sample::select(&[Ecn::NotEct, Ecn::NotEct, Ecn::Ect0, Ecn::Ect1][..]);
    let one = (0..100u8, gap, (0u8..5, 40u32..=1500, ecn));
    let regime = (
        prop::sample::select(&[20u8, 50, 55, 80][..]),
        prop::collection::vec(one, 1..120),
    );
    prop::collection::vec(regime, 1..8).prop_map(|regimes| {
        let turns = regimes.into_iter().flat_map(|(arrivals, turns)| {
            turns.into_iter().map(move |(draw, gap, packet)| Turn {
                gap,
                offer: (draw < arrivals).then_some(packet),
            })
        });
        turns.collect()
    })
}

/// Runs both, and empties them. Returns every fate but `sent`.
fn compared(
    mut ours: impl Discipline<Named>,
    mut referee: impl Referee,
    turns: &[Turn],
) -> Result<Vec<NamedFate>, TestCaseError> {
    let (mut now, mut all) = (0, Vec::new());
    let rest = Turn {
        gap: MS,
        offer: None,
    };
    let rest = core::iter::repeat(&rest);
    for (n, turn) in turns.iter().chain(rest).enumerate() {
        if n >= turns.len() && ours.backlog() == 0 {
            break;
        }
        now += turn.gap;
        let (mut book, mut fates) = (Fates::default(), Vec::new());
        if let Some((flow, bytes, ecn)) = turn.offer {
            let name = format!("{}{n}", char::from(b'a' + flow));
            let unit = Named {
                name: name.clone(),
                last: true,
                bytes,
                priority: DATA,
                ecn,
            };
            ours.offer(Instant(now), unit, &mut book);
            let packet = Packet {
                name,
                flow: u32::from(flow),
                bytes: u64::from(bytes),
                ecn_capable: ecn.is_capable(),
                ecn,
                tstamp: now,
            };
            referee.enque(now, packet, &mut fates);
        } else {
            let sent = ours.pull(Instant(now), &mut book).map(|unit| unit.name);
            let want = referee.deque(now, &mut fates).map(|packet| packet.name);
            prop_assert_eq!(sent, want, "turn {} at {} ps", n, now);
        }
        prop_assert_eq!(&book.0, &fates, "turn {} at {} ps", n, now);
        all.append(&mut fates);
    }
    Ok(all)
}

/// Compares a discipline and its referee, both from `pair`, in many runs with values of `parameters`. Returns the number of packets of
/// each fate.
pub fn judge<P: Strategy, D: Discipline<Named>, R: Referee>(
    parameters: P,
    pair: impl Fn(&P::Value) -> (D, R),
) -> BTreeMap<&'static str, u64> {
    let counts = std::cell::RefCell::new(BTreeMap::new());
    let outcome = runner().run(&(parameters, turns()), |(parameters, turns)| {
        let (ours, referee) = pair(&parameters);
        for (_, fate) in compared(ours, referee, &turns)? {
            *counts.borrow_mut().entry(fate).or_insert(0) += 1;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    counts.into_inner()
}

/// In how many of such comparisons some fate differs; all are made. A published bug is put into the referee, and not into the
/// discipline: the comparison sees no more than that they differ. The test prints the number for the page of `make verify`.
pub fn differing<P: Strategy, D: Discipline<Named>, R: Referee>(
    parameters: P,
    pair: impl Fn(&P::Value) -> (D, R),
) -> u32 {
    let differing = std::cell::Cell::new(0);
    let outcome = runner().run(&(parameters, turns()), |(parameters, turns)| {
        let (ours, referee) = pair(&parameters);
        differing.set(differing.get() + u32::from(compared(ours, referee, &turns).is_err()));
        Ok(())
    });
    outcome.expect("differences are counted");
    std::println!("{} of {CASES} comparisons differ", differing.get());
    differing.get()
}

/// Comparisons of each discipline with its referee.
const CASES: u32 = 300;

fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}
