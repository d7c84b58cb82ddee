//! Runs: one network with one seed into a document, many on all cores.

use cpu_time::ThreadTime;
use dupack_sim::probe::{Off, Tape};
use dupack_sim::report::Report;
use dupack_sim::spec::Network;
use dupack_sim::{Failure, simulate};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// A run to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to simulate.
    pub network: Arc<Network>,
    /// With which seed.
    pub seed: u64,
    /// Whether to keep a tape.
    pub tape: bool,
}

/// The document of a run, with the keys of `dupack run --json` but for the title.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The seed.
    pub seed: u64,
    /// Length of the run \[s\].
    pub duration_s: f64,
    /// What of it was not measured \[s\].
    pub warm_up_s: f64,
    /// Processor time that it took \[s\]: the only value that differs when a run is repeated.
    pub cpu_s: f64,
    /// The measures.
    #[serde(flatten)]
    pub report: Report,
}

/// A run that is done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was measured.
    pub document: Document,
    /// The tape, as CSV, if the job asked for one.
    pub tape: Option<String>,
}

/// Does one run, unless `halt` is set before its end.
///
/// # Errors
/// As [`simulate`].
pub fn run(job: &Job, halt: &AtomicBool) -> Result<Outcome, Failure> {
    let start = ThreadTime::now();
    let network = &*job.network;
    let (report, tape) = if job.tape {
        let (report, tape) = simulate(network, job.seed, Tape::default(), halt)?;
        let names: Vec<_> = network.flows.iter().map(|flow| flow.name.clone()).collect();
        (report, Some(tape.csv(&names)))
    } else {
        (simulate(network, job.seed, Off, halt)?.0, None)
    };
    let document = Document {
        seed: job.seed,
        duration_s: network.duration.seconds(),
        warm_up_s: network.warm_up.seconds(),
        cpu_s: start.elapsed().as_secs_f64(),
        report,
    };
    Ok(Outcome { document, tape })
}

/// What [`run_all`] tells the caller, on the caller's thread.
#[derive(Debug)]
pub enum News {
    /// Job number so-and-so is done. Jobs are begun in order, but may end in any.
    Done(usize, Box<Result<Outcome, Failure>>),
    /// Nothing happened for a while.
    Quiet,
}

/// Does all jobs on so many threads. `hear` is told of each as it ends, and at least every 50 ms; when it returns false no
/// further run is begun, and those under way are halted and told of as such.
///
/// What a run gives depends on its job alone, not on threads or order.
pub fn run_all(jobs: &[Job], threads: usize, mut hear: impl FnMut(News) -> bool) {
    let (next, halt) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (tell, next, halt) = (tell.clone(), &next, &halt);
            scope.spawn(move || {
                while !halt.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    if tell.send((number, Box::new(run(job, halt)))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        loop {
            let news = match told.recv_timeout(Duration::from_millis(50)) {
                Ok((number, outcome)) => News::Done(number, outcome),
                Err(mpsc::RecvTimeoutError::Timeout) => News::Quiet,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            if !hear(news) {
                halt.store(true, Ordering::Relaxed);
            }
        }
    });
}
