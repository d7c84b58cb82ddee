//! The drawn intervals between drops are those of disciplines that decide at departures.

use super::drawn::value;
use super::script::line;
use crate::declare::Declared;
use crate::queue::laws::{Fates, Named};
use crate::queue::{Discipline, Queue, QueueParams};
use crate::time::Instant;
use crate::unit::Ecn;
use std::format;
use std::vec::Vec;

/// In a tenth of a millisecond \[ps\].
const TICK: u64 = 100_000_000;

/// Times of the first 30 drops or marks \[ms\], if one of 12,000 packets that came at once departs each 0.1 ms from 50 ms on.
fn times(queue: &mut Queue<Named>) -> Vec<f64> {
    let mut book = Fates::default();
    for number in 0..12_000 {
        let unit = Named {
            ecn: Ecn::Ect0,
            ..Named::packet(format!("a{number}"), 1500)
        };
        queue.offer(Instant::ZERO, unit, &mut book);
    }
    let mut times = Vec::new();
    for tick in 500..12_000u64 {
        let before = book.0.len();
        queue.pull(Instant(tick * TICK), &mut book);
        if book.0.len() > before && times.len() < 30 {
            times.push(tick as f64 / 10.0);
        }
    }
    times
}

#[test]
fn drops_and_marks_come_after_the_drawn_intervals() {
    let own = [("buffer", "12000 packets"), ("ecn", "false")];
    let marks = [own[0], ("ecn", "true")];
    let slow = [own[0], own[1], ("interval", "40 ms")];
    // With the count after the first drop.
    let queues = [
        (QueueParams::Codel(Declared::from_texts(&own)), 1),
        (QueueParams::Codel(Declared::from_texts(&marks)), 1),
        (QueueParams::Codel(Declared::from_texts(&slow)), 1),
        (QueueParams::FqCodel(Declared::from_texts(&own)), 1),
        (QueueParams::FqCodel(Declared::from_texts(&marks)), 1),
        (QueueParams::Cobalt(Declared::from_texts(&own)), 2),
        (QueueParams::Cobalt(Declared::from_texts(&marks)), 2),
        (QueueParams::Cake(Declared::from_texts(&own)), 2),
    ];
    for (params, first) in queues {
        let mut queue: Queue<Named> = Queue::new(&params, line());
        let times = times(&mut queue);
        assert_eq!(times.len(), 30, "{params:?}");
        let laws = queue.drop_laws();
        let mut due = times[0];
        for (after, time) in times.iter().enumerate() {
            // A packet departs up to a tenth of a millisecond after it is due, and the first was late, too.
            assert!(
                (time - due).abs() <= 0.1 + 1e-6,
                "{params:?} {after}: {time} {due}"
            );
            due += value(&laws[0], "interval", (first + after) as f64);
        }
    }
}

#[test]
fn the_drawn_step_is_where_packets_are_marked_whatever_codel_decides() {
    let texts = [("ce_threshold", "2 ms")];
    for tenths in 0..40u64 {
        let mut queue: Queue<Named> =
            Queue::new(&QueueParams::FqCodel(Declared::from_texts(&texts)), line());
        let mut book = Fates::default();
        let unit = Named {
            ecn: Ecn::Ect0,
            ..Named::packet("a1".into(), 1500)
        };
        queue.offer(Instant::ZERO, unit, &mut book);
        queue.pull(Instant(tenths * TICK), &mut book);
        let drawn = value(&queue.drop_laws()[1], "marked", tenths as f64 / 10.0);
        assert_eq!(book.0.len() as f64, drawn, "{tenths}");
    }
}
