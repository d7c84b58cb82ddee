//! A line with a schedule, against a model that walks from step to step: which packet arrives when, for any buffer before the line.

use super::tests::{MILLI, arrivals, buffers, link, through, time};
use super::*;
use dupack_core::data::{Step, Steps};
use dupack_core::declare::Declared;
use dupack_core::ledger::Cause;
use dupack_core::loss::{LossParams, bernoulli};
use dupack_core::measure::Share;
use dupack_core::reorder;
use dupack_core::schedule::{Course, State};
use dupack_core::time::SECOND;
use dupack_core::unit::Packet;
use proptest::prelude::*;
use std::sync::Arc;

const FIRST: State = State {
    rate: Rate(8_000_000),
    delay: Duration(5 * MILLI),
    loss: None,
    up: true,
};
/// Bits of a packet.
const BITS: u64 = 4000;

fn step(at: u64) -> Step {
    Step {
        at: Duration(at),
        rate: None,
        delay: None,
        loss: None,
        up: None,
    }
}

fn up(at: u64, up: bool) -> Step {
    Step {
        up: Some(up),
        ..step(at)
    }
}

/// The course of a line that is down from a time until another \[ps\].
pub(super) fn outage(from: u64, to: u64) -> Arc<Course> {
    let steps = Steps::new(vec![up(from, false), up(to, true)]).expect("in order");
    Arc::new(Course::new(FIRST, &steps, None))
}

fn scheduled(
    queue: Option<queue::QueueParams>,
    steps: &[Step],
    every: Option<Duration>,
) -> spec::Link {
    let steps = Steps::new(steps.to_vec()).expect("in order");
    let mut line = link(queue, None);
    line.schedule = Some(Arc::new(Course::new(FIRST, &steps, every)));
    line
}

/// Arrivals of the packets that are offered at these times.
fn model(steps: &[Step], every: Option<Duration>, offers: &[u64]) -> Vec<(u64, u16)> {
    let turns = if every.is_some() { 4000 } else { 1 };
    let every = every.map_or(0, |it| it.0);
    let all: Vec<(u64, Step)> = (0..turns)
        .flat_map(|turn| steps.iter().map(move |it| (turn * every + it.at.0, *it)))
        .collect();
    let state = |at: u64| {
        let mut state = FIRST;
        for (_, it) in all.iter().take_while(|(from, _)| *from <= at) {
            state.rate = it.rate.unwrap_or(state.rate);
            state.delay = it.delay.unwrap_or(state.delay);
            state.up = it.up.unwrap_or(state.up);
        }
        state
    };
    let change = |at: u64| all.iter().map(|it| it.0).find(|from| *from > at);
    let up_from = |mut at: u64| {
        while !state(at).up {
            at = change(at).expect("it comes up again");
        }
        at
    };
    // When the packet before had been sent, when the next can be, and what is left of a picosecond's work.
    let (mut end, mut free, mut left, mut latest) = (0, 0, 0u128, 0);
    let mut arrived = Vec::new();
    for (number, offer) in (0u16..).zip(offers) {
        if *offer >= free {
            (end, left) = (up_from(*offer), 0);
        }
        left += u128::from(BITS) * u128::from(SECOND);
        loop {
            let now = state(end);
            let speed = if now.up { u128::from(now.rate.0) } else { 0 };
            let until = change(end);
            let most = until.map(|it| speed * u128::from(it - end));
            if most.is_none_or(|most| most >= left) {
                end += (left / speed) as u64;
                left %= speed;
                break;
            }
            left -= most.unwrap_or(0);
            end = until.expect("there is a change");
        }
        free = up_from(end);
        latest = latest.max(end + state(end).delay.0);
        arrived.push((latest, number));
    }
    arrived
}

#[test]
fn an_outage_puts_off_what_waits_and_not_what_is_in_flight() {
    // A packet takes half a millisecond. The line is down from 1.25 ms to 2001.25 ms: the third packet is then half sent.
    let steps = [
        up(5 * MILLI / 4, false),
        up(2000 * MILLI + 5 * MILLI / 4, true),
    ];
    for buffer in buffers() {
        let line = scheduled(buffer, &steps, None);
        let found = arrivals(&line, &[0, 0, 0, 0, 1000 * MILLI]);
        let at = |quarters: u64, number| (quarters * MILLI / 4 + 5 * MILLI, number);
        assert_eq!(
            found,
            [at(2, 0), at(4, 1), at(8006, 2), at(8008, 3), at(8010, 4)]
        );
    }
}

#[test]
fn what_never_comes_up_again_keeps_what_waits() {
    for buffer in buffers() {
        let line = scheduled(buffer, &[up(MILLI + MILLI / 4, false)], None);
        let mut port = Port::<Packet>::new(&line, 1, (&[], 1), false);
        let mut shared = super::tests::shared();
        for serial in 0..5 {
            super::tests::offer(&mut port, serial, &mut shared);
        }
        let mut arrived = 0;
        while port.due < Instant::NEVER {
            shared.now = port.due;
            let (unit, next) = port.advance(&mut shared);
            port.due = next;
            arrived += u64::from(unit.is_some());
        }
        shared.now = Instant(1000 * MILLI);
        port.catch_up(&mut shared);
        let balance = port.balance(shared.now);
        // Two are sent, half of the third is, and the others wait.
        assert_eq!(
            (arrived, balance.sent, balance.in_service, balance.waiting),
            (2, 2, 1, 2)
        );
        assert_eq!(port.busy(shared.now), MILLI + MILLI / 4);
    }
}

#[test]
fn a_shorter_delay_moves_arrivals_and_lets_none_overtake() {
    let shorter = Step {
        delay: Some(Duration(MILLI)),
        ..step(MILLI)
    };
    for buffer in buffers() {
        let line = scheduled(buffer, &[shorter], None);
        let found = arrivals(&line, &[0, 0, 4 * MILLI, 20 * MILLI]);
        // The first leaves at half a millisecond; the second leaves with the step, and waits for it.
        let want = [(11, 0), (11, 1), (11, 2), (43, 3)].map(|(at, n)| (at * MILLI / 2, n));
        assert_eq!(found, want);
    }
}

#[test]
fn losses_have_the_rate_of_their_time() {
    let half = Step {
        loss: Some(Share(1.0)),
        ..step(1000 * MILLI)
    };
    let never = Step {
        loss: Some(Share(0.0)),
        ..step(2000 * MILLI)
    };
    let steps = Steps::new(vec![half, never]).expect("in order");
    let first = State {
        loss: Some(Share(0.0)),
        ..FIRST
    };
    for buffer in buffers() {
        let mut line = link(buffer, None);
        line.schedule = Some(Arc::new(Course::new(first, &steps, None)));
        line.loss = Some(spec::Loss {
            params: LossParams::Bernoulli(bernoulli::BernoulliParams::from_texts(&[("rate", "0")])),
            watched: Vec::new(),
            path: "link.l.loss".into(),
        });
        let offers: Vec<u64> = (0..300).map(|n| n * 10 * MILLI).collect();
        let mut port = Port::<Packet>::new(&line, 1, (&[], 1), false);
        let arrived = through(&mut port, &offers);
        let numbers: Vec<u16> = arrived.iter().map(|it| it.1).collect();
        assert_eq!(numbers, (0..100).chain(200..300).collect::<Vec<u16>>());
        assert_eq!(port.counts.dropped[Cause::Random as usize], 100);
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = (
        time(40),
        prop::option::of(prop::sample::select(vec![
            1_000_000, 3_000_000, 7_999_999, 40_000_000,
        ])),
        prop::option::of(time(40)),
        any::<bool>(),
    );
    prop::collection::vec(one, 1..6).prop_map(|drawn| {
        let mut at = 0;
        let mut steps: Vec<Step> = (drawn.into_iter())
            .map(|(gap, rate, delay, up)| {
                at += gap;
                Step {
                    at: Duration(at),
                    rate: rate.map(Rate),
                    delay: delay.map(Duration),
                    loss: None,
                    up: Some(up),
                }
            })
            .collect();
        // Everything is sent at some time.
        steps.push(up(at + MILLI, true));
        steps
    })
}

proptest! {
    #[test]
    fn packets_arrive_as_the_steps_say(
        gaps in prop::collection::vec(prop_oneof![Just(0), time(8), time(120)], 1..60),
        steps in steps(),
        turn in prop::option::of(time(40)),
        late in prop::option::of(time(20)),
    ) {
        let mut at = 0;
        let offers: Vec<u64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        let last = steps.last().expect("there are some").at;
        let every = turn.map(|rest| last + Duration(rest));
        let want = model(&steps, every, &offers);
        prop_assert!(want.is_sorted());
        for buffer in buffers() {
            let line = scheduled(buffer.clone(), &steps, every);
            prop_assert_eq!(&arrivals(&line, &offers), &want);
            // Reordering comes after the schedule, and changes the order as on any line.
            if let Some(late) = late {
                let params = reorder::ReorderParams { rate: Share(0.3), delay: Duration(late) };
                let path = "link.l.reorder".to_string();
                let mut draws = reorder::Reorder::new(&params, Stream::new(1, &path));
                let mut late: Vec<_> = want.iter().map(|(at, n)| (at + draws.on_packet().0, *n)).collect();
                late.sort_by_key(|it| it.0);
                let mut line = line;
                line.reorder = Some(spec::Reorder { params, path });
                prop_assert_eq!(&arrivals(&line, &offers), &late);
            }
        }
    }

    #[test]
    fn steps_that_change_nothing_change_nothing(
        gaps in prop::collection::vec(prop_oneof![Just(0), time(8), time(120)], 1..60),
        at in time(100),
        rate in prop::sample::select(vec![8_000_000, 7_999_999]),
    ) {
        let mut now = 0;
        let offers: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
        for buffer in buffers() {
            let mut plain = link(buffer, None);
            plain.rate = Rate(rate);
            let first = State { rate: plain.rate, ..FIRST };
            let steps = Steps::new(vec![up(at, true)]).expect("a step");
            let mut line = plain.clone();
            line.schedule = Some(Arc::new(Course::new(first, &steps, None)));
            let run = |line: &spec::Link| {
                let mut port = Port::<Packet>::new(line, 1, (&[], 1), false);
                let arrived = through(&mut port, &offers);
                let end = Instant(arrived.last().expect("one at least").0);
                (arrived, port.pauses(end), port.area(end), port.peak(), port.busy(end))
            };
            prop_assert_eq!(run(&line), run(&plain));
        }
    }
}
