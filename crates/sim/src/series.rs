//! Time series: what is sampled at equal distances.

use crate::machine::Tally;
use crate::rates::Rates;
use crate::spec::{Flow, Link, Network};
use dupack_core::abr::switch::RateMarker;
use dupack_core::gauge::{Gauge, Tell};
use dupack_core::measure::Rate;
use dupack_core::time::{Instant, SECOND};
use dupack_core::transport::AnySender;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Samples at equal distances.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Series {
    /// Time of each sample \[s\].
    pub time_s: Vec<f64>,
    /// Backlog \[units\], per link with a discipline.
    pub backlog: BTreeMap<String, Vec<u64>>,
    /// cwnd \[segments\], per flow.
    pub cwnd: BTreeMap<String, Vec<f64>>,
    /// State of the sender, per flow that is one connection: `slow-start`, `conservative-slow-start` of HyStart++, `congestion-avoidance`,
    /// `recovery`; of BBR its phases, such as `probe-bw` and `probe-rtt`; of packet-pair `measuring` and `controlled`; `constant` of a static
    /// window. A controller in another program may have words of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, Vec<&'static str>>,
    /// Pacing rate \[bit/s of packets with their headers\], per flow that is one connection and paced; null before it is known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pacing_bps: BTreeMap<String, Vec<Option<f64>>>,
    /// Payload handed to the application since the start \[bytes\], per flow.
    pub delivered: BTreeMap<String, Vec<u64>>,
    /// Mean delay (as `mean_delay_s` of a flow) of the segments delivered since the previous sample \[s\], per flow; null
    /// without any.
    pub delay_s: BTreeMap<String, Vec<Option<f64>>>,
    /// Throughput since the previous sample \[bit/s\], per direction of every link; null at the first.
    pub throughput_bps: BTreeMap<String, Vec<Option<f64>>>,
    /// ACR \[bit/s on the line\], per flow with ABR.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub acr_bps: BTreeMap<String, Vec<f64>>,
    /// Data cells that wait in the source end system, per flow with ABR.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub source_backlog: BTreeMap<String, Vec<u64>>,
    /// State variables of disciplines and rate markers, as `link.gauge`, such as `bottleneck.average` of RED or `bottleneck.macr`. Those of a
    /// discipline are as its last arrival or departure has left them, so they stay while a line is idle.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gauges: BTreeMap<String, Vec<f64>>,
    /// Unit of each of `gauges`, such as `packets` or `probability`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gauge_units: BTreeMap<String, &'static str>,
    #[serde(skip)]
    lines: Vec<LineBefore>,
    #[serde(skip)]
    flows: Vec<FlowBefore>,
}

/// A line as it was at the sample before.
#[derive(Clone, Debug)]
struct LineBefore {
    name: String,
    /// Its backlog is of interest.
    queues: bool,
    /// Its rate \[bit/s\].
    rate: f64,
    /// Time spent transmitting \[ps\].
    busy: u64,
}

/// What a sample takes of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// cwnd \[segments\].
    pub window: f64,
    /// Payload handed to the application since the start \[bytes\].
    pub delivered_bytes: u64,
    /// Sum of the delays of segments delivered since the start \[ps\].
    pub delay: u128,
    /// Their number.
    pub delivered: u64,
}

/// A flow as it was at the sample before.
#[derive(Clone, Debug)]
struct FlowBefore {
    name: String,
    delivered: u64,
    delay: u128,
}

impl Series {
    /// No samples yet.
    pub fn new(network: &Network) -> Self {
        let line = |link: &Link| LineBefore {
            name: link.name.clone(),
            queues: link.queue.is_some(),
            rate: link.rate.bps(),
            busy: 0,
        };
        let flow = |flow: &Flow| FlowBefore {
            name: flow.name.clone(),
            delivered: 0,
            delay: 0,
        };
        Self {
            time_s: Vec::new(),
            backlog: BTreeMap::new(),
            cwnd: BTreeMap::new(),
            state: BTreeMap::new(),
            pacing_bps: BTreeMap::new(),
            delivered: BTreeMap::new(),
            delay_s: BTreeMap::new(),
            throughput_bps: BTreeMap::new(),
            acr_bps: BTreeMap::new(),
            source_backlog: BTreeMap::new(),
            gauges: BTreeMap::new(),
            gauge_units: BTreeMap::new(),
            lines: network.links.iter().map(line).collect(),
            flows: network.flows.iter().map(flow).collect(),
        }
    }

    /// Takes a sample: of every line its backlog and the time that it has spent transmitting, of every flow its window and its
    /// account.
    pub(crate) fn take<'m>(
        &mut self,
        now: Instant,
        lines: impl Iterator<Item = (u64, u64)>,
        flows: impl Iterator<Item = (f64, &'m Tally)>,
    ) {
        let account = |(window, tally): (f64, &Tally)| Account {
            window,
            delivered_bytes: tally.delivered_bytes,
            delay: tally.delay,
            delivered: tally.delivered,
        };
        self.take_accounts(now, lines, flows.map(account));
    }

    /// The same of accounts.
    pub(crate) fn take_accounts(
        &mut self,
        now: Instant,
        lines: impl Iterator<Item = (u64, u64)>,
        flows: impl Iterator<Item = Account>,
    ) {
        let since = self.time_s.last().map(|before| now.seconds() - before);
        self.time_s.push(now.seconds());
        for (line, (backlog, busy)) in self.lines.iter_mut().zip(lines) {
            if line.queues {
                push(&mut self.backlog, &line.name, backlog);
            }
            let worked = (busy - line.busy) as f64 / SECOND as f64;
            let throughput = since.map(|time| line.rate * worked / time);
            push(&mut self.throughput_bps, &line.name, throughput);
            line.busy = busy;
        }
        for (flow, now) in self.flows.iter_mut().zip(flows) {
            push(&mut self.cwnd, &flow.name, now.window);
            push(&mut self.delivered, &flow.name, now.delivered_bytes);
            let since = (now.delay - flow.delay, now.delivered - flow.delivered);
            push(&mut self.delay_s, &flow.name, mean_s(since));
            (flow.delay, flow.delivered) = (now.delay, now.delivered);
        }
    }

    /// Takes a sample of what the senders of flows do that are one connection.
    pub(crate) fn take_senders<'m>(
        &mut self,
        flows: &[Flow],
        senders: impl Iterator<Item = &'m AnySender>,
    ) {
        for (flow, sender) in flows.iter().zip(senders) {
            if flow.arrivals.is_some() {
                continue;
            }
            push(&mut self.state, &flow.name, sender.state());
            if sender.is_paced() {
                let rate = sender.pacing().map(Rate::bps);
                push(&mut self.pacing_bps, &flow.name, rate);
            }
        }
    }

    /// Takes a sample of the state variables of disciplines.
    /// `gauges_of` reports those of a line, by its number.
    pub(crate) fn take_gauges(&mut self, gauges_of: impl Fn(usize, &mut Tell)) {
        let (gauges, units) = (&mut self.gauges, &mut self.gauge_units);
        for (at, line) in self.lines.iter().enumerate() {
            gauges_of(at, &mut |gauge, value| {
                push_gauge(gauges, units, line, gauge, value);
            });
        }
    }

    /// Takes the samples that another part of a divided run owns: those of these lines, and of these flows those of the receiver and of the sender.
    pub(crate) fn join(
        &mut self,
        mut other: Self,
        is_its: impl Fn(usize) -> bool,
        (sends, receives): (impl Fn(usize) -> bool, impl Fn(usize) -> bool),
    ) {
        for (at, LineBefore { name, .. }) in self.lines.iter().enumerate() {
            if is_its(at) {
                take(&mut self.backlog, &mut other.backlog, name);
                take(&mut self.throughput_bps, &mut other.throughput_bps, name);
            }
        }
        for (at, FlowBefore { name, .. }) in self.flows.iter().enumerate() {
            if sends(at) {
                take(&mut self.cwnd, &mut other.cwnd, name);
                take(&mut self.state, &mut other.state, name);
                take(&mut self.pacing_bps, &mut other.pacing_bps, name);
            }
            if receives(at) {
                take(&mut self.delivered, &mut other.delivered, name);
                take(&mut self.delay_s, &mut other.delay_s, name);
            }
        }
        let names: HashMap<&str, usize> = (self.lines.iter().zip(0..))
            .map(|(line, at)| (&*line.name, at))
            .collect();
        for (name, values) in other.gauges {
            // The gauge's own name may have a point, too, after its class.
            let mut lines = name.rmatch_indices('.').map(|(at, _)| &name[..at]);
            let line = lines.find_map(|line| names.get(line));
            if line.is_some_and(|at| is_its(*at)) {
                if let Some(unit) = other.gauge_units.get(&name) {
                    self.gauge_units.insert(name.clone(), unit);
                }
                self.gauges.insert(name, values);
            }
        }
    }

    /// Takes a sample of what ABR has: ACR and what waits of every flow that has it, and what the markers of links tell.
    pub(crate) fn take_rates<U>(&mut self, rates: &Rates<U>) {
        for (flow, end) in self.flows.iter().zip(rates.data()) {
            if let Some(end) = end {
                push(&mut self.acr_bps, &flow.name, end.source.acr().bps());
                push(&mut self.source_backlog, &flow.name, end.source.waiting());
            }
        }
        let (gauges, units) = (&mut self.gauges, &mut self.gauge_units);
        for (line, marker) in self.lines.iter().zip(&rates.markers) {
            if let Some(marker) = marker {
                marker.gauges(&mut |gauge, value| push_gauge(gauges, units, line, gauge, value));
            }
        }
    }
}

/// The value of a state variable of a line; its unit is kept with the first.
fn push_gauge(
    gauges: &mut BTreeMap<String, Vec<f64>>,
    units: &mut BTreeMap<String, &'static str>,
    line: &LineBefore,
    gauge: Gauge,
    value: f64,
) {
    let name = format!("{}.{gauge}", line.name);
    push(gauges, &name, value);
    if gauges.len() > units.len() {
        units.insert(name, gauge.unit);
    }
}

fn take<T>(mine: &mut BTreeMap<String, Vec<T>>, other: &mut BTreeMap<String, Vec<T>>, name: &str) {
    match other.remove(name) {
        Some(values) => drop(mine.insert(name.to_string(), values)),
        None => drop(mine.remove(name)),
    }
}

fn push<T>(series: &mut BTreeMap<String, Vec<T>>, name: &str, value: T) {
    match series.get_mut(name) {
        Some(values) => values.push(value),
        None => drop(series.insert(name.to_string(), vec![value])),
    }
}

/// Mean \[s\] of a sum \[ps\] over a number.
pub(crate) fn mean_s((sum, n): (u128, u64)) -> Option<f64> {
    (n > 0).then(|| sum as f64 / n as f64 / SECOND as f64)
}
