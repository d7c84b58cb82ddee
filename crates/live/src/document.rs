//! The document of a live run: that of a simulated run, and what only a live run has.

use crate::departures::departures;
use crate::flows::{self, Told};
use crate::gate::Refused;
use crate::router::Seen;
use crate::space::{self, Host};
use crate::watch::Counts;
use dupack_core::time::{Duration, Instant, SECOND};
use dupack_lab::run::Document;
use dupack_sim::percentiles::Samples;
use dupack_sim::relay::{Closed, Relay};
use dupack_sim::report::{self, Report, Summary};
use dupack_sim::spec::{self, Network};
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Percentiles of times.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Lateness {
    /// The least \[s\].
    pub min: f64,
    /// First percentile \[s\].
    pub p1: f64,
    /// Tenth percentile \[s\].
    pub p10: f64,
    /// Median \[s\].
    pub p50: f64,
    /// 90th percentile \[s\].
    pub p90: f64,
    /// 99th percentile \[s\].
    pub p99: f64,
    /// 99.9th percentile \[s\].
    pub p99_9: f64,
    /// The largest \[s\].
    pub max: f64,
}

impl Lateness {
    /// Of times \[ns\]; `None` if there are none.
    fn of(times: &Histogram<u64>) -> Option<Self> {
        let of = |share: f64| times.value_at_quantile(share) as f64 / 1e9;
        (!times.is_empty()).then(|| Self {
            min: times.min() as f64 / 1e9,
            p1: of(0.01),
            p10: of(0.1),
            p50: of(0.5),
            p90: of(0.9),
            p99: of(0.99),
            p99_9: of(0.999),
            max: times.max() as f64 / 1e9,
        })
    }
}

/// What the kernel's sockets tell of a flow, in the time after warm-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sockets {
    /// The flow.
    pub name: String,
    /// The kernel's congestion control.
    pub control: String,
    /// Segments with data that its sender's TCP has sent (`tcpi_data_segs_out`).
    pub segments_sent: u64,
    /// Of these, retransmissions (`tcpi_total_retrans`).
    pub segments_retransmitted: u64,
    /// Timeouts (`tcpi_total_rto`); null if the kernel does not count them.
    pub timeouts: Option<u64>,
    /// Smoothed round trip at the end \[s\] (`tcpi_rtt`).
    pub srtt_s: f64,
    /// Least round trip \[s\] (`tcpi_min_rtt`).
    pub min_rtt_s: f64,
    /// Time of the first retransmission in the whole run \[s\], as the router has seen it; null without one.
    pub first_retransmission_s: Option<f64>,
    /// Segments of which the sender heard that they were marked (`tcpi_delivered_ce`).
    pub delivered_ce: u64,
    /// Bytes that the receiver's socket had in order, over the whole run (`tcpi_bytes_received`).
    pub bytes_received: u64,
    /// The error that ended the connection, if one did.
    pub failed: Option<String>,
}

/// What only a live run has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Live {
    /// Whether there are no `doubts`.
    pub trusted: bool,
    /// Reasons not to trust the results, a sentence each.
    pub doubts: Vec<String>,
    /// How late packets were written, after the ideal times of their arrivals.
    pub lateness_s: Option<Lateness>,
    /// Times from the writing of a segment of a flow to the reading of the ack that it caused, without acks that a timer has delayed.
    pub ack_delay_s: Option<Lateness>,
    /// Bound of the 99th percentile of the lateness \[s\].
    pub bound_s: f64,
    /// Writes that were later than the bound.
    pub missed_deadlines: u64,
    /// Share of one processor that the router used.
    pub cpu_share: f64,
    /// Whether the router ran before other threads (SCHED_RR).
    pub real_time: bool,
    /// Packets that hosts have sent.
    pub packets_read: u64,
    /// Packets that were given to hosts.
    pub packets_written: u64,
    /// Packets that were not offered to any link, by reason.
    pub refused: Refused,
    /// Packets that hosts' devices dropped, because the router did not read them in time.
    pub device_drops: BTreeMap<String, u64>,
    /// Per host, the kernel's counters of IP and TCP over the whole run, as `nstat` names them; those that are 0 are left out.
    pub netstat: BTreeMap<String, BTreeMap<String, u64>>,
    /// Release of the kernel.
    pub kernel: String,
    /// Addresses of hosts.
    pub addresses: BTreeMap<String, String>,
    /// What the sockets tell, of each flow of TCP.
    pub sockets: Vec<Sockets>,
    /// What the plan asks and the kernel does differently, per flow.
    pub departures: BTreeMap<String, Vec<String>>,
    /// Exit code of the command, if one ran instead of flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// The document of a live run: that of a simulated one, and what only a live run has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LiveDocument {
    /// The measures, as of a simulated run.
    #[serde(flatten)]
    pub document: Document,
    /// What only a live run has.
    pub live: Live,
}

/// What a report is made of.
pub(crate) struct Made<'a> {
    pub network: &'a Network,
    /// The bound of lateness.
    pub bound: Duration,
    /// Flows speak IPv6.
    pub ipv6: bool,
    pub seen: &'a Seen,
    pub told: &'a [Told],
}

impl Made<'_> {
    fn time(&self) -> f64 {
        (self.network.duration.0 - self.network.warm_up.0) as f64 / SECOND as f64
    }

    pub fn report(&self, relay: Relay) -> Result<Report, dupack_sim::Failure> {
        let flows: Vec<report::Flow> = (0..self.told.len())
            .map(|at| self.flow(at, &self.network.flows[at]))
            .collect();
        let payload: Vec<f64> = flows.iter().map(|it| it.goodput_bps).collect();
        let end = Instant(self.network.duration.0);
        let closed = relay.close(self.network, end, &payload)?;
        let summary = summary(&flows, &closed);
        Ok(Report {
            flows,
            links: closed.links,
            summary,
            series: self.seen.series.clone(),
            warm_up: self.network.warm_up,
            batches: None,
        })
    }

    /// A flow, from the packets that the router has seen.
    fn flow(&self, at: usize, spec: &spec::Flow) -> report::Flow {
        let told = &self.told[at];
        let now = self.seen.watches[at].counts;
        let warm = self.seen.warm[at];
        let since = |of: fn(&Counts) -> u64| of(&now) - of(&warm);
        let mean = |of: fn(&Counts) -> (u128, u64)| {
            let (sum, count) = (of(&now).0 - of(&warm).0, of(&now).1 - of(&warm).1);
            (count > 0).then(|| sum as f64 / count as f64 / SECOND as f64)
        };
        let [all, before] = &self.seen.datagrams[at];
        let acknowledged = spec.transport.pair.acknowledged();
        let (delivered, bytes) = if acknowledged {
            let bytes = since(|it| it.delivered);
            (bytes / spec.transport.common.mss.0, bytes)
        } else {
            (all.arrived - before.arrived, all.payload - before.payload)
        };
        let end = Instant(self.network.duration.0);
        let from = told.start.max(Instant(self.network.warm_up.0));
        let lived = told.completed.unwrap_or(end).since(from).0;
        let idle = since(|it| it.idle).min(lived);
        let timeouts = match (told.info.timeouts, told.warm.timeouts) {
            (Some(now), Some(warm)) => u64::from(now.saturating_sub(warm)),
            _ => since(|it| it.timeouts),
        };
        let mut samples = Samples::times();
        for took in &self.seen.round_trips[at] {
            samples.time(Duration(*took));
        }
        let (sum, count) = told.messages;
        report::Flow {
            name: spec.name.clone(),
            transport: transport(spec).into(),
            goodput_bps: bytes as f64 * 8.0 / self.time(),
            throughput_bps: (since(|it| it.sent_bits) + all.bits - before.bits) as f64
                / self.time(),
            segments_sent: since(|it| it.sent) + all.sent - before.sent,
            segments_retransmitted: since(|it| it.retransmitted),
            segments_delivered: delivered,
            timeouts,
            fast_retransmits: since(|it| it.fast_retransmits),
            probes: since(|it| it.probes),
            acks: since(|it| it.acks),
            active_fraction: if lived > 0 {
                1.0 - idle as f64 / lived as f64
            } else {
                1.0
            },
            mean_rtt_s: mean(|it| it.rtt),
            mean_rto_s: None,
            messages: count,
            mean_message_s: (count > 0).then(|| sum as f64 / count as f64 / SECOND as f64),
            mean_delay_s: if acknowledged {
                mean(|it| it.delay)
            } else {
                let (sum, count) = (all.delay - before.delay, all.arrived - before.arrived);
                (count > 0).then(|| sum as f64 / count as f64 / SECOND as f64)
            },
            started_s: told.start.seconds(),
            completed_s: told.completed.map(Instant::seconds),
            rtt_s: (samples.percentiles()).filter(|_| self.network.percentiles),
            abr: None,
            frames: None,
            responses: None,
            video: None,
            connections: None,
        }
    }

    /// Why the results are not to be trusted, a sentence each; `lost` packets were dropped by hosts' devices.
    fn doubts(&self, lateness: Option<Lateness>, lost: u64) -> Vec<String> {
        let seen = self.seen;
        let bound = self.bound.seconds();
        let mut doubts = Vec::new();
        if let Some(late) = lateness.filter(|it| it.p99 > bound) {
            doubts.push(format!(
                "1 % of the packets were written more than {} late; the bound is {}",
                in_words(late.p99),
                in_words(bound)
            ));
        }
        if lost > 0 {
            doubts.push(format!(
                "hosts' devices dropped {lost} packets before the router read them"
            ));
        }
        if seen.rejected > 0 {
            doubts.push(format!(
                "hosts' devices did not take {} packets",
                seen.rejected
            ));
        }
        if seen.refused.no_memory > 0 {
            doubts.push(format!(
                "the router had no memory for {} packets",
                seen.refused.no_memory
            ));
        }
        if seen.uncaptured > 0 {
            doubts.push(format!(
                "the capture lacks the last {} packets, for which it had no memory",
                seen.uncaptured
            ));
        }
        if seen.untold > 0 {
            doubts.push(format!(
                "the tape lacks the last {} events, for which it had no memory",
                seen.untold
            ));
        }
        if seen.unmeasured > 0 {
            doubts.push(format!(
                "the percentiles lack the last {} round trips, for which there was no memory",
                seen.unmeasured
            ));
        }
        let flows = self.network.flows.iter().zip(self.told);
        for (flow, told) in flows {
            if let Some(why) = &told.failed {
                doubts.push(format!("flow {} failed: {why}", flow.name));
            } else if told.unanswered {
                doubts.push(format!("flow {} never connected", flow.name));
            }
        }
        doubts
    }

    pub fn live(
        &self,
        device_drops: BTreeMap<String, u64>,
        hosts: &[Host],
        exit_code: Option<i32>,
    ) -> Live {
        let seen = self.seen;
        let lateness = Lateness::of(&seen.lateness);
        let doubts = self.doubts(lateness, device_drops.values().sum());
        let flows = || self.network.flows.iter();
        Live {
            trusted: doubts.is_empty(),
            doubts,
            lateness_s: lateness,
            ack_delay_s: Lateness::of(&seen.ack_delays),
            bound_s: self.bound.seconds(),
            missed_deadlines: seen.missed,
            cpu_share: seen.cpu.as_secs_f64() / self.network.duration.seconds(),
            real_time: seen.precise,
            packets_read: seen.read,
            packets_written: seen.written,
            refused: seen.refused,
            device_drops,
            netstat: hosts
                .iter()
                .map(|it| (it.name.clone(), space::counters(it)))
                .collect(),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease")
                .map_or("unknown".into(), |it| it.trim().into()),
            addresses: (hosts.iter())
                .map(|it| {
                    let address = if self.ipv6 {
                        it.ipv6.to_string()
                    } else {
                        it.ipv4.to_string()
                    };
                    (it.name.clone(), address)
                })
                .collect(),
            sockets: flows()
                .zip(self.told.iter().zip(&seen.watches))
                // Datagrams have no TCP_INFO.
                .filter(|(flow, _)| flow.transport.pair.acknowledged())
                .map(|(flow, (told, watch))| sockets(flow, told, watch.first_repeat))
                .collect(),
            departures: flows()
                .map(|it| (it.name.clone(), departures(it, self.ipv6)))
                .filter(|(_, notes)| !notes.is_empty())
                .collect(),
            exit_code,
        }
    }
}

/// A time \[s\] with its unit, as the tables have it.
fn in_words(time: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "\u{b5}s"), (1e-9, "ns")];
    let fits = units.into_iter().find(|(unit, _)| time >= *unit);
    let (unit, name) = fits.unwrap_or((1e-9, "ns"));
    let digits = format!("{:.1}", time / unit);
    format!("{} {name}", digits.trim_end_matches(".0"))
}

/// The name of a flow's transport.
fn transport(flow: &spec::Flow) -> String {
    let word = flows::kernel_word(flow).unwrap_or_default();
    format!("kernel {word}")
}

fn sockets(flow: &spec::Flow, told: &Told, first_repeat: Option<Instant>) -> Sockets {
    let (now, warm) = (&told.info, &told.warm);
    let since = |of: u32, before: u32| u64::from(of.wrapping_sub(before));
    Sockets {
        name: flow.name.clone(),
        control: flows::kernel_word(flow).unwrap_or_default(),
        segments_sent: since(now.sent, warm.sent),
        segments_retransmitted: since(now.retransmitted, warm.retransmitted),
        timeouts: now
            .timeouts
            .zip(warm.timeouts)
            .map(|(now, warm)| u64::from(now - warm)),
        srtt_s: f64::from(now.rtt) / 1e6,
        min_rtt_s: f64::from(now.min_rtt) / 1e6,
        first_retransmission_s: first_repeat.map(Instant::seconds),
        delivered_ce: since(now.delivered_ce, warm.delivered_ce),
        bytes_received: told.received,
        failed: told.failed.clone(),
    }
}

/// All flows together, as of a simulated run.
fn summary(flows: &[report::Flow], closed: &Closed) -> Summary {
    let sum: f64 = flows.iter().map(|it| it.goodput_bps).sum();
    let squares: f64 = flows.iter().map(|it| it.goodput_bps * it.goodput_bps).sum();
    let n = flows.len() as f64;
    Summary {
        goodput_bps: sum,
        goodput_fraction: (closed.bottleneck).map_or(0.0, |at| closed.links[at].goodput_fraction),
        jain: (squares > 0.0).then(|| sum * sum / (n * squares)),
        active_fraction: flows.iter().map(|it| it.active_fraction).sum::<f64>() / n.max(1.0),
        timeouts: flows.iter().map(|it| it.timeouts).sum(),
    }
}
