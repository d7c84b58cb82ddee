//! Percentiles of many times or ratios in bounded memory: histograms with bins of a thousandth of the value.

use dupack_core::time::{Duration, SECOND};
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::Serialize;

/// Decimal digits that bins distinguish.
const DIGITS: u8 = 3;

/// Unit of samples: times count nanoseconds, ratios thousandths.
const THOUSANDTHS: f64 = 1000.0;

/// Parts of 1 in which ratios are added up.
const PARTS: f64 = (1u64 << 40) as f64;

/// Mean, percentiles and maximum of a distribution; percentiles have three significant digits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Percentiles {
    /// The mean, exact.
    pub mean: f64,
    /// The median, 50th percentile.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p99_9: f64,
    /// The largest.
    pub max: f64,
}

/// Samples of one kind.
#[derive(Clone, Debug)]
pub struct Samples {
    bins: Histogram<u64>,
    /// In whole numbers, so that it does not depend on the order: times in picoseconds, ratios in [`PARTS`].
    sum: u128,
    /// That many are one in the unit of the report.
    one: f64,
    /// One count of a bin, in the unit of the report.
    unit: f64,
    largest: f64,
}

impl Samples {
    fn new(unit: f64, one: f64) -> Self {
        // The histogram grows as needed, so no bounds are given.
        let Ok(bins) = Histogram::new(DIGITS) else {
            unreachable!("three digits are allowed")
        };
        Self {
            bins,
            sum: 0,
            one,
            unit,
            largest: 0.0,
        }
    }

    /// For times, reported in seconds.
    pub fn times() -> Self {
        Self::new(1e-9, SECOND as f64)
    }

    /// For ratios.
    pub fn ratios() -> Self {
        Self::new(1.0 / THOUSANDTHS, PARTS)
    }

    /// Counts a time.
    pub fn time(&mut self, time: Duration) {
        self.add(time.0 / 1000, (u128::from(time.0), time.seconds()));
    }

    /// Counts a ratio.
    pub fn ratio(&mut self, ratio: f64) {
        self.add(
            (ratio * THOUSANDTHS) as u64,
            ((ratio * PARTS) as u128, ratio),
        );
    }

    fn add(&mut self, bin: u64, (whole, exact): (u128, f64)) {
        // This cannot fail: the histogram grows, so no value is too large.
        let _ = self.bins.record(bin);
        self.sum += whole;
        self.largest = self.largest.max(exact);
    }

    /// Adds the samples of another.
    pub fn join(&mut self, other: &Self) {
        // This cannot fail either.
        let _ = self.bins.add(&other.bins);
        self.sum += other.sum;
        self.largest = self.largest.max(other.largest);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.bins.len()
    }

    /// The percentiles; `None` without samples.
    pub fn percentiles(&self) -> Option<Percentiles> {
        let n = self.bins.len();
        let at = |share: f64| {
            // The value of a bin is its upper end, which may exceed all samples.
            (self.bins.value_at_quantile(share) as f64 * self.unit).min(self.largest)
        };
        (n > 0).then(|| Percentiles {
            mean: self.sum as f64 / n as f64 / self.one,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            max: self.largest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_three_digits() {
        let mut samples = Samples::times();
        assert_eq!(samples.percentiles(), None);
        // All values from 1 to 100,000 microseconds, in a shuffled order.
        for at in 0..100_000_u64 {
            samples.time(Duration((at * 7919 % 100_000 + 1) * 1_000_000));
        }
        let found = samples.percentiles().unwrap();
        for (found, exact) in [
            (found.mean, 0.050_000_5),
            (found.p50, 0.05),
            (found.p90, 0.09),
            (found.p95, 0.095),
            (found.p99, 0.099),
            (found.p99_9, 0.0999),
            (found.max, 0.1),
        ] {
            assert!((found / exact - 1.0).abs() < 2e-3, "{found} and {exact}");
        }
        assert_eq!((samples.count(), found.max), (100_000, 0.1));
    }

    #[test]
    fn one_sample_is_all_its_percentiles() {
        let mut samples = Samples::ratios();
        samples.ratio(1.25);
        let found = samples.percentiles().unwrap();
        assert_eq!([found.mean, found.p50, found.p99_9, found.max], [1.25; 4]);
    }
}
