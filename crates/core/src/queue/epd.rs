//! Early packet discard: drops a packet if its first cell arrives while the backlog exceeds a threshold.
//!
//! EPD here is EPD with PPD, as in the paper: EPD drops the first cell, then PPD drops all others except for the last. The text says both
//! "reaches" and "more than 40% full"; at a backlog of exactly the threshold a packet is still admitted, as in three of its four
//! statements (a difference of one cell in 1,200).
//= cohen-hamo-2001 §3
//= cohen-hamo-2001 §3 type=departure

use super::{About, Discipline, Grain, Line, Make, ppd};
use crate::ledger::Ledger;
use crate::measure::{Room, Share};
use crate::time::Instant;
use crate::unit::Unit;

crate::declare! {
    /// Drops a packet, except for its last cell, if its first cell arrives while the backlog exceeds a threshold.
    pub struct EpdParams as "epd" from "cohen-hamo-2001 §3" {
        /// Capacity of the buffer, without the cell being transmitted.
        buffer: Room;
        /// Share of the buffer above which no new packet is admitted.
        threshold: Share = "0.5";
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]);

/// PPD behind a threshold.
#[derive(Debug)]
pub struct Epd<U> {
    inner: ppd::Ppd<U>,
    /// \[cells\]
    threshold: f64,
}

impl<U: Unit> Make<EpdParams> for Epd<U> {
    fn make(params: &EpdParams, _: Line) -> Self {
        let inner = ppd::Ppd::with_room(params.buffer);
        Self {
            threshold: params.threshold.of(inner.room()),
            inner,
        }
    }
}

impl<U: Unit> Discipline<U> for Epd<U> {
    #[inline(always)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        self.inner
            .offer_if(unit, book, |backlog| backlog as f64 <= self.threshold);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{check, line};

    #[test]
    fn a_packet_that_begins_above_the_threshold_is_dropped_but_for_its_last_cell() {
        let queue = Epd::make(
            &EpdParams::from_texts(&[("buffer", "4 cells"), ("threshold", "0.5")]),
            line(),
        );
        check(
            queue,
            "a1 .     => kept
             b1 .     => kept
             c1 .     => kept       # two of four is the threshold, not beyond it
             d1 .     => early
             a2 .     => kept       # a packet that was let in goes on
             d2 .     => partial
             d3 last  => overflow   # the last cell would go through, if there were room
             pull     => a1
             pull     => b1
             d4 .     => kept       # two left: let in again
             e1 last  => early      # a packet of one cell is dropped whole
             b2 last  => kept",
        );
    }

    #[test]
    //= atm-tm4 §5.10.3 type=test
    fn an_rm_cell_is_not_dropped_early() {
        let queue = Epd::make(
            &EpdParams::from_texts(&[("buffer", "4 cells"), ("threshold", "0.5")]),
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
