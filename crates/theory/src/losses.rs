//! Whether Reno recovers from losses within one window by fast retransmit alone.
//!
//! Of a window of W segments, 0 to W - 1, the N segments n1 < n2 < ... are lost. Each can be retransmitted without a timeout only
//! if three duplicate acks arrive while it is the first one missing. For the first these come from the rest of the window; for each
//! further one from the new segments that the recovery before it sent, and only from them.
//!
//! Assumptions:
//! - Reno as in RFC 2001: any ack of new data ends a fast recovery, and a loss may start another in the same window.
//! - W is the congestion window, all of it is used, and it does not grow while the window is sent and acknowledged.
//! - The receiver acknowledges every segment at once, and its own window is never the limit.
//! - There is always more to send; order is kept; no ack, no retransmission and none of the new segments is lost.
//! - Halves, quarters and eighths of W are not rounded, as printed. The implementation rounds down at each loss, to no less than 2.
//!
//! Not covered: the new segments sent at the *end* of a recovery, n2 - n1 - (W - N) of them. The text shows that there are none for
//! N > 2. For N = 2 there is one if the first and the last segment of the window are lost, and it causes a duplicate as well: then
//! W = 8 is enough, where eq. (2) requires 10.
//!
//! §2.1 and §4 of the text say that fast retransmit needs a window of 5. By eq. (1) it is 4: one loss leaves three duplicates.
//= cohen-hamo-2001 §2.2

/// The conditions, each for the fast retransmission of one lost segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equation {
    /// That of n1: [`equation_1`].
    One = 1,
    /// That of n2: [`equation_2`].
    Two,
    /// That of n3: [`equation_3`].
    Three,
    /// That of n4: [`equation_4`].
    Four,
}

/// Result of the analysis for some losses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Each lost segment is fast retransmitted.
    Recovers,
    /// A timeout is inevitable, because this condition is the first that does not hold.
    TimesOut(Equation),
}

/// Enough duplicates for n1: those of the window that are not lost.
// W - N >= 3                                                           (1)
//= cohen-hamo-2001 §2.2
pub fn equation_1(w: f64, n: f64) -> bool {
    w - n >= 3.0
}

/// Enough duplicates for n2: the new segments of the first recovery.
// W/2 - N >= 3                                                         (2)
//= cohen-hamo-2001 §2.2
pub fn equation_2(w: f64, n: f64) -> bool {
    new_in_first_recovery(w, n) >= 3.0
}

/// Enough duplicates for n3: the new segments of the second recovery.
// n2 - n1 >= 3W/4 + 3                                                  (3)
//= cohen-hamo-2001 §2.2
pub fn equation_3(w: f64, n1: f64, n2: f64) -> bool {
    new_in_second_recovery(w, n1, n2) >= 3.0
}

/// Enough duplicates for n4: the new segments of the third recovery. Never holds together with (3).
// n3 - n1 >= 11W/8 - N + 3                                             (4)
//= cohen-hamo-2001 §2.2
pub fn equation_4(w: f64, n: f64, n1: f64, n3: f64) -> bool {
    new_in_third_recovery(w, n, n1, n3) >= 3.0
}

/// New segments that the recovery of n1 sends.
// W/2 - N
//= cohen-hamo-2001 §2.2
pub fn new_in_first_recovery(w: f64, n: f64) -> f64 {
    w / 2.0 - n
}

/// New segments that the recovery of n2 sends.
// n2 - n1 - 3W/4
//= cohen-hamo-2001 §2.2
pub fn new_in_second_recovery(w: f64, n1: f64, n2: f64) -> f64 {
    n2 - n1 - 3.0 * w / 4.0
}

/// New segments that the recovery of n3 sends: the "similar analysis" that the text leaves to the reader.
// n3 - n1 - 11W/8 + N
//= cohen-hamo-2001 §2.2
pub fn new_in_third_recovery(w: f64, n: f64, n1: f64, n3: f64) -> f64 {
    n3 - n1 - 11.0 * w / 8.0 + n
}

/// Segments that the text would have between two losses, to be safe \[segments\].
// 3W/4 + 3
//= cohen-hamo-2001 §2.2
pub fn safe_spacing(w: f64) -> f64 {
    3.0 * w / 4.0 + 3.0
}

/// Result of the analysis for `losses` from a window of `window` segments.
///
/// # Panics
/// If the losses are not increasing, or lie outside the window.
pub fn verdict(window: u64, losses: &[u64]) -> Verdict {
    assert!(
        losses.is_sorted_by(|a, b| a < b) && losses.last().is_none_or(|last| *last < window),
        "losses {losses:?} of a window of {window}"
    );
    let (w, n) = (window as f64, losses.len() as f64);
    let at = |k: usize| losses[k - 1] as f64;
    let holds = |equation| match equation {
        Equation::One => equation_1(w, n),
        Equation::Two => equation_2(w, n),
        Equation::Three => equation_3(w, at(1), at(2)),
        Equation::Four => equation_4(w, n, at(1), at(3)),
    };
    [
        Equation::One,
        Equation::Two,
        Equation::Three,
        Equation::Four,
    ]
    .into_iter()
    .take(losses.len())
    .find(|equation| !holds(*equation))
    .map_or(Verdict::Recovers, Verdict::TimesOut)
}

/// Whether a timeout is inevitable for `losses` from a window of `window` segments.
///
/// # Panics
/// As [`verdict`].
pub fn timeout_inevitable(window: u64, losses: &[u64]) -> bool {
    verdict(window, losses) != Verdict::Recovers
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Recovers, TimesOut};

    /// Every set of `n` losses from a window of `w`.
    fn sets(w: u64, n: usize) -> Vec<Vec<u64>> {
        let Some(fewer) = n.checked_sub(1) else {
            return vec![vec![]];
        };
        let mut all = Vec::new();
        for set in sets(w, fewer) {
            for last in set.last().map_or(0, |last| last + 1)..w {
                all.push(set.iter().copied().chain([last]).collect());
            }
        }
        all
    }

    /// The least window for which some set of `n` losses needs no timeout, and the least for which none does.
    fn least(n: usize) -> (Option<u64>, Option<u64>) {
        let windows = || (n as u64).max(1)..60;
        let recovers = |w, set: &Vec<u64>| !timeout_inevitable(w, set);
        (
            windows().find(|w| sets(*w, n).iter().any(|set| recovers(*w, set))),
            windows().find(|w| sets(*w, n).iter().all(|set| recovers(*w, set))),
        )
    }

    #[test]
    //= cohen-hamo-2001 §2.2 type=test
    // "if only two segments are lost within a window, the window must be greater than or equal to 10", wherever they are.
    fn the_least_windows() {
        assert_eq!(least(1), (Some(4), Some(4)));
        assert_eq!(least(2), (Some(10), Some(10)));
        // n2 - n1 <= W - 2, because n3 is in the same window: W - 2 >= 3W/4 + 3.
        assert_eq!(least(3), (Some(20), None));
        assert_eq!(verdict(9, &[0, 3]), TimesOut(Equation::Two));
        assert_eq!(verdict(10, &[0, 3]), Recovers);
        assert_eq!(verdict(3, &[1]), TimesOut(Equation::One));
        assert_eq!(verdict(3, &[]), Recovers);
    }

    #[test]
    //= cohen-hamo-2001 §2.2, Fig. 4 type=test
    // Three losses from a window of 24.
    fn three_losses_in_a_window_of_24() {
        assert_eq!(new_in_first_recovery(24.0, 3.0), 9.0);
        assert_eq!(new_in_second_recovery(24.0, 0.0, 21.0), 3.0);
        assert_eq!(safe_spacing(24.0), 21.0);
        let recovering: Vec<_> = sets(24, 3)
            .into_iter()
            .filter(|set| !timeout_inevitable(24, set))
            .collect();
        assert_eq!(
            recovering,
            [[0, 21, 22], [0, 21, 23], [0, 22, 23], [1, 22, 23]]
        );
        assert_eq!(verdict(24, &[0, 20, 23]), TimesOut(Equation::Three));
    }

    #[test]
    //= cohen-hamo-2001 §2.2 type=test
    // "if TCP loses four segments from the same window, a timeout is inevitable, regardless of the position of the lost segments
    // within the window, or the size of the window."
    fn four_losses_are_too_many() {
        for w in 4..40 {
            assert!(
                sets(w, 4).iter().all(|set| timeout_inevitable(w, set)),
                "{w}"
            );
        }
        // For any window: n3 <= W - 2, so n3 - n1 <= W - 2, but (4) needs 11W/8 - 4 + 3, which is more.
        for w in (40..2000).chain([100_000, 1 << 40]) {
            let tail = [0, w - 3, w - 2, w - 1];
            assert_eq!(verdict(w, &tail), TimesOut(Equation::Four), "{w}");
        }
    }

    #[test]
    //= cohen-hamo-2001 §2.2 type=test
    // With more than four losses (4) becomes weaker, but then (3) leaves no room for the losses.
    fn nor_do_more() {
        for w in 5..21 {
            for n in 5..=(w as usize).min(8) {
                assert!(
                    sets(w, n).iter().all(|set| timeout_inevitable(w, set)),
                    "{w} {n}"
                );
            }
        }
        for w in 20..2000u64 {
            let after = (3 * w).div_ceil(4) + 3;
            let losses: Vec<u64> = [0].into_iter().chain(after..w).collect();
            assert!(losses.len() < 4 || timeout_inevitable(w, &losses), "{w}");
        }
    }

    #[test]
    //= cohen-hamo-2001 §2.2 type=test
    // "So far, the position of the lost segments within the window does not play any role".
    fn positions_matter_from_the_third_loss_on() {
        for w in 4..40 {
            for n in [1, 2] {
                let sets = sets(w, n);
                assert!(
                    sets.iter()
                        .all(|set| verdict(w, set) == verdict(w, &sets[0]))
                );
            }
        }
    }

    #[test]
    #[should_panic(expected = "losses [3, 3] of a window of 9")]
    fn losses_rise() {
        verdict(9, &[3, 3]);
    }
}
