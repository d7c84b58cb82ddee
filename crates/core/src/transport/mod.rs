//! Transports: a sender is one state machine made of a [`control`] part (how much, how fast) and a [`repair`] part (what to retransmit).
//!
//! Sequence numbers count whole segments from 0, as in the papers; windows are in segments, too.

pub mod compat;
pub mod control;
pub mod laws;
mod outcome;
mod ranges;
pub mod receiver;
pub mod records;
pub mod repair;
mod roster;
pub mod rtt;
mod scaled;
#[cfg(test)]
mod script;
pub mod sender;
pub mod shaper;

pub use ranges::{ACK_RANGES, Ranges};
pub use roster::{AnySender, Halves, Pair, ROSTER, TransportParams, entry, repairs_own};

use crate::declare::Declared;
use crate::measure::{Bytes, Share, Window};
use crate::time::Duration;

crate::choice! {
    /// Quantity halved on loss: cwnd or FlightSize.
    pub enum Halve {
        /// min(cwnd, receiver's window), rounded down to whole segments: RFC 2001 and the BSD code of the 1990s.
        Window = "window",
        /// FlightSize, the segments outstanding: RFC 5681 eq. 4, RFC 6582, RFC 6675.
        Flight = "flight",
        /// min(cwnd, receiver's window) with its fraction, which the congestion window keeps: ns-2 (`precisionReduce_`).
        Exact = "exact",
    }
}

crate::choice! {
    /// Algorithm by which the congestion window grows below the slow-start threshold.
    pub enum SlowStart {
        /// One segment per ack, until a loss or the threshold: RFC 5681.
        Standard = "standard",
        /// It also ends when a round's acks come in a train of half a round trip, or when round trips grow longer: HyStart, as in Linux.
        Hystart = "hystart",
        /// The first slow start of a connection also ends when round trips grow longer: HyStart++, RFC 9406.
        Plus = "hystart++",
    }
}

crate::choice! {
    /// What opens the congestion window.
    pub enum Counted {
        /// Each ack of new data, however much it acknowledges: the formulas of RFC 5681, and BSD.
        Acks = "acks",
        /// Each segment that is acknowledged: RFC 9002.
        Segments = "segments",
        /// The same, in whole segments: in congestion avoidance by one for each window of segments that is acknowledged (Linux).
        Windows = "windows",
    }
}

crate::choice! {
    /// Rule for a congestion window that the sender does not fill.
    pub enum Idle {
        /// It stays as it is.
        Keep = "keep",
        /// It is at most `initial_window` when sending begins again after more than a retransmission timeout: RFC 5681 §4.1.
        Restart = "restart",
        /// It halves with each retransmission timeout of idle time, and comes down to what is used; not below `initial_window`. It grows only
        /// while it is full: RFC 2861, Linux.
        Decay = "decay",
        /// It stays for `non_validated_period`, but does not grow, and congestion leaves half of what was used: RFC 7661.
        Validate = "validate",
    }
}

crate::choice! {
    /// Formula of the retransmission timeout.
    pub enum RtoRule {
        /// SRTT + 4 RTTVAR: RFC 6298.
        Jacobson = "jacobson",
        /// 2 SRTT: Keshav & Morgan.
        TwiceSrtt = "twice-srtt",
        /// SRTT + 4 RTTVAR in scaled whole ticks: BSD, ns-2.
        Scaled = "scaled",
        /// SRTT + 4 RTTVAR, where 4 RTTVAR counts as at least `min_rto`: Linux.
        Floored = "floored",
    }
}

crate::choice! {
    /// Length of a round trip in ticks.
    pub enum RttTicks {
        /// Its length, rounded to whole ticks.
        Nearest = "nearest",
        /// The ticks of the clock during it: BSD, ns-2.
        Passed = "passed",
    }
}

crate::choice! {
    /// Acks that measure the RTT.
    pub enum Samples {
        /// The ack of the one segment that is timed, as in BSD; a retransmitted segment is not timed.
        Timed = "timed",
        /// Every ack that a segment's first transmission caused; its echo tells it from later ones.
        Karn = "karn",
        /// Every ack; it echoes which transmission caused it.
        Each = "each",
        /// Every ack, as if the latest transmission of its segment had caused it, which Karn & Partridge warn of.
        Latest = "latest",
    }
}

crate::choice! {
    /// Effect of `careful` on the first segments of a connection.
    pub enum RecoverAtStart {
        /// No effect: no recovery comes before them.
        None = "none",
        /// `recover` is set at the start: duplicate acks that acknowledge no segment start no fast retransmit. RFC 6582.
        Set = "set",
        /// `recover` is set at the start, but duplicate acks of the first segment alone always may start one: ns-2 (`bugfix_ss_`).
        Exempt = "exempt",
    }
}

crate::choice! {
    /// Event that ends back-off.
    pub enum Undouble {
        /// A measurement of the RTT.
        Sample = "sample",
        /// An ack of new data.
        Advance = "advance",
    }
}

crate::choice! {
    /// The receiver's treatment of a segment that arrives out of order.
    pub enum OutOfOrder {
        /// Keeps it.
        Keep = "keep",
        /// Discards it, and acknowledges it as a duplicate.
        Discard = "discard",
    }
}

crate::choice! {
    /// The receiver's treatment of a segment whose checksum fails.
    pub enum BadChecksum {
        /// Discards it without an ack: RFC 9293.
        Drop = "drop",
        /// Acknowledges the next expected segment at once, on which Viswanathan & Kamal rely.
        DupAck = "dup-ack",
    }
}

crate::choice! {
    /// How acks tell of marks.
    pub enum EcnEcho {
        /// Every ack from a mark on, until the sender reports (CWR) that it has reduced its window: RFC 3168.
        Latched = "latched",
        /// The acks of marked packets, and no others: DCTCP's receiver, RFC 8257.
        Exact = "exact",
        /// No echo: each ack has a count of the marked packets, three bits in TCP (AccECN, RFC 9768), a whole number in QUIC (RFC 9000).
        Counter = "counter",
    }
}

//= rfc5681 §3.1, IW
//= rfc5681 §3.1, IW type=departure
// A plan may set `initial_window`, and its default is below every bound.
//= rfc5681 §4.2, 500 ms
//= rfc5681 §4.2, 500 ms type=departure
//= rfc5681 §4.2, every second type=departure
// A plan may set `ack_delay` and `ack_every`, too.
//= rfc5681 §4.2, delay type=departure
// `delayed_ack` is false unless a plan says otherwise.
crate::declare! {
    /// Parameters that every transport has.
    pub struct Common as "transport" from "rfc5681 §3" {
        /// Payload of a full segment.
        mss: Bytes = "536 B";
        /// Length of the TCP and IP headers of every segment and ack; for UDP and IP write "28 B".
        header: Bytes = "40 B";
        /// The receiver's window: distance beyond the oldest missing segment up to which data may be sent (the error-control window).
        max_window: Window = "64 KiB";
        /// The receiver's window at the start, if the receiver tunes it, as Linux does: after each round trip it is twice what was
        /// delivered in it, and more while that grows, up to `max_window`. Captures show `max_window`.
        tuned_window: Option<Window> = unset "always max_window", try ["4 segments"];
        /// Upper bound of the congestion window alone.
        max_cwnd: Option<Window> = unset "unlimited";
        /// Congestion window at the start; RFC 5681 allows 4 segments of at most 1095 B, 3 of at most 2190 B, else 2.
        initial_window: Window = "1 segments";
        /// Slow-start threshold at the start.
        initial_ssthresh: Option<Window> = unset "unlimited";
        /// Slow start of Tahoe, Reno, DCTCP and CUBIC.
        slow_start: SlowStart = "standard";
        /// hystart_low_window of HyStart: segments below which slow start is not ended.
        hystart_low_window: u64 = "16";
        /// hystart_ack_delta of HyStart: longest time between two acks of a train.
        hystart_ack_delta: Duration = "2 ms";
        /// MIN_RTT_THRESH of HyStart++, HYSTART_DELAY_MIN of HyStart: least increase of the round trip by which slow start ends.
        min_rtt_thresh: Duration = "4 ms";
        /// MAX_RTT_THRESH of HyStart++, HYSTART_DELAY_MAX of HyStart: increase of the round trip by which slow start always ends.
        max_rtt_thresh: Duration = "16 ms";
        /// MIN_RTT_DIVISOR of HyStart++: between these two thresholds, the increase is the round trip divided by this. HyStart has it, too.
        min_rtt_divisor: u64 = "8";
        /// N_RTT_SAMPLE of HyStart++, HYSTART_MIN_SAMPLES of HyStart: round trips to be measured in a round before they are compared with
        /// those of the round before, or with the shortest.
        n_rtt_sample: u64 = "8";
        /// CSS_GROWTH_DIVISOR of HyStart++: how many times slower than in slow start the window grows in conservative slow start.
        css_growth_divisor: u64 = "4";
        /// CSS_ROUNDS of HyStart++: rounds of conservative slow start before congestion avoidance.
        css_rounds: u64 = "5";
        /// L of HyStart++: most segments by which one ack opens the window.
        growth_limit: Option<u64> = unset "8, or no limit with `pace`";
        /// What opens the window: each ack; each segment that is acknowledged; or (`windows`, as in Linux) the same in slow start, and in congestion
        /// avoidance one segment for each window of segments. Of Tahoe, Reno, DCTCP and Vegas, and in slow start of `cubic`, `tcp-cubic` and `prague`.
        counted: Counted = "acks";
        /// Congestion window after a timeout; the minimum window of QUIC.
        loss_window: Window = "1 segments";
        /// Rule for a congestion window that the sender does not fill, of Tahoe, Reno, DCTCP, Prague, Vegas and CUBIC.
        idle: Idle = "keep";
        /// With `idle = "validate"`: time after which a window that is not validated halves; RFC 7661 recommends at most 300 s.
        non_validated_period: Duration = "300 s";
        /// Pacing of a controller without a rate of its own, at this many times the congestion window per smoothed round trip.
        pace: Option<f64> = unset "not paced", try ["1.25"];
        /// Time whose worth of packets a paced sender sends at once, two packets at least (one at less than 1.2 Mb/s) and 64 KiB at most, as
        /// segmentation offload makes Linux do. 0 s: packets leave one by one.
        send_quantum: Duration = "0 s";
        /// Delayed acks: one for every `ack_every` segments, or after `ack_delay`.
        delayed_ack: bool = "false";
        /// Segments for which a delayed ack waits.
        ack_every: u64 = "2";
        /// Longest delay of a delayed ack.
        ack_delay: Duration = "200 ms";
        /// With delayed acks: segments at the start of a connection that are acknowledged at once, each by itself. Linux does so while the window
        /// that it offers grows.
        quick_acks: u64 = "0";
        /// With delayed acks: time from the arrival of a segment until the application reads it. The ack for `ack_every` segments is sent when the
        /// last of them is read, and covers all that have arrived.
        read_delay: Duration = "0 s";
        /// Granularity of the retransmission clock.
        tick: Duration = "100 ms";
        /// Time from the last tick of the clock to the start of the run, for `rtt_ticks = "passed"` and `heartbeat`.
        tick_phase: Duration = "0 s";
        /// Rounding of a round trip to whole ticks, at least one.
        rtt_ticks: RttTicks = "nearest";
        /// The retransmission timer counts ticks of the clock: a timeout of n ticks ends with the n-th tick after it is set, up to a tick
        /// early (BSD).
        heartbeat: bool = "false";
        /// Lower bound of the retransmission timeout.
        min_rto: Option<Duration> = unset "two ticks";
        /// Retransmission timeout before the RTT has been measured.
        initial_rto: Duration = "1 s";
        /// Upper bound of the timeout under back-off.
        max_rto: Duration = "64 s";
        /// Formula of the retransmission timeout.
        rto: Option<RtoRule> = unset "the repair's";
        /// Acks that measure the RTT.
        samples: Option<Samples> = unset "the repair's";
        /// Exponential back-off: each timeout doubles the next.
        backoff: bool = "true";
        /// Event that ends back-off.
        undouble: Undouble = "sample";
        /// The receiver's treatment of a segment that arrives out of order.
        out_of_order: OutOfOrder = "keep";
        /// Report of a segment that has arrived twice, in a first block of its own in the ack (RFC 2883).
        dsack: bool = "false";
        /// The receiver's treatment of a segment whose checksum fails, such as a packet that was truncated on its way.
        bad_checksum: BadChecksum = "drop";
        /// No second fast retransmit for losses from before the last recovery or timeout (RFC 2582 §5; a repair that is specified with
        /// that always does so).
        careful: bool = "false";
        /// With `careful`: duplicate acks that acknowledge exactly what was outstanding then may start a fast retransmit (ns-2's
        /// `less_careful_`; RFC 2582 recommends against it). Not with SACK.
        less_careful: bool = "false";
        /// Effect of `careful` on the first segments of a connection.
        recover_at_start: RecoverAtStart = "none";
        /// Quantity halved on loss: cwnd or FlightSize.
        halve: Halve = "window";
        /// Limited transmit: new segments are sent on the first two duplicate acks (RFC 3042).
        limited_transmit: bool = "false";
        /// Limited transmit of old segments, too, after a timeout (ns-2); RFC 3042 speaks of new ones only.
        limited_again: bool = "false";
        /// ECN: data is sent as ECN-capable, and an echo reduces the window as a loss does, without a retransmission (RFC 3168).
        ecn: bool = "false";
        /// Factor by which Tahoe, Reno and CUBIC multiply the window for an echo in congestion avoidance; with ABE (RFC 8511) 0.8, and 0.85 for
        /// CUBIC.
        beta_ecn: Option<Share> = unset "as for a loss";
        /// How acks tell of marks.
        ecn_echo: EcnEcho = "latched";
    }
    check |it| {
        let fault = |name, found, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        let unit = |w: Window| match w {
            Window::Bytes(b) => alloc::format!("{b} B"),
            Window::Segments(n) => alloc::format!("{n} segments"),
        };
        if it.mss.0 == 0 { return fault("mss", "0 B".into(), "at least 1 B"); }
        if it.mss.0.saturating_add(it.header.0) > 65_535 { return fault("mss", alloc::format!("{} B", it.mss.0), "with `header`, at most 65535 B"); }
        if it.tick == Duration::ZERO { return fault("tick", "0 s".into(), "more than 0 s"); }
        if it.tick > Duration::secs(3600) { return fault("tick", alloc::format!("{} s", it.tick.seconds()), "at most 1 h"); }
        if it.non_validated_period == Duration::ZERO { return fault("non_validated_period", "0 s".into(), "more than 0 s"); }
        if it.initial_rto == Duration::ZERO { return fault("initial_rto", "0 s".into(), "more than 0 s"); }
        if let Some(min) = it.min_rto && it.max_rto < min {
            return fault("max_rto", alloc::format!("{} s", it.max_rto.seconds()), "at least `min_rto`");
        }
        if it.max_rto < it.initial_rto { return fault("max_rto", alloc::format!("{} s", it.max_rto.seconds()), "at least `initial_rto`"); }
        if let Some(beta) = it.beta_ecn && (beta.0 <= 0.0 || beta.0 >= 1.0) {
            return fault("beta_ecn", alloc::format!("{}", beta.0), "above 0 and below 1");
        }
        if let Some(pace) = it.pace && pace <= 0.0 { return fault("pace", alloc::format!("{pace}"), "above 0, or nothing is sent"); }
        if it.max_rtt_thresh < it.min_rtt_thresh {
            return fault("max_rtt_thresh", alloc::format!("{} s", it.max_rtt_thresh.seconds()), "at least `min_rtt_thresh`");
        }
        //= rfc9406 §4.3, divisor
        // "The minimum value of CSS_GROWTH_DIVISOR MUST be at least 2."
        for (name, found, least) in [
            ("min_rtt_divisor", it.min_rtt_divisor, 1), ("n_rtt_sample", it.n_rtt_sample, 1),
            ("css_growth_divisor", it.css_growth_divisor, 2), ("css_rounds", it.css_rounds, 1), ("growth_limit", it.growth_limit.unwrap_or(1), 1),
            ("ack_every", it.ack_every, 1),
        ] {
            if found < least { return fault(name, alloc::format!("{found}"), if least == 1 { "at least 1" } else { "at least 2" }); }
        }
        for (name, window) in [
            ("max_window", Some(it.max_window)), ("max_cwnd", it.max_cwnd),
            ("tuned_window", it.tuned_window),
            ("initial_window", Some(it.initial_window)), ("initial_ssthresh", it.initial_ssthresh),
            ("loss_window", Some(it.loss_window)),
        ] {
            if let Some(w) = window && w.whole_segments(it.mss) == 0 {
                return fault(name, unit(w), "at least one segment of `mss`");
            }
        }
        Ok(())
    }
}

impl Default for Common {
    fn default() -> Self {
        Self::from_texts(&[])
    }
}

impl Common {
    /// The receiver's window \[segments\].
    pub fn receiver_window(&self) -> u64 {
        self.max_window.whole_segments(self.mss)
    }
}

/// SACK blocks in an ack: 3, as many as fit beside a time stamp. A capture has one where the `header` has room, and the same run reports
/// the same with and without; RFC 2018 §3 expects that SACK "will often be used in conjunction with the Timestamp option".
//= cohen-hamo-2001 §6.1
//= rfc2018 §4, as many type=departure
pub const SACK_BLOCKS: usize = 3;

/// Values of AccECN's counter of marked packets, ACE.
//= rfc9768 §3.2.2, counter
pub const DIVACE: u32 = 8;

/// A run of segments, `from` included, `to` not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// First segment.
    pub from: u64,
    /// One beyond the last.
    pub to: u64,
}

impl Block {
    /// The part from `first` to before `end`.
    fn within(self, first: u64, end: u64) -> Self {
        Self {
            from: self.from.max(first),
            to: self.to.min(end),
        }
    }

    /// Its segments that are in none of the blocks `known`, in ascending order.
    ///
    /// Acks report the same blocks again and again, and usually only one of them has become longer, by a segment. A sender that has
    /// entered the blocks of the last ack need not look at each segment again.
    fn without(self, known: &[Block; SACK_BLOCKS]) -> impl Iterator<Item = u64> {
        let mut at = self.from;
        core::iter::from_fn(move || {
            while let Some(it) = known.iter().find(|it| it.from <= at && at < it.to) {
                at = it.to;
            }
            (at < self.to).then(|| {
                at += 1;
                at - 1
            })
        })
    }
}

/// An acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ack {
    /// The next segment expected: all before it have arrived.
    pub next: u64,
    /// The segment that caused it.
    pub cause: u64,
    /// The transmission of it: the sender's count of transmissions, which the receiver echoes.
    //= keshav-morgan-1997 §3
    pub id: u64,
    /// A notice of loss: this transmission of `cause` came as a header only, a switch had trimmed its payload off.
    //= ndp-2017 §3.2
    pub trimmed: bool,
    /// ECN-Echo: a packet that has arrived was marked.
    //= rfc3168 §6.1.3
    pub ece: bool,
    /// With `ecn_echo = "counter"`: how many marked packets have arrived, modulo [`DIVACE`] except for QUIC. `ece` is then set in the first ack after
    /// a mark, for those who read tapes; the sender does not read it.
    //= rfc9768 §3.2.2, counter
    pub marks: u32,
    /// Its cause is unknown, and it reports no arrival: `cause` and `id` are those of an earlier ack, or 0 if there was none.
    pub repeats: bool,
    /// Runs that arrived beyond `next`, the latest first; empty ones are unused. With `dsack` the first may be a segment that came
    /// twice, before `next` or within the second.
    pub blocks: [Block; SACK_BLOCKS],
    /// The transmissions that have arrived, if the sender understands such reports ([`Hears::Packets`](repair::Hears::Packets)); then
    /// `cause` and `id` are of the largest.
    pub ranges: Ranges,
    /// With them: how long ago the largest arrived.
    //= rfc9000 §19.3, ACK Delay
    pub delay: Duration,
}

impl Ack {
    /// Whether it says all that the earlier ack `older` says, and more: more data in order, or more beyond. An ack that reports a segment that came twice, or a
    /// trimmed one, or has another echo of congestion, is never replaced; nor is one of QUIC, which no link can read.
    //= linux-cake
    pub fn supersedes(&self, older: &Self) -> bool {
        let reports = older.trimmed
            || older.ece != self.ece
            || older.marks != self.marks
            || !older.ranges.is_empty();
        let twice = |block: &Block| block.from < older.next;
        if reports || self.next < older.next || older.sacked().any(|block| twice(&block)) {
            return false;
        }
        let covers = |block: Block| {
            let within = |own: Block| own.from <= block.from && block.to <= own.to;
            block.to <= self.next || self.sacked().any(within)
        };
        if !older.sacked().all(covers) {
            return false;
        }
        let sacked = |ack: &Self| ack.sacked().map(|it| it.to - it.from).sum::<u64>();
        self.next > older.next || sacked(self) > sacked(older)
    }

    /// The blocks in use.
    pub fn sacked(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks.iter().copied().take_while(|b| b.from < b.to)
    }
}
