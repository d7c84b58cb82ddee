//! COBALT as Linux has it in CAKE, with the root of IEEE 754, asked while it is empty as soon as anything may change.
//= linux-cake type=test

use super::{MS, Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Room, Share};
use crate::queue::Make;
use crate::queue::cobalt::{Cobalt, CobaltParams};
use crate::queue::laws::NamedFate;
use crate::queue::tests::script::line;
use crate::rng::Stream;
use crate::time::Duration;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// `cobalt_vars` and `cobalt_params`. Times are signed, as the kernel's are \[ps\].
struct CobaltQueue {
    queue: VecDeque<Packet>,
    limit: usize,
    ecn: bool,
    interval: i64,
    target: i64,
    p_inc: f64,
    p_dec: f64,
    count: u32,
    drop_next: i64,
    blue_timer: i64,
    p_drop: f64,
    dropping: bool,
    random: Stream,
    /// When it was found empty.
    empty: Option<i64>,
}

impl CobaltQueue {
    fn control(&self, t: i64) -> i64 {
        let inv = if self.count < 2 {
            1.0
        } else {
            f64::from(self.count).sqrt()
        };
        t + (self.interval as f64 / inv) as i64
    }

    fn queue_full(&mut self, now: i64) {
        if now - self.blue_timer > self.target {
            self.p_drop += self.p_inc;
            if self.p_drop > 1.0 {
                self.p_drop = 1.0;
            }
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        if self.count == 0 {
            self.count = 1;
        }
    }

    fn queue_empty(&mut self, now: i64) {
        if self.p_drop > 0.0 && now - self.blue_timer > self.target {
            if self.p_drop < self.p_dec {
                self.p_drop = 0.0;
            } else {
                self.p_drop -= self.p_dec;
            }
            self.blue_timer = now;
        }
        self.dropping = false;
    }

    /// A packet arrives: what happened while the queue was empty, if it was asked.
    fn wakes(&mut self, now: i64) {
        let Some(mut at) = self.empty.take() else {
            return;
        };
        while at <= now && self.p_drop > 0.0 {
            self.queue_empty(at);
            at = self.blue_timer + self.target + 1;
        }
        while self.count > 0 && now - self.drop_next >= 0 {
            self.count -= 1;
            self.drop_next = self.control(self.drop_next);
        }
    }

    /// Whether to drop the packet; it is marked if that is wanted and can be.
    fn should_drop(&mut self, now: i64, packet: &Packet, fates: &mut Vec<NamedFate>) -> bool {
        let mut drop = false;
        let sojourn = now - packet.tstamp as i64;
        let mut schedule = now - self.drop_next;
        let over_target = sojourn > self.target;
        let mut next_due = self.count > 0 && schedule >= 0;
        if over_target {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now);
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else if self.dropping {
            self.dropping = false;
        }
        let mut marks = false;
        if next_due && self.dropping {
            marks = self.ecn && packet.ecn_capable;
            drop = !marks;
            self.count += 1;
            self.drop_next = self.control(self.drop_next);
            schedule = now - self.drop_next;
        } else {
            while next_due {
                self.count -= 1;
                self.drop_next = self.control(self.drop_next);
                schedule = now - self.drop_next;
                next_due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0.0 {
            drop |= self.random.share() < self.p_drop;
        }
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        // A packet that BLUE drops is not marked before.
        if marks && (!drop || self.queue.is_empty()) {
            fates.push((packet.name.clone(), "marked"));
        }
        drop
    }
}

impl Referee for CobaltQueue {
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        self.wakes(now as i64);
        if self.queue.len() >= self.limit {
            self.queue_full(now as i64);
            fates.push((packet.name, "overflow"));
        } else {
            self.queue.push_back(packet);
        }
    }

    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        let now = now as i64;
        loop {
            let Some(packet) = self.queue.pop_front() else {
                self.dropping = false;
                self.empty = self.empty.or(Some(now));
                return None;
            };
            if !self.should_drop(now, &packet, fates) || self.queue.is_empty() {
                return Some(packet);
            }
            fates.push((packet.name, "early"));
        }
    }
}

#[test]
fn every_packet_has_the_fate_that_linux_gives_it() {
    let parameters = (
        (MS..8 * MS, 5 * MS..100 * MS, any::<bool>()),
        prop_oneof![Just(10_000usize), 4..60usize],
        prop::sample::select(&[1.0 / 256.0, 0.05, 0.5][..]),
    );
    let counts = judge(parameters, |&((target, interval, ecn), limit, step)| {
        let params = CobaltParams {
            buffer: Room::Packets(limit as u64),
            target: Duration(target),
            interval: Duration(interval),
            increment: Share(step),
            decrement: Share(step / 16.0),
            ecn,
        };
        params.check().expect("they go together");
        let referee = CobaltQueue {
            queue: VecDeque::new(),
            limit,
            ecn,
            interval: interval as i64,
            target: target as i64,
            p_inc: step,
            p_dec: step / 16.0,
            count: 0,
            drop_next: 0,
            blue_timer: 0,
            p_drop: 0.0,
            dropping: false,
            random: line().stream,
            empty: None,
        };
        (Cobalt::make(&params, line()), referee)
    });
    let enough = counts["early"] > 1000 && counts["marked"] > 200;
    assert!(enough && counts["overflow"] > 500, "{counts:?}");
}
