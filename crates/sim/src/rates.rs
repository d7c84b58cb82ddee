//! The ABR parts beside the machines of the flows: the end systems of its VCs, the markers of links, and their measures.

use crate::machine::{ack_way, data_way};
use crate::spec::{self, Acks, Flow, Network};
use dupack_core::abr::destination::Destination;
use dupack_core::abr::source::Source;
use dupack_core::abr::switch::{AnyMarker, MarkedLine};
use dupack_core::measure::CellRate;
use dupack_core::time::{Duration, Instant, SECOND};
use dupack_core::unit::FlowId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::VecDeque;

/// All of it.
#[derive(Debug)]
pub struct Rates<U> {
    /// For each way its source, if it has one.
    pub ends: Vec<Option<End<U>>>,
    /// For each way the destination that turns its RM cells around.
    pub destinations: Vec<Destination>,
    /// Per link.
    pub markers: Vec<Option<AnyMarker>>,
    /// Per link, whether RM cells or paced cells pass.
    passes: Vec<bool>,
}

/// A source with its cells.
#[derive(Debug)]
pub struct End<U> {
    pub source: Source,
    /// Waiting units, without a limit, each with the number of units that follow it in its packet.
    pub waiting: VecDeque<(U, u16)>,
    pub meter: Meter,
}

impl<U> Rates<U> {
    /// For a network; `None` if none of its flows has ABR.
    pub fn new(network: &Network) -> Option<Box<Self>> {
        if network.flows.iter().all(|flow| flow.abr.is_none()) {
            return None;
        }
        let mut passes = vec![false; network.links.len()];
        let mut ends = Vec::with_capacity(2 * network.flows.len());
        for flow in &network.flows {
            let Some(abr) = &flow.abr else {
                ends.extend([None, None]);
                continue;
            };
            for link in flow.forward.iter().chain(&flow.back) {
                passes[*link] = true;
            }
            let acks = abr.acks == Acks::Abr;
            ends.push(Some(End::new(network, flow, abr, &flow.forward)));
            ends.push(acks.then(|| End::new(network, flow, abr, &flow.back)));
        }
        let marker = |link: &spec::Link| {
            let rate = CellRate::of(link.rate);
            (link.marker.as_ref()).map(|params| AnyMarker::new(params, MarkedLine { rate }))
        };
        Some(Box::new(Self {
            destinations: vec![Destination::default(); ends.len()],
            ends,
            markers: network.links.iter().map(marker).collect(),
            passes,
        }))
    }

    /// Whether RM cells or paced cells pass the link.
    pub fn passes(&self, link: usize) -> bool {
        self.passes[link]
    }

    /// The sources of the flows' data, one after another.
    pub fn data(&self) -> impl Iterator<Item = Option<&End<U>>> {
        self.ends.iter().step_by(2).map(Option::as_ref)
    }

    /// Measurement begins.
    pub fn warm_up_ends(&mut self, now: Instant) {
        for end in self.ends.iter_mut().flatten() {
            end.note(now);
            end.meter.warm = end.meter.sums;
        }
    }

    /// The run ends.
    pub fn end(&mut self, now: Instant) {
        for end in self.ends.iter_mut().flatten() {
            end.note(now);
        }
    }
}

/// The source's way of a backward RM cell that passes on `way`, and the reverse.
pub fn other_way(way: FlowId) -> FlowId {
    let flow = way.0 as usize / 2;
    if way == data_way(flow) {
        ack_way(flow)
    } else {
        data_way(flow)
    }
}

impl<U> End<U> {
    fn new(network: &Network, flow: &Flow, abr: &spec::Abr, route: &[usize]) -> Self {
        let line = route.first().map(|link| network.links[*link].rate);
        let both = flow.forward.iter().chain(&flow.back);
        let round_trip = both.fold(Duration::ZERO, |sum, link| sum + network.links[*link].delay);
        let line = line.map_or(CellRate(0.0), CellRate::of);
        Self {
            source: Source::new(&abr.params, line, round_trip),
            waiting: VecDeque::new(),
            meter: Meter::default(),
        }
    }

    /// Keeps the account: something may have changed `now`.
    pub fn note(&mut self, now: Instant) {
        self.meter
            .note(now, self.source.acr(), self.source.waiting());
    }
}

/// A source end system of ABR, measured over the time after warm-up since its flow's start. Rates are those of cells on the line, with headers and RM
/// cells.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Abr {
    /// Mean of ACR over time \[bit/s\].
    pub mean_acr_bps: f64,
    /// Part of it that was not used \[bit/s\].
    pub unused_acr_bps: f64,
    /// Share of the time in which data waited for the rate.
    pub rate_based_fraction: f64,
    /// Share of the time in which no data waited: the rest.
    pub window_based_fraction: f64,
    /// Mean backlog of the source \[cells\].
    pub mean_backlog: f64,
    /// Largest backlog of the source \[cells\].
    pub max_backlog: u64,
    /// Forward RM cells sent.
    pub forward_rm: u64,
    /// Backward RM cells that came back.
    pub backward_rm: u64,
}

/// Sums over time and counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// ACR over time \[cells\].
    allowed: f64,
    /// Data that waits over time \[cells x ps\].
    waited: u128,
    /// Time that some waited \[ps\].
    rate_based: u64,
    /// Cells sent.
    pub sent: u64,
    pub forward_rm: u64,
    pub backward_rm: u64,
}

/// Measures of a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// Since its flow began.
    pub sums: Sums,
    /// When warm-up ended.
    warm: Sums,
    /// From `since` on these were so; nothing is summed up before the flow begins.
    since: Option<Instant>,
    acr: CellRate,
    waiting: u64,
    peak: u64,
}

impl Meter {
    /// The flow begins.
    pub fn begin(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    fn note(&mut self, now: Instant, acr: CellRate, waiting: u64) {
        let Some(since) = self.since else { return };
        let past = (now - since).0;
        self.sums.allowed += self.acr.0 * past as f64 / SECOND as f64;
        self.sums.waited += u128::from(self.waiting) * u128::from(past);
        self.sums.rate_based += if self.waiting > 0 { past } else { 0 };
        (self.since, self.acr, self.waiting) = (Some(now), acr, waiting);
        self.peak = self.peak.max(waiting);
    }

    /// The report for the last `time` \[s\].
    pub fn report(&self, time: f64) -> Abr {
        let (sums, warm) = (&self.sums, &self.warm);
        let mean = |sum: f64| if time > 0.0 { sum / time } else { 0.0 };
        let allowed = CellRate(mean(sums.allowed - warm.allowed)).bps();
        let sent = CellRate(mean((sums.sent - warm.sent) as f64)).bps();
        let second = SECOND as f64;
        let rate_based = mean((sums.rate_based - warm.rate_based) as f64 / second);
        Abr {
            mean_acr_bps: allowed,
            unused_acr_bps: allowed - sent,
            rate_based_fraction: rate_based,
            window_based_fraction: 1.0 - rate_based,
            mean_backlog: mean((sums.waited - warm.waited) as f64 / second),
            max_backlog: self.peak,
            forward_rm: sums.forward_rm - warm.forward_rm,
            backward_rm: sums.backward_rm - warm.backward_rm,
        }
    }
}
