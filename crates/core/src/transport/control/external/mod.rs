//! An external controller: a [`Controller`] written elsewhere, in any language, by whoever runs the plan.
//!
//! Its window, its slow-start threshold and its rate are read after every call, and checked. A controller that breaks a law is told so
//! once, and is not called again: from then on its sender has the last window that was right.

use super::{
    About, AckSample, Answer, Controller, Lost, Needs, Outstanding, Sending, Signal, Wants,
};
use crate::measure::Rate;
use crate::rng::Stream;
use crate::roster::Entry;
use crate::time::Instant;
use crate::transport::Common;
use crate::unit::Ecn;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// The word in plans.
pub const KIND: &str = "external";

/// The repair beside an external controller if a plan names none.
pub const REPAIR: &str = "sack";

/// A controller by its trait.
pub type Boxed = Box<dyn Controller + Send>;

/// Breaches of a law by an external controller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Breach {
    /// Its window is no number, infinite, or below one segment.
    Window(f64),
    /// Its slow-start threshold is no number, or below one segment.
    Threshold(f64),
    /// Its rate is zero: nothing would ever be sent again.
    Rate,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window(window) => write!(
                f,
                "its window is {window} segments; a window is a finite number, at least 1"
            ),
            Self::Threshold(threshold) => write!(
                f,
                "its slow-start threshold is {threshold} segments; write a number, at least 1, or infinity"
            ),
            Self::Rate => write!(
                f,
                "its pacing rate is below 1 bit/s, at which nothing is sent; write a rate above 0, or none for no limit"
            ),
        }
    }
}

/// The law that `controller` breaks with what it answers now, if it breaks one.
pub fn breach(controller: &(dyn Controller + Send)) -> Option<Breach> {
    let (window, threshold) = (controller.window(), controller.ssthresh());
    if !(window >= 1.0 && window.is_finite()) {
        return Some(Breach::Window(window));
    }
    if threshold.is_nan() || threshold < 1.0 {
        return Some(Breach::Threshold(threshold));
    }
    (controller.pacing() == Some(Rate(0))).then_some(Breach::Rate)
}

/// Makes an external controller for every connection.
pub trait ExternalSource: fmt::Debug + Send + Sync {
    /// A new one, at the start of a connection with these parameters.
    fn controller(&self, common: &Common) -> Boxed;
    /// Its reaction to a loss, by which repairs accept it or not.
    fn answer(&self) -> Answer {
        Answer::Halves
    }
    /// Codepoint of its data if `ecn` is true; see [`About::ect`].
    fn ect(&self) -> Ecn {
        Ecn::Ect0
    }
    /// The controller called `name` in plans has broken a law.
    ///
    /// # Panics
    /// Unless it is implemented.
    fn on_breach(&self, name: &str, now: Instant, breach: Breach) {
        panic!("{name} at {} s: {breach}", now.seconds());
    }
    /// Executes a whole run with its controllers on one thread, so that calls to them can be prepared once.
    fn during(&self, run: &mut (dyn FnMut() + Send)) {
        run();
    }
}

/// A source of controllers that a function makes.
struct Made<F>(F, Answer);

impl<F> fmt::Debug for Made<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Made({:?})", self.1)
    }
}

impl<C: Controller + Send + 'static, F: Fn(&Common) -> C + Send + Sync> ExternalSource for Made<F> {
    fn controller(&self, common: &Common) -> Boxed {
        Box::new((self.0)(common))
    }
    fn answer(&self) -> Answer {
        self.1
    }
}

/// The source of the controllers that `make` makes, which react to a loss as `answer` says. A breach of a law is a panic.
pub fn source<C: Controller + Send + 'static>(
    answer: Answer,
    make: impl Fn(&Common) -> C + Send + Sync + 'static,
) -> Arc<dyn ExternalSource> {
    Arc::new(Made(make, answer))
}

/// Entries of external controllers; they are on no roster, because programs that read plans need not have any.
static ENTRIES: [Entry<About>; 3] = [
    entry_of(Answer::Halves),
    entry_of(Answer::Stays),
    entry_of(Answer::Closes),
];

const fn entry_of(answer: Answer) -> Entry<About> {
    Entry {
        name: KIND,
        summary: "A controller that the program brings along.",
        source: "common practice",
        parameters: &[],
        about: About::new(answer, Needs::Acks),
    }
}

/// The entry of external controllers that react to a loss in this way.
pub fn entry(answer: Answer) -> &'static Entry<About> {
    let found = ENTRIES.iter().find(|it| it.about.answer == answer);
    found.unwrap_or(&ENTRIES[0])
}

/// Whose external controller it is.
#[derive(Clone, Debug)]
pub struct ExternalParams {
    /// Its name in plans.
    pub name: String,
    /// Its source; `None` before that is known, and then no sender can be made.
    pub from: Option<Arc<dyn ExternalSource>>,
}

impl ExternalParams {
    /// The word.
    pub fn name(&self) -> &str {
        KIND
    }

    /// Does the whole of a run: see [`ExternalSource::during`].
    pub fn during(&self, run: &mut (dyn FnMut() + Send)) {
        match &self.from {
            Some(from) => from.during(run),
            None => run(),
        }
    }
}

impl PartialEq for ExternalParams {
    fn eq(&self, other: &Self) -> bool {
        let of = |it: &Self| it.from.as_ref().map(|from| Arc::as_ptr(from).cast::<()>());
        self.name == other.name && of(self) == of(other)
    }
}

/// An external controller, with its latest answers.
struct Held {
    controller: Boxed,
    params: ExternalParams,
    /// Upper bound of the window: `max_cwnd`.
    most: f64,
    window: f64,
    ssthresh: f64,
    rate: Option<Rate>,
    now: Instant,
    /// Whether it has broken a law.
    over: bool,
}

/// A controller that is an external one.
pub struct External(Box<Held>);

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "External({:?}, {})", self.0.params.name, self.0.window)
    }
}

impl External {
    /// At the start of a connection.
    pub fn new(params: &ExternalParams, common: &Common) -> Self {
        let Some(from) = &params.from else {
            unreachable!("a plan is right only if its externals are there")
        };
        let most = common.max_cwnd.map(|it| it.whole_segments(common.mss));
        let mut it = Self(Box::new(Held {
            controller: from.controller(common),
            params: params.clone(),
            most: most.map_or(f64::INFINITY, |it| it as f64),
            window: 1.0,
            ssthresh: f64::INFINITY,
            rate: None,
            now: Instant::ZERO,
            over: false,
        }));
        it.0.look();
        it
    }
}

impl Held {
    /// Tells it something, and reads its answers.
    fn tell(&mut self, now: Instant, told: impl FnOnce(&mut dyn Controller)) {
        self.now = now;
        if !self.over {
            told(&mut *self.controller);
            self.look();
        }
    }

    fn look(&mut self) {
        if let Some(breach) = breach(&*self.controller) {
            self.over = true;
            if let Some(from) = &self.params.from {
                from.on_breach(&self.params.name, self.now, breach);
            }
            return;
        }
        self.window = self.controller.window().min(self.most);
        self.ssthresh = self.controller.ssthresh();
        self.rate = self.controller.pacing();
    }
}

impl Controller for External {
    fn window(&self) -> f64 {
        self.0.window
    }
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }
    fn state(&self, recovering: bool) -> &'static str {
        if self.0.over {
            return "broken";
        }
        self.0.controller.state(recovering)
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.0.tell(sample.now, |it| it.on_ack(sample));
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        let now = outstanding.now;
        self.0.tell(now, |it| it.on_congestion(signal, outstanding));
    }
    fn save(&mut self) {
        let now = self.0.now;
        self.0.tell(now, |it| it.save());
    }
    fn undo(&mut self) {
        let now = self.0.now;
        self.0.tell(now, |it| it.undo());
    }
    fn on_recovered(&mut self, outstanding: &Outstanding) {
        let now = outstanding.now;
        self.0.tell(now, |it| it.on_recovered(outstanding));
    }
    fn on_deflate(&mut self, segments: u64) {
        let now = self.0.now;
        self.0.tell(now, |it| it.on_deflate(segments));
    }
    fn wants(&self) -> Wants {
        self.0.controller.wants()
    }
    fn pacing(&self) -> Option<Rate> {
        self.0.rate
    }
    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        self.0.tell(Instant::ZERO, |it| it.draw_from(make));
    }
    fn holds_back(&self) -> bool {
        !self.0.over && self.0.controller.holds_back()
    }
    fn on_lost(&mut self, lost: &Lost) {
        self.0.tell(lost.now, |it| it.on_lost(lost));
    }
    fn on_sent(&mut self, sending: &Sending) {
        self.0.tell(sending.now, |it| it.on_sent(sending));
    }
    fn next_at(&self, now: Instant) -> Instant {
        if self.0.over {
            return Instant::ZERO;
        }
        self.0.controller.next_at(now)
    }
    fn begins_pair(&self, now: Instant) -> bool {
        !self.0.over && self.0.controller.begins_pair(now)
    }
}

#[cfg(test)]
mod tests;
