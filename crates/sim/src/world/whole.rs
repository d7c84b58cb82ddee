//! Whole runs of a network.

use super::slots::Slots;
use super::{Failure, Threads, World, divided};
use crate::by_rows::Rows;
use crate::division::Division;
use crate::mser;
use crate::probe::{Divides, Off, Probe, Spreads};
use crate::report::Report;
use crate::spec::Network;
use dupack_core::queue::Grain as Carries;
use dupack_core::unit::{Cell, Packet};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

/// The most connections that come and go and may be open at once in a run of `network`.
pub fn most_open(network: &Network) -> usize {
    // Only packets have such connections, and only cells have ABR.
    Slots::new(network, false).most()
}

/// Runs `network` with `seed` to its end, and audits every ledger.
///
/// Setting `halt` ends it soon, from any thread.
///
/// # Errors
/// [`Failure::Unbalanced`] if a ledger does not balance, [`Failure::Withheld`] if a discipline gives nothing and does not say until when,
/// [`Failure::Full`] if there are too many connections, [`Failure::Halted`] if it was halted.
pub fn measure(network: &Network, seed: u64, halt: &AtomicBool) -> Result<Report, Failure> {
    measure_on(network, seed, Threads::ONE, halt)
}

/// As [`measure`], on up to this many threads, if an estimate says that this pays: see [`Division::new`]. The report is the same for any number.
///
/// # Errors
/// As [`measure`].
pub fn measure_on(
    network: &Network,
    seed: u64,
    threads: Threads<'_>,
    halt: &AtomicBool,
) -> Result<Report, Failure> {
    let run = |told: &mut dyn FnMut(&dyn Rows)| rows(network, seed, threads, halt, told);
    kept(run).map(|(report, ())| report)
}

/// As [`measure`], in up to this many parts, even if that makes it slower; `None` if the run cannot be divided.
///
/// # Errors
/// As [`measure`].
pub fn measure_in_parts(
    network: &Network,
    seed: u64,
    parts: usize,
    halt: &AtomicBool,
) -> Result<Option<Report>, Failure> {
    if network.percentiles {
        let found = simulate_in_parts(network, seed, &Spreads::default(), parts, halt)?;
        Ok(found.map(|(report, _)| report))
    } else {
        let found = simulate_in_parts(network, seed, &Off, parts, halt)?;
        Ok(found.map(|(report, _)| report))
    }
}

/// The same with an observer.
///
/// # Errors
/// As [`measure`].
pub fn simulate_in_parts<P: Divides>(
    network: &Network,
    seed: u64,
    probe: &P,
    parts: usize,
    halt: &AtomicBool,
) -> Result<Option<(Report, P)>, Failure> {
    let network = &*prepared(network, seed, halt)?;
    let Ok(division) = Division::any(network, seed, parts) else {
        return Ok(None);
    };
    let threads = Threads::up_to(parts.min(cores()));
    kept(|told| divided::run(network, seed, probe, division, threads, halt, told)).map(Some)
}

/// As [`measure`], with an observer. Percentiles are kept if it says so.
///
/// # Errors
/// As [`measure`].
pub fn simulate<P: Probe>(
    network: &Network,
    seed: u64,
    probe: P,
    halt: &AtomicBool,
) -> Result<(Report, P), Failure> {
    kept(|told| end(network, seed, probe, halt, told))
}

/// The same on up to this many threads, if an estimate says that this pays.
///
/// # Errors
/// As [`measure`].
pub fn simulate_on<P: Divides>(
    network: &Network,
    seed: u64,
    probe: P,
    threads: Threads<'_>,
    halt: &AtomicBool,
) -> Result<(Report, P), Failure> {
    kept(|told| on(network, seed, probe, threads, halt, told))
}

/// The report of a run that ends, whose rows are kept.
pub(super) fn kept<P>(
    run: impl FnOnce(&mut dyn FnMut(&dyn Rows)) -> Result<P, Failure>,
) -> Result<(Report, P), Failure> {
    let mut report = None;
    let probe = run(&mut |rows| report = Some(Report::of(rows)))?;
    match report {
        Some(report) => Ok((report, probe)),
        None => unreachable!("a run that ends has a report"),
    }
}

/// As [`measure_on`], but `told` gets the report row by row, and nothing keeps them: there may be a million.
///
/// # Errors
/// As [`measure`].
pub fn rows(
    network: &Network,
    seed: u64,
    threads: Threads<'_>,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<(), Failure> {
    if network.percentiles {
        on(network, seed, Spreads::default(), threads, halt, told).map(|_| ())
    } else {
        on(network, seed, Off, threads, halt, told).map(|_| ())
    }
}

/// Threads beyond this number would wait for each other.
///
/// In a browser a run has one thread. There this is a constant, so that the page does not carry the code that divides runs.
fn cores() -> usize {
    if cfg!(target_family = "wasm") {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn on<P: Divides>(
    network: &Network,
    seed: u64,
    probe: P,
    threads: Threads<'_>,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<P, Failure> {
    let threads = Threads {
        most: threads.most.min(cores()),
        ..threads
    };
    if threads.most < 2 {
        return end(network, seed, probe, halt, told);
    }
    let network = &*prepared(network, seed, halt)?;
    match Division::new(network, seed, threads.most) {
        Ok(division) => {
            match divided::run(network, seed, &probe, division, threads, halt, told) {
                // Slots are reused later than on one thread, where there may be enough; and if not, the error has other numbers.
                Err(Failure::Full { .. }) => whole(network, seed, probe, halt, told),
                done => done,
            }
        }
        Err(_) => whole(network, seed, probe, halt, told),
    }
}

/// Runs `network` to its end; `told` gets its report.
fn end<P: Probe>(
    network: &Network,
    seed: u64,
    probe: P,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<P, Failure> {
    let network = &*prepared(network, seed, halt)?;
    whole(network, seed, probe, halt, told)
}

/// The same of a network for which everything is drawn, on this thread.
fn whole<P: Probe>(
    network: &Network,
    seed: u64,
    probe: P,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<P, Failure> {
    match network.grain {
        Carries::Cells => World::<Cell, P>::new(network, seed, probe).run(halt, told),
        Carries::Packets => World::<Packet, P>::new(network, seed, probe).run(halt, told),
    }
}

/// With all that is drawn by the seed, and with MSER-5's warm-up.
pub(super) fn prepared<'n>(
    network: &'n Network,
    seed: u64,
    halt: &AtomicBool,
) -> Result<Cow<'n, Network>, Failure> {
    let mut network = network.drawn(seed);
    if network.mser {
        let pilot = mser::pilot(&network);
        let report = measure(&pilot, seed, halt)?;
        let warm_up = mser::begins(&pilot, &report).ok_or(Failure::NeverSteady)?;
        let own = network.to_mut();
        (own.warm_up, own.mser) = (warm_up, false);
    }
    Ok(network)
}
