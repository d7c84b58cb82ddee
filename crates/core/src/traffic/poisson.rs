//! Poisson: packets at random times, whatever happens to earlier packets; M in queueing theory.
//!
//! Over `udp` each packet is sent when it is generated. Over TCP packets wait for the window, as with `cbr`.
//!
//! With packets of one size the service time on a line is D. With geometric sizes it is M, as closely as whole bytes can be
//! exponential. The sizes are drawn by the number of the packet, not in sequence: both ends of a flow know them, and a
//! retransmission has the same length.
//= poisson-1837

use super::{Offer, Released, Traffic};
use crate::measure::{Bytes, Rate};
use crate::rng::{Stream, Table};
use crate::time::{Duration, Instant};

crate::choice! {
    /// Distribution of packet lengths.
    pub enum Sizes {
        /// `mss` plus `header` for every packet.
        Fixed = "fixed",
        /// `header` plus a payload in bytes that is geometrically distributed with mean `mss`.
        Geometric = "geometric",
    }
}

crate::declare! {
    /// Generates packets at random times, independent of each other.
    pub struct PoissonParams as "poisson" from "poisson-1837" {
        /// Mean rate at which packets are generated, headers included.
        rate: Rate;
        /// Distribution of packet lengths: all of `mss`, or geometrically distributed with that mean.
        sizes: Sizes = "fixed";
    }
}

impl Offer for PoissonParams {}

/// A source of packets without memory.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// Mean time between packets.
    mean: Duration,
    stream: Stream,
    /// The lengths, if they differ: their mean, and the most that a packet can carry.
    sizes: Option<(Table, Bytes, Bytes)>,
    segments: u64,
    next: Option<Instant>,
}

/// The longest packet, with its header \[bytes\].
const LONGEST: u64 = u16::MAX as u64;

impl Poisson {
    /// Before its start.
    pub fn new(params: &PoissonParams, mss: Bytes, header: Bytes, mut stream: Stream) -> Self {
        let bits = u128::from((mss.0 + header.0) * 8);
        let mean = bits * u128::from(Duration::secs(1).0) / u128::from(params.rate.0);
        let sizes = match params.sizes {
            Sizes::Fixed => None,
            Sizes::Geometric => Some((stream.table(), mss, Bytes(LONGEST - header.0))),
        };
        Self {
            mean: Duration(u64::try_from(mean).unwrap_or(u64::MAX)),
            stream,
            sizes,
            segments: 0,
            next: None,
        }
    }

    fn think(&mut self, now: Instant) {
        self.next = Some(now + self.stream.exponential(self.mean));
    }
}

impl Traffic for Poisson {
    fn handle_start(&mut self, now: Instant) {
        self.think(now);
    }

    fn handle_acknowledged(&mut self, _: Instant, _: u64) -> Option<Instant> {
        None
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Some(next) = self.next
            && next <= now
        {
            self.segments += 1;
            self.think(next);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: false,
        }
    }

    fn cuts(&self) -> bool {
        self.sizes.is_some()
    }

    fn payload(&self, segment: u64) -> Option<Bytes> {
        let (table, mean, most) = self.sizes.as_ref()?;
        Some(Bytes(table.geometric(segment, mean.0 as f64).min(most.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec::Vec;

    fn source(texts: &[(&str, &str)]) -> Poisson {
        let params = PoissonParams::from_texts(texts);
        Poisson::new(&params, Bytes(460), Bytes(40), Stream::new(1, "test"))
    }

    #[test]
    fn packets_come_at_the_rate_without_memory() {
        // 4000 bits at 4 Mb/s: 1 ms on average.
        let mut source = source(&[("rate", "4 Mb/s")]);
        source.handle_start(Instant(0));
        let mut gaps = Vec::new();
        let mut last = 0;
        for n in 0..40_000 {
            assert_eq!(source.released().segments, n);
            let next = source.poll_timeout().expect("there is always one more");
            source.handle_timeout(Instant(next.0 - 1));
            assert_eq!(source.released().segments, n, "not before its time");
            source.handle_timeout(next);
            gaps.push((next.0 - last) as f64 / 1e9);
            last = next.0;
        }
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / n;
        // Four standard errors: the mean is 1, and the mean square is 2 with a standard deviation of sqrt(20).
        assert!((mean - 1.0).abs() < 4.0 / n.sqrt(), "{mean}");
        assert!((square - 2.0).abs() < 4.0 * (20.0 / n).sqrt(), "{square}");
        assert_eq!(source.payload(0), None);
    }

    #[test]
    fn sizes_are_geometric_and_stay() {
        let source = source(&[("rate", "4 Mb/s"), ("sizes", "geometric")]);
        let size = |n| source.payload(n).expect("sizes differ").0;
        let all: Vec<_> = (0..40_000).map(size).collect();
        assert_eq!(all, (0..40_000).map(size).collect::<Vec<_>>());
        let n = all.len() as f64;
        let mean = all.iter().sum::<u64>() as f64 / n;
        assert!((mean - 460.0).abs() < 4.0 * 460.0 / n.sqrt(), "{mean}");
        let long = all.iter().filter(|it| **it > 460).count() as f64 / n;
        // (1 - 1/460)^460
        assert!((long - 0.3675).abs() < 4.0 * 0.48 / n.sqrt(), "{long}");
    }
}
