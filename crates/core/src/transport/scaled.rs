//! The retransmission timeout in scaled whole numbers of ticks, as BSD computes it, and ns-2 like BSD.
//!
//! The smoothed round trip is kept in eighths of a tick, its variation in quarters, and bits shifted out are lost. So the timeout
//! of a steady path does not come down to the round trip, but stays some ticks above it.
//= jacobson-1988 §A
//= ns-2

/// Number of doublings of the timeout from which the smoothed round trip is no longer trusted.
const TOO_LONG: u32 = 4;

/// The estimator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scaled {
    /// Smoothed round trip \[ticks / 8\], 0 before the first measurement.
    srtt: i64,
    /// Its mean deviation \[ticks / 4\].
    rttvar: i64,
}

impl Scaled {
    /// Takes a round trip of `ticks`; returns the timeout \[ticks\].
    pub fn measure(&mut self, ticks: u64) -> u64 {
        // The limit is far from the end of the clock, and keeps the shifts below from overflowing.
        let m = ticks.min(1 << 48) as i64;
        if self.srtt == 0 {
            // SRTT <- R, RTTVAR <- R/2
            (self.srtt, self.rttvar) = (m << 3, m << 1);
        } else {
            // SRTT <- SRTT + (R - SRTT)/8, RTTVAR <- RTTVAR + (|R - SRTT| - RTTVAR)/4
            let error = m - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
        }
        // SRTT + 4 RTTVAR
        ((self.srtt >> 3) + self.rttvar) as u64
    }

    /// The timeout has been doubled `doubled` times: after some, the path may have changed, and the smoothed round trip of the old
    /// path is added to the deviation.
    pub fn back_off(&mut self, doubled: u32) {
        if doubled >= TOO_LONG {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= jacobson-1988 §A type=test
    fn what_a_shift_loses_is_lost() {
        let mut rtt = Scaled::default();
        assert_eq!(rtt.measure(1), 3); // 1 + 4 * 1/2
        // |error| is 0, and the deviation of 2/4 shifted right is 0: the deviation never falls.
        assert_eq!([(); 20].map(|()| rtt.measure(1)), [3; 20]);
        // 8/8 + (3 - 1) = 10/8; 2/4 + 2 - 0 = 4/4
        assert_eq!(rtt.measure(3), 5);
        // 10/8 + (1 - 1); 4/4 + 0 - 1 = 3/4
        assert_eq!(rtt.measure(1), 4);
    }

    #[test]
    //= ns-2 type=test
    fn after_four_doublings_the_round_trip_is_deviation() {
        let mut rtt = Scaled::default();
        rtt.measure(10);
        rtt.back_off(3);
        assert_eq!(rtt.measure(10), 25); // 10 + 20 - 5
        rtt.back_off(4);
        // The next measurement is taken as the first.
        assert_eq!(rtt.measure(4), 12);
    }
}
