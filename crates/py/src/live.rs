//! `dupack._native.live`: runs on real traffic of the kernel.

use crate::errors::RunError;
use crate::plan::Plan;
use pyo3::prelude::*;

/// A live run that is done: its document as JSON, its tape as CSV, and captures by host, as far as asked for.
type Done = (String, Option<String>, Vec<(String, Vec<u8>)>);

/// Runs a point of a plan on kernel traffic, with ``seed``. ``bound`` is the bound of lateness [ps]. With ``command``, a host and words,
/// that runs there instead of the plan's flows, and ``servers`` beside it until it ends. ``apart``: their output goes to standard error.
/// ``interactive``: the command is a shell that has the terminal.
///
/// Returns the document as JSON, the tape as CSV if ``tape``, and for each of ``captures``, names of hosts, its packets as pcapng.
/// Raises ``RunError`` if the plan or the machine cannot do it.
#[pyfunction]
#[pyo3(signature = (plan, point, seed, *, tape = false, bound = None, ipv6 = false, command = None, servers = Vec::new(), apart = false, interactive = false, captures = Vec::new(), snaplen = 65_535))]
#[allow(
    clippy::too_many_arguments,
    reason = "they are options, which Python names"
)]
pub fn live(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    point: usize,
    seed: u64,
    tape: bool,
    bound: Option<u64>,
    ipv6: bool,
    command: Option<(String, Vec<String>)>,
    servers: Vec<(String, Vec<String>)>,
    apart: bool,
    interactive: bool,
    captures: Vec<String>,
    snaplen: u32,
) -> PyResult<Done> {
    #[cfg(target_os = "linux")]
    {
        use dupack_live::commands::{Task, Tasks};
        use dupack_live::run::{BOUND, Options, run};
        let task = |(host, words)| Task { host, words };
        let options = Options {
            seed,
            tape,
            snaplen: (!captures.is_empty()).then_some(snaplen as usize),
            bound: bound.map_or(BOUND, dupack_core::time::Duration),
            ipv6,
            tasks: command.map(|main| Tasks {
                main: task(main),
                servers: servers.into_iter().map(task).collect(),
                apart,
                interactive,
            }),
        };
        let failed = |error: String| RunError::new_err(error);
        let network = plan.get().point(point)?.network.clone();
        let done = crate::away::away_halting(py, |halt| run(&network, &options, halt))?;
        let done = done.map_err(|failure| failed(failure.to_string()))?;
        let document = serde_json::to_string(&done.document);
        let document = document.map_err(|error| failed(error.to_string()))?;
        let mut files = Vec::new();
        for name in captures {
            let host = done.hosts.iter().position(|it| *it == name);
            let host = host.ok_or_else(|| failed(format!("no host is called {name}")))?;
            let file =
                dupack_live::capture::pcapng(&done.captured, (host, &name), done.epoch, snaplen);
            files.push((name, file.map_err(|error| failed(error.to_string()))?));
        }
        Ok((document, done.tape, files))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (
            py,
            plan,
            point,
            seed,
            tape,
            bound,
            ipv6,
            command,
            servers,
            apart,
            interactive,
            captures,
            snaplen,
        );
        Err(RunError::new_err(
            "dupack live needs Linux: network namespaces and TUN devices",
        ))
    }
}

/// The JSON Schema of `live` in the document of a live run; an empty object where there are no live runs.
#[pyfunction]
pub fn live_schema() -> String {
    #[cfg(target_os = "linux")]
    {
        let schema = schemars::schema_for!(dupack_live::run::Live);
        serde_json::to_string(&schema).unwrap_or_default()
    }
    #[cfg(not(target_os = "linux"))]
    {
        "{}".into()
    }
}

/// Raises ``RunError`` if some point of a plan cannot be run live; nothing is run.
#[pyfunction]
pub fn check_live(plan: &Bound<'_, Plan>) -> PyResult<()> {
    #[cfg(target_os = "linux")]
    for point in plan.get().all_points() {
        let network = &point.network;
        dupack_live::run::check(network).map_err(|it| RunError::new_err(it.to_string()))?;
    }
    let _ = plan;
    Ok(())
}
