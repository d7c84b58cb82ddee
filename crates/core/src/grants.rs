//! Grants: a line that several stations share sends only when it is its turn, and then a burst.
//!
//! A cable modem or a phone asks the other end for room, and sends when that is granted; a Wi-Fi station waits for the channel. What comes
//! in the meantime is sent as one burst, packet behind packet at the rate of the line. So packets that were apart arrive together: acks
//! on such a line release bursts of data.
//!
//! Here a line that has nothing to send asks as soon as a packet comes. The burst begins `delay` later, at the next multiple of `slot`.
//! It goes on while packets wait, those that come in the meantime included, up to `burst` packets. With the end of a burst of `burst` packets
//! the line asks for the next one, whether packets wait or not.
//! There is only one kind, so there is no roster.

use crate::declare::Fault;
use crate::measure::{Pacer, Packets, Rate};
use crate::time::{Duration, Instant};

crate::declare! {
    /// Lets a line send only in bursts, each of which it has to ask for.
    pub struct GrantsParams as "grants" from "common practice" {
        /// Time between the slots in which a burst may begin; 0 s if it may begin at any time.
        slot: Duration = "2 ms", show "70 ms";
        /// Time from asking for a burst to the earliest slot in which it may begin.
        delay: Duration = "4 ms", show "60 ms";
        /// Largest number of packets in a burst.
        burst: Packets = "64 packets";
    }
    check |it| if it.burst.0 > 0 { Ok(()) } else {
        Err(Fault { name: "burst", found: "0 packets".into(), allowed: "at least one packet".into() })
    }
}

/// A line of that kind.
#[derive(Clone, Debug)]
pub struct Grants {
    params: GrantsParams,
    pacer: Pacer,
    /// Packets that the present burst may still have.
    left: u64,
    departs: Instant,
}

impl Grants {
    /// A line at the start of a run.
    pub fn new(params: &GrantsParams, rate: Rate) -> Self {
        Self {
            params: params.clone(),
            pacer: Pacer::new(rate),
            left: 0,
            departs: Instant::ZERO,
        }
    }

    /// When a burst begins that the line asks for `now`.
    pub fn granted(&self, now: Instant) -> Instant {
        let earliest = now + self.params.delay;
        match self.params.slot.0 {
            0 => earliest,
            slot => Instant(earliest.0.div_ceil(slot).saturating_mul(slot)),
        }
    }

    /// Sends a packet from `start` on: returns when it departs, and when the next can begin.
    pub fn send(&mut self, start: Instant, bits: u64) -> (Instant, Instant) {
        if start > self.departs || self.left == 0 {
            self.pacer.rest();
            self.left = self.params.burst.0;
        }
        self.left -= 1;
        self.departs = start + self.pacer.advance(bits);
        let next = if self.left > 0 {
            self.departs
        } else {
            self.granted(self.departs)
        };
        (self.departs, next)
    }

    /// Departure time of the last packet, past or future.
    pub fn departs(&self) -> Instant {
        self.departs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn at(micro: u64) -> Instant {
        Instant(micro * 1_000_000)
    }

    /// 1 ms for a packet of 1250 B.
    fn line(texts: &[(&str, &str)]) -> Grants {
        Grants::new(&GrantsParams::from_texts(texts), Rate(10_000_000))
    }

    #[test]
    fn a_burst_begins_in_the_first_slot_after_the_delay() {
        let texts = [("slot", "2 ms"), ("delay", "3 ms"), ("burst", "2 packets")];
        let mut line = line(&texts);
        for (asked, begins) in [(0, 4000), (1000, 4000), (1001, 6000), (3000, 6000)] {
            assert_eq!(line.granted(at(asked)), at(begins));
        }
        // Two packets back to back; the line asks again at 6 ms.
        assert_eq!(line.send(at(4000), 10_000), (at(5000), at(5000)));
        assert_eq!(line.send(at(5000), 10_000), (at(6000), at(10_000)));
        assert_eq!(line.send(at(10_000), 10_000), (at(11_000), at(11_000)));
        // A pause ends a burst that is not full: the next may have two packets again.
        assert_eq!(line.send(at(20_000), 10_000), (at(21_000), at(21_000)));
        assert_eq!(line.send(at(21_000), 10_000), (at(22_000), at(26_000)));
        assert_eq!(line.departs(), at(22_000));
    }

    #[test]
    fn without_slots_and_delay_a_line_is_like_any_other() {
        let mut line = line(&[("slot", "0 s"), ("delay", "0 s"), ("burst", "1 packet")]);
        assert_eq!(line.granted(at(123)), at(123));
        let mut now = at(123);
        for n in 1..=3 {
            let (departs, next) = line.send(now, 10_000);
            assert_eq!((departs, next), (at(123 + 1000 * n), at(123 + 1000 * n)));
            now = next;
        }
        let none = GrantsParams {
            burst: Packets(0),
            ..GrantsParams::from_texts(&[])
        };
        assert_eq!(none.check().unwrap_err().name, "burst");
    }
}
