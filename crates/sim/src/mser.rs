//! MSER-5: finds the time from which a run is in its steady state, from its goodput.
//!
//! The marginal standard error rule deletes the initial part for which the confidence interval of the mean of the rest is
//! narrowest: deleting more of the transient helps until too little is left. The five in its name is the number of observations
//! averaged before the rule is applied.
//!
//! The observations are the goodputs of all flows together over thousandths of the run. Their number does not depend on `sample`:
//! the resolution of a drawing must not change what is measured. They come from a run of their own, with the same seed and without
//! warm-up, which is identical to the measured run; to begin measures at a time that is found only later, one would have to keep
//! them for every moment. This costs a second run. Each seed has a warm-up of its own, because the results of a run depend on its
//! plan and its seed alone.
//!
//! The rule is applied to the first half only. Near the end the rest is so short that a smooth stretch has the smallest statistic
//! by chance, which is common where windows grow and halve. So it could delete nothing of a run that changes later, and therefore
//! the rest is tested: its cumulative sum must not deviate further from a straight line than chance explains.
//= white-1997
//= white-cobb-spratt-2000
//= schruben-1982

use crate::report::Report;
use crate::spec::Network;
use dupack_core::time::Duration;

/// Observations of a run.
const OBSERVATIONS: u64 = 1000;

/// Observations that are averaged.
const BATCH: usize = 5;

/// Parts of the rest, each so long that it hardly depends on the previous one.
const PARTS: usize = 20;

/// The distance of a standard Brownian bridge from zero exceeds this once in a thousand (Kolmogorov's distribution).
const FAR: f64 = 1.95;

/// The number of observations to leave out, less than half of them. None if the rule would leave out half or more: then the rest may not be
/// steady.
///
/// ```
/// let mut series = vec![10.0; 200];
/// series[..37].fill(0.0);
/// // Of the eight averages of five, the last one left out contains two zeros and three tens.
/// assert_eq!(dupack_sim::mser::mser5(&series), Some(40));
/// ```
// Z_j = mean of the j-th five observations, j = 1..k
// MSER(d) = sum over j > d of (Z_j - mean of these)^2 / (k - d)^2, and d* = argmin over d <= k/2
//= white-1997
//= white-cobb-spratt-2000
pub fn mser5(observations: &[f64]) -> Option<usize> {
    let averages = averages(observations);
    let last = averages.len() / 2;
    let (mut mean, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (d, value) in averages.iter().enumerate().rev() {
        // Welford's recurrence for the sum of squares, from the end of the series.
        let n = averages.len() - d;
        let apart = value - mean;
        mean += apart / n as f64;
        squares += apart * (value - mean);
        let statistic = squares / (n * n) as f64;
        // Among equal values the earliest wins.
        if d <= last && statistic <= best.0 {
            best = (statistic, d);
        }
    }
    // If the least value is at the last d allowed, the statistic may still be falling there, so nothing can be said.
    //= hoad-robinson-davies-2010
    (best.1 < last).then_some(best.1 * BATCH)
}

/// Whether the mean changes during the series by more than chance explains; successive values may be correlated.
///
/// ```
/// use dupack_sim::mser::drifts;
/// let mut series: Vec<f64> = (0..1000).map(|i| f64::from(i % 7)).collect();
/// assert!(!drifts(&series));
/// series[..800].fill(0.0);
/// assert!(drifts(&series));
/// ```
// B(k) = sum over i <= k of (Y_i - mean), for the means Y of the parts; the statistic is max |B| / sqrt(parts x variance of Y).
// The variance is that of successive differences, 1/2 E (Y_i+1 - Y_i)^2: one about the mean would grow with the change that is tested for.
//= schruben-1982
//= von-neumann-1941
pub fn drifts(observations: &[f64]) -> bool {
    let length = (observations.len() / PARTS).max(1);
    let parts: Vec<f64> = (observations.rchunks_exact(length))
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .take(PARTS)
        .collect();
    let n = parts.len() as f64;
    let mean = parts.iter().sum::<f64>() / n;
    let steps: f64 = parts.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum();
    let (mut sum, mut far) = (0.0, 0.0_f64);
    for part in &parts {
        sum += part - mean;
        far = far.max(sum * sum);
    }
    far > FAR * FAR * n * steps / (2.0 * (n - 1.0)) + (1e-9 * mean).powi(2)
}

fn averages(observations: &[f64]) -> Vec<f64> {
    let (batches, _) = observations.as_chunks::<BATCH>();
    (batches.iter())
        .map(|five| five.iter().sum::<f64>() / BATCH as f64)
        .collect()
}

/// The run that determines the warm-up: it measures from the first moment on, at even intervals.
pub(crate) fn pilot(network: &Network) -> Network {
    Network {
        warm_up: Duration::ZERO,
        mser: false,
        sample: Some(Duration((network.duration.0 / OBSERVATIONS).max(1))),
        percentiles: false,
        batches: None,
        ..network.clone()
    }
}

/// Where measuring begins, by the report of the `pilot`'s run; `None` if there is no steady state.
pub(crate) fn begins(pilot: &Network, report: &Report) -> Option<Duration> {
    let every = pilot.sample?;
    let series = report.series.iter();
    let mut delivered = vec![0; series.clone().map(|it| it.time_s.len()).sum()];
    for flow in series.flat_map(|it| it.delivered.values()) {
        for (sum, bytes) in delivered.iter_mut().zip(flow) {
            *sum += bytes;
        }
    }
    let goodputs: Vec<f64> = delivered
        .windows(2)
        .map(|two| (two[1] - two[0]) as f64)
        .collect();
    if goodputs.iter().all(|bytes| *bytes == 0.0) {
        return None;
    }
    let left_out = mser5(&goodputs)?;
    (!drifts(&goodputs[left_out..])).then(|| Duration(every.0 * left_out as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dupack_core::rng::Stream;

    /// The statistic as it is written, for every d.
    fn plain(observations: &[f64]) -> Option<usize> {
        let k = observations.len() / 5;
        let z: Vec<f64> = (0..k)
            .map(|j| observations[5 * j..5 * j + 5].iter().sum::<f64>() / 5.0)
            .collect();
        let statistic = |d: usize| {
            let n = (k - d) as f64;
            let mean = z[d..].iter().sum::<f64>() / n;
            z[d..].iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (n * n)
        };
        let best = (0..=k / 2).min_by(|a, b| statistic(*a).total_cmp(&statistic(*b)))?;
        (best < k / 2).then_some(5 * best)
    }

    #[test]
    //= white-cobb-spratt-2000 type=test
    fn it_is_the_statistic_as_written() {
        let mut draws = Stream::new(3, "mser");
        let mut found = [0, 0];
        for length in 40..400 {
            // A transient of random length that fades, and noise.
            let fades = draws.between(1, 60) as f64;
            let noise = |draws: &mut Stream| draws.between(0, 1000) as f64 / 1000.0;
            let series: Vec<f64> = (0..length)
                .map(|i| noise(&mut draws) - 8.0 * fades / (fades + f64::from(i * i)))
                .collect();
            let told = mser5(&series);
            assert_eq!(told, plain(&series), "{length}");
            found[usize::from(told.is_some_and(|n| n > 0))] += 1;
        }
        assert!(found[0] > 0 && found[1] > 200, "{found:?}");
    }

    #[test]
    fn what_is_steady_from_the_beginning_loses_nothing_and_what_never_is_has_no_answer() {
        assert_eq!(mser5(&[3.0; 1000]), Some(0));
        let rising: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(mser5(&rising), None);
        let mut late = vec![0.0; 1000];
        late[..505].fill(9.0);
        assert_eq!(mser5(&late), None, "more than half");
        assert_eq!(mser5(&[1.0; 9]), None, "too few");
        assert_eq!(mser5(&[1.0; 10]), Some(0));
    }

    #[test]
    //= schruben-1982 type=test
    fn a_steady_series_is_hardly_ever_called_drifting_and_one_that_changes_is() {
        let mut draws = Stream::new(5, "drift");
        let mut found = [0, 0, 0];
        for _ in 0..2000 {
            // An AR(1) series with coefficient 0.8: about ten successive values are correlated.
            let mut value = 0.0;
            let series: Vec<f64> = (0..1000)
                .map(|_| {
                    value = 0.8 * value + draws.between(0, 1000) as f64 / 1000.0;
                    value
                })
                .collect();
            found[0] += usize::from(drifts(&series));
            let rising: Vec<f64> = (series.iter().enumerate())
                .map(|(i, value)| value * (1.0 + i as f64 / 1e3))
                .collect();
            found[1] += usize::from(drifts(&rising));
            let mut late = series;
            late[..850].fill(0.0);
            found[2] += usize::from(drifts(&late));
        }
        // A thousandth of 2,000 is 2. The parts are few and still slightly correlated, which makes it a little more.
        assert!(found[0] <= 20, "{found:?}");
        assert_eq!(found[1..], [2000, 2000]);
        assert!(!drifts(&[4.0; 500]));
    }
}
