//! A gate that opens when all threads have come to it. A window takes some ten microseconds, less than it takes to put a thread to sleep and to wake it, so
//! threads wait by looking again and again.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Looks before a thread leaves its core to others.
const LOOKS: u32 = 2000;

#[derive(Debug)]
pub(super) struct Gate {
    threads: usize,
    came: AtomicUsize,
    opened: AtomicUsize,
    /// A thread has panicked, and will not come any more: the gate stays open.
    broken: AtomicBool,
}

/// Breaks the gate if it is dropped before all went well.
pub(super) struct Watch<'g> {
    gate: &'g Gate,
    well: bool,
}

impl Gate {
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            came: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits until all have come. What they wrote before, all read after.
    pub fn pass(&self) {
        let times = self.opened.load(Ordering::Acquire);
        if self.came.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.came.store(0, Ordering::Relaxed);
            self.opened.store(times.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.opened.load(Ordering::Acquire) == times && !self.broken.load(Ordering::Relaxed) {
            if looks < LOOKS {
                looks += 1;
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }

    /// Whether a thread has panicked.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Watches over a thread.
    pub fn watch(&self) -> Watch<'_> {
        Watch {
            gate: self,
            well: false,
        }
    }
}

impl Watch<'_> {
    pub fn went_well(mut self) {
        self.well = true;
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.well {
            self.gate.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_before_all_have_come() {
        const TIMES: usize = 2000;
        let (gate, sum) = (Gate::new(3), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=TIMES {
                        sum.fetch_add(1, Ordering::Relaxed);
                        gate.pass();
                        let found = sum.load(Ordering::Relaxed);
                        assert!(
                            (3 * round..=3 * round + 2).contains(&found),
                            "{round}: {found}"
                        );
                    }
                });
            }
        });
        assert!(!gate.is_broken());
    }

    #[test]
    fn a_panic_opens_it_for_the_others() {
        let gate = Gate::new(2);
        let waits = thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _watch = gate.watch();
                panic!("as it should");
            });
            gate.pass();
            panics.join().is_err()
        });
        assert!(waits && gate.is_broken());
    }
}
