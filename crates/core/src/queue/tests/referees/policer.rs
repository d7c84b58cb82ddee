//! The meters of RFC 2697 and RFC 2698, with tokens that are counted one by one.

use super::{Packet, Referee, judge};
use crate::declare::Declared;
use crate::measure::{Bytes, Packets, Rate, Room};
use crate::queue::Make;
use crate::queue::laws::NamedFate;
use crate::queue::policer::{Policer, PolicerParams};
use crate::queue::tests::script::line;
use crate::time::SECOND;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// With the names of RFC 2697, or of RFC 2698.
#[allow(non_snake_case)]
struct Meter {
    CIR: u64,
    CBS: u64,
    EBS: u64,
    PIR: u64,
    PBS: u64,
    Tc: u64,
    Te: u64,
    Tp: u64,
    /// Updates made of the bucket of CIR, and of that of PIR.
    updates: (u64, u64),
    two: bool,
    /// Yellow packets may join while fewer than this wait.
    yellow: usize,
    queue: VecDeque<Packet>,
}

impl Meter {
    /// "Updated CIR times per second".
    fn update(&mut self, now: u64) {
        while u128::from(self.updates.0 + 1) * u128::from(SECOND)
            <= u128::from(now) * u128::from(self.CIR)
        {
            self.updates.0 += 1;
            if self.Tc < self.CBS {
                self.Tc += 1;
            } else if !self.two && self.Te < self.EBS {
                self.Te += 1;
            }
        }
        while u128::from(self.updates.1 + 1) * u128::from(SECOND)
            <= u128::from(now) * u128::from(self.PIR)
        {
            self.updates.1 += 1;
            if self.Tp < self.PBS {
                self.Tp += 1;
            }
        }
    }

    #[allow(non_snake_case)]
    fn colour(&mut self, B: u64) -> &'static str {
        if self.two {
            if self.Tp < B {
                "red"
            } else if self.Tc < B {
                self.Tp -= B;
                "yellow"
            } else {
                self.Tp -= B;
                self.Tc -= B;
                "green"
            }
        } else if self.Tc >= B {
            self.Tc -= B;
            "green"
        } else if self.Te >= B {
            self.Te -= B;
            "yellow"
        } else {
            "red"
        }
    }
}

impl Referee for Meter {
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        self.update(now);
        match self.colour(packet.bytes) {
            "green" => self.queue.push_back(packet),
            "yellow" if self.queue.len() < self.yellow => self.queue.push_back(packet),
            _ => fates.push((packet.name, "early")),
        }
    }
    fn deque(&mut self, _: u64, _: &mut Vec<NamedFate>) -> Option<Packet> {
        self.queue.pop_front()
    }
}

#[test]
//= rfc2697 §3 type=test
//= rfc2698 §3 type=test
fn every_packet_has_the_colour_that_the_rfcs_give_it() {
    // [B/s], [B], [B], and the second rate [B/s] and its burst [B]
    let parameters = (
        1_000u64..60_000,
        1_500u64..6_000,
        0u64..6_000,
        prop::option::of((1_000u64..60_000, 1_500u64..6_000)),
        0usize..20,
    );
    let counts = judge(parameters, |&(rate, burst, excess, peak, yellow)| {
        let excess = if peak.is_some() { 0 } else { excess };
        let peak = peak.map(|(more, burst)| (rate + more, burst));
        let params = PolicerParams {
            buffer: Room::Packets(10_000),
            rate: Rate(8 * rate),
            burst: Bytes(burst),
            excess_burst: Bytes(excess),
            peak_rate: peak.map(|(rate, _)| Rate(8 * rate)),
            peak_burst: Bytes(peak.map_or(1, |(_, burst)| burst)),
            yellow_room: Some(Packets(yellow as u64)),
            aware: false,
            each: false,
        };
        params.check().expect("they go together");
        let (pir, pbs) = peak.unwrap_or((0, 0));
        let referee = Meter {
            CIR: rate,
            CBS: burst,
            EBS: excess,
            PIR: pir,
            PBS: pbs,
            Tc: burst,
            Te: excess,
            Tp: pbs,
            updates: (0, 0),
            two: peak.is_some(),
            yellow,
            queue: VecDeque::new(),
        };
        (Policer::make(&params, line()), referee)
    });
    assert!(counts["early"] > 5000, "{counts:?}");
}
