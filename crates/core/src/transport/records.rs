//! Records of transmissions: the data delivered, in flight and lost when each was sent, so that its ack measures the delivery rate,
//! the round trip and the round. Kept only for controllers that ask for them ([`Wants::records`](super::control::Wants::records)).
//!
//! - Delivery rate. The data delivered between a transmission and its ack, over the longer of the time in which it was sent and the
//!   time in which its acks arrived. The longer one, because acks that were held back and arrive together would otherwise suggest a
//!   rate that the path does not have.
//! - Rounds. A round ends when a segment is acknowledged that was sent after the previous round ended.
//! - Application limited. A segment sent while the application had no more data, or before such a segment was acknowledged,
//!   measures the application's rate, not the path's.
//!
//! The draft knows segments only: the ack of a retransmitted segment may answer either transmission. Here acks echo the
//! transmission of the segment that caused them, so its record is found. For other segments that the same ack covers, the latest
//! transmission is used; only then is the draft's guard, an interval below the shortest round trip, needed.
//= delivery-rate-02 §3

use super::control::{Delivery, Lost, Newest};
use super::{Ack, Block, Ranges, SACK_BLOCKS};
use crate::measure::Rate;
use crate::time::{Duration, Instant, SECOND};
use alloc::collections::VecDeque;

/// Status of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    InFlight,
    Lost,
    /// Its segment has arrived, by this or another transmission.
    Done,
}

/// A transmission, of one segment.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Its segment.
    segment: u64,
    /// The previous transmission of that segment.
    before: Option<u64>,
    status: Status,
    /// Its segment had arrived before: a sender that has forgotten this after a timeout sends it again.
    needless: bool,
    /// P.sent_time
    at: Instant,
    /// P.first_sent_time
    first_sent_at: Instant,
    /// P.delivered \[segments\]
    delivered: u64,
    /// P.delivered_time
    delivered_at: Instant,
    /// P.is_app_limited
    app_limited: bool,
    /// In the network, this one among them \[segments\].
    in_flight: u64,
    /// Lost so far \[segments\].
    lost: u64,
}

/// The records of one sender.
#[derive(Clone, Debug)]
pub struct Records {
    /// Bits of a full packet, headers included.
    bits: u64,
    /// Whether segments that acks report beyond the next one expected count as arrived.
    selective: bool,
    /// Transmissions from number `first` on.
    sent: VecDeque<Sent>,
    first: u64,
    /// The latest transmission of each segment from `una` on; `None` if it has arrived.
    latest: VecDeque<Option<u64>>,
    una: u64,
    /// C.delivered \[segments\]
    delivered: u64,
    /// C.delivered_time
    delivered_at: Instant,
    /// C.first_sent_time
    first_sent_at: Instant,
    /// C.app_limited: transmissions are so limited until more than this is delivered \[segments\].
    app_limited: Option<u64>,
    in_flight: u64,
    lost: u64,
    /// Lost segments that earlier acks have reported to the controller.
    told: u64,
    min_rtt: Option<Duration>,
    round: u64,
    /// The round ends when a transmission is delivered that was sent after this many were delivered \[segments\].
    round_ends: u64,
    /// Transmissions before this number went out before the last loss was found.
    recovery: u64,
    /// Transmissions that the latest ack of QUIC reported.
    heard: Ranges,
    /// The blocks of the latest ack with blocks, whose segments have all been entered.
    known: [Block; SACK_BLOCKS],
}

impl Records {
    /// Nothing has been sent; packets are of `bits`, and `selective` acks are understood.
    pub fn new(bits: u64, selective: bool) -> Self {
        Self {
            bits,
            selective,
            sent: VecDeque::new(),
            first: 0,
            latest: VecDeque::new(),
            una: 0,
            delivered: 0,
            delivered_at: Instant::ZERO,
            first_sent_at: Instant::ZERO,
            app_limited: None,
            in_flight: 0,
            lost: 0,
            told: 0,
            min_rtt: None,
            round: 0,
            round_ends: 0,
            recovery: 0,
            heard: Ranges::default(),
            known: [Block::default(); SACK_BLOCKS],
        }
    }

    /// Transmissions that have neither arrived nor been lost, as far as is known \[segments\].
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The shortest round trip so far, of acks that tell which transmission they are of.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt
    }

    /// `segment` is sent, as the next transmission.
    //= delivery-rate-02 §3.2
    pub fn on_sent(&mut self, now: Instant, segment: u64) {
        if self.in_flight == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        self.in_flight += 1;
        let id = self.first + self.sent.len() as u64;
        let at = (segment - self.una) as usize;
        let (mut before, mut needless) = (None, false);
        if at < self.latest.len() {
            before = self.latest[at].replace(id);
            needless = match before {
                Some(id) => self.get(id).is_some_and(|it| it.needless),
                None => true,
            };
        } else {
            if at > self.latest.len() {
                self.latest.resize(at, None);
            }
            self.latest.push_back(Some(id));
        }
        self.sent.push_back(Sent {
            segment,
            before,
            status: Status::InFlight,
            needless,
            at: now,
            first_sent_at: self.first_sent_at,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited.is_some(),
            in_flight: self.in_flight,
            lost: self.lost,
        });
    }

    /// The application has handed over no more, and neither the window nor a loss is in the way; or the controller holds back.
    //= delivery-rate-02 §3.4
    pub fn on_app_limited(&mut self) {
        self.app_limited = Some(self.delivered + self.in_flight);
    }

    /// The application had nothing more to send, and not all that was in flight then has been delivered since.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited.is_some()
    }

    /// `segment` is taken for lost: the latest transmission of it, once; that is given back if it is news.
    pub fn on_lost(&mut self, now: Instant, segment: u64) -> Option<Lost> {
        let at = segment.checked_sub(self.una)? as usize;
        let id = self.latest.get(at).copied().flatten()?;
        self.lose(now, id)
    }

    /// All data in flight is taken for lost; `tell` is called for each transmission.
    pub fn on_all_lost(&mut self, now: Instant, tell: &mut dyn FnMut(&Lost)) {
        for id in self.first..self.first + self.sent.len() as u64 {
            if let Some(lost) = self.lose(now, id) {
                tell(&lost);
            }
        }
    }

    /// Transmission `id` is taken for lost, if it was in flight.
    fn lose(&mut self, now: Instant, id: u64) -> Option<Lost> {
        let sent = *self.get(id)?;
        if sent.status != Status::InFlight {
            return None;
        }
        self.settle(id, Status::Lost);
        Some(Lost {
            now,
            id,
            app_limited: sent.app_limited,
            in_flight_when_sent: sent.in_flight,
            lost_since_sent: self.lost - sent.lost,
        })
    }

    /// A loss was found that begins a recovery.
    pub fn on_recovery(&mut self) {
        self.recovery = self.first + self.sent.len() as u64;
    }

    /// An ack has arrived; [`Records::on_lost`] has been called before for the losses that it proves.
    //= delivery-rate-02 §3.3
    pub fn on_ack(&mut self, now: Instant, ack: &Ack) -> Delivery {
        let echoes = !ack.trimmed && !ack.repeats;
        let named = echoes.then_some((ack.cause, ack.id));
        let before = self.delivered;
        let mut newest = None;
        while self.una < ack.next && !self.latest.is_empty() {
            self.deliver(now, self.una, named, &mut newest);
            // A needless transmission may still be on its way, but nothing will tell.
            if let Some(last) = self.latest.pop_front().flatten() {
                self.settle_all(last);
            }
            self.una += 1;
        }
        let acked = self.delivered;
        if self.selective {
            let end = self.una + self.latest.len() as u64;
            if ack.sacked().next().is_some() {
                // Known blocks have no news: if a segment has arrived and is sent again, a block does not tell that it has arrived again.
                let mut entered = [Block::default(); SACK_BLOCKS];
                for (slot, block) in entered.iter_mut().zip(ack.sacked()) {
                    *slot = block.within(0, end);
                }
                let known = core::mem::replace(&mut self.known, entered);
                for block in ack.sacked() {
                    let block = block.within(self.una, end);
                    for segment in block.without(&known) {
                        self.deliver(now, segment, named, &mut newest);
                    }
                    debug_assert!((block.from..block.to).all(|it| self.is_entered(it)));
                }
            }
            if echoes && (self.una..end).contains(&ack.cause) {
                self.deliver(now, ack.cause, named, &mut newest);
            }
            if !ack.ranges.is_empty() {
                self.hear(now, &ack.ranges, &mut newest);
            }
        }
        let mut delivery = Delivery {
            arrived: self.delivered - before,
            sacked: self.delivered - acked,
            lost: self.lost - core::mem::replace(&mut self.told, self.lost),
            delivered: self.delivered,
            round: self.round,
            newest: None,
        };
        if let Some((id, certain)) = newest {
            delivery.newest = Some(self.measure(now, id, certain));
            delivery.round = self.round;
        }
        while (self.sent.front()).is_some_and(|sent| sent.status == Status::Done) {
            self.sent.pop_front();
            self.first += 1;
        }
        delivery
    }

    /// An ack of QUIC names each transmission that has arrived.
    #[cold]
    fn hear(&mut self, now: Instant, ranges: &Ranges, newest: &mut Option<(u64, bool)>) {
        let before = core::mem::replace(&mut self.heard, *ranges);
        let (first, end) = (self.first, self.first + self.sent.len() as u64);
        let una = self.una;
        ranges.each_new(&before, |run| {
            for id in run.from.max(first)..run.to.min(end) {
                let segment = self.sent[(id - first) as usize].segment;
                if segment >= una {
                    self.deliver(now, segment, Some((segment, id)), newest);
                }
            }
        });
    }

    /// Whether `segment` has arrived, and at most a needless transmission of it is under way.
    fn is_entered(&self, segment: u64) -> bool {
        self.latest[(segment - self.una) as usize]
            .is_none_or(|id| self.sent[(id - self.first) as usize].needless)
    }

    fn get(&mut self, id: u64) -> Option<&mut Sent> {
        let at = id.checked_sub(self.first)?;
        self.sent.get_mut(at as usize)
    }

    /// A transmission has left the network, if it was there. Returns the transmission of the same segment before it.
    fn settle(&mut self, id: u64, status: Status) -> Option<u64> {
        let sent = self.get(id)?;
        let (was, before) = (sent.status, sent.before);
        if was == Status::InFlight || status == Status::Done {
            sent.status = status;
        }
        if was == Status::InFlight {
            self.in_flight -= 1;
            self.lost += u64::from(status == Status::Lost);
        }
        before
    }

    /// The segment of transmission `last` has arrived, by that or an earlier one. True if there is no earlier one.
    fn settle_all(&mut self, last: u64) -> bool {
        let before = self.settle(last, Status::Done);
        let mut next = before;
        while let Some(id) = next {
            next = self.settle(id, Status::Done);
        }
        before.is_none()
    }

    /// `segment` has arrived, if that is news; by which transmission, and whether that is certain, goes to `newest` if it is the newest.
    fn deliver(
        &mut self,
        now: Instant,
        segment: u64,
        named: Option<(u64, u64)>,
        newest: &mut Option<(u64, bool)>,
    ) {
        let slot = (segment - self.una) as usize;
        let Some(last) = self.latest[slot] else {
            return;
        };
        let named = named.filter(|(cause, id)| {
            *cause == segment && self.get(*id).is_some_and(|sent| sent.segment == segment)
        });
        // Of a segment that had arrived before, only an ack that names the transmission says that it has arrived as well.
        if named.is_none() && self.get(last).is_some_and(|sent| sent.needless) {
            return;
        }
        self.latest[slot] = None;
        self.delivered += 1;
        self.delivered_at = now;
        // With more than one transmission, the ack may be of any of them.
        let only = self.settle_all(last);
        let arrived = named.map_or((last, only), |(_, id)| (id, true));
        if newest.is_none_or(|(id, _)| id < arrived.0) {
            *newest = Some(arrived);
        }
    }

    /// Measurements of the newest of the transmissions that have arrived.
    fn measure(&mut self, now: Instant, id: u64, certain: bool) -> Newest {
        let sent = self.sent[(id - self.first) as usize];
        let rtt = now - sent.at;
        if certain {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if sent.delivered >= self.round_ends {
            self.round += 1;
            self.round_ends = self.delivered;
        }
        self.first_sent_at = sent.at;
        if self.app_limited.is_some_and(|end| self.delivered > end) {
            self.app_limited = None;
        }
        let send_elapsed = sent.at - sent.first_sent_at;
        let ack_elapsed = self.delivered_at - sent.delivered_at;
        let interval = send_elapsed.max(ack_elapsed);
        let sane = interval > Duration::ZERO && self.min_rtt.is_none_or(|least| interval >= least);
        // delivery_rate = rs.delivered / rs.interval
        let bits = u128::from(self.delivered - sent.delivered) * u128::from(self.bits);
        let rate = (bits * u128::from(SECOND)).checked_div(u128::from(interval.0));
        Newest {
            id,
            rtt: certain.then_some(rtt),
            delivery_rate: rate
                .filter(|_| sane)
                .and_then(|rate| u64::try_from(rate).ok())
                .map(Rate),
            app_limited: sent.app_limited,
            delivered_when_sent: sent.delivered,
            in_flight_when_sent: sent.in_flight,
            lost_since_sent: self.lost - sent.lost,
            sent_before_recovery: id < self.recovery,
        }
    }
}
