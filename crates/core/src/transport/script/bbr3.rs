//! The test cases of the appendix of BBR's draft, one test each with the case's number, in the draft's order.
//!
//! A.18 and A.19 are in [`bbr3_spurious`](super::bbr3_spurious).
//! A.2, A.6 and A.15 are so in part: see there.
//!
//! The path is one of 10 Mb/s and 40 ms, a bandwidth-delay product of 34.3 packets, with a buffer of four of them.

use super::super::control::bbr3::{Bbr3, Bbr3Params, State};
use super::super::control::{Controller, Outstanding, Signal};
use super::bottleneck::{BITS, Flow, Policer, common};
use crate::declare::Declared;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use std::boxed::Box;
use std::println;
use std::vec::Vec;

const MBPS: f64 = 1e6;
pub const RATE: u64 = 10_000_000;
pub const DEEP: usize = 137;

fn flow_on(rate: u64, delay: Duration, buffer: usize) -> Flow<Bbr3> {
    let common = common(&[]);
    let control = Bbr3::new(&Bbr3Params::from_texts(&[]), &common);
    Flow::new(control, &common, rate, delay, buffer)
}

fn flow() -> Flow<Bbr3> {
    flow_on(RATE, Duration::millis(40), DEEP)
}

/// Until it is in `state`, at most 10 s.
pub fn reach(flow: &mut Flow<Bbr3>, state: State) {
    flow.until(Duration::secs(10), |it| it.state == state);
}

/// Until it has left `state`, at most 10 s; the state after that.
pub fn leave(flow: &mut Flow<Bbr3>, state: State) -> State {
    flow.until(Duration::secs(10), |it| it.state != state);
    flow.control().state
}

/// One of `n` transmissions is lost from now on.
fn lose_one_of(flow: &mut Flow<Bbr3>, n: u64) {
    flow.loses = Box::new(move |id| id % n == 0);
}

fn lose_nothing(flow: &mut Flow<Bbr3>) {
    flow.loses = Box::new(|_| false);
}

/// `found` is `want`, but for this share of it.
fn near(found: f64, want: f64, off: f64) {
    assert!(
        (found / want - 1.0).abs() <= off,
        "{found}, not {want} within {off}"
    );
}

#[test]
//= ccwg-bbr-06 §A.1 type=test
//= ccwg-bbr-06 §5.3.1.2 type=test
fn case_1_startup_ends_when_the_rate_no_longer_grows() {
    let mut flow = flow();
    // The first round that measures the link's rate, and those after it.
    let mut full = None;
    while flow.control().state == State::Startup {
        flow.step();
        let it = flow.control();
        if it.max_bw() > 0.98 * RATE as f64 && full.is_none() {
            full = Some(it.round_count);
        }
    }
    let it = flow.control();
    near(it.max_bw(), RATE as f64, 0.02);
    assert_eq!(it.state, State::Drain);
    assert!(it.full_bw_now && it.full_bw_reached && it.full_bw_count == 3);
    let rounds = it.round_count - full.expect("it was full");
    assert!(rounds <= 4, "{rounds} rounds after the pipe was full");
    assert_eq!(flow.dropped, 0);
}

#[test]
//= ccwg-bbr-06 §A.2 type=test
//= ccwg-bbr-06 §5.3.1.3 type=test
// With an application of 20 Mb/s on 50 Mb/s, 66 packets a round trip. One of eight lost: eight ranges, and 12 %.
fn case_2_startup_ends_by_loss_when_the_application_limits() {
    let mut flow = flow_on(5 * RATE, Duration::millis(40), 700);
    flow.hands_over(2 * RATE);
    flow.run(Duration::secs(1), |it| {
        assert_eq!(it.control().state, State::Startup)
    });
    // 1 % is not too much, nor are five ranges.
    lose_one_of(&mut flow, 100);
    flow.run(Duration::secs(1), |it| {
        assert_eq!(it.control().state, State::Startup)
    });
    lose_one_of(&mut flow, 8);
    assert_eq!(leave(&mut flow, State::Startup), State::Drain);
    let it = flow.control();
    assert!(it.full_bw_now && it.full_bw_reached);
    // "max(BBR.bdp, BBR.inflight_latest)": of the application's rate at least.
    let least = it.inflight_of(2.0 * RATE as f64) - 1.0;
    assert!(
        (least..700.0).contains(&it.inflight_longterm),
        "{}",
        it.inflight_longterm
    );
}

#[test]
//= ccwg-bbr-06 §A.3 type=test
//= ccwg-bbr-06 §5.3.2 type=test
fn case_3_drain_ends_when_the_queue_is_empty() {
    let mut flow = flow();
    reach(&mut flow, State::Drain);
    assert_eq!(flow.control().state.gains().0, 0.5);
    let it = flow.control();
    near(it.pacing_rate, 0.5 * 0.99 * it.bw, 1e-9);
    let start = it.drain_start_round;
    let next = leave(&mut flow, State::Drain);
    // With headroom, the same ack ends DOWN.
    assert!([State::Down, State::Cruise].contains(&next));
    let it = flow.control();
    assert!(
        it.round_count <= start + 3,
        "{} rounds",
        it.round_count - start
    );
    assert!(flow.in_flight() <= it.inflight_of(it.bw));
}

#[test]
//= ccwg-bbr-06 §A.4 type=test
// The draft takes 10 % of the bandwidth away, which half of it drains all the same; here nine tenths go.
fn case_4_drain_ends_after_three_rounds() {
    let mut flow = flow();
    reach(&mut flow, State::Drain);
    flow.rate = RATE / 10;
    let start = flow.control().drain_start_round;
    flow.until(Duration::secs(10), |it| it.state != State::Drain);
    let it = flow.control();
    assert_eq!((it.state, it.round_count), (State::Down, start + 4));
    assert!(flow.in_flight() > it.inflight_of(it.bw));
}

#[test]
//= ccwg-bbr-06 §A.5 type=test
//= ccwg-bbr-06 §5.3.3.7 type=test
fn case_5_probe_up_ends_when_the_rate_no_longer_grows() {
    let mut flow = flow();
    reach(&mut flow, State::Up);
    let start = flow.control().round_count;
    assert_eq!(leave(&mut flow, State::Up), State::Down);
    let it = flow.control();
    assert!(it.full_bw_now && it.full_bw_count == 3);
    assert_eq!(it.round_count - start, 3);
    assert_eq!((flow.dropped, it.inflight_longterm), (0, f64::INFINITY));
}

#[test]
//= ccwg-bbr-06 §A.6 type=test
//= ccwg-bbr-06 §5.5.10.2 type=test
// The case says that inflight_longterm is "updated appropriately, regardless of the application-limited state"; HandleInflightTooHigh()
// leaves it as it is if RS.is_app_limited, and that is what is done.
fn case_6_probe_up_ends_by_loss_when_the_application_limits() {
    let mut flow = flow();
    reach(&mut flow, State::Up);
    flow.hands_over(RATE / 2);
    flow.run(Duration::millis(500), |it| {
        assert_eq!(it.control().state, State::Up)
    });
    lose_one_of(&mut flow, 10);
    // The queue is empty, so the same ack ends DOWN.
    assert_eq!(leave(&mut flow, State::Up), State::Cruise);
    let it = flow.control();
    // The first one is found a round trip later, of some 20 packets.
    assert!(!it.full_bw_now && flow.dropped <= 4, "{}", flow.dropped);
    assert_eq!(it.inflight_longterm, f64::INFINITY);
}

#[test]
//= ccwg-bbr-06 §A.7 type=test
fn case_7_a_limiting_application_without_loss_ends_neither_probe_up_nor_startup() {
    let mut flow = flow();
    flow.hands_over(RATE / 2);
    flow.run(Duration::secs(4), |it| {
        assert_eq!(it.control().state, State::Startup)
    });
    let mut flow = self::flow();
    reach(&mut flow, State::Up);
    flow.hands_over(RATE / 2);
    // Until ProbeRTT is due.
    let mut states = Vec::from([State::Up]);
    flow.run(Duration::secs(20), |it| {
        let state = it.control().state;
        if states.last() != Some(&state) {
            states.push(state);
        }
    });
    assert_eq!(states[1], State::ProbeRtt, "{states:?}");
}

#[test]
//= ccwg-bbr-06 §A.8 type=test
fn case_8_probe_down_ends_when_there_is_headroom() {
    // Of the shallow buffer, inflight_longterm is a limit; of the deep one there is none.
    for buffer in [20, DEEP] {
        let mut flow = flow_on(RATE, Duration::millis(40), buffer);
        reach(&mut flow, State::Up);
        leave(&mut flow, State::Up);
        let it = flow.control();
        assert_eq!((it.state, it.state.gains().0), (State::Down, 0.9));
        assert_eq!(it.inflight_longterm < f64::INFINITY, buffer == 20);
        flow.until(Duration::secs(10), |it| it.state != State::Down);
        let it = flow.control();
        if it.state != State::Refill {
            assert_eq!(it.state, State::Cruise);
            assert!(flow.in_flight() <= it.inflight_with_headroom());
            assert!(flow.in_flight() <= it.inflight_of(it.max_bw()));
        }
    }
}

#[test]
//= ccwg-bbr-06 §A.9 type=test
//= ccwg-bbr-06 §5.3.3.8 type=test
fn case_9_probe_down_ends_after_its_longest_time() {
    let mut flow = flow();
    reach(&mut flow, State::Up);
    leave(&mut flow, State::Up);
    flow.rate = RATE * 9 / 10;
    let (start, wait) = (flow.now, flow.control().bw_probe_wait);
    assert!((2.0..=3.0).contains(&wait.seconds()));
    let next = leave(&mut flow, State::Down);
    let took = flow.now - start;
    println!(
        "{next:?} after {} s, wait {} s",
        took.seconds(),
        wait.seconds()
    );
    assert_eq!(next, State::Refill);
    // Or after as many rounds as a window has packets, whichever comes first.
    assert!(took <= wait + Duration::millis(200));
}

#[test]
//= ccwg-bbr-06 §A.10 type=test
//= ccwg-bbr-06 §5.3.4.3 type=test
//= ccwg-bbr-06 §5.3.4.4 type=test
fn case_10_probe_rtt_every_five_seconds_for_200_ms() {
    let mut flow = flow();
    let mut ended: Option<Instant> = None;
    for _ in 0..3 {
        flow.until(Duration::secs(6), |it| it.state == State::ProbeRtt);
        let start = flow.now;
        if let Some(ended) = ended {
            let after = (start - ended).seconds();
            assert!((5.0..5.1).contains(&after), "{after}");
        }
        assert_eq!(flow.control().state.gains(), (1.0, 0.5));
        let rounds = flow.control().round_count;
        flow.run(Duration::millis(150), |it| {
            assert_eq!(it.control().state, State::ProbeRtt);
            assert!(it.sender.cwnd() <= it.control().probe_rtt_cwnd());
        });
        // Half of the product, and the round trip is that of the path.
        near(flow.in_flight(), 17.0, 0.07);
        assert_eq!(leave(&mut flow, State::ProbeRtt), State::Cruise);
        let took = (flow.now - start).seconds();
        assert!((0.2..0.31).contains(&took), "{took}");
        assert!(flow.control().round_count > rounds);
        near(
            flow.control().min_rtt.expect("measured").seconds(),
            0.0412,
            0.03,
        );
        ended = Some(flow.now);
        near(flow.utilization(Duration::secs(1)), 1.0, 0.05);
    }
}

#[test]
//= ccwg-bbr-06 §A.11 type=test
//= ccwg-bbr-06 §5.4.1 type=test
fn case_11_idle_time_saves_a_probe_rtt() {
    let mut flow = flow();
    reach(&mut flow, State::Cruise);
    flow.hands_over(0);
    flow.sleep(Duration::secs(6));
    let before = flow.control().max_bw();
    flow.is_greedy();
    flow.until(Duration::secs(1), |it| it.idle_restart);
    // It paces at exactly the estimated rate.
    near(flow.control().pacing_rate, 0.99 * before, 1e-9);
    flow.run(Duration::secs(1), |it| {
        assert_ne!(it.control().state, State::ProbeRtt)
    });
    assert!(!flow.control().idle_restart);
}

#[test]
//= ccwg-bbr-06 §A.12 type=test
//= ccwg-bbr-06 §5.5.9 type=test
fn case_12_startup_finds_the_bandwidth_behind_aggregated_acks() {
    let mut flow = flow();
    flow.aggregation = Duration::millis(20);
    let (mut most, mut extra) = (0f64, 0f64);
    while flow.control().state == State::Startup {
        flow.step();
        let it = flow.control();
        most = most.max(it.cwnd / it.inflight_of(it.bw));
        extra = extra.max(it.extra_acked());
    }
    let it = flow.control();
    // Of one round in Startup: 20 ms are 16.7 packets.
    assert!((10.0..20.0).contains(&extra), "{extra}");
    assert!(most > 2.0, "{most}");
    // A sample spans one or two round trips, and in Startup the sending rate is no bound: it may be half a step of acks too large.
    assert!(
        (0.98..1.4).contains(&(it.max_bw() / RATE as f64)),
        "{}",
        it.max_bw()
    );
}

#[test]
//= ccwg-bbr-06 §A.13 type=test
//= ccwg-bbr-06 §5.5.9 type=test
fn case_13_cruise_bridges_the_silence_between_aggregated_acks() {
    let mut flow = flow();
    reach(&mut flow, State::Cruise);
    flow.aggregation = Duration::millis(20);
    flow.run(Duration::millis(500), |_| {});
    let it = flow.control();
    // 20 ms are 16.7 packets.
    assert!(
        (12.0..30.0).contains(&it.extra_acked()),
        "{}",
        it.extra_acked()
    );
    assert!(it.cwnd > 2.0 * it.inflight_of(it.bw), "{}", it.cwnd);
    let used = flow.utilization(Duration::secs(2));
    assert!(used > 0.97, "{used}");
}

#[test]
//= ccwg-bbr-06 §A.14 type=test
//= ccwg-bbr-06 §5.6.4.2 type=test
// A packet takes 187.5 ms, the round trip 10 ms: a twentieth of a packet.
fn case_14_a_product_below_a_packet() {
    let mut flow = flow_on(64_000, Duration::millis(10), 20);
    flow.until(Duration::secs(60), |it| it.state == State::Cruise);
    let probe = |it: &Flow<Bbr3>| {
        assert!(it.sender.cwnd() >= 4.0);
        let least = 0.9 * 0.99 * 0.97 * 64e3;
        assert!(
            it.control().pacing_rate >= least,
            "{}",
            it.control().pacing_rate
        );
    };
    flow.run(Duration::secs(20), probe);
    near(flow.control().max_bw(), 64e3, 0.03);
    assert!(flow.utilization(Duration::secs(60)) > 0.95);
}

#[test]
//= ccwg-bbr-06 §A.15 type=test
// inflight_longterm is not set here, so its steps cannot be seen; `probes_grow_exponentially` sees them.
fn case_15_ten_times_the_bandwidth_is_found() {
    let mut flow = flow();
    reach(&mut flow, State::Cruise);
    flow.run(Duration::millis(100), |_| {});
    flow.rate = 10 * RATE;
    flow.buffer = 10 * DEEP;
    let (start, rounds) = (flow.now, flow.control().round_count);
    flow.until(Duration::secs(10), |it| {
        it.max_bw() > 0.95 * 10.0 * RATE as f64
    });
    let took = (flow.now - start).seconds();
    println!("{took} s, {} rounds", flow.control().round_count - rounds);
    // At most 3 s until the probe, and 1.25 a round trip: eleven rounds.
    assert!(took < 3.0 + 16.0 * 0.045, "{took}");
}

#[test]
//= ccwg-bbr-06 §5.3.3.5 type=test
//= ccwg-bbr-06 §A.15 type=test
fn probes_grow_exponentially_beyond_the_long_term_volume() {
    // A shallow buffer sets the long-term volume, and then there is ten times the path.
    let mut flow = flow_on(RATE, Duration::millis(40), 10);
    flow.until(Duration::secs(20), |it| {
        it.inflight_longterm < f64::INFINITY
    });
    reach(&mut flow, State::Cruise);
    flow.rate = 10 * RATE;
    flow.buffer = 10 * DEEP;
    let start = flow.now;
    let before = flow.control().inflight_longterm;
    flow.until(Duration::secs(30), |it| {
        it.max_bw() > 0.9 * 10.0 * RATE as f64
    });
    let it = flow.control();
    println!(
        "{} s, longterm {before} -> {}",
        (flow.now - start).seconds(),
        it.inflight_longterm
    );
    assert!(it.inflight_longterm > 6.0 * before);
    assert!((flow.now - start).seconds() < 12.0);
}

#[test]
//= ccwg-bbr-06 §A.16 type=test
//= ccwg-bbr-06 §5.5.10.3 type=test
//= ccwg-bbr-06 §5.5.6 type=test
fn case_16_a_tenth_of_the_bandwidth_is_found() {
    let mut flow = flow_on(10 * RATE, Duration::millis(40), 4 * DEEP);
    reach(&mut flow, State::Cruise);
    flow.run(Duration::millis(100), |_| {});
    flow.rate = RATE;
    flow.buffer = DEEP;
    let (start, cycle) = (flow.now, flow.control().cycle_count);
    flow.until(Duration::secs(10), |it| it.max_bw() < 1.05 * RATE as f64);
    let it = flow.control();
    println!(
        "max_bw after {} s, {} cycles",
        (flow.now - start).seconds(),
        it.cycle_count - cycle
    );
    assert!(it.cycle_count <= cycle + 3);
    near(flow.utilization(Duration::secs(5)), 1.0, 0.08);
}

#[test]
//= ccwg-bbr-06 §A.16 type=test
//= ccwg-bbr-06 §5.5.10.3 type=test
// The losses of the case above are found by timeouts. After one, the window of a segment is a reason to probe (§5.3.3.8), and a probe
// forgets the short term. Half of the bandwidth is lost without a timeout.
fn half_of_the_bandwidth_lowers_the_short_term_rate() {
    let mut flow = flow_on(2 * RATE, Duration::millis(40), DEEP);
    reach(&mut flow, State::Cruise);
    flow.rate = RATE;
    flow.buffer = 10;
    let start = flow.now;
    flow.until(Duration::secs(1), |it| it.bw_shortterm < 0.75 * it.max_bw());
    println!("short term after {} s", (flow.now - start).seconds());
    assert!(flow.control().inflight_shortterm < 100.0);
}

#[test]
//= ccwg-bbr-06 §A.17 type=test
// A retransmission that the policer drops is found by a timeout, and then the next probe comes at once (§5.3.3.8): this is where most of
// the loss comes from.
fn case_17_behind_a_policer_losses_become_few() {
    let mut flow = flow_on(10 * RATE, Duration::millis(40), 4 * DEEP);
    flow.policer = Some(Policer::new(RATE, 50 * BITS));
    flow.until(Duration::secs(10), |it| it.bw_shortterm < f64::INFINITY);
    assert!(flow.control().inflight_shortterm < f64::INFINITY);
    flow.run(Duration::secs(10), |_| {});
    let (dropped, sent, passed) = (flow.dropped, flow.transmissions, flow.sent);
    flow.run(Duration::secs(20), |_| {});
    let loss = (flow.dropped - dropped) as f64 / (flow.transmissions - sent) as f64;
    let rate = ((flow.sent - passed) * BITS) as f64 / 20.0;
    println!("policed: loss {loss}, {} Mb/s", rate / MBPS);
    assert!(loss < 0.15 && rate > 0.85 * RATE as f64, "{loss} {rate}");
}

#[test]
//= ccwg-bbr-06 §A.20 type=test
fn case_20_probe_rtt_in_startup_returns_to_startup() {
    let mut flow = flow();
    flow.hands_over(RATE / 5);
    flow.until(Duration::secs(6), |it| it.state == State::ProbeRtt);
    assert!(!flow.control().full_bw_reached);
    assert_eq!(leave(&mut flow, State::ProbeRtt), State::Startup);
    // And the bandwidth is still to be found.
    flow.is_greedy();
    reach(&mut flow, State::Drain);
    near(flow.control().max_bw(), RATE as f64, 0.02);
}

#[test]
//= ccwg-bbr-06 §A.21 type=test
//= ccwg-bbr-06 §5.3.3.6 type=test
fn case_21_loss_ends_probe_up_and_lowers_the_long_term_volume() {
    let mut flow = flow_on(RATE, Duration::millis(40), 20);
    flow.until(Duration::secs(20), |it| {
        it.inflight_longterm < f64::INFINITY
    });
    flow.buffer = DEEP;
    reach(&mut flow, State::Cruise);
    reach(&mut flow, State::Up);
    let before = flow.control().inflight_longterm;
    lose_one_of(&mut flow, 10);
    let next = leave(&mut flow, State::Up);
    let it = flow.control();
    println!("{before} -> {} in {next:?}", it.inflight_longterm);
    assert_eq!(next, State::Down);
    assert!(!it.full_bw_now && it.inflight_longterm < before);
    // At least Beta times the product.
    assert!(it.inflight_longterm >= 0.7 * 30.0);
    lose_nothing(&mut flow);
}

#[test]
//= ccwg-bbr-06 §A.22 type=test
//= ccwg-bbr-06 §5.5.4 type=test
fn case_22_a_limiting_application_in_refill_lowers_no_estimate() {
    let mut flow = flow();
    reach(&mut flow, State::Refill);
    let before = flow.control().max_bw();
    flow.hands_over(RATE / 10);
    assert_eq!(leave(&mut flow, State::Refill), State::Up);
    assert_eq!(flow.control().max_bw(), before);
    flow.run(Duration::secs(1), |it| {
        assert_eq!(it.control().max_bw(), before)
    });
    flow.is_greedy();
    leave(&mut flow, State::Up);
    near(flow.control().max_bw(), RATE as f64, 0.02);
}

#[test]
//= ccwg-bbr-06 §5.3.3.8 type=test
fn the_wait_for_the_next_probe_is_drawn() {
    let wait = |seed| {
        let mut flow = flow();
        flow.sender.draw_from(&|| Stream::new(seed, "control"));
        reach(&mut flow, State::Cruise);
        flow.control().bw_probe_wait.seconds()
    };
    let waits: Vec<_> = (0..20).map(wait).collect();
    assert!(waits.iter().all(|it| (2.0..=3.0).contains(it)));
    let mean = waits.iter().sum::<f64>() / 20.0;
    // A standard error is 0.065 s.
    assert!((mean - 2.5).abs() < 0.26, "{mean}");
}

#[test]
//= ccwg-bbr-06 §5.6.2 type=test
fn the_initial_pacing_rate_is_that_of_the_first_round_trip() {
    let mut flow = flow();
    near(flow.control().pacing_rate, 2.77 * 120_000.0 / 1e-3, 1e-9);
    flow.until(Duration::secs(1), |it| it.max_bw() > 0.0);
    near(flow.control().pacing_rate, 2.77 * 120_000.0 / 0.0412, 0.05);
}

#[test]
//= ccwg-bbr-06 §3.7 type=test
fn a_mark_is_congestion() {
    let marked = |flow: &Flow<Bbr3>| {
        let mut control = flow.control().clone();
        let outstanding = Outstanding {
            now: flow.now,
            receiver: 1000,
            flight: 40,
            resent: false,
        };
        control.on_congestion(Signal::Ecn, &outstanding);
        control
    };
    // In a probe it is too much.
    let mut flow = flow();
    reach(&mut flow, State::Up);
    let it = marked(&flow);
    assert_eq!(it.state, State::Down);
    assert!(it.inflight_longterm < 40.0, "{}", it.inflight_longterm);
    // Else the end of the round reduces the short-term bounds, as for a loss.
    leave(&mut flow, State::Up);
    reach(&mut flow, State::Cruise);
    let it = marked(&flow);
    assert_eq!(
        (it.state, it.inflight_longterm),
        (State::Cruise, f64::INFINITY)
    );
    assert!(it.is_loss_in_round);
}

#[test]
//= ccwg-bbr-06 §5.5.10.2 type=test
fn random_loss_of_one_percent_costs_little() {
    let mut flow = flow();
    flow.loses = Box::new(|id| (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 100 == 0);
    flow.run(Duration::secs(5), |_| {});
    let used = flow.utilization(Duration::secs(30));
    println!("1 % of loss: {used}");
    assert!(used > 0.85, "{used}");
}
