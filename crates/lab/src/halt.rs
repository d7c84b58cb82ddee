//! Halting work that has no results in the middle, such as reading a plan: Ctrl-C ends it soon, however large the plan is.
//!
//! Such work calls `look` in every loop whose length the user chooses. It returns its results through many layers that know nothing of
//! halting, so a halt unwinds the stack, without a message, up to [`halting`].

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a halt throws.
struct Halted;

thread_local! {
    /// The flag of the work that this thread does.
    static HALT: RefCell<Arc<AtomicBool>> = RefCell::default();
}

/// Does `work`; `None` if `halt` was set before its end.
pub fn halting<T>(halt: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> Option<T> {
    let before = HALT.replace(Arc::clone(halt));
    let done = catch_unwind(AssertUnwindSafe(work));
    HALT.set(before);
    match done {
        Ok(done) => Some(done),
        Err(thrown) if thrown.is::<Halted>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// Ends the work of [`halting`] if its flag is set. Cheap; anything between two calls must take much less than a second.
pub(crate) fn look() {
    if HALT.with_borrow(|halt| halt.load(Ordering::Relaxed)) {
        resume_unwind(Box::new(Halted));
    }
}

/// The flag of the work that this thread does, for parts that look themselves.
pub(crate) fn flag() -> Arc<AtomicBool> {
    HALT.with_borrow(Arc::clone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::{forecast, rehearse};
    use crate::plan::Plan;

    /// One of each part of a plan that can be long.
    const PLANS: [&str; 4] = [
        "duration = \"1 s\"\nhost = [{ name = \"a\" }, { name = \"b\" }]\n\
         link = [{ name = \"l\", from = \"a\", to = \"b\", carries = \"packets\", rate = \"1 Mb/s\", delay = \"1 ms\" }]\n\
         flow = [{ name = \"f\", from = \"a\", to = \"b\" }]",
        "duration = \"1 s\"\nhost = [{ name = \"a\" }]",
        "topology = { kind = \"star\", hosts = 2, carries = \"packets\", access = { rate = \"1 Mb/s\", delay = \"1 ms\" } }",
        "sweep = { seeds = [1], duration = [\"1 s\", \"2 s\"] }",
    ];

    #[test]
    fn whatever_is_long_looks_for_a_halt() {
        let halted = Arc::new(AtomicBool::new(true));
        for text in PLANS {
            let read = || Plan::parse(text.as_bytes(), "x", &[]).is_ok();
            assert_eq!(halting(&halted, read), None, "{text}");
            assert!(halting(&Arc::default(), read).is_some(), "{text}");
        }
        let plan = Plan::parse(PLANS[0].as_bytes(), "x", &[]).expect("a right plan");
        let network = &plan.points[0].network;
        let key = &plan.points[0].key;
        assert!(halting(&halted, || forecast(network, key)).is_none());
        assert!(halting(&halted, || rehearse(network, 1, 1.0)).is_none_or(|it| it.is_none()));
    }

    #[test]
    fn flags_are_nested_and_other_panics_pass() {
        let (set, unset) = (Arc::new(AtomicBool::new(true)), Arc::default());
        let inner = || halting(&unset, || 3);
        assert_eq!(halting(&set, inner), Some(Some(3)));
        look();
        let passed =
            catch_unwind(|| halting(&Arc::default(), || resume_unwind(Box::new("else"))).is_some());
        assert!(passed.is_err());
        look();
    }
}
