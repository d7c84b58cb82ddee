//! Errors, as Python exceptions.

use pyo3::exceptions::PyException;

pyo3::create_exception!(
    dupack,
    Error,
    PyException,
    "Anything that dupack refuses or fails at."
);
pyo3::create_exception!(
    dupack,
    PlanError,
    Error,
    "A plan is wrong; nothing was run. The text names every mistake."
);
pyo3::create_exception!(
    dupack,
    RunError,
    Error,
    "A run failed; the text says where and why."
);
