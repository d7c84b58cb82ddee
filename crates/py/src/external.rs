//! Disciplines written in Python: `dupack.Discipline` in place of a Rust one.

use crate::guests::Guest;
use dupack_core::ledger::Cause;
use dupack_core::measure::Bytes;
use dupack_core::queue::Line;
use dupack_core::queue::external::{
    Breach, Decisions, ExternalDiscipline, ExternalSource, Failed, Number, Seen,
};
use dupack_core::time::Instant;
use dupack_core::unit::{CONTROL, DATA, Ecn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a discipline may drop a unit: the words that reports use.
const CAUSES: [Cause; 4] = [
    Cause::Overflow,
    Cause::Early,
    Cause::Partial,
    Cause::PushedOut,
];

/// A packet or a cell, as a discipline sees it.
#[pyclass(module = "dupack._native")]
#[derive(Debug)]
pub struct Unit {
    /// Whose it is: the number of a flow's direction; the VC of a cell.
    #[pyo3(get)]
    flow: u32,
    /// Between which hosts it travels: a number that packets of the same pair share.
    #[pyo3(get)]
    hosts: u32,
    /// Its length [bytes].
    #[pyo3(get)]
    bytes: u64,
    /// Whether it ends a packet; always true for a packet.
    #[pyo3(get)]
    last: bool,
    /// Its class of service: 0 for data, 1 for acks and trimmed packets.
    #[pyo3(get)]
    priority: u8,
    /// Its ECN field: ``"Not-ECT"``, ``"ECT(0)"``, ``"ECT(1)"`` or ``"CE"``; for a cell, that of its packet on arrival.
    #[pyo3(get)]
    ecn: &'static str,
    field: Ecn,
    /// At which queue it is, and its number there.
    home: u64,
    number: Number,
}

#[pymethods]
impl Unit {
    fn __repr__(&self) -> String {
        let last = if self.last { ", last" } else { "" };
        let priority = match self.priority {
            DATA => String::new(),
            class => format!(", priority {class}"),
        };
        let ecn = match self.field {
            Ecn::NotEct => String::new(),
            capable => format!(", {}", capable.name()),
        };
        format!(
            "Unit(flow {}, {} bytes{last}{priority}{ecn})",
            self.flow, self.bytes
        )
    }
}

#[derive(Debug)]
enum Act {
    Drop(Py<Unit>, Cause),
    /// With the field that it had.
    Mark(Py<Unit>, Ecn),
    Trim(Py<Unit>, u64),
    Mint(Py<Unit>, u64, Py<Unit>),
}

/// The ledger in which a discipline writes its actions on units, except sending.
#[pyclass(module = "dupack._native")]
#[derive(Debug, Default)]
pub struct Book {
    acts: Vec<Act>,
}

#[pymethods]
impl Book {
    /// Drops the unit; ``why`` is ``"overflow"``, ``"early"``, ``"partial"`` or ``"pushed-out"``.
    #[pyo3(signature = (unit, why = "overflow"))]
    fn drop(&mut self, unit: Py<Unit>, why: &str) -> PyResult<()> {
        let cause = CAUSES.iter().find(|cause| cause.name() == why);
        let cause = *cause.ok_or_else(|| {
            let words: Vec<_> = CAUSES.iter().map(|cause| cause.name()).collect();
            PyValueError::new_err(format!(
                "no cause {why:?}; write one of {}",
                words.join(", ")
            ))
        })?;
        self.acts.push(Act::Drop(unit, cause));
        Ok(())
    }

    /// Congestion is marked in the unit (ECN), which is sent, dropped or waits as any other. False if its transport does not understand
    /// marks: drop it instead.
    fn mark(&mut self, py: Python<'_>, unit: Py<Unit>) -> bool {
        let mut marked = unit.borrow_mut(py);
        let had = marked.field;
        if !had.is_capable() {
            return false;
        }
        (marked.field, marked.ecn) = (Ecn::Ce, Ecn::Ce.name());
        drop(marked);
        self.acts.push(Act::Mark(unit, had));
        true
    }

    /// The packet is cut down to its first ``keep`` bytes, which say so and go before data from now on.
    fn trim(&mut self, py: Python<'_>, unit: Py<Unit>, keep: u64) {
        let mut cut = unit.borrow_mut(py);
        let was = std::mem::replace(&mut cut.bytes, keep);
        cut.priority = CONTROL;
        drop(cut);
        // An invalid length is reported when the unit is cut.
        debug_assert!(was > 0);
        self.acts.push(Act::Trim(unit, keep));
    }

    /// A new packet, of the first ``keep`` bytes of ``unit``: nothing in it says that something is missing, but its checksum fails.
    fn mint(&mut self, py: Python<'_>, unit: Py<Unit>, keep: u64) -> PyResult<Py<Unit>> {
        let of = unit.borrow(py);
        let copy = Unit {
            flow: of.flow,
            hosts: of.hosts,
            bytes: keep,
            last: of.last,
            priority: of.priority,
            ecn: of.ecn,
            field: of.field,
            home: of.home,
            number: Number::MAX,
        };
        drop(of);
        let copy = Py::new(py, copy)?;
        let kept = copy.clone_ref(py);
        self.acts.push(Act::Mint(unit, keep, kept));
        Ok(copy)
    }
}

/// Makes the disciplines of a run from a prototype; each queue gets a copy.
#[derive(Debug)]
pub struct PythonSource {
    guest: Arc<Guest>,
    room: Option<u64>,
}

impl PythonSource {
    /// For the discipline of this `guest`.
    pub fn new(py: Python<'_>, guest: Arc<Guest>) -> PyResult<Self> {
        let room = guest.prototype(py).getattr("room")?.extract()?;
        Ok(Self { guest, room })
    }
}

impl ExternalSource for PythonSource {
    fn external(&self, line: Line) -> Box<dyn ExternalDiscipline> {
        static HOMES: AtomicU64 = AtomicU64::new(0);
        let home = HOMES.fetch_add(1, Ordering::Relaxed);
        Python::attach(|py| {
            let guest = Arc::clone(&self.guest);
            let mut external = PythonDiscipline {
                home,
                guest,
                parts: None,
            };
            match Parts::new(self.guest.prototype(py), line) {
                Ok(parts) => external.parts = Some(parts),
                Err(error) => external.guest.fail(py, "start", Instant::ZERO, error),
            }
            Box::new(external) as Box<dyn ExternalDiscipline>
        })
    }

    fn room(&self) -> Option<u64> {
        self.room
    }

    fn during(&self, run: &mut (dyn FnMut() + Send)) {
        self.guest.during(run);
    }
}

/// Python objects that are called.
#[derive(Debug)]
struct Parts {
    offer: Py<PyAny>,
    pull: Py<PyAny>,
    ready_at: Py<PyAny>,
    book: Py<Book>,
}

impl Parts {
    fn new(prototype: &Bound<'_, PyAny>, mut line: Line) -> PyResult<Self> {
        let py = prototype.py();
        let seed = line.stream.between(0, u64::MAX);
        let begun = prototype.call_method1("begun", (line.rate.bps(), seed))?;
        Ok(Self {
            offer: begun.getattr("offer")?.unbind(),
            pull: begun.getattr("pull")?.unbind(),
            ready_at: begun.getattr("ready_at")?.unbind(),
            book: Py::new(py, Book::default())?,
        })
    }
}

#[derive(Debug)]
struct PythonDiscipline {
    home: u64,
    guest: Arc<Guest>,
    parts: Option<Parts>,
}

impl PythonDiscipline {
    /// The number of a unit of this queue; one that is no unit's for that of another.
    fn number(&self, unit: &Unit) -> Number {
        if unit.home == self.home {
            unit.number
        } else {
            Number::MAX
        }
    }

    /// Copies the actions in the ledger to the decisions.
    fn settle(&self, py: Python<'_>, parts: &Parts, decisions: &mut Decisions) {
        let acts = std::mem::take(&mut parts.book.borrow_mut(py).acts);
        for act in acts {
            match act {
                Act::Drop(unit, why) => decisions.drop(self.number(&unit.borrow(py)), why),
                Act::Mark(unit, had) => {
                    decisions.mark(self.number(&unit.borrow(py)), had);
                }
                Act::Trim(unit, keep) => {
                    decisions.trim(self.number(&unit.borrow(py)), Bytes(keep));
                }
                Act::Mint(of, keep, copy) => {
                    let number = decisions.mint(self.number(&of.borrow(py)), Bytes(keep));
                    copy.borrow_mut(py).number = number;
                }
            }
        }
    }
}

impl ExternalDiscipline for PythonDiscipline {
    fn offer(
        &mut self,
        now: Instant,
        unit: Number,
        seen: Seen,
        decisions: &mut Decisions,
    ) -> Result<(), Failed> {
        let parts = self.parts.as_ref().ok_or(Failed)?;
        let unit = Unit {
            flow: seen.flow.0,
            hosts: seen.hosts.0,
            bytes: u64::from(seen.bytes),
            last: seen.last,
            priority: seen.priority,
            ecn: seen.ecn.name(),
            field: seen.ecn,
            home: self.home,
            number: unit,
        };
        Python::attach(|py| {
            let called = Py::new(py, unit)
                .and_then(|unit| parts.offer.call1(py, (now.0, unit, &parts.book)));
            match called {
                Ok(_) => {
                    self.settle(py, parts, decisions);
                    Ok(())
                }
                Err(error) => {
                    self.guest.fail(py, "offer", now, error);
                    Err(Failed)
                }
            }
        })
    }

    fn pull(&mut self, now: Instant, decisions: &mut Decisions) -> Result<Option<Number>, Failed> {
        let parts = self.parts.as_ref().ok_or(Failed)?;
        Python::attach(|py| {
            let called = parts.pull.call1(py, (now.0, &parts.book)).and_then(|sent| {
                if sent.is_none(py) {
                    return Ok(None);
                }
                let sent = sent.bind(py);
                let unit = sent.cast::<Unit>().map_err(|_| {
                    let given = sent.repr().unwrap_or_else(|_| PyString::new(py, "?"));
                    PyTypeError::new_err(format!("gave {given}, which is neither a unit nor None"))
                })?;
                Ok(Some(unit.clone().unbind()))
            });
            match called {
                Ok(sent) => {
                    self.settle(py, parts, decisions);
                    // Decisions are settled first: the unit that is sent may be a copy that was made just now.
                    Ok(sent.map(|unit| self.number(&unit.borrow(py))))
                }
                Err(error) => {
                    self.guest.fail(py, "pull", now, error);
                    Err(Failed)
                }
            }
        })
    }

    fn ready_at(&mut self, now: Instant) -> Result<Option<Instant>, Failed> {
        let parts = self.parts.as_ref().ok_or(Failed)?;
        Python::attach(|py| {
            let called = parts.ready_at.call1(py, (now.0,)).and_then(|at| {
                let at = at.bind(py);
                at.extract::<Option<u64>>().map_err(|_| {
                    let given = at.repr().unwrap_or_else(|_| PyString::new(py, "?"));
                    PyTypeError::new_err(format!(
                        "gave {given}, which is neither a whole number of picoseconds from 0 on nor None"
                    ))
                })
            });
            called.map(|at| at.map(Instant)).map_err(|error| {
                self.guest.fail(py, "ready_at", now, error);
                Failed
            })
        })
    }

    fn on_breach(&mut self, now: Instant, breach: Breach) {
        self.guest.breach(now, &breach);
    }
}
