//! BBRv1 on a path that is known: 10 Mb/s and 40 ms, which is a bandwidth-delay product of 34.3 packets.

use super::super::control::Controller;
use super::super::control::bbr1::{Bbr1, Bbr1Params, Mode};
use super::bottleneck::{Flow, Policer, common};
use crate::declare::Declared;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use std::vec::Vec;

const MBPS: u64 = 1_000_000;
const RATE: u64 = 10 * MBPS;
/// The round trip without a queue, with the time of a packet.
const ROUND_TRIP: Duration = Duration(41_200_000_000);

fn flow(buffer: usize) -> Flow<Bbr1> {
    let common = common(&[]);
    let control = Bbr1::new(&Bbr1Params::from_texts(&[]), &common);
    Flow::new(control, &common, RATE, Duration::millis(40), buffer)
}

fn probes(it: &Bbr1) -> bool {
    it.mode == Mode::ProbeBw
}

/// Time spent in each mode, one after the other.
fn modes(flow: &mut Flow<Bbr1>, time: Duration) -> Vec<(Mode, Instant)> {
    let mut modes = Vec::from([(flow.control().mode, flow.now)]);
    flow.run(time, |it| {
        if modes
            .last()
            .is_none_or(|(mode, _)| *mode != it.control().mode)
        {
            modes.push((it.control().mode, it.now));
        }
    });
    modes
}

#[test]
//= linux-bbr type=test
fn startup_doubles_the_rate_until_the_pipe_is_full_and_drain_empties_the_queue() {
    let mut flow = flow(133);
    // Before the first round trip is known, the initial window is paced over a millisecond, and then over that round trip.
    let paced = |flow: &Flow<Bbr1>| flow.control().pacing().expect("it paces").0;
    let ten = 120_000 * 739 * 99 / 25_600;
    assert_eq!(paced(&flow) / 1000, ten);
    flow.until(Duration::secs(1), |it| it.max_bw() > 0);
    let over_the_trip = paced(&flow) as f64 * ROUND_TRIP.seconds();
    assert!(
        (over_the_trip / ten as f64 - 1.0).abs() < 0.05,
        "{over_the_trip}"
    );
    // Each round doubles the rate: 10 packets in the first one, 34 fill the pipe, and three more without growth end it.
    flow.until(Duration::secs(1), |it| it.mode == Mode::Drain);
    let startup = flow.now;
    assert!(startup.seconds() < 0.6, "{}", startup.seconds());
    assert!(flow.backlog() > 30, "a queue of {}", flow.backlog());
    assert_eq!(flow.dropped, 0);
    flow.until(Duration::secs(1), probes);
    assert!((flow.now - startup).0 <= 3 * ROUND_TRIP.0);
    assert!(flow.backlog() < 15, "a queue of {}", flow.backlog());
    let off = flow.control().max_bw() as f64 / RATE as f64 - 1.0;
    assert!(off.abs() < 0.02, "max_bw is {off} off");
}

#[test]
//= linux-bbr type=test
fn probe_bw_cycles_through_eight_phases_of_a_round_trip() {
    let mut flow = flow(133);
    flow.until(Duration::secs(2), probes);
    // The pacing gains, in percent, each with the time for which it holds.
    let mut gains: Vec<(u64, Instant)> = Vec::new();
    flow.run(Duration::millis(3500), |it| {
        let gain = it.control().pacing().expect("it paces").0 * 10_000 / 99 / it.control().max_bw();
        if gains.last().is_none_or(|(last, _)| *last != gain) {
            gains.push((gain, it.now));
        }
    });
    let up: Vec<_> = (1..gains.len() - 2)
        .filter(|at| gains[*at].0.abs_diff(125) < 2)
        .collect();
    assert!(up.len() > 5, "{gains:?}");
    for at in up {
        assert!(gains[at + 1].0.abs_diff(75) < 2 && gains[at + 2].0.abs_diff(100) < 2);
        let [up, down, cruise] =
            [0, 1, 2].map(|n| (gains[at + n + 1].1 - gains[at + n].1).seconds());
        // One round trip with a queue that grows, at most one that drains it, and six more.
        assert!((0.041..0.070).contains(&up), "up {up}");
        assert!(down < 0.060, "down {down}");
        assert!((0.24..0.40).contains(&cruise), "cruise {cruise}");
    }
    assert!(flow.utilization(Duration::secs(4)) > 0.97);
}

#[test]
//= linux-bbr type=test
fn the_cycle_begins_in_a_random_phase_but_not_in_the_one_that_drains() {
    let first = |seed| {
        let mut flow = flow(133);
        flow.sender.draw_from(&|| Stream::new(seed, "control"));
        flow.until(Duration::secs(2), probes);
        flow.control().cycle
    };
    let mut phases: Vec<_> = (0..40).map(first).collect();
    phases.sort_unstable();
    phases.dedup();
    assert_eq!(phases, [0, 2, 3, 4, 5, 6, 7]);
}

#[test]
//= linux-bbr type=test
fn probe_rtt_keeps_four_packets_in_flight_for_200_ms_every_ten_seconds() {
    let mut flow = flow(133);
    let modes = modes(&mut flow, Duration::secs(45));
    let probes: Vec<_> = (0..modes.len() - 1)
        .filter(|at| modes[*at].0 == Mode::ProbeRtt)
        .collect();
    assert!((3..=4).contains(&probes.len()), "{modes:?}");
    for at in &probes {
        let took = (modes[at + 1].1 - modes[*at].1).seconds();
        assert!((0.2..0.35).contains(&took), "{took}");
        assert_eq!(modes[at + 1].0, Mode::ProbeBw);
    }
    for two in probes.windows(2) {
        let between = (modes[two[1]].1 - modes[two[0] + 1].1).seconds();
        assert!((10.0..10.5).contains(&between), "{between}");
    }
}

#[test]
//= linux-bbr type=test
fn an_application_that_limits_the_flow_lowers_no_estimate() {
    let mut flow = flow(133);
    flow.until(Duration::secs(2), probes);
    flow.run(Duration::millis(500), |_| {});
    let before = flow.control().max_bw();
    flow.hands_over(2 * MBPS);
    flow.run(Duration::secs(8), |_| {});
    // The last full samples are older than ten rounds, but none has replaced them.
    assert_eq!(flow.control().max_bw(), before);
    // After idle time it goes on at the estimated rate, and the idle time was a probe for the round trip.
    flow.hands_over(0);
    flow.sleep(Duration::secs(12));
    flow.is_greedy();
    let sent = flow.transmissions;
    while flow.transmissions == sent {
        flow.step();
    }
    let rate = flow.control().pacing().expect("it paces").0;
    assert_eq!(rate, before * 99 / 100);
    flow.run(Duration::millis(200), |it| assert!(probes(it.control())));
}

#[test]
//= linux-bbr type=test
fn a_loss_conserves_packets_for_a_round_and_restores_the_window() {
    let mut flow = flow(133);
    flow.until(Duration::secs(2), probes);
    flow.run(Duration::secs(1), |_| {});
    let before = flow.sender.cwnd();
    let lost = flow.transmissions + 3;
    flow.loses = std::boxed::Box::new(move |id| id == lost);
    let mut least = f64::INFINITY;
    flow.run(Duration::millis(300), |it| {
        least = least.min(it.sender.cwnd())
    });
    assert_eq!(flow.dropped, 1);
    // In flight were about 34 packets; the window was about twice that, and is so again.
    assert!((30.0..48.0).contains(&least), "{before}, then {least}");
    assert!(flow.sender.cwnd() >= before - 4.0);
    assert!(flow.utilization(Duration::secs(2)) > 0.96);
}

#[test]
//= linux-bbr type=test
fn a_timeout_leaves_a_segment_and_then_the_window_comes_back() {
    let mut flow = flow(133);
    flow.until(Duration::secs(2), probes);
    flow.run(Duration::secs(1), |_| {});
    let before = flow.sender.cwnd();
    let (from, to) = (flow.transmissions, flow.transmissions + 76);
    flow.loses = std::boxed::Box::new(move |id| (from..to).contains(&id));
    let mut least = f64::INFINITY;
    flow.run(Duration::secs(2), |it| least = least.min(it.sender.cwnd()));
    assert_eq!(least, 1.0);
    let after = flow.sender.cwnd();
    assert!(
        after >= before - 4.0,
        "{before}, then {after}: {:?}",
        flow.control()
    );
}

#[test]
//= linux-bbr §bbr_lt_bw_sampling type=test
fn behind_a_policer_it_settles_for_the_policers_rate() {
    let loss = |seconds| {
        let mut flow = flow(400);
        flow.rate = 100 * MBPS;
        flow.policer = Some(Policer::new(RATE, 50 * 12_000));
        flow.run(Duration::secs(seconds), |_| {});
        let (dropped, sent) = (flow.dropped, flow.transmissions);
        // Time at the policer's rate.
        let (mut last, mut at_its_rate) = (flow.now, 0.0);
        flow.run(Duration::secs(10), |it| {
            let rate = it.control().pacing().expect("it paces").0;
            let is = (90..105).contains(&(rate / (RATE / 100)));
            at_its_rate += if is { (it.now - last).seconds() } else { 0.0 };
            last = it.now;
        });
        let loss = (flow.dropped - dropped) as f64 / (flow.transmissions - sent) as f64;
        (loss, at_its_rate / 10.0)
    };
    let (loss, share) = loss(5);
    std::println!("policed: loss {loss}, share of time at its rate {share}");
    assert!(loss < 0.25 && share > 0.15, "{loss} {share}");
}
