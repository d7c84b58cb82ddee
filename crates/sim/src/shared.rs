//! State that the ports of a world share, and the ledger through which each of them writes to it.

use crate::delays::Delays;
use crate::grain::Grain;
use crate::packets::{Bodies, Carried, Left};
use crate::probe::{Deed, Event, Incident, Probe, Row};
use dupack_core::ledger::{Cause, Ledger};
use dupack_core::measure::Bytes;
use dupack_core::time::Instant;
use dupack_core::transport::Ack;
use dupack_core::transport::sender::Transmit;
use dupack_core::unit::{CONTROL, DATA, Ecn};

/// Counts of the ledger, and of the line's work.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Counts {
    pub offered: u64,
    /// Transmission times begun, or booked ahead \[ps\].
    pub busy: u64,
    /// Number of idle times, up to the last unit offered.
    pub pauses: u64,
    /// Units in the buffer of a port with a discipline, as its ledger counts them: asking the discipline at every step would cost more. The
    /// audit asks it.
    pub waiting: u64,
    /// Units whose transmission has begun, except those lost on the line. Kept by ports with a discipline.
    pub sent: u64,
    pub dropped: [u64; Cause::ALL.len()],
    /// Units that the discipline made.
    pub minted: u64,
    /// Units that it cut short.
    pub trimmed: u64,
    /// Units in which it marked congestion; each of them is sent, dropped or waiting as well.
    pub marked: u64,
}

/// State that the ports share.
#[derive(Debug)]
pub struct Shared<U: Grain, P> {
    pub now: Instant,
    /// End of the run: later events have not happened.
    pub end: Instant,
    pub bodies: Bodies,
    /// The ports of every way, one way after another, and where each way begins. (Numbers of half the size: the fewer cache lines they
    /// fill, the more of them stay in the cache.)
    pub routes: Vec<u32>,
    pub first: Vec<u32>,
    /// Units dropped at each place of `routes`, less those made there: the links before it carried them in vain.
    pub lost: Vec<i64>,
    /// The receiving ends, per VC.
    pub joiners: Vec<U::Joiner>,
    /// Units that came in vain, per way.
    pub dead: Vec<u64>,
    pub tape: Tracer<P>,
    /// Samples for percentiles, if the plan asks for them.
    pub delays: Option<Box<Delays>>,
    /// A discipline has broken the law of holding back: the run ends soon, and that port tells how.
    pub broken: bool,
}

impl<U: Grain, P: Probe> Shared<U, P> {
    /// A unit arrives now at a buffer with a discipline.
    #[inline]
    pub fn arrives(&mut self, unit: &U) {
        if P::SPREADS
            && let Some(delays) = &mut self.delays
        {
            delays.arrives(unit, self.now);
        }
    }

    /// A line corrupts the packet `unit` at `at`: its receiver will discard it, which loses a transmission here.
    #[cold]
    pub fn corrupt(&mut self, unit: &U, at: Instant) {
        let way = unit.way();
        if let Some(body) = self.bodies.get(unit.body(), way, unit.serial())
            && body.corrupt()
            && let Some((segment, _)) = body.segment()
        {
            let flow = way.0 as usize / 2;
            self.tape.row(at, flow, Event::Drop, segment);
        }
    }

    /// A line sends a packet twice: the copy, which has a body of its own.
    #[cold]
    pub fn duplicate(&mut self, unit: &U) -> Option<U> {
        let body = self.bodies.get(unit.body(), unit.way(), unit.serial())?;
        // Of a copy of a header, the links before where that was made have not carried the second one, either.
        if let Some(hop) = body.made_at() {
            self.lost[self.first[unit.way().0 as usize] as usize + hop] -= 1;
        }
        unit.cut(
            self.bodies.copied(unit.body()),
            Bytes(unit.bytes().into()),
            0,
        )
    }

    /// Place of a unit on its way: an index of `routes`.
    #[inline]
    pub fn place(&self, unit: &U) -> usize {
        self.first[unit.way().0 as usize] as usize + unit.hop() as usize
    }

    /// The port that a unit comes to at its place.
    #[inline]
    pub fn port(&self, unit: &U) -> usize {
        self.routes[self.place(unit)] as usize
    }

    /// Where the way after the last that has been laid begins.
    pub fn end_of_routes(&self) -> u32 {
        // Every place of `routes` is a link of a flow, and memory for 2^32 of them would not be found.
        u32::try_from(self.routes.len()).expect("there are fewer places than that")
    }
}

/// The probe, with the state that it needs to record a drop far from the sender.
#[derive(Debug)]
pub struct Tracer<P> {
    pub probe: P,
    /// End of the run.
    pub end: Instant,
    /// Per flow (cwnd, ssthresh), kept while the probe is on.
    pub windows: Vec<(f64, f64)>,
    /// The number of flows of the plan; and for each machine beyond these, its flow and the number of its connection.
    flows: usize,
    names: Vec<(usize, u64)>,
}

impl<P: Probe> Tracer<P> {
    pub fn new(probe: P, end: Instant, windows: Vec<(f64, f64)>) -> Self {
        Self {
            probe,
            end,
            flows: windows.len(),
            windows,
            names: Vec::new(),
        }
    }

    /// Machine `flow` is now connection `name.1` of the plan's flow `name.0`.
    pub fn name(&mut self, flow: usize, windows: (f64, f64), name: (usize, u64)) {
        let many = flow + 1;
        self.windows.resize(many.max(self.windows.len()), windows);
        self.names
            .resize((many - self.flows).max(self.names.len()), name);
        self.windows[flow] = windows;
        self.names[flow - self.flows] = name;
    }

    /// The plan's flow of machine `flow`, and the number of its connection, if the flow has many.
    pub fn whose(&self, flow: usize) -> (usize, Option<u64>) {
        match flow.checked_sub(self.flows) {
            None => (flow, None),
            Some(beyond) => (self.names[beyond].0, Some(self.names[beyond].1)),
        }
    }

    #[inline]
    pub fn row(&mut self, at: Instant, flow: usize, event: Event, segment: u64) {
        self.write(at, flow, event, segment, (0, 0, false));
    }

    /// A segment with a payload of `bytes` is sent.
    #[inline]
    pub fn sent(&mut self, at: Instant, flow: usize, transmit: &Transmit, bytes: u64) {
        let event = if transmit.again {
            Event::Retransmit
        } else {
            Event::Send
        };
        let more = (transmit.id, bytes, false);
        self.write(at, flow, event, transmit.segment, more);
    }

    /// An ack arrived at the sender.
    #[inline]
    pub fn heard(&mut self, at: Instant, flow: usize, event: Event, ack: &Ack) {
        if let Some(row) = self.about(at, flow, event, ack.next, (ack.id, 0, ack.ece)) {
            self.probe.heard(&row, ack);
        }
    }

    #[inline]
    fn write(
        &mut self,
        at: Instant,
        flow: usize,
        event: Event,
        segment: u64,
        more: (u64, u64, bool),
    ) {
        if let Some(row) = self.about(at, flow, event, segment, more) {
            self.probe.on(&row);
        }
    }

    /// A row, if the probe is on.
    #[inline]
    fn about(
        &self,
        at: Instant,
        flow: usize,
        event: Event,
        segment: u64,
        (id, bytes, ece): (u64, u64, bool),
    ) -> Option<Row> {
        if !P::ON || at > self.end {
            return None;
        }
        let (cwnd, ssthresh) = self.windows[flow];
        let (flow, connection) = self.whose(flow);
        Some(Row {
            at,
            flow,
            connection,
            event,
            segment,
            cwnd,
            ssthresh,
            id,
            bytes,
            ece,
            ranges: 0,
        })
    }
}

/// The ledger of a port.
pub struct Book<'a, U: Grain, P: Probe> {
    pub counts: &'a mut Counts,
    /// Time of the events: departures are processed late, or in advance.
    pub at: Instant,
    pub shared: &'a mut Shared<U, P>,
}

impl<U: Grain, P: Probe> Book<'_, U, P> {
    /// Tells the probe of an incident, unless the packet has lost a cell before.
    #[cold]
    fn befell(&mut self, unit: &U, deed: Deed) {
        let (way, shared) = (unit.way(), &mut *self.shared);
        let body = (shared.bodies).get(unit.body(), way, unit.serial());
        if unit.is_control() || self.at > shared.end || body.is_none_or(|body| body.damaged()) {
            return;
        }
        let Some((carried, ..)) = shared.bodies.peek(unit.body(), way, unit.serial()) else {
            return;
        };
        let (flow, connection) = shared.tape.whose(way.0 as usize / 2);
        let link = shared.port(unit);
        shared.tape.probe.befell(&Incident {
            at: self.at,
            link,
            flow,
            connection,
            hop: unit.hop(),
            deed,
            waiting: self.counts.waiting,
            bytes: unit.bytes(),
            carried,
        });
    }

    /// The line loses a unit that has left the buffer.
    #[cold]
    pub fn lose(&mut self, unit: U, why: Cause) {
        self.counts.waiting += 1;
        self.drop(unit, why);
    }
}

impl<U: Grain, P: Probe> Ledger<U> for Book<'_, U, P> {
    fn drop(&mut self, unit: U, why: Cause) {
        self.counts.dropped[why as usize] += 1;
        self.counts.waiting -= 1;
        let way = unit.way();
        let shared = &mut *self.shared;
        if P::SPREADS
            && let Some(delays) = &mut shared.delays
        {
            delays.is_dropped(&unit);
        }
        let place = shared.place(&unit);
        shared.lost[place] += 1;
        if P::ON {
            self.befell(&unit, Deed::Dropped(why));
        }
        let shared = &mut *self.shared;
        if let Some(body) = shared.bodies.get(unit.body(), way, unit.serial()) {
            if body.damage()
                && let Some((segment, _)) = body.segment()
            {
                shared
                    .tape
                    .row(self.at, way.0 as usize / 2, Event::Drop, segment);
            }
            if unit.last() {
                shared.bodies.take(unit.body());
            }
        }
    }

    fn mark(&mut self, unit: &mut U) -> bool {
        let (way, shared) = (unit.way(), &mut *self.shared);
        let Some(body) = shared.bodies.get(unit.body(), way, unit.serial()) else {
            // The packet of this cell is gone, so nothing would read the mark.
            return false;
        };
        if !body.ecn().is_capable() {
            return false;
        }
        // Several cells of a packet may be marked, but the transport sees one mark.
        let first = body.ecn() != Ecn::Ce;
        body.set_ecn(Ecn::Ce);
        unit.set_ce();
        self.counts.marked += 1;
        if first && let Some((segment, _)) = body.segment() {
            shared
                .tape
                .row(self.at, way.0 as usize / 2, Event::Mark, segment);
        }
        if P::ON && first {
            self.befell(unit, Deed::Marked);
        }
        true
    }

    fn ecn(&self, unit: &U) -> Ecn {
        let bodies = &self.shared.bodies;
        bodies.ecn(unit.body(), unit.way(), unit.serial())
    }

    fn supersedes(&self, newer: &U, older: &U) -> bool {
        let ack = |unit: &U| {
            let bodies = &self.shared.bodies;
            match bodies.peek(unit.body(), unit.way(), unit.serial()) {
                Some((Carried::Ack(ack), Left::Whole, _)) => Some(ack),
                _ => None,
            }
        };
        match (ack(newer), ack(older)) {
            (Some(newer), Some(older)) => newer.supersedes(&older),
            _ => false,
        }
    }

    fn trim(&mut self, unit: &mut U, keep: Bytes) {
        let Some(rest) = unit.cut(unit.body(), keep, CONTROL) else {
            unreachable!("no discipline trims such units")
        };
        *unit = rest;
        self.counts.trimmed += 1;
        if P::ON {
            self.befell(unit, Deed::Trimmed);
        }
        let (way, shared) = (unit.way(), &mut *self.shared);
        if let Some(body) = shared.bodies.get(unit.body(), way, unit.serial())
            && body.trim()
            && let Some((segment, _)) = body.segment()
        {
            shared
                .tape
                .row(self.at, way.0 as usize / 2, Event::Drop, segment);
        }
    }

    fn mint(&mut self, of: &U, keep: Bytes) -> U {
        if P::ON
            && let Some(body) = (self.shared.bodies).get(of.body(), of.way(), of.serial())
            && let Some((segment, _)) = body.segment()
        {
            self.shared.tape.probe.copied(self.at, segment);
        }
        let body = self.shared.bodies.truncated(of.body(), of.hop());
        let Some(copy) = of.cut(body, keep, DATA) else {
            unreachable!("no discipline makes such units")
        };
        self.counts.minted += 1;
        self.counts.waiting += 1;
        // The links before carried the original, not this copy, so it must not count there as dead.
        let place = self.shared.place(of);
        self.shared.lost[place] -= 1;
        if let Some(delays) = &mut self.shared.delays {
            delays.arrives(&copy, self.at);
        }
        copy
    }
}
