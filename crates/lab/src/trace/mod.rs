//! Traces of a run: its tape, captures of lines, and logs of flows, in the formats that other tools read.

mod capture;
mod headers;
mod qlog;

pub use capture::{End, Options};

use crate::run::{Batches, Document};
use cpu_time::ThreadTime;
use dupack_sim::probe::{self, Event, Mark, Seen, Tape};
use dupack_sim::spec::Network;
use dupack_sim::{Failure, simulate};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the events of [`Columns`] are.
pub const EVENTS: &[Event] = &Event::ALL;

/// A run of which everything is kept that was to be seen.
#[derive(Debug)]
pub struct Recording {
    /// What was measured.
    pub document: Document,
    network: Arc<Network>,
    title: String,
    marks: Vec<Mark>,
    seen: Vec<Seen>,
}

/// A tape by columns, one value per row.
#[derive(Debug, Default)]
pub struct Columns {
    /// When \[ps\].
    pub time_ps: Vec<u64>,
    /// What `flow` counts: the flows, and connections of those that are many, as `web.17`.
    pub names: Vec<String>,
    /// Index of the name.
    pub flow: Vec<u32>,
    /// Index of the event, in [`Event::ALL`].
    pub event: Vec<u8>,
    /// The segment, as the tape tells it.
    pub segment: Vec<u64>,
    /// cwnd \[segments\].
    pub cwnd: Vec<f64>,
    /// ssthresh \[segments\], infinite until set.
    pub ssthresh: Vec<f64>,
}

/// Runs `network` with `seed`, listening at `ends`.
///
/// # Errors
/// As [`simulate`].
pub fn record(
    network: &Arc<Network>,
    title: &str,
    seed: u64,
    ends: &[End],
    halt: &AtomicBool,
) -> Result<Recording, Failure> {
    let start = ThreadTime::now();
    let taps = ends.iter().flat_map(|end| end.taps()).collect();
    let (report, tape) = simulate(network, seed, Tape::with_taps(taps), halt)?;
    let (marks, seen) = tape.parts();
    Ok(Recording {
        document: Document {
            seed,
            duration_s: network.duration.seconds(),
            warm_up_s: report.warm_up.seconds(),
            cpu_s: start.elapsed().as_secs_f64(),
            batches: report.batches.as_ref().map(Batches::new),
            report,
        },
        network: Arc::clone(network),
        title: title.into(),
        marks,
        seen,
    })
}

/// Why what passes lines, and what single senders do, cannot be told of `network`, if it cannot: connections that come and go use
/// each other's places.
pub fn refusal(network: &Network) -> Option<String> {
    let many = network.flows.iter().find(|flow| flow.arrivals.is_some())?;
    Some(format!(
        "flow {:?} is many connections (`arrivals`), which captures and logs do not tell apart; a tape does",
        many.name
    ))
}

impl Recording {
    /// The flows' names, in order.
    pub fn flows(&self) -> Vec<String> {
        self.network
            .flows
            .iter()
            .map(|flow| flow.name.clone())
            .collect()
    }

    /// The tape as CSV.
    pub fn csv(&self) -> String {
        probe::csv(&self.marks, &self.flows())
    }

    /// The tape by columns.
    pub fn columns(&self) -> Columns {
        let names = self.flows();
        let mut columns = Columns {
            names: names.clone(),
            ..Columns::default()
        };
        let mut known = HashMap::new();
        for mark in &self.marks {
            let flow = mark.connection.map_or(mark.flow, |number| {
                *known.entry((mark.flow, number)).or_insert_with(|| {
                    columns.names.push(format!("{}.{number}", names[mark.flow]));
                    columns.names.len() - 1
                })
            });
            let event = Event::ALL.iter().position(|event| *event == mark.event);
            columns.time_ps.push(mark.at.0);
            columns.flow.push(flow as u32);
            columns.event.push(event.unwrap_or(0) as u8);
            columns.segment.push(mark.segment);
            columns.cwnd.push(mark.cwnd);
            columns.ssthresh.push(mark.ssthresh);
        }
        columns
    }

    /// Per flow, where each segment's payload begins in the stream of its bytes, and where the last one ends: their sizes may
    /// differ. By what was sent for the first time.
    fn starts(&self) -> Vec<Vec<u64>> {
        let mut starts = vec![vec![0]; self.network.flows.len()];
        for mark in self.marks.iter().filter(|mark| mark.event == Event::Send) {
            let starts = &mut starts[mark.flow];
            let end = starts.last().copied().unwrap_or(0) + mark.bytes;
            starts.push(end);
        }
        starts
    }
}

#[cfg(test)]
mod tests;
