//! Flows hashed to queues: several flows may share one.
//!
//! A flow is a number here and has no header to hash, so its number is mixed with a random number of the run, which stands for the
//! perturbation that keeps the hash from being guessed. Queues are numbered in the order in which they are first used.
//= rfc8290 §4.1

use crate::rng::Stream;
use crate::storage::per_flow::PerFlow;
use crate::unit::FlowId;
use alloc::vec::Vec;

/// Assigns flows to queues.
#[derive(Debug)]
pub struct Buckets {
    perturbation: u64,
    /// The queue of each bucket that has been used; without buckets each flow has a queue of its own.
    buckets: Vec<Option<u32>>,
    flows: PerFlow<Option<u32>>,
    /// Queues in use.
    queues: u32,
}

/// A hash of a number: SplitMix64's mix (Steele, Lea & Flood 2014).
pub fn hash(number: u64, perturbation: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ perturbation;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Buckets {
    /// `buckets` of them, or as many as there are flows.
    pub fn new(buckets: Option<u64>, stream: &mut Stream) -> Self {
        Self {
            perturbation: stream.between(0, u64::MAX),
            buckets: alloc::vec![None; buckets.map_or(0, |n| n as usize)],
            flows: PerFlow::default(),
            queues: 0,
        }
    }

    /// The queue of `flow`. A new one has the number of queues before it.
    #[inline]
    pub fn of(&mut self, flow: FlowId) -> usize {
        match *self.flows.of(flow) {
            Some(queue) => queue as usize,
            None => self.classify(flow),
        }
    }

    /// The bucket that `flow` is hashed to.
    fn bucket(&self, flow: FlowId) -> usize {
        let z = hash(u64::from(flow.0), self.perturbation);
        ((u128::from(z) * self.buckets.len() as u128) >> 64) as usize
    }

    #[cold]
    fn classify(&mut self, flow: FlowId) -> usize {
        let next = self.queues;
        let queue = if self.buckets.is_empty() {
            next
        } else {
            let bucket = self.bucket(flow);
            *self.buckets[bucket].get_or_insert(next)
        };
        self.queues += u32::from(queue == next);
        *self.flows.of(flow) = Some(queue);
        queue as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queues of the first `flows` flows.
    fn queues(buckets: Option<u64>, flows: u32, seed: u64) -> Vec<usize> {
        let mut buckets = Buckets::new(buckets, &mut Stream::new(seed, "buckets"));
        (0..flows).map(|flow| buckets.of(FlowId(flow))).collect()
    }

    #[test]
    fn a_flow_stays_in_its_queue_and_without_buckets_has_it_alone() {
        assert_eq!(queues(None, 5, 1), [0, 1, 2, 3, 4]);
        assert_eq!(queues(Some(1), 5, 1), [0; 5]);
        let mut buckets = Buckets::new(Some(4), &mut Stream::new(1, "buckets"));
        let mut round = || {
            (0..50)
                .map(|flow| buckets.of(FlowId(flow)))
                .collect::<Vec<_>>()
        };
        let first = round();
        assert_eq!(round(), first);
        assert_eq!(first.iter().max(), Some(&3));
    }

    #[test]
    fn flows_collide_as_often_as_at_random_and_in_each_run_others_do() {
        // 100 flows in 1,024 buckets: 1,024 (1 - (1 - 1/1,024)^100) = 95.3 queues on average, with a deviation of 2.1.
        let used = |seed| queues(Some(1024), 100, seed).into_iter().max().unwrap() + 1;
        let mean = (0..100).map(|seed| used(seed) as f64).sum::<f64>() / 100.0;
        assert!((mean - 95.3).abs() < 4.0 * 0.21, "{mean}");
        assert_ne!(queues(Some(8), 20, 1), queues(Some(8), 20, 2));
    }
}
