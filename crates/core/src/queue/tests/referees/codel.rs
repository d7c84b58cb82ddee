//! CoDel as RFC 8289 prints it, with the marks of Linux.
//= linux-codel type=test

use super::{MS, Packet, Referee, differing, judge};
use crate::declare::Declared;
use crate::measure::Room;
use crate::queue::Make;
use crate::queue::codel::{Codel, CodelParams};
use crate::queue::laws::NamedFate;
use crate::queue::tests::script::line;
use crate::time::Duration;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// CoDelQueue, with the RFC's names.
#[derive(Debug, Default)]
#[allow(non_snake_case)]
pub struct CoDelQueue {
    pub queue: VecDeque<Packet>,
    TARGET: u64,
    INTERVAL: u64,
    ecn: bool,
    /// Where 512 stands, and the MTU should: the longest packet so far.
    pub maxpacket_: u64,
    first_above_time_: u64,
    drop_next_: u64,
    count_: u32,
    lastcount_: u32,
    dropping_: bool,
    bug: Option<Bug>,
}

/// Bugs of CoDel that were published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bug {
    /// The next time is (t + I) / sqrt(n): Shadow's issue 2478.
    RootOfTheTime,
    /// A variable of the same name hides the packet that was dequeued, so that the packet behind it is dropped: mahimahi's issue 165.
    DropsTheNext,
}

/// dodequeue_result
struct Dodequeued {
    p: Option<Packet>,
    ok_to_drop: bool,
}

fn drop(p: Option<Packet>, fates: &mut Vec<NamedFate>) {
    fates.push((p.expect("a packet to drop").name, "early"));
}

impl CoDelQueue {
    pub fn new((target, interval, ecn): (u64, u64, bool)) -> Self {
        Self {
            TARGET: target,
            INTERVAL: interval,
            ecn,
            ..Self::default()
        }
    }

    pub fn bytes(&self) -> u64 {
        self.queue.iter().map(|p| p.bytes).sum()
    }

    fn control_law(&self, t: u64, count: u32) -> u64 {
        if self.bug == Some(Bug::RootOfTheTime) {
            return ((t + self.INTERVAL) as f64 / f64::from(count).sqrt()) as u64;
        }
        t + (self.INTERVAL as f64 / f64::from(count).sqrt()) as u64
    }

    fn dodequeue(&mut self, now: u64) -> Dodequeued {
        let mut r = Dodequeued {
            p: self.queue.pop_front(),
            ok_to_drop: false,
        };
        let Some(p) = &r.p else {
            self.first_above_time_ = 0;
            return r;
        };
        let sojourn_time = now - p.tstamp;
        if sojourn_time < self.TARGET || self.bytes() <= self.maxpacket_ {
            self.first_above_time_ = 0;
        } else if self.first_above_time_ == 0 {
            self.first_above_time_ = now + self.INTERVAL;
        } else if now >= self.first_above_time_ {
            r.ok_to_drop = true;
        }
        r
    }

    /// CE is set in the packet, where it can be: what Linux does in place of a drop.
    fn marks(&self, p: &Option<Packet>, fates: &mut Vec<NamedFate>) -> bool {
        let capable = p.as_ref().filter(|p| self.ecn && p.ecn_capable);
        fates.extend(capable.map(|p| (p.name.clone(), "marked")));
        capable.is_some()
    }

    pub fn enque(&mut self, pkt: Packet) {
        self.maxpacket_ = self.maxpacket_.max(pkt.bytes);
        self.queue.push_back(pkt);
    }

    pub fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        let mut r = self.dodequeue(now);
        if self.dropping_ {
            if !r.ok_to_drop {
                self.dropping_ = false;
            }
            while now >= self.drop_next_ && self.dropping_ {
                if self.marks(&r.p, fates) {
                    self.count_ += 1;
                    self.drop_next_ = self.control_law(self.drop_next_, self.count_);
                    return r.p;
                }
                drop(r.p, fates);
                self.count_ += 1;
                r = self.dodequeue(now);
                if !r.ok_to_drop {
                    self.dropping_ = false;
                } else {
                    self.drop_next_ = self.control_law(self.drop_next_, self.count_);
                }
            }
        } else if r.ok_to_drop {
            if !self.marks(&r.p, fates) {
                let mut next = self.dodequeue(now);
                if self.bug == Some(Bug::DropsTheNext) {
                    core::mem::swap(&mut r, &mut next);
                }
                // As printed, the packet is dropped before the next is taken, which makes no difference.
                drop(r.p, fates);
                r = next;
            }
            self.dropping_ = true;
            let delta = self.count_ - self.lastcount_;
            self.count_ = 1;
            if delta > 1 && (now as i64) - (self.drop_next_ as i64) < 16 * self.INTERVAL as i64 {
                self.count_ = delta;
            }
            self.drop_next_ = self.control_law(now, self.count_);
            self.lastcount_ = self.count_;
        }
        r.p
    }
}

impl Referee for CoDelQueue {
    fn enque(&mut self, _: u64, packet: Packet, _: &mut Vec<NamedFate>) {
        CoDelQueue::enque(self, packet);
    }
    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        CoDelQueue::deque(self, now, fates)
    }
}

/// Target, interval and whether to mark.
pub fn parameters() -> impl Strategy<Value = (u64, u64, bool)> {
    (MS..8 * MS, 5 * MS..100 * MS, any::<bool>())
}

/// Ours, and the referee with a bug or without one.
fn pair(
    bug: Option<Bug>,
) -> impl Fn(&(u64, u64, bool)) -> (Codel<crate::queue::laws::Named>, CoDelQueue) {
    move |&(target, interval, ecn)| {
        let params = CodelParams {
            buffer: Room::Packets(10_000),
            target: Duration(target),
            interval: Duration(interval),
            ecn,
        };
        params.check().expect("they go together");
        let referee = CoDelQueue {
            bug,
            ..CoDelQueue::new((target, interval, ecn))
        };
        (Codel::make(&params, line()), referee)
    }
}

#[test]
fn shadows_issue_2478_is_found() {
    assert!(differing(parameters(), pair(Some(Bug::RootOfTheTime))) > 0);
}

#[test]
fn mahimahis_issue_165_is_found() {
    assert!(differing(parameters(), pair(Some(Bug::DropsTheNext))) > 0);
}

#[test]
//= rfc8289 §5 type=test
fn every_packet_has_the_fate_that_rfc_8289_gives_it() {
    let counts = judge(parameters(), pair(None));
    // A comparison without drops and marks would show nothing.
    assert!(
        counts["early"] > 1000 && counts["marked"] > 200,
        "{counts:?}"
    );
}
