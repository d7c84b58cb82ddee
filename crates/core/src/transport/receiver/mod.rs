//! The receiver: delivers segments in order, acknowledges each (or every n-th) and reports those out of order. The receiver of
//! datagrams delivers each as it arrives, and sends nothing.

use super::ranges::Heard;
use super::repair::Hears;
use super::{Ack, BadChecksum, Block, Common, DIVACE, EcnEcho, OutOfOrder, SACK_BLOCKS};
use crate::time::{Duration, Instant};
use crate::unit::Ecn;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The receiving end of a flow. The first 64 bytes are all that a segment needs that arrives in order: thousands of flows do not fit in a
/// cache.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    /// The next segment expected.
    next: u64,
    /// The last segment that arrived, and its transmission; of QUIC the largest transmission.
    latest: (u64, u64),
    /// Runs that arrived beyond `next`, the one touched last first; disjoint and not adjacent.
    held: Vec<Block>,
    /// How acks are delayed, if they are.
    delayed: Option<Box<Delayed>>,
    /// Reports that the sender understands.
    hears: Hears,
    dsack: bool,
    /// Acks bear ECN-Echo: congestion is being echoed, or DCTCP.CE.
    echoes: bool,
    /// Whether data that is not acknowledged yet was marked.
    marked: bool,
    /// The next segment is acknowledged at once: its mark differs from those before.
    at_once: bool,
    ecn_echo: EcnEcho,
    out_of_order: OutOfOrder,
    bad_checksum: BadChecksum,
    /// A segment that has arrived twice, to be reported.
    twice: Option<u64>,
    /// Segments beyond `next` that may be sent.
    window: u64,
    /// The transmissions that have arrived, if acks report them.
    packets: Option<Box<Heard>>,
    /// r.cep: marked packets that have arrived, if acks count them.
    counted: u32,
    /// Those of them that no ack has counted.
    uncounted: u32,
    /// The last packet was marked.
    was_marked: bool,
}

/// Marked packets that no ack waits for.
//= rfc9768 §3.2.2.5.1, increment
const UNCOUNTED: u32 = 2;

/// Acks that are delayed.
#[derive(Clone, Debug)]
struct Delayed {
    /// The longest delay.
    delay: Duration,
    /// Segments for which an ack waits.
    every: u64,
    /// Those that have come.
    withheld: u64,
    /// Segments that are still to be acknowledged at once.
    quick: u64,
    /// Time until the application has read a segment.
    read: Duration,
    /// Time at which the ack must be sent.
    due: Option<Instant>,
}

impl Delayed {
    fn new(params: &Common) -> Box<Self> {
        Box::new(Self {
            delay: params.ack_delay,
            every: params.ack_every,
            withheld: 0,
            quick: params.quick_acks,
            read: params.read_delay,
            due: None,
        })
    }

    /// Whether the ack of this segment, which `may` wait, does so: for more segments, at most `delay` from the first of them, or until the
    /// application has read it. The segment is `new` if it has not arrived before.
    fn withholds(&mut self, now: Instant, may: bool, new: bool) -> bool {
        // Segments beyond a gap count as well: they also make Linux' window grow.
        let quick = self.quick > 0;
        self.quick -= u64::from(quick && new);
        if quick || !may {
            return false;
        }
        self.withheld += 1;
        let wait = match self.withheld.cmp(&self.every) {
            Ordering::Less => self.delay,
            Ordering::Equal if self.read > Duration::ZERO => self.read,
            Ordering::Equal => return false,
            Ordering::Greater => return true,
        };
        self.due = Instant::first_of(self.due, Some(now + wait));
        true
    }
}

/// Result of an arriving segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Segments handed to the application, first and one beyond the last; in order, except for datagrams.
    pub delivered: Block,
    /// The ack to send now, if any.
    pub ack: Option<Ack>,
}

impl Receiver {
    /// A receiver to which nothing has arrived; `hears` is what the sender understands.
    pub fn new(params: &Common, hears: Hears) -> Self {
        Self {
            next: 0,
            held: Vec::new(),
            delayed: params.delayed_ack.then(|| Delayed::new(params)),
            out_of_order: params.out_of_order,
            bad_checksum: params.bad_checksum,
            dsack: params.dsack,
            ecn_echo: params.ecn_echo,
            echoes: false,
            marked: false,
            at_once: false,
            window: params.receiver_window(),
            twice: None,
            hears,
            latest: (0, 0),
            packets: (hears == Hears::Packets).then(Box::default),
            counted: 0,
            uncounted: 0,
            was_marked: false,
        }
    }

    /// Reads the ECN field and the CWR bit of the data packet of `segment`; call it before [`Receiver::handle_segment`], and only for
    /// packets that are ECN-capable or bear CWR. The ack is for segments that arrived before.
    pub fn handle_ecn(&mut self, now: Instant, segment: u64, ecn: Ecn, cwr: bool) -> Option<Ack> {
        //= rfc3168 §6.1.5, window
        // "the TCP data receiver SHOULD ignore the ECN field on arriving data packets that are outside of the receiver's current window"
        let window = self.next..self.next.saturating_add(self.window);
        let ecn = if window.contains(&segment) {
            ecn
        } else {
            Ecn::NotEct
        };
        let marked = ecn == Ecn::Ce;
        match self.ecn_echo {
            //= rfc3168 §6.1.3
            // "continues to set the ECN-Echo flag in all the ACK packets it sends [...] until it receives a CWR packet", which may be
            // marked itself. CWR does not answer a mark that no ack has reported yet: "if any of the received data
            // packets are CE packets, then the returning ACK has the ECN-Echo flag set."
            EcnEcho::Latched => {
                self.marked |= marked;
                self.echoes = self.marked || (self.echoes && !cwr);
                None
            }
            //= rfc8257 §3.2
            //= rfc8257 §3.2, not CE type=departure
            // A packet that is not ECN-capable cannot be marked, so it changes nothing.
            EcnEcho::Exact if marked == self.echoes || !ecn.is_capable() => None,
            // An ack reports packets of one kind only, as in Linux: a withheld ack is sent with the old state. The packet that changed the
            // state is acknowledged at once, so that the sender learns of the change as soon as possible.
            EcnEcho::Exact => {
                let withheld = self.poll_timeout().map(|_| self.acknowledge(now));
                self.echoes = marked;
                self.at_once = true;
                withheld
            }
            //= rfc9768 §3.2.3 type=departure
            EcnEcho::Counter => {
                if marked {
                    // From now on acks have something to count.
                    self.echoes = true;
                    self.counted = self.counted.wrapping_add(1);
                    self.uncounted += 1;
                    //= rfc9768 §3.2.2.5.1, change
                    //= rfc9768 §3.2.2.5.1, increment
                    //= rfc9000 §13.2.1, marked
                    // "packets marked with the ECN Congestion Experienced (CE) codepoint in the IP header SHOULD be acknowledged immediately"
                    self.at_once |= !self.was_marked
                        || self.uncounted >= UNCOUNTED
                        || self.hears == Hears::Packets;
                }
                self.was_marked = marked;
                None
            }
        }
    }

    /// A data segment has arrived, by transmission `id`, which the ack echoes. It causes at most one ack.
    //= rfc5681 §4.2, one
    pub fn handle_segment(&mut self, now: Instant, segment: u64, id: u64) -> Received {
        if self.hears == Hears::Nothing {
            //= rfc768
            // "delivery and duplicate protection are not guaranteed", and neither is order.
            let (from, to) = (segment, segment + 1);
            return Received {
                delivered: Block { from, to },
                ack: None,
            };
        }
        self.latest = (segment, id);
        let held = |b: &Block| (b.from..b.to).contains(&segment);
        //= rfc2883 §4, example 4 type=departure
        //= rfc2883 §4, example 5 type=departure
        //= rfc2883 §4, example 6 type=departure
        // Segments arrive whole, so a part of a segment never arrives twice.
        let known = segment < self.next || self.held.iter().any(held);
        if self.dsack && known {
            self.twice = Some(segment);
        }
        let before = self.next;
        let mut in_order = segment == self.next;
        if in_order {
            self.next += 1;
            if let Some(at) = self.held.iter().position(|b| b.from == self.next) {
                self.next = self.held.remove(at).to;
                //= rfc5681 §3.2, fills a gap
                //= rfc5681 §4.2, fills a gap
                // "a receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of a gap"
                in_order = false;
            }
        } else if segment > self.next && self.out_of_order == OutOfOrder::Keep {
            self.hold(segment);
        }
        let delivered = Block {
            from: before,
            to: self.next,
        };
        //= rfc5681 §3.2, out of order
        //= rfc5681 §4.2, above a gap
        //= rfc5681 §4.2, every second
        //= rfc2018 §4, each
        // While a gap is open, acks are sent at once: duplicates, and the acks of segments that fill a part of the gap.
        in_order &= self.held.is_empty();
        if let Some(packets) = &mut self.packets {
            in_order = packets.hear(now, segment, id);
            self.latest = packets.largest().unwrap_or_default();
        }
        let may_wait = in_order && !self.at_once;
        let delayed = self.delayed.as_mut();
        let waits = delayed.is_some_and(|it| it.withholds(now, may_wait, !known));
        let ack = (!waits).then(|| self.acknowledge(now));
        Received { delivered, ack }
    }

    /// The same of the segment that is expected next, if nothing else is to be said: true if it is delivered and its ack says only that
    /// it arrived, as transmission `id`, and everything before it. Nothing has changed if not.
    #[inline]
    pub fn handle_next(&mut self, segment: u64, id: u64) -> bool {
        let more_to_say = self.delayed.is_some()
            || self.echoes
            || (self.dsack && self.twice.is_some())
            || matches!(self.hears, Hears::Nothing | Hears::Packets);
        if segment != self.next || !self.held.is_empty() || more_to_say {
            return false;
        }
        self.latest = (segment, id);
        self.next += 1;
        (self.marked, self.at_once) = (false, false);
        true
    }

    /// A packet with a wrong checksum has arrived: its header may be damaged, so it is not read. A delayed ack is sent with
    /// the answer, which then is not a duplicate.
    //= viswanathan-kamal §III.4
    // "As the data field has been removed, the checksum checking will indicate an error. This in turn triggers the
    // transmission of a duplicate acknowledgment."
    pub fn handle_damaged(&mut self, now: Instant) -> Option<Ack> {
        if self.hears == Hears::Nothing {
            return None;
        }
        match self.bad_checksum {
            //= rfc9293 §3.1
            // "the receiver MUST check it"
            //= rfc793 §1.5
            // "checking it at the receiver, and discarding damaged segments"
            BadChecksum::Drop => None,
            BadChecksum::DupAck => Some(self.repeat(now)),
        }
    }

    /// Transmission `id` of `segment` has arrived as a header that a switch has marked as trimmed.
    //= ndp-2017 §3.2
    pub fn handle_trimmed(&mut self, now: Instant, segment: u64, id: u64) -> Option<Ack> {
        if self.hears != Hears::Notices {
            return self.handle_damaged(now);
        }
        if segment < self.next {
            return Some(self.repeat(now));
        }
        if self.held.iter().any(|b| (b.from..b.to).contains(&segment)) {
            // Its block comes first: the ack that reported it before may have been lost.
            self.hold(segment);
            return Some(self.repeat(now));
        }
        Some(Ack {
            cause: segment,
            id,
            trimmed: true,
            ..self.acknowledge(now)
        })
    }

    /// A withheld ack has waited long enough.
    pub fn handle_timeout(&mut self, now: Instant) -> Option<Ack> {
        self.poll_timeout()
            .is_some_and(|due| due <= now)
            .then(|| self.acknowledge(now))
    }

    /// Time at which [`Receiver::handle_timeout`] is due; changes only in `handle_*`.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.delayed.as_ref()?.due
    }

    fn acknowledge(&mut self, now: Instant) -> Ack {
        if let Some(delayed) = &mut self.delayed {
            (delayed.due, delayed.withheld) = (None, 0);
        }
        (self.marked, self.at_once) = (false, false);
        let (ece, marks) = match self.counted {
            0 => (self.echoes, 0),
            _ => self.count(),
        };
        let mut blocks = [Block::default(); SACK_BLOCKS];
        //= rfc2018 §4, as many
        //= rfc2018 §4, every ack
        //= rfc2018 §4, all
        //= rfc2018 §4, permitted type=departure
        // The blocks are sent although no sender has said whether it reads them.
        //= rfc2883 §4, (1)
        //= rfc2883 §4, (2)
        //= rfc2883 §4, (5)
        // The duplicate is "the first block of the SACK option", once. The block that contains it, if there is one, is the next.
        let twice = self.twice.take().map(|from| {
            //= rfc2883 §4, (3)
            let to = from + 1;
            Block { from, to }
        });
        let all = twice.iter().chain(&self.held);
        for (block, it) in blocks.iter_mut().zip(all) {
            *block = *it;
        }
        let (cause, id) = self.latest;
        let packets = self.packets.as_ref().map(|it| it.report(now));
        let (ranges, delay) = packets.unwrap_or_default();
        Ack {
            next: self.next,
            cause,
            id,
            ece,
            marks,
            blocks,
            ranges,
            delay,
            ..Ack::default()
        }
    }

    /// Whether the next ack counts more marks than the last, and how many in all.
    #[cold]
    fn count(&mut self) -> (bool, u32) {
        let news = core::mem::take(&mut self.uncounted) > 0;
        match self.hears {
            Hears::Packets => (news, self.counted),
            _ => (news, self.counted % DIVACE),
        }
    }

    /// An ack that no arrival has caused, unless one is being withheld: the cause of that has not been named yet.
    fn repeat(&mut self, now: Instant) -> Ack {
        let repeats = self.poll_timeout().is_none();
        Ack {
            repeats,
            ..self.acknowledge(now)
        }
    }

    /// Adds `segment` to the runs held; its run becomes the first, because
    //= rfc2018 §4, first block
    //= rfc2018 §4, latest
    //= rfc2883 §4, (4)
    // "the first SACK block MUST specify the contiguous block of data containing the segment which triggered this ACK", and
    // the others repeat the most recently reported ones.
    fn hold(&mut self, segment: u64) {
        let mut run = Block {
            from: segment,
            to: segment + 1,
        };
        self.held.retain(|b| {
            let touches = b.from <= run.to && run.from <= b.to;
            if touches {
                run = Block {
                    from: b.from.min(run.from),
                    to: b.to.max(run.to),
                };
            }
            !touches
        });
        self.held.insert(0, run);
    }
}

#[cfg(test)]
mod tests;
