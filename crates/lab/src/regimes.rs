//! Regimes: replications that fall into two separate groups, so that their mean describes no run.
//!
//! Some networks settle early in one of two states and stay there: in one, both connections time out again and again; in the
//! other, hardly ever. The seed decides in which. A mean over such runs lies where no run is.

/// A sample in two groups.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regimes {
    /// Number of values in the lower group.
    pub low: usize,
    /// Mean of the lower group.
    pub low_mean: f64,
    /// Number of values in the upper group.
    pub high: usize,
    /// Mean of the upper group.
    pub high_mean: f64,
}

/// Fewer values are never divided.
pub const LEAST: usize = 5;

/// By how much the means of two groups differ at least, as a share of the larger of the two.
pub const APART: f64 = 0.1;

/// The least distance of two groups in standard deviations, if they have `n` values in all.
///
/// The samples that come nearest to it without being in groups are exponential ones, in which the largest value is often far from
/// the others. Of 40,000 exponential samples, 1 % exceed 25.3 for n = 5, 13.0 for n = 8, 11.0 for n = 10, 7.6 for n = 20, and 5.4
/// for n = 100. The bound is above all of them. Normal and uniform samples are below two thirds of it.
fn bound(n: usize) -> f64 {
    5.5 + 45.0 / (n as f64 - 3.0)
}

/// The two groups of a sample, if there are two.
///
/// The ordered values are divided where the gap between neighbours is largest, measured in standard deviations within the two sides
/// (pooled: both sides have the same). There are two groups if this gap exceeds a bound that depends on the number of values, such
/// that at most 1 % of the normal, uniform and exponential samples of 5 to 100 values are divided. Whole numbers are taken as rounded:
/// their deviation is at least 1. The means of groups also differ by at least 10 % ([`APART`]): a mean that is so near to every run
/// describes them, however small their spread. None for fewer than [`LEAST`] values.
///
/// ```
/// let goodputs = [0.634, 0.635, 0.634, 0.635, 0.634, 0.957, 0.635, 0.634];
/// let found = dupack_lab::regimes::regimes(&goodputs).unwrap();
/// assert_eq!((found.low, found.high), (7, 1));
/// assert!(dupack_lab::regimes::regimes(&[0.61, 0.64, 0.63, 0.66, 0.62, 0.70]).is_none());
/// ```
pub fn regimes(values: &[f64]) -> Option<Regimes> {
    let n = values.len();
    if n < LEAST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut ordered = values.to_vec();
    ordered.sort_by(f64::total_cmp);
    let whole = values.iter().all(|value| value.fract() == 0.0);
    // Running sums of the values and of their squares. They are taken around the median, so that differences do not cancel.
    let middle = ordered[n / 2];
    let mut sums = vec![(0.0, 0.0)];
    for value in &ordered {
        let (sum, squares) = sums[sums.len() - 1];
        let away = value - middle;
        sums.push((sum + away, squares + away * away));
    }
    let all = sums[n];
    let gap_at = |low: usize| {
        let (sum, squares) = sums[low];
        let left = squares - sum * sum / low as f64;
        let rest = all.0 - sum;
        let right = all.1 - squares - rest * rest / (n - low) as f64;
        let within = ((left + right).max(0.0) / (n as f64 - 2.0)).sqrt();
        let gap = ordered[low] - ordered[low - 1];
        gap / if whole { within.max(1.0) } else { within }
    };
    // If all values are equal, the quotient is not a number: there is no gap.
    let gaps = (1..n).map(|low| (gap_at(low), low));
    let (widest, low) = gaps
        .filter(|(gap, _)| !gap.is_nan())
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (low_mean, high_mean) = (mean(&ordered[..low]), mean(&ordered[low..]));
    let material = high_mean - low_mean >= APART * low_mean.abs().max(high_mean.abs());
    (widest > bound(n) && material).then(|| Regimes {
        low,
        low_mean,
        high: n - low,
        high_mean,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform numbers between 0 and 1 (splitmix64).
    struct Draws(u64);

    impl Draws {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }

        fn exponential(&mut self) -> f64 {
            -self.uniform().ln()
        }

        fn normal(&mut self) -> f64 {
            (2.0 * self.exponential()).sqrt() * (core::f64::consts::TAU * self.uniform()).cos()
        }
    }

    const SAMPLES: usize = 20_000;

    #[test]
    fn at_most_one_in_a_hundred_samples_of_one_group_is_divided() {
        type Draw = fn(&mut Draws) -> f64;
        let distributions: [(&str, Draw); 3] = [
            ("normal", Draws::normal),
            ("uniform", Draws::uniform),
            ("exponential", Draws::exponential),
        ];
        let mut draws = Draws(1);
        for n in [5, 6, 7, 8, 10, 12, 16, 20, 30, 50, 100] {
            for (name, draw) in distributions {
                let divided = (0..SAMPLES)
                    .filter(|_| {
                        let values: Vec<f64> = (0..n).map(|_| draw(&mut draws)).collect();
                        regimes(&values).is_some()
                    })
                    .count();
                assert!(
                    divided * 100 <= SAMPLES,
                    "{name}, {n}: {divided} of {SAMPLES}"
                );
            }
        }
    }

    #[test]
    fn groups_are_found_wherever_they_are_in_the_sample() {
        let mut draws = Draws(2);
        for (low, high) in [(7, 1), (1, 7), (6, 2), (16, 4), (4, 1), (50, 50)] {
            for _ in 0..200 {
                let mut values: Vec<f64> =
                    (0..low).map(|_| 0.63 + 0.005 * draws.normal()).collect();
                values.extend((0..high).map(|_| 0.96 + 0.005 * draws.normal()));
                let turn = (draws.uniform() * values.len() as f64) as usize;
                values.rotate_left(turn);
                let found = regimes(&values).expect("two groups");
                assert_eq!((found.low, found.high), (low, high), "{values:?}");
                assert!(
                    (found.low_mean - 0.63).abs() < 0.03 && (found.high_mean - 0.96).abs() < 0.03
                );
            }
        }
    }

    #[test]
    fn what_has_no_groups_is_not_divided() {
        assert_eq!(regimes(&[1.0, 1.0, 9.0, 9.0]), None, "too few");
        assert_eq!(regimes(&[0.5; 8]), None, "all equal");
        assert_eq!(
            regimes(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            None,
            "counts"
        );
        assert_eq!(
            regimes(&[0.1, 0.2, f64::NAN, 0.1, 0.2, 0.1]),
            None,
            "no number"
        );
        // Counts that are far apart make groups: here timeouts of two regimes.
        let found = regimes(&[59.0, 58.0, 60.0, 59.0, 2.0, 59.0, 61.0, 58.0]).expect("two groups");
        assert_eq!((found.low, found.high), (1, 7));
        // All values but one are equal: without any spread, every difference makes a group.
        let found = regimes(&[0.5, 0.5, 0.5, 0.5, 0.7]).expect("two groups");
        assert_eq!((found.low_mean, found.high_mean), (0.5, 0.7));
        // A difference below 10 % makes no group.
        assert_eq!(regimes(&[1.0, 1.0, 1.0, 1.0, 0.9999]), None);
        assert_eq!(
            regimes(&[15.34, 15.34, 15.34, 15.82, 15.34, 15.34]),
            None,
            "percentiles have few digits"
        );
        // Large values, whose sums of squares would cancel.
        let far = [6.34e9, 6.340_000_1e9, 6.339_999_9e9, 6.34e9, 9.57e9];
        assert_eq!(regimes(&far).map(|it| it.low), Some(4));
    }
}
