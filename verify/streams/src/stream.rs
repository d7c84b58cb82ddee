//! Streams of events, drawn at random: what a path does to the packets of a QUIC sender.
//!
//! A stream is drawn round trip by round trip, with the window of dupack's CUBIC: the packets it has in flight are acknowledged during the
//! round trip. The events name no window, so any controller can be given them. A controller sends before each event as much as its own
//! window and the application allow.

use crate::ours::Ours;
use proptest::prelude::*;

/// An event. Times are in microseconds since the start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// A round trip begins.
    Round {
        /// When.
        now: u64,
        /// The application has at most this many packets in flight.
        limit: u64,
    },
    /// An ack of the oldest `packets`.
    Ack {
        /// When it arrives.
        now: u64,
        /// The round trip of the latest of them.
        rtt: u64,
        /// How many it acknowledges.
        packets: u64,
    },
    /// All that is still in flight is acknowledged.
    Drained {
        /// When.
        now: u64,
    },
    /// A packet is found to be lost.
    Lost {
        /// When.
        now: u64,
        /// How long before it was sent.
        rtt: u64,
    },
    /// All that is in flight is lost, and that is persistent congestion.
    Persistent {
        /// When.
        now: u64,
    },
}

/// What happens in a round trip.
#[derive(Clone, Copy, Debug)]
pub enum Round {
    /// All arrives.
    Full,
    /// One packet is lost, after this share of the acks.
    Loss(f64),
    /// The application fills this share of the window; of these packets one may be lost, after this share of the acks.
    Limited(f64, Option<f64>),
    /// The application sends nothing new while the rest is acknowledged, and then pauses for this many milliseconds.
    Idle(u64),
    /// Persistent congestion.
    Persistent,
}

/// A path, and what happens on it.
#[derive(Clone, Debug)]
pub struct Path {
    /// The round trip without a queue \[us\].
    base: u64,
    /// Packets per ack.
    every: u64,
    /// Round trips: what happens, and how much longer than the base they take.
    rounds: Vec<(Round, f64)>,
}

/// A window above which a round trip has a loss, so that streams stay short \[packets\].
const LARGE: f64 = 200.0;

/// The distribution of paths.
pub fn paths() -> impl Strategy<Value = Path> {
    let round = prop_oneof![
        20 => Just(Round::Full),
        3 => (0.0..1.0f64).prop_map(Round::Loss),
        1 => (0.1..0.7f64, prop::option::weighted(0.3, 0.0..1.0f64)).prop_map(|(it, lost)| Round::Limited(it, lost)),
        1 => (0..4000u64).prop_map(Round::Idle),
    ];
    let rounds = prop_oneof![
        // Round trips that never change, that vary, and that grow with a queue.
        Just(vec![0.0]),
        prop::collection::vec(0.0..0.5f64, 1..8),
        Just(vec![0.0, 0.1, 0.2, 0.4, 0.6]),
    ];
    let persistent = prop::option::weighted(0.15, 0..40usize);
    (
        5_000..200_000u64,
        prop_oneof![4 => Just(1u64), 1 => Just(2)],
        prop::collection::vec(round, 8..40),
        rounds,
        persistent,
    )
        .prop_map(|(base, every, mut rounds, longer, persistent)| {
            if let Some(at) = persistent.filter(|at| *at < rounds.len()) {
                rounds[at] = Round::Persistent;
            }
            let longer = longer.into_iter().cycle();
            Path {
                base,
                every,
                rounds: rounds.into_iter().zip(longer).collect(),
            }
        })
}

impl Path {
    /// The events, and dupack's window after each \[packets\].
    pub fn events(&self) -> (Vec<Event>, Vec<f64>) {
        let mut drawn = Drawn {
            ours: Ours::new(),
            events: Vec::new(),
            windows: Vec::new(),
        };
        let mut now = 1_000_000;
        for (round, longer) in &self.rounds {
            let rtt = (self.base as f64 * (1.0 + longer)) as u64;
            let mut round = *round;
            // One loss per recovery: one of its packets must be acknowledged before the next.
            let in_recovery = drawn.ours.in_recovery();
            if in_recovery && matches!(round, Round::Persistent) {
                round = Round::Full;
            } else if !in_recovery && drawn.ours.window() > LARGE {
                round = Round::Loss(0.5);
            }
            let limit = match round {
                Round::Limited(share, _) => ((drawn.ours.window() * share) as u64).max(1),
                Round::Idle(_) => 0,
                _ => u64::MAX,
            };
            drawn.push(Event::Round { now, limit });
            if let Round::Persistent = round {
                now += 3 * rtt;
                drawn.push(Event::Persistent { now });
                continue;
            }
            let packets = drawn.ours.in_flight();
            let mut lost = match round {
                Round::Loss(share) | Round::Limited(_, Some(share)) => {
                    (packets as f64 * share) as u64
                }
                _ => u64::MAX,
            };
            let mut done = 0;
            while done < packets {
                let at = now + rtt * (done + 1) / packets;
                if (done..done + self.every).contains(&lost) && drawn.ours.is_news(at - rtt) {
                    drawn.push(Event::Lost { now: at, rtt });
                    (done, lost) = (done + 1, u64::MAX);
                    continue;
                }
                let next = self.every.min(packets - done);
                done += next;
                drawn.push(Event::Ack {
                    now: now + rtt * done / packets,
                    rtt,
                    packets: next,
                });
            }
            now += rtt;
            if let Round::Idle(ms) = round {
                drawn.push(Event::Drained { now });
                now += 1000 * ms;
            }
        }
        (drawn.events, drawn.windows)
    }
}

struct Drawn {
    ours: Ours,
    events: Vec<Event>,
    windows: Vec<f64>,
}

impl Drawn {
    fn push(&mut self, event: Event) {
        self.ours.on(&event);
        self.events.push(event);
        self.windows.push(self.ours.window());
    }
}
