//! The laws of every discipline and of every controller, tested on one written in Python.

use crate::controller::PythonControllers;
use crate::external::PythonSource;
use crate::guests::Guest;
use dupack_core::measure::Rate;
use dupack_core::queue::external::{self, ExternalSource};
use dupack_core::queue::laws::{self, Asks, Breach, NamedFate, Step};
use dupack_core::queue::{Line, Queue, QueueParams};
use dupack_core::rng::Stream;
use dupack_core::transport::control::external::ExternalSource as _;
use dupack_core::transport::laws::{search, shortest};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::sync::Arc;

/// Largest number of steps of a case.
const STEPS: usize = 200;

/// Tries a discipline with arrivals drawn at random: None, or the shortest case found that breaks a law, step by step.
#[pyfunction]
pub fn check_laws(
    py: Python<'_>,
    name: &str,
    discipline: &Bound<'_, PyAny>,
    cases: u64,
    seed: u64,
    packets: bool,
) -> PyResult<Option<String>> {
    let guest = Guest::new(name, discipline);
    let house = House {
        source: Arc::new(PythonSource::new(py, Arc::clone(&guest))?),
        guest,
    };
    let mut one = |steps: &[Step]| {
        py.check_signals()?;
        match attempt(py, &house, steps) {
            Ok(()) => Ok(None),
            Err(Wrong::Breach(breach)) => Ok(Some(breach)),
            Err(Wrong::Raised(error)) => Err(error),
        }
    };
    let mut stream = Stream::new(seed, "laws");
    for _ in 0..cases {
        let steps = Step::some(&mut stream, STEPS, packets);
        if let Some(breach) = one(&steps)? {
            let (steps, breach) = shortest(steps, breach, &mut one)?;
            return Ok(Some(told(&steps, &breach)));
        }
    }
    Ok(None)
}

/// Tries a controller with the fates of segments drawn at random: None, or the shortest case found that breaks a law, step by step.
#[pyfunction]
pub fn check_controller_laws(
    py: Python<'_>,
    name: &str,
    controller: &Bound<'_, PyAny>,
    cases: u64,
    seed: u64,
) -> PyResult<Option<String>> {
    let guest = Guest::new(name, controller);
    let source = PythonControllers::new(py, Arc::clone(&guest))?;
    let mut make = |common: &_| source.controller(common);
    let mut watch = || {
        py.check_signals()?;
        match guest.watch(py) {
            Ok(()) => Ok(None),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                Ok(Some(error.value(py).to_string()))
            }
            Err(error) => Err(error),
        }
    };
    search(&mut make, source.answer(), (cases, seed), &mut watch)
}

/// A discipline in Python.
struct House {
    source: Arc<PythonSource>,
    guest: Arc<Guest>,
}

/// Why a case cannot go on.
enum Wrong {
    Breach(Breach),
    /// Ctrl-C, which is no breach.
    Raised(PyErr),
}

impl From<Breach> for Wrong {
    fn from(breach: Breach) -> Self {
        Self::Breach(breach)
    }
}

/// Does the steps three times: the laws hold, and the fates are the same, also if an empty queue is asked more often.
fn attempt(py: Python<'_>, house: &House, steps: &[Step]) -> Result<(), Wrong> {
    let once = fates(py, house, steps, Asks::Once)?;
    let again = fates(py, house, steps, Asks::Once)?;
    same(&once, &again, steps, "the same arrivals met other fates")?;
    let often = fates(py, house, steps, Asks::Often)?;
    same(
        &once,
        &often,
        steps,
        "the same arrivals met other fates when the empty queue was asked more often",
    )?;
    Ok(())
}

fn same(once: &[NamedFate], again: &[NamedFate], steps: &[Step], what: &str) -> Result<(), Breach> {
    let same = once.iter().zip(again).take_while(|(a, b)| a == b).count();
    if same == once.len() && same == again.len() {
        return Ok(());
    }
    let first = |fates: &[NamedFate]| match fates.get(same) {
        Some((unit, fate)) => format!("{fate} {unit}"),
        None => "nothing".into(),
    };
    let (once, again) = (first(once), first(again));
    Err(Breach {
        step: steps.len(),
        what: format!("{what}: \"{once}\" at first, and then \"{again}\""),
    })
}

fn fates(
    py: Python<'_>,
    house: &House,
    steps: &[Step],
    asks: Asks,
) -> Result<Vec<NamedFate>, Wrong> {
    let from: Arc<dyn ExternalSource> = Arc::clone(&house.source) as Arc<dyn ExternalSource>;
    let params = QueueParams::External(external::ExternalParams {
        name: "external".into(),
        from: Some(from),
    });
    let line = Line {
        rate: Rate(10_000_000),
        guaranteed: Vec::new(),
        longest: 3,
        stream: Stream::new(1, "queue"),
    };
    let checked = laws::check_asked(Queue::new(&params, line), house.source.room(), steps, asks);
    // If the external discipline has failed or raised an error itself, that is the cause of any breach, and is reported instead.
    house.guest.watch(py).map_err(|error| {
        if !error.is_instance_of::<PyException>(py) {
            return Wrong::Raised(error);
        }
        Wrong::Breach(Breach {
            step: checked.as_ref().err().map_or(steps.len(), |it| it.step),
            what: error.value(py).to_string(),
        })
    })?;
    Ok(checked?)
}

fn told(steps: &[Step], breach: &Breach) -> String {
    let steps = steps.iter().enumerate();
    let lines: String = steps
        .map(|(at, step)| format!("{at:>5}  {step}\n"))
        .collect();
    format!("{lines}{}", breach.what)
}
