//! A run with its recordings.

use super::end::End;
use crate::run::Document;
use crate::stopwatch::Stopwatch;
use dupack_core::transport::Ranges;
use dupack_sim::probe::{self, Begun, Event, Row, Seen, Tape};
use dupack_sim::spec::Network;
use dupack_sim::{Failure, simulate};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The events of [`Columns`].
pub const EVENTS: &[Event] = &Event::ALL;

/// A run, and everything that was to be recorded of it.
#[derive(Debug)]
pub struct Recording {
    /// Results of the run.
    pub document: Document,
    /// With the ways of this run's seed.
    pub(super) network: Network,
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
    pub(super) ranges: Vec<Ranges>,
    pub(super) seen: Vec<Seen>,
    pub(super) talks: Vec<Talk>,
    pub(super) at: HashMap<Who, usize>,
    own: OnceLock<Vec<Vec<u32>>>,
}

/// A flow, or one of the connections of a flow.
pub(super) type Who = (usize, Option<u64>);

/// A flow or connection, with a sender and a receiver of its own.
#[derive(Debug)]
pub(super) struct Talk {
    /// Name of its log.
    pub name: String,
    /// Index of the flow.
    pub flow: usize,
    /// The way of data.
    pub forward: Vec<usize>,
    /// The way of acks.
    pub back: Vec<usize>,
    /// Its number among those that differ only in their ports.
    pub number: usize,
}

/// A tape by columns, one value per row.
#[derive(Debug, Default)]
pub struct Columns {
    /// Times \[ps\].
    pub time_ps: Vec<u64>,
    /// Names for the numbers in `flow`: flows, and connections such as `web.17`.
    pub names: Vec<String>,
    /// Index of the name.
    pub flow: Vec<u32>,
    /// Index of the event, in [`Event::ALL`].
    pub event: Vec<u8>,
    /// Segments, as on the tape.
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
    let start = Stopwatch::start();
    let taps = ends.iter().flat_map(|end| end.taps()).collect();
    let network = network.routed(seed).into_owned();
    let (report, tape) = simulate(&network, seed, Tape::with_captures(taps), halt)?;
    let reel = tape.reel();
    let talks = talks(&network, reel.begun);
    Ok(Recording {
        document: Document::new(&network, seed, report, start.seconds()),
        network,
        title: title.into(),
        rows: reel.rows,
        ranges: reel.ranges,
        seen: reel.seen,
        at: talks.iter().map(|(who, _)| *who).zip(0..).collect(),
        talks: talks.into_iter().map(|(_, talk)| talk).collect(),
        own: OnceLock::new(),
    })
}

/// The flows that are one connection, and the connections of the others as they began.
fn talks(network: &Network, begun: Vec<Begun>) -> Vec<(Who, Talk)> {
    let mut talks = Vec::new();
    for (at, flow) in network.flows.iter().enumerate() {
        if flow.arrivals.is_none() {
            let talk = Talk {
                name: flow.name.clone(),
                flow: at,
                forward: flow.forward.clone(),
                back: flow.back.clone(),
                number: at,
            };
            talks.push(((at, None), talk));
        }
    }
    // Connections between two hosts are numbered after all flows, so that no two of them share a port.
    let mut counts: HashMap<[String; 2], usize> = HashMap::new();
    for it in begun {
        let [forward, back] = it.ways;
        let number = counts.entry(ends_of(network, &forward)).or_default();
        *number += 1;
        let talk = Talk {
            name: format!("{}.{}", network.flows[it.flow].name, it.connection),
            flow: it.flow,
            forward,
            back,
            number: network.flows.len() + *number - 1,
        };
        talks.push(((it.flow, Some(it.connection)), talk));
    }
    talks
}

/// The nodes between which a way goes.
pub(super) fn ends_of(network: &Network, way: &[usize]) -> [String; 2] {
    let first = way.first().map(|at| network.links[*at].from.to_string());
    let last = way.last().map(|at| network.links[*at].to.to_string());
    [first, last].map(Option::unwrap_or_default)
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
        probe::csv(&self.rows, &self.flows())
    }

    /// The tape by columns.
    pub fn columns(&self) -> Columns {
        let names = self.flows();
        let mut columns = Columns {
            names: names.clone(),
            ..Columns::default()
        };
        let mut known = HashMap::new();
        for row in &self.rows {
            let flow = row.connection.map_or(row.flow, |number| {
                *known.entry((row.flow, number)).or_insert_with(|| {
                    columns.names.push(format!("{}.{number}", names[row.flow]));
                    columns.names.len() - 1
                })
            });
            let event = Event::ALL.iter().position(|event| *event == row.event);
            columns.time_ps.push(row.at.0);
            columns.flow.push(flow as u32);
            columns.event.push(event.unwrap_or(0) as u8);
            columns.segment.push(row.segment);
            columns.cwnd.push(row.cwnd);
            columns.ssthresh.push(row.ssthresh);
        }
        columns
    }

    /// Names of flows and connections with a log each, such as `web.17` for a connection.
    pub fn logs(&self) -> Vec<String> {
        self.talks.iter().map(|talk| talk.name.clone()).collect()
    }

    /// Rows of one of them.
    pub(super) fn own(&self, talk: usize) -> impl Iterator<Item = &Row> {
        // There may be thousands of connections, so one pass over the tape finds the rows of all.
        let own = self.own.get_or_init(|| {
            let mut own = vec![Vec::new(); self.talks.len()];
            for (row, at) in self.rows.iter().zip(0..) {
                if let Some(talk) = self.at.get(&(row.flow, row.connection)) {
                    own[*talk].push(at);
                }
            }
            own
        });
        own[talk].iter().map(|at| &self.rows[*at as usize])
    }

    /// Offset of each segment's payload in the byte stream, and the end of the last one: their sizes may
    /// differ. Determined from first transmissions.
    pub(super) fn starts(&self, talk: usize) -> Vec<u64> {
        let mut starts = vec![0];
        let mut end = 0;
        for row in self.own(talk).filter(|row| row.event == Event::Send) {
            end += row.bytes;
            starts.push(end);
        }
        starts
    }
}
