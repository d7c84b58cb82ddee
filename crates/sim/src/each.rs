//! A record of each connection that came and went, for tables: [`Log`] collects, [`Each`] is what documents have.

use crate::connections::Slot;
use crate::spec::Network;
use dupack_core::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// A connection that has ended, or that was open when the run ended.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    /// Where it belongs, and its size.
    pub(crate) place: &'r Slot,
    /// When it began.
    pub start: Instant,
    /// When its last segment was acknowledged.
    pub completed: Option<Instant>,
    /// Retransmissions of its segments.
    pub retransmitted: u64,
    /// Its data's way, as indices into [`Network::links`].
    pub path: &'r [u32],
}

/// What is kept of a [`Record`].
#[derive(Clone, Copy, Debug)]
struct Row {
    flow: u32,
    path: u32,
    number: u64,
    start: Instant,
    size: u64,
    took: Option<Duration>,
    alone: Duration,
    retransmitted: u64,
    round: u64,
}

/// The records of a run; equal paths are kept once.
#[derive(Clone, Debug, Default)]
pub struct Log {
    rows: Vec<Row>,
    paths: HashMap<Box<[u32]>, u32>,
}

impl Log {
    /// Adds a connection.
    pub fn add(&mut self, it: &Record<'_>) {
        let next = self.paths.len() as u32;
        let known = self.paths.get(it.path).copied();
        let path = known.unwrap_or_else(|| {
            self.paths.insert(it.path.into(), next);
            next
        });
        self.rows.push(Row {
            flow: it.place.class as u32,
            path,
            number: it.place.number,
            start: it.start,
            size: it.place.size,
            took: it.completed.map(|end| end.since(it.start)),
            alone: it.place.alone,
            retransmitted: it.retransmitted,
            round: it.place.round,
        });
    }

    /// Adds the records of another.
    pub fn join(&mut self, other: Self) {
        let mut paths = vec![0; other.paths.len()];
        for (path, at) in other.paths {
            let next = self.paths.len() as u32;
            paths[at as usize] = *self.paths.entry(path).or_insert(next);
        }
        let moved = |row: Row| Row {
            path: paths[row.path as usize],
            ..row
        };
        self.rows.extend(other.rows.into_iter().map(moved));
    }

    /// The columns per flow, in the order in which connections began; those that began from `warm_up` on are measured.
    pub fn columns(mut self, network: &Network, warm_up: Duration) -> BTreeMap<String, Each> {
        self.rows.sort_unstable_by_key(|row| (row.flow, row.number));
        let ways: HashMap<u32, String> = self
            .paths
            .iter()
            .map(|(path, at)| (*at, nodes(network, path)))
            .collect();
        let mut found = BTreeMap::new();
        for rows in self.rows.chunk_by(|one, next| one.flow == next.flow) {
            let mut each = Each::default();
            let mut places = HashMap::new();
            for row in rows {
                let next = places.len() as u64;
                let place = *places.entry(row.path).or_insert(next);
                if place == next {
                    each.paths.push(ways[&row.path].clone());
                }
                each.path.push(place);
                each.start_s.push(row.start.seconds());
                each.size_bytes.push(row.size);
                each.completion_s.push(row.took.map(Duration::seconds));
                let slowdown = |took: Duration| took.0 as f64 / row.alone.0.max(1) as f64;
                each.slowdown.push(row.took.map(slowdown));
                each.segments_retransmitted.push(row.retransmitted);
                each.round.push(row.round);
                each.measured.push(row.start >= Instant(warm_up.0));
            }
            let name = network.flows[rows[0].flow as usize].name.clone();
            found.insert(name, each);
        }
        found
    }
}

/// The nodes of a path, separated by spaces.
fn nodes(network: &Network, path: &[u32]) -> String {
    let first = path
        .first()
        .map(|at| network.links[*at as usize].from.as_ref());
    let rest = path
        .iter()
        .map(|at| network.links[*at as usize].to.as_ref());
    first.into_iter().chain(rest).collect::<Vec<_>>().join(" ")
}

/// Every connection of a flow with `arrivals`: a list per column, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Each {
    /// When it began \[s\].
    pub start_s: Vec<f64>,
    /// Payload \[bytes\].
    pub size_bytes: Vec<u64>,
    /// Completion time, from its start to the ack of its last segment \[s\]; null if it was open at the end of the run.
    pub completion_s: Vec<Option<f64>>,
    /// Completion time over that of the connection alone, with all its data sent at once at the rate of the slowest line of its path;
    /// null if it was open at the end of the run.
    pub slowdown: Vec<Option<f64>>,
    /// Retransmissions of its data segments.
    pub segments_retransmitted: Vec<u64>,
    /// Number of its round, from 0; 0 for connections without rounds.
    pub round: Vec<u64>,
    /// Whether it began after warm-up; only such connections count in the measures of the flow.
    pub measured: Vec<bool>,
    /// Path of its data, as an index into `paths`.
    pub path: Vec<u64>,
    /// The paths: names of nodes, separated by spaces.
    pub paths: Vec<String>,
}
