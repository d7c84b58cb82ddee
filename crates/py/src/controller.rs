//! Controllers written in Python: `dupack.Controller` in place of a Rust one.

use crate::guests::Guest;
use dupack_core::measure::{Rate, Window};
use dupack_core::rng::Stream;
use dupack_core::time::{Duration, Instant};
use dupack_core::transport::Common;
use dupack_core::transport::control::external::{Boxed, Breach, ExternalSource};
use dupack_core::transport::control::{
    AckSample, Answer, Controller, Lost, Newest, Outstanding, Phase, Sending, Signal, Wants,
};
use dupack_core::unit::Ecn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;

/// What a controller is told of an ack: times in seconds, counts in segments.
#[pyclass(frozen, module = "dupack._native")]
#[derive(Debug)]
pub struct Ack(AckSample);

impl Ack {
    fn newest(&self) -> Option<Newest> {
        self.0.delivery?.newest
    }
}

#[pymethods]
impl Ack {
    /// Time of its arrival [s].
    #[getter]
    fn now(&self) -> f64 {
        self.0.now.seconds()
    }
    /// ``"open"``, ``"recovery"`` while losses are repaired, ``"over"`` for the ack that completes a repair.
    #[getter]
    fn phase(&self) -> &'static str {
        match self.0.phase {
            Phase::Open => "open",
            Phase::Recovery => "recovery",
            Phase::Over => "over",
        }
    }
    /// Whether windows grow with it: it acknowledges new data, nothing is being repaired, and it echoes no mark.
    #[getter]
    fn opens(&self) -> bool {
        self.0.opens()
    }
    /// Segments by which it advances the cumulative ack.
    #[getter]
    fn acked(&self) -> u64 {
        self.0.acked
    }
    /// Whether it bears ECN-Echo.
    #[getter]
    fn ece(&self) -> bool {
        self.0.ece
    }
    /// Segments that it says arrived with a mark; exact only with ``ecn_echo="exact"`` or ``"counter"``.
    #[getter]
    fn ce(&self) -> u64 {
        self.0.ce
    }
    /// Segments sent and not acknowledged when it arrived, those that it acknowledges among them.
    #[getter]
    fn flight(&self) -> u64 {
        self.0.flight
    }
    /// Segments thought to be in the network now.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.0.in_flight
    }
    /// Whether a transmission waits for its pace.
    #[getter]
    fn paced(&self) -> bool {
        self.0.paced
    }
    /// Smoothed round-trip time [s]; None until one is measured.
    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.0.srtt.map(Duration::seconds)
    }
    /// The shortest round-trip time so far [s]; None until one is measured.
    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        self.0.min_rtt.map(Duration::seconds)
    }
    /// Whether a window of ``window`` segments, and not the application or the receiver, limited what was outstanding.
    fn is_limited_by(&self, window: f64) -> bool {
        self.0.is_limited_by(window)
    }
    /// Segments that it is the first to report as arrived; None without ``wants_records``, like all that follows.
    #[getter]
    fn arrived(&self) -> Option<u64> {
        Some(self.0.delivery?.arrived)
    }
    /// Those of them beyond the next segment expected.
    #[getter]
    fn sacked(&self) -> Option<u64> {
        Some(self.0.delivery?.sacked)
    }
    /// Transmissions that were taken for lost since the last ack.
    #[getter]
    fn lost(&self) -> Option<u64> {
        Some(self.0.delivery?.lost)
    }
    /// Segments that have arrived so far.
    #[getter]
    fn delivered(&self) -> Option<u64> {
        Some(self.0.delivery?.delivered)
    }
    /// Number of round trips so far.
    #[getter]
    fn round(&self) -> Option<u64> {
        Some(self.0.delivery?.round)
    }
    /// Round-trip time of the latest transmission that it reports [s]; None also if that is not known.
    #[getter]
    fn rtt(&self) -> Option<f64> {
        Some(self.newest()?.rtt?.seconds())
    }
    /// Delivery rate between that transmission and this ack [bit/s], in full packets with headers; None also if it was not measured.
    #[getter]
    fn delivery_rate(&self) -> Option<f64> {
        Some(self.newest()?.delivery_rate?.bps())
    }
    /// Whether the application had not enough data when that was sent, so that the rate may be the application's.
    #[getter]
    fn app_limited(&self) -> Option<bool> {
        Some(self.newest()?.app_limited)
    }
    /// Segments that had arrived when that was sent.
    #[getter]
    fn delivered_when_sent(&self) -> Option<u64> {
        Some(self.newest()?.delivered_when_sent)
    }
    /// Segments in the network when that was sent, itself among them.
    #[getter]
    fn in_flight_when_sent(&self) -> Option<u64> {
        Some(self.newest()?.in_flight_when_sent)
    }
    /// Transmissions taken for lost since that was sent.
    #[getter]
    fn lost_since_sent(&self) -> Option<u64> {
        Some(self.newest()?.lost_since_sent)
    }

    fn __repr__(&self) -> String {
        format!(
            "Ack(now {} s, {}, acked {}, flight {})",
            self.now(),
            self.phase(),
            self.0.acked,
            self.0.flight
        )
    }
}

/// What a controller is told when congestion is found.
#[pyclass(frozen, module = "dupack._native")]
#[derive(Debug)]
pub struct Congestion {
    signal: Signal,
    outstanding: Outstanding,
}

#[pymethods]
impl Congestion {
    /// ``"loss"``, once for all that was outstanding; ``"ecn"`` for an echoed mark, at most once per window; ``"timeout"``, by which
    /// everything outstanding counts as lost. QUIC's persistent congestion is a timeout, too.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.signal {
            Signal::Loss { .. } => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout { .. } => "timeout",
        }
    }
    /// Time at which it is found [s].
    #[getter]
    fn now(&self) -> f64 {
        self.outstanding.now.seconds()
    }
    /// Segments sent and not acknowledged, without those sent by limited transmit.
    #[getter]
    fn flight(&self) -> u64 {
        self.outstanding.flight
    }
    /// The receiver's window [segments].
    #[getter]
    fn receiver_window(&self) -> u64 {
        self.outstanding.receiver
    }
    /// Whether the oldest segment outstanding has been sent again already.
    #[getter]
    fn resent(&self) -> bool {
        self.outstanding.resent
    }
    /// Of a loss: a mark in the same window of data was told already, so that this is no new congestion.
    #[getter]
    fn echoed(&self) -> bool {
        matches!(self.signal, Signal::Loss { echoed: true })
    }
    /// Of a timeout: nothing new has been acknowledged since the one before.
    #[getter]
    fn again(&self) -> bool {
        matches!(self.signal, Signal::Timeout { again: true })
    }

    fn __repr__(&self) -> String {
        format!(
            "Congestion({}, now {} s, flight {})",
            self.kind(),
            self.now(),
            self.outstanding.flight
        )
    }
}

/// Makes the controllers of a run from a prototype; each connection gets a copy.
#[derive(Debug)]
pub struct PythonControllers {
    guest: Arc<Guest>,
    answer: Answer,
    ect: Ecn,
    wants: Wants,
}

/// The value of a class's attribute that is one of some words.
fn word<T: Copy>(found: &Bound<'_, PyAny>, name: &str, words: &[(&str, T)]) -> PyResult<T> {
    let value = found.getattr(name)?;
    let text = value.extract::<String>().unwrap_or_default();
    if let Some((_, it)) = words.iter().find(|(word, _)| *word == text) {
        return Ok(*it);
    }
    let known: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    Err(PyValueError::new_err(format!(
        "{}.{name} is {}; allowed: {}",
        found.get_type().name()?,
        value.repr()?,
        known.join(", ")
    )))
}

impl PythonControllers {
    /// For the controller of this `guest`.
    pub fn new(py: Python<'_>, guest: Arc<Guest>) -> PyResult<Self> {
        let found = guest.prototype(py);
        let answers = [
            ("halves", Answer::Halves),
            ("stays", Answer::Stays),
            ("closes", Answer::Closes),
        ];
        let codepoints = [("ECT(0)", Ecn::Ect0), ("ECT(1)", Ecn::Ect1)];
        let (answer, ect) = (
            word(found, "answer", &answers)?,
            word(found, "ect", &codepoints)?,
        );
        let wants = Wants {
            records: found.getattr("wants_records")?.is_truthy()?,
            pacing: found.getattr("wants_pacing")?.is_truthy()?,
            ..Wants::default()
        };
        Ok(Self {
            guest,
            answer,
            ect,
            wants,
        })
    }
}

impl ExternalSource for PythonControllers {
    fn controller(&self, common: &Common) -> Boxed {
        let segments = |window: Window| window.whole_segments(common.mss) as f64;
        let initial = segments(common.initial_window);
        Box::new(PythonController {
            guest: Arc::clone(&self.guest),
            wants: self.wants,
            common: Values {
                mss: common.mss.0,
                header: common.header.0,
                initial_window: initial,
                initial_ssthresh: common.initial_ssthresh.map_or(f64::INFINITY, segments),
                loss_window: segments(common.loss_window),
            },
            parts: None,
            window: initial,
            ssthresh: f64::INFINITY,
            rate: None,
            now: Instant::ZERO,
        })
    }

    fn answer(&self) -> Answer {
        self.answer
    }

    fn ect(&self) -> Ecn {
        self.ect
    }

    fn on_breach(&self, _: &str, now: Instant, breach: Breach) {
        self.guest.breach(now, &breach);
    }

    fn during(&self, run: &mut (dyn FnMut() + Send)) {
        self.guest.during(run);
    }
}

/// Values of the transport that a controller may use.
#[derive(Clone, Copy, Debug)]
struct Values {
    mss: u64,
    header: u64,
    initial_window: f64,
    initial_ssthresh: f64,
    loss_window: f64,
}

/// Python objects that are called; those that the class does not define are not.
#[derive(Debug)]
struct Parts {
    object: Py<PyAny>,
    on_ack: Py<PyAny>,
    on_congestion: Py<PyAny>,
    save: Option<Py<PyAny>>,
    undo: Option<Py<PyAny>>,
    on_recovered: Option<Py<PyAny>>,
    on_partial_ack: Option<Py<PyAny>>,
    on_lost: Option<Py<PyAny>>,
    on_sent: Option<Py<PyAny>>,
}

impl Parts {
    fn new(prototype: &Bound<'_, PyAny>, common: &Values, seed: u64) -> PyResult<Self> {
        let py = prototype.py();
        let values = (
            common.mss,
            common.header,
            common.initial_window,
            common.initial_ssthresh,
            common.loss_window,
        );
        let object = prototype.call_method1("begun", (values, seed))?;
        let class = py.import("dupack.controller")?.getattr("Controller")?;
        let own = |name: &str| {
            let same = object.get_type().getattr(name)?.is(&class.getattr(name)?);
            let method = object.getattr(name)?.unbind();
            Ok::<_, PyErr>((!same).then_some(method))
        };
        Ok(Self {
            on_ack: object.getattr("on_ack")?.unbind(),
            on_congestion: object.getattr("on_congestion")?.unbind(),
            save: own("save")?,
            undo: own("undo")?,
            on_recovered: own("on_recovered")?,
            on_partial_ack: own("on_partial_ack")?,
            on_lost: own("on_lost")?,
            on_sent: own("on_sent")?,
            object: object.unbind(),
        })
    }
}

#[derive(Debug)]
struct PythonController {
    guest: Arc<Guest>,
    wants: Wants,
    common: Values,
    /// `None` before it begins, and once it has failed.
    parts: Option<Parts>,
    window: f64,
    ssthresh: f64,
    rate: Option<Rate>,
    /// Time of the last call.
    now: Instant,
}

/// A number that is an attribute.
fn number(found: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    found.extract().map_err(|_| {
        let given = found
            .repr()
            .map_or_else(|_| "?".into(), |it| it.to_string());
        PyTypeError::new_err(format!("{name} is {given}, which is no number"))
    })
}

impl PythonController {
    /// Calls it, and reads its answers.
    fn tell(
        &mut self,
        what: &str,
        now: Instant,
        call: impl FnOnce(Python<'_>, &Parts) -> PyResult<()>,
    ) {
        self.now = now;
        let Some(parts) = &self.parts else {
            return;
        };
        let answers = Python::attach(|py| {
            let read = || {
                call(py, parts)?;
                let object = parts.object.bind(py);
                let window = number(&object.getattr(intern!(py, "window"))?, "window")?;
                let ssthresh = number(&object.getattr(intern!(py, "ssthresh"))?, "ssthresh")?;
                let rate = object.getattr(intern!(py, "pacing_rate"))?;
                let rate = match rate.is_none() {
                    true => None,
                    false if self.wants.pacing => Some(number(&rate, "pacing_rate")?),
                    false => {
                        let told = "pacing_rate is set, but wants_pacing is False, so that no packet would wait for it";
                        return Err(PyValueError::new_err(told));
                    }
                };
                Ok((window, ssthresh, rate))
            };
            read().map_err(|error| self.guest.fail(py, what, now, error))
        });
        match answers {
            Ok((window, ssthresh, rate)) => {
                (self.window, self.ssthresh) = (window, ssthresh);
                // A rate that is no number becomes 0, which is a breach.
                self.rate = rate.map(|rate| Rate(rate as u64));
            }
            Err(()) => self.parts = None,
        }
    }
}

impl PythonController {
    /// Calls a method that a class need not define.
    fn tell_if_defined<A: for<'py> pyo3::call::PyCallArgs<'py>>(
        &mut self,
        what: &str,
        now: Instant,
        method: fn(&Parts) -> &Option<Py<PyAny>>,
        told: A,
    ) {
        if self.parts.as_ref().is_some_and(|it| method(it).is_some()) {
            self.tell(what, now, |py, parts| {
                let method = method(parts).as_ref();
                method.map_or(Ok(()), |it| it.call1(py, told).map(|_| ()))
            });
        }
    }
}

impl Controller for PythonController {
    fn window(&self) -> f64 {
        self.window
    }
    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }
    fn pacing(&self) -> Option<Rate> {
        self.rate
    }
    fn wants(&self) -> Wants {
        self.wants
    }
    // Called once, before anything else: it begins with its random numbers.
    fn draw_from(&mut self, make: &dyn Fn() -> Stream) {
        let seed = make().between(0, u64::MAX);
        Python::attach(
            |py| match Parts::new(self.guest.prototype(py), &self.common, seed) {
                Ok(parts) => self.parts = Some(parts),
                Err(error) => self.guest.fail(py, "start", Instant::ZERO, error),
            },
        );
        self.tell("start", Instant::ZERO, |_, _| Ok(()));
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.tell("on_ack", sample.now, |py, parts| {
            parts.on_ack.call1(py, (Ack(*sample),)).map(|_| ())
        });
    }
    fn on_congestion(&mut self, signal: Signal, outstanding: &Outstanding) {
        self.tell("on_congestion", outstanding.now, |py, parts| {
            let outstanding = *outstanding;
            let told = Congestion {
                signal,
                outstanding,
            };
            parts.on_congestion.call1(py, (told,)).map(|_| ())
        });
    }
    fn save(&mut self) {
        self.tell_if_defined("save", self.now, |it| &it.save, ());
    }
    fn undo(&mut self) {
        self.tell_if_defined("undo", self.now, |it| &it.undo, ());
    }
    fn on_recovered(&mut self, outstanding: &Outstanding) {
        let told = (outstanding.now.seconds(), outstanding.flight);
        let now = outstanding.now;
        self.tell_if_defined("on_recovered", now, |it| &it.on_recovered, told);
    }
    fn on_deflate(&mut self, segments: u64) {
        let now = self.now;
        self.tell_if_defined("on_partial_ack", now, |it| &it.on_partial_ack, (segments,));
    }
    fn on_lost(&mut self, lost: &Lost) {
        let told = (lost.now.seconds(), lost.in_flight_when_sent);
        self.tell_if_defined("on_lost", lost.now, |it| &it.on_lost, told);
    }
    fn on_sent(&mut self, sending: &Sending) {
        let told = (sending.now.seconds(), sending.in_flight);
        self.tell_if_defined("on_sent", sending.now, |it| &it.on_sent, told);
    }
}
