//! The test cases of the appendix of BBR's draft in which a recovery is spurious: A.18 and A.19.

use super::super::control::bbr3::{Bbr3, Bbr3Params, State};
use super::bbr3::{DEEP, RATE, leave, reach};
use super::bottleneck::{Flow, common};
use crate::declare::Declared;
use crate::time::Duration;
use std::boxed::Box;

/// A flow whose repair finds spurious losses in this way, on a path of `rate`.
fn undoing(repair: (&str, &[(&str, &str)]), rate: u64, buffer: usize) -> Flow<Bbr3> {
    let common = common(&[("dsack", "true")]);
    let control = Bbr3::new(&Bbr3Params::from_texts(&[]), &common);
    Flow::with(
        repair,
        control,
        &common,
        (rate, Duration::millis(40), buffer),
    )
}

/// One of `n` packets that leave the bottleneck in the next `time` is under way for `longer` than the others.
fn hold_one_of(flow: &mut Flow<Bbr3>, n: u64, longer: Duration, time: Duration) {
    let (first, end) = (flow.transmissions, flow.now + time);
    flow.holds = Box::new(move |id, now| {
        let late = id >= first && id % n == 0 && now < end;
        if late { longer } else { Duration::ZERO }
    });
}

#[test]
//= ccwg-bbr-06 §A.18 type=test
//= ccwg-bbr-06 §5.5.11 type=test
//= rfc9438 §4.9.2 type=test
// One packet in ten is 8 ms later than others, for a round trip: this is taken for more loss than a probe may have.
fn case_18_a_spurious_fast_recovery_is_undone() {
    let dsack = [("dsack_undo", "true")];
    let late = [("late_ack_undo", "true")];
    for repair in [("rack-tlp", &dsack), ("quic", &late)] {
        let mut flow = undoing((repair.0, &repair.1[..]), RATE, DEEP);
        reach(&mut flow, State::Up);
        flow.run(Duration::millis(45), |_| {});
        let it = flow.control();
        assert_eq!((it.state, it.inflight_longterm), (State::Up, f64::INFINITY));
        hold_one_of(&mut flow, 10, Duration::millis(8), Duration::millis(45));
        flow.until(Duration::millis(100), |it| it.state == State::Down);
        let it = flow.control();
        assert!(it.inflight_longterm < f64::INFINITY && it.in_loss_recovery);
        // All packets have arrived, and the sender hears of it.
        flow.until(Duration::millis(200), |it| it.state == State::Refill);
        let it = flow.control();
        assert_eq!(flow.dropped, 0);
        assert_eq!(it.inflight_longterm, f64::INFINITY);
        assert_eq!(it.bw_shortterm, f64::INFINITY);
        assert_eq!(it.inflight_shortterm, f64::INFINITY);
        assert!(!it.is_loss_in_round && !it.full_bw_now && !it.in_loss_recovery);
        // "Ensure the connection seamlessly returns to its previous state".
        assert_eq!(leave(&mut flow, State::Refill), State::Up);
    }
}

#[test]
//= ccwg-bbr-06 §A.18 type=test
// In Startup, with an application of 20 Mb/s on 50 Mb/s as in case 2, the same ends it, and it begins again. All late packets were sent
// before the recovery began, so that there is no second one.
fn case_18_a_spurious_recovery_returns_to_startup() {
    let mut flow = undoing(("quic", &[("late_ack_undo", "true")]), 5 * RATE, 700);
    flow.hands_over(2 * RATE);
    flow.run(Duration::secs(1), |_| {});
    hold_one_of(&mut flow, 4, Duration::millis(20), Duration::millis(40));
    leave(&mut flow, State::Startup);
    let it = flow.control();
    assert!(it.full_bw_reached && it.inflight_longterm < f64::INFINITY);
    flow.until(Duration::millis(300), |it| it.state == State::Startup);
    let it = flow.control();
    assert!(!it.full_bw_reached && !it.full_bw_now && flow.dropped == 0);
    assert_eq!(it.inflight_longterm, f64::INFINITY);
    flow.run(Duration::secs(1), |it| {
        assert_eq!(it.control().state, State::Startup)
    });
}

#[test]
//= ccwg-bbr-06 §A.19 type=test
// The path stands still for 400 ms, in which a probe and a timeout come; then all packets arrive.
fn case_19_a_spurious_timeout_is_undone() {
    for way in ["eifel", "frto", "dsack_undo"] {
        let mut flow = undoing(("rack-tlp", &[(way, "true")]), RATE, DEEP);
        reach(&mut flow, State::Up);
        flow.run(Duration::millis(45), |_| {});
        let cwnd = flow.sender.cwnd();
        let (start, end) = (flow.now, flow.now + Duration::millis(400));
        flow.holds = Box::new(move |_, now| {
            if now < start {
                Duration::ZERO
            } else {
                end.since(now)
            }
        });
        flow.until(Duration::millis(450), |it| it.timeout.is_some());
        assert_eq!((flow.sender.cwnd(), flow.dropped), (1.0, 0));
        // With a window of one segment it is time to probe anyway (§5.3.3.8).
        let undone = |it: &Bbr3| it.inflight_longterm == f64::INFINITY;
        flow.until(Duration::millis(600), |it| {
            it.state == State::Refill && undone(it)
        });
        let it = flow.control();
        assert!(!it.is_loss_in_round && !it.in_loss_recovery);
        // The gain of REFILL is 2.0, and that of UP 2.25.
        let now = flow.sender.cwnd();
        assert!(now >= 0.86 * cwnd, "{way}: {now} after {cwnd}");
        assert_eq!(leave(&mut flow, State::Refill), State::Up);
    }
}
