//! Statistics of replications, and of the intervals of one long run.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean and half-width of its 95 % confidence interval, by Student's t over independent replications; no interval from fewer
/// than two.
///
/// ```
/// let (mean, half) = dupack_lab::statistics::mean_ci95(&[1.0, 2.0, 3.0]);
/// assert_eq!(mean, 2.0);
/// assert!((half.unwrap() - 2.484).abs() < 1e-3); // t(0.975; 2) = 4.303, s = 1
/// ```
pub fn mean_ci95(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, deviation) = mean_and_deviation(values);
    let half = deviation.map(|deviation| {
        let freedom = values.len() as f64 - 1.0;
        let t = StudentsT::new(0.0, 1.0, freedom);
        t.map_or(f64::NAN, |t| t.inverse_cdf(0.975)) * deviation
    });
    (mean, half)
}

/// Mean of the measures of a run's successive intervals, and 1.96 times its standard deviation, as Keshav & Morgan plot them;
/// none from fewer than two.
///
/// It is the half-width of a 95 % confidence interval if the intervals are long enough to be uncorrelated, and so many that
/// their mean is normally distributed. The variance is estimated from the same n values, so Student's t with n - 1 degrees
/// of freedom is nearer: for their n = 20 its factor is 2.09, an interval wider by 7 %. [`mean_ci95`] takes that one.
///
/// ```
/// let (mean, half) = dupack_lab::statistics::batch_means(&[1.0, 2.0, 3.0]);
/// assert_eq!(mean, 2.0);
/// assert!((half.unwrap() - 1.96 / 3f64.sqrt()).abs() < 1e-12); // sigma^2 = 2 / (3 * 2)
/// ```
//= keshav-morgan-1997 §2, eqs. 2 and 3
pub fn batch_means(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, deviation) = mean_and_deviation(values);
    (mean, deviation.map(|deviation| 1.96 * deviation))
}

/// The mean, and its standard deviation; none from fewer than two values.
// X = (1/n) sum X_i                                                    (2)
// sigma^2 = sum (X_i - X)^2 / (n (n - 1))                              (3)
//= keshav-morgan-1997 §2, eqs. 2 and 3
fn mean_and_deviation(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, None);
    }
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, Some((variance / n).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // n = 20 intervals of 20 s.
    fn twenty_intervals() {
        let goodputs: Vec<f64> = (0..20).map(|i| 0.8 + 0.01 * f64::from(i % 5)).collect();
        let (mean, plotted) = batch_means(&goodputs);
        assert!((mean - 0.82).abs() < 1e-12);
        // Deviations of -2 to 2 hundredths, four times each: their squares sum to 40 ten-thousandths.
        let sigma = (40e-4f64 / (20.0 * 19.0)).sqrt();
        assert!((plotted.unwrap() - 1.96 * sigma).abs() < 1e-12);
        let (same, student) = mean_ci95(&goodputs);
        assert_eq!(same, mean);
        assert!((student.unwrap() / sigma - 2.093).abs() < 1e-3);
    }

    #[test]
    fn one_value_has_no_interval() {
        for of in [batch_means, mean_ci95] {
            assert_eq!(of(&[0.5]), (0.5, None));
            assert_eq!(of(&[0.5, 0.5]), (0.5, Some(0.0)));
            assert!(of(&[]).0.is_nan());
        }
    }
}
