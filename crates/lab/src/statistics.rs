//! Statistics of replications.

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
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, None);
    }
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::NAN, |t| t.inverse_cdf(0.975));
    (mean, Some(quantile * (variance / n).sqrt()))
}
