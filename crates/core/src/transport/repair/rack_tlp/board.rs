//! RACK's scoreboard: the latest transmission of each outstanding segment. A segment is lost if one sent later has arrived, and the
//! reordering window is over.
//!
//! Transmissions are numbered. Where the RFC compares times of transmission, and breaks ties by sequence numbers, the numbers are
//! compared.
//= rfc8985 §6
//= rfc8985 §6.2, ties type=departure

use crate::time::{Duration, Instant};
use crate::transport::{Ack, Block, SACK_BLOCKS};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// Presumed status of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Flight,
    Sacked,
    /// Segment.lost: it needs to be retransmitted.
    Lost,
}

/// An outstanding segment.
//= rfc8985 §5.2
//= rfc8985 §4, stamps
#[derive(Clone, Copy, Debug)]
struct Segment {
    status: Status,
    /// Segment.retransmitted
    retransmitted: bool,
    /// Its latest transmission.
    id: u64,
    /// Segment.xmit_ts
    xmit: Instant,
}

/// Result of a search for losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The latest of the transmissions that have just been found lost.
    pub lost: Option<u64>,
    /// Time until the reordering window is over for the last of the others that were sent before RACK.segment.
    pub remaining: Option<Duration>,
}

/// The scoreboard.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Outstanding segments, from `base` on.
    segments: VecDeque<Segment>,
    base: u64,
    /// Segments of the transmissions from number `first` on: those after RACK.segment.
    sent: VecDeque<u64>,
    first: u64,
    /// Transmissions before RACK.segment, each with its segment, of which the reordering window was not over.
    waiting: Vec<(u64, u64)>,
    lost: BTreeSet<u64>,
    flight: u64,
    /// RACK.segs_sacked
    sacked: u64,
    /// A segment of which a probe has put a second copy in the network.
    copied: Option<u64>,
    /// The number of RACK.segment's transmission, which stands for RACK.xmit_ts and RACK.end_seq.
    rack: Option<u64>,
    /// RACK.rtt
    rtt: Duration,
    /// RACK.fack
    fack: u64,
    /// RACK.reordering_seen
    reordering: bool,
    /// Distance from RACK.fack of a segment that arrived late, at most \[segments\].
    extent: u64,
    /// Segments that were taken for lost, and not sent again, have arrived.
    originals: bool,
    /// Blocks whose segments have all been entered, and have the status `Sacked` as far as they are outstanding.
    known: [Block; SACK_BLOCKS],
}

impl Board {
    /// Transmissions that may still arrive.
    pub fn in_flight(&self) -> u64 {
        self.flight + u64::from(self.copied.is_some())
    }

    /// Segments reported beyond the next one expected.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Lost segments that have not been retransmitted.
    pub fn lost(&self) -> &BTreeSet<u64> {
        &self.lost
    }

    /// Lost segments that have been sent again and are under way: the first with its transmission, and how many; `None` without any. The copy
    /// that a probe has sent is none of them.
    pub fn repairing(&self) -> Option<((u64, u64), u64)> {
        let numbers = self.base..self.base + self.segments.len() as u64;
        let mut under_way = numbers.zip(&self.segments).filter(|(number, it)| {
            it.retransmitted && it.status == Status::Flight && self.copied != Some(*number)
        });
        let first = under_way.next().map(|(number, it)| (number, it.id))?;
        Some((first, 1 + under_way.count() as u64))
    }

    /// By how many segments one has been overtaken, at most.
    pub fn extent(&self) -> u64 {
        self.extent
    }

    /// Whether segments have arrived in another order than they were sent.
    pub fn reordering_seen(&self) -> bool {
        self.reordering
    }

    /// The number of the next transmission.
    pub fn next_id(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// `segment` is sent, for the first time or again.
    //= rfc8985 §6.1
    //= rfc8985 §7.3, transmission
    pub fn on_sent(&mut self, now: Instant, segment: u64) {
        let id = self.next_id();
        self.sent.push_back(segment);
        let new = Segment {
            status: Status::Flight,
            retransmitted: false,
            id,
            xmit: now,
        };
        let Some(at) = self.segments.get_mut((segment - self.base) as usize) else {
            self.segments.push_back(new);
            self.flight += 1;
            return;
        };
        let was = at.status;
        *at = Segment {
            retransmitted: true,
            ..new
        };
        match was {
            Status::Flight => self.copied = Some(segment),
            Status::Lost => {
                self.lost.remove(&segment);
                self.flight += 1;
            }
            Status::Sacked => {
                self.sacked -= 1;
                self.flight += 1;
                self.known = [Block::default(); SACK_BLOCKS];
            }
        }
    }

    /// Enters the arrivals that an ack reports; returns how many segments it is the first to report. `least` is RACK.min_RTT.
    pub fn on_ack(&mut self, now: Instant, ack: &Ack, least: Duration) -> u64 {
        let mut arrival = Arrival {
            now,
            echo: (!ack.trimmed && !ack.repeats).then_some(ack.id),
            least,
            newest: None,
        };
        let mut delivered = 0;
        while self.base < ack.next {
            let Some(segment) = self.segments.pop_front() else {
                break;
            };
            if segment.status == Status::Sacked {
                self.sacked -= 1;
            } else {
                delivered += 1;
                self.deliver(self.base, segment, &mut arrival);
            }
            self.base += 1;
        }
        if ack.blocks.iter().any(|it| it.from < it.to) {
            delivered += self.report(ack, &mut arrival);
        }
        //= rfc8985 §6.2, step 2
        if let Some((id, rtt)) = arrival.newest {
            self.rtt = rtt;
            if self.rack.is_none_or(|rack| rack < id) {
                self.rack = Some(id);
                self.advance(id);
            }
        }
        delivered
    }

    /// Enters the blocks of an ack; returns how many segments it is the first to report.
    fn report(&mut self, ack: &Ack, arrival: &mut Arrival) -> u64 {
        let mut blocks = ack.blocks;
        // In ascending order, as the search for reordering demands; the ack has the latest block first.
        blocks.sort_unstable_by_key(|it| it.from);
        let end = self.base + self.segments.len() as u64;
        let entered = blocks.map(|it| it.within(0, end));
        let known = core::mem::replace(&mut self.known, entered);
        let mut delivered = 0;
        for block in blocks {
            let block = block.within(self.base, end);
            for number in block.without(&known) {
                let at = &mut self.segments[(number - self.base) as usize];
                let segment = *at;
                if segment.status == Status::Sacked {
                    continue;
                }
                at.status = Status::Sacked;
                self.sacked += 1;
                delivered += 1;
                self.deliver(number, segment, arrival);
            }
            let sacked =
                |number| self.segments[(number - self.base) as usize].status == Status::Sacked;
            debug_assert!((block.from..block.to).all(sacked));
        }
        delivered
    }

    /// Segment `number` has arrived.
    fn deliver(&mut self, number: u64, segment: Segment, arrival: &mut Arrival) {
        match segment.status {
            Status::Flight => self.flight -= 1,
            _ => {
                self.lost.remove(&number);
                self.originals |= !segment.retransmitted;
            }
        }
        self.copied.take_if(|it| *it == number);
        let later = arrival.newest.is_none_or(|(id, _)| id < segment.id);
        if later && arrival.measures(&segment) {
            arrival.newest = Some((segment.id, arrival.now - segment.xmit));
        }
        //= rfc8985 §6.2, step 3
        let end = number + 1;
        if end > self.fack {
            self.fack = end;
        } else if end < self.fack && !segment.retransmitted {
            self.reordering = true;
            self.extent = self.extent.max(self.fack - number);
        }
    }

    /// RACK.segment was sent by transmission `rack`: those before it wait for their reordering window.
    fn advance(&mut self, rack: u64) {
        while self.first <= rack
            && let Some(segment) = self.sent.pop_front()
        {
            if self.flies(segment, self.first) && self.first < rack {
                self.waiting.push((segment, self.first));
            }
            self.first += 1;
        }
    }

    /// Whether transmission `id` is the latest of `segment`, and neither has it arrived nor is it lost, as far as is known.
    fn flies(&self, segment: u64, id: u64) -> bool {
        let at = segment.checked_sub(self.base);
        at.and_then(|at| self.segments.get(at as usize))
            .is_some_and(|it| it.status == Status::Flight && it.id == id)
    }

    /// RACK_detect_loss(): marks what is lost by now, with a reordering window of `wnd`.
    //= rfc8985 §6.2, step 5
    // Only transmissions before RACK.segment are looked at, in a list of their own.
    pub fn detect(&mut self, now: Instant, wnd: Duration) -> Found {
        let mut found = Found::default();
        if self.waiting.is_empty() {
            return found;
        }
        let mut waiting = core::mem::take(&mut self.waiting);
        waiting.retain(|(number, id)| {
            if !self.flies(*number, *id) {
                return false;
            }
            let sent = self.segments[(*number - self.base) as usize].xmit;
            // remaining = Segment.xmit_ts + RACK.rtt + RACK.reo_wnd - Now()
            let remaining = (sent + self.rtt + wnd).since(now);
            if remaining > Duration::ZERO {
                found.remaining = found.remaining.max(Some(remaining));
                return true;
            }
            self.lose(*number);
            found.lost = found.lost.max(Some(*id));
            false
        });
        self.waiting = waiting;
        found
    }

    /// The retransmission timer has run out: the oldest segment is lost, and so are those sent at least RACK.rtt and `wnd` ago.
    //= rfc8985 §6.3
    // What was reported stays so, except of the oldest: the receiver may have discarded that.
    //= rfc2018 §5, left edge
    pub fn on_timeout(&mut self, now: Instant, wnd: Duration) {
        for at in 0..self.segments.len() {
            let it = self.segments[at];
            let old = it.xmit + self.rtt + wnd <= now;
            if at == 0 || (old && it.status == Status::Flight) {
                self.lose(self.base + at as u64);
            }
        }
    }

    /// Whether segments that were taken for lost, and had not been sent again, have arrived since this was asked last.
    pub fn take_originals(&mut self) -> bool {
        core::mem::take(&mut self.originals)
    }

    /// What was taken for lost, and has not been sent again, is in flight.
    //= linux §tcp_input.c, undo
    pub fn restore(&mut self) {
        for number in core::mem::take(&mut self.lost) {
            let it = &mut self.segments[(number - self.base) as usize];
            it.status = Status::Flight;
            self.flight += 1;
            if it.id < self.first {
                self.waiting.push((number, it.id));
            }
        }
    }

    /// `number` is lost.
    fn lose(&mut self, number: u64) {
        let it = &mut self.segments[(number - self.base) as usize];
        match it.status {
            Status::Flight => self.flight -= 1,
            Status::Sacked => {
                self.sacked -= 1;
                self.known = [Block::default(); SACK_BLOCKS];
            }
            Status::Lost => return,
        }
        it.status = Status::Lost;
        self.lost.insert(number);
        self.copied.take_if(|it| *it == number);
    }
}

/// An ack in the course of its reading.
struct Arrival {
    now: Instant,
    /// The transmission that it echoes.
    echo: Option<u64>,
    /// RACK.min_RTT
    least: Duration,
    /// The latest transmission that it shows to have arrived, and its round trip.
    newest: Option<(u64, Duration)>,
}

impl Arrival {
    /// Whether the ack measures the latest transmission of `segment`, and not an earlier one.
    //= rfc8985 §6.2, spurious
    // "ignore a segment as invalid if any of its sequence range has been retransmitted before and if either of two conditions is
    // true": the ack echoes an earlier transmission, or that was less than RACK.min_RTT ago.
    fn measures(&self, segment: &Segment) -> bool {
        let earlier = self.echo.is_some_and(|echo| echo < segment.id);
        !segment.retransmitted || !(earlier || self.now - segment.xmit < self.least)
    }
}
