//! Timed bursts: the line is alternately good and bad, each for a random time, and loses the packets that it sends while it is bad.
//!
//! Both times are exponentially distributed. A bad time has a mean of B, and a good one
//!
//!   G = (1/r - 1) B
//!
//! so that the line is bad for a share B / (B + G) = r of all time. The state at the start is drawn from the stationary distribution. In
//! `burst` a sender that pauses finds the line as it left it; here it finds a line that has gone on.
//= elliott-1963
//= keshav-morgan-1997 §6

use super::{Harm, Loss, Named, Sent};
use crate::declare::Fault;
use crate::ledger::Cause;
use crate::measure::Share;
use crate::rng::Stream;
use crate::time::{Duration, Instant};

crate::declare! {
    /// Loses the packets of a line that is alternately good and bad, each for a random time.
    pub struct TimedBurstParams as "timed-burst" from "elliott-1963" {
        /// Share of time in which the line is bad.
        rate: Share;
        /// B: mean length of a bad time, which is exponentially distributed.
        mean_burst: Duration, show "250 ms";
    }
    check |it| if it.mean_burst > Duration::ZERO { Ok(()) } else {
        Err(Fault { name: "mean_burst", found: "0 s".into(), allowed: "more than 0 s".into() })
    }
}

impl TimedBurstParams {
    /// No flow: only the times count.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }
}

/// A line between two states.
#[derive(Clone, Debug)]
pub struct TimedBurst {
    /// Mean lengths of a good and of a bad time; `None` for a state that never ends.
    means: [Option<Duration>; 2],
    bad: bool,
    /// When the state changes.
    until: Instant,
    rng: Stream,
}

impl TimedBurst {
    /// A line at the start of a run.
    pub fn new(params: &TimedBurstParams, mut rng: Stream) -> Self {
        let (rate, burst) = (params.rate.0, params.mean_burst);
        let good = Duration(((1.0 / rate - 1.0) * burst.0 as f64) as u64);
        let bad = rng.happens(rate);
        let mut line = Self {
            means: [(rate > 0.0).then_some(good), (rate < 1.0).then_some(burst)],
            bad,
            until: Instant::ZERO,
            rng,
        };
        // An exponential time has no memory: the rest of one that has begun is distributed as a new one is.
        line.until = line.ends();
        line
    }

    /// When a state that begins at `until` ends.
    fn ends(&mut self) -> Instant {
        let left = match self.means[usize::from(self.bad)] {
            Some(mean) => self.rng.exponential(mean),
            None => Duration(u64::MAX),
        };
        Instant(self.until.0.saturating_add(left.0))
    }
}

impl Loss for TimedBurst {
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm> {
        while self.until <= packet.at && self.until.0 < u64::MAX {
            self.bad = !self.bad;
            self.until = self.ends();
        }
        self.bad.then_some(Harm::Lost(Cause::Random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::vec::Vec;

    fn line(rate: &str, mean_burst: &str, seed: u64) -> TimedBurst {
        let params = TimedBurstParams::from_texts(&[("rate", rate), ("mean_burst", mean_burst)]);
        TimedBurst::new(&params, Stream::new(seed, "test"))
    }

    fn lost(line: &mut TimedBurst, at: Duration) -> bool {
        let packet = Sent {
            at: Instant(at.0),
            ..Sent::default()
        };
        line.on_packet(&packet).is_some()
    }

    /// Within four standard errors.
    fn near(found: f64, want: f64, error: f64) {
        assert!(
            (found - want).abs() <= 4.0 * error,
            "{found}, not {want} within 4 x {error}"
        );
    }

    #[test]
    // Packets that are `apart`: a packet is lost with probability r, and the next one of a lost one with
    // r + (1 - r) exp(-apart / T), where 1/T = 1/B + 1/G.
    fn losses_depend_on_the_time_between_packets() {
        let (r, burst) = (0.2, 5.0);
        for apart in [1.0, 5.0, 40.0] {
            let mut line = line("0.2", "5 ms", 1);
            let n = 1_000_000;
            let step = Duration((apart * 1e9) as u64);
            let fates: Vec<f64> = (1..=n)
                .map(|k| f64::from(u8::from(lost(&mut line, Duration(step.0 * k)))))
                .collect();
            let along = libm::exp(-apart / (burst * (1.0 - r)));
            let (n, variance) = (n as f64, r * (1.0 - r));
            let error = (variance * (1.0 + along) / (1.0 - along) / n).sqrt();
            near(fates.iter().sum::<f64>() / n, r, error);
            let both = fates.windows(2).map(|it| it[0] * it[1]).sum::<f64>() / n;
            let slow = (1.0 + along) / (1.0 - along);
            near(both, r * (r + (1.0 - r) * along), (both * slow / n).sqrt());
        }
    }

    #[test]
    fn the_start_is_as_any_other_time() {
        let n = 20_000;
        for at in [0, 1, 7] {
            let found = (0..n).filter(|seed| {
                let mut line = line("0.2", "5 ms", *seed);
                lost(&mut line, Duration::millis(at))
            });
            near(
                found.count() as f64 / n as f64,
                0.2,
                (0.16 / n as f64).sqrt(),
            );
        }
    }

    #[test]
    fn a_line_may_stay_in_one_state() {
        let mut good = line("0", "5 ms", 1);
        assert!((0..1000).all(|at| !lost(&mut good, Duration::secs(at))));
        let mut bad = line("1", "5 ms", 1);
        assert!((0..1000).all(|at| lost(&mut bad, Duration::secs(at))));
        let never = TimedBurstParams {
            rate: Share(0.1),
            mean_burst: Duration::ZERO,
        };
        assert_eq!(never.check().unwrap_err().name, "mean_burst");
    }
}
