//! Predicted throughput of TCP on a path that loses packets at random.
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
    // f(p): the mean length of a series of doubling timeouts, over the first one
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

/// Lakshman & Madhow 1997: what random losses leave of a line to one Reno, as a share of the line's rate. `x` is p W^2, with p the loss
/// probability of a packet and W the line's rate times the round trip without queue \[packets\]; `beta` is the buffer over W.
///
/// Their model as a fluid, solved here: the window w (over W) grows by a packet per round trip, which takes as long as the line
/// needs for the window once that is beyond 1, and halves at a loss: random, or at w = 1 + beta. Then p, W and the rate matter through x
/// alone: far below 1 the line is as good as without losses, far above the share is the square root law's, 1.31 / sqrt(x).
//= lakshman-madhow-1997
pub fn lakshman_madhow(x: f64, beta: f64) -> f64 {
    // g(w): the probability that the window exceeds w within a cycle, from one loss to the next. Between w and w + dw, w dw packets
    // are sent (times W^2), and a share p of them is lost. A cycle begins at half the window at which the one before ended:
    // dg/dw = x w (4 g(2w) - g(w)). The losses at a full buffer add cycles that begin at (1 + beta) / 2.
    const HALF: usize = 4000;
    // The probability of windows above this is exp(-60).
    let top = f64::min(1.0 + beta, (120.0 / x).sqrt());
    let h = top / (2 * HALF) as f64;
    let w = |i: usize| i as f64 * h;
    let mut g = vec![0.0; 2 * HALF + 1];
    for (i, g) in g.iter_mut().enumerate().skip(HALF) {
        *g = (x * (top * top - w(i) * w(i)) / 2.0).exp();
    }
    let upper = g.clone();
    g[HALF] -= g[2 * HALF];
    for i in (0..HALF).rev() {
        // The implicit trapezoidal rule, solved for g(w).
        let slope = |at: usize, g_at: f64| x * w(at) * (4.0 * g[2 * at] - g_at);
        let sum = slope(i + 1, g[i + 1]) + slope(i, 0.0);
        g[i] = (g[i + 1] - h / 2.0 * sum) / (1.0 - h / 2.0 * x * w(i));
    }
    let integral = |of: &dyn Fn(f64) -> f64| -> f64 {
        let part = |g: &[f64], from: usize| {
            let terms = g.windows(2).zip(from..);
            terms
                .map(|(g, i)| (g[0] * of(w(i)) + g[1] * of(w(i + 1))) * h / 2.0)
                .sum::<f64>()
        };
        part(&g[..=HALF], 0) + part(&upper[HALF..], HALF)
    };
    integral(&|w| w) / integral(&|w| f64::max(1.0, w))
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
    //= lakshman-madhow-1997 type=test
    fn without_losses_the_window_goes_from_half_to_full() {
        for beta in [0.0, 0.1, 0.5, 1.0, 3.0] {
            let full: f64 = 1.0 + beta;
            let packets = full * full * 3.0 / 8.0;
            let below = f64::max(0.0, 1.0 - full / 2.0);
            let above = (full * full - f64::max(1.0, full * full / 4.0)) / 2.0;
            near(lakshman_madhow(1e-9, beta), packets / (below + above), 1e-5);
        }
    }

    #[test]
    //= lakshman-madhow-1997 type=test
    // 1.3098 is the constant of Ott, Kemperman & Mathis 1996 for independent losses.
    fn many_losses_leave_the_square_root_law() {
        for x in [1e3, 1e4, 1e6] {
            for beta in [0.0, 1.0] {
                near(lakshman_madhow(x, beta) * x.sqrt(), 1.3098, 1e-4);
            }
        }
    }

    #[test]
    //= lakshman-madhow-1997 type=test
    // Checked against the model itself, simulated with random numbers.
    fn the_fluid_drawn_at_random() {
        let mut state = 1u64;
        let mut exponential = || {
            // Random numbers by splitmix64; their quality hardly matters here.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            -(((z ^ (z >> 31)) >> 11) as f64 + 0.5).ln() + 53.0 * 2f64.ln()
        };
        for (x, beta) in [(0.3, 1.0), (1.0, 0.0), (3.0, 0.5), (10.0, 1.0), (30.0, 0.2)] {
            let (mut packets, mut time, mut w) = (0.0, 0.0, 0.5f64);
            for _ in 0..200_000 {
                let y = w * w / 2.0 + exponential() / x;
                let end = f64::min((2.0 * y).sqrt(), 1.0 + beta);
                packets += (end * end - w * w) / 2.0;
                time += f64::max(0.0, f64::min(end, 1.0) - w);
                time += f64::max(0.0, (end * end - f64::max(w, 1.0).powi(2)) / 2.0);
                w = end / 2.0;
            }
            near(lakshman_madhow(x, beta), packets / time, 3e-3);
        }
    }

    #[test]
    fn a_small_window_always_waits_for_a_timeout() {
        assert_eq!(timeouts(0.1, 3.0), 1.0);
        assert_eq!(timeouts(0.1, 2.0), 1.0);
        // For rare losses, it is 3 / w.
        near(timeouts(1e-7, 30.0), 0.1, 1e-3);
    }
}
