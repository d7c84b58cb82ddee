//! The analysis of several losses in a window, against the simulator.

use dupack_lab::plan::Plan;
use dupack_papers::losses::{Range, check};
use std::sync::atomic::AtomicBool;

#[test]
//= cohen-hamo-2001 §2.2 type=test
fn the_analysis_of_multiple_losses_holds_but_for_two_cases() {
    let plan = include_str!("../../../python/dupack/papers/cohen-hamo-2001/section-2-2.toml");
    let plan = Plan::parse(plan.as_bytes(), "section-2-2.toml", &[]).unwrap();
    let range = Range {
        losses: 4,
        every: 24,
        sampled: 32,
        samples: 50,
    };
    let cases = check(&plan.points[0].network, &range, 2, &AtomicBool::new(false)).unwrap();
    assert!(cases.len() > 68_380);
    let odd: Vec<_> = cases
        .iter()
        .filter(|c| c.inevitable != c.timed_out)
        .map(|c| (c.window, &c.lost[..]))
        .collect();
    // In a window of 8 or 9, the first and the last segment are lost: n2 - n1 = W - 1 > W - N. So the end of the first recovery sends a
    // new segment, which brings the third duplicate. The text rules this out for N > 2 only.
    assert_eq!(odd, [(8, &[0, 7][..]), (9, &[0, 8][..])]);
}
