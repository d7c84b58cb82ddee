//! Any stream of acks, in any order, with any numbers, from any receiver or an attacker: laws that a sender never breaks, and that
//! it finishes once a receiver answers honestly.

use super::channel::options;
use super::params;
use crate::time::{Duration, Instant};
use crate::transport::repair::Counts;
use crate::transport::{Ack, AnySender, Block, Ranges, SACK_BLOCKS, TransportParams};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::println;
use std::sync::Mutex;
use std::vec::Vec;

/// Events at a sender.
#[derive(Clone, Debug)]
enum Input {
    /// Numbers near those that it knows, or anywhere; at the instant of what was before it, or a little later.
    Ack(Ack, bool),
    /// This many milliseconds pass, and a timer may be due.
    Wait(u64),
    /// The time of its timer comes.
    Due,
    /// The application hands over this many more segments.
    Release(u64),
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..60u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn input() -> impl Strategy<Value = Input> {
    let block = (number(), number()).prop_map(|(from, to)| Block { from, to });
    let near = (number(), 0..8u64).prop_map(|(from, n)| Block {
        from,
        to: from.saturating_add(n),
    });
    let blocks = prop::array::uniform3(prop_oneof![4 => near, 1 => block]);
    assert_eq!(SACK_BLOCKS, 3);
    let flags = any::<(bool, bool, bool, bool)>();
    // Ranges of transmissions from `id` down: lengths, and what is missing between them.
    let runs = prop::collection::vec((1..5u64, 1..4u64), 0..6);
    let ack = (
        number(),
        number(),
        number(),
        flags,
        blocks,
        (runs, 0..300u64),
    )
        .prop_map(
            |(next, cause, id, (trimmed, repeats, ece, at_once), blocks, (runs, delay))| {
                let mut to = id.saturating_add(1);
                let ranges: Vec<_> = (runs.into_iter())
                    .map_while(|(length, missing)| {
                        let from = to.checked_sub(length)?;
                        let block = Block { from, to };
                        to = from.saturating_sub(missing);
                        Some(block)
                    })
                    .collect();
                let ack = Ack {
                    next,
                    cause,
                    id,
                    trimmed,
                    ece,
                    repeats,
                    blocks,
                    ranges: Ranges::new(&ranges),
                    delay: Duration::millis(delay),
                };
                Input::Ack(ack, at_once)
            },
        );
    prop_oneof![
        12 => ack,
        2 => (0..400u64).prop_map(Input::Wait),
        2 => Just(Input::Due),
        1 => (0..30u64).prop_map(Input::Release),
    ]
}

/// A sender, and what is known of it.
struct Held {
    params: TransportParams,
    sender: AnySender,
    now: Instant,
    released: u64,
    /// One beyond the highest segment sent.
    max: u64,
    una: u64,
    /// Transmissions so far, and `max`, when this instant began.
    before: (u64, u64),
    transmissions: u64,
}

impl Held {
    /// Advances the time to `at`.
    fn pass(&mut self, at: Instant) {
        if at > self.now {
            self.now = at;
            self.before = (self.transmissions, self.max);
        }
    }

    fn due(&self) -> Instant {
        self.sender.poll_timeout().unwrap_or(self.now).max(self.now)
    }

    fn give(&mut self, input: &Input) {
        match input {
            Input::Ack(ack, at_once) => {
                // Even an attacker's ack of a transmission takes some time, because SMART's timer for a retransmission is a
                // round trip. Several acks may arrive at one instant.
                if !at_once || ack.id >= self.before.0 || ack.next > self.before.1 {
                    self.pass(self.now + Duration::millis(1));
                }
                self.sender.handle_ack(self.now, ack);
            }
            Input::Wait(ms) => {
                self.pass(self.now + Duration::millis(*ms));
                self.sender.handle_timeout(self.now);
            }
            Input::Due => {
                self.pass(self.due());
                self.sender.handle_timeout(self.now);
            }
            Input::Release(more) => {
                self.released += more;
                self.sender.release(self.released, false);
            }
        }
    }

    /// Transmissions of the sender now; checks the laws for each.
    fn sends(&mut self) -> Vec<(u64, u64)> {
        let common = &self.params.common;
        let limited = if common.limited_transmit { 2.0 } else { 0.0 };
        let repair = &self.params.pair.repair.about;
        let mut sent = Vec::new();
        while let Some(it) = self.sender.poll_transmit(self.now) {
            let una = self.sender.acknowledged();
            // A transmission is of a segment sent before or of the next one, and the receiver has room for it.
            assert!(it.segment < self.released && it.segment >= una, "{it:?}");
            assert_eq!(it.again, it.segment < self.max);
            assert!(
                it.segment <= self.max,
                "{it:?} leaves a gap after {}",
                self.max
            );
            assert!(
                it.segment < una + common.receiver_window(),
                "{it:?} is beyond the receiver's window"
            );
            self.max = self.max.max(it.segment + 1);
            // With cumulative acks, a new segment is within the window, which may be inflated.
            if !repair.habits.knows_what_arrived && !it.again {
                let beyond = (it.segment + 1 - una) as f64;
                assert!(
                    beyond <= self.sender.cwnd() + limited,
                    "{it:?} of a window of {}",
                    self.sender.cwnd()
                );
            }
            sent.push((it.segment, it.id));
            self.transmissions = it.id + 1;
            // The others send by what they think is in flight. Strange acks make that smaller than what is outstanding, but never negative:
            // an ack lets out at most a window and the fast retransmit, or twice that if two copies of a segment count once.
            // `network.rs` checks what honest acks let out against what is in the network.
            let copies = if repair.counts == Counts::Segments {
                2.0
            } else {
                1.0
            };
            let most = copies * (self.sender.cwnd().floor() + limited + 1.0);
            assert!(
                sent.len() as f64 <= most,
                "{} at a time: {sent:?} of a window of {}",
                sent.len(),
                self.sender.cwnd()
            );
        }
        sent
    }

    fn check(&mut self) {
        let una = self.sender.acknowledged();
        assert!(
            una >= self.una && una <= self.max,
            "{} -> {una} of {}",
            self.una,
            self.max
        );
        self.una = una;
        assert_eq!(self.sender.flight(), self.max - una);
        assert!(self.sender.flight() <= self.params.common.receiver_window());
        assert_eq!(
            self.sender.resort().is_some(),
            self.sender.flight() > 0,
            "the timer"
        );
        let (cwnd, ssthresh) = (self.sender.cwnd(), self.sender.ssthresh());
        assert!(
            cwnd.is_finite() && cwnd >= 0.0 && ssthresh >= 1.0,
            "cwnd {cwnd}, ssthresh {ssthresh}"
        );
        assert!(self.sender.rto() > Duration::ZERO);
    }

    /// All that is in the network is lost, and from now on a receiver that has all before `una`, and nothing else, answers.
    fn finish(mut self) -> u64 {
        let mut receiver = self.params.receiver();
        for segment in 0..self.una {
            receiver.handle_segment(self.now, segment, 0);
        }
        self.released += 20;
        self.sender.release(self.released, true);
        let mut acks: BTreeMap<(Instant, u64), Ack> = BTreeMap::new();
        for count in 0..20_000 {
            for (segment, id) in self.sends() {
                let at = self.now + Duration::millis(20);
                if let Some(ack) = receiver.handle_segment(self.now, segment, id).ack {
                    acks.insert((at, 1000 * count + acks.len() as u64), ack);
                }
            }
            self.check();
            if self.una == self.released {
                return count;
            }
            let withheld = receiver.poll_timeout();
            let ack = acks.keys().next().map(|(at, _)| *at);
            let next = [ack, withheld, self.sender.poll_timeout()]
                .into_iter()
                .flatten()
                .min();
            self.now = next.expect("something is to come").max(self.now);
            if let Some(ack) = receiver.handle_timeout(self.now) {
                acks.insert((self.now + Duration::millis(20), 1000 * count + 999), ack);
            }
            while let Some(first) = acks.first_entry().filter(|it| it.key().0 <= self.now) {
                self.sender.handle_ack(self.now, &first.remove());
            }
            self.sender.handle_timeout(self.now);
        }
        panic!(
            "{} of {} are acknowledged, and no more comes",
            self.una, self.released
        );
    }
}

#[test]
//= rfc5681 §3 type=test
fn any_stream_of_acks_leaves_a_sender_within_its_laws() {
    // The number of cases, and their pairs.
    let tried = Mutex::new((0, BTreeSet::new()));
    let config = ProptestConfig {
        cases: 3000,
        ..ProptestConfig::default()
    };
    proptest!(config, |(options in options(), inputs in prop::collection::vec(input(), 0..120))| {
        let (transport, texts) = options;
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let params = params(&transport, &texts);
        let sender = params.sender();
        let mut held = Held { params, sender, now: Instant::ZERO, released: 0, max: 0, una: 0, before: (0, 0), transmissions: 0 };
        held.give(&Input::Release(40));
        held.sends();
        for input in &inputs {
            held.give(input);
            held.sends();
            held.check();
        }
        held.finish();
        let mut tried = tried.lock().expect("no case has failed");
        tried.0 += 1;
        tried.1.insert(transport);
    });
    let (cases, pairs) = tried.into_inner().expect("no case has failed");
    println!("{cases} cases, {} pairs", pairs.len());
}
