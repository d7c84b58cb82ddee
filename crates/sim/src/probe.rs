//! Observation: records of a run besides its results. Free when off, because the compiler knows whether it is on.

use crate::each::{Log, Record};
pub use crate::packets::{Carried, Left};
use dupack_core::ledger::Cause;
use dupack_core::time::{Instant, SECOND};
use dupack_core::transport::{Ack, Ranges};
use dupack_core::unit::Ecn;
use std::fmt::Write;

/// Events of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A segment is sent for the first time.
    Send,
    /// A segment is sent again.
    Retransmit,
    /// An ack of new data arrived at the sender.
    Ack,
    /// A duplicate ack arrived at the sender.
    DupAck,
    /// Duplicates proved a loss.
    FastRetransmit,
    /// The retransmission timer ran out.
    Timeout,
    /// The receiver handed a segment to its application.
    Deliver,
    /// A transmission of a segment was lost: its packet, or the first unit of it that was dropped.
    Drop,
    /// Congestion was marked in a transmission of a segment.
    Mark,
    /// The congestion window changed.
    Cwnd,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Send,
        Self::Retransmit,
        Self::Ack,
        Self::DupAck,
        Self::FastRetransmit,
        Self::Timeout,
        Self::Deliver,
        Self::Drop,
        Self::Mark,
        Self::Cwnd,
    ];

    /// The word on a tape.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Retransmit => "retransmit",
            Self::Ack => "ack",
            Self::DupAck => "dup_ack",
            Self::FastRetransmit => "fast_retransmit",
            Self::Timeout => "timeout",
            Self::Deliver => "deliver",
            Self::Drop => "drop",
            Self::Mark => "mark",
            Self::Cwnd => "cwnd",
        }
    }
}

/// A line of a tape.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Time of the event.
    pub at: Instant,
    /// Index of the flow.
    pub flow: usize,
    /// Number of its connection, if it has many.
    pub connection: Option<u64>,
    /// The event.
    pub event: Event,
    /// Segment, from 0; for acks the next one expected, for `cwnd` the oldest unacknowledged.
    pub segment: u64,
    /// cwnd with the inflation of fast recovery \[segments\].
    pub cwnd: f64,
    /// ssthresh \[segments\], infinite until set.
    pub ssthresh: f64,
    /// Number of the transmission; for acks that of the transmission that caused them.
    pub id: u64,
    /// Payload of a transmission \[bytes\].
    pub bytes: u64,
    /// Whether it is an ack with ECE.
    pub ece: bool,
    /// One more than the index, in [`Reel::ranges`], of the transmissions that an ack of QUIC reports; 0 for all else.
    pub ranges: u32,
}

/// A whole packet that passes one end of a line. On a line of cells, one of which all cells have passed.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Time at which its last bit has passed.
    pub at: Instant,
    /// The link, an index into [`Network::links`](crate::spec::Network::links).
    pub link: usize,
    /// At its far end.
    pub far: bool,
    /// Index of the flow.
    pub flow: usize,
    /// Number of its connection, if it has many.
    pub connection: Option<u64>,
    /// Links that it has passed before this one.
    pub hop: u16,
    /// Remaining part.
    pub left: Left,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its length on a line of packets, headers included \[bytes\]; on a line of cells that of a cell.
    pub bytes: u32,
    /// Contents.
    pub carried: Carried,
}

/// A unit that has left a transmitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Time at which its last bit has left.
    pub at: Instant,
    /// The link, an index into [`Network::links`](crate::spec::Network::links).
    pub link: usize,
    /// Index of the flow.
    pub flow: usize,
    /// An RM cell.
    pub control: bool,
    /// It belongs to a packet of the receiver, which is an ack.
    pub back: bool,
}

/// Something that happens to a packet in a buffer or on a line, except that it is carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// It was dropped, or the first of its cells was.
    Dropped(Cause),
    /// Congestion was marked in it, or in one of its cells.
    Marked,
    /// It was cut to its header.
    Trimmed,
}

/// A packet that a discipline or a line dropped, marked or trimmed.
#[derive(Clone, Copy, Debug)]
pub struct Incident {
    /// Time of it.
    pub at: Instant,
    /// The link, an index into [`Network::links`](crate::spec::Network::links).
    pub link: usize,
    /// Index of the flow.
    pub flow: usize,
    /// Number of its connection, if it has many.
    pub connection: Option<u64>,
    /// Links that the packet has passed before this one.
    pub hop: u16,
    /// What happened.
    pub deed: Deed,
    /// Units in the link's buffer after it.
    pub waiting: u64,
    /// Length of the unit \[bytes\].
    pub bytes: u32,
    /// Contents of the packet.
    pub carried: Carried,
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It reached the host at the end of its way.
    Arrived {
        /// Its ECN field then.
        ecn: Ecn,
        /// Its length if a switch has trimmed it, or if it is a truncated copy \[bytes\].
        trimmed: Option<u16>,
    },
    /// A link dropped, marked or trimmed it, or lost the first of its cells.
    Befell {
        /// Index of the link.
        link: usize,
        /// What happened.
        deed: Deed,
        /// Units in the link's buffer after it.
        waiting: u64,
    },
    /// A link has made a truncated copy of it, which arrives or is dropped apart from it.
    Copied,
    /// It is lost with another one whose end mark was dropped (AAL5).
    Dead,
}

/// A fate, with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// The ideal time of it.
    pub at: Instant,
    /// The packet.
    pub token: u64,
    /// What became of it.
    pub fate: Fate,
}

/// A connection of a flow that is many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Index of the flow.
    pub flow: usize,
    /// Its number among the flow's connections.
    pub connection: u64,
    /// The data's way, as indices into [`Network::links`](crate::spec::Network::links), and the acks'.
    pub ways: [Vec<usize>; 2],
}

/// An observer.
pub trait Probe {
    /// Whether it observes anything.
    const ON: bool;
    /// Whether the run keeps what percentiles are made of, if the network asks for them. Known to the compiler, because to ask at every cell
    /// costs 2.3 % more instructions.
    const SPREADS: bool;
    /// Something happened.
    fn on(&mut self, row: &Row);
    /// An ack arrived at the sender.
    fn heard(&mut self, row: &Row, _: &Ack) {
        self.on(row);
    }
    /// The ends of lines at which it captures: links of the network, and whether at the far end. Asked once, at the start.
    fn captures(&self) -> &[(usize, bool)] {
        &[]
    }
    /// A packet has passed a point of capture.
    fn seen(&mut self, _: &Seen) {}
    /// From this time on it is told of each unit that leaves a transmitter where it captures.
    fn units_from(&self) -> Instant {
        Instant::NEVER
    }
    /// A unit has left a transmitter.
    fn passed(&mut self, _: &Passed) {}
    /// A packet was dropped, marked or trimmed: data or an ack.
    fn befell(&mut self, _: &Incident) {}
    /// A discipline has made a truncated copy of a packet with data, of this segment.
    fn copied(&mut self, _at: Instant, _segment: u64) {}
    /// A connection begins.
    fn begins(&mut self, _: Begun) {}
    /// A connection has ended, or the run ends while it is open.
    fn ends(&mut self, _: &Record<'_>) {}
}

/// An observer of runs that may be divided: each part has one.
pub trait Divides: Probe + Send + Sync {
    /// One for another part, before anything has happened.
    fn another(&self) -> Self;
    /// Takes what that of another part has observed.
    fn join(&mut self, other: Self);
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Divides for Off {
    fn another(&self) -> Self {
        Self
    }
    fn join(&mut self, _: Self) {}
}

impl Probe for Off {
    const ON: bool = false;
    const SPREADS: bool = false;
    fn on(&mut self, _: &Row) {}
}

/// Lets percentiles be kept, and records connections if it has a log.
#[derive(Clone, Debug, Default)]
pub struct Spreads {
    /// A record of each connection.
    pub log: Option<Log>,
}

impl Probe for Spreads {
    const ON: bool = false;
    const SPREADS: bool = true;
    fn on(&mut self, _: &Row) {}
    fn ends(&mut self, record: &Record<'_>) {
        if let Some(log) = &mut self.log {
            log.add(record);
        }
    }
}

impl Divides for Spreads {
    fn another(&self) -> Self {
        Self {
            log: self.log.as_ref().map(|_| Log::default()),
        }
    }
    fn join(&mut self, other: Self) {
        if let (Some(log), Some(other)) = (&mut self.log, other.log) {
            log.join(other);
        }
    }
}

/// Keeps every row, for a CSV with exact times (to the picosecond), every packet that passes its captures, and every incident; or only the fates
/// of packets. These are one type because the compiler makes all ports and disciplines anew for each type of probe.
#[derive(Debug, Default)]
pub struct Tape {
    rows: Vec<Row>,
    ranges: Vec<Ranges>,
    captures: Vec<(usize, bool)>,
    seen: Vec<Seen>,
    incidents: Vec<Incident>,
    begun: Vec<Begun>,
    passed: Vec<Passed>,
    units_from: Option<Instant>,
    log: Option<Log>,
    fates: Option<Vec<Told>>,
}

/// All that a tape has, each in order of time.
#[derive(Debug, Default)]
pub struct Reel {
    /// Its rows.
    pub rows: Vec<Row>,
    /// Transmissions that acks of QUIC report, for their rows.
    pub ranges: Vec<Ranges>,
    /// Packets seen by its captures.
    pub seen: Vec<Seen>,
    /// Packets dropped, marked or trimmed.
    pub incidents: Vec<Incident>,
    /// The connections that come and go.
    pub begun: Vec<Begun>,
    /// Units that left a transmitter.
    pub passed: Vec<Passed>,
}

impl Tape {
    /// With captures at these ends of lines: links of the network, and whether at the far end.
    pub fn with_captures(captures: Vec<(usize, bool)>) -> Self {
        Self {
            captures,
            ..Self::default()
        }
    }

    /// Keeps nothing but the fates of packets, whose numbers of segments are tokens.
    pub(crate) fn of_fates() -> Self {
        Self {
            fates: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Moves the fates that it has got into `told`.
    pub(crate) fn tell(&mut self, told: &mut Vec<Told>) {
        if let Some(fates) = &mut self.fates {
            told.append(fates);
        }
    }

    /// With a record of each connection.
    pub fn with_log(self) -> Self {
        Self {
            log: Some(Log::default()),
            ..self
        }
    }

    /// From this time on it keeps every unit that leaves a transmitter where it captures.
    pub fn keep_units_from(&mut self, at: Instant) {
        self.units_from = Some(at);
    }

    /// Takes the record of connections out of it.
    pub fn take_log(&mut self) -> Option<Log> {
        self.log.take()
    }

    /// Its rows in order of time; see [`csv`].
    pub fn rows(self) -> Vec<Row> {
        self.reel().rows
    }

    /// All of it.
    pub fn reel(mut self) -> Reel {
        self.take_reel()
    }

    /// The same of what it has got since the last time. Parts of successive times may overlap a little: see [`csv`].
    pub fn take_reel(&mut self) -> Reel {
        let mut reel = Reel {
            rows: std::mem::take(&mut self.rows),
            ranges: std::mem::take(&mut self.ranges),
            seen: std::mem::take(&mut self.seen),
            incidents: std::mem::take(&mut self.incidents),
            begun: std::mem::take(&mut self.begun),
            passed: std::mem::take(&mut self.passed),
        };
        reel.rows.sort_by_key(|row| row.at);
        reel.seen.sort_by_key(|seen| seen.at);
        reel.incidents.sort_by_key(|incident| incident.at);
        reel.passed.sort_by_key(|passed| passed.at);
        reel
    }

    /// The tape as CSV; see [`csv`].
    pub fn csv(self, names: &[String]) -> String {
        csv(&self.rows(), names)
    }
}

/// Rows as CSV with a header, in order of time, for flows of these names.
///
/// Rows of one instant keep their order. Rows of different instants may arrive out of order: events on a line are processed
/// late or in advance.
pub fn csv(rows: &[Row], names: &[String]) -> String {
    let mut text = String::from("time_s,flow,event,segment,cwnd,ssthresh\n");
    for Row {
        at,
        flow,
        connection,
        event,
        segment,
        cwnd,
        ssthresh,
        ..
    } in rows
    {
        let (seconds, rest) = (at.0 / SECOND, at.0 % SECOND);
        let (flow, event) = (&names[*flow], event.name());
        let number = connection.map_or(String::new(), |number| format!(".{number}"));
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "{seconds}.{rest:012},{flow}{number},{event},{segment},{cwnd},{ssthresh}"
        );
    }
    text
}

impl Probe for Tape {
    const ON: bool = true;
    const SPREADS: bool = true;
    fn on(&mut self, row: &Row) {
        let Some(fates) = &mut self.fates else {
            return self.rows.push(*row);
        };
        // What a port does to a packet is told as an incident, just before. What remains are packets that end in a broken frame.
        let same = |it: &Told| {
            let lost = matches!(
                it.fate,
                Fate::Befell {
                    deed: Deed::Dropped(_) | Deed::Trimmed,
                    ..
                }
            );
            lost && it.token == row.segment
        };
        if row.event == Event::Drop && !fates.last().is_some_and(same) {
            fates.push(Told {
                at: row.at,
                token: row.segment,
                fate: Fate::Dead,
            });
        }
    }
    fn heard(&mut self, row: &Row, ack: &Ack) {
        let mut row = *row;
        if !ack.ranges.is_empty() && self.fates.is_none() {
            self.ranges.push(ack.ranges);
            row.ranges = self.ranges.len() as u32;
        }
        self.on(&row);
    }
    fn copied(&mut self, at: Instant, segment: u64) {
        if let Some(fates) = &mut self.fates {
            fates.push(Told {
                at,
                token: segment,
                fate: Fate::Copied,
            });
        }
    }
    fn captures(&self) -> &[(usize, bool)] {
        &self.captures
    }
    fn seen(&mut self, seen: &Seen) {
        self.seen.push(*seen);
    }
    fn units_from(&self) -> Instant {
        self.units_from.unwrap_or(Instant::NEVER)
    }
    fn passed(&mut self, passed: &Passed) {
        self.passed.push(*passed);
    }
    fn befell(&mut self, incident: &Incident) {
        let Some(fates) = &mut self.fates else {
            return self.incidents.push(*incident);
        };
        let Carried::Data { segment, .. } = incident.carried else {
            return;
        };
        fates.push(Told {
            at: incident.at,
            token: segment,
            fate: Fate::Befell {
                link: incident.link,
                deed: incident.deed,
                waiting: incident.waiting,
            },
        });
    }
    fn begins(&mut self, begun: Begun) {
        self.begun.push(begun);
    }
    fn ends(&mut self, record: &Record<'_>) {
        if let Some(log) = &mut self.log {
            log.add(record);
        }
    }
}
