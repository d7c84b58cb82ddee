//! What a run keeps until it ends, by number: values of time series, records of connections, rows of a tape. Other programs know how much
//! memory each takes.

use super::{backlog, connections, drawn, rehearsed};
use dupack_sim::probe::{Probe, Row};
use dupack_sim::spec::Network;
use serde::Serialize;
use std::sync::Arc;

/// The most gauges that a rate marker has.
const GAUGES: u64 = 5;

/// Numbers of things that a run keeps until it ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// Directions of links.
    pub links: u64,
    /// Flows; one that is many connections counts as one.
    pub flows: u64,
    /// Samples of the time series; 0 without one.
    pub samples: u64,
    /// Values of all samples.
    pub values: u64,
    /// Histograms for percentiles.
    pub histograms: u64,
    /// Connections of flows with `arrivals`, expected or at most.
    pub connections: f64,
    /// Those of them that are open at the end because links are overloaded, if they are many.
    pub open: f64,
}

/// Fewer connections take less memory than the program.
const MANY: usize = 10_000;

/// What a run of `network` keeps.
pub fn kept(network: &Network) -> Kept {
    let (links, flows) = (network.links.len() as u64, network.flows.len() as u64);
    let samples = network
        .sample
        .map_or(0, |every| network.duration.0 / every.0.max(1) + 1);
    let count = |of: usize| of as u64;
    let queues = count(network.links.iter().filter(|it| it.queue.is_some()).count());
    let markers = count(
        network
            .links
            .iter()
            .filter(|it| it.marker.is_some())
            .count(),
    );
    let sources = count(network.flows.iter().filter(|it| it.abr.is_some()).count());
    // Markers tell their gauges only if there is ABR.
    let gauges = if sources > 0 { GAUGES * markers } else { 0 };
    let mut of_queues = 0;
    if samples > 0 {
        // Links of a group have the same queue, one after the other.
        let mut last = None;
        for queue in network.links.iter().filter_map(|it| it.queue.as_ref()) {
            let known = last.filter(|(params, _)| *params == queue);
            let found = known.unwrap_or_else(|| (queue, dupack_core::queue::gauges(queue)));
            of_queues += found.1;
            last = Some(found);
        }
    }
    let gauges = gauges + of_queues;
    let mut senders = 0;
    if samples > 0 {
        let mut last: Option<(&Arc<_>, bool)> = None;
        for flow in network.flows.iter().filter(|it| it.arrivals.is_none()) {
            let known = last.filter(|(params, _)| Arc::ptr_eq(params, &flow.transport));
            let paced =
                known.map_or_else(|| flow.transport.sender().is_paced(), |(_, paced)| paced);
            senders += 1 + u64::from(paced);
            last = Some((&flow.transport, paced));
        }
    }
    // Of each sample the time; of each direction of a link its throughput, and with a queue its backlog and gauges; of each flow its window,
    // what it delivered, and the delay; of each sender its state and pacing rate; of each ABR source its rate and backlog.
    let each = 1 + links + queues + gauges + 3 * flows + senders + 2 * sources;
    Kept {
        links,
        flows,
        samples,
        values: samples.saturating_mul(each),
        histograms: if network.percentiles {
            links + flows
        } else {
            0
        },
        connections: connections(network),
        open: backlog(network, MANY).map_or(0.0, |it| it.open),
    }
}

/// Counts the rows that a tape would have.
#[derive(Default)]
struct Counter(u64);

impl Probe for Counter {
    const ON: bool = true;
    const SPREADS: bool = false;
    fn on(&mut self, _: &Row) {
        self.0 += 1;
    }
}

/// The number of rows of a run's tape, extrapolated from a first part that takes about `budget_s` of processor time. `None` if the run fails
/// or is halted.
pub fn tape_rows(network: &Network, seed: u64, budget_s: f64) -> Option<f64> {
    let network = drawn(network, seed)?;
    let rows = |counter: &mut Counter, _| counter.0 as f64;
    rehearsed(&network, seed, Counter::default(), budget_s, rows).map(|(_, rows)| rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use dupack_sim::probe::Tape;
    use dupack_sim::{measure, simulate};
    use std::sync::atomic::AtomicBool;

    const PLAN: &str = r#"
duration = "4 s"
sample = "10 ms"
host = [{ name = "a", count = 2 }, { name = "b" }]
switch = [{ name = "s" }]
link = [
  { name = "access", from = "a", to = "s", carries = "cells", rate = "10 Mb/s", delay = "1 ms" },
  { name = "line", from = "s", to = "b", carries = "cells", rate = "5 Mb/s", delay = "2 ms", marker = { kind = "erica" }, queue = { kind = "plain", buffer = "100 cells" } },
]
flow = [{ name = "f", from = "a", to = "b", transport = { kind = "reno", mss = "960 B" } }]
"#;

    fn network(sets: &[&str]) -> Network {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let plan = Plan::parse(PLAN.as_bytes(), "x", &sets).unwrap_or_else(|e| panic!("{e}"));
        Network::clone(&plan.points[0].network)
    }

    /// The number of values in a document's time series.
    fn values(series: &serde_json::Value) -> usize {
        match series {
            serde_json::Value::Array(items) => items.len(),
            serde_json::Value::Object(inner) => inner.values().map(values).sum(),
            // The unit of a state variable.
            serde_json::Value::String(_) => 0,
            _ => panic!("{series}"),
        }
    }

    #[test]
    fn the_values_of_a_series_are_as_many_as_a_run_has() {
        for sets in [&[][..], &["flow.f.abr={}"], &["flow.f.transport.pace=1.25"]] {
            let network = network(sets);
            let report = measure(&network, 1, &AtomicBool::new(false)).expect("a run");
            let series = serde_json::to_value(&report.series).expect("a document");
            let told = kept(&network);
            assert_eq!((told.links, told.flows, told.samples), (6, 2, 401));
            assert_eq!(told.values as usize, values(&series), "{sets:?}");
        }
    }

    #[test]
    fn the_gauges_of_disciplines_are_counted() {
        for (queue, gauges) in [
            (r#"{ kind = "drop-tail", buffer = "50 packets" }"#, 0),
            (r#"{ kind = "red", buffer = "50 packets" }"#, 1),
            (
                r#"{ kind = "red", buffer = "50 packets", adaptive = true }"#,
                2,
            ),
        ] {
            let text = PLAN.replace("\"cells\"", "\"packets\"");
            let text = text.replace("marker = { kind = \"erica\" }, ", "");
            let text = text.replace(r#"{ kind = "plain", buffer = "100 cells" }"#, queue);
            let plan = Plan::parse(text.as_bytes(), "x", &[]).unwrap_or_else(|e| panic!("{e}"));
            let network = &plan.points[0].network;
            let report = measure(network, 1, &AtomicBool::new(false)).expect("a run");
            let series = serde_json::to_value(&report.series).expect("a document");
            assert_eq!(kept(network).values as usize, values(&series), "{queue}");
            let found = report.series.map_or(0, |it| it.gauges.len());
            assert_eq!(found, gauges, "{queue}");
        }
    }

    #[test]
    fn the_rows_of_a_tape_are_extrapolated() {
        let network = network(&[]);
        let (_, tape) =
            simulate(&network, 1, Tape::default(), &AtomicBool::new(false)).expect("a run");
        let rows = tape.rows().len() as f64;
        assert!(rows > 1000.0, "{rows}");
        assert_eq!(tape_rows(&network, 1, f64::INFINITY), Some(rows));
        // From the first thousandth of the run on, in which nothing arrives yet.
        let early = tape_rows(&network, 1, 0.0).expect("a number");
        assert!(early > 0.0 && early < 1000.0 * rows, "{early} and {rows}");
    }
}
