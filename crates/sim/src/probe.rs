//! Observation: what a run tells besides its figures. Free when off, because whether it is on is known to the compiler.

use dupack_core::time::{Instant, SECOND};
use std::fmt::Write;

/// What happened to a flow.
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
    /// The congestion window changed.
    Cwnd,
}

impl Event {
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
            Self::Cwnd => "cwnd",
        }
    }
}

/// A line of a tape.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// When.
    pub at: Instant,
    /// Index of the flow.
    pub flow: usize,
    /// Which of its connections, if it is many.
    pub connection: Option<u64>,
    /// What.
    pub event: Event,
    /// Of which segment, from 0; for acks the next one expected, for `cwnd` the oldest unacknowledged.
    pub segment: u64,
    /// cwnd with the inflation of fast recovery \[segments\].
    pub cwnd: f64,
    /// ssthresh \[segments\], infinite until set.
    pub ssthresh: f64,
}

/// An observer.
pub trait Probe {
    /// Whether it observes anything.
    const ON: bool;
    /// Something happened.
    fn on(&mut self, mark: &Mark);
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Probe for Off {
    const ON: bool = false;
    fn on(&mut self, _: &Mark) {}
}

/// Keeps every mark, for a CSV with exact times (to the picosecond).
#[derive(Debug, Default)]
pub struct Tape(Vec<Mark>);

impl Tape {
    /// The tape as CSV with its heading, in order of time, for flows of these names.
    ///
    /// Marks of one instant keep their order. Those of others may have come out of it: what happens to a unit on a line is made
    /// up for late or booked ahead.
    pub fn csv(mut self, names: &[String]) -> String {
        self.0.sort_by_key(|mark| mark.at);
        let mut text = String::from("time_s,flow,event,segment,cwnd,ssthresh\n");
        for Mark {
            at,
            flow,
            connection,
            event,
            segment,
            cwnd,
            ssthresh,
        } in self.0
        {
            let (seconds, rest) = (at.0 / SECOND, at.0 % SECOND);
            let (flow, event) = (&names[flow], event.name());
            let number = connection.map_or(String::new(), |number| format!(".{number}"));
            // Writing into a String cannot fail.
            let _ = writeln!(
                text,
                "{seconds}.{rest:012},{flow}{number},{event},{segment},{cwnd},{ssthresh}"
            );
        }
        text
    }
}

impl Probe for Tape {
    const ON: bool = true;
    fn on(&mut self, mark: &Mark) {
        self.0.push(*mark);
    }
}
