//! The two ends of a flow, and their counters.

use crate::application::Meter;
use crate::spec;
use dupack_core::measure::Bytes;
use dupack_core::rng::Stream;
use dupack_core::time::{Duration, Instant};
use dupack_core::traffic::{AnyTraffic, Extent, Offer, Released, Traffic};
use dupack_core::transport::AnySender;
use dupack_core::transport::receiver::Receiver;
use dupack_core::unit::FlowId;
use std::collections::VecDeque;

/// The way of a flow's data; its acks' way is the next.
pub fn data_way(flow: usize) -> FlowId {
    FlowId(2 * flow as u32)
}

/// The way of a flow's acks.
pub fn ack_way(flow: usize) -> FlowId {
    FlowId(2 * flow as u32 + 1)
}

/// When a flow begins in a run with `seed`.
pub fn begins(flow: &spec::Flow, seed: u64) -> Instant {
    let (low, high) = flow.start;
    let path = format!("flow.{}.start", flow.name);
    Instant(Stream::new(seed, &path).between(low.0, high.0))
}

/// Counts of a flow; measured values are differences between the end and the end of warm-up. They are in the order of use: the first 64
/// bytes are for an arrival, the next for what is sent, the others are rare.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Tally {
    /// Segments handed to the application.
    pub delivered: u64,
    pub delivered_bytes: u64,
    /// Sum over them of the time since they were first sent \[ps\].
    pub delay: u128,
    /// Round trips: sum \[ps\] and number.
    pub rtt: (u128, u64),
    /// Acks that arrived at the sender.
    pub acks: u64,
    pub sent: u64,
    /// Bits of them on the first line, headers and (on cells) padding and the cells' own among them.
    pub sent_bits: u64,
    pub retransmitted: u64,
    /// Retransmission timeouts in force (without back-off) at each measured round trip: sum \[ps\] and number.
    pub rto: (u128, u64),
    pub fast_retransmits: u64,
    /// Probes for losses.
    pub probes: u64,
    pub timeouts: u64,
    /// Time spent waiting for timeouts.
    pub idle: Duration,
    /// Messages that were wholly acknowledged, or sent if no acks come: the sum of their times since they began \[ps\], and their number.
    pub messages: (u128, u64),
}

impl Tally {
    /// Adds the counts of another flow.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.sent_bits += other.sent_bits;
        self.retransmitted += other.retransmitted;
        self.delivered += other.delivered;
        self.delivered_bytes += other.delivered_bytes;
        self.delay += other.delay;
        self.timeouts += other.timeouts;
        self.fast_retransmits += other.fast_retransmits;
        self.probes += other.probes;
        self.acks += other.acks;
        self.idle = self.idle + other.idle;
        for (sum, more) in [
            (&mut self.rtt, other.rtt),
            (&mut self.rto, other.rto),
            (&mut self.messages, other.messages),
        ] {
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }

    /// Takes those of the receiver from another, which has no others.
    fn receives(&mut self, other: &Self) {
        self.delivered = other.delivered;
        self.delivered_bytes = other.delivered_bytes;
        self.delay = other.delay;
    }

    /// Counts since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            sent_bits: self.sent_bits - earlier.sent_bits,
            retransmitted: self.retransmitted - earlier.retransmitted,
            delivered: self.delivered - earlier.delivered,
            delivered_bytes: self.delivered_bytes - earlier.delivered_bytes,
            delay: self.delay - earlier.delay,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            probes: self.probes - earlier.probes,
            acks: self.acks - earlier.acks,
            idle: Duration(self.idle.0 - earlier.idle.0),
            rtt: (self.rtt.0 - earlier.rtt.0, self.rtt.1 - earlier.rtt.1),
            rto: (self.rto.0 - earlier.rto.0, self.rto.1 - earlier.rto.1),
            messages: (
                self.messages.0 - earlier.messages.0,
                self.messages.1 - earlier.messages.1,
            ),
        }
    }
}

/// A flow: sender, receiver, application, counters. Thousands of flows do not fit in the cache, so the fields are in the order of use, by
/// cache lines: for a segment that arrives in order the first of the receiver, `unread`, the first of the counts, and the line of `echo`;
/// for an ack the lines from `unread` on. The application, which is behind everything else, is not asked about every segment.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Machine {
    pub receiver: Receiver,
    /// First send times of the segments that the receiver has yet to hand on in order; none for datagrams, some of which never arrive.
    unread: VecDeque<Instant>,
    pub tally: Tally,
    /// Send time of the data that the receiver's next ack answers, unless it was a retransmission.
    pub echo: Option<Instant>,
    pub mss: Bytes,
    pub header: Bytes,
    /// All there is to send; `None` for no end.
    pub file: Option<Extent>,
    /// The application wants to know of each segment that arrives ([`Traffic::listens`]).
    listens: bool,
    /// It cuts its segments itself ([`Traffic::cuts`]).
    cuts: bool,
    started: bool,
    /// Time at which the sender last sent or received anything.
    pub active: Instant,
    /// The pending wake-up of sender and application; stale ones are ignored.
    pub armed: Instant,
    /// Time of the application's next own action, at first its start. It is kept here, as is the next field, so that
    /// an ack costs one comparison and no more.
    due: Instant,
    /// The application waits until everything before this segment is acknowledged.
    awaited: u64,
    pub start: Instant,
    pub completed: Option<Instant>,
    /// The account when warm-up ended, if there was anything in it.
    warm: Option<Box<Tally>>,
    pub sender: AnySender,
    /// The measures of the application, if it has any of its own.
    pub meter: Option<Box<Meter>>,
    traffic: AnyTraffic,
}

impl Machine {
    pub fn new(flow: &spec::Flow, seed: u64) -> Self {
        Self::begin(flow, &flow.name, seed, begins(flow, seed).0)
    }

    /// A connection of `flow` whose streams bear its `name`, and which starts at `start` \[ps\].
    pub fn begin(flow: &spec::Flow, name: &str, seed: u64, start: u64) -> Self {
        let common = &flow.transport.common;
        let stream = |of| Stream::new(seed, &format!("flow.{name}.{of}"));
        let mut sender = flow.transport.sender();
        sender.draw_from(&|| stream("control"));
        if let Some(rate) = flow.traffic.access_rate() {
            sender.shape(rate, (common.mss.0 + common.header.0) * 8);
        }
        let traffic = AnyTraffic::new(&flow.traffic, common.mss, common.header, stream("traffic"));
        Self {
            sender,
            receiver: flow.transport.receiver(),
            file: traffic.extent(),
            listens: traffic.listens(),
            cuts: traffic.cuts(),
            traffic,
            due: Instant(start),
            awaited: u64::MAX,
            mss: common.mss,
            header: common.header,
            start: Instant(start),
            started: false,
            armed: Instant(start),
            active: Instant(start),
            echo: None,
            unread: VecDeque::new(),
            completed: None,
            tally: Tally::default(),
            warm: None,
            meter: Meter::new(flow.traffic.measures()),
        }
    }

    /// Warm-up ends.
    pub fn warm_up_ends(&mut self, now: Instant) {
        if now > Instant::ZERO {
            self.warm = Some(Box::new(self.tally));
        }
        if let Some(meter) = &mut self.meter {
            meter.warm_up_ends(now, &self.traffic);
        }
    }

    /// The account since warm-up ended.
    pub fn measured(&self) -> Tally {
        (self.warm.as_ref()).map_or(self.tally, |warm| self.tally.since(warm))
    }

    /// Adds the account of a connection of this flow.
    pub fn adds(&mut self, connection: &Self) {
        self.tally.add(&connection.tally);
        if let Some(warm) = &connection.warm {
            self.warm.get_or_insert_default().add(warm);
        }
    }

    /// Reads from each cache line that an ack needs; the number has no meaning.
    #[inline(always)]
    pub fn glance_for_ack(&self) -> u64 {
        let counts = self.tally.delivered ^ self.tally.acks;
        self.sender.glance() ^ counts ^ self.mss.0 ^ self.due.0 ^ self.unread.len() as u64
    }

    /// The same for a segment that arrives. The receiver is read from at once anyway.
    #[inline(always)]
    pub fn glance_for_data(&self) -> u64 {
        self.tally.delivered ^ self.mss.0 ^ self.unread.len() as u64
    }

    /// The application, for its measures.
    pub fn traffic(&self) -> &AnyTraffic {
        &self.traffic
    }

    /// A segment is sent for the first time.
    #[inline]
    pub fn sends_first(&mut self, now: Instant) {
        if !self.sender.unanswered() {
            self.unread.push_back(now);
        }
    }

    /// The first send times that the receiver has yet to read, which is in another part of a divided run.
    pub fn gives_unread(&mut self) -> impl Iterator<Item = Instant> {
        self.unread.drain(..)
    }

    /// One of these comes to the receiver's part.
    pub fn takes_unread(&mut self, sent: Instant) {
        self.unread.push_back(sent);
    }

    /// Takes the receiver and its counts from another part of a divided run.
    pub fn takes_receiver(&mut self, other: Self) {
        self.receiver = other.receiver;
        self.tally.receives(&other.tally);
        match (&mut self.warm, &other.warm) {
            (Some(warm), Some(other)) => warm.receives(other),
            (None, Some(other)) => self.warm = Some(other.clone()),
            (_, None) => {}
        }
    }

    /// The receiver hands a segment to its application: the next one, or a datagram, which has been sent once, at `sent`.
    #[inline]
    pub fn reads(&mut self, now: Instant, segment: u64, sent: Option<Instant>) {
        self.tally.delivered += 1;
        self.tally.delivered_bytes += self.payload(segment).0;
        if let Some(sent) = self.unread.pop_front().or(sent) {
            self.tally.delay += u128::from((now - sent).0);
        }
        if self.listens {
            self.listen(now, segment);
        }
    }

    #[cold]
    fn listen(&mut self, now: Instant, segment: u64) {
        let begun = self.traffic.handle_read(now, segment);
        if let (Some(begun), Some(meter)) = (begun, &mut self.meter) {
            meter.frame(now, begun);
        }
    }

    /// The application's time may have come. True if its flow starts by that.
    pub fn wake_application(&mut self, now: Instant) -> bool {
        if self.due > now {
            return false;
        }
        let starts = !std::mem::replace(&mut self.started, true);
        if starts {
            self.traffic.handle_start(now);
        } else {
            self.traffic.handle_timeout(now);
        }
        self.hand_over();
        starts
    }

    /// The sender has received an ack, or sent data that needs none: informs the application if it waits for that.
    #[inline]
    pub fn tell_application(&mut self, now: Instant) {
        if self.sender.acknowledged() >= self.awaited {
            self.acknowledged(now);
        }
    }

    fn acknowledged(&mut self, now: Instant) {
        let segments = self.sender.acknowledged();
        if let Some(begun) = self.traffic.handle_acknowledged(now, segments) {
            self.tally.messages.0 += u128::from((now - begun).0);
            self.tally.messages.1 += 1;
            if let Some(meter) = &mut self.meter {
                meter.message(now - begun);
            }
            // A file is one message, so the flow is complete.
            self.completed = self.file.map(|_| now);
        }
        self.hand_over();
    }

    /// The sender gets what the application has handed over.
    fn hand_over(&mut self) {
        let Released { segments, complete } = self.traffic.released();
        self.sender.release(segments, complete);
        self.awaited = if complete { segments } else { u64::MAX };
        self.due = self.traffic.poll_timeout().unwrap_or(Instant::NEVER);
    }

    /// Payload of a segment.
    #[inline]
    pub fn payload(&self, segment: u64) -> Bytes {
        match self.file {
            Some(Extent { segments, last }) if segment + 1 == segments => last,
            _ if self.cuts => self.cut(segment),
            _ => self.mss,
        }
    }

    fn cut(&self, segment: u64) -> Bytes {
        self.traffic.payload(segment).unwrap_or(self.mss)
    }

    /// The flow has waited for a timeout since it last sent or received anything; the part of that before the end of warm-up is not
    /// counted as measured.
    pub fn waited(&mut self, now: Instant, warm_up: Instant) {
        self.tally.idle = self.tally.idle + (now - self.active);
        if let Some(warm) = &mut self.warm {
            warm.idle = warm.idle + warm_up.min(now).since(self.active);
        }
        self.active = now;
    }

    /// Time at which its sender or its application must be woken.
    pub fn deadline(&self) -> Instant {
        self.due
            .min(self.sender.poll_timeout().unwrap_or(Instant::NEVER))
    }
}
