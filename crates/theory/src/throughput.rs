//! What TCP gets out of a path that loses packets at random, as it is predicted.
//!
//! `p` is the loss probability of a packet in the sense of each law, `b` the packets per ack, times are in seconds, rates in packets per second.

/// Mathis, Semke, Mahdavi & Ott 1997: C / (RTT sqrt(p)) with C = sqrt(3 / (2 b)); periodic losses, no timeouts.
//= mathis-semke-mahdavi-ott-1997
pub fn mathis(p: f64, rtt: f64, b: f64) -> f64 {
    (1.5 / (b * p)).sqrt() / rtt
}

/// Padhye, Firoiu, Towsley & Kurose 1998, the full model: Reno with timeouts, `rto` \[s\] the first one, and with a window of at most
/// `window` packets.
//= padhye-firoiu-towsley-kurose-1998
pub fn pftk(p: f64, rtt: f64, rto: f64, b: f64, window: f64) -> f64 {
    // E[W_u]: the mean window at the end of a period, without a bound.
    let c = (2.0 + b) / (3.0 * b);
    let unbounded = c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt();
    // f(p): the mean of a row of doubling timeouts
    let f = 1.0
        + (1..=6)
            .map(|i| f64::from(1 << (i - 1)) * p.powi(i))
            .sum::<f64>();
    let good = (1.0 - p) / p;
    if unbounded < window {
        let q = timeouts(p, unbounded);
        let packets = good + unbounded + q / (1.0 - p);
        packets / (rtt * (b / 2.0 * unbounded + 1.0) + q * rto * f / (1.0 - p))
    } else {
        let q = timeouts(p, window);
        let packets = good + window + q / (1.0 - p);
        let rounds = b / 8.0 * window + good / window + 2.0;
        packets / (rtt * rounds + q * rto * f / (1.0 - p))
    }
}

/// Q^: the probability that a loss in a window of `w` is found by a timeout.
fn timeouts(p: f64, w: f64) -> f64 {
    let kept = 1.0 - p;
    let three = kept.powi(3);
    let q = (1.0 - three) * (1.0 + three * (1.0 - kept.powf(w - 3.0))) / (1.0 - kept.powf(w));
    q.min(1.0)
}

/// The short form of the same, which the paper calls the approximate model.
pub fn pftk_short(p: f64, rtt: f64, rto: f64, b: f64, window: f64) -> f64 {
    let recovery = rtt * (2.0 * b * p / 3.0).sqrt();
    let idle = rto * (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
    (window / rtt).min(1.0 / (recovery + idle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64, share: f64) {
        assert!(
            (found / wanted - 1.0).abs() < share,
            "{found}, not {wanted}"
        );
    }

    #[test]
    fn rare_losses_leave_the_square_root_law() {
        for b in [1.0, 2.0] {
            let (p, rtt) = (1e-7, 0.1);
            near(pftk(p, rtt, 1.0, b, f64::INFINITY), mathis(p, rtt, b), 1e-3);
            near(
                pftk_short(p, rtt, 1.0, b, f64::INFINITY),
                mathis(p, rtt, b),
                1e-3,
            );
        }
    }

    #[test]
    fn the_window_is_a_bound() {
        let rate = pftk(1e-6, 0.1, 1.0, 2.0, 20.0);
        assert!(rate < 200.0);
        near(rate, 200.0, 0.01);
        near(pftk_short(1e-6, 0.1, 1.0, 2.0, 20.0), 200.0, 1e-12);
    }

    #[test]
    fn both_forms_agree_where_both_are_meant() {
        // The paper's Figs. 7 to 12 show them close together over this range.
        for p in [0.003, 0.01, 0.03, 0.1] {
            near(
                pftk_short(p, 0.2, 1.0, 2.0, 33.0),
                pftk(p, 0.2, 1.0, 2.0, 33.0),
                0.35,
            );
        }
    }

    #[test]
    fn a_small_window_always_waits_for_a_timeout() {
        assert_eq!(timeouts(0.1, 3.0), 1.0);
        assert_eq!(timeouts(0.1, 2.0), 1.0);
        // 3 / w for rare losses.
        near(timeouts(1e-7, 30.0), 0.1, 1e-3);
    }
}
