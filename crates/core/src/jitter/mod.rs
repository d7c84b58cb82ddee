//! Jitter: an extra delay of each packet on a line, which keeps the order of its packets. One file each.
//!
//! A packet does not arrive before one that was sent earlier: it waits for it at the far end, as behind a link layer that delivers in
//! order. So the extra delay of a packet can be larger than what was drawn for it, when packets are close to each other. What changes
//! the order is [`reorder`](crate::reorder).

pub mod normal;
pub mod pareto;
pub mod table;
pub mod uniform;
pub mod wifi;

use crate::rng::Stream;
use crate::time::Duration;

/// A model of jitter, as a line calls it: once per packet, in the order of departure.
pub trait Jitter {
    /// Extra delay drawn for this packet.
    fn on_packet(&mut self) -> Duration;
}

include!(concat!(env!("OUT_DIR"), "/jitter.rs"));

words! {
    ($)
    /// The parameters of any model of jitter.
    params JitterParams,
    /// Any model of jitter.
    #[derive(Clone, Debug)]
    any AnyJitter (),
    about (),
    beside (),
}

impl AnyJitter {
    /// A model at the start of a run.
    pub fn new(params: &JitterParams, rng: Stream) -> Self {
        made!(params, new, rng)
    }
}

impl Jitter for AnyJitter {
    fn on_packet(&mut self) -> Duration {
        each!(self, it => it.on_packet())
    }
}

/// A number of picoseconds, rounded; zero for a negative number, and the longest time for one that is too large.
fn picoseconds(time: f64) -> Duration {
    Duration(libm::round(time.max(0.0)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Draws of a model in seconds, sorted.
    pub(super) fn draws(mut line: impl Jitter, n: usize) -> Vec<f64> {
        let mut found: Vec<f64> = (0..n).map(|_| line.on_packet().seconds()).collect();
        found.sort_by(f64::total_cmp);
        found
    }

    /// The largest distance between the distribution of the draws and one with this distribution function (Kolmogorov), times the
    /// root of their number: above 1.95 with a probability of 0.001.
    pub(super) fn distance(draws: &[f64], below: impl Fn(f64) -> f64) -> f64 {
        let n = draws.len() as f64;
        let far = |(i, x): (usize, &f64)| {
            let want = below(*x);
            (want - i as f64 / n)
                .abs()
                .max((want - (i + 1) as f64 / n).abs())
        };
        draws.iter().enumerate().map(far).fold(0.0, f64::max) * n.sqrt()
    }
}
