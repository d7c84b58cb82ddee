//! Watches a TCP connection from the router: what its sender sends, what its receiver can read, and the round trips, all from the
//! headers of the packets, as a capture at both ends would tell.
//!
//! Times are those at which packets leave the sender's host and (ideally) arrive at a host, so that round trips are those of the network
//! and of the receiver's stack.

use crate::packet::Tcp;
use dupack_core::time::{Duration, Instant};
use dupack_sim::probe::Event;
use std::collections::{BTreeMap, VecDeque};

/// A retransmission after this much silence is taken for a timeout: a little less than Linux' least RTO.
//= linux
pub const SILENCE: Duration = Duration::millis(190);

/// The most runs of bytes beyond the next one expected that are remembered. A receiver of Linux forgets what it has no memory for, too.
const MOST_RUNS: usize = 4096;
/// The most round trips that are kept for percentiles, 32 MiB.
const MOST_ROUND_TRIPS: usize = 1 << 22;
/// The most segments under way that are remembered.
const MOST_SENT: usize = 1 << 16;

/// Counts of a connection, in segments of the plan's size where they are segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Packets with data that the sender has sent.
    pub sent: u64,
    /// Bits of them, headers included.
    pub sent_bits: u64,
    /// Those that begin below the highest byte sent.
    pub retransmitted: u64,
    /// Acks that reached the sender.
    pub acks: u64,
    /// Recoveries that began with a retransmission without silence.
    pub fast_retransmits: u64,
    /// Retransmissions after silence.
    pub timeouts: u64,
    /// Retransmissions of the last segment after a shorter silence.
    pub probes: u64,
    /// Bytes that reached the receiver in order.
    pub delivered: u64,
    /// Round trips of segments sent once, until an ack first reports them: sum \[ps\] and number.
    pub rtt: (u128, u64),
    /// Time that the sender waited for timeouts \[ps\].
    pub idle: u64,
    /// Delays of segments from being sent first to being delivered in order: sum \[ps\] and number.
    pub delay: (u128, u64),
}

/// A segment under way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    end: u64,
    at: Instant,
    /// It measures no round trip: it was sent again (Karn's rule), or an ack has reported its arrival already.
    spent: bool,
}

/// A connection. Bytes are counted from 0 for the first byte of data.
#[derive(Clone, Debug)]
pub struct Watch {
    mss: u64,
    /// Sequence number of byte 0.
    base: Option<u32>,
    /// One beyond the highest byte sent.
    highest: u64,
    /// The next byte that the sender knows to be missing.
    acked: u64,
    /// The sender recovers until this byte is acknowledged.
    recover: u64,
    /// The next byte that the receiver misses, and the runs beyond it.
    next: u64,
    runs: BTreeMap<u64, u64>,
    under_way: VecDeque<Sent>,
    /// First send times of bytes not yet delivered: one beyond the last byte of a segment, and its time.
    unread: VecDeque<(u64, Instant)>,
    /// Segments that the receiver was given and has not answered: one beyond the last byte of each, and when.
    unanswered: VecDeque<(u32, Instant)>,
    /// When the sender last sent data or heard an ack.
    active: Instant,
    /// When it first sent a segment again.
    pub first_repeat: Option<Instant>,
    /// Counts until now.
    pub counts: Counts,
    /// Whether round trips are kept.
    keeps: bool,
    /// Round trips since they were last taken \[ps\].
    pub round_trips: Vec<u64>,
    /// Those for which there was no more room.
    pub unmeasured: u64,
}

/// The most segments without an answer that are remembered.
const MOST_UNANSWERED: usize = 256;
/// An ack that comes later than this after its segment was delayed by a timer: a little less than Linux' least delay.
//= linux
const DELAYED: Duration = Duration::millis(30);

/// A row of the tape: event and segment.
pub type Noted = (Event, u64);

impl Watch {
    /// A connection whose segments are of `mss` bytes; it keeps each round trip if `keeps`.
    pub fn new(mss: u64, keeps: bool) -> Self {
        Self {
            mss: mss.max(1),
            base: None,
            highest: 0,
            acked: 0,
            recover: 0,
            next: 0,
            runs: BTreeMap::new(),
            under_way: VecDeque::new(),
            unread: VecDeque::new(),
            unanswered: VecDeque::new(),
            active: Instant::ZERO,
            first_repeat: None,
            counts: Counts::default(),
            keeps,
            round_trips: Vec::new(),
            unmeasured: 0,
        }
    }

    /// The byte that a sequence number means: the one nearest to the highest byte sent.
    fn byte(&self, seq: u32) -> Option<u64> {
        let expected = self.base?.wrapping_add(self.highest as u32);
        let distance = i64::from(seq.wrapping_sub(expected) as i32);
        u64::try_from(self.highest as i64 + distance).ok()
    }

    /// The segment of a packet with data.
    pub fn segment(&self, tcp: &Tcp) -> Option<u64> {
        (tcp.payload > 0).then(|| Some(self.byte(tcp.seq)? / self.mss))?
    }

    /// The sender's host sends a packet of `bytes`.
    pub fn sends(&mut self, now: Instant, tcp: &Tcp, bytes: u16) -> Option<Noted> {
        if tcp.syn {
            self.base.get_or_insert(tcp.seq.wrapping_add(1));
            self.active = now;
        }
        let from = self.byte(tcp.seq).filter(|_| tcp.payload > 0)?;
        let end = from + u64::from(tcp.payload);
        let silence = now.since(self.active);
        self.counts.sent += 1;
        self.counts.sent_bits += u64::from(bytes) * 8;
        let again = from < self.highest;
        let mut event = Event::Send;
        if again {
            self.counts.retransmitted += 1;
            self.first_repeat.get_or_insert(now);
            event = self.repeats(end, silence);
            for it in &mut self.under_way {
                it.spent |= it.end > from && it.end <= end;
            }
        } else {
            self.unread.push_back((end, now));
            if self.under_way.len() < MOST_SENT {
                self.under_way.push_back(Sent {
                    end,
                    at: now,
                    spent: false,
                });
            }
        }
        self.highest = self.highest.max(end);
        self.active = now;
        Some((event, from / self.mss))
    }

    /// A retransmission, up to `end`: why.
    fn repeats(&mut self, end: u64, silence: Duration) -> Event {
        if silence >= SILENCE {
            self.counts.timeouts += 1;
            self.counts.idle += silence.0;
            self.recover = self.highest;
        } else if self.acked >= self.recover {
            let tail = end == self.highest;
            // A probe for a lost tail begins no recovery, unless an ack then tells of a loss.
            if tail && silence > Duration::millis(2) {
                self.counts.probes += 1;
            } else {
                self.counts.fast_retransmits += 1;
                self.recover = self.highest;
            }
        }
        Event::Retransmit
    }

    /// A packet of the sender arrives at the receiver: the segments that can now be read in order.
    pub fn arrives(&mut self, now: Instant, tcp: &Tcp) -> Option<std::ops::Range<u64>> {
        let from = self.byte(tcp.seq).filter(|_| tcp.payload > 0)?;
        let end = from + u64::from(tcp.payload);
        let before = self.next;
        if from > self.next {
            if self.runs.len() < MOST_RUNS {
                let run = self.runs.entry(from).or_insert(end);
                *run = end.max(*run);
            }
            return None;
        }
        self.next = self.next.max(end);
        while let Some(first) = self.runs.first_entry()
            && *first.key() <= self.next
        {
            self.next = self.next.max(first.remove());
        }
        self.counts.delivered += self.next - before;
        while let Some((end, sent)) = self.unread.front().copied()
            && end <= self.next
        {
            self.unread.pop_front();
            self.counts.delay.0 += u128::from(now.since(sent).0);
            self.counts.delay.1 += 1;
        }
        Some(before / self.mss..self.next / self.mss)
    }

    /// The receiver's kernel is given a packet with data, which may be later than its ideal arrival.
    pub fn given(&mut self, now: Instant, tcp: &Tcp) {
        if tcp.payload == 0 {
            return;
        }
        if self.unanswered.len() == MOST_UNANSWERED {
            self.unanswered.pop_front();
        }
        self.unanswered
            .push_back((tcp.seq.wrapping_add(tcp.payload), now));
    }

    /// The receiver has sent a packet: the time since it was given the segment that this acknowledges or reports; `None` if that is
    /// not known, and for an ack that a timer has delayed.
    pub fn answers(&mut self, now: Instant, tcp: &Tcp) -> Option<Duration> {
        let told = |end: u32| tcp.ack == Some(end) || tcp.sacked == Some(end);
        let at = self.unanswered.iter().position(|(end, _)| told(*end))?;
        let (_, given) = self.unanswered.drain(..=at).next_back()?;
        Some(now.since(given)).filter(|it| *it < DELAYED)
    }

    /// An ack arrives at the sender.
    pub fn hears(&mut self, now: Instant, tcp: &Tcp) -> Option<Noted> {
        let ack = self.byte(tcp.ack?)?;
        self.active = now;
        if self.highest == 0 {
            // The handshake.
            return None;
        }
        self.counts.acks += 1;
        let segment = ack / self.mss;
        if ack <= self.acked {
            self.reads_block(now, tcp);
            let duplicate = ack == self.acked && ack < self.highest && tcp.payload == 0;
            return duplicate.then_some((Event::DupAck, segment));
        }
        self.acked = ack;
        let mut newest = None;
        while let Some(first) = self.under_way.front().copied()
            && first.end <= ack
        {
            self.under_way.pop_front();
            newest = Some(first);
        }
        match newest {
            Some(Sent {
                at, spent: false, ..
            }) => self.measures(now.since(at)),
            _ => self.reads_block(now, tcp),
        }
        Some((Event::Ack, segment))
    }

    /// The first block of selective acks reports the arrival of its last segment, unless an earlier ack has.
    fn reads_block(&mut self, now: Instant, tcp: &Tcp) {
        let Some(end) = tcp.sacked.and_then(|it| self.byte(it)) else {
            return;
        };
        let at = self.under_way.partition_point(|it| it.end < end);
        if let Some(sent) = self.under_way.get_mut(at)
            && sent.end == end
            && !sent.spent
        {
            sent.spent = true;
            let at = sent.at;
            self.measures(now.since(at));
        }
    }

    /// A round trip.
    fn measures(&mut self, took: Duration) {
        self.counts.rtt.0 += u128::from(took.0);
        self.counts.rtt.1 += 1;
        if self.round_trips.len() >= MOST_ROUND_TRIPS {
            self.unmeasured += 1;
        } else if self.keeps {
            self.round_trips.push(took.0);
        }
    }

    /// Bytes that reached the receiver in order.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// Bytes that the sender knows to have arrived.
    pub fn acknowledged(&self) -> u64 {
        self.acked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 100;

    fn ms(at: u64) -> Instant {
        Instant::ZERO + Duration::millis(at)
    }

    fn data(base: u32, segment: u64) -> Tcp {
        Tcp {
            seq: base.wrapping_add(1 + (segment * MSS) as u32),
            ack: Some(0),
            syn: false,
            fin: false,
            rst: false,
            ece: false,
            payload: MSS as u32,
            sacked: None,
        }
    }

    fn ack(base: u32, segment: u64) -> Tcp {
        Tcp {
            ack: Some(base.wrapping_add(1 + (segment * MSS) as u32)),
            payload: 0,
            ..data(0, 0)
        }
    }

    fn opened(base: u32) -> Watch {
        let mut watch = Watch::new(MSS, true);
        let syn = Tcp {
            seq: base,
            ack: None,
            syn: true,
            payload: 0,
            ..data(0, 0)
        };
        assert_eq!(watch.sends(ms(0), &syn, 60), None);
        watch
    }

    #[test]
    fn a_loss_is_a_fast_retransmit_and_silence_is_a_timeout() {
        // Sequence numbers wrap.
        let base = u32::MAX - 150;
        let mut it = opened(base);
        for n in 0..4 {
            assert_eq!(
                it.sends(ms(10 + n), &data(base, n), 140),
                Some((Event::Send, n))
            );
        }
        // 1 is lost.
        assert_eq!(it.arrives(ms(20), &data(base, 0)), Some(0..1));
        assert_eq!(it.arrives(ms(21), &data(base, 2)), None);
        assert_eq!(it.hears(ms(30), &ack(base, 1)), Some((Event::Ack, 1)));
        assert_eq!(it.hears(ms(31), &ack(base, 1)), Some((Event::DupAck, 1)));
        assert_eq!(
            it.sends(ms(31), &data(base, 1), 140),
            Some((Event::Retransmit, 1))
        );
        assert_eq!(it.arrives(ms(41), &data(base, 1)), Some(1..3));
        // So is 3, of which nobody hears.
        assert_eq!(it.hears(ms(51), &ack(base, 3)), Some((Event::Ack, 3)));
        it.sends(ms(300), &data(base, 3), 140);
        let counts = it.counts;
        assert_eq!(
            (
                counts.fast_retransmits,
                counts.timeouts,
                counts.retransmitted
            ),
            (1, 1, 2)
        );
        assert_eq!(counts.idle, Duration::millis(249).0);
        assert_eq!(it.first_repeat, Some(ms(31)));
        // Segment 0 took 20 ms; the ack of 3 answers 2, which was sent once.
        assert_eq!(counts.rtt, (u128::from(Duration::millis(20 + 39).0), 2));
        assert_eq!((counts.delivered, it.delivered()), (300, 300));
    }

    #[test]
    fn an_ack_answers_the_last_segment_that_it_covers() {
        let mut it = opened(0);
        for n in 0..6 {
            it.given(ms(10 + n), &data(0, n));
        }
        // Segments 0 and 1 are acknowledged, 2 is not, 3 is reported, and 4 and 5 wait for a timer.
        let block = Tcp {
            sacked: Some(1 + 4 * MSS as u32),
            ..ack(0, 2)
        };
        assert_eq!(it.answers(ms(12), &ack(0, 2)), Some(Duration::millis(1)));
        assert_eq!(it.answers(ms(12), &ack(0, 2)), None);
        assert_eq!(it.answers(ms(15), &block), Some(Duration::millis(2)));
        assert_eq!(it.answers(ms(55), &ack(0, 6)), None);
    }

    #[test]
    fn a_segment_beyond_a_hole_measures_when_it_is_reported() {
        let mut it = opened(0);
        for n in 0..4 {
            it.sends(ms(n), &data(0, n), 140);
        }
        // 0 is lost; each of the others is reported once.
        let block = |to: u64| Tcp {
            sacked: Some(1 + (to * MSS) as u32),
            ..ack(0, 0)
        };
        for (now, to) in [(31, 2), (32, 3), (33, 4), (34, 4)] {
            it.hears(ms(now), &block(to));
        }
        it.sends(ms(34), &data(0, 0), 140);
        it.hears(ms(64), &ack(0, 4));
        assert_eq!(
            it.round_trips,
            [30, 30, 30].map(|it| Duration::millis(it).0)
        );
        // A duplicate that is reported (DSACK) is no news.
        it.sends(ms(70), &data(0, 4), 140);
        let again = Tcp {
            sacked: Some(1 + MSS as u32),
            ..ack(0, 5)
        };
        it.hears(ms(95), &again);
        assert_eq!(it.round_trips.last(), Some(&Duration::millis(25).0));
        assert_eq!(it.counts.rtt.1, 4);
    }

    proptest! {
        #[test]
        fn no_headers_make_it_panic(
            packets in prop::collection::vec((0u8..4, any::<u32>(), any::<Option<u32>>(), any::<bool>(), 0u32..70_000), 0..100),
        ) {
            let mut it = Watch::new(MSS, true);
            for (at, (which, seq, ack, syn, payload)) in packets.into_iter().enumerate() {
                let tcp = Tcp { seq, ack, syn, fin: false, rst: false, ece: false, payload, sacked: ack };
                let now = ms(at as u64);
                match which {
                    0 => drop(it.sends(now, &tcp, 40)),
                    1 => {
                        it.given(now, &tcp);
                        it.arrives(now, &tcp);
                    }
                    2 => drop(it.answers(now, &tcp)),
                    _ => drop(it.hears(now, &tcp)),
                }
                prop_assert!(it.counts.delivered <= it.delivered());
            }
        }

        /// In whatever order segments arrive, what is delivered is what arrived without a gap.
        #[test]
        fn what_arrives_without_a_gap_is_delivered(order in prop::collection::vec(0u64..20, 1..60)) {
            let mut it = opened(7);
            for n in 0..20 {
                it.sends(ms(n), &data(7, n), 140);
            }
            let mut arrived = [false; 20];
            for n in order {
                it.arrives(ms(100), &data(7, n));
                arrived[n as usize] = true;
                let want = arrived.iter().take_while(|it| **it).count() as u64;
                prop_assert_eq!(it.delivered(), want * MSS);
            }
        }
    }
}
