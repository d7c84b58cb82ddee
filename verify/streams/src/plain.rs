//! A plain program: RFC 9438 written down once more, in packets and seconds, with a switch for each way in which s2n-quic or aioquic
//! differs.

use crate::ours::Rtt;
use crate::stream::Event;

const C: f64 = 0.4;
const BETA: f64 = 0.7;
const PACKET: f64 = 1200.0;
const LEAST: f64 = 2.0;
/// Numbers within this relative difference count as equal but for rounding.
const NEAR: f64 = 1e-4;

/// A way in which an implementation differs from dupack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Difference {
    /// The first slow start ends when round trips grow longer.
    LeavesSlowStart,
    /// The target is W_cubic(t + RTT) with the shortest RTT.
    ShortestTrip,
    /// The target is W_cubic(t + RTT) with the RTT sample before this ack.
    LastTrip,
    /// W_est is a function of time: RFC 8312's equation 4.
    RenoByTime,
    /// W_est grows by one packet per round trip from the reduction on.
    RenoByOne,
    /// An ack adds at most half of what it acknowledges; W_cubic's target is not limited to 1.5 times the window.
    HalfOfAcked,
    /// Fast convergence compares the window with that of the last loss, not with W_max: RFC 8312.
    LastLoss,
    /// A loss leaves 0.7 of the window, not of what is in flight.
    OfWindow,
    /// A loss leaves 0.7 of what is in flight, without the lost packet and those acknowledged after it.
    WithoutLost,
    /// A window at ssthresh is past slow start.
    AtThreshold,
    /// The ack that ends a recovery lets the window grow.
    CountsAtEnd,
    /// After persistent congestion ssthresh is the lowest so far, and at least 16 packets.
    LowestThreshold,
    /// After persistent congestion there is no slow start: all in flight was lost, and ssthresh is 0.7 of nothing.
    NoSlowStart,
    /// Windows are whole bytes, rounded down at each ack.
    WholeBytes,
    /// Every packet that an ack covers counts as an ack.
    PerPacket,
    /// Acks of what was sent before the loss let the window grow.
    GrowsInRecovery,
    /// The window grows when the application does not fill it.
    GrowsLimited,
    /// Whether the application fills the window is decided when a packet is sent: up to three packets, or in slow start half of the window,
    /// may be free. Idle time counts. Acks of a window that is not full do not end a recovery.
    SeenWhenSent,
    /// The window is at most 1.5 times, in slow start twice, what was in flight at an ack since the last loss.
    BoundByFlight,
    /// The implementation's rounding decides where W_cubic equals W_est, as at the start of an epoch, and where the window is a whole number
    /// of packets: its own windows are consulted there.
    RoundsOtherwise,
    /// If the latest acknowledged packet was sent 2 s ago or more, the next one that is sent resets the controller.
    IdleReset,
}

use Difference as D;

/// Differences, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Set(pub u32);

impl Set {
    /// Those of a list.
    pub fn of(list: &[Difference]) -> Self {
        Self(list.iter().fold(0, |bits, it| bits | 1 << *it as u32))
    }

    fn has(self, one: Difference) -> bool {
        self.0 >> one as u32 & 1 == 1
    }
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began \[s\].
    start: f64,
    /// When the last ack came \[s\].
    last: f64,
    k: f64,
    w_est: f64,
}

/// The program's state. Windows are in packets, times in seconds.
pub struct Plain {
    set: Set,
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    /// The window at the last loss.
    w_last: f64,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    recovery: Option<f64>,
    rtt: Rtt,
    in_flight: u64,
    limit: u64,
    /// Send time of the latest acknowledged packet; 0 if none.
    last_acked: f64,
    /// The lowest ssthresh so far.
    lowest: f64,
    /// When the last packet was sent, the application did not fill the window.
    under_utilized: bool,
    /// The most that was in flight at an ack since the last loss.
    highest: u64,
    /// The windows that the implementation had before this event, and has after it.
    theirs: [f64; 2],
}

impl Plain {
    /// At the start of a connection.
    pub fn new(set: Set) -> Self {
        Self {
            set,
            cwnd: 10.0,
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            w_last: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            recovery: None,
            rtt: Rtt::default(),
            in_flight: 0,
            limit: u64::MAX,
            last_acked: 0.0,
            lowest: f64::INFINITY,
            under_utilized: true,
            highest: 0,
            theirs: [10.0; 2],
        }
    }

    /// Its window \[packets\].
    pub fn window(&self) -> f64 {
        self.cwnd
    }

    /// Called where the implementation leaves slow start because of a round trip; congestion avoidance begins at once, or with the next ack.
    pub fn leave(&mut self, now: u64, at_once: bool) {
        if self.set.has(D::LeavesSlowStart) {
            self.ssthresh = self.cwnd;
            self.lowest = self.lowest.min(self.ssthresh);
            if at_once {
                self.begin(now as f64 * 1e-6);
            }
        }
    }

    /// The packets that the window allows.
    fn packets(&self) -> u64 {
        let near = (self.cwnd - self.cwnd.round()).abs() < NEAR * self.cwnd;
        if near && self.set.has(D::RoundsOtherwise) {
            self.theirs[0] as u64
        } else {
            self.cwnd as u64
        }
    }

    fn fill(&mut self, now: f64) -> u64 {
        let fresh = self.in_flight < self.limit.min(self.packets());
        if fresh {
            if self.set.has(D::IdleReset) && self.last_acked > 0.0 && now - self.last_acked >= 2.0 {
                (self.cwnd, self.ssthresh) = (10.0, f64::INFINITY);
                (self.w_max, self.epoch) = (0.0, None);
                self.theirs[0] = self.cwnd;
            }
            // Idle time is none of the epoch's.
            let counts = self.set.has(D::GrowsLimited) || self.set.has(D::SeenWhenSent);
            if self.in_flight == 0 && !counts {
                self.exclude(now);
            }
            let window = self.packets();
            self.in_flight = self.limit.min(window);
            let slow = self.cwnd < self.ssthresh && self.epoch.is_none();
            // In whole bytes.
            let free = (self.cwnd * PACKET).trunc() / PACKET - self.in_flight as f64;
            let half = slow && self.in_flight as f64 >= self.cwnd / 2.0;
            self.under_utilized = self.limit < window && free > 3.0 && !half;
        }
        self.in_flight
    }

    fn exclude(&mut self, now: f64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now - epoch.last;
            epoch.last = now;
        }
    }

    fn begin(&mut self, now: f64) {
        self.w_max = self.w_max.max(self.cwnd);
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = self.cwnd;
        }
        self.epoch = Some(Epoch {
            start: now,
            last: now,
            k: ((self.w_max - self.cwnd) / C).cbrt(),
            w_est: self.cwnd,
        });
    }

    fn whole(&self, packets: f64) -> f64 {
        if self.set.has(D::WholeBytes) {
            (packets * PACKET).trunc() / PACKET
        } else {
            packets
        }
    }

    /// Whether the window is full, so that it may grow.
    fn is_full(&self, flight: u64) -> bool {
        if self.set.has(D::SeenWhenSent) {
            return !self.under_utilized;
        }
        self.set.has(D::GrowsLimited) || flight >= self.packets()
    }

    /// An event, after which the implementation has the window `theirs`.
    pub fn on(&mut self, event: &Event, theirs: f64) {
        self.theirs = [self.theirs[1], theirs];
        match *event {
            Event::Round { now, limit } => {
                self.limit = limit;
                self.fill(now as f64 * 1e-6);
            }
            Event::Ack { now, rtt, packets } => {
                let (now, sent, rtt) = seconds(now, rtt);
                let flight = self.fill(now);
                if flight == 0 {
                    return;
                }
                // aioquic measures a round trip after the packet has counted.
                let late = self.set.has(D::LastTrip);
                if !late || self.rtt.latest == 0.0 {
                    self.rtt.measured(rtt);
                }
                self.acked(now, sent, packets.min(flight), flight);
                if late {
                    self.rtt.measured(rtt);
                }
            }
            Event::Drained { now } => {
                let now = now as f64 * 1e-6;
                if self.in_flight > 0 {
                    self.acked(now, now, self.in_flight, self.in_flight);
                }
            }
            Event::Lost { now, .. } => {
                let now = now as f64 * 1e-6;
                let flight = self.fill(now);
                if flight > 0 {
                    // A recovery can go on here only if the window was not full.
                    if self.recovery.is_none() || !self.set.has(D::SeenWhenSent) {
                        self.cut(flight, 1);
                        self.recovery = Some(now);
                    }
                    self.in_flight -= 1;
                }
            }
            Event::Persistent { now } => {
                let flight = self.fill(now as f64 * 1e-6);
                self.persistent(flight);
                self.in_flight = 0;
            }
        }
    }

    fn cut(&mut self, flight: u64, lost: u64) {
        self.highest = 0;
        let reference = if self.set.has(D::LastLoss) {
            self.w_last
        } else {
            self.w_max
        };
        self.w_max = if self.cwnd < reference {
            self.cwnd * (1.0 + BETA) / 2.0
        } else {
            self.cwnd
        };
        (self.w_last, self.cwnd_prior) = (self.cwnd, self.cwnd);
        let whole = if self.set.has(D::OfWindow) {
            self.cwnd
        } else if self.set.has(D::WithoutLost) {
            (flight - lost) as f64
        } else {
            // With the three packets that have arrived since, but at most the window.
            self.cwnd.min((flight + 3) as f64)
        };
        self.ssthresh = self.whole(BETA * whole).max(LEAST);
        self.lowest = self.lowest.min(self.ssthresh);
        self.cwnd = self.ssthresh;
        self.epoch = None;
    }

    fn persistent(&mut self, flight: u64) {
        self.recovery = None;
        if self.set.has(D::NoSlowStart) {
            self.cut(flight, flight);
        } else {
            self.cut(flight, 1);
            (self.w_max, self.w_last) = (0.0, 0.0);
        }
        if self.set.has(D::LowestThreshold) {
            self.ssthresh = self.lowest.max(16.0);
        }
        self.cwnd = LEAST;
    }

    fn acked(&mut self, now: f64, sent: f64, packets: u64, flight: u64) {
        self.in_flight -= packets;
        self.last_acked = sent;
        self.highest = self.highest.max(flight);
        if self.set.has(D::SeenWhenSent) && !self.is_full(flight) {
            // Such an ack does not end a recovery, either.
            self.exclude(now);
            return;
        }
        if let Some(start) = self.recovery {
            if sent > start {
                self.recovery = None;
                let grows = self.set.has(D::CountsAtEnd) || self.set.has(D::GrowsInRecovery);
                if !grows {
                    return;
                }
            } else if !self.set.has(D::GrowsInRecovery) {
                return;
            }
        }
        if !self.is_full(flight) {
            self.exclude(now);
            return;
        }
        if self.set.has(D::BoundByFlight) {
            let times = if self.cwnd < self.ssthresh { 2.0 } else { 1.5 };
            let bound = (times * self.highest as f64).max(LEAST);
            if self.epoch.is_none() && self.cwnd >= self.ssthresh {
                // It begins even if the window does not grow.
                self.begin(now);
            }
            if self.cwnd < bound {
                self.grow(now, packets as f64);
                self.cwnd = self.cwnd.min(bound);
            }
        } else if self.set.has(D::PerPacket) {
            (0..packets).for_each(|_| self.grow(now, 1.0));
        } else {
            self.grow(now, packets as f64);
        }
    }

    fn grow(&mut self, now: f64, acked: f64) {
        let at = self.cwnd == self.ssthresh && !self.set.has(D::AtThreshold);
        if self.cwnd < self.ssthresh || at {
            self.cwnd += acked;
            return;
        }
        if self.epoch.is_none() {
            self.begin(now);
        }
        let mut epoch = self.epoch.expect("it has begun");
        epoch.last = now;
        let cwnd = self.cwnd;
        let (most, highest) = if self.set.has(D::HalfOfAcked) {
            (cwnd + acked / 2.0, f64::INFINITY)
        } else {
            (f64::INFINITY, 1.5 * cwnd)
        };
        let rtt = if self.set.has(D::ShortestTrip) {
            self.rtt.min
        } else if self.set.has(D::LastTrip) {
            self.rtt.latest
        } else {
            self.rtt.smoothed
        };
        let t = now - epoch.start;
        let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
        epoch.w_est = if self.set.has(D::RenoByTime) {
            self.w_max * BETA + alpha * t / self.rtt.min
        } else {
            let one = self.set.has(D::RenoByOne) || epoch.w_est >= self.cwnd_prior;
            let alpha = if one { 1.0 } else { alpha };
            self.whole(epoch.w_est + alpha * acked / cwnd)
        };
        let w_cubic = |t: f64| C * (t - epoch.k).powi(3) + self.w_max;
        let now_cubic = self.whole(w_cubic(t));
        let reno = epoch.w_est.min(most);
        let target = self.whole(w_cubic(t + rtt)).clamp(cwnd, highest);
        let cubic = self.whole(cwnd + (target - cwnd) / cwnd).min(most);
        let equal = (now_cubic - epoch.w_est).abs() < NEAR * epoch.w_est;
        let is_reno = if equal && self.set.has(D::RoundsOtherwise) {
            (reno - self.theirs[1]).abs() < (cubic - self.theirs[1]).abs()
        } else {
            now_cubic < epoch.w_est
        };
        self.cwnd = if is_reno { reno } else { cubic };
        self.epoch = Some(epoch);
    }
}

fn seconds(now: u64, rtt: u64) -> (f64, f64, f64) {
    let s = |us: u64| us as f64 * 1e-6;
    (s(now), s(now - rtt), s(rtt))
}
