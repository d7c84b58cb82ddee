//! Packet-pair: what it learns from a pair, how fast it then sends.

use super::params;
use crate::declare::Declared;
use crate::time::{Duration, Instant};
use crate::transport::control::{AckSample, Controller, Phase, Sending, packet_pair};
use crate::transport::repair::Reading;
use crate::transport::{Ack, AnySender, Common};
use std::string::String;
use std::vec::Vec;

fn us(n: u64) -> Instant {
    Instant(Duration::millis(n).0 / 1000)
}

/// A path of `propagation` there and back whose bottleneck serves the flow a segment per `service`, both in us: of what is sent up to `end`,
/// when, which segment, and how long the bottleneck is then busy.
fn over(
    mut sender: AnySender,
    propagation: u64,
    service: impl Fn(u64) -> u64,
    end: u64,
) -> Vec<(u64, u64, u64)> {
    let mut sent = Vec::new();
    let mut acks: std::collections::VecDeque<(u64, Ack)> = [].into();
    let (mut now, mut free, mut received) = (0, 0, 0);
    loop {
        while let Some(it) = sender.poll_transmit(us(now)) {
            free = free.max(now) + service(now);
            sent.push((now, it.segment, free - now));
            received = received.max(it.segment + 1);
            let ack = Ack {
                next: received,
                cause: it.segment,
                id: it.id,
                ..Ack::default()
            };
            acks.push_back((free + propagation, ack));
        }
        let timer = sender
            .poll_timeout()
            .map_or(u64::MAX, |at| at.0.div_ceil(1_000_000));
        let ack = acks.front().map_or(u64::MAX, |(at, _)| *at);
        now = timer.min(ack).max(now);
        if now > end {
            return sent;
        }
        if ack == now
            && let Some((_, ack)) = acks.pop_front()
        {
            sender.handle_ack(us(now), &ack);
        } else {
            // Nothing is lost, and nothing times out.
            assert_eq!(sender.handle_timeout(us(now)), Reading::Stale);
        }
    }
}

fn sender(texts: &[(&str, &str)]) -> AnySender {
    let fine = [
        ("tick", "1 us"),
        ("max_window", "1000 segments"),
        ("min_rto", "500 ms"),
    ];
    params("packet-pair", &[&fine, texts].concat()).sender()
}

#[test]
//= keshav-morgan-1997 §5 type=test
// "sending all data in the form of back-to-back pairs"
fn all_data_goes_in_pairs_and_a_whole_path_is_filled() {
    let mut greedy = sender(&[]);
    greedy.release(u64::MAX, true);
    let sent = over(greedy, 50_000, |_| 1_000, 3_000_000);
    for pair in sent.chunks_exact(2) {
        assert_eq!(pair[0].0, pair[1].0, "{pair:?}");
    }
    // The first pair is sent alone, until its acks arrive.
    assert_eq!((sent[1].0, sent[2].0), (0, 52_000));
    // In the last second, the sender sends at the service rate, at equal intervals.
    let last: Vec<_> = sent.iter().filter(|(at, ..)| *at >= 2_000_000).collect();
    assert!((995..=1005).contains(&last.len()), "{}", last.len());
}

#[test]
fn so_many_as_the_set_point_wait() {
    for (set_point, waiting) in [("1 packets", 1), ("2 packets", 2), ("8 packets", 8)] {
        let mut greedy = sender(&[("set_point", set_point)]);
        greedy.release(u64::MAX, true);
        let sent = over(greedy, 50_000, |_| 1_000, 5_000_000);
        // When a pair goes out one more is in service, and half a pair is not yet served.
        let last = &sent[sent.len() - 200..];
        let mean = last.iter().map(|(_, _, busy)| busy / 1_000).sum::<u64>() as i64 / 200;
        assert!((mean - 1 - waiting).abs() <= 1, "{set_point}: {mean}");
    }
}

#[test]
fn the_rate_follows_the_service() {
    let mut greedy = sender(&[]);
    greedy.release(u64::MAX, true);
    // One segment is served per ms during the first second, then one per 4 ms.
    let slower = |now| if now < 1_000_000 { 1_000 } else { 4_000 };
    let sent = over(greedy, 50_000, slower, 3_000_000);
    let last = sent.iter().filter(|(at, ..)| *at >= 2_000_000).count();
    assert!((245..=255).contains(&last), "{last}");
}

#[test]
fn a_segment_waits_for_its_partner_unless_it_is_the_last() {
    let mut few = sender(&[]);
    few.release(1, false);
    assert_eq!(few.poll_transmit(us(0)), None);
    few.release(2, false);
    let pair: Vec<u64> =
        core::iter::from_fn(|| few.poll_transmit(us(1)).map(|it| it.segment)).collect();
    assert_eq!(pair, [0, 1]);
    let mut one = sender(&[]);
    one.release(1, true);
    assert!(one.poll_transmit(us(0)).is_some());
}

fn sending(now: Instant, id: u64) -> Sending {
    let app_limited = id == 0;
    Sending {
        now,
        id,
        in_flight: id,
        app_limited,
    }
}

/// The controller alone, which has sent a pair at 0.
fn one_pair(texts: &[(&str, &str)]) -> packet_pair::PacketPair {
    let own = packet_pair::PacketPairParams::from_texts(texts);
    let mut control = packet_pair::PacketPair::new(&own, &Common::default());
    assert!(control.begins_pair(us(0)));
    control.on_sent(&sending(us(0), 0));
    assert_eq!(control.next_at(us(0)), us(0));
    assert!(!control.begins_pair(us(0)));
    control.on_sent(&sending(us(0), 1));
    control
}

/// At `now` us the ack of transmission `id`, with `in_flight` still out, on a path of 50 ms.
fn ack(now: u64, id: u64, in_flight: u64) -> AckSample {
    let trip = Some(Duration::millis(50));
    AckSample {
        now: us(now),
        phase: Phase::Open,
        id: Some(id),
        acked: 1,
        arrived: 1,
        ece: false,
        ce: 0,
        flight: in_flight + 1,
        paced: false,
        in_flight,
        srtt: trip,
        min_rtt: trip,
        delivery: None,
    }
}

#[test]
//= keshav-1991 type=test
fn the_law() {
    let mut control = one_pair(&[]);
    assert_eq!(control.next_at(us(0)), Instant::NEVER); // nothing is known
    control.on_ack(&ack(50_000, 0, 1));
    control.on_ack(&ack(51_000, 1, 0));
    // mu = 1000/s, X = 0 - 1000 * 0.05, lambda = 1000 + (2 + 50) / 0.05 = 2040: a pair per 2 / 2040 s.
    assert_eq!(control.next_at(us(51_000)).0 / 1_000_000, 980);
    // 52 in the network are 50 in propagation and the 2 of the set-point: lambda = mu.
    control.on_ack(&ack(52_000, 2, 52));
    assert_eq!(control.next_at(us(52_000)), us(2_000));
    // 102 are 50 too many, and lambda is zero: wait.
    control.on_ack(&ack(52_000, 2, 102));
    assert_eq!(control.next_at(us(52_000)), Instant::NEVER);
}

#[test]
fn a_law_that_acts_at_acks_does_not_count_what_is_sent_after_them() {
    let gap = |law: &str| {
        let mut control = one_pair(&[("law", law)]);
        control.on_ack(&ack(50_000, 0, 1));
        control.on_ack(&ack(51_000, 1, 0));
        control.on_sent(&sending(us(60_000), 2));
        control.on_sent(&sending(us(60_000), 3));
        (control.next_at(us(61_000)) - us(60_000)).0 / 1_000_000
    };
    // mu = 1000/s and R = R0 = 0.05: lambda = 1000 + (52 - N) / 0.05, with N = 2 or still 0.
    assert_eq!(["continuous", "acks"].map(gap), [1_000, 980]);
}

#[test]
fn a_pair_that_is_not_whole_says_nothing() {
    for lost in [0, 1] {
        let mut control = one_pair(&[("gain", "1")]);
        control.on_ack(&ack(50_000, 1 - lost, 2));
        assert_eq!(control.next_at(us(50_000)), Instant::NEVER, "lost {lost}");
        // Nothing of the pair is in the network any more: try again.
        control.on_ack(&ack(50_000, 1 - lost, 0));
        assert_eq!(control.next_at(us(50_000)), Instant::ZERO, "lost {lost}");
    }
}

#[test]
fn measurements_are_filtered() {
    let rate = |texts: &[(&str, &str)]| -> String {
        let mut control = one_pair(texts);
        control.on_ack(&ack(50_000, 0, 1));
        control.on_ack(&ack(51_000, 1, 0));
        control.on_sent(&sending(us(60_000), 2));
        control.on_sent(&sending(us(60_000), 3));
        control.on_ack(&ack(110_000, 2, 1));
        control.on_ack(&ack(112_000, 3, 0)); // 500/s
        // With X = -mu R0 and R = R0 the law gives 2 mu + 40.
        let gap = control.next_at(us(112_000)) - us(60_000);
        std::format!("{:.0}", (2.0 / gap.seconds() - 40.0) / 2.0)
    };
    let by_gain = ["1", "0.5", "0.25"].map(|gain| rate(&[("gain", gain)]));
    assert_eq!(by_gain, ["500", "667", "800"]);
    // Half of 1000/s and half of 500/s, instead of half of 1 ms and half of 2 ms.
    assert_eq!(rate(&[("gain", "0.5"), ("filtered", "rate")]), "750");
}
