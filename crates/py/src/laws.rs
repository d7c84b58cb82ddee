//! The laws of every discipline, tested on one written in Python.

use crate::external::PythonSource;
use dupack_core::measure::Rate;
use dupack_core::queue::external::{self, ExternalSource};
use dupack_core::queue::laws::{self, Asks, Breach, NamedFate, Step};
use dupack_core::queue::{Line, Queue, QueueParams};
use dupack_core::rng::Stream;
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
    let house = Arc::new(PythonSource::new(name, discipline)?);
    let mut stream = Stream::new(seed, "laws");
    for _ in 0..cases {
        py.check_signals()?;
        let steps = Step::some(&mut stream, STEPS, packets);
        match attempt(py, &house, &steps) {
            Ok(()) => {}
            Err(Wrong::Breach(breach)) => {
                let (steps, breach) = shortest(py, &house, steps, breach)?;
                return Ok(Some(told(&steps, &breach)));
            }
            Err(Wrong::Raised(error)) => return Err(error),
        }
    }
    Ok(None)
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
fn attempt(py: Python<'_>, house: &Arc<PythonSource>, steps: &[Step]) -> Result<(), Wrong> {
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
    house: &Arc<PythonSource>,
    steps: &[Step],
    asks: Asks,
) -> Result<Vec<NamedFate>, Wrong> {
    let from: Arc<dyn ExternalSource> = Arc::clone(house) as Arc<dyn ExternalSource>;
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
    let checked = laws::check_asked(Queue::new(&params, line), house.room(), steps, asks);
    // If the external discipline has failed or raised an error itself, that is the cause of any breach, and is reported instead.
    house.watch(py).map_err(|error| {
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

/// Leaves out steps, many at first and then one by one, as long as a law is still broken.
fn shortest(
    py: Python<'_>,
    house: &Arc<PythonSource>,
    mut steps: Vec<Step>,
    mut breach: Breach,
) -> PyResult<(Vec<Step>, Breach)> {
    let mut part = steps.len().div_ceil(2);
    loop {
        let mut at = 0;
        while at < steps.len() {
            py.check_signals()?;
            let mut fewer = steps.clone();
            fewer.drain(at..(at + part).min(steps.len()));
            match attempt(py, house, &fewer) {
                Err(Wrong::Breach(found)) => (steps, breach) = (fewer, found),
                Err(Wrong::Raised(error)) => return Err(error),
                Ok(()) => at += part,
            }
        }
        if part == 1 {
            return Ok((steps, breach));
        }
        part = part.div_ceil(2);
    }
}

fn told(steps: &[Step], breach: &Breach) -> String {
    let steps = steps.iter().enumerate();
    let lines: String = steps
        .map(|(at, step)| format!("{at:>5}  {step}\n"))
        .collect();
    format!("{lines}{}", breach.what)
}
