//! The fairness index of Jain, Chiu and Hawe: 1 when all get the same, 1/n when one gets it all.

/// How even `shares` are; 1 if there are none, or all are zero.
// [sum x_i]^2 / (n * sum x_i^2)
//= cohen-hamo-2001 §6.2
//= jain-chiu-hawe-1984
pub fn index(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    if squares == 0.0 {
        1.0
    } else {
        sum * sum / (shares.len() as f64 * squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= cohen-hamo-2001 §6.2 type=test
    // "A fairness index of 1 indicates a perfect fairness".
    fn from_one_over_n_to_one() {
        assert_eq!(index(&[0.3; 4]), 1.0);
        assert_eq!(index(&[0.0, 0.0, 2.0, 0.0]), 0.25);
        assert_eq!(index(&[5.0]), 1.0);
        assert_eq!(index(&[]), 1.0);
        assert_eq!(index(&[0.0, 0.0]), 1.0);
    }

    /// Throughputs, fairness and overall throughput as printed.
    const FIG_20: [([f64; 2], f64, f64); 4] = [
        ([0.454, 0.517], 0.995, 0.584),
        ([0.910, 0.193], 0.702, 0.662),
        ([0.8122, 0.8216], 0.999, 0.98),
        ([0.8109, 0.8228], 0.999, 0.98),
    ];

    #[test]
    //= cohen-hamo-2001 §6.2, Fig. 20 type=test
    // The indices of the table are truncated, not rounded, after three digits.
    fn fig_20_gives_its_own_fairness() {
        for (throughputs, printed, _) in FIG_20 {
            let cut = (index(&throughputs) * 1000.0) as u32;
            assert_eq!(cut, (printed * 1000.0) as u32, "{throughputs:?}");
        }
    }

    #[test]
    //= cohen-hamo-2001 §6.2, Fig. 20 type=test
    // Each connection's throughput is a share of its own line of 45 Mb/s; the total is a share of the common line of 75 Mb/s.
    fn fig_20_measures_each_connection_by_its_own_line() {
        for (throughputs, _, overall) in FIG_20 {
            let sum: f64 = throughputs.iter().sum();
            assert!(
                (sum * 45.0 / 75.0 - overall).abs() < 0.002,
                "{throughputs:?}"
            );
        }
    }
}
