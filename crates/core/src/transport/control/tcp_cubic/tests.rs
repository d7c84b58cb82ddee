use super::*;
use crate::declare::Declared;
use crate::transport::control::Phase;
use crate::transport::control::heard::{self, at, close, outstanding};

const LOSS: Signal = Signal::Loss { echoed: false };

/// In congestion avoidance from a window of `cwnd` segments on.
fn control(texts: &[(&str, &str)], cwnd: u64) -> TcpCubic {
    let segments = std::format!("{cwnd} segments");
    let common = Common::from_texts(&[
        ("initial_window", &segments),
        ("initial_ssthresh", &segments),
        ("counted", "segments"),
        ("tick", "1 ms"),
    ]);
    TcpCubic::new(&TcpCubicParams::from_texts(texts), &common)
}

/// An ack of `acked` segments on a path of `rtt` s, with a full window.
fn ack(control: &TcpCubic, now: f64, rtt: f64, acked: u64) -> AckSample {
    let trip = at(rtt) - Instant::ZERO;
    AckSample {
        acked,
        arrived: acked,
        flight: control.cwnd(),
        min_rtt: Some(trip),
        delivery: None,
        ..heard::with_rtt(at(now), 1, trip)
    }
}

/// A window of acks per round trip, the last before `to` s.
fn greedy(control: &mut TcpCubic, from: f64, to: f64, rtt: f64) {
    let mut now = from;
    while now < to {
        control.on_ack(&ack(control, now, rtt, 1));
        now += rtt / control.window();
    }
}

/// After a loss at `cwnd` segments.
fn cut(texts: &[(&str, &str)], cwnd: u64) -> TcpCubic {
    let mut control = control(texts, cwnd);
    control.on_congestion(LOSS, &outstanding(cwnd));
    control
}

#[test]
//= linux §tcp_cubic.c, bictcp_recalc_ssthresh type=test
fn a_loss_leaves_whole_segments() {
    // 0.7002 of 5, 20 and 100 segments; two at least.
    for (before, left) in [(5, 3.0), (20, 14.0), (100, 70.0), (2, 2.0)] {
        let control = cut(&[], before);
        assert_eq!((control.window(), control.ssthresh()), (left, left));
    }
    // Fast convergence: a loss at 80 before the window is at 100 again aims at 68 segments.
    let mut control = cut(&[], 100);
    control.set_windows(80.0, 70.0);
    control.on_congestion(LOSS, &outstanding(80));
    assert_eq!(control.last_max, 68);
    let mut other = cut(&[("fast_convergence", "false")], 100);
    other.set_windows(80.0, 70.0);
    other.on_congestion(LOSS, &outstanding(80));
    assert_eq!(other.last_max, 80);
}

#[test]
//= linux §tcp_cong.c, slow start type=test
fn slow_start_ends_at_the_threshold() {
    // The first acks after a loss are of congestion avoidance already.
    let mut control = cut(&[], 20);
    control.on_ack(&ack(&control, 0.0, 0.1, 2));
    assert_eq!(control.window(), 14.0);
    // An ack of slow start that goes beyond the threshold counts in congestion avoidance with the rest.
    control.set_windows(11.0, 14.0);
    control.on_ack(&ack(&control, 0.0, 0.1, 8));
    assert_eq!((control.window(), control.count), (14.0, 7));
}

#[test]
//= linux §tcp_input.c, tcp_cong_control, over type=test
fn the_ack_that_ends_a_recovery_counts() {
    let mut control = cut(&[], 20);
    for (phase, count) in [(Phase::Recovery, 0), (Phase::Over, 1), (Phase::Open, 2)] {
        control.on_ack(&AckSample {
            phase,
            ..ack(&control, 0.0, 0.1, 1)
        });
        assert_eq!(control.count, count);
    }
}

#[test]
//= linux §tcp_cubic.c type=test
fn on_a_short_path_the_window_is_renos_of_before_the_loss() {
    // From 14 segments on, by 8/15 of a segment per round trip: also beyond 20 segments, where RFC 9438 has 1.
    let mut control = cut(&[], 20);
    let rtt = 0.01;
    greedy(&mut control, 0.0, 60.0 * rtt, rtt);
    close(control.window(), 14.0 + 60.0 * 8.0 / 15.0 - 1.0, 1.5);
    // Without it, the cubic function alone: K = cbrt(6 / 0.4).
    let mut control = cut(&[("reno_friendly", "false")], 20);
    greedy(&mut control, 0.0, 60.0 * rtt, rtt);
    close(
        control.window(),
        20.0 - 0.4 * (2.466f64 - 0.61).powi(3),
        1.0,
    );
}

#[test]
//= linux §tcp_cubic.c, bictcp_update type=test
fn on_a_long_path_the_window_is_the_cubic_function_of_time() {
    let mut control = cut(&[], 100);
    let k = (30.0f64 / 0.400390625).cbrt();
    let mut now = 0.0;
    for t in [1.0, 2.0, k, 6.0, 2.0 * k, 10.0] {
        greedy(&mut control, now, t, 0.2);
        // Whole segments, and the window follows the curve within a round trip.
        close(control.window(), 0.4 * (t - k).powi(3) + 100.0, 2.0);
        now = t;
    }
    close(control.epoch.unwrap().k, k, 1e-9);
}

#[test]
//= linux §tcp_cubic.c, bictcp_update type=test
fn without_a_loss_it_grows_by_a_segment_for_twenty_at_least() {
    let mut control = control(&[("reno_friendly", "false")], 100);
    for n in 0..60 {
        control.on_ack(&ack(&control, 0.001 * f64::from(n), 0.1, 1));
    }
    assert_eq!(control.window(), 103.0);
}

#[test]
//= linux §tcp_cubic.c, bictcp_update type=test
fn the_growth_is_reckoned_anew_after_a_32nd_of_a_second() {
    let mut control = cut(&[], 1000);
    let mut after = |seconds: f64| {
        control.on_ack(&ack(&control, seconds, 0.1, 1));
        control.each
    };
    let first = after(0.0);
    assert_eq!(after(0.031), first);
    assert_ne!(after(0.032), first);
}

/// After an ack of 5 segments at 0 s that bears an echo, with 20 outstanding after it.
fn echoed() -> TcpCubic {
    let mut control = control(&[], 20);
    control.on_congestion(Signal::Ecn, &outstanding(20));
    let ece = AckSample {
        ece: true,
        ..ack(&control, 0.0, 0.01, 5)
    };
    control.on_ack(&ece);
    control
}

#[test]
//= linux §tcp_cong.c, CWR type=test
fn after_an_echo_nothing_grows_for_a_window_of_data() {
    let mut control = echoed();
    assert_eq!((control.window(), control.high), (14.0, 25));
    // The 20 segments, and much time.
    for n in 0..20 {
        control.on_ack(&ack(&control, 10.0 + f64::from(n), 0.01, 1));
    }
    assert_eq!((control.window(), control.epoch.is_none()), (14.0, true));
    control.on_ack(&ack(&control, 30.0, 0.01, 1));
    assert!(control.epoch.is_some());
    // A loss in the same window is the same congestion.
    control.on_congestion(Signal::Loss { echoed: true }, &outstanding(14));
    assert_eq!(control.window(), 14.0);
}

#[test]
//= linux §tcp_input.c, tcp_enter_loss type=test
fn a_timeout_in_a_window_that_was_reduced_closes_it_and_does_not_reduce_it_again() {
    let mut control = echoed();
    control.on_congestion(Signal::Timeout { again: false }, &outstanding(20));
    assert_eq!((control.window(), control.ssthresh()), (1.0, 14.0));
    // Slow start begins with the next ack.
    control.on_ack(&ack(&control, 1.0, 0.01, 1));
    assert_eq!(control.window(), 2.0);
    // All that was outstanding at a loss is acknowledged: the next timeout is other congestion.
    let mut control = cut(&[], 20);
    for n in 0..20 {
        control.on_ack(&ack(&control, 0.1 + f64::from(n), 0.01, 1));
    }
    let before = control.cwnd();
    control.on_congestion(Signal::Timeout { again: false }, &outstanding(9));
    assert_eq!(control.ssthresh(), (before * 717 / 1024) as f64);
}

#[test]
//= linux §tcp_cubic.c, HyStart type=test
fn hystart_ends_slow_start_before_the_window_grows() {
    let common = Common::from_texts(&[
        ("initial_window", "20 segments"),
        ("slow_start", "hystart"),
        ("counted", "segments"),
        ("tick", "1 ms"),
    ]);
    let mut control = TcpCubic::new(&TcpCubicParams::from_texts(&[]), &common);
    assert!(control.wants().records);
    let trip = Duration::millis(40);
    let mut acks = 0;
    while control.ssthresh().is_infinite() {
        let now = Instant::ZERO + Duration::millis(acks);
        control.on_ack(&AckSample {
            flight: control.cwnd(),
            ..heard::with_rtt(now, 1, trip)
        });
        acks += 1;
    }
    // The acks of the first 20 segments are a round. The next begins at 20 ms, and its train is too long at 41 ms: with the 42nd ack. The
    // 41 before it have added a segment each.
    assert_eq!((acks, control.ssthresh()), (42, 61.0));
    assert_eq!(control.window(), 61.0);
}

#[test]
//= linux §tcp_cubic.c, bictcp_state type=test
fn a_timeout_forgets_the_last_maximum() {
    let mut control = control(&[], 20);
    control.on_congestion(Signal::Timeout { again: false }, &outstanding(20));
    assert_eq!((control.window(), control.ssthresh()), (1.0, 14.0));
    assert_eq!(control.last_max, 0);
    // The threshold is set once.
    control.on_congestion(Signal::Timeout { again: true }, &outstanding(1));
    assert_eq!((control.window(), control.ssthresh()), (1.0, 14.0));
}

#[test]
//= linux §tcp_cong.c, tcp_reno_undo_cwnd type=test
fn spurious_congestion_is_undone() {
    let mut control = control(&[], 20);
    control.save();
    control.on_congestion(LOSS, &outstanding(20));
    control.undo();
    assert_eq!((control.window(), control.ssthresh()), (20.0, 20.0));
    assert_eq!(control.last_max, 20);
}

#[test]
//= linux §tcp_cubic.c, cubictcp_cwnd_event type=test
fn idle_time_does_not_move_the_curve() {
    let mut control = cut(&[], 100);
    let sending = |now: f64, in_flight: u64| Sending {
        now: at(now),
        id: 0,
        in_flight,
        app_limited: false,
    };
    control.on_ack(&ack(&control, 1.0, 0.1, 1));
    control.on_sent(&sending(1.0, 70));
    control.on_sent(&sending(1.5, 70));
    assert_eq!(control.epoch.unwrap().start, 1000);
    control.on_sent(&sending(4.5, 0));
    assert_eq!(control.epoch.unwrap().start, 4000);
}

#[test]
fn only_a_full_window_grows() {
    let mut control = cut(&[], 20);
    for n in 0..100 {
        let flight = control.cwnd() - 1;
        let sample = ack(&control, f64::from(n), 0.1, 1);
        control.on_ack(&AckSample { flight, ..sample });
    }
    assert_eq!(control.window(), 14.0);
}
