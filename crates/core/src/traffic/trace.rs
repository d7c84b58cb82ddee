//! Trace: packets at given times, each with its recorded length.
//!
//! Over `udp` each packet is sent when it is generated. Over TCP packets wait for the window, each as a segment of its own.

use super::{Extent, Offer, Released, Traffic};
use crate::data::Packets;
use crate::measure::Bytes;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::sync::Arc;

crate::declare! {
    /// Generates packets of given lengths at given times.
    pub struct TraceParams as "trace" from "common practice" {
        /// Times of the packets, counted from the start of the flow, and their lengths, headers included.
        packets: Arc<Packets>;
        /// Repetition of the trace after its last packet, whose time is then the period.
        repeat: bool = "false";
    }
    check |it| {
        let last = it.packets.packets.last().map(|(at, _)| *at);
        if it.repeat && last == Some(Duration::ZERO) {
            return Err(crate::declare::Fault {
                name: "repeat",
                found: "true".into(),
                allowed: "false: all its packets are at 0 s".into(),
            });
        }
        Ok(())
    }
}

impl Offer for TraceParams {
    fn packets(&self) -> Option<(Bytes, Bytes)> {
        let lengths = || self.packets.packets.iter().map(|(_, length)| *length);
        Some((lengths().min()?, lengths().max()?))
    }
}

/// A source that replays a recording; if it does so once, the recording is one message.
#[derive(Clone, Debug)]
pub struct Trace {
    packets: Arc<Packets>,
    repeat: bool,
    header: Bytes,
    segments: u64,
    begun: Option<Instant>,
    ended: bool,
}

impl Trace {
    /// Before its start.
    pub fn new(params: &TraceParams, _mss: Bytes, header: Bytes, _: Stream) -> Self {
        Self {
            packets: Arc::clone(&params.packets),
            repeat: params.repeat,
            header,
            segments: 0,
            begun: None,
            ended: false,
        }
    }

    fn recorded(&self) -> u64 {
        self.packets.packets.len() as u64
    }

    /// Time of packet `segment`, if there is one.
    fn at(&self, segment: u64) -> Option<Instant> {
        let (begun, n) = (self.begun?, self.recorded());
        if segment >= n && !self.repeat {
            return None;
        }
        let (period, _) = *self.packets.packets.last()?;
        let (at, _) = self.packets.packets[(segment % n) as usize];
        Some(begun + Duration(period.0.saturating_mul(segment / n).saturating_add(at.0)))
    }

    /// All that have come by now.
    fn hand_over(&mut self, now: Instant) {
        while self.at(self.segments).is_some_and(|at| at <= now) {
            self.segments += 1;
        }
    }
}

impl Traffic for Trace {
    fn handle_start(&mut self, now: Instant) {
        self.begun = Some(now);
        self.hand_over(now);
    }

    fn handle_acknowledged(&mut self, _: Instant, segments: u64) -> Option<Instant> {
        let whole = !self.repeat && segments >= self.recorded();
        if !whole || self.ended {
            return None;
        }
        self.ended = true;
        self.begun
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.hand_over(now);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.at(self.segments)
    }

    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: self.begun.is_none() || self.at(self.segments).is_none(),
        }
    }

    fn cuts(&self) -> bool {
        true
    }

    fn payload(&self, segment: u64) -> Option<Bytes> {
        let (_, length) = self.packets.packets[(segment % self.recorded()) as usize];
        Some(Bytes(length.0 - self.header.0))
    }

    fn extent(&self) -> Option<Extent> {
        let segments = self.recorded();
        let last = self.payload(segments - 1)?;
        (!self.repeat).then_some(Extent { segments, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, Format};
    use std::vec::Vec;

    fn source(text: &str, repeat: bool) -> Trace {
        let Ok(Data::Packets(packets)) = Format::Packets.read(text, &|| ()) else {
            panic!("packets")
        };
        let params = TraceParams { packets, repeat };
        Trace::new(&params, Bytes(1460), Bytes(40), Stream::new(1, "test"))
    }

    #[test]
    fn packets_come_when_they_came() {
        let mut it = source("0 100\n0 200\n0.001 1500\n", false);
        assert_eq!(it.released().segments, 0);
        it.handle_start(Instant(7));
        assert_eq!((it.released().segments, it.released().complete), (2, false));
        let last = Instant(7) + Duration::millis(1);
        assert_eq!(it.poll_timeout(), Some(last));
        assert_eq!(it.handle_acknowledged(Instant(8), 2), None);
        it.handle_timeout(last);
        assert_eq!((it.released().segments, it.released().complete), (3, true));
        assert_eq!(it.poll_timeout(), None);
        assert_eq!(it.handle_acknowledged(last, 3), Some(Instant(7)));
        assert_eq!(it.handle_acknowledged(last, 3), None, "once");
        let payloads: Vec<_> = (0..3).map(|at| it.payload(at).unwrap().0).collect();
        assert_eq!(payloads, [60, 160, 1460]);
        let all = Extent {
            segments: 3,
            last: Bytes(1460),
        };
        assert_eq!(it.extent(), Some(all));
    }

    #[test]
    fn they_may_begin_again() {
        let mut it = source("0.001 100\n0.003 200\n", true);
        it.handle_start(Instant(0));
        let times = core::iter::from_fn(|| {
            let at = it.poll_timeout()?;
            it.handle_timeout(at);
            Some(at.0 / 1_000_000_000)
        });
        assert_eq!(times.take(6).collect::<Vec<_>>(), [1, 3, 4, 6, 7, 9]);
        assert_eq!((it.payload(5), it.extent()), (Some(Bytes(160)), None));
    }
}
