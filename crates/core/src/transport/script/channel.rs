//! Sender and receiver over a channel that loses, truncates, delays, duplicates and reorders segments and acks: laws that always
//! hold.

use super::tried::{HABITS, as_ns2, pairs, values};
use super::{pair, params};
use crate::time::{Duration, Instant};
use crate::transport::control::Needs;
use crate::transport::receiver::Receiver;
use crate::transport::repair::{Hears, Reading};
use crate::transport::sender::Transmit;
use crate::transport::{Ack, AnySender, Block, Pair};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// What the channel does to a transmission.
#[derive(Clone, Copy, Debug)]
enum Passage {
    Lost,
    /// Arrives after this many intervals of 5 ms.
    Late(u64),
    /// Arrives twice, each time after this many intervals of 5 ms.
    Twice(u64, u64),
    /// The header of a segment arrives, marked by a switch; an ack is lost.
    Trimmed(u64),
    /// Three copies of a segment's header arrive, whose checksum fails; an ack is lost.
    Truncated(u64),
}

/// Fates in the order of transmission; what comes after them arrives in order.
type Fates = Vec<Passage>;

fn fates() -> impl Strategy<Value = Fates> {
    let fate = |loss: u32, spread: u64| {
        prop_oneof![
            loss => Just(Passage::Lost),
            20 => Just(Passage::Late(2)),
            5 => (1..=spread).prop_map(Passage::Late),
            1 => (1..=spread, 1..=spread).prop_map(|(once, again)| Passage::Twice(once, again)),
            loss.div_ceil(2) => (1..=spread).prop_map(Passage::Trimmed),
            loss.div_ceil(2) => (1..=spread).prop_map(Passage::Truncated),
        ]
    };
    (0..12u32, 1..120u64).prop_flat_map(move |(loss, spread)| {
        prop::collection::vec(fate(loss.max(1), spread), 0..200)
    })
}

/// A pair, what a plan calls it, and values of its own parameters.
type Choice = (String, Vec<(&'static str, String)>);

/// A pair and its options: each of its own parameters at its default or at another value.
fn choices(pairs: Vec<Pair>) -> impl Strategy<Value = Choice> {
    let own = |pair: Pair| {
        let own = pair.control.parameters.iter().chain(pair.repair.parameters);
        let given = own.map(|parameter| {
            let values: Vec<_> = values(parameter).into_iter().map(String::from).collect();
            let some = (!values.is_empty())
                .then(|| prop::option::of(prop::sample::select(values)).boxed());
            some.unwrap_or_else(|| Just(None).boxed())
                .prop_map(|value| value.map(|value| (parameter.name, value)))
        });
        let habits = HABITS.iter().map(|them| {
            let texts = them.iter().map(|(name, text)| (*name, text.to_string()));
            texts.collect::<Vec<_>>()
        });
        let habits = prop::sample::select(habits.chain([as_ns2(&pair)]).collect::<Vec<_>>());
        (given.collect::<Vec<_>>(), habits).prop_map(move |(given, habits)| {
            // If a name occurs twice, its first value is taken.
            let mut texts: Vec<_> = habits
                .into_iter()
                .chain(given.into_iter().flatten())
                .collect();
            if pair.repair.about.habits.knows_what_arrived {
                texts.retain(|(name, _)| *name != "out_of_order");
            }
            (pair.name().into_owned(), texts)
        })
    };
    prop::sample::select(pairs).prop_flat_map(own)
}

/// A transport and its options.
pub(super) fn options() -> impl Strategy<Value = (String, Vec<(&'static str, String)>)> {
    options_of(|_| true)
}

/// One of those of which `is_it` is true.
pub(super) fn options_of(is_it: impl Fn(&Pair) -> bool) -> impl Strategy<Value = Choice> {
    let transport = choices(pairs().into_iter().filter(is_it).collect());
    let windows = (
        1..24u64,
        prop::option::of(1..24u64),
        1..10u64,
        prop::option::of(1..24u64),
    );
    let flags = any::<(bool, bool, bool, bool, bool, bool)>();
    let tick = prop::sample::select(&["1 ms", "10 ms", "100 ms"][..]);
    (transport, windows, flags, tick).prop_map(|((transport, mut texts), windows, flags, tick)| {
        let (receiver, cwnd, initial, ssthresh) = windows;
        let (careful, flight, limited, delayed, answers, ecn) = flags;
        let segments = |n| format!("{n} segments");
        // The values of the pair come first: if a name occurs twice, its first value is taken.
        texts.extend([
            ("max_window", segments(receiver)),
            ("initial_window", segments(initial)),
            ("careful", format!("{careful}")),
            ("halve", if flight { "flight" } else { "window" }.into()),
            ("limited_transmit", format!("{limited}")),
            ("delayed_ack", format!("{delayed}")),
            (
                "bad_checksum",
                if answers { "dup-ack" } else { "drop" }.into(),
            ),
            ("ecn", format!("{ecn}")),
            ("tick", tick.into()),
        ]);
        texts.extend(cwnd.map(|n| ("max_cwnd", segments(n))));
        texts.extend(ssthresh.map(|n| ("initial_ssthresh", segments(n))));
        if pair(&transport).control.about.needs == Needs::EveryAck {
            texts.retain(|(name, _)| *name != "delayed_ack");
        }
        (transport, texts)
    })
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A segment, and its transmission.
    Segment(u64, u64),
    /// The header of a segment that was trimmed, and its transmission.
    Trimmed(u64, u64),
    /// A segment whose checksum fails.
    Damaged,
    Ack(Ack),
    /// The application hands over more, in all.
    Release(u64, bool),
    /// A timer may be due.
    Wake,
}

/// Counts at the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    sent_again: u64,
    /// Arrivals of what had arrived before.
    needless: u64,
    /// Losses found by acks.
    losses: u64,
    timeouts: u64,
    /// Of the timeouts, those at which pacing held a transmission back.
    held: u64,
}

/// A run of one flow.
struct Run {
    sender: AnySender,
    receiver: Receiver,
    receiver_window: u64,
    agenda: BTreeMap<(Instant, u64), Event>,
    events: u64,
    released: u64,
    /// One beyond the highest segment sent.
    max: u64,
    delivered: u64,
    /// Segments that have arrived.
    arrived: BTreeSet<u64>,
    tally: Tally,
    data: std::vec::IntoIter<Passage>,
    acks: std::vec::IntoIter<Passage>,
}

impl Run {
    fn at(&mut self, time: Instant, event: Event) {
        self.events += 1;
        // A sender without back-off, with a clock finer than the ack delay, may send a segment a hundred times, but it must end.
        assert!(self.events < 2_000_000, "it never ends");
        self.agenda.insert((time, self.events), event);
    }

    fn carry(&mut self, now: Instant, fate: Option<Passage>, event: Event) {
        let after = |n| now + Duration::millis(5 * n);
        match (fate.unwrap_or(Passage::Late(2)), event) {
            (Passage::Late(n), event) => self.at(after(n), event),
            (Passage::Twice(once, again), event) => {
                self.at(after(once), event);
                self.at(after(again), event);
            }
            (Passage::Trimmed(n), Event::Segment(segment, id)) => {
                self.at(after(n), Event::Trimmed(segment, id));
            }
            (Passage::Truncated(n), Event::Segment(..)) => {
                (0..3).for_each(|_| self.at(after(n), Event::Damaged));
            }
            (Passage::Lost | Passage::Trimmed(_) | Passage::Truncated(_), _) => {}
        }
    }

    fn answer(&mut self, now: Instant, ack: Option<Ack>) {
        if let Some(ack) = ack {
            let fate = self.acks.next();
            self.carry(now, fate, Event::Ack(ack));
        }
    }

    fn step(&mut self, now: Instant, event: Event) {
        match event {
            Event::Segment(segment, id) => {
                self.tally.needless += u64::from(!self.arrived.insert(segment));
                let arrival = self.receiver.handle_segment(now, segment, id);
                let Block { from, to } = arrival.delivered;
                assert_eq!(from, self.delivered, "delivered in order, each once");
                self.delivered = to;
                self.answer(now, arrival.ack);
                if let Some(due) = self.receiver.poll_timeout() {
                    self.at(due, Event::Wake);
                }
            }
            Event::Trimmed(segment, id) => {
                let ack = self.receiver.handle_trimmed(now, segment, id);
                self.answer(now, ack);
            }
            Event::Damaged => {
                let ack = self.receiver.handle_damaged(now);
                self.answer(now, ack);
            }
            Event::Ack(ack) => {
                let before = self.sender.acknowledged();
                let heard = self.sender.handle_ack(now, &ack);
                self.tally.losses += u64::from(matches!(heard.reading, Reading::Loss { .. }));
                assert_eq!(self.sender.acknowledged(), before.max(ack.next));
            }
            Event::Release(segments, complete) => {
                self.released = segments;
                self.sender.release(segments, complete);
            }
            Event::Wake => {
                let ack = self.receiver.handle_timeout(now);
                self.answer(now, ack);
                let held = self.sender.is_held();
                let reading = self.sender.handle_timeout(now);
                self.tally.timeouts += u64::from(reading == Reading::Timeout);
                self.tally.held += u64::from(held && reading == Reading::Timeout);
            }
        }
        self.send(now);
    }

    fn send(&mut self, now: Instant) {
        while let Some(Transmit {
            segment, again, id, ..
        }) = self.sender.poll_transmit(now)
        {
            assert!(segment < self.released, "nothing that was not handed over");
            assert!(
                segment >= self.sender.acknowledged(),
                "nothing that has been acknowledged"
            );
            if again {
                assert!(segment < self.max);
                self.tally.sent_again += 1;
            } else {
                assert_eq!(segment, self.max, "new segments in sequence");
                self.max += 1;
            }
            let fate = self.data.next();
            self.carry(now, fate, Event::Segment(segment, id));
        }
        assert!(self.sender.acknowledged() <= self.max);
        assert_eq!(self.sender.flight(), self.max - self.sender.acknowledged());
        assert!(self.sender.flight() <= self.receiver_window);
        assert!(self.sender.ssthresh() >= 1.0 && self.sender.cwnd() >= 0.0);
        assert_eq!(
            self.sender.resort().is_some(),
            self.sender.flight() > 0,
            "the timer runs while something is outstanding"
        );
        if let Some(at) = self.sender.poll_timeout()
            && at != Instant::NEVER
        {
            assert!(at >= now);
            self.at(at, Event::Wake);
        }
    }
}

/// Sends `segments`, half of them handed over later.
fn run((transport, texts): &Choice, segments: u64, data: Fates, acks: Fates) -> Tally {
    let texts: Vec<_> = texts
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let params = params(transport, &texts);
    let mut run = Run {
        sender: params.sender(),
        receiver: params.receiver(),
        receiver_window: params.common.receiver_window(),
        agenda: BTreeMap::new(),
        events: 0,
        released: 0,
        max: 0,
        delivered: 0,
        arrived: BTreeSet::new(),
        tally: Tally::default(),
        data: data.into_iter(),
        acks: acks.into_iter(),
    };
    run.at(Instant::ZERO, Event::Release(segments.div_ceil(2), false));
    run.at(
        Instant(Duration::millis(95).0),
        Event::Release(segments, true),
    );
    while let Some(((now, _), event)) = run.agenda.pop_first() {
        run.step(now, event);
    }
    assert_eq!(run.delivered, segments, "all is delivered");
    assert_eq!(run.sender.acknowledged(), segments);
    assert_eq!(run.sender.flight(), 0);
    run.tally
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn all_is_delivered_once_and_in_order(options in options(), segments in 1..150u64, data in fates(), acks in fates()) {
        run(&options, segments, data, acks);
    }

    #[test]
    fn without_loss_nothing_is_sent_again(options in options(), segments in 1..150u64) {
        let (transport, mut texts) = options;
        // The timer must not expire before a delayed ack is sent.
        texts.push(("min_rto", "300 ms".into()));
        prop_assert_eq!(run(&(transport, texts), segments, Vec::new(), Vec::new()), Tally::default());
    }

    #[test]
    fn one_loss_is_sent_again_once(options in options(), segments in 30..60u64, lost in 12..20usize) {
        let (transport, mut texts) = options;
        texts.push(("min_rto", "300 ms".into()));
        // A receiver that discards segments that arrive out of order would add losses.
        texts.retain(|(name, _)| *name != "out_of_order");
        let data = (0..=lost).map(|n| if n == lost { Passage::Lost } else { Passage::Late(2) }).collect();
        let has = |name, text| texts.iter().any(|it| (it.0, it.1.as_str()) == (name, text));
        // A repair that is not careful takes the duplicate for what a timeout has sent needlessly for a loss, if early retransmit needs no more.
        let misled = has("early_retransmit", "true") && has("careful", "false");
        let tally = run(&(transport, texts), segments, data, Vec::new());
        prop_assert!(tally.losses <= 1 + u64::from(misled && tally.timeouts > 0));
        // Repairs that go back by cumulative acks also send again what follows the loss, at most what was outstanding.
        prop_assert!((1..24).contains(&tally.sent_again));
    }

    #[test]
    // The switch trims but loses nothing, and headers overtake data: each trimmed segment is sent again once, and no timer expires,
    // unless the controller paces so slowly that it still holds the retransmission back: bbr1 behind a receiver that delays every ack.
    fn what_is_trimmed_is_sent_again_once_and_no_more(
        options in options_of(|it| it.repair.about.habits.hears == Hears::Notices),
        segments in 1..150u64,
        fates in prop::collection::vec((0..3u8, 1..=2u64), 0..200),
    ) {
        let (transport, mut texts) = options;
        let own = ["samples", "rto", "rtt_ticks", "backoff", "undouble"];
        texts.retain(|it| !own.contains(&it.0));
        texts.push(("min_rto", "300 ms".into()));
        let data: Fates = fates
            .iter()
            .map(|(which, after)| if *which == 0 { Passage::Trimmed(*after) } else { Passage::Late(2) })
            .collect();
        let tally = run(&(transport, texts), segments, data.clone(), Vec::new());
        let sent = (segments + tally.sent_again) as usize;
        let trimmed = data.iter().take(sent).filter(|fate| matches!(fate, Passage::Trimmed(_))).count();
        prop_assert_eq!((tally.sent_again, tally.needless, tally.timeouts), (trimmed as u64, 0, tally.held));
    }

    #[test]
    //= cohen-hamo-2001 §6.1 type=test
    // "a selective retransmission of the lost segments": no others are sent again, as long as the sender forgets nothing, by a timeout
    // or between two recoveries.
    fn sack_sends_again_what_was_lost_only(options in options_of(|it| it.name() == "sack"), segments in 1..150u64, lost in prop::collection::vec(0..12u8, 0..150)) {
        let (transport, mut texts) = options;
        texts.retain(|(name, _)| *name != "pipe");
        texts.push(("min_rto", "300 ms".into()));
        let data = lost.iter().map(|n| if *n == 0 { Passage::Lost } else { Passage::Late(2) }).collect();
        let tally = run(&(transport, texts), segments, data, Vec::new());
        prop_assert!(tally.timeouts > 0 || tally.losses > 1 || tally.needless == 0);
    }
}
