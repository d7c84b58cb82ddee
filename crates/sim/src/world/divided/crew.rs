//! Threads that do one round of tasks after another. A thread begins with its own task, whose memory is in its cache. Then it does tasks that are not
//! claimed yet, so that no thread waits for one that has no processor.
//!
//! A round takes some 20 to 400 microseconds, and waking a thread would take a good part of that. So threads wait by looking again and again, and
//! sleep only if that takes long. If the operating system takes the processor from a thread in the middle of a task,
//! all others wait for milliseconds. Where this happens, other programs need the cores: then one thread does all tasks for a while.

use std::hint::spin_loop;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// For how long a thread looks before it sleeps.
const LOOKS: Duration = Duration::from_micros(500);
/// Looks from one glance at the clock to the next.
const GLANCE: u32 = 64;

/// A thread that is waited for this long has lost its processor, unless the others worked nearly as long.
const LOST: Duration = Duration::from_millis(1);
/// How many times longer than the others worked.
const LONGER: u32 = 8;

/// The first thread works alone for the first of these, and each time twice as long, up to the second.
const ALONE: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(640)];
/// If nothing was lost for this long, it begins with the shortest time again.
const FORGOTTEN: Duration = Duration::from_secs(2);
/// Meanwhile the others look at such intervals whether they are needed again.
const NAP: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Crew {
    /// One more than the number of the round that tasks get; 0 before the first.
    round: AtomicU64,
    /// Per task the last round in which it was claimed.
    claimed: Vec<AtomicU64>,
    /// Tasks of the round that are done.
    done: AtomicUsize,
    /// The first thread works alone.
    alone: AtomicBool,
    over: AtomicBool,
    /// A thread has panicked: its task is never done.
    broken: AtomicBool,
    sleepers: Mutex<Vec<Thread>>,
    sleep: AtomicUsize,
}

/// Ends the work when the first thread leaves, in whatever way.
struct Ends<'c>(&'c Crew);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.wake_all();
    }
}

/// Tells the first thread of a panic.
struct Breaks<'c>(&'c Crew);

impl Drop for Breaks<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

impl Crew {
    /// For rounds of this many tasks.
    pub fn new(tasks: usize) -> Self {
        Self {
            round: AtomicU64::new(0),
            claimed: (0..tasks).map(|_| AtomicU64::new(0)).collect(),
            done: AtomicUsize::new(0),
            alone: AtomicBool::new(false),
            over: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            sleepers: Mutex::new(Vec::new()),
            sleep: AtomicUsize::new(0),
        }
    }

    /// What the first thread does: rounds from 0 on, as long as `more` says so before each of them. `task` gets the numbers of the round and the task.
    /// What a task wrote can be read in `more` and in the next round.
    pub fn lead(&self, task: impl Fn(u64, usize), mut more: impl FnMut(u64) -> bool) {
        let _ends = Ends(self);
        let mut patience = Patience::new();
        for round in 1.. {
            if self.broken.load(Ordering::Acquire) || !more(round - 1) {
                break;
            }
            let alone = patience.is_alone();
            self.alone.store(alone, Ordering::Relaxed);
            self.done.store(0, Ordering::Relaxed);
            self.round.store(round, Ordering::SeqCst);
            if !alone {
                self.wake_all();
            }
            let began = Instant::now();
            self.works(0, round, &task);
            let worked = began.elapsed();
            self.wait_for_the_others();
            patience.waited(began.elapsed().saturating_sub(worked), worked);
        }
    }

    /// What thread `me`, which is not the first, does: in each round the tasks that it can claim, until all is over.
    pub fn help(&self, me: usize, task: impl Fn(u64, usize)) {
        let _breaks = Breaks(self);
        let (mut looks, mut last) = (Looks::new(), 0);
        while !self.over.load(Ordering::Acquire) {
            let round = self.round.load(Ordering::Acquire);
            if self.alone.load(Ordering::Relaxed) {
                thread::sleep(NAP);
            } else if round != last {
                self.works(me, round, &task);
                (looks, last) = (Looks::new(), round);
            } else if !looks.again() {
                self.sleep(round);
                looks = Looks::new();
            }
        }
    }

    /// Does the tasks of a round that nobody has claimed, its own first.
    fn works(&self, me: usize, round: u64, task: &impl Fn(u64, usize)) {
        let tasks = self.claimed.len();
        for at in (0..tasks).map(|n| (me + n) % tasks) {
            let claimed = &self.claimed[at];
            // A thread that is late finds that all of its round is claimed.
            let mine =
                claimed.compare_exchange(round - 1, round, Ordering::AcqRel, Ordering::Relaxed);
            if mine.is_ok() {
                task(round - 1, at);
                self.done.fetch_add(1, Ordering::AcqRel);
            }
        }
    }

    fn wait_for_the_others(&self) {
        let mut looks = Looks::new();
        while self.done.load(Ordering::Acquire) < self.claimed.len()
            && !self.broken.load(Ordering::Acquire)
        {
            if !looks.again() {
                thread::sleep(Duration::from_micros(20));
            }
        }
    }

    /// Sleeps until it is woken, unless another round has begun or all is over.
    fn sleep(&self, round: u64) {
        if let Ok(mut sleepers) = self.sleepers.lock() {
            sleepers.push(thread::current());
        }
        self.sleep.fetch_add(1, Ordering::SeqCst);
        if self.round.load(Ordering::SeqCst) == round && !self.over.load(Ordering::SeqCst) {
            thread::park();
        }
    }

    fn wake_all(&self) {
        if self.sleep.swap(0, Ordering::SeqCst) > 0
            && let Ok(mut sleepers) = self.sleepers.lock()
        {
            sleepers.drain(..).for_each(|it| it.unpark());
        }
    }
}

/// Looking again and again, for a limited time.
struct Looks {
    many: u32,
    since: Option<Instant>,
}

impl Looks {
    const fn new() -> Self {
        Self {
            many: 0,
            since: None,
        }
    }

    /// Whether to look again, after a moment.
    fn again(&mut self) -> bool {
        self.many += 1;
        spin_loop();
        if !self.many.is_multiple_of(GLANCE) {
            return true;
        }
        let now = Instant::now();
        now - *self.since.get_or_insert(now) < LOOKS
    }
}

/// Decides when the first thread works alone.
struct Patience {
    /// Until then.
    alone: Option<Instant>,
    /// For how long next time.
    next: Duration,
    lost: Option<Instant>,
}

impl Patience {
    const fn new() -> Self {
        Self {
            alone: None,
            next: ALONE[0],
            lost: None,
        }
    }

    fn is_alone(&self) -> bool {
        self.alone.is_some()
    }

    /// In a round, the first thread worked, and then waited for the others.
    fn waited(&mut self, waited: Duration, worked: Duration) {
        if let Some(until) = self.alone {
            if Instant::now() >= until {
                self.alone = None;
            }
            return;
        }
        if waited < LOST.max(worked * LONGER) {
            return;
        }
        let now = Instant::now();
        if self.lost.is_some_and(|before| now - before > FORGOTTEN) {
            self.next = ALONE[0];
        }
        (self.lost, self.alone) = (Some(now), Some(now + self.next));
        self.next = (2 * self.next).min(ALONE[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does rounds on three threads; returns how often each task was done in each round.
    fn rounds(many: u64, tasks: usize) -> Vec<Vec<usize>> {
        let crew = Crew::new(tasks);
        let done: Vec<Vec<AtomicUsize>> = (0..many)
            .map(|_| (0..tasks).map(|_| AtomicUsize::new(0)).collect())
            .collect();
        let task = |round: u64, at: usize| {
            // All of the round before is done.
            if let Some(before) = round.checked_sub(1) {
                assert!(
                    done[before as usize]
                        .iter()
                        .all(|it| it.load(Ordering::Relaxed) == 1)
                );
            }
            done[round as usize][at].fetch_add(1, Ordering::Relaxed);
        };
        thread::scope(|scope| {
            for me in 1..3 {
                let crew = &crew;
                scope.spawn(move || crew.help(me, task));
            }
            crew.lead(task, |round| round < many);
        });
        let counts = done
            .into_iter()
            .map(|of| of.into_iter().map(AtomicUsize::into_inner).collect());
        counts.collect()
    }

    #[test]
    fn each_task_of_a_round_is_done_once_before_the_next_round() {
        for tasks in [1, 2, 3, 7] {
            assert_eq!(rounds(2000, tasks), vec![vec![1; tasks]; 2000]);
        }
    }

    #[test]
    fn a_panic_of_any_thread_ends_the_work() {
        for leads in [false, true] {
            let crew = Crew::new(2);
            let main = thread::current().id();
            let task = |round: u64, _| {
                // With two tasks, some round gives one to the thread that panics.
                assert!(
                    round < 10 || (thread::current().id() == main) != leads,
                    "as it should"
                );
                thread::sleep(Duration::from_micros(200));
            };
            let panics = thread::scope(|scope| {
                let helper = scope.spawn(|| {
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| crew.help(1, task)))
                        .is_err()
                });
                let led = std::panic::AssertUnwindSafe(|| crew.lead(task, |_| true));
                let led = std::panic::catch_unwind(led).is_err();
                [led, helper.join().unwrap_or(true)]
            });
            assert_eq!(panics, [leads, !leads]);
        }
    }

    #[test]
    fn the_first_thread_works_alone_after_a_loss_and_longer_after_more() {
        let mut patience = Patience::new();
        // As long as the work, or shorter than a loss: no loss.
        patience.waited(Duration::from_millis(5), Duration::from_millis(4));
        patience.waited(Duration::from_micros(900), Duration::ZERO);
        assert!(!patience.is_alone());
        patience.waited(Duration::from_millis(5), Duration::from_micros(100));
        assert!(patience.is_alone());
        assert_eq!(patience.next, 2 * ALONE[0]);
        patience.alone = Some(Instant::now());
        patience.waited(Duration::ZERO, Duration::ZERO);
        assert!(!patience.is_alone());
        for _ in 0..10 {
            patience.alone = None;
            patience.waited(Duration::from_secs(1), Duration::ZERO);
        }
        assert_eq!(patience.next, ALONE[1]);
    }
}
