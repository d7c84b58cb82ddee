//! §2.2 of Cohen & Hamo against the implementation: which sets of losses from one window end in a timeout?
//!
//! The analysis needs a sender with a window of exactly W when W segments are outstanding, some of which are lost. The given plan
//! must have one flow over links that lose only by script; its window, its losses and the length of its transfer are then set per
//! case.
//= cohen-hamo-2001 §2.2

use dupack_core::measure::Window;
use dupack_core::rng::Stream;
use dupack_core::{loss, traffic};
use dupack_sim::probe::Off;
use dupack_sim::simulate;
use dupack_sim::spec::{Loss, Network};
use dupack_theory::losses::timeout_inevitable;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// One case: a window, the lost ones of its segments 0..W in rising order, and what came of it.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Case {
    /// W \[segments\].
    pub window: u64,
    /// The lost segments.
    pub lost: Vec<u64>,
    /// The analysis says that a timeout is inevitable.
    pub inevitable: bool,
    /// The simulated sender timed out.
    pub timed_out: bool,
}

/// Cases to try.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Losses per window, at most.
    pub losses: u64,
    /// Windows up to this are tried with every set of losses.
    pub every: u64,
    /// Windows beyond, up to this, are tried with a sample.
    pub sampled: u64,
    /// Sets per window and number of losses in a sample.
    pub samples: u64,
}

/// Tries all cases of `range` on `threads` threads. The same range gives the same cases in the same order. Ends early, with
/// the cases tried so far, when `halt` is set.
///
/// # Errors
/// The reason if `base` does not have exactly one flow and a link for its data.
pub fn check(
    base: &Network,
    range: &Range,
    threads: usize,
    halt: &AtomicBool,
) -> Result<Vec<Case>, String> {
    let [flow] = &base.flows[..] else {
        return Err("the plan must have one flow".into());
    };
    let Some(link) = flow.forward.last().copied() else {
        return Err("the plan's flow takes no link".into());
    };
    let sets = sets(range);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(sets.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut network = base.clone();
                let mut mine = Vec::new();
                while let Some((window, lost)) = sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(timed_out) = times_out(&mut network, link, *window, lost, halt) else {
                        break;
                    };
                    let inevitable = timeout_inevitable(*window, lost);
                    mine.push(Case {
                        window: *window,
                        lost: lost.clone(),
                        inevitable,
                        timed_out,
                    });
                }
                done.lock().unwrap_or_else(|e| e.into_inner()).extend(mine);
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by(|a, b| (a.window, a.lost.len(), &a.lost).cmp(&(b.window, b.lost.len(), &b.lost)));
    Ok(done)
}

/// Whether the sender of `network` times out when `lost` of the `window` segments of its first window are lost; nothing
/// if the run was halted.
fn times_out(
    network: &mut Network,
    link: usize,
    window: u64,
    lost: &[u64],
    halt: &AtomicBool,
) -> Option<bool> {
    let exactly = Window::Segments(window);
    let common = &mut Arc::make_mut(&mut network.flows[0].transport).common;
    (common.initial_window, common.max_cwnd) = (exactly, Some(exactly));
    common.initial_ssthresh = Some(exactly);
    // The receiver's window must not limit the sender: the analysis sends new segments beyond the first window.
    common.max_window = Window::Segments(4 * window + 16);
    // The transfer is long enough for every recovery to get its duplicate acks.
    let size = Window::Segments(8 * window + 32);
    let file = traffic::TrafficParams::File(traffic::file::FileParams { size });
    network.flows[0].traffic = Arc::new(file);
    let script = loss::script::ScriptParams {
        flow: network.flows[0].name.clone(),
        segments: Some(lost.to_vec()),
        packets: None,
    };
    network.links[link].loss = Some(Loss {
        params: loss::LossParams::Script(script),
        watched: vec![0],
        path: String::new(), // a script draws no random numbers
    });
    let (report, _) = simulate(network, 1, Off, halt).ok()?;
    Some(report.flows[0].timeouts > 0)
}

/// The sets of losses of a range.
fn sets(range: &Range) -> Vec<(u64, Vec<u64>)> {
    let mut sets = Vec::new();
    for window in 1..=range.sampled {
        for n in 1..=range.losses.min(window) {
            if window <= range.every {
                every(window, n, &mut |lost| sets.push((window, lost.to_vec())));
            } else {
                let mut stream = Stream::new(1, &format!("losses.{window}.{n}"));
                let mut sample: Vec<_> = (0..range.samples)
                    .map(|_| one(window, n, &mut stream))
                    .collect();
                sample.sort();
                sample.dedup();
                sets.extend(sample.into_iter().map(|lost| (window, lost)));
            }
        }
    }
    sets
}

/// Calls with every set of `n` of the numbers below `window`, each in rising order.
fn every(window: u64, n: u64, with: &mut impl FnMut(&[u64])) {
    let mut lost: Vec<u64> = (0..n).collect();
    loop {
        with(&lost);
        // The next set in lexical order: the last number that can be increased is, and those behind it follow it directly.
        let Some(at) = (0..n as usize).rfind(|i| lost[*i] < window - n + *i as u64) else {
            return;
        };
        lost[at] += 1;
        for i in at + 1..n as usize {
            lost[i] = lost[i - 1] + 1;
        }
    }
}

/// One set of `n` of the numbers below `window`.
fn one(window: u64, n: u64, stream: &mut Stream) -> Vec<u64> {
    let mut lost = Vec::new();
    while lost.len() < n as usize {
        let segment = stream.between(0, window - 1);
        if let Err(place) = lost.binary_search(&segment) {
            lost.insert(place, segment);
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_once() {
        for (window, n, count) in [(5, 2, 10), (6, 6, 1), (24, 4, 10_626), (7, 1, 7)] {
            let mut sets = Vec::new();
            every(window, n, &mut |lost| sets.push(lost.to_vec()));
            assert_eq!(sets.len(), count);
            assert!(
                sets.iter()
                    .all(|s| s.is_sorted() && s.iter().all(|l| *l < window))
            );
            sets.dedup();
            assert_eq!(sets.len(), count);
        }
    }
}
