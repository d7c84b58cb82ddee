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
    mean_ci(values, 0.95)
}

/// The same with another confidence than 0.95.
pub fn mean_ci(values: &[f64], confidence: f64) -> (f64, Option<f64>) {
    let (mean, deviation) = mean_and_deviation(values);
    let half = deviation.map(|deviation| {
        let freedom = values.len() as f64 - 1.0;
        let t = StudentsT::new(0.0, 1.0, freedom);
        t.map_or(f64::NAN, |t| t.inverse_cdf(f64::midpoint(1.0, confidence))) * deviation
    });
    (mean, half)
}

/// How many runs there should be before it is looked again whether the 95 % interval of their mean is narrow enough: a half-width
/// of at most `relative` times the mean. None if it is, or if there are `most` runs already.
///
/// Looking after every run would stop too early too often, at runs that happen to lie near each other. So it is looked rarely:
/// as often as the spread so far says that it takes, yet at least a tenth more than there are and at most twice as many. And a
/// half-width of `relative` of the mean that was *measured* may be more than that of the true one, so a little less is asked for,
/// `relative / (1 + relative)`.
//= law-2015 §9.4.1
pub fn runs_wanted(values: &[f64], relative: f64, most: usize) -> Option<usize> {
    let n = values.len();
    let (mean, half) = mean_ci95(values);
    let narrow = relative / (1.0 + relative) * mean.abs();
    if n >= most || half.is_some_and(|half| half <= narrow) {
        return None;
    }
    // The half-width falls as 1 / sqrt(n). If there is no interval yet, the number of runs is doubled.
    let ratio = half.map_or(f64::INFINITY, |half| half / narrow);
    let guess = n as f64 * ratio * ratio;
    let (least, twice) = ((n + n.div_ceil(10)) as f64, (2 * n.max(1)) as f64);
    // If the guess is not a number, because the values are not, `max` gives the least number.
    let wanted = guess.ceil().max(least).min(twice);
    Some((wanted as usize).min(most))
}

/// Mean of the measures of a run's successive intervals, and 1.96 times its standard deviation, as Keshav & Morgan plot them;
/// none from fewer than two.
///
/// It is the half-width of a 95 % confidence interval if the intervals are long enough to be uncorrelated, and numerous enough that
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

/// Correlation of successive values, from -1 to 1; none of values that are all the same, or fewer than three.
///
/// ```
/// assert_eq!(dupack_lab::statistics::correlation(&[1.0, 2.0, 1.0, 2.0]), Some(-0.75));
/// ```
// r_1 = sum (x_i - X) (x_i+1 - X) / sum (x_i - X)^2
//= law-2015 §4.4
pub fn correlation(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let products = values
        .windows(2)
        .map(|two| (two[0] - mean) * (two[1] - mean));
    (values.len() > 2 && squares > 0.0).then(|| products.sum::<f64>() / squares)
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
        // The deviations are -2, -1, 0, 1 and 2 hundredths, four times each: their squares sum to 40 ten-thousandths.
        let sigma = (40e-4f64 / (20.0 * 19.0)).sqrt();
        assert!((plotted.unwrap() - 1.96 * sigma).abs() < 1e-12);
        let (same, student) = mean_ci95(&goodputs);
        assert_eq!(same, mean);
        assert!((student.unwrap() / sigma - 2.093).abs() < 1e-3);
    }

    #[test]
    //= law-2015 §9.4.1 type=test
    fn it_is_looked_again_after_as_many_runs_as_the_spread_asks_for() {
        // Mean 10, half-width 4.303 / sqrt(3) = 2.484.
        let three = [9.0, 10.0, 11.0];
        assert_eq!(
            runs_wanted(&three, 0.34, 100),
            None,
            "2.484 < 10 x 0.34 / 1.34"
        );
        assert_eq!(
            runs_wanted(&three, 0.25, 100),
            Some(5),
            "3 x (2.484 / 2)^2 = 4.6"
        );
        assert_eq!(
            runs_wanted(&three, 0.33, 100),
            Some(4),
            "a tenth more at least"
        );
        assert_eq!(
            runs_wanted(&three, 0.01, 100),
            Some(6),
            "twice as many at most"
        );
        assert_eq!(runs_wanted(&three, 0.01, 5), Some(5));
        assert_eq!(runs_wanted(&three, 0.01, 3), None);
        assert_eq!(runs_wanted(&[7.0, 7.0], 0.01, 100), None, "no spread");
        assert_eq!(runs_wanted(&[0.0, 0.0], 0.01, 100), None, "none of nothing");
        assert_eq!(
            runs_wanted(&[-1.0, 1.0], 0.5, 100),
            Some(4),
            "a mean of zero"
        );
        assert_eq!(runs_wanted(&[7.0], 0.5, 100), Some(2));
        assert_eq!(runs_wanted(&[f64::NAN; 10], 0.5, 100), Some(11));
    }

    #[test]
    //= law-2015 §9.4.1 type=test
    fn the_interval_that_it_stops_at_covers_the_mean_nearly_as_often_as_it_says() {
        let mut draws = dupack_core::rng::Stream::new(7, "values");
        // The values are uniform from 0 to 2, with a standard deviation of 0.577: a relative half-width of 0.2 takes a little more than 40.
        for (relative, least) in [(0.2, 0.92), (0.05, 0.935)] {
            let (mut covered, mut close, mut runs) = (0, 0, 0);
            let tries = 2_000;
            for _ in 0..tries {
                let mut values: Vec<f64> = Vec::new();
                let mut wanted = 10;
                loop {
                    values.resize_with(wanted, || draws.between(0, 1_000_000) as f64 / 5e5);
                    match runs_wanted(&values, relative, 100_000) {
                        Some(more) => wanted = more,
                        None => break,
                    }
                }
                let (mean, half) = mean_ci95(&values);
                covered += usize::from((mean - 1.0).abs() <= half.unwrap());
                close += usize::from((mean - 1.0).abs() <= relative);
                runs += values.len();
            }
            let share = |n: usize| n as f64 / f64::from(tries);
            println!(
                "{relative}: {} {} {}",
                share(covered),
                share(close),
                share(runs)
            );
            assert!(share(covered) > least, "{relative}: {}", share(covered));
            assert!(share(close) > 0.95, "{relative}: {}", share(close));
        }
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
