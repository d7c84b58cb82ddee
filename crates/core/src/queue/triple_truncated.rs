//! Triple truncation: sends on three copies of a packet's header in place of a packet that is dropped.
//!
//! Their transport checksum is that of the whole packet, and so fails at the receiver. If it answers that with a duplicate ack, the
//! sender is told of the loss a round trip after it, without waiting for three more packets to get through. By RFC 9293 the receiver
//! drops such a segment without an ack (`bad_checksum` of the transport): then the scheme only carries headers.
//!
//! Figure 3 clears the flow's entry where the text creates it; taken literally, no flow would ever be in the table, and every drop would
//! send three copies. Here the entry is created.
//!
//! Copies wait in the same FIFO, at its end. The paper says that they take hardly any room and no more, but a buffer that counts packets
//! is full when the first of them comes: so there is a `reserve` beside the buffer for as many; more than that take places of the buffer,
//! if it has some. A copy that finds no place is not made. A packet that is no longer than the copy (an ack) is dropped as without the
//! scheme: three copies of it would be three valid acks.
//= viswanathan-kamal §III.4, Fig. 3
//= viswanathan-kamal §III.4, Fig. 3 type=departure
//= viswanathan-kamal §III.4 type=departure

use super::drop_law::DropLaw;
use super::episodes::{Candidate, Episodes, declare_with_episodes};
use super::inner::AnyInner;
use super::{About, Discipline, Grain, Line, Make};
use crate::gauge::Tell;
use crate::ledger::Ledger;
use crate::measure::{Bytes, Packets};
use crate::time::Instant;
use crate::unit::Unit;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

declare_with_episodes! {
    /// Sends three copies of a packet's header in place of a packet that is dropped.
    pub struct TripleTruncatedParams as "triple-truncated" from "viswanathan-kamal §III.4" {
        /// Length of what is kept of the packet: the IP and TCP headers.
        keep: Bytes = "40 B";
        /// Room for copies alone, beside the buffer.
        reserve: Packets = "30 packets", try ["0 packets", "4 packets"];
    }
    refuse |it| (it.keep.0 == 0).then_some(("keep", "0 B", "at least 1 B"))
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets]).with_room("reserve");

/// A FIFO of packets and of copies of headers.
#[derive(Debug)]
pub struct TripleTruncated<U> {
    /// Units, and whether they are copies.
    ring: VecDeque<(U, bool)>,
    // Boxed, as is the next field: every `Queue` has the size of the largest discipline, and few are of this kind.
    inner: Box<AnyInner>,
    episodes: Box<Episodes>,
    duplicates: u64,
    keep: Bytes,
    reserve: u64,
    /// Copies that wait.
    copies: u64,
}

impl<U> Make<TripleTruncatedParams> for TripleTruncated<U> {
    fn make(params: &TripleTruncatedParams, line: Line) -> Self {
        Self {
            ring: VecDeque::new(),
            inner: Box::new(AnyInner::make(&params.inner, line)),
            episodes: Box::new(params.episodes(0)),
            duplicates: params.duplicates,
            keep: params.keep,
            reserve: params.reserve.0,
            copies: 0,
        }
    }
}

impl<U: Unit> TripleTruncated<U> {
    /// Places of the buffer that are taken: copies take one only beyond those that have a place of their own.
    fn taken(&self) -> u64 {
        self.ring.len() as u64 - self.copies.min(self.reserve)
    }

    fn join(&mut self, now: Instant, unit: U, copy: bool) {
        self.inner.on_joined(now, unit.bytes());
        self.copies += u64::from(copy);
        self.ring.push_back((unit, copy));
    }
}

impl<U: Unit> Discipline<U> for TripleTruncated<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, now: Instant, unit: U, book: &mut impl Ledger<U>) {
        let flow = unit.hosts();
        self.episodes.on_packet(now, flow);
        let Some(why) = self.inner.refuse(now, unit.bytes(), self.taken()) else {
            return self.join(now, unit, false);
        };
        if u64::from(unit.bytes()) > self.keep.0
            && self.episodes.candidate(now, flow) == Candidate::Begins
        {
            for _ in 0..self.duplicates {
                if self.copies >= self.reserve && self.taken() >= self.inner.room() {
                    break;
                }
                let copy = book.mint(&unit, self.keep);
                self.join(now, copy, true);
            }
        }
        book.drop(unit, why);
    }

    #[inline(never)]
    fn pull(&mut self, now: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let Some((unit, copy)) = self.ring.pop_front() else {
            self.inner.on_empty(now);
            return None;
        };
        self.copies -= u64::from(copy);
        self.inner.on_pulled(now, unit.bytes());
        Some(unit)
    }

    fn backlog(&self) -> u64 {
        self.ring.len() as u64
    }

    fn gauges(&self, tell: &mut Tell) {
        self.inner.gauges(tell);
    }

    fn drop_laws(&self) -> Vec<DropLaw<'_>> {
        self.inner.drop_laws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::script::{Fates, Named, check, line, wrapping};
    use std::format;
    use std::vec::Vec;

    /// Before a buffer of two packets.
    fn queue(texts: &[(&str, &str)]) -> TripleTruncated<Named> {
        let params: TripleTruncatedParams =
            wrapping(("drop-tail", &[("buffer", "2 packets")]), texts);
        TripleTruncated::make(&params, line())
    }

    #[test]
    //= viswanathan-kamal §III.4, Fig. 3 type=test
    fn three_headers_stand_for_the_first_packet_dropped_of_an_interval() {
        check(
            queue(&[("interval", "1 packet")]),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => overflow, minted a3' a3' a3'
             a4 1500 => overflow       # the interval: one
             b1 1500 => overflow, minted b1' b1' b1'
             a5 1500 => overflow       # clears the entry
             a6 1500 => overflow, minted a6' a6' a6'
             pull => a1
             a7 1500 => kept           # copies take no place of the buffer
             a8 1500 => overflow
             pull => a2
             pull => a3'
             pull => a3'
             pull => a3'
             pull => b1'
             pull => b1'
             pull => b1'
             pull => a6'
             pull => a6'
             pull => a6'
             pull => a7
             pull => nothing",
        );
    }

    #[test]
    //= viswanathan-kamal §III.3 type=test
    // "By allowing a gap of invocation interval packets": the gap is that long, whatever is counted.
    fn no_interval_is_shorter_than_it_says() {
        for (counts, gap) in [("candidates", 2), ("packets", 1)] {
            for interval in 0..3 {
                let between = format!("{interval} packets");
                let texts = [("interval", &*between), ("interval_counts", counts)];
                let (mut queue, mut book) = (queue(&texts), Fates::default());
                let minted: Vec<u64> = (0..12)
                    .map(|n| {
                        let before = book.count(|fate| fate == "minted");
                        let unit = Named::packet(format!("a{n}"), 1500);
                        queue.offer(Instant::ZERO, unit, &mut book);
                        book.count(|fate| fate == "minted") - before
                    })
                    .collect();
                // The first two packets find room. If candidates are counted, one more candidate clears the entry.
                for (n, minted) in (0..).zip(minted).skip(2) {
                    let begins = (n - 2) % (interval + gap) == 0;
                    assert_eq!(
                        minted,
                        if begins { 3 } else { 0 },
                        "{counts} {interval}: a{n}"
                    );
                }
            }
        }
    }

    #[test]
    fn copies_beyond_the_reserve_take_places_of_the_buffer_if_there_are_some() {
        check(
            queue(&[("reserve", "4 packets")]),
            "a1 1500 => kept
             a2 1500 => kept
             a3 1500 => overflow, minted a3' a3' a3'
             b1 1500 => overflow, minted b1'     # the fourth place of the reserve; the buffer is full
             pull => a1
             c1 1500 => kept
             d1 1500 => overflow",
        );
        let red = [
            ("buffer", "3 packets"),
            ("min_th", "0 packets"),
            ("max_th", "1 packet"),
            ("weight", "1"),
        ];
        let params: TripleTruncatedParams = wrapping(("red", &red), &[("reserve", "0 packets")]);
        check(
            TripleTruncated::<Named>::make(&params, line()),
            "a1 1500 => kept
             a2 1500 => early, minted a2' a2'    # two places were left
             b1 1500 => overflow
             pull => a1
             pull => a2'",
        );
    }

    #[test]
    fn what_has_no_more_than_a_header_is_dropped_without_copies() {
        check(
            queue(&[]),
            "a1 1500 => kept
             a2 1500 => kept
             a3 40 => overflow
             a4 41 => overflow, minted a4' a4' a4'",
        );
    }
}
