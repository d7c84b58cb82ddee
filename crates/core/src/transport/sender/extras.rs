//! Parts that few senders have, behind one pointer, so that the others pay only for a comparison with null: a shaper, pacing,
//! ECN, records of transmissions, a receiver that tunes its window.

use super::unused::Unused;
use crate::measure::Rate;
use crate::time::{Duration, Instant};
use crate::transport::control::{Sending, Wants};
use crate::transport::records::Records;
use crate::transport::repair::{Habits, Hears};
use crate::transport::shaper::{Pacing, Shaper};
use crate::transport::{Ack, Common, DIVACE, EcnEcho};
use crate::unit::Ecn;
use alloc::boxed::Box;

/// The optional parts of a sender.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Limits the rate of transmissions, whatever the controller allows.
    pub shaper: Option<Shaper>,
    /// The controller sets the rate of transmissions, or its window does.
    pub pacing: Option<Pacing>,
    /// Bits per smoothed round trip for each segment of the window, if that sets the rate.
    pace: Option<f64>,
    /// Present if the controller uses records.
    pub records: Option<Records>,
    /// Present if the sender is ECN-capable.
    pub ecn: Option<Echoes>,
    /// Present if the receiver tunes its window.
    tuning: Option<Tuning>,
    /// Present if a window that is not filled changes.
    pub unused: Option<Unused>,
}

impl Extras {
    /// Those of a sender at the start of a connection, whose controller `wants` this; most need none.
    pub fn of(params: &Common, habits: &Habits, wants: Wants) -> Option<Box<Self>> {
        let answered = habits.hears != Hears::Nothing;
        let bits = (params.mss.0 + params.header.0) * 8;
        let mut it: Option<Box<Self>> = None;
        if let Some(window) = params.tuned_window.filter(|_| answered) {
            let window = window.whole_segments(params.mss);
            it.get_or_insert_default().tuning = Some(Tuning::new(window, params.receiver_window()));
        }
        if params.ecn && answered {
            let it = it.get_or_insert_default();
            let counts = params.ecn_echo == EcnEcho::Counter;
            let counter = counts.then(|| Counter::new(habits.hears));
            it.ecn = Some(Echoes {
                always: habits.hears == Hears::Packets,
                ..Echoes::new(counter)
            });
        }
        if wants.records && answered {
            it.get_or_insert_default().records =
                Some(Records::new(bits, habits.knows_what_arrived));
        }
        if wants.pacing || params.pace.is_some() {
            it.get_or_insert_default().pace_packets(
                bits,
                params.send_quantum,
                params.pace.filter(|_| !wants.pacing),
            );
        }
        if let Some(mut unused) = Unused::new(params).filter(|_| answered && wants.idle) {
            let it = it.get_or_insert_default();
            if it.pacing.is_none() && unused.pace_packets(bits) {
                // Pacing is to spread what the window would let out at once.
                it.pace_packets(bits, Duration::ZERO, None);
            }
            it.unused = Some(unused);
        }
        it
    }

    /// The receiver's window now, if it is tuned \[segments\].
    pub fn tuned(&self) -> Option<u64> {
        self.tuning.as_ref().map(Tuning::window)
    }

    /// An ack has been read, after which all before `una` is acknowledged, and `max` is one beyond the last segment sent so far; the
    /// receiver's window, if it is tuned \[segments\].
    pub fn tune(&mut self, una: u64, max: u64) -> Option<u64> {
        let tuning = self.tuning.as_mut()?;
        tuning.on_advance(una, max);
        Some(tuning.window())
    }

    /// Packets of `bits` are paced from now on, `quantum` of time at once: by the controller's rate, or at `pace` windows per smoothed
    /// round trip.
    pub fn pace_packets(&mut self, bits: u64, quantum: Duration, pace: Option<f64>) {
        self.pacing = Some(Pacing::new(bits, quantum));
        self.pace = pace.map(|pace| pace * bits as f64);
    }

    /// Bits per smoothed round trip for each segment of the window. If there are any, they set the rate of transmissions, in place of the
    /// controller: those of the parameter `pace`, or a window per round trip if the window is not validated.
    pub fn pace(&self) -> Option<f64> {
        self.pace
            .or_else(|| self.unused.as_ref().and_then(Unused::pace))
    }

    /// Time at which the next packet may be sent, with the rate of transmissions that `rate` tells; at or before `now` means at once.
    pub fn next_at(&self, now: Instant, rate: impl FnOnce() -> Option<Rate>) -> Instant {
        let shaped = self.shaper.as_ref().map(Shaper::next_at);
        let paced = self.pacing.as_ref().map(|it| match rate() {
            Some(Rate(0)) => Instant::NEVER,
            _ => it.next_at(now),
        });
        shaped.max(paced).unwrap_or(Instant::ZERO)
    }

    /// Completes the controller's information about a transmission from the records, if there are any.
    pub fn complete(&self, sending: &mut Sending) {
        if let Some(records) = &self.records {
            sending.in_flight = records.in_flight();
            sending.app_limited = records.is_app_limited();
        }
    }

    /// A packet of `segment` is sent, `again` if the segment was sent before; `rate` is the rate of transmissions. Returns the ECN
    /// field and CWR of the packet.
    pub fn on_sent(
        &mut self,
        now: Instant,
        segment: u64,
        again: bool,
        rate: Option<Rate>,
    ) -> (Ecn, bool) {
        if let Some(shaper) = &mut self.shaper {
            shaper.on_sent(now);
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.on_sent(now, rate);
        }
        if let Some(records) = &mut self.records {
            records.on_sent(now, segment);
        }
        if let Some(unused) = &mut self.unused {
            unused.on_sent(now, segment, again);
        }
        match &mut self.ecn {
            //= rfc3168 §6.1.5
            // "ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or ECT(1)) in the IP header for retransmitted
            // data packets"
            //= rfc3168 §6.1.2, retransmitted
            // "the CWR bit in the TCP header SHOULD NOT be set on retransmitted packets"
            //= rfc9768 §3.1.5, CWR
            Some(echoes) if !again => {
                let cwr = core::mem::take(&mut echoes.cwr) && echoes.counter.is_none();
                (echoes.ect, cwr)
            }
            //= rfc9000 §13.3
            // Data of QUIC is sent again in new packets, which are like any others.
            Some(echoes) if echoes.always => (echoes.ect, false),
            _ => (Ecn::NotEct, false),
        }
    }
}

/// The receiver's window, tuned by what is delivered in a round trip (dynamic right-sizing). The receiver's application reads at once, so
/// the sender knows from its acks what the receiver knows, and no ack has to carry the window.
//= linux §tcp_input.c, tcp_rcv_space_adjust
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// \[segments\]
    most: u64,
    /// The window now \[segments\].
    window: u64,
    /// The oldest segment that was not acknowledged when the round trip began, and one beyond the last that was sent.
    from: u64,
    to: u64,
    /// The most that was delivered in a round trip \[segments\].
    space: u64,
}

/// What Linux takes for delivered in a round trip at the start: TCP_INIT_CWND \[segments\].
const SPACE: u64 = 10;

impl Tuning {
    /// From `window` on, up to `most` \[segments\].
    pub fn new(window: u64, most: u64) -> Self {
        let window = window.min(most);
        Self {
            most,
            window,
            from: 0,
            to: 0,
            // Half of a smaller window, which could otherwise never be outgrown.
            space: (window / 2).min(SPACE),
        }
    }

    /// The window now \[segments\].
    pub fn window(&self) -> u64 {
        self.window
    }

    /// All before `una` is acknowledged, and `max` is one beyond the last segment sent so far.
    pub fn on_advance(&mut self, una: u64, max: u64) {
        // The round trip ends with the first segment that this ack lets out.
        if una <= self.to {
            return;
        }
        let copied = una - self.from;
        if copied > self.space {
            // rcvwin = 2 copied + 16 segments, and in slow start as much more as delivery has grown.
            let window = 2 * copied + 16;
            let grow = window.saturating_mul(copied - self.space) / self.space.max(1);
            let wanted = window.saturating_add(grow.saturating_mul(2));
            self.window = self.window.max(wanted).min(self.most);
            self.space = copied;
        }
        (self.from, self.to) = (una, max);
    }
}

/// The sender's count of marked packets, from the counters of acks.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// s.cep
    marks: u32,
    /// The transmission that caused the last ack that was read.
    last: Option<u64>,
    /// Average number of packets between acks, once an ack has come.
    usual: Option<f64>,
    /// Segments in the blocks of the last ack that was read.
    sacked: u64,
    /// The counter is a whole number: QUIC's.
    whole: bool,
}

/// Weight of an ack in the average, and the largest average with which a counter that may have gone round is taken to have: below that,
/// a longer distance is a sign of lost acks.
//= rfc9768 §3.2.2.5.2
// "it would be reasonable to only use dSafer.cep rather than d.cep if the moving average of newlyAckedPkt was well below 8."
const GAIN: f64 = 0.125;
const WELL_BELOW: f64 = 4.0;

impl Counter {
    /// At the start of a connection, of a sender that `hears` this.
    pub fn new(hears: Hears) -> Self {
        Self {
            marks: 0,
            last: None,
            usual: None,
            sacked: 0,
            whole: hears == Hears::Packets,
        }
    }

    /// Packets that `ack` reports as marked first; it advances the cumulative ack by `acked` segments.
    pub fn read(&mut self, ack: &Ack, acked: u64) -> u64 {
        if self.whole {
            let news = ack.marks.saturating_sub(self.marks);
            self.marks = self.marks.max(ack.marks);
            return u64::from(news);
        }
        //= rfc9768 §3.2.2.2, superseded
        // An ack that was overtaken is not read.
        if acked == 0 && self.last.is_some_and(|last| ack.id <= last) {
            return 0;
        }
        // newlyAckedPkt: as many packets as were sent between the causes of two acks, but no more than are acknowledged or reported first. The
        // first leaves out what was reported before, and the second what was lost.
        let from = self.last.map_or(0, |last| last + 1);
        // Blocks may claim anything.
        let sacked = ack
            .sacked()
            .fold(0u64, |sum, it| sum.saturating_add(it.to - it.from));
        let reported = acked.max(u64::saturating_sub(sacked, self.sacked));
        let packets = (ack.id + 1).saturating_sub(from).min(reported).max(1);
        self.sacked = sacked;
        self.last = self.last.max(Some(ack.id));
        //= rfc9768 §3.2.2.2
        // d.cep = (ACE + DIVACE - (s.cep mod DIVACE)) mod DIVACE
        let news = u64::from(ack.marks.wrapping_sub(self.marks) % DIVACE);
        self.marks = ack.marks;
        let few = self.usual.is_some_and(|usual| usual < WELL_BELOW);
        let usual = self.usual.unwrap_or(packets as f64);
        self.usual = Some(usual + GAIN * (packets as f64 - usual));
        match packets.checked_sub(news) {
            // dSafer.cep = newlyAckedPkt - ((newlyAckedPkt - d.cep) mod DIVACE)
            Some(others) if few => packets - others % u64::from(DIVACE),
            //= rfc9768 §3.2.2.5.2, more
            // "the Data Sender SHOULD consider the ACE counter to be correct"
            _ => news,
        }
    }
}

/// The sender's side of ECN: one reduction per window of data, and CWR after it.
//= rfc3168 §6.1.2
#[derive(Clone, Copy, Debug)]
pub struct Echoes {
    /// ECN field of new data: ECT(0) or ECT(1).
    ect: Ecn,
    /// Data that is sent again has it, too.
    always: bool,
    /// One beyond the highest segment sent when the window was last reduced, for whatever reason.
    reduced: Option<u64>,
    /// The reason was an echo.
    by_echo: bool,
    /// The next new segment bears CWR.
    cwr: bool,
    /// Present if acks count marked packets, and echo none.
    pub counter: Option<Counter>,
}

impl Echoes {
    /// Nothing has been sent; new data bears ECT(0). Acks have a `counter`, or echo marks.
    pub fn new(counter: Option<Counter>) -> Self {
        Self {
            ect: Ecn::Ect0,
            always: false,
            reduced: None,
            by_echo: false,
            cwr: false,
            counter,
        }
    }

    /// New data bears `ect`.
    pub fn bear(&mut self, ect: Ecn) {
        self.ect = ect;
    }

    /// Whether an echo is of a later window of data than the last reduction; its ack leaves `una` the oldest unacknowledged segment.
    // "TCP should not react to congestion indications more than once every window of data"
    pub fn is_news(&self, una: u64) -> bool {
        self.reduced.is_none_or(|at| una > at)
    }

    /// Whether the window was reduced for an echo in the window of data of `una`: then a loss in it is the same congestion.
    // "the TCP sender's congestion window should be reduced only once in response to a series of dropped and/or CE packets from a
    // single window of data"
    pub fn covers(&self, una: u64) -> bool {
        self.by_echo && self.reduced.is_some_and(|at| una < at)
    }

    /// Records that the window was reduced when all segments before `max` had been sent.
    // "for any reason (because of a retransmit timeout, a Fast Retransmit, or in response to an ECN Notification)"
    pub fn on_reduced(&mut self, max: u64, by_echo: bool) {
        *self = Self {
            reduced: Some(max),
            by_echo,
            cwr: true,
            ..*self
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(id: u64, marks: u32) -> Ack {
        Ack {
            id,
            marks,
            ..Ack::default()
        }
    }

    #[test]
    //= rfc9768 §3.2.2.5.2 type=test
    //= rfc9768 §3.2.2.5.2, more type=test
    // The two examples of appendix A.2.1, after acks of two packets each. With more marks than packets, the counter is right.
    fn a_counter_may_have_gone_round_if_acks_are_lost() {
        for (packets, marks, safe) in [
            (9, 2, 2),
            (10, 2, 10),
            (7, 0, 0),
            (8, 0, 8),
            (17, 1, 17),
            (1, 3, 3),
        ] {
            let mut counter = Counter::new(Hears::Acks);
            for at in 1..10 {
                assert_eq!(counter.read(&ack(2 * at - 1, 0), 2), 0);
            }
            let news = counter.read(&ack(17 + packets, marks), packets);
            assert_eq!(news, safe, "{packets} packets, {marks} marks");
        }
    }

    #[test]
    //= rfc9768 §3.2.2.5.2 type=test
    // If all acks are of 16 packets, that distance is not a sign of loss.
    fn long_distances_between_acks_may_be_usual() {
        let mut counter = Counter::new(Hears::Acks);
        for at in 1..20 {
            assert_eq!(counter.read(&ack(16 * at - 1, at as u32 % 8), 16), 1);
        }
    }

    #[test]
    //= rfc9768 §3.2.2.2 type=test
    //= rfc9768 §3.2.2.2, superseded type=test
    fn a_counter_goes_on_from_the_last_ack_that_was_not_overtaken() {
        let mut counter = Counter::new(Hears::Acks);
        let mut read = |id, marks, acked| counter.read(&ack(id, marks), acked);
        assert_eq!(read(0, 6, 1), 6);
        // From 6 to 1, modulo 8.
        assert_eq!(read(3, 1, 1), 3);
        // An earlier duplicate comes late; a later one does not.
        assert_eq!(read(2, 7, 0), 0);
        assert_eq!(read(4, 2, 0), 1);
    }

    #[test]
    // Data is lost and not acks: a duplicate reports one segment, and the ack of what is sent again acknowledges one.
    fn lost_packets_are_no_marked_ones() {
        for sacks in [false, true] {
            let mut counter = Counter::new(Hears::Acks);
            let duplicate = |id: u64| {
                let mut it = ack(id, 0);
                it.blocks[0] = crate::transport::Block {
                    from: 20,
                    to: id + 1,
                };
                if sacks { it } else { ack(id, 0) }
            };
            assert_eq!(counter.read(&ack(0, 0), 1), 0);
            assert_eq!(counter.read(&duplicate(20), 0), 0);
            assert_eq!(counter.read(&duplicate(21), 0), 0);
            assert_eq!(counter.read(&ack(40, 0), 1), 0);
        }
    }

    #[test]
    fn blocks_of_any_length_are_read() {
        let block = |to| crate::transport::Block { from: 0, to };
        let mut it = ack(0, 1);
        it.blocks = [block(1), block(28), block(u64::MAX)];
        assert_eq!(Counter::new(Hears::Acks).read(&it, 0), 1);
    }

    #[test]
    //= rfc9002 §7.1 type=test
    fn a_whole_counter_never_goes_round() {
        let mut counter = Counter::new(Hears::Packets);
        let mut read = |id, marks| counter.read(&ack(id, marks), 0);
        // The second was overtaken; the third acknowledges a packet that was overtaken and marked.
        let told = [read(9, 3), read(8, 2), read(9, 4), read(30, 20)];
        assert_eq!(told, [3, 0, 1, 16]);
    }
}
