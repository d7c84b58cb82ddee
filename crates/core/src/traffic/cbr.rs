//! Constant bit rate: packets at fixed intervals, whatever happens to earlier packets.
//!
//! Over `udp` each packet is sent when it is generated, and the rate is what the flow offers. Over TCP packets wait for the window:
//! the application does not slow down, and the backlog is sent as soon as the window allows it.

use super::{Extent, Offer, Released, Traffic};
use crate::declare::Fault;
use crate::measure::{Bytes, Pacer, Packets, Rate};
use crate::rng::Stream;
use crate::time::Instant;
use alloc::vec::Vec;

crate::declare! {
    /// Generates packets of `mss` plus `header` at a constant rate.
    pub struct CbrParams as "cbr" from "common practice" {
        /// Rate at which packets are generated, headers included; the first is generated at once.
        rate: Rate;
        /// Number of packets.
        packets: Option<Packets> = unset "without end";
    }
    check |it| match it.packets {
        Some(Packets(0)) => {
            Err(Fault { name: "packets", found: "0 packets".into(), allowed: "at least 1 packets".into() })
        }
        _ => Ok(()),
    }
}

impl Offer for CbrParams {
    fn mean_size(&self, mss: Bytes) -> Option<f64> {
        Some(self.packets?.0 as f64 * mss.0 as f64)
    }
    fn files(&self, mss: Bytes) -> Vec<Extent> {
        let all = |packets: Packets| Extent {
            segments: packets.0,
            last: mss,
        };
        self.packets.map(all).into_iter().collect()
    }
}

/// A source of constant rate; if it has an end, all of it is one message.
#[derive(Clone, Debug)]
pub struct Cbr {
    pacer: Pacer,
    /// Length of a packet.
    bits: u64,
    /// The number of packets to be sent in all, and the payload of each.
    packets: Option<u64>,
    mss: Bytes,
    segments: u64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Before,
    /// The next packet comes.
    Speaks {
        begun: Instant,
        next: Instant,
    },
    /// All are handed over.
    Waits {
        begun: Instant,
    },
    Acknowledged,
}

impl Cbr {
    /// Before its start.
    pub fn new(params: &CbrParams, mss: Bytes, header: Bytes, _: Stream) -> Self {
        Self {
            pacer: Pacer::new(params.rate),
            bits: (mss.0 + header.0) * 8,
            packets: params.packets.map(|it| it.0),
            mss,
            segments: 0,
            stage: Stage::Before,
        }
    }

    /// A packet is generated `now`.
    fn hand_over(&mut self, begun: Instant, now: Instant) {
        self.segments += 1;
        self.stage = if self.packets == Some(self.segments) {
            Stage::Waits { begun }
        } else {
            let next = now + self.pacer.advance(self.bits);
            Stage::Speaks { begun, next }
        };
    }
}

impl Traffic for Cbr {
    fn handle_start(&mut self, now: Instant) {
        self.hand_over(now, now);
    }

    fn handle_acknowledged(&mut self, _: Instant, segments: u64) -> Option<Instant> {
        match self.stage {
            Stage::Waits { begun } if segments >= self.segments => {
                self.stage = Stage::Acknowledged;
                Some(begun)
            }
            _ => None,
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Stage::Speaks { begun, next } = self.stage
            && next <= now
        {
            self.hand_over(begun, next);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        match self.stage {
            Stage::Speaks { next, .. } => Some(next),
            Stage::Before | Stage::Waits { .. } | Stage::Acknowledged => None,
        }
    }

    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: !matches!(self.stage, Stage::Speaks { .. }),
        }
    }

    fn extent(&self) -> Option<Extent> {
        let (segments, last) = (self.packets?, self.mss);
        Some(Extent { segments, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec::Vec;

    fn source(texts: &[(&str, &str)]) -> Cbr {
        let params = CbrParams::from_texts(texts);
        let stream = Stream::new(1, "test");
        Cbr::new(&params, Bytes(460), Bytes(40), stream)
    }

    /// Times of its packets \[ps\], at most `limit`, each handed over at its time.
    fn births(source: &mut Cbr, start: Instant, limit: u64) -> Vec<u64> {
        source.handle_start(start);
        let mut births = Vec::from([start.0]);
        while let Some(next) = source.poll_timeout()
            && (births.len() as u64) < limit
        {
            source.handle_timeout(Instant(next.0 - 1));
            assert_eq!(source.released().segments, births.len() as u64);
            source.handle_timeout(next);
            births.push(next.0);
            assert_eq!(source.released().segments, births.len() as u64);
        }
        births
    }

    #[test]
    fn packets_come_at_the_rate_exactly_for_ever() {
        // 4000 bits at 3 Mb/s: 1.3333... ms.
        let mut source = source(&[("rate", "3 Mb/s")]);
        let births = births(&mut source, Instant(7), 3001);
        assert_eq!(births[1], 7 + 1_333_333_333);
        assert_eq!(births[3000], 7 + 4_000_000_000_000);
        assert!(!source.released().complete);
        assert_eq!(
            source.handle_acknowledged(Instant(births[3000]), 3001),
            None
        );
    }

    #[test]
    fn so_many_are_one_message() {
        let texts = [("rate", "8 Mb/s"), ("packets", "3 packets")];
        let mut source = source(&texts);
        assert_eq!(
            CbrParams::from_texts(&texts).mean_size(Bytes(460)),
            Some(1380.0)
        );
        assert_eq!(source.released().segments, 0);
        let births = births(&mut source, Instant(0), 9);
        assert_eq!(births, [0, 500_000_000, 1_000_000_000]);
        let all = Released {
            segments: 3,
            complete: true,
        };
        assert_eq!((source.released(), source.poll_timeout()), (all, None));
        let now = Instant(2_000_000_000);
        assert_eq!(source.handle_acknowledged(now, 2), None);
        assert_eq!(source.handle_acknowledged(now, 3), Some(Instant(0)));
        assert_eq!(source.handle_acknowledged(now, 3), None, "once");
    }

    #[test]
    fn who_was_woken_late_is_on_time_again() {
        let mut source = source(&[("rate", "8 Mb/s")]);
        source.handle_start(Instant(0));
        let late = Instant(1_200_000_000);
        source.handle_timeout(late);
        assert_eq!(source.poll_timeout(), Some(Instant(1_000_000_000)));
        source.handle_timeout(late);
        assert_eq!(source.poll_timeout(), Some(Instant(1_500_000_000)));
        source.handle_timeout(late);
        assert_eq!(source.released().segments, 3);
    }
}
