//! Records of transmissions on a path that is known: its rate, who limits the flow, what compressed acks and lost segments make of
//! them; and pacing.

use super::super::control::{
    AckSample, Controller, Delivery, Lost, Newest, Outstanding, Phase, Sending, Signal, Wants,
};
use super::super::repair::{AnyRepair, Reading, RepairParams};
use super::super::sender::Sender;
use super::super::{Ack, Block, Common, receiver::Receiver};
use crate::declare::{Declared, Fallback, Value};
use crate::measure::Rate;
use crate::roster::Roster;
use crate::time::{Duration, Instant};
use std::collections::VecDeque;
use std::vec::Vec;

/// Holds its window, sends at its rate, and notes what it hears.
#[derive(Clone, Debug, Default)]
struct Probe {
    window: f64,
    rate: Option<Rate>,
    samples: Vec<AckSample>,
    signals: Vec<Signal>,
    sendings: Vec<Sending>,
    lost: Vec<Lost>,
}

impl Controller for Probe {
    fn window(&self) -> f64 {
        self.window
    }
    fn wants(&self) -> Wants {
        let (records, pacing) = (true, self.rate.is_some());
        Wants {
            records,
            pacing,
            ..Wants::default()
        }
    }
    fn pacing(&self) -> Option<Rate> {
        self.rate
    }
    fn on_ack(&mut self, sample: &AckSample) {
        self.samples.push(*sample);
    }
    fn on_congestion(&mut self, signal: Signal, _: &Outstanding) {
        self.signals.push(signal);
    }
    fn on_lost(&mut self, lost: &Lost) {
        self.lost.push(*lost);
    }
    fn on_sent(&mut self, sending: &Sending) {
        self.sendings.push(*sending);
    }
}

type Probed = Sender<Probe, AnyRepair>;

/// A sender of packets of 1000 B, which repairs by `repair`.
fn sender(repair: &str, window: f64, rate: Option<u64>) -> Probed {
    sender_with(&[], repair, window, rate)
}

fn sender_with(more: &[(&str, &str)], repair: &str, window: f64, rate: Option<u64>) -> Probed {
    let repair = RepairParams::entry(repair).expect("on the roster");
    let own: Vec<_> = (repair.parameters.iter())
        .map(|it| match it.fallback {
            Fallback::Text(text) => it.kind.read(text).expect(text),
            _ => Value::Unset,
        })
        .collect();
    let texts = [("mss", "960 B"), ("max_window", "10000 segments")];
    let common = Common::from_texts(&[&texts, more].concat());
    let control = Probe {
        window,
        rate: rate.map(Rate),
        ..Probe::default()
    };
    let params = RepairParams::from_values(repair.name, &own).expect("its own values");
    let machine = AnyRepair::new(&params, &common);
    Sender::new(&common, repair.about.habits, control, machine)
}

fn ms(n: u64) -> Instant {
    Instant(Duration::millis(n).0)
}

const MBPS: f64 = 1e6;

/// A path of 50 ms there and back, whose bottleneck takes 1 ms for a packet (8 Mb/s) and loses the transmissions `lost`.
struct Path {
    lost: &'static [u64],
    /// Acks are held back and come together, so often \[ms\].
    acks_each: u64,
    /// The application hands over the first number of segments every 100 ms until the second \[ms\], and then all that are left.
    trickle: (u64, u64),
    /// How long it runs \[ms\].
    end: u64,
}

const PATH: Path = Path {
    lost: &[],
    acks_each: 1,
    trickle: (0, 0),
    end: 2000,
};

/// The first of `queue`, if its time has come.
fn due<T>(queue: &mut VecDeque<(Instant, T)>, now: Instant) -> Option<(Instant, T)> {
    queue
        .front()
        .is_some_and(|(at, _)| *at <= now)
        .then(|| queue.pop_front())?
}

/// Transmissions with their times \[ps\], and the samples that the controller got.
fn run(mut sender: Probed, path: &Path) -> (Vec<(u64, u64)>, Vec<AckSample>, Vec<Signal>) {
    let mut receiver = Receiver::new(&Common::default(), super::super::repair::Hears::Acks);
    let (mut arriving, mut acks) = (VecDeque::new(), VecDeque::<(Instant, Ack)>::new());
    let (mut now, mut free, mut sent) = (Instant::ZERO, Instant::ZERO, Vec::new());
    let (mut released, mut trickle) = (0, Instant::ZERO);
    while now <= ms(path.end) {
        if now >= trickle {
            let greedy = now >= ms(path.trickle.1);
            released = if greedy {
                u64::MAX
            } else {
                released + path.trickle.0
            };
            sender.release(released, false);
            trickle = if greedy {
                Instant::NEVER
            } else {
                now + Duration::millis(100)
            };
        }
        while let Some(it) = sender.poll_transmit(now) {
            sent.push((now.0, it.segment));
            if !path.lost.contains(&it.id) {
                free = free.max(now) + Duration::millis(1);
                arriving.push_back((free, it));
            }
        }
        let next = [
            arriving.front().map(|(at, _)| *at),
            acks.front().map(|(at, _)| *at),
            sender.poll_timeout(),
            Some(trickle),
        ];
        now = next.into_iter().flatten().min().expect("a time").max(now);
        while let Some((at, it)) = due(&mut arriving, now) {
            let ack = receiver.handle_segment(at, it.segment, it.id).ack;
            let back = (at + Duration::millis(50)).0;
            let back = back.next_multiple_of(Duration::millis(path.acks_each).0);
            acks.push_back((Instant(back), ack.expect("an ack of each")));
        }
        while let Some((_, ack)) = due(&mut acks, now) {
            sender.handle_ack(now, &ack);
        }
        sender.handle_timeout(now);
    }
    let Probe {
        samples, signals, ..
    } = sender.controller().clone();
    (sent, samples, signals)
}

/// The measurements after `from` ms.
fn measured(samples: &[AckSample], from: u64) -> Vec<(AckSample, Delivery, Newest)> {
    let late = samples.iter().filter(|it| it.now >= ms(from));
    late.filter_map(|it| Some((*it, it.delivery?, it.delivery?.newest?)))
        .collect()
}

fn rates(samples: &[AckSample], from: u64) -> Vec<f64> {
    let all = measured(samples, from);
    all.iter()
        .map(|(_, _, newest)| newest.delivery_rate.expect("a rate").0 as f64 / MBPS)
        .collect()
}

#[test]
//= delivery-rate-02 §3 type=test
fn the_rate_of_a_path_that_is_full() {
    // 51 packets fill it.
    let (_, samples, _) = run(sender("sack", 100.0, None), &PATH);
    // The first window went out at once, and measures over the time in which it should have.
    for rate in rates(&samples, 300) {
        assert!((7.999..=8.0).contains(&rate), "{rate}");
    }
    let all = measured(&samples, 300);
    for (sample, delivery, newest) in &all {
        // A hundred are outstanding when an ack arrives. The ack takes one, and the next transmission is the hundredth again.
        assert_eq!((sample.flight, sample.in_flight), (100, 99));
        assert_eq!((sample.acked, delivery.arrived, delivery.sacked), (1, 1, 0));
        assert_eq!(newest.in_flight_when_sent, 100);
        assert_eq!(newest.rtt, Some(Duration::millis(100)));
        assert_eq!(sample.min_rtt, Some(Duration::millis(51)));
        assert!(!newest.app_limited && !newest.sent_before_recovery);
    }
    // A round is a round trip: 100 ms.
    let (first, last) = (all.first().expect("one"), all.last().expect("one"));
    let seconds = (last.0.now - first.0.now).seconds();
    assert_eq!(last.1.round - first.1.round, (seconds * 10.0) as u64);
}

#[test]
//= delivery-rate-02 §3 type=test
fn a_window_below_the_paths_product_measures_the_window() {
    let (_, samples, _) = run(sender("sack", 25.0, None), &PATH);
    let mean = {
        let rates = rates(&samples, 200);
        rates.iter().sum::<f64>() / rates.len() as f64
    };
    // 25 packets per 51 ms.
    assert!((mean - 25.0 * 8.0 / 51.0).abs() < 0.05, "{mean}");
}

#[test]
//= delivery-rate-02 §3.4 type=test
fn what_the_application_limits_is_marked_so() {
    let trickle = (10, 1000);
    let (sent, samples, _) = run(sender("sack", 100.0, None), &Path { trickle, ..PATH });
    let late = measured(&samples, 150);
    let greedy = |newest: &Newest| sent[newest.id as usize].0 >= ms(1000).0;
    let (after, before): (Vec<_>, Vec<_>) = late.iter().partition(|it| greedy(&it.2));
    assert!(before.len() > 80 && after.len() > 500);
    for (_, _, newest) in before {
        // Ten packets per 100 ms are 0.8 Mb/s; ten together, measured over a round trip, are up to 1.6.
        assert!(newest.app_limited, "{newest:?}");
        assert!(
            newest.delivery_rate.expect("a rate").0 < 1_700_000,
            "{newest:?}"
        );
    }
    // Segments that were sent before the end of the pause was acknowledged are still marked; later ones are not.
    let marked = after.iter().filter(|it| it.2.app_limited).count();
    assert!(marked <= 100, "{marked}");
    for (_, _, newest) in after.iter().filter(|it| it.0.now >= ms(1400)) {
        assert!(!newest.app_limited && newest.delivery_rate.expect("a rate").0 > 7_990_000);
    }
}

#[test]
//= delivery-rate-02 §3 type=test
fn acks_that_come_together_tell_no_higher_rate() {
    for window in [30.0, 60.0, 100.0] {
        let path = Path {
            acks_each: 20,
            ..PATH
        };
        let (_, samples, _) = run(sender("sack", window, None), &path);
        let rates = rates(&samples, 200);
        let most = rates.iter().copied().fold(0.0, f64::max);
        assert!(most <= 8.0, "{window}: {most}");
        // Of twenty acks that arrive at once, the last one measures the whole rate.
        let whole = 8.0 * f64::min(window, 60.0) / 80.0;
        assert!(most >= whole, "{window}: {most}");
    }
}

#[test]
fn each_loss_is_counted_once_and_all_that_arrives_is() {
    for (repair, sacked) in [
        ("sack", true),
        ("nack", true),
        ("smart", true),
        ("newreno", false),
    ] {
        let path = Path {
            lost: &[200, 205, 303],
            ..PATH
        };
        let (sent, samples, signals) = run(sender(repair, 60.0, None), &path);
        let deliveries: Vec<_> = samples.iter().filter_map(|it| it.delivery).collect();
        let sum = |of: fn(&Delivery) -> u64| deliveries.iter().map(of).sum::<u64>();
        assert_eq!(sum(|it| it.lost), 3, "{repair}");
        let last = deliveries.last().expect("one");
        assert_eq!(sum(|it| it.arrived), last.delivered, "{repair}");
        assert_eq!(sum(|it| it.sacked) > 0, sacked, "{repair}");
        // Only the three lost segments were sent twice. What has not been delivered at the end is in flight.
        let segments: std::collections::BTreeSet<_> = sent.iter().map(|it| it.1).collect();
        assert_eq!(sent.len() - segments.len(), 3, "{repair}");
        let out = samples.last().expect("one").in_flight;
        assert_eq!(last.delivered + out, segments.len() as u64, "{repair}");
        // The losses of 200 and 205 are one congestion signal, and the loss of 303 is another.
        assert_eq!(signals, [Signal::Loss { echoed: false }; 2], "{repair}");
        let recovering = samples.iter().filter(|it| it.phase == Phase::Recovery);
        assert!(recovering.count() > 50, "{repair}");
        // The first transmission after a loss was found is its retransmission. Until it arrives, all arrivals were sent before.
        let early = |it: &&AckSample| {
            it.delivery
                .and_then(|it| it.newest)
                .is_some_and(|it| it.sent_before_recovery)
        };
        // Without selective acks the first news of a recovery is of the retransmission.
        assert_eq!(samples.iter().any(|it| early(&it)), sacked, "{repair}");
        assert!(!early(&samples.last().expect("one")), "{repair}");
    }
}

#[test]
fn the_transmission_that_arrived_is_the_one_that_measures() {
    let mut sender = sender("sack", 2.0, None);
    sender.release(2, true);
    let sent = |sender: &mut Probed, now| {
        core::iter::from_fn(|| sender.poll_transmit(ms(now)).map(|it| it.id)).collect::<Vec<_>>()
    };
    assert_eq!(sent(&mut sender, 0), [0, 1]);
    assert_eq!(sender.handle_timeout(ms(1000)), Reading::Timeout);
    assert_eq!(sent(&mut sender, 1000), [2, 3]);
    let mut hear = |now, next, cause, id| {
        let ack = Ack {
            next,
            cause,
            id,
            ..Ack::default()
        };
        sender.handle_ack(ms(now), &ack);
        let sample = sender.controller().samples.last().copied();
        sample.and_then(|it| it.delivery).expect("records")
    };
    // The first transmission of segment 0 was late, not lost.
    let first = hear(1010, 1, 0, 0);
    let newest = first.newest.expect("it is news");
    assert_eq!((newest.id, newest.rtt), (0, Some(Duration::millis(1010))));
    assert_eq!((first.lost, first.arrived), (2, 1));
    // An ack that names no transmission of segment 1 may be of either: it measures no round trip, and 10 ms are too short for a rate.
    let second = hear(1010, 2, 0, 2);
    let newest = second.newest.expect("it is news");
    assert_eq!(
        (newest.id, newest.rtt, newest.delivery_rate),
        (3, None, None)
    );
}

#[test]
fn a_controller_paces_first_transmissions_and_others() {
    let path = Path {
        lost: &[50],
        ..PATH
    };
    let (sent, ..) = run(sender("sack", 1000.0, Some(4_000_000)), &path);
    assert!(sent.len() > 990);
    for pair in sent.windows(2) {
        assert_eq!(pair[1].0 - pair[0].0, Duration::millis(2).0);
    }
    let again = sent.windows(2).filter(|it| it[1].1 < it[0].1).count();
    assert_eq!(again, 1);
}

#[test]
fn a_controller_is_told_what_is_in_flight_before_each_transmission() {
    let mut sender = sender("sack", 4.0, None);
    let mut hand_over = |now, segments| {
        sender.release(segments, false);
        while sender.poll_transmit(ms(now)).is_some() {}
        // Each segment is sent once, so its number is also that of its transmission.
        let ack = Ack {
            next: segments,
            cause: segments - 1,
            id: segments - 1,
            ..Ack::default()
        };
        sender.handle_ack(ms(now + 50), &ack);
        let sendings = &sender.controller().sendings;
        let all = sendings.iter().map(|it| (it.in_flight, it.app_limited));
        all.collect::<Vec<_>>()
    };
    // A new connection does not yet count as limited by its application. After the pause it does.
    assert_eq!(hand_over(0, 2), [(0, false), (1, false)]);
    assert_eq!(hand_over(500, 3)[2..], [(0, true)]);
}

#[test]
//= rfc3168 §6.1.2 type=test
// The signal says that a recovery begins. A controller without a window may need this.
fn a_loss_is_told_though_its_window_was_echoed() {
    let mut sender = sender_with(&[("ecn", "true")], "newreno", 8.0, None);
    sender.release(u64::MAX, true);
    while sender.poll_transmit(ms(0)).is_some() {}
    let ece = |next, ece| {
        let (cause, id) = (next, next);
        Ack {
            next,
            cause,
            id,
            ece,
            ..Ack::default()
        }
    };
    sender.handle_ack(ms(100), &ece(1, true));
    for _ in 0..3 {
        sender.handle_ack(ms(110), &ece(1, false));
    }
    let heard = &sender.controller().signals;
    assert_eq!(*heard, [Signal::Ecn, Signal::Loss { echoed: true }]);
}

#[test]
fn a_controller_is_told_of_each_transmission_that_is_lost() {
    let mut sender = sender("sack", 8.0, None);
    sender.release(8, true);
    while sender.poll_transmit(ms(0)).is_some() {}
    // 1 and 3 are missing.
    for cause in [0, 2, 4, 5, 6] {
        let sacked = [(2, 3), (4, cause + 1)].map(|(from, to)| Block { from, to });
        let mut blocks = [Block::default(); 3];
        if cause > 0 {
            blocks[..2].copy_from_slice(&sacked);
        }
        let (next, id) = (1, cause);
        sender.handle_ack(
            ms(100 + cause),
            &Ack {
                next,
                cause,
                id,
                blocks,
                ..Ack::default()
            },
        );
        while sender.poll_transmit(ms(100 + cause)).is_some() {}
    }
    let told = |sender: &Probed| {
        let lost = sender.controller().lost.iter();
        lost.map(|it| (it.id, it.in_flight_when_sent, it.lost_since_sent))
            .collect::<Vec<_>>()
    };
    // The second and the fourth of the burst; the retransmissions are the transmissions 8 and 9.
    let by_acks = [(1, 2, 1), (3, 4, 2)];
    assert_eq!(told(&sender), by_acks);
    // A timeout takes the rest for lost: 7, and what was sent again.
    let at = sender.poll_timeout().expect("a timer");
    assert_eq!(sender.handle_timeout(at), Reading::Timeout);
    let rest: Vec<_> = told(&sender)[2..].iter().map(|it| it.0).collect();
    assert_eq!(rest, [7, 8, 9]);
}

#[test]
fn at_a_rate_of_zero_nothing_goes() {
    let mut sender = sender("sack", 8.0, Some(0));
    sender.release(8, true);
    assert_eq!(sender.poll_transmit(ms(0)), None);
    assert_eq!(sender.poll_timeout(), Some(Instant::NEVER));
    assert_eq!(sender.poll_transmit(ms(100_000)), None);
}

#[test]
//= delivery-rate-02 §3.3 type=test
// The sender has forgotten what was reported when the timer runs out, and sends all six again. The late ack of 0 covers 1 and 2, which
// arrived long ago: neither do they arrive again by that, nor do their copies have a round trip of 10 ms.
fn what_is_sent_again_needlessly_arrives_once_its_ack_names_it() {
    let mut sender = sender("sack", 6.0, None);
    sender.release(100, true);
    let sent =
        |sender: &mut Probed, at| core::iter::from_fn(|| sender.poll_transmit(ms(at))).count();
    assert_eq!(sent(&mut sender, 0), 6);
    let dup = |cause, from| {
        let mut ack = Ack {
            cause,
            id: cause,
            ..Ack::default()
        };
        ack.blocks[0] = Block {
            from,
            to: cause + 1,
        };
        ack
    };
    sender.handle_ack(ms(50), &dup(1, 1));
    sender.handle_ack(ms(50), &dup(2, 1));
    sender.handle_timeout(ms(1000));
    assert_eq!(sent(&mut sender, 1000), 6);
    sender.handle_ack(
        ms(1010),
        &Ack {
            next: 3,
            ..Ack::default()
        },
    );
    let sample = *sender.controller().samples.last().expect("a sample");
    let delivery = sample.delivery.expect("records");
    let newest = delivery.newest.expect("0 has arrived");
    assert_eq!((delivery.arrived, delivery.delivered, newest.id), (1, 3, 0));
    assert_eq!(newest.rtt, Some(Duration::millis(1010)));
    assert_eq!(sample.min_rtt, Some(Duration::millis(50)));
    assert_eq!(sample.in_flight, 3);
    // A report of what had arrived says nothing of its copy, but the echo of the copy does.
    let again = |cause, id, from, to| {
        let mut ack = Ack {
            next: 3,
            cause,
            id,
            ..Ack::default()
        };
        ack.blocks[0] = Block { from, to };
        ack
    };
    sender.handle_ack(ms(1050), &again(4, 10, 4, 5));
    sender.handle_timeout(ms(5000));
    sent(&mut sender, 5000);
    let arrived = |sender: &Probed| {
        let sample = sender.controller().samples.last().expect("a sample");
        sample.delivery.expect("records").arrived
    };
    let four = sender.controller().sendings.last().expect("it sends").id;
    sender.handle_ack(ms(5020), &again(5, 11, 4, 6));
    assert_eq!(arrived(&sender), 1);
    let copy = (12..=four)
        .find(|id| *id - 12 == 1)
        .expect("3 and 4 were sent again");
    sender.handle_ack(ms(5040), &again(4, copy, 4, 6));
    assert_eq!(arrived(&sender), 1);
}
