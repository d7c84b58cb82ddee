//! Balanced packet discard: on cells EPD with a second, higher threshold for a VC that has just lost a packet.
//!
//! A VC that loses a packet (early, or by overflow) is *damaged* for its next `gap` packets: the upper threshold applies to those, the
//! lower to all others. Losses of one VC are thus far apart, and TCP repairs each by fast retransmit instead of by a timeout.
//!
//! On a link of packets the same holds for flows: each packet begins and ends itself, so it is admitted or dropped whole.
//!
//! Gap\[i\] is counted down at end-of-packet cells. §4 says both that the count falls "for every end of packet cell" and that a
//! Gap of 5 spares "the subsequent 5 packets": the end of the damaged packet itself is therefore not counted, or 5 would
//! spare 4. The two readings differ by one packet in the distance of losses; the paper saw 25 to 26 with a Gap of 25.
//= cohen-hamo-2001 §4, Fig. 10
//= cohen-hamo-2001 §4 type=departure

use super::{About, Discipline, Grain, Line, Make, ppd};
use crate::declare::Fault;
use crate::gauge::{Gauge, Tell};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Packets, Room, Share};
use crate::storage::per_flow::PerFlow;
use crate::time::Instant;
use crate::unit::Unit;
use alloc::format;

crate::declare! {
    /// Drops packets beyond a threshold of the backlog, which is higher for flows that lost one of their latest packets; on cells as EPD does.
    pub struct BpdParams as "bpd" from "cohen-hamo-2001 §4" {
        /// Capacity of the buffer, without the cell being transmitted.
        buffer: Room;
        /// LT: share of the buffer above which a regular flow (on cells, a VC) may begin no packet.
        lower: Share = "0.4";
        /// UT: share of the buffer above which a damaged flow may begin no packet.
        upper: Share = "0.9";
        /// Gap: number of packets of a flow after a lost one for which UT applies to it.
        gap: Packets = "25 packets", show "2 packets";
    }
    check |it| if it.lower.0 <= it.upper.0 { Ok(()) } else {
        Err(Fault {
            name: "lower",
            found: format!("{}", it.lower.0),
            allowed: format!("at most `upper`, which is {}", it.upper.0),
        })
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells, Grain::Packets]);

/// PPD behind two thresholds.
#[derive(Debug)]
pub struct Bpd<U> {
    inner: ppd::Ppd<U>,
    /// LT \[units\]
    lower: f64,
    /// UT \[units\]
    upper: f64,
    /// Gap \[packets\]
    recovery: u64,
    /// Gap\[i\]: packets until the recovery period of VC i is over.
    gap: PerFlow<u64>,
}

impl<U: Unit> Make<BpdParams> for Bpd<U> {
    fn make(params: &BpdParams, _: Line) -> Self {
        let inner = ppd::Ppd::with_room(params.buffer);
        Self {
            lower: params.lower.of(inner.room()),
            upper: params.upper.of(inner.room()),
            recovery: params.gap.0,
            gap: PerFlow::default(),
            inner,
        }
    }
}

impl<U: Unit> Discipline<U> for Bpd<U> {
    #[inline(always)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        let (flow, last) = (unit.flow(), unit.last());
        let (gap, lower, upper) = (&mut self.gap, self.lower, self.upper);
        // Only first cells, last cells and losses read or change the gap. Most cells are none of these, and do not look it up.
        let why = self.inner.offer_if(unit, book, |backlog| {
            let threshold = if *gap.of(flow) > 0 { upper } else { lower };
            backlog as f64 <= threshold
        });
        match why {
            Some(Cause::Early | Cause::Overflow) => *self.gap.of(flow) = self.recovery,
            _ if last && !self.inner.damaged(flow) => {
                let gap = self.gap.of(flow);
                *gap = gap.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn offer_control(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.inner.offer_control(now, unit, book);
    }

    #[inline]
    fn pull(&mut self, now: Instant, book: &mut impl Ledger<U>) -> Option<U> {
        self.inner.pull(now, book)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        self.inner.backlog()
    }

    fn gauges(&self, tell: &mut Tell) {
        let spared = self.gap.iter().filter(|gap| **gap > 0).count();
        tell(Gauge::new("spared", "flows"), spared as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{check, line};

    fn queue(gap: &str) -> Bpd<crate::queue::tests::script::Named> {
        Bpd::make(
            &BpdParams::from_texts(&[
                ("buffer", "8 cells"),
                ("lower", "0.25"),
                ("upper", "0.5"),
                ("gap", gap),
            ]),
            line(),
        )
    }

    #[test]
    fn a_damaged_vc_is_held_against_the_upper_threshold_for_gap_packets() {
        check(
            queue("2 packets"),
            "a1 last  => kept
             a2 last  => kept
             a3 last  => kept       # two wait: not beyond LT
             a4 .     => early      # three wait: a is damaged
             a5 last  => kept       # the damaged packet's own end counts nothing
             b1 last  => early      # b was regular, four wait
             a6 last  => kept       # first spared packet of a: four is not beyond UT
             a7 last  => early      # five wait: beyond UT as well; two more to spare
             pull     => a1
             a8 last  => kept
             pull     => a2
             a9 last  => kept
             pull     => a3
             aa last  => early      # the period is over and LT holds again: four wait
             b2 last  => kept       # b's first spared packet",
        );
    }

    #[test]
    fn packets_are_spared_like_those_of_cells() {
        check(
            queue("1 packets"),
            "a1 last  => kept
             a2 last  => kept
             b1 last  => kept       # two wait
             a3 last  => early      # three wait: beyond LT
             b2 last  => early
             a4 last  => kept       # three is not beyond UT, and a has lost one
             a5 last  => early      # four wait, and a is regular again",
        );
    }

    #[test]
    fn overflow_damages_a_vc_too() {
        check(
            queue("1 packets"),
            "a1 . => kept
             a2 . => kept
             a3 . => kept
             a4 . => kept
             a5 . => kept
             a6 . => kept
             a7 . => kept
             a8 . => kept
             a9 .      => overflow
             aa .      => partial
             pull      => a1
             ab last   => kept
             pull      => a2
             pull      => a3
             pull      => a4
             pull      => a5
             ac last   => kept      # four wait: beyond LT, not UT, and a is damaged
             pull      => a6
             ad last   => early     # spared once; regular now",
        );
    }

    #[test]
    //= atm-tm4 §5.10.3 type=test
    fn an_rm_cell_is_not_dropped_early() {
        let queue = Bpd::make(
            &BpdParams::from_texts(&[
                ("buffer", "4 cells"),
                ("lower", "0.2"),
                ("upper", "0.5"),
                ("gap", "1 packets"),
            ]),
            line(),
        );
        check(
            queue,
            "a1 .     => kept
             ar rm    => kept
             br rm    => kept
             c1 .     => early
             cr rm    => kept
             a2 .     => overflow
             dr rm    => overflow",
        );
    }
}
