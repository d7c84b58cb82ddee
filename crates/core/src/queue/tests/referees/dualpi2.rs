//! DualPI2 as appendix A of RFC 9332 prints it, with its edge cases (Figures 2, 3, 5, 7 and 8).

use super::{MS, Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Factor, Packets, Room, Share};
use crate::queue::Make;
use crate::queue::dualpi2::{Dualpi2, Dualpi2Params, Signals};
use crate::queue::laws::NamedFate;
use crate::queue::tests::script::line;
use crate::time::Duration;
use crate::unit::Ecn;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// In a second \[ps\].
const SECOND: f64 = 1e12;

#[derive(Default)]
pub struct Queue {
    pub packets: VecDeque<Packet>,
    count: f64,
}

impl Queue {
    pub fn byt(&self) -> u64 {
        self.packets.iter().map(|p| p.bytes).sum()
    }

    fn time(&self, now: u64) -> f64 {
        match self.packets.front() {
            Some(head) => (now - head.tstamp) as f64 / SECOND,
            None => 0.0,
        }
    }

    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }
}

/// The two queues and the parameters, with the RFC's names.
#[allow(non_snake_case)]
pub struct DualQ {
    pub lq: Queue,
    pub cq: Queue,
    limit: usize,
    k: f64,
    target: f64,
    p_Cmax: f64,
    /// \[ps\]
    Tupdate: u64,
    alpha: f64,
    beta: f64,
    /// \[ps\], as `range`.
    minTh: u64,
    range: u64,
    Th_len: usize,
    p_Lmax: f64,
    /// p'.
    p_: f64,
    p_CL: f64,
    p_C: f64,
    prevq: f64,
    timer: u64,
    /// Of the scheduler, which the RFC does not show: the weight of the C queue, and by how many bytes it is behind.
    weight: f64,
    behind: f64,
    /// The arriving packet is redirected to the C queue (RFC 9957).
    pub sanction: bool,
}

impl DualQ {
    pub fn new(params: &Dualpi2Params) -> Self {
        let k = params.coupling.0;
        Self {
            lq: Queue::default(),
            cq: Queue::default(),
            limit: params.buffer.count() as usize,
            k,
            target: params.target.0 as f64 / SECOND,
            p_Cmax: f64::min(1.0 / (k * k), 1.0),
            Tupdate: params.update.0,
            alpha: params.alpha,
            beta: params.beta,
            minTh: params.step.0,
            range: params.range.0,
            Th_len: params.th_len.map_or(1, |it| it.0 as usize),
            p_Lmax: 1.0,
            p_: 0.0,
            p_CL: 0.0,
            p_C: 0.0,
            prevq: 0.0,
            timer: params.update.0,
            weight: params.classic.map_or(0.0625, |it| it.0),
            behind: 0.0,
            sanction: false,
        }
    }

    fn dualpi2_update(&mut self, now: u64) {
        let curq = f64::max(self.cq.time(now), self.lq.time(now));
        self.p_ = self.p_ + self.alpha * (curq - self.target) + self.beta * (curq - self.prevq);
        self.p_ = self.p_.clamp(0.0, 1.0);
        // At most p_Lmax.
        self.p_CL = f64::min(self.p_ * self.k, self.p_Lmax);
        self.p_C = self.p_ * self.p_;
        self.prevq = curq;
    }

    fn timers(&mut self, now: u64) {
        while self.timer <= now {
            self.dualpi2_update(self.timer);
            self.timer += self.Tupdate;
        }
    }

    fn laqm(&self, qdelay: u64) -> f64 {
        if qdelay >= self.minTh + self.range {
            1.0
        } else if qdelay > self.minTh {
            (qdelay as f64 / SECOND - self.minTh as f64 / SECOND) / (self.range as f64 / SECOND)
        } else {
            0.0
        }
    }

    /// Whether the L queue is next.
    fn scheduler(&self) -> bool {
        if self.lq.packets.is_empty() || self.cq.packets.is_empty() {
            self.cq.packets.is_empty()
        } else {
            self.behind <= 0.0
        }
    }
}

impl Referee for DualQ {
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        self.timers(now);
        let waiting = self.lq.packets.len() + self.cq.packets.len();
        if waiting == 0 {
            self.behind = 0.0;
        }
        if waiting + 1 > self.limit {
            return fates.push((packet.name, "overflow"));
        }
        if packet.ecn.bits() % 2 == 1 && !self.sanction {
            self.lq.packets.push_back(packet);
        } else {
            self.cq.packets.push_back(packet);
        }
    }

    #[allow(non_snake_case)]
    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        self.timers(now);
        while self.lq.byt() + self.cq.byt() > 0 {
            let both = self.lq.byt() > 0 && self.cq.byt() > 0;
            let of_l = self.scheduler();
            let pkt;
            if of_l {
                // The length is that with the packet, so that a queue of one packet is not marked.
                let len = self.lq.packets.len();
                pkt = self.lq.packets.pop_front()?;
                if self.p_CL < self.p_Lmax {
                    let own = if len > self.Th_len {
                        self.laqm(now - pkt.tstamp)
                    } else {
                        0.0
                    };
                    let p_L = f64::max(own, self.p_CL);
                    if self.lq.recur(p_L) {
                        fates.push((pkt.name.clone(), "marked"));
                    }
                } else {
                    if self.lq.recur(self.p_C) {
                        fates.push((pkt.name, "early"));
                        continue;
                    }
                    if self.lq.recur(self.p_CL) {
                        fates.push((pkt.name.clone(), "marked"));
                    }
                }
            } else {
                pkt = self.cq.packets.pop_front()?;
                // The pseudocode sorts by ECN alone. What is right for a packet with ECT(1) in this queue is in section 2.5.1.1.
                if pkt.ecn == Ecn::Ect1 {
                    if self.p_CL >= self.p_Lmax && self.lq.recur(self.p_C) {
                        fates.push((pkt.name, "early"));
                        continue;
                    }
                    if self.lq.recur(self.p_CL) {
                        fates.push((pkt.name.clone(), "marked"));
                    }
                } else if self.cq.recur(self.p_C) {
                    if pkt.ecn == Ecn::NotEct || self.p_C >= self.p_Cmax {
                        fates.push((pkt.name, "early"));
                        continue;
                    }
                    fates.push((pkt.name.clone(), "marked"));
                }
            }
            if both {
                let bytes = pkt.bytes as f64;
                self.behind += bytes * if of_l { self.weight } else { self.weight - 1.0 };
            }
            return Some(pkt);
        }
        None
    }
}

#[test]
//= rfc9332 §A type=test
//= rfc9332 §2.5.1, L4S type=test
fn every_packet_has_the_fate_that_rfc_9332_gives_it() {
    let parameters = (
        (MS..20 * MS, MS..20 * MS),
        (0.01..4.0, 0.1..40.0),
        prop_oneof![Just(10_000u64), 5..60u64],
        (0..5 * MS, prop_oneof![Just(0), 1..5 * MS], 0..4u64),
        (1.0..4.0, 0.01..0.9),
    );
    let counts = judge(
        parameters,
        |&((target, update), (alpha, beta), room, (step, range, len), (k, weight))| {
            let params = Dualpi2Params {
                buffer: Room::Packets(room),
                target: Duration(target),
                update: Duration(update),
                alpha,
                beta,
                step: Duration(step),
                range: Duration(range),
                th_len: Some(Packets(len)),
                coupling: Factor(k),
                classic: Some(Share(weight)),
                signals: Signals::Rfc9332,
            };
            params.check().expect("they go together");
            let referee = DualQ::new(&params);
            (Dualpi2::make(&params, line()), referee)
        },
    );
    // A comparison without drops and marks would show nothing.
    let enough = counts["early"] > 1000 && counts["marked"] > 1000 && counts["overflow"] > 100;
    assert!(enough, "{counts:?}");
}
