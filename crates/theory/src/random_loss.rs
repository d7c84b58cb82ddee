//! Cost of random losses: for a TCP that halves its window at each, and for a sender that only retransmits the lost packets.
//!
//! One circuit without competing traffic loses packets at the rate r in each direction, one by one or in bursts.
//! W is the round-trip window \[packets\]: the line's rate times the round trip.
//= keshav-morgan-1997 §6, §7

/// Packets that TCP does not send, for one loss, while its window grows from half the round-trip window back to all of it.
///
/// Exact for a window that begins at W/2 and grows by one packet per round trip of the same length, with no time lost before:
/// the time in which the loss is found and repaired (a slow start for Tahoe, maybe a timeout) is neglected.
// (S - 3S/4) (W/2) T_RT = W^2 / 8                                      (4)
//= keshav-morgan-1997 §6, eq. 4
pub fn packets_lost_per_loss_event(w: f64) -> f64 {
    w * w / 8.0
}

/// Share of TCP's goodput that random losses cost, while it is small; beyond 1 it is only an index of how bad the losses are.
// r W^2 / 4
//= keshav-morgan-1997 §6, eq. 5
pub fn tcp_goodput_loss(r: f64, w: f64) -> f64 {
    r * w * w / 4.0
}

/// The goodput of TCP on an otherwise idle line that loses packets at random, as a share of the line.
///
/// Holds for r W^2 / 4 far below 1 only: then windows have grown back before the next loss, so that each costs W^2 / 8. Beyond
/// 1 it is below zero, and says no more than that TCP is poor there. Lost acks count like lost packets (hence 2 r), though
/// later acks make up for most of them: with one of the two directions free of losses it is r W^2 / 8.
// 1 - 2 r W^2 / 8 = 1 - r W^2 / 4                                      (5)
//= keshav-morgan-1997 §6, eq. 5
pub fn tcp_goodput(r: f64, w: f64) -> f64 {
    1.0 - tcp_goodput_loss(r, w)
}

/// The most that a sender can get whose flow control does not slow down for random losses: each packet that is lost, or whose
/// ack is, is sent again. Reached as the error-control window grows beyond all bounds.
// (1 - r)^2                                                            (6)
//= keshav-morgan-1997 §7, eq. 6
pub fn potential_goodput(r: f64) -> f64 {
    (1.0 - r) * (1.0 - r)
}

/// The mean length of a run of good packets between two bursts of losses, of mean length `l`, that lose a share `r` of all.
// G = (1/r - 1) L
//= keshav-morgan-1997 §6, mean good burst type=departure
pub fn mean_good_run(r: f64, l: f64) -> f64 {
    (1.0 / r - 1.0) * l
}

/// The least error-control window that keeps the line busy while a packet is repaired that is lost `x` times in a row, as long
/// as nothing else is lost meanwhile, in units of `w`, the round-trip window.
// W_EC >= (x + 1) W_RT
//= keshav-morgan-1997 §3, error-control window size
pub fn least_error_control_window(x: u32, w: f64) -> f64 {
    f64::from(x + 1) * w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= keshav-morgan-1997 §6, eq. 4 type=test
    // Checked against the sum over round trips: windows of W/2, W/2 + 1, ..., W - 1, each of which could have been W.
    fn a_loss_event_costs_an_eighth_of_the_window_squared() {
        for w in [100u64, 1000, 10_000] {
            let missed: u64 = (w / 2..w).map(|window| w - window).sum();
            let eq_4 = packets_lost_per_loss_event(w as f64);
            assert!((missed as f64 / eq_4 - 1.0).abs() < 2.5 / w as f64);
        }
        assert_eq!(packets_lost_per_loss_event(100.0), 1250.0);
    }

    #[test]
    //= keshav-morgan-1997 §6 type=test
    // "if W = 100 packets and the one-way loss rate r = 1%, the parameter rW^2/4 = 25."
    fn the_papers_example() {
        assert!((tcp_goodput_loss(0.01, 100.0) - 25.0).abs() < 1e-12);
        assert!((tcp_goodput(0.01, 100.0) + 24.0).abs() < 1e-12);
        assert_eq!(tcp_goodput(0.0, 100.0), 1.0);
        // There are 2 r loss events per packet, and each costs W^2 / 8.
        let r = 1e-5;
        assert!(
            (1.0 - 2.0 * r * packets_lost_per_loss_event(100.0) - tcp_goodput(r, 100.0)).abs()
                < 1e-12
        );
    }

    #[test]
    //= keshav-morgan-1997 §7, eq. 6 type=test
    fn who_only_repairs_loses_what_is_lost() {
        assert_eq!(potential_goodput(0.0), 1.0);
        assert!((potential_goodput(0.05) - 0.9025).abs() < 1e-12);
        // The rest of "approximately 1 - 2r" is r^2.
        for r in [0.001, 0.01, 0.05] {
            assert!((potential_goodput(r) - (1.0 - 2.0 * r) - r * r).abs() < 1e-12);
        }
    }

    #[test]
    //= keshav-morgan-1997 §6 type=test
    // Good runs and bursts alternate, and together have the given loss rate.
    fn runs_and_bursts_have_the_loss_rate() {
        for r in [0.001, 0.01, 0.05, 0.5] {
            for l in [1.0, 5.0] {
                let good = mean_good_run(r, l);
                assert!(good > 0.0 && (l / (good + l) - r).abs() < 1e-12);
            }
        }
    }

    #[test]
    //= keshav-morgan-1997 §3 type=test
    // "at least 2 W_RT, and preferably close to 4 W_RT": enough for one loss of a packet, and for three losses of the same packet.
    fn windows_for_a_packet_that_is_lost_again() {
        let windows = [0, 1, 3].map(|x| least_error_control_window(x, 100.0));
        assert_eq!(windows, [100.0, 200.0, 400.0]);
    }
}
