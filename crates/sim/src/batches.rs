//! Batches: the measured time in parts of equal length, each measured separately, as if it were a run.
//!
//! Counters are read when a batch ends. A fact that is known only later, that a flow had been waiting for a timeout for long, is
//! added to the readings in between as soon as it is known.

use crate::machine::Tally;
use dupack_core::time::{Duration, Instant};

/// A flow of the plan at the end of a batch, since the run's beginning or (its times) since the end of warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    delivered: u64,
    timeouts: u64,
    /// Time spent waiting for timeouts.
    idle: Duration,
    /// Time since its start, until it was done.
    lived: Duration,
}

impl Look {
    /// From its counts, when it has lived for this long.
    pub fn new(tally: &Tally, lived: Duration) -> Self {
        Self {
            delivered: tally.delivered_bytes,
            timeouts: tally.timeouts,
            idle: tally.idle,
            lived,
        }
    }
}

/// The looks of a run: at all flows when measuring begins, and at the end of every batch.
#[derive(Clone, Debug)]
pub struct Batches {
    begin: Instant,
    end: Instant,
    count: u64,
    looks: Vec<(Instant, Vec<Look>)>,
}

/// Measures of batches, one after the other, by the keys of the summary.
#[derive(Clone, Debug)]
pub struct Batched {
    /// Length of each \[s\].
    pub length_s: f64,
    /// Goodput of all flows \[bit/s\].
    pub goodput_bps: Vec<f64>,
    /// Over the capacity of the bottleneck of the whole run; none with connections that come and go, whose routes differ.
    pub goodput_fraction: Option<Vec<f64>>,
    /// Mean over the flows.
    pub active_fraction: Vec<f64>,
    /// Sum over the flows.
    pub timeouts: Vec<f64>,
}

impl Batches {
    /// `count` batches between two instants.
    pub fn new(begin: Instant, end: Instant, count: u64) -> Self {
        Self {
            begin,
            end,
            count,
            looks: Vec::new(),
        }
    }

    /// Time of the next reading; the end of the last batch is that of the run.
    pub fn next(&self) -> Instant {
        let at = self.looks.len() as u64;
        if at >= self.count {
            return Instant::NEVER;
        }
        let span = u128::from((self.end - self.begin).0);
        self.begin + Duration((span * u128::from(at) / u128::from(self.count)) as u64)
    }

    /// Looks now.
    pub fn look(&mut self, now: Instant, flows: Vec<Look>) {
        self.looks.push((now, flows));
    }

    /// Takes the counts that another part of a divided run owns: of these flows what was delivered, if their receivers are there, and all the rest, if
    /// their senders are.
    pub fn join(
        &mut self,
        other: &Self,
        (sends, receives): (impl Fn(usize) -> bool, impl Fn(usize) -> bool),
    ) {
        for ((_, mine), (_, others)) in self.looks.iter_mut().zip(&other.looks) {
            for (flow, (mine, other)) in mine.iter_mut().zip(others).enumerate() {
                let delivered = if receives(flow) {
                    other.delivered
                } else {
                    mine.delivered
                };
                if sends(flow) {
                    *mine = *other;
                }
                mine.delivered = delivered;
            }
        }
    }

    /// A flow has been waiting for a timeout since `since`, which is known only now.
    #[cold]
    pub fn waited(&mut self, flow: usize, since: Instant) {
        for (at, looks) in self.looks.iter_mut().rev() {
            if *at <= since {
                break;
            }
            let idle = &mut looks[flow].idle;
            *idle = *idle + (*at - since);
        }
    }

    /// The report. For each flow, `worth` is the goodput fraction of one bit/s of its payload, if that is known.
    pub fn report(&self, worth: Option<&[f64]>) -> Batched {
        let mut told = Batched {
            length_s: (self.end - self.begin).seconds() / self.count as f64,
            goodput_bps: Vec::new(),
            goodput_fraction: worth.map(|_| Vec::new()),
            active_fraction: Vec::new(),
            timeouts: Vec::new(),
        };
        for two in self.looks.windows(2) {
            let [(from, before), (to, after)] = two else {
                continue;
            };
            let time = (*to - *from).seconds();
            let flows = || before.iter().zip(after);
            let goodput = |(a, b): (&Look, &Look)| (b.delivered - a.delivered) as f64 * 8.0 / time;
            told.goodput_bps.push(flows().map(goodput).sum());
            if let (Some(worth), Some(shares)) = (worth, &mut told.goodput_fraction) {
                shares.push(
                    flows()
                        .map(goodput)
                        .zip(worth)
                        .map(|(x, worth)| x * worth)
                        .sum(),
                );
            }
            let active = |(a, b): (&Look, &Look)| {
                let lived = b.lived.0 - a.lived.0;
                let idle = (b.idle.0 - a.idle.0) as f64;
                if lived > 0 {
                    1.0 - idle / lived as f64
                } else {
                    1.0
                }
            };
            told.active_fraction
                .push(flows().map(active).sum::<f64>() / before.len() as f64);
            let timeouts: u64 = flows().map(|(a, b)| b.timeouts - a.timeouts).sum();
            told.timeouts.push(timeouts as f64);
        }
        told
    }
}
