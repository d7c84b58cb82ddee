//! One server, Poisson arrivals: queueing on a line without congestion control.
//!
//! rho is the load, arrivals per service; times are in units of the mean service time unless a function takes moments.
//= kleinrock-1975

/// Mean wait before service in M/G/1, from the rate of arrivals and the first two moments of the service time (Pollaczek and
/// Khinchine): lambda E\[S^2\] / (2 (1 - lambda E\[S\])), in the unit of the moments.
///
/// # Panics
/// If the load is not below 1, where no mean exists.
pub fn mg1_wait(lambda: f64, mean: f64, mean_square: f64) -> f64 {
    let rho = lambda * mean;
    assert!(
        rho < 1.0,
        "the queue grows without bound at a load of {rho}"
    );
    lambda * mean_square / (2.0 * (1.0 - rho))
}

/// Mean wait before service in M/D/1: rho / (2 (1 - rho)) services.
pub fn md1_wait(rho: f64) -> f64 {
    mg1_wait(rho, 1.0, 1.0)
}

/// Mean wait before service in M/M/1: rho / (1 - rho) services.
pub fn mm1_wait(rho: f64) -> f64 {
    mg1_wait(rho, 1.0, 2.0)
}

/// Share of arrivals that M/M/1/K loses, with room for `k` including the one in service: rho^K (1 - rho) / (1 - rho^(K+1)).
pub fn mm1k_loss(rho: f64, k: u32) -> f64 {
    // The sum over the weights of the states also holds at rho = 1, where the closed form does not.
    let states = (0..=k).map(|n| rho.powi(n as i32));
    rho.powi(k as i32) / states.sum::<f64>()
}

/// Mean wait before service in M/M/1/K of those that are let in, in services.
pub fn mm1k_wait(rho: f64, k: u32) -> f64 {
    let weight = |n: u32| rho.powi(n as i32);
    let admitted: f64 = (0..k).map(weight).sum();
    // A customer who finds n others waits for n services.
    (0..k).map(|n| f64::from(n) * weight(n)).sum::<f64>() / admitted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
    }

    #[test]
    fn known_values() {
        near(md1_wait(0.5), 0.5);
        near(mm1_wait(0.5), 1.0);
        near(mm1_wait(0.9), 9.0);
        // Erlang B with one server is M/M/1/1.
        near(mm1k_loss(0.5, 1), 0.5 / 1.5);
        near(mm1k_loss(1.0, 4), 0.2);
        near(mm1k_wait(0.7, 1), 0.0);
    }

    #[test]
    fn much_room_is_no_bound() {
        near(mm1k_wait(0.5, 60), mm1_wait(0.5));
        assert!(mm1k_loss(0.5, 60) < 1e-18);
    }

    #[test]
    fn flow_is_conserved() {
        // The served load, rho (1 - loss), equals the share of time in which the server is busy.
        for (rho, k) in [(0.3, 3), (0.9, 7), (1.7, 5)] {
            let sum: f64 = (0..=k).map(|n| f64::powi(rho, n)).sum();
            near(rho * (1.0 - mm1k_loss(rho, k as u32)), 1.0 - 1.0 / sum);
        }
    }
}
