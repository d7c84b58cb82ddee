//! PIE as RFC 8033 prints it: section 4 with the optional elements of section 5 that ours has.

use super::{MS, Packet, Referee, differing, judge};
use crate::declare::Declared;
use crate::measure::{Bytes, Room, Share};
use crate::queue::Make;
use crate::queue::laws::NamedFate;
use crate::queue::pie::{Decay, Estimator, Pie, PieParams};
use crate::queue::tests::script::line;
use crate::rng::Stream;
use crate::time::Duration;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

/// In a second \[ps\].
const SECOND: f64 = 1e12;

/// The queue and its state `PIE`, with the RFC's names. Times are in seconds, where they are not times of a clock.
#[allow(non_snake_case)]
struct PieQueue {
    queue_: VecDeque<Packet>,
    random: Stream,
    TAIL_DROP: usize,
    QDELAY_REF: f64,
    /// \[ps\], as `burst_allowance_` is.
    MAX_BURST: u64,
    T_UPDATE: u64,
    alpha: f64,
    beta: f64,
    MEAN_PKTSIZE: u64,
    MAX_ECNTH: f64,
    DQ_THRESHOLD: u64,
    ecn: bool,
    timestamps: bool,
    derandomize: bool,
    cap: bool,
    decay_below_half: bool,
    /// When the timer runs out.
    timer: u64,
    drop_prob_: f64,
    accu_prob_: f64,
    qdelay_old_: f64,
    burst_allowance_: u64,
    timestamp_delay: f64,
    in_measurement_: bool,
    measurement_start_: u64,
    dq_count_: u64,
    avg_dq_time_: f64,
    bug: Option<Bug>,
}

/// The two parts of a bug of PIE that was published: rattan's issue 197.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bug {
    /// The queue up to which nothing is dropped early is counted in packets.
    CountsPackets,
    /// The probability is updated when a packet arrives, once for all updates that were due.
    UpdatesOnArrival,
}

impl PieQueue {
    fn byte_length(&self) -> u64 {
        self.queue_.iter().map(|p| p.bytes).sum()
    }

    fn current_qdelay(&self) -> f64 {
        if self.timestamps {
            self.timestamp_delay
        } else {
            self.byte_length() as f64 * self.avg_dq_time_ / self.DQ_THRESHOLD as f64
        }
    }

    /// true is DROP, false is ENQUE.
    fn drop_early(&mut self) -> bool {
        let short = match self.bug {
            Some(Bug::CountsPackets) => self.queue_.len() <= 2,
            _ => self.byte_length() <= 2 * self.MEAN_PKTSIZE,
        };
        if (self.qdelay_old_ < self.QDELAY_REF / 2.0 && self.drop_prob_ < 0.2) || short {
            return false;
        }
        if self.derandomize {
            if self.drop_prob_ == 0.0 {
                self.accu_prob_ = 0.0;
            }
            self.accu_prob_ += self.drop_prob_;
            if self.accu_prob_ < 0.85 {
                return false;
            }
            if self.accu_prob_ >= 8.5 {
                return true;
            }
        }
        let u = self.random.share();
        u < self.drop_prob_
    }

    fn calculate_drop_prob(&mut self) {
        let current_qdelay = self.current_qdelay();
        let mut p = self.alpha * (current_qdelay - self.QDELAY_REF)
            + self.beta * (current_qdelay - self.qdelay_old_);
        if self.drop_prob_ < 0.000001 {
            p /= 2048.0;
        } else if self.drop_prob_ < 0.00001 {
            p /= 512.0;
        } else if self.drop_prob_ < 0.0001 {
            p /= 128.0;
        } else if self.drop_prob_ < 0.001 {
            p /= 32.0;
        } else if self.drop_prob_ < 0.01 {
            p /= 8.0;
        } else if self.drop_prob_ < 0.1 {
            p /= 2.0;
        }
        if self.cap && self.drop_prob_ >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob_ += p;
        let half = self.QDELAY_REF / 2.0;
        if self.decay_below_half {
            if current_qdelay < half && self.qdelay_old_ < half {
                self.drop_prob_ *= 0.98;
            }
        } else if current_qdelay == 0.0 && self.qdelay_old_ == 0.0 {
            self.drop_prob_ *= 0.98;
        }
        self.drop_prob_ = self.drop_prob_.clamp(0.0, 1.0);
        self.qdelay_old_ = current_qdelay;
        self.burst_allowance_ = self.burst_allowance_.saturating_sub(self.T_UPDATE);
    }

    /// The timer has run out as often as it has until `now`.
    fn timers(&mut self, now: u64) {
        if self.bug == Some(Bug::UpdatesOnArrival) && self.timer <= now {
            self.calculate_drop_prob();
            self.timer = now + self.T_UPDATE;
        }
        while self.timer <= now {
            self.calculate_drop_prob();
            self.timer += self.T_UPDATE;
        }
    }
}

impl Referee for PieQueue {
    fn enque(&mut self, now: u64, packet: Packet, fates: &mut Vec<NamedFate>) {
        self.timers(now);
        if self.queue_.len() >= self.TAIL_DROP {
            self.accu_prob_ = 0.0;
            return fates.push((packet.name, "overflow"));
        }
        let mut drops = false;
        if self.burst_allowance_ == 0 && self.drop_early() {
            if self.ecn && packet.ecn_capable && self.drop_prob_ < self.MAX_ECNTH {
                fates.push((packet.name.clone(), "marked"));
            } else {
                drops = true;
            }
            self.accu_prob_ = 0.0;
        }
        let half = self.QDELAY_REF / 2.0;
        if self.drop_prob_ == 0.0 && self.current_qdelay() < half && self.qdelay_old_ < half {
            self.burst_allowance_ = self.MAX_BURST;
        }
        if drops {
            fates.push((packet.name, "early"));
        } else {
            self.queue_.push_back(packet);
        }
    }

    fn deque(&mut self, now: u64, _: &mut Vec<NamedFate>) -> Option<Packet> {
        self.timers(now);
        let packet = self.queue_.pop_front()?;
        self.timestamp_delay = (now - packet.tstamp) as f64 / SECOND;
        // An empty queue has no delay.
        if self.queue_.is_empty() {
            self.timestamp_delay = 0.0;
        }
        if self.in_measurement_ {
            self.dq_count_ += packet.bytes;
            if self.dq_count_ >= self.DQ_THRESHOLD {
                let dq_time = (now - self.measurement_start_) as f64 / SECOND;
                if self.avg_dq_time_ == 0.0 {
                    self.avg_dq_time_ = dq_time;
                } else {
                    let weight = self.DQ_THRESHOLD as f64 / 65536.0;
                    self.avg_dq_time_ = dq_time * weight + self.avg_dq_time_ * (1.0 - weight);
                }
                self.in_measurement_ = false;
            }
        }
        if self.byte_length() >= self.DQ_THRESHOLD && !self.in_measurement_ {
            self.in_measurement_ = true;
            self.measurement_start_ = now;
            self.dq_count_ = 0;
        }
        Some(packet)
    }
}

type Parameters = ((u64, u64, u64), (f64, f64), u64, u64, u64, (f64, [bool; 5]));

fn parameters() -> impl Strategy<Value = Parameters> {
    (
        (MS..20 * MS, MS..20 * MS, 0u64..160),
        (0.01..4.0, 0.1..40.0),
        prop_oneof![Just(10_000u64), 5..60u64],
        prop::sample::select(&[1500u64, 4000, 16384][..]),
        prop::sample::select(&[40u64, 600][..]),
        (0.05..1.0, prop::array::uniform5(any::<bool>())),
    )
}

/// Ours, and the referee with a bug or without one.
fn pair(bug: Option<Bug>) -> impl Fn(&Parameters) -> (Pie<crate::queue::laws::Named>, PieQueue) {
    move |&((target, update, burst), (alpha, beta), room, threshold, size, (ecnth, flags))| {
        let [ecn, timestamps, derandomize, cap, decay_below_half] = flags;
        let params = PieParams {
            buffer: Room::Packets(room),
            target: Duration(target),
            update: Duration(update),
            alpha,
            beta,
            max_burst: Duration(burst * MS),
            estimator: match timestamps {
                true => Estimator::Timestamp,
                false => Estimator::DepartureRate,
            },
            dq_threshold: Bytes(threshold),
            decay: match decay_below_half {
                true => Decay::BelowHalf,
                false => Decay::Idle,
            },
            derandomize,
            cap,
            ecn,
            mark_ecnth: Share(ecnth),
            packet_size: Bytes(size),
        };
        params.check().expect("they go together");
        let referee = PieQueue {
            queue_: VecDeque::new(),
            random: line().stream,
            TAIL_DROP: room as usize,
            QDELAY_REF: target as f64 / SECOND,
            MAX_BURST: burst * MS,
            T_UPDATE: update,
            alpha,
            beta,
            MEAN_PKTSIZE: size,
            MAX_ECNTH: ecnth,
            DQ_THRESHOLD: threshold,
            ecn,
            timestamps,
            derandomize,
            cap,
            decay_below_half,
            timer: update,
            drop_prob_: 0.0,
            accu_prob_: 0.0,
            qdelay_old_: 0.0,
            burst_allowance_: burst * MS,
            timestamp_delay: 0.0,
            in_measurement_: false,
            measurement_start_: 0,
            dq_count_: 0,
            avg_dq_time_: 0.0,
            bug,
        };
        (Pie::make(&params, line()), referee)
    }
}

#[test]
fn the_threshold_of_rattans_issue_197_is_found() {
    assert!(differing(parameters(), pair(Some(Bug::CountsPackets))) > 0);
}

#[test]
fn the_updates_of_rattans_issue_197_are_found() {
    assert!(differing(parameters(), pair(Some(Bug::UpdatesOnArrival))) > 0);
}

#[test]
//= rfc8033 §4 type=test
//= rfc8033 §5 type=test
fn every_packet_has_the_fate_that_rfc_8033_gives_it() {
    let counts = judge(parameters(), pair(None));
    // A comparison without drops and marks would show nothing.
    let enough = counts["early"] > 1000 && counts["marked"] > 30 && counts["overflow"] > 100;
    assert!(enough, "{counts:?}");
}
