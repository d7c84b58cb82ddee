//! Policer: drops packets that exceed a rate and a burst, and lets those that stay below the rate go before the buffer fills.
//!
//! A meter colours each packet that arrives. With one rate (srTCM), tokens come at `rate` into a bucket of `burst` bytes, and while that is
//! full into one of `excess_burst`. A packet for which the first has enough tokens takes them and is green; else, if the second has
//! enough, it takes those and is yellow; else it is red. With two rates (trTCM), a second bucket of `peak_burst` fills at `peak_rate`: a
//! packet for which it has not enough is red; else it takes its tokens, and is green if the first bucket has enough for it as well.
//!
//! Red packets are dropped. Yellow ones are dropped while `yellow_room` packets wait. The RFCs colour packets and leave to others
//! what is done with the colours; nothing changes a packet's code point here. A colour-aware meter reads the drop precedence of AF code points: AFx1
//! is green, AFx2 yellow, AFx3 red, and all others green.
//!
//! Tokens come one at a time, as the RFCs say, so they are whole bytes. Bytes of a packet include its headers above the link.
//= rfc2697 §3
//= rfc2698 §3
//= rfc2697 §1, marker type=departure
//= rfc2698 §1, marker type=departure

use super::tokens::{Arrivals, Bucket};
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::{TOKENS, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Rate, Room};
use crate::storage::per_flow::PerFlow;
use crate::time::Instant;
use crate::unit::{FlowId, Unit};
use alloc::boxed::Box;
use alloc::collections::VecDeque;

crate::declare! {
    /// Drops packets that exceed a rate and a burst (RFC 2697), or two rates (RFC 2698), before they come to a FIFO.
    pub struct PolicerParams as "policer" from "rfc2697 §3" {
        /// Capacity of the buffer behind it, without the packet being transmitted.
        buffer: Room;
        /// Committed information rate: packets below it are green.
        rate: Rate, show "4 Mb/s";
        /// Committed burst size: bytes that may come at once and be green.
        burst: Bytes = "15000 B", try ["3000 B"], show "4000 B";
        /// Excess burst size of the meter with one rate: bytes beyond `burst` that are yellow.
        excess_burst: Bytes = "0 B", try ["0 B", "2000 B"], show "4000 B";
        /// Peak information rate, for the meter with two rates: packets above it are red, those between it and `rate` yellow.
        peak_rate: Option<Rate> = unset "one rate", try ["400 kb/s"];
        /// Peak burst size, for the meter with two rates.
        peak_burst: Bytes = "15000 B", try ["3000 B"];
        /// Number of waiting packets from which on yellow packets are dropped.
        yellow_room: Option<Packets> = unset "`buffer`", try ["2 packets"];
        /// Colours that packets bring in their `dscp`: AFx2 is yellow at best, AFx3 is red.
        aware: bool = "false";
        /// A meter for each flow; else one for all.
        each: bool = "false";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(crate::declare::Fault { name, found, allowed: allowed.into() });
        if it.burst.0 == 0 && (it.peak_rate.is_some() || it.excess_burst.0 == 0) { return fault("burst", "0 B".into(), "at least 1 B"); }
        let Some(peak) = it.peak_rate else { return Ok(()) };
        if peak < it.rate { return fault("peak_rate", alloc::format!("{} b/s", peak.0), "at least `rate`"); }
        if it.peak_burst.0 == 0 { return fault("peak_burst", "0 B".into(), "at least 1 B"); }
        if it.excess_burst.0 > 0 { return fault("excess_burst", alloc::format!("{} B", it.excess_burst.0), "\"0 B\" with `peak_rate`, which has `peak_burst` instead"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]);

/// Colour of a packet, from the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Colour {
    Green,
    Yellow,
    Red,
}

impl Colour {
    /// That of a drop precedence of AF.
    //= rfc2697 §4
    fn of(dscp: u8) -> Self {
        match dscp {
            12 | 20 | 28 | 36 => Self::Yellow,
            14 | 22 | 30 | 38 => Self::Red,
            _ => Self::Green,
        }
    }
}

/// The buckets of a meter.
#[derive(Clone, Debug)]
enum Meter {
    /// One rate: the arrivals, the sizes CBS and EBS, and the tokens Tc and Te.
    One {
        arrivals: Arrivals,
        sizes: (u64, u64),
        tokens: (u64, u64),
    },
    /// Two rates.
    Two { committed: Bucket, peak: Bucket },
}

impl Meter {
    /// Full buckets.
    fn new(params: &PolicerParams) -> Self {
        let Some(peak) = params.peak_rate else {
            let sizes = (params.burst.0, params.excess_burst.0);
            return Self::One {
                arrivals: Arrivals::new(params.rate),
                sizes,
                tokens: sizes,
            };
        };
        Self::Two {
            committed: Bucket::new(params.rate, params.burst.0),
            peak: Bucket::new(peak, params.peak_burst.0),
        }
    }

    /// Tokens of the committed rate, as they were at the last arrival \[bytes\].
    fn tokens(&self) -> u64 {
        match self {
            Self::One { tokens, .. } => tokens.0,
            Self::Two { committed, .. } => committed.tokens(),
        }
    }

    /// The colour of a packet of `bytes` that came with the colour `before`.
    fn colour(&mut self, now: Instant, bytes: u64, before: Colour) -> Colour {
        match self {
            //= rfc2697 §3
            Self::One {
                arrivals,
                sizes,
                tokens,
            } => {
                let new = arrivals.until(now);
                let missing = (sizes.0 - tokens.0).min(new);
                tokens.0 += missing;
                tokens.1 = tokens.1.saturating_add(new - missing).min(sizes.1);
                if before == Colour::Green && tokens.0 >= bytes {
                    tokens.0 -= bytes;
                    Colour::Green
                } else if before != Colour::Red && tokens.1 >= bytes {
                    tokens.1 -= bytes;
                    Colour::Yellow
                } else {
                    Colour::Red
                }
            }
            //= rfc2698 §3
            Self::Two { committed, peak } => {
                committed.fill(now);
                peak.fill(now);
                if before == Colour::Red || !peak.has(bytes) {
                    return Colour::Red;
                }
                peak.take(bytes);
                if before == Colour::Yellow || !committed.has(bytes) {
                    return Colour::Yellow;
                }
                committed.take(bytes);
                Colour::Green
            }
        }
    }
}

/// A FIFO behind meters.
#[derive(Debug)]
pub struct Policer<U> {
    ring: VecDeque<U>,
    room: u64,
    params: Box<PolicerParams>,
    /// The meters of all flows, or only the first.
    meters: PerFlow<Option<Box<Meter>>>,
}

impl<U> Make<PolicerParams> for Policer<U> {
    fn make(params: &PolicerParams, _: Line) -> Self {
        Self {
            ring: VecDeque::new(),
            room: params.buffer.count(),
            params: Box::new(params.clone()),
            meters: PerFlow::default(),
        }
    }
}

impl<U: Unit> Discipline<U> for Policer<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let params = &self.params;
        let whose = if params.each { unit.flow() } else { FlowId(0) };
        let meter = self.meters.of(whose);
        let meter = meter.get_or_insert_with(|| Box::new(Meter::new(params)));
        let before = if params.aware {
            Colour::of(unit.dscp())
        } else {
            Colour::Green
        };
        let colour = meter.colour(now, u64::from(unit.bytes()), before);
        let waiting = self.ring.len() as u64;
        let yellow = params.yellow_room.map_or(self.room, |most| most.0);
        if colour == Colour::Red || (colour == Colour::Yellow && waiting >= yellow) {
            book.drop(unit, Cause::Early);
        } else if waiting >= self.room {
            book.drop(unit, Cause::Overflow);
        } else {
            self.ring.push_back(unit);
        }
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        self.ring.pop_front()
    }

    fn gauges(&self, tell: &mut Tell) {
        let full = self.params.burst.0;
        let meters = self.meters.iter().flatten();
        // Of several meters, the one that is nearest to dropping.
        let least = meters.map(|meter| meter.tokens()).min();
        tell(TOKENS, least.unwrap_or(full) as f64);
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, line};
    use crate::time::SECOND;
    use std::vec;

    fn policer(texts: &[(&str, &str)]) -> Policer<Named> {
        let all = [&[("buffer", "20 packets"), ("rate", "8 kb/s")], texts].concat();
        Policer::make(&PolicerParams::from_texts(&all), line())
    }

    #[test]
    //= rfc2697 §3 type=test
    fn one_rate_has_a_burst_and_an_excess_burst() {
        // 1000 B/s. Yellow packets are dropped, so that the colours can be seen.
        let yellow = ("yellow_room", "0 packets");
        let texts = [("burst", "1000 B"), ("excess_burst", "500 B"), yellow];
        check(
            policer(&texts),
            "a1 600 => kept              # green: 400 and 500 tokens are left
             a2 500 => early             # yellow: 400, 0
             a3 400 => kept              # green: 0, 0
             @999.999ms a4 1000 => early # red: 999 have come
             @1s a5 1000 => kept         # green: 0, 0
             @2.3s a6 1000 => kept       # 1000 and 300 came
             a7 301 => early             # red
             a8 300 => early             # yellow
             @2.301s a9 1 => kept        # one has come",
        );
        check(
            policer(&texts[..2]),
            "a1 1000 => kept
             a2 500 => kept              # yellow, and there is room
             a3 1 => early",
        );
    }

    #[test]
    //= rfc2698 §3 type=test
    fn two_rates_have_a_burst_each() {
        let texts = [
            ("burst", "500 B"),
            ("peak_rate", "16 kb/s"),
            ("peak_burst", "1000 B"),
            ("yellow_room", "0 packets"),
        ];
        check(
            policer(&texts),
            "a1 500 => kept              # green: 0 are left, and 500 of the peak's
             a2 501 => early             # red
             @100ms a3 200 => early      # yellow: 100 are too few; 700 - 200 of the peak's
             a4 100 => kept              # green: 0, 400
             @200ms a5 601 => early      # red: 600
             a6 100 => kept",
        );
    }

    #[test]
    //= rfc2697 §4 type=test
    fn a_meter_that_is_aware_improves_no_colour() {
        assert_eq!(Colour::of(34), Colour::Green);
        assert_eq!(Colour::of(36), Colour::Yellow);
        assert_eq!(Colour::of(38), Colour::Red);
        let params = PolicerParams::from_texts(&[
            ("buffer", "20 packets"),
            ("rate", "8 kb/s"),
            ("burst", "1000 B"),
            ("excess_burst", "500 B"),
        ]);
        let mut meter = Meter::new(&params);
        let mut colour = |before, bytes| meter.colour(Instant::ZERO, bytes, before);
        assert_eq!(colour(Colour::Red, 1), Colour::Red);
        assert_eq!(colour(Colour::Yellow, 501), Colour::Red);
        assert_eq!(colour(Colour::Yellow, 500), Colour::Yellow);
        assert_eq!(colour(Colour::Yellow, 1), Colour::Red);
        assert_eq!(colour(Colour::Green, 1000), Colour::Green);
        let params = PolicerParams {
            peak_rate: Some(params.rate),
            excess_burst: Bytes(0),
            ..params
        };
        let mut meter = Meter::new(&params);
        let mut colour = |before, bytes| meter.colour(Instant::ZERO, bytes, before);
        assert_eq!(colour(Colour::Red, 1), Colour::Red);
        assert_eq!(colour(Colour::Yellow, 500), Colour::Yellow);
        assert_eq!(colour(Colour::Green, 1000), Colour::Green);
    }

    #[test]
    //= rfc2697 §3 type=test
    //= rfc2698 §3 type=test
    fn what_passes_in_a_time_is_the_burst_and_the_rate() {
        // A packet of `bytes` each millisecond, which is more than the rates allow: until T, green ones have burst + rate x T bytes, and green
        // and yellow ones with two rates peak_burst + peak_rate x T, each less what is too little for one more packet.
        let packets = 10_000u64;
        for bytes in [40, 99, 1000, 1500] {
            for (texts, passes) in [
                (vec![("burst", "7000 B")], 7000 + 1000 * 9999 / 1000),
                (
                    vec![("burst", "7000 B"), ("excess_burst", "3000 B")],
                    10_000 + 1000 * 9999 / 1000,
                ),
                (
                    vec![
                        ("burst", "7000 B"),
                        ("peak_rate", "24 kb/s"),
                        ("peak_burst", "4000 B"),
                    ],
                    4000 + 3000 * 9999 / 1000,
                ),
            ] {
                let all = [
                    &[("buffer", "20000 packets"), ("rate", "8 kb/s")],
                    &texts[..],
                ]
                .concat();
                let mut policer = Policer::make(&PolicerParams::from_texts(&all), line());
                let mut book = crate::queue::laws::Fates::default();
                for n in 0..packets {
                    let unit = Named::packet(std::format!("a{n}"), bytes);
                    policer.offer(Instant(n * SECOND / 1000), unit, &mut book);
                }
                let passed = policer.backlog() * u64::from(bytes);
                let rest = passes as u64 - passed;
                // Each bucket may keep what is too little for a packet.
                assert!(
                    passed <= passes as u64 && rest < 2 * u64::from(bytes),
                    "{texts:?}, {bytes} B: {passed} of {passes}"
                );
            }
        }
    }

    #[test]
    fn each_flow_has_its_own_meter_if_asked() {
        let one = [("burst", "1000 B")];
        let script = "a1 1000 => kept
             b1 1000 => kept
             a2 1 => early
             b2 1 => early";
        check(policer(&[one[0], ("each", "true")]), script);
        check(
            policer(&one),
            &script.replace("b1 1000 => kept", "b1 1000 => early"),
        );
    }
}
