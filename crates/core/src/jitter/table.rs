//! Table: extra delays that are distributed as measured ones are.

use super::{Jitter, picoseconds};
use crate::data::Delays;
use crate::rng::Stream;
use crate::time::Duration;
use alloc::sync::Arc;

crate::declare! {
    /// Delays each packet by a further time that is drawn from measured delays.
    pub struct TableParams as "table" from "common practice" {
        /// Measured delays, such as those of `ping`; every value between two that follow each other in size is as likely.
        delays: Arc<Delays>;
        /// Base delay, which is taken off each delay; what would then be negative is zero.
        base: Duration = "0 ms";
    }
}

/// Extra delays without memory.
#[derive(Clone, Debug)]
pub struct Table {
    delays: Arc<Delays>,
    /// \[ps\]
    base: f64,
    rng: Stream,
}

impl Table {
    /// A line at the start of a run.
    pub fn new(params: &TableParams, rng: Stream) -> Self {
        Self {
            delays: Arc::clone(&params.delays),
            base: params.base.0 as f64,
            rng,
        }
    }
}

impl Jitter for Table {
    fn on_packet(&mut self) -> Duration {
        picoseconds(self.delays.quantile(self.rng.share()) - self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, Format};
    use crate::jitter::tests::{distance, draws};

    fn table(text: &str, base: Duration) -> Table {
        let Ok(Data::Delays(delays)) = Format::Delays.read(text, &|| ()) else {
            panic!("{text:?}");
        };
        Table::new(&TableParams { delays, base }, Stream::new(1, "test"))
    }

    #[test]
    fn delays_are_distributed_as_those_of_the_file() {
        let found = draws(table("10\n20\n60\n", Duration::ZERO), 100_000);
        let cdf = |x: f64| {
            if x < 0.020 {
                (x - 0.010) / 0.020
            } else {
                0.5 + (x - 0.020) / 0.080
            }
        };
        assert!(distance(&found, cdf) < 1.95);
    }

    #[test]
    fn below_the_base_delay_there_is_none() {
        let found = draws(table("10\n20\n60\n", Duration::millis(20)), 100_000);
        let none = found.iter().filter(|delay| **delay == 0.0).count() as f64;
        // Half of the delays are below 20 ms; with 100,000 of them the share has a deviation of 0.0016.
        assert!((none / 100_000.0 - 0.5).abs() < 0.0064, "{none}");
        assert!(found[found.len() - 1] <= 0.040);
    }
}
