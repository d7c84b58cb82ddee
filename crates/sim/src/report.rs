//! The report of a run: the keys of `dupack run --json`.

use crate::application::{Frames, Meter, Responses, Video};
use crate::batches::{Batched, Batches};
use crate::connections::{Class, Connecting, Connections, PARTS};
use crate::delays::Delays;
use crate::machine::{Machine, Tally};
use crate::percentiles::{Percentiles, Samples};
use crate::port::Port;
pub use crate::rates::Abr;
use crate::rates::Rates;
use crate::series::mean_s;
pub use crate::series::{Account, Series};
use crate::shared::Counts;
use crate::spec::Network;
use dupack_core::ledger::Cause;
use dupack_core::measure::{Bytes, Rate};
use dupack_core::time::{Duration, Instant, SECOND};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run, measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Every flow, in the plan's order. Counts and rates are of the time after warm-up.
    pub flows: Vec<Flow>,
    /// Every direction of every link. Counts are of the whole run, so that the ledger's law can be read off them; those of
    /// `measured`, utilization, mean backlog and goodput are of the time after warm-up.
    pub links: Vec<Link>,
    /// All flows together.
    pub summary: Summary,
    /// Time series, if the plan asks for samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// End of warm-up: the network's, or the time that MSER-5 chose.
    #[serde(skip)]
    pub warm_up: Duration,
    /// Measures of batches, if the plan asks for them.
    #[serde(skip)]
    pub batches: Option<Batched>,
}

/// A flow, measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Its transport's name; `control+repair` for a pair that has none.
    pub transport: std::borrow::Cow<'static, str>,
    /// Payload handed to the application, over the measured time \[bit/s\].
    pub goodput_bps: f64,
    /// Rate sent on its first line, over the measured time, with retransmissions, headers and, on cells, padding and cell headers,
    /// without RM cells \[bit/s\].
    pub throughput_bps: f64,
    /// Data segments sent, retransmissions among them.
    pub segments_sent: u64,
    /// Retransmissions of data segments.
    pub segments_retransmitted: u64,
    /// Segments handed to the application, in order, each once; datagrams as they come.
    pub segments_delivered: u64,
    /// Timeouts: expirations of the retransmission timer.
    pub timeouts: u64,
    /// Fast retransmits: losses found by acks, or by a timer of the repair that is no timeout.
    pub fast_retransmits: u64,
    /// Probes: segments sent because no ack had come for a while, to find out whether something is lost; 0 if the repair sends none.
    pub probes: u64,
    /// Acks that arrived at the sender.
    pub acks: u64,
    /// Share of its time (from its start to its completion or the run's end) in which it did not wait for a timeout. It waits from
    /// the last segment sent or ack received until the timer expires.
    pub active_fraction: f64,
    /// Mean round trip of the segments sent once \[s\]; null without any.
    pub mean_rtt_s: Option<f64>,
    /// Mean retransmission timeout, without back-off, over the round trips that the sender timed \[s\]; null without any.
    pub mean_rto_s: Option<f64>,
    /// Messages whose last segment was acknowledged, or sent if there are no acks: a file is one message, greedy traffic has none.
    pub messages: u64,
    /// Mean completion time of these messages, from the start of the message to that ack \[s\]; null without any.
    pub mean_message_s: Option<f64>,
    /// Mean delay of its segments: time from the first transmission of a segment until it is handed to the application, in order \[s\];
    /// null without any.
    pub mean_delay_s: Option<f64>,
    /// Start time \[s\].
    pub started_s: f64,
    /// Time at which its last segment was acknowledged, or sent if there are no acks \[s since the start of the run\]; null while unfinished.
    pub completed_s: Option<f64>,
    /// Percentiles of the round trips of segments sent once \[s\]; missing without any, or if the plan does not ask for percentiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_s: Option<Percentiles>,
    /// Its VC's source end system, if the VC has ABR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abr: Option<Abr>,
    /// Its frames, with the traffic `real-time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// Its responses, with the traffic `request-response`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// Its video, with the traffic `video`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Video>,
    /// Its connections, if it has many: all other values are then sums or means over them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<Connections>,
}

/// A direction of a link, measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Link {
    /// Its name; the reverse direction of `x` is `x.back`.
    pub name: String,
    /// The sending node.
    pub from: String,
    /// The receiving node.
    pub to: String,
    /// `cells` or `packets`, the unit of all counts.
    pub carries: &'static str,
    /// The discipline; `unlimited` for an unlimited FIFO.
    pub queue: String,
    /// Units that arrived.
    pub offered: u64,
    /// Copies of headers that the discipline made.
    pub minted: u64,
    /// Units that the discipline trimmed to their headers.
    pub trimmed: u64,
    /// Units marked with CE (ECN); each is also counted as sent, dropped, waiting or in service.
    pub marked: u64,
    /// Units that were transmitted and not lost on the link.
    pub sent: u64,
    /// Units dropped, by cause.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Units in the buffer at the end.
    pub waiting: u64,
    /// Units being transmitted at the end, 0 or 1.
    pub in_service: u64,
    /// Share of the time in which the line was transmitting; with a trace or a schedule, share of the capacity that was used.
    pub utilization: f64,
    /// 1 - utilization: nothing was transmitted, because nothing waited or the discipline held it back.
    pub empty_fraction: f64,
    /// Number of such idle periods.
    pub empty_periods: u64,
    /// Units sent in vain: they arrived at the receiver as part of an incomplete packet, or were dropped on a later link. On a link of cells in a
    /// plan of packets, packets that are dropped behind its edge count as cells at the mean length of their flow's packets.
    pub dead_units: u64,
    /// Mean backlog over time, without the unit being transmitted \[units\].
    pub mean_backlog: f64,
    /// The largest backlog \[units\].
    pub max_backlog: u64,
    /// Payload that its flows delivered, over the most that it could carry after TCP, IP and cell overhead, and ABR's RM cells.
    /// It can exceed 1 for three reasons. Data that was sent during the warm-up counts if it is delivered, in order, after it. The most is
    /// reckoned with full segments of the flows that it carried. And each copy of a datagram that a line duplicates is delivered.
    pub goodput_fraction: f64,
    /// Counts of the time after warm-up.
    pub measured: Counted,
    /// Percentiles of the queueing delay \[s\], from arrival to the beginning of transmission, of units transmitted after
    /// warm-up; missing without any, or if the plan does not ask for percentiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_delay_s: Option<Percentiles>,
}

/// Units counted on a direction of a link.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Counted {
    /// Units that arrived.
    pub offered: u64,
    /// Copies of headers that the discipline made.
    pub minted: u64,
    /// Units that the discipline trimmed to their headers.
    pub trimmed: u64,
    /// Units marked with CE (ECN).
    pub marked: u64,
    /// Units that were transmitted and not lost on the link.
    pub sent: u64,
    /// Units dropped, by cause.
    pub dropped: BTreeMap<&'static str, u64>,
}

/// All flows together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Sum over the flows \[bit/s\].
    pub goodput_bps: f64,
    /// Goodput fraction of the bottleneck: the link that carried the most payload; of several such links, the slowest.
    pub goodput_fraction: f64,
    /// Jain's index of the flows' goodputs, (sum x)^2 / (n sum x^2); null if nothing was delivered, or if the only flow is many
    /// connections, of whose shares it says nothing.
    pub jain: Option<f64>,
    /// Mean over the flows.
    pub active_fraction: f64,
    /// Sum over the flows.
    pub timeouts: u64,
}

/// A port when warm-up ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Warm {
    /// Counts of the ledger.
    pub counts: Counts,
    /// Units transmitted and not lost on the link.
    pub sent: u64,
    /// Waiting time \[units x ps\].
    pub area: u128,
    /// Work \[ps\].
    pub busy: u64,
    /// Times that it had nothing to send.
    pub pauses: u64,
}

impl Warm {
    /// A port that has been brought up to `now`.
    pub(crate) fn of<U: crate::grain::Grain>(port: &Port<U>, now: Instant) -> Self {
        Self {
            counts: port.counts,
            sent: port.left(now),
            area: port.area(now),
            busy: port.busy(now),
            // An idle time that goes on belongs to the measured time.
            pauses: port.pauses_over(),
        }
    }
}

/// Links that another part of the program simulates, by their numbers in the network: `None` for all others.
pub(crate) trait Within {
    /// As [`Evidence::used`].
    fn used(&self, link: usize, load: &Load, end: Instant) -> Option<(f64, f64)>;
    /// As [`Evidence::link`].
    fn link(&self, link: usize, load: &Load, end: Instant) -> Option<Link>;
    /// Mean number of units there of a packet of this way.
    fn units(&self, way: usize) -> f64;
    /// Adds the units that were sent there in vain, because their packet was dropped there.
    fn add_dead(&self, loads: &mut [Load]);
}

/// Everything from which a report is made.
pub(crate) struct Evidence<'a, U: crate::grain::Grain> {
    pub network: &'a Network,
    pub end: Instant,
    pub ports: &'a [Port<U>],
    /// The lines of cells, if paths of packets lead over some.
    pub within: Option<&'a dyn Within>,
    /// Per port what there was when warm-up ended; none if there was no warm-up.
    pub warm: &'a [Warm],
    pub machines: &'a [Machine],
    /// ABR of the flows that have it.
    pub rates: Option<&'a Rates<U>>,
    /// Connections that come and go.
    pub connecting: Option<&'a Connecting>,
    /// The ports of each way, and where each way begins.
    pub routes: &'a [u32],
    pub first: &'a [u32],
    /// Units dropped at each place of `routes`, less those made there.
    pub lost: &'a [i64],
    /// Units that came in vain, per way.
    pub dead: &'a [u64],
    pub series: Option<Series>,
    pub delays: Option<&'a Delays>,
    pub batches: Option<&'a Batches>,
}

/// Traffic of flows on a port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// Units sent, yet part of no complete packet.
    pub dead: u64,
    /// Payload delivered \[bit/s\].
    pub payload: f64,
    /// The bits on the line for that, in full segments \[bit/s\].
    pub carried: f64,
}

impl<U: crate::grain::Grain> Evidence<'_, U> {
    /// The measured time \[s\].
    fn time(&self) -> f64 {
        (self.end - Instant(self.network.warm_up.0)).seconds()
    }

    /// Mean rate of a link over the measured time.
    fn mean_rate(&self, link: usize) -> Rate {
        self.network.links[link].mean_rate(self.network.warm_up, self.network.duration)
    }

    /// The connections of a flow that has many.
    fn class(&self, at: usize) -> Option<&Class> {
        self.connecting?.classes[at].as_deref()
    }

    /// Part of its time in which a flow with this account was not idle.
    pub(crate) fn active_fraction(&self, at: usize, tally: &Tally) -> f64 {
        let machine = &self.machines[at];
        let from = machine.start.max(Instant(self.network.warm_up.0));
        let lived = machine.completed.unwrap_or(self.end).since(from);
        let lived = self.class(at).map_or(lived, |class| class.lived);
        if lived.0 > 0 {
            1.0 - tally.idle.0 as f64 / lived.0 as f64
        } else {
            1.0
        }
    }

    /// Goodput of a flow with this account \[bit/s\].
    pub(crate) fn goodput(&self, tally: &Tally) -> f64 {
        tally.delivered_bytes as f64 * 8.0 / self.time()
    }

    pub(crate) fn flow(&self, at: usize) -> Flow {
        let (spec, machine) = (&self.network.flows[at], &self.machines[at]);
        let tally = machine.measured();
        let from = machine.start.max(Instant(self.network.warm_up.0));
        let meter = machine.meter.as_deref();
        Flow {
            name: spec.name.clone(),
            transport: spec.transport.name(),
            goodput_bps: self.goodput(&tally),
            throughput_bps: tally.sent_bits as f64 / self.time(),
            segments_sent: tally.sent,
            segments_retransmitted: tally.retransmitted,
            segments_delivered: tally.delivered,
            timeouts: tally.timeouts,
            fast_retransmits: tally.fast_retransmits,
            probes: tally.probes,
            acks: tally.acks,
            active_fraction: self.active_fraction(at, &tally),
            mean_rtt_s: mean_s(tally.rtt),
            mean_rto_s: mean_s(tally.rto),
            messages: tally.messages.1,
            mean_message_s: mean_s(tally.messages),
            mean_delay_s: mean_s((tally.delay, tally.delivered)),
            started_s: machine.start.seconds(),
            completed_s: machine.completed.map(Instant::seconds),
            rtt_s: (self.delays).and_then(|delays| delays.round_trips[at].percentiles()),
            abr: self
                .rates
                .and_then(|rates| rates.data().nth(at)?)
                .map(|end| end.meter.report((self.end - from).seconds())),
            frames: meter.and_then(|it| it.frames(self.end, machine.traffic())),
            responses: meter.and_then(Meter::responses),
            video: meter.and_then(|it| it.video(self.end, machine.traffic())),
            connections: self.class(at).map(Class::report),
        }
    }

    /// Bits on a link per bit of payload, in full segments of this flow; with ABR, RM cells are among them.
    fn overhead(&self, flow: usize, link: usize) -> f64 {
        let machine = &self.machines[flow];
        let abr = self.network.flows[flow].abr.as_ref();
        let rm = abr.map_or(1.0, |abr| {
            abr.params.nrm as f64 / (abr.params.nrm - 1) as f64
        });
        let packet = Bytes(machine.mss.0 + machine.header.0);
        let bits = self.network.bits_on(&self.network.links[link], packet);
        rm * bits as f64 / (machine.mss.0 * 8) as f64
    }

    /// Units on a link of a number of units of the network on this way: if the link carries cells within paths of packets, the cells of as many
    /// packets of mean length.
    fn units(&self, way: usize, link: usize, units: u64) -> u64 {
        match self.within {
            Some(within) if self.network.links[link].carries != self.network.grain => {
                (units as f64 * within.units(way)).round() as u64
            }
            _ => units,
        }
    }

    /// Traffic of the flows on each port. It walks all ways once, because there may be thousands of both.
    pub(crate) fn loads(&self, goodputs: &[f64]) -> Vec<Load> {
        let mut loads = vec![Load::default(); self.ports.len()];
        let ends = self.first.iter().skip(1).copied();
        let ends = ends.chain([self.routes.len() as u32]);
        for (way, (first, last)) in self.first.iter().copied().zip(ends).enumerate() {
            // Dead units: those whose packet was incomplete at the end of the way, and those dropped on a later link of it.
            let mut dead = self.dead[way] as i64;
            for place in (first as usize..last as usize).rev() {
                let link = self.routes[place] as usize;
                let load = &mut loads[link];
                // A trimmed copy that is still on its way would make the number negative.
                load.dead += self.units(way, link, dead.max(0) as u64);
                dead += self.lost[place];
                if way % 2 == 0 && self.network.flows[way / 2].arrivals.is_none() {
                    let payload = goodputs[way / 2];
                    load.payload += payload;
                    load.carried += payload * self.overhead(way / 2, link);
                }
            }
        }
        for (load, done) in loads
            .iter_mut()
            .zip(self.connecting.iter().flat_map(|it| &it.done))
        {
            load.dead += done.dead.max(0) as u64;
            load.payload += done.payload as f64 * 8.0 / self.time();
            load.carried += done.carried as f64 / PARTS as f64 / self.time();
        }
        if let Some(within) = self.within {
            within.add_dead(&mut loads);
        }
        loads
    }

    /// Report of the batches, if there are any; shares are those of link `bottleneck`.
    pub(crate) fn batches(&self, bottleneck: Option<usize>) -> Option<Batched> {
        let worth = |link: usize| {
            let rate = self.mean_rate(link).bps();
            let passes = |flow: usize| {
                let (from, to) = (self.first[2 * flow], self.first[2 * flow + 1]);
                self.routes[from as usize..to as usize].contains(&(link as u32))
            };
            let flows = 0..self.machines.len();
            let worth = flows.map(|at| {
                if passes(at) {
                    self.overhead(at, link) / rate
                } else {
                    0.0
                }
            });
            worth.collect::<Vec<f64>>()
        };
        let worth = bottleneck.filter(|_| self.connecting.is_none()).map(worth);
        self.batches.map(|it| it.report(worth.as_deref()))
    }

    /// The link that carried the most payload; of equal ones the slowest.
    pub(crate) fn bottleneck(&self, loads: &[Load]) -> Option<usize> {
        let rate = |at: usize| self.mean_rate(at);
        (0..self.ports.len()).max_by(|a, b| {
            let payload = loads[*a].payload.total_cmp(&loads[*b].payload);
            payload.then(rate(*b).cmp(&rate(*a)))
        })
    }

    /// Part of the time in which a link works, and the part of what it can carry that is payload with its overhead.
    pub(crate) fn used(&self, at: usize, load: &Load) -> (f64, f64) {
        if let Some(used) = self.within.and_then(|it| it.used(at, load, self.end)) {
            return used;
        }
        let spec = &self.network.links[at];
        let warm = self.warm.get(at).copied().unwrap_or_default();
        let measured = (self.end.0 - self.network.warm_up.0) as f64;
        let worked = (self.ports[at].busy(self.end) - warm.busy) as f64;
        match spec.room(self.network.warm_up, self.network.duration) {
            None => (worked / measured, load.carried / spec.rate.bps()),
            // Work is counted at `rate`, but the measured part may offer less than that, or more.
            Some(room) => {
                let (room, second) = (room.max(1.0), SECOND as f64);
                let used = worked / second * spec.rate.bps() / room;
                // Both readings of the work are rounded to a picosecond at `rate`, which is much for a line that can do little.
                let rounding = 2.0 / second * spec.rate.bps() / room;
                let full = (1.0..=1.0 + rounding).contains(&used);
                (
                    if full { 1.0 } else { used },
                    load.carried * measured / second / room,
                )
            }
        }
    }

    pub(crate) fn link(&self, at: usize, load: &Load) -> Link {
        if let Some(link) = self.within.and_then(|it| it.link(at, load, self.end)) {
            return link;
        }
        let (spec, port) = (&self.network.links[at], &self.ports[at]);
        let balance = port.balance(self.end);
        let warm = self.warm.get(at).copied().unwrap_or_default();
        let before = &warm.counts;
        let counts = &port.counts;
        let measured = (self.end.0 - self.network.warm_up.0) as f64;
        let (utilization, goodput_fraction) = self.used(at, load);
        let drops = |since: [u64; Cause::ALL.len()]| {
            let all = Cause::ALL.iter().zip(counts.dropped).zip(since);
            let some = all.map(|((cause, n), before)| (cause.name(), n - before));
            some.filter(|(_, n)| *n > 0).collect()
        };
        Link {
            name: spec.name.clone(),
            from: spec.from.to_string(),
            to: spec.to.to_string(),
            carries: spec.carries.name(),
            queue: spec
                .queue
                .as_ref()
                .map_or("unlimited", |q| q.name())
                .to_string(),
            offered: port.counts.offered,
            minted: port.counts.minted,
            trimmed: port.counts.trimmed,
            marked: port.counts.marked,
            sent: balance.sent,
            dropped: drops([0; Cause::ALL.len()]),
            waiting: balance.waiting,
            in_service: balance.in_service,
            utilization,
            empty_fraction: 1.0 - utilization,
            empty_periods: port.pauses(self.end) - warm.pauses,
            dead_units: load.dead,
            mean_backlog: (port.area(self.end) - warm.area) as f64 / measured,
            max_backlog: port.peak(),
            goodput_fraction,
            measured: Counted {
                offered: counts.offered - before.offered,
                minted: counts.minted - before.minted,
                trimmed: counts.trimmed - before.trimmed,
                marked: counts.marked - before.marked,
                sent: balance.sent.saturating_sub(warm.sent),
                dropped: drops(before.dropped),
            },
            queue_delay_s: port.waits.as_deref().and_then(Samples::percentiles),
        }
    }
}

impl Report {
    /// The flow called `name`, for tests.
    ///
    /// # Panics
    /// If there is none.
    pub fn flow(&self, name: &str) -> &Flow {
        let found = self.flows.iter().find(|it| it.name == name);
        found.unwrap_or_else(|| missing("flow", name, self.flows.iter().map(|it| &it.name)))
    }

    /// The direction of a link called `name`, for tests; the reverse direction of `x` is `x.back`.
    ///
    /// # Panics
    /// If there is none.
    pub fn link(&self, name: &str) -> &Link {
        let found = self.links.iter().find(|it| it.name == name);
        found.unwrap_or_else(|| missing("link", name, self.links.iter().map(|it| &it.name)))
    }
}

fn missing<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a String>) -> ! {
    let known: Vec<&str> = known.map(String::as_str).collect();
    panic!(
        "there is no {what} {name:?}; there are {}",
        known.join(", ")
    );
}
