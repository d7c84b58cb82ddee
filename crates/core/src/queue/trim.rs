//! Trimming: a packet that arrives at a full data queue loses its payload, and its header joins a second queue, which is served before
//! data.
//!
//! So the receiver learns of every loss, earlier than of the packets that wait, and can ask for a retransmission at once.
//!
//! - Acks, and packets that were trimmed upstream, join the header queue at once.
//! - While both queues are backlogged, `ratio` headers are sent per data packet: if headers alone could fill the link, no data would get
//!   through.
//! - With `victim = "either"` a fair coin decides whether the arriving packet is trimmed, or the last one of the data queue, whose place
//!   it then takes: otherwise synchronized senders would always lose to the same ones. Data of a flow keeps its order.
//!
//! A header that arrives at a full header queue is dropped, and so is a data packet that is no longer than `keep`, because nothing could
//! be trimmed off. NDP's switch may send the header back to the sender instead; this one does not.
//= ndp-2017 §3.1

use super::{About, Discipline, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::{Bytes, Packets, Room};
use crate::rng::Stream;
use crate::time::Instant;
use crate::unit::{CONTROL, Unit};
use alloc::collections::VecDeque;

crate::choice! {
    /// Packet that is trimmed when one arrives at a full data queue.
    pub enum Victim {
        /// The arriving packet.
        Arriving = "arriving",
        /// The arriving packet or the last one of the data queue, with equal probability.
        Either = "either",
    }
}

crate::declare! {
    /// Trims a packet that arrives at a full buffer to its header, which departs before data.
    pub struct TrimParams as "trim" from "ndp-2017 §3.1" {
        /// Capacity of the data queue, without the packet being transmitted.
        buffer: Room;
        /// Capacity of the header queue.
        headers: Packets = "1000 packets", try ["4 packets"];
        /// Length of what is kept of a packet: the IP and TCP headers.
        keep: Bytes = "40 B";
        /// Number of headers sent per data packet while both wait; a very large ratio is strict priority.
        ratio: u64 = "10", try ["1", "1000"];
        /// Packet that is trimmed.
        victim: Victim = "arriving";
    }
    check |it| {
        let fault = |name, found: &str, allowed: &str| Err(crate::declare::Fault { name, found: found.into(), allowed: allowed.into() });
        if it.headers.0 == 0 { return fault("headers", "0 packets", "at least 1 packet: acks wait there as well"); }
        if it.keep.0 == 0 { return fault("keep", "0 B", "at least 1 B"); }
        if it.ratio == 0 { return fault("ratio", "0", "at least 1"); }
        Ok(())
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Packets])
    .with_room("headers")
    .blind_to_flows();

/// A FIFO of data, and one of headers.
#[derive(Debug)]
pub struct Trim<U> {
    data: VecDeque<U>,
    headers: VecDeque<U>,
    room: u64,
    headers_room: u64,
    keep: Bytes,
    ratio: u64,
    /// Headers sent since the last data packet, while one waited.
    served: u64,
    /// The coin, if there is a choice.
    coin: Option<Stream>,
}

impl<U> Make<TrimParams> for Trim<U> {
    fn make(params: &TrimParams, line: Line) -> Self {
        Self {
            data: VecDeque::new(),
            headers: VecDeque::new(),
            room: params.buffer.count(),
            headers_room: params.headers.0,
            keep: params.keep,
            ratio: params.ratio,
            served: 0,
            coin: (params.victim == Victim::Either).then_some(line.stream),
        }
    }
}

impl<U: Unit> Trim<U> {
    /// Chooses the unit to trim, the arriving one or the last one that waits; keeps the other.
    fn choose(&mut self, unit: U) -> U {
        let heads = self.coin.as_mut().is_some_and(|coin| coin.happens(0.5));
        match self.data.back_mut().filter(|_| heads) {
            Some(last) => core::mem::replace(last, unit),
            None => unit,
        }
    }

    fn headers_full(&self) -> bool {
        self.headers.len() as u64 >= self.headers_room
    }
}

impl<U: Unit> Discipline<U> for Trim<U> {
    // Not inlined: inlined code would slow the path of a packet through the other disciplines.
    #[inline(never)]
    fn offer(&mut self, _: Instant, unit: U, book: &mut impl Ledger<U>) {
        let mut header = match unit.priority() >= CONTROL {
            true => unit,
            false if (self.data.len() as u64) < self.room => return self.data.push_back(unit),
            false => self.choose(unit),
        };
        let short = u64::from(header.bytes()) <= self.keep.0;
        if self.headers_full() || short && header.priority() < CONTROL {
            return book.drop(header, Cause::Overflow);
        }
        if header.priority() < CONTROL {
            book.trim(&mut header, self.keep);
        }
        self.headers.push_back(header);
    }

    #[inline(never)]
    fn pull(&mut self, _: Instant, _: &mut impl Ledger<U>) -> Option<U> {
        let turn = self.served >= self.ratio;
        if self.headers.is_empty() || turn {
            self.served = 0;
            return self.data.pop_front();
        }
        self.served += u64::from(!self.data.is_empty());
        self.headers.pop_front()
    }

    fn backlog(&self) -> u64 {
        (self.data.len() + self.headers.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Fates, Named, check, line};
    use std::format;
    use std::vec::Vec;

    /// With room for two data packets.
    fn queue(texts: &[(&str, &str)]) -> Trim<Named> {
        let texts = [&[("buffer", "2 packets")], texts].concat();
        Trim::make(&TrimParams::from_texts(&texts), line())
    }

    #[test]
    //= ndp-2017 §3.1 type=test
    fn what_finds_the_buffer_full_loses_its_payload_and_goes_first() {
        check(
            queue(&[]),
            "a1 1500 => kept
             b1 1500 => kept
             a2 1500 => kept, trimmed a2~
             a3 1500 => kept, trimmed a3~
             pull => a2~
             a4 1500 => kept, trimmed a4~    # the data queue is still full
             pull => a3~
             pull => a4~
             pull => a1
             a5 1500 => kept
             pull => b1
             pull => a5
             pull => nothing",
        );
    }

    #[test]
    fn acks_join_the_headers_whatever_their_length_and_flow() {
        check(
            queue(&[]),
            "a1 1500 => kept
             b1 40 control => kept
             a2 1500 => kept
             c1 1500 control => kept
             b2 30 control => kept
             pull => b1
             pull => c1
             pull => b2
             pull => a1",
        );
    }

    #[test]
    //= ndp-2017 §3.1 type=test
    // At most `ratio` headers are sent before a waiting data packet, however many headers wait.
    fn headers_leave_a_share_of_the_line_to_data() {
        check(
            queue(&[("ratio", "2")]),
            "a1 1500 => kept
             a2 1500 => kept
             h1 40 control => kept
             h2 40 control => kept
             h3 40 control => kept
             h4 40 control => kept
             h5 40 control => kept
             h6 40 control => kept
             pull => h1
             pull => h2
             pull => a1
             pull => h3
             pull => h4
             pull => a2
             pull => h5          # no data waits: these pass none
             pull => h6
             a3 1500 => kept
             h7 40 control => kept
             h8 40 control => kept
             h9 40 control => kept
             pull => h7
             pull => h8
             pull => a3
             pull => h9
             pull => nothing",
        );
    }

    #[test]
    fn what_cannot_be_trimmed_or_finds_the_headers_full_is_dropped() {
        check(
            queue(&[("headers", "2 packets")]),
            "a1 40 => kept          # with room it is data like any other
             a2 1500 => kept
             a3 40 => overflow
             a4 41 => kept, trimmed a4~
             b1 40 control => kept
             a5 1500 => overflow
             b2 40 control => overflow
             pull => a4~
             pull => b1
             pull => a1",
        );
    }

    #[test]
    //= ndp-2017 §3.1 type=test
    // A coin trims the arriving packet or the one at the tail. The arriving one then takes the place at the tail: data keeps its order.
    fn a_coin_chooses_between_the_arriving_packet_and_the_last() {
        let mut queue = queue(&[("victim", "either")]);
        let mut book = Fates::default();
        let rounds = 1000;
        for n in 0..rounds {
            let unit = Named::packet(format!("a{n}"), 1500);
            queue.offer(Instant::ZERO, unit, &mut book);
        }
        let trimmed = Vec::from_iter(book.0.iter().map(|(name, _)| name.trim_end_matches('~')));
        assert_eq!(trimmed.len(), rounds - 2);
        let itself = (2..)
            .zip(&trimmed)
            .filter(|(n, it)| **it == format!("a{n}"));
        // Four standard deviations of a fair coin.
        let expected = (rounds - 2) as f64 / 2.0;
        let off = itself.count() as f64 - expected;
        assert!(off.abs() < 4.0 * (expected / 2.0).sqrt(), "{off}");
        let left = Vec::from_iter(queue.data.iter().map(|unit| &unit.name[1..]));
        assert_eq!(left[0], "0", "only the last one is ever replaced");
        let last: usize = left[1].parse().unwrap();
        assert!(last > 1);
    }

    #[test]
    // The packet at the tail is no longer than what trimming keeps, and the coin chose it.
    fn a_short_packet_at_the_tail_is_dropped_if_it_is_the_victim() {
        let mut queue = queue(&[("victim", "either")]);
        let mut book = Fates::default();
        for n in 0..40 {
            let bytes = if n == 1 { 40 } else { 1500 };
            queue.offer(
                Instant::ZERO,
                Named::packet(format!("a{n}"), bytes),
                &mut book,
            );
        }
        let fates = Vec::from_iter(book.0.iter().filter(|(_, fate)| *fate != "trimmed"));
        assert_eq!(fates, [&("a1".into(), "overflow")]);
    }
}
