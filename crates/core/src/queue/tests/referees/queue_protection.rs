//! Queue protection as RFC 9957 prints it in section 4.2, before the queues of RFC 9332.

use super::dualpi2::DualQ;
use super::{MS, Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Rate, Room};
use crate::queue::buckets::hash;
use crate::queue::laws::NamedFate;
use crate::queue::queue_protection::{QueueProtection, QueueProtectionParams};
use crate::queue::tests::script::line;
use crate::queue::{Line, Make};
use crate::time::Duration;
use proptest::prelude::*;
use std::vec::Vec;

#[derive(Clone, Copy)]
struct Bucket {
    id: u32,
    t_exp: u64,
}

/// With the RFC's names; T_RES is a picosecond, and so all times are.
#[allow(non_snake_case)]
struct QProt {
    dualq: DualQ,
    rate: u64,
    perturbation: u64,
    buckets: Vec<Bucket>,
    ATTEMPTS: u32,
    BI_SIZE: u32,
    NBUCKETS: usize,
    MASK: u32,
    AGING: f64,
    CRITICALqL: u64,
    CRITICALqLPRODUCT: u128,
    qLSCORE_MAX: u64,
    MINTH: u64,
    MAXTH: u64,
    RANGE: u64,
}

#[allow(non_snake_case)]
impl QProt {
    fn qprotect(&mut self, now: u64, packet: &Packet) -> bool {
        let qdelay =
            (u128::from(self.dualq.lq.byt()) * 8_000_000_000_000 / u128::from(self.rate)) as u64;
        let probNative = self.calcProbNative(qdelay);
        let bckt_id = self.pick_bucket(now, packet.flow);
        let qLscore = self.fill_bucket(now, bckt_id, packet.bytes, probNative);
        (qdelay > self.CRITICALqL
            && u128::from(qdelay) * u128::from(qLscore) > self.CRITICALqLPRODUCT)
            || qLscore >= self.qLSCORE_MAX
    }

    #[allow(clippy::if_same_then_else)] // as it is printed
    fn pick_bucket(&mut self, now: u64, uflw: u32) -> usize {
        let mut h32 = hash(u64::from(uflw), self.perturbation) as u32;
        let mut hsav = self.NBUCKETS;
        for _ in 0..self.ATTEMPTS {
            let h = (h32 & self.MASK) as usize;
            if self.buckets[h].id == uflw {
                if self.buckets[h].t_exp <= now {
                    self.buckets[h].t_exp = now;
                }
                return h;
            } else if hsav == self.NBUCKETS && self.buckets[h].t_exp <= now {
                hsav = h;
            }
            h32 >>= self.BI_SIZE;
        }
        if hsav != self.NBUCKETS {
            self.buckets[hsav].t_exp = now;
        } else if self.buckets[hsav].t_exp <= now {
            self.buckets[hsav].t_exp = now;
        }
        self.buckets[hsav].id = uflw;
        hsav
    }

    fn fill_bucket(&mut self, now: u64, bckt_id: usize, pkt_sz: u64, probNative: f64) -> u64 {
        let more = (probNative * pkt_sz as f64 / self.AGING) as u64;
        let qLscore = u64::min(self.buckets[bckt_id].t_exp - now + more, self.qLSCORE_MAX);
        self.buckets[bckt_id].t_exp = now + qLscore;
        qLscore
    }

    fn calcProbNative(&self, qdelay: u64) -> f64 {
        if qdelay >= self.MAXTH {
            1.0
        } else if qdelay > self.MINTH {
            1.0 * (qdelay - self.MINTH) as f64 / self.RANGE as f64
        } else {
            0.0
        }
    }
}

impl Referee for QProt {
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        self.dualq.sanction = packet.ecn.bits() % 2 == 1 && self.qprotect(now, &packet);
        self.dualq.enque(now, packet, fates);
    }
    fn deque(&mut self, now: u64, fates: &mut Vec<NamedFate>) -> Option<Packet> {
        self.dualq.deque(now, fates)
    }
}

#[test]
//= rfc9957 §4.2 type=test
fn every_packet_has_the_fate_that_rfc_9957_gives_it() {
    let parameters = (
        (prop::option::of(MS / 4..4 * MS), MS / 4..6 * MS),
        1_000_000u64..40_000_000,
        (MS / 2..6 * MS, MS / 4..2 * MS),
        (1u32..6, 1u32..5),
        5_000_000u64..60_000_000,
        prop_oneof![Just(10_000u64), 5..60u64],
    );
    let counts = judge(
        parameters,
        |&((delay, score), aging, (max, range), (bits, attempts), rate, room)| {
            let params = QueueProtectionParams {
                buffer: Room::Packets(room),
                critical_delay: delay.map(Duration),
                critical_score: Duration(score),
                aging: Rate(aging),
                max_threshold: Duration(max),
                range: Duration(range),
                buckets: 1 << bits,
                attempts: u64::from(attempts),
                ..QueueProtectionParams::from_texts(&[])
            };
            params.check().expect("they go together");
            let floor = (2 * 8 * 2000 * 1_000_000_000_000u128 / u128::from(rate)) as u64;
            let minth = u64::max(max.saturating_sub(range), floor);
            let delay = delay.unwrap_or(minth + range);
            let line = Line {
                rate: Rate(rate),
                ..line()
            };
            let referee = QProt {
                dualq: DualQ::new(&params.dualpi2(Duration(minth))),
                rate,
                perturbation: line.stream.clone().between(0, u64::MAX),
                buckets: std::vec![Bucket { id: u32::MAX, t_exp: 0 }; (1 << bits) + 1],
                ATTEMPTS: attempts,
                BI_SIZE: bits,
                NBUCKETS: 1 << bits,
                MASK: (1 << bits) - 1,
                AGING: aging as f64 / (8.0 * 1e12),
                CRITICALqL: delay,
                CRITICALqLPRODUCT: u128::from(delay) * u128::from(score),
                qLSCORE_MAX: 5_000_000_000_000,
                MINTH: minth,
                MAXTH: minth + range,
                RANGE: range,
            };
            (QueueProtection::make(&params, line), referee)
        },
    );
    // A comparison without drops and marks would show nothing.
    assert!(
        counts["early"] > 100 && counts["marked"] > 1000,
        "{counts:?}"
    );
}
