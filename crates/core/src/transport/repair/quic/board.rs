//! The packets that QUIC has sent, and the segments that they carried.
//!
//! A transmission is a packet, and its number the packet number. A segment that is lost is sent again in a new packet.
//= rfc9002 §A.1

use crate::time::{Duration, Instant};
use crate::transport::{Ack, Block, Ranges};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// Status of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    InFlight,
    Lost,
    Acknowledged,
}

/// A packet.
#[derive(Clone, Copy, Debug)]
struct Packet {
    segment: u64,
    /// time_sent
    at: Instant,
    status: Status,
}

/// An outstanding segment.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The latest packet that carries it.
    id: u64,
    arrived: bool,
}

/// Thresholds by which packets are taken for lost.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    /// kPacketThreshold
    pub packets: u64,
    /// Time after which an earlier packet than one that has arrived is lost.
    pub delay: Duration,
}

/// Result of a search for losses.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The packets that have just been found lost, in ascending order.
    pub lost: Vec<u64>,
    /// loss_time: when the next one will be lost.
    pub next: Option<Instant>,
}

/// The packets that an ack is the first to acknowledge.
#[derive(Clone, Copy, Debug, Default)]
pub struct News {
    /// How many.
    pub count: u64,
    /// The largest of them.
    pub largest: Option<u64>,
}

/// What has been sent.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// sent_packets, from number `first` on.
    packets: VecDeque<Packet>,
    first: u64,
    /// Outstanding segments, from `base` on.
    segments: VecDeque<Segment>,
    base: u64,
    /// Segments to be sent again.
    lost: BTreeSet<u64>,
    /// bytes_in_flight \[packets\]
    in_flight: u64,
    /// One beyond largest_acked_packet.
    acked: u64,
    /// Packets in flight before that, in ascending order.
    waiting: Vec<u64>,
    /// What the latest ack reported.
    heard: Ranges,
}

impl Board {
    /// Packets that have been neither acknowledged nor taken for lost.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Segments of lost packets that have not been sent again.
    pub fn lost(&self) -> &BTreeSet<u64> {
        &self.lost
    }

    /// The number of the next packet.
    pub fn next_id(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// The oldest segment that is not known to have arrived.
    pub fn oldest(&self) -> Option<u64> {
        let at = self.segments.iter().position(|it| !it.arrived);
        at.map(|at| self.base + at as u64)
    }

    /// `segment` is sent, in the next packet.
    //= rfc9002 §A.5
    pub fn on_sent(&mut self, now: Instant, segment: u64) {
        let id = self.next_id();
        self.packets.push_back(Packet {
            segment,
            at: now,
            status: Status::InFlight,
        });
        self.in_flight += 1;
        let it = Segment { id, arrived: false };
        match self.segments.get_mut((segment - self.base) as usize) {
            Some(at) => *at = it,
            None => self.segments.push_back(it),
        }
        self.lost.remove(&segment);
    }

    /// The runs of packets that an ack acknowledges and the one before did not, forgotten ones among them.
    pub fn new_runs(&self, ack: &Ack) -> Vec<Block> {
        let mut runs = Vec::new();
        ack.ranges.each_new(&self.heard, |run| runs.push(run));
        runs
    }

    /// Enters what an ack acknowledges.
    //= rfc9002 §A.7
    pub fn on_ack(&mut self, ack: &Ack) -> News {
        let before = core::mem::replace(&mut self.heard, ack.ranges);
        let mut news = News::default();
        // An ack of a packet that has not been sent is none.
        let end = self.next_id();
        if let Some(largest) = ack.ranges.largest().filter(|it| *it < end) {
            ack.ranges.each_new(&before, |run| {
                for id in (run.from.max(self.first)..run.to.min(end)).rev() {
                    if self.acknowledge(id) {
                        news.count += 1;
                        news.largest = news.largest.max(Some(id));
                    }
                }
            });
            for id in self.acked.max(self.first)..largest {
                if self.packets[(id - self.first) as usize].status == Status::InFlight {
                    self.waiting.push(id);
                }
            }
            self.acked = self.acked.max(largest + 1);
        }
        news
    }

    /// Packet `id` has arrived; returns whether that is news.
    fn acknowledge(&mut self, id: u64) -> bool {
        let packet = &mut self.packets[(id - self.first) as usize];
        match packet.status {
            Status::Acknowledged => return false,
            Status::InFlight => self.in_flight -= 1,
            Status::Lost => {}
        }
        packet.status = Status::Acknowledged;
        let segment = packet.segment;
        if let Some(at) = segment.checked_sub(self.base)
            && let Some(it) = self.segments.get_mut(at as usize)
        {
            it.arrived = true;
            self.lost.remove(&segment);
        }
        true
    }

    /// All segments before `una` have arrived, whatever packets have brought them. If they are `all`, nothing is in flight any more.
    //= rfc9002 §6.2.4, mark type=departure
    pub fn advance(&mut self, una: u64, all: bool) {
        while self.base < una && self.segments.pop_front().is_some() {
            self.lost.remove(&self.base);
            self.base += 1;
        }
        if all {
            for packet in &mut self.packets {
                packet.status = Status::Acknowledged;
            }
            self.in_flight = 0;
            self.waiting.clear();
        }
        // What is lost is kept as long as its segment is outstanding: its ack may still come.
        while let Some(packet) = self.packets.front()
            && match packet.status {
                Status::InFlight => false,
                Status::Lost => packet.segment < self.base,
                Status::Acknowledged => true,
            }
        {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// DetectAndRemoveLostPackets()
    //= rfc9002 §6.1
    //= rfc9002 §A.10
    // Only packets in flight before the largest acknowledged one are looked at, in a list of their own.
    pub fn detect(&mut self, now: Instant, thresholds: Thresholds) -> Found {
        let mut found = Found::default();
        let mut waiting = core::mem::take(&mut self.waiting);
        waiting.retain(|id| {
            let Some(at) = id.checked_sub(self.first) else {
                return false;
            };
            let packet = &mut self.packets[at as usize];
            if packet.status != Status::InFlight {
                return false;
            }
            let due = packet.at + thresholds.delay;
            //= rfc9002 §6.1.1
            //= rfc9002 §6.1.2
            if id + thresholds.packets >= self.acked && due > now {
                found.next = Some(found.next.map_or(due, |next| next.min(due)));
                return true;
            }
            packet.status = Status::Lost;
            let segment = packet.segment;
            self.in_flight -= 1;
            found.lost.push(*id);
            self.give_up(segment, *id);
            false
        });
        self.waiting = waiting;
        found
    }

    /// Packet `id` is lost: its segment is sent again, unless a later packet carries it, or it has arrived.
    //= rfc9000 §13.3
    fn give_up(&mut self, segment: u64, id: u64) {
        let at = segment.checked_sub(self.base);
        let it = at.and_then(|at| self.segments.get(at as usize));
        if it.is_some_and(|it| it.id == id && !it.arrived) {
            self.lost.insert(segment);
        }
    }

    /// Whether two of the packets `lost`, in ascending order, establish persistent congestion: they were sent `sampled` or later, more
    /// than `duration` apart, and none between them has arrived.
    //= rfc9002 §7.6.2
    pub fn persists(&self, lost: &[u64], sampled: Option<Instant>, duration: Duration) -> bool {
        let Some(sampled) = sampled else {
            return false;
        };
        let sent = |id: u64| self.packets[(id - self.first) as usize];
        let mut from: Option<u64> = None;
        for id in lost.iter().copied().filter(|id| sent(*id).at >= sampled) {
            let since = from.filter(|from| {
                let mut between = *from..id;
                !between.any(|it| sent(it).status == Status::Acknowledged)
            });
            let since = since.unwrap_or(id);
            if sent(id).at - sent(since).at > duration {
                return true;
            }
            from = Some(since);
        }
        false
    }
}
