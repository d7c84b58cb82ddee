//! Runs: simulates one network with one seed into a document, or many on all cores.

use crate::statistics;
use crate::stopwatch::Stopwatch;
use dupack_core::queue;
use dupack_sim::batches::Batched;
use dupack_sim::by_rows::Rows;
use dupack_sim::each::{Each, Log};
use dupack_sim::probe::{Spreads, Tape};
use dupack_sim::report::Report;
pub use dupack_sim::report::Series;
use dupack_sim::spec::Network;
use dupack_sim::{Failure, Threads, measure_on, rows, simulate, simulate_on};
use schemars::JsonSchema;
use serde::Serialize;
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// A run to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// Network to simulate.
    pub network: Arc<Network>,
    /// With which seed.
    pub seed: u64,
    /// Threads that it may use, if that makes it faster. It does not change the results.
    pub threads: usize,
    /// Whether to keep a tape.
    pub tape: bool,
    /// Whether to keep a record of each connection.
    pub connections: bool,
}

/// The document of a run, with the keys of `dupack run --json` except the title.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Document {
    /// The seed.
    pub seed: u64,
    /// Length of the run \[s\].
    pub duration_s: f64,
    /// Time that was not measured \[s\].
    pub warm_up_s: f64,
    /// Processor time that it took, of all its threads, also while they waited for each other \[s\]: the only value that differs when a run is repeated.
    pub cpu_s: f64,
    /// Intervals of the summary from batches, if the plan asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batches: Option<Batches>,
    /// The measures.
    #[serde(flatten)]
    pub report: Report,
    /// Every connection of flows with `arrivals`, per flow: only in stores, and in Python.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<BTreeMap<String, Each>>,
}

impl Document {
    /// Of a run of `network` with `seed`, without records of connections. `cpu_s` is the processor time that it took \[s\].
    pub fn new(network: &Network, seed: u64, report: Report, cpu_s: f64) -> Self {
        Self {
            seed,
            duration_s: network.duration.seconds(),
            warm_up_s: report.warm_up.seconds(),
            cpu_s,
            batches: report.batches.as_ref().map(Batches::new),
            connections: None,
            report,
        }
    }
}

/// Statistics of the summary over successive parts of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Batches {
    /// Number of batches, of equal length.
    pub count: usize,
    /// Length of each \[s\].
    pub length_s: f64,
    /// Half-widths of the 95 % intervals of the summary's values, by Student's t; valid if the batches are independent.
    pub ci95: OfBatches<Option<f64>>,
    /// Correlation of each batch with the next. If it exceeds about 2 / sqrt(count), it is significant, and the interval is too narrow.
    pub correlation: OfBatches<Option<f64>>,
    /// The measures of the batches.
    pub values: OfBatches<Option<Vec<f64>>>,
}

/// Values for the keys of the summary that are means or sums over time. (Jain's index of a run is not the mean of those of its batches.)
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OfBatches<T> {
    /// See the summary.
    pub goodput_bps: T,
    /// See the summary; null with connections that come and go.
    pub goodput_fraction: T,
    /// See the summary.
    pub active_fraction: T,
    /// See the summary.
    pub timeouts: T,
}

impl<T> OfBatches<T> {
    fn map<U>(&self, of: impl Fn(&T) -> U) -> OfBatches<U> {
        OfBatches {
            goodput_bps: of(&self.goodput_bps),
            goodput_fraction: of(&self.goodput_fraction),
            active_fraction: of(&self.active_fraction),
            timeouts: of(&self.timeouts),
        }
    }
}

impl Batches {
    /// Statistics of these batches.
    //= law-2015 §9.5.3
    pub(crate) fn new(told: &Batched) -> Self {
        let values = OfBatches {
            goodput_bps: Some(told.goodput_bps.clone()),
            goodput_fraction: told.goodput_fraction.clone(),
            active_fraction: Some(told.active_fraction.clone()),
            timeouts: Some(told.timeouts.clone()),
        };
        let count = told.timeouts.len();
        let mut ci95 = values.map(|it| statistics::mean_ci95(it.as_ref()?).1);
        // The summary's timeouts are a sum over the batches, not a mean.
        ci95.timeouts = ci95.timeouts.map(|half| half * count as f64);
        Self {
            count,
            length_s: told.length_s,
            ci95,
            correlation: values.map(|it| statistics::correlation(it.as_ref()?)),
            values,
        }
    }
}

/// Every cause for which a unit may be dropped, as documents call them.
pub fn drop_causes() -> impl Iterator<Item = &'static str> {
    dupack_core::ledger::Cause::ALL
        .iter()
        .map(|cause| cause.name())
}

/// A run that is done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Results of the run.
    pub document: Document,
    /// The tape, as CSV, if the job asked for one.
    pub tape: Option<String>,
}

/// Measures the processor time of a run, which may have several threads.
struct Watch {
    this: Stopwatch,
    /// That of the other threads \[ns\].
    others: AtomicU64,
}

impl Watch {
    fn start() -> Self {
        Self {
            this: Stopwatch::start(),
            others: AtomicU64::new(0),
        }
    }

    /// What does the work of the other threads.
    fn of_others(&self) -> impl Fn(&mut dyn FnMut()) + Sync {
        // A stopwatch stays on its thread.
        let others = &self.others;
        |work| {
            let watch = Stopwatch::start();
            work();
            let took = (watch.seconds() * 1e9) as u64;
            others.fetch_add(took, Ordering::Relaxed);
        }
    }

    /// Since the start \[s\].
    fn seconds(&self) -> f64 {
        self.this.seconds() + self.others.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// Does one run, unless `halt` is set before its end.
///
/// # Errors
/// As [`simulate`].
pub fn run(job: &Job, halt: &AtomicBool) -> Result<Outcome, Failure> {
    with_externals(&job.network, || run_alone(job, halt))
}

/// The same, but the document has no flows and no links, and there is no tape: a run of a million flows has a short answer.
///
/// # Errors
/// As [`simulate`].
pub fn run_briefly(job: &Job, halt: &AtomicBool) -> Result<Outcome, Failure> {
    let document = stream(job, halt, &mut |_, _| ())?;
    Ok(Outcome {
        document,
        tape: None,
    })
}

/// Does one run, and returns its document without flows and links, which `told` gets with these rows.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn stream(
    job: &Job,
    halt: &AtomicBool,
    told: &mut (dyn FnMut(&Document, &dyn Rows) + Send),
) -> Result<Document, Failure> {
    with_externals(&job.network, || {
        let (watch, mut document) = (Watch::start(), None);
        let each = watch.of_others();
        let threads = Threads {
            most: job.threads,
            each: &each,
        };
        rows(&job.network, job.seed, threads, halt, &mut |rows| {
            let head = Document::new(&job.network, job.seed, rows.head(), watch.seconds());
            told(document.insert(head), rows);
        })?;
        document.ok_or(Failure::Halted)
    })
}

/// Does `run`, a run of `network`, with the thread prepared for its external parts.
fn with_externals<T: Send>(
    network: &Network,
    run: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let discipline = network.links.iter().find_map(|link| match &link.queue {
        Some(queue::QueueParams::External(external)) => Some(external),
        _ => None,
    });
    let controller = || network.flows.iter().find_map(|it| it.transport.external());
    let (mut run, mut outcome) = (Some(run), None);
    let mut run = || outcome = run.take().map(|run| run());
    // All external parts of a plan are of one program, so one of them prepares the thread for all.
    match (discipline, controller()) {
        (Some(external), _) => external.during(&mut run),
        (None, Some(external)) => external.during(&mut run),
        (None, None) => run(),
    }
    outcome.unwrap_or(Err(Failure::Halted))
}

fn run_alone(job: &Job, halt: &AtomicBool) -> Result<Outcome, Failure> {
    let watch = Watch::start();
    let network = &*job.network;
    let each = job.connections && network.flows.iter().any(|flow| flow.arrivals.is_some());
    let others = watch.of_others();
    let threads = Threads {
        most: job.threads,
        each: &others,
    };
    let (report, log, tape) = if job.tape {
        let tape = Tape::default();
        let tape = if each { tape.with_log() } else { tape };
        let (report, mut tape) = simulate(network, job.seed, tape, halt)?;
        let names: Vec<_> = network.flows.iter().map(|flow| flow.name.clone()).collect();
        (report, tape.take_log(), Some(tape.csv(&names)))
    } else if each {
        let log = Some(Log::default());
        let probe = Spreads { log };
        let (report, kept) = simulate_on(network, job.seed, probe, threads, halt)?;
        (report, kept.log, None)
    } else {
        (measure_on(network, job.seed, threads, halt)?, None, None)
    };
    let connections = log.map(|log| log.columns(network, report.warm_up));
    let document = Document {
        connections,
        ..Document::new(network, job.seed, report, watch.seconds())
    };
    Ok(Outcome { document, tape })
}

/// Why a run gave nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// The simulator says so.
    #[error("{0}")]
    Failed(Failure),
    /// A law was broken, which no input should cause: the message of the panic.
    #[error("internal error: {0}; please report it with the plan")]
    Broken(String),
}

/// Messages of [`run_all`] to its host.
#[derive(Debug)]
pub enum News {
    /// Job number so-and-so is done. Jobs are begun in order, but may end in any.
    Done(usize, Box<Result<Outcome, Fault>>),
    /// Nothing happened for a while.
    Quiet,
}

/// Provides jobs and takes results; called on the caller's thread only.
pub trait Host {
    /// The next job; none if there is nothing to do before one of those under way has ended. Jobs are numbered from 0.
    fn next(&mut self) -> Option<Job>;

    /// Called for each job as it ends, and at least every 50 ms. If it returns false, no further run begins, and running ones are
    /// halted and reported as such.
    fn hear(&mut self, news: News) -> bool;

    /// Whether the documents have no flows and no links ([`run_briefly`]).
    fn brief(&self) -> bool {
        false
    }
}

/// Runs the jobs of `host` on `threads` threads, until it has none and all have ended.
///
/// The results of a run depend on its job alone, not on threads or order.
pub fn run_all(host: &mut impl Host, threads: usize) {
    let (halt, brief) = (AtomicBool::new(false), host.brief());
    let (give, given) = mpsc::channel::<(usize, Job)>();
    let given = Mutex::new(given);
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (tell, given, halt) = (tell.clone(), &given, &halt);
            scope.spawn(move || {
                while let Some((number, job)) = take(given) {
                    // Every job that was handed out is reported, even if it is halted before it begins.
                    let outcome = guarded(&job, halt, brief);
                    if tell.send((number, Box::new(outcome))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        let (mut begun, mut ended) = (0, 0);
        loop {
            // Each thread has a second job waiting, so that it need not wait for the caller.
            while begun - ended < 2 * threads.max(1) && !halt.load(Ordering::Relaxed) {
                let Some(job) = host.next() else { break };
                if give.send((begun, job)).is_err() {
                    break;
                }
                begun += 1;
            }
            if begun == ended {
                break;
            }
            let news = match told.recv_timeout(Duration::from_millis(50)) {
                Ok((number, outcome)) => {
                    ended += 1;
                    News::Done(number, outcome)
                }
                Err(mpsc::RecvTimeoutError::Timeout) => News::Quiet,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            if !host.hear(news) {
                halt.store(true, Ordering::Relaxed);
            }
        }
        // No more jobs come: closing the channel ends the threads.
        drop(give);
    });
}

fn take(given: &Mutex<mpsc::Receiver<(usize, Job)>>) -> Option<(usize, Job)> {
    given.lock().ok()?.recv().ok()
}

fn guarded(job: &Job, halt: &AtomicBool, brief: bool) -> Result<Outcome, Fault> {
    if halt.load(Ordering::Relaxed) {
        return Err(Fault::Failed(Failure::Halted));
    }
    let run = if brief { run_briefly } else { run };
    catch_unwind(AssertUnwindSafe(|| run(job, halt)))
        .map_err(|panic| Fault::Broken(said(panic.as_ref())))?
        .map_err(Fault::Failed)
}

/// Message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").replace('\n', " ")
}
