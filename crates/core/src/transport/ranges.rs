//! The packets that a receiver of QUIC reports as received: ranges of transmissions, the latest first.
//!
//! A transmission is a packet of QUIC, and its number the packet number: both count what is sent, and never twice.
//= rfc9000 §19.3.1

use super::Block;
use crate::time::{Duration, Instant};
use alloc::vec::Vec;

/// Ranges in an ack, at most. "A receiver limits the number of ACK Ranges [...] it remembers and sends in ACK frames".
//= rfc9000 §13.2.3
pub const ACK_RANGES: usize = 9;

/// Ranges of transmissions in descending order, none of which touches another.
///
/// As in a frame of QUIC, each range after the first is told by the transmissions that are missing above it and by its length. Both are
/// below 65,536 here: a range beyond that is left out, and so are those below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ranges {
    /// One beyond the largest.
    end: u64,
    /// Length of the first range; 0 without ranges.
    length: u64,
    /// For each of the others: how many are missing above it, and its length; a length of 0 is unused.
    others: [(u16, u16); ACK_RANGES - 1],
}

impl Ranges {
    /// The first of `blocks`, which are in descending order and do not touch.
    pub fn new(blocks: &[Block]) -> Self {
        let Some(first) = blocks.first() else {
            return Self::default();
        };
        let mut it = Self {
            end: first.to,
            length: first.to - first.from,
            ..Self::default()
        };
        for (other, pair) in it.others.iter_mut().zip(blocks.windows(2)) {
            let [above, block] = pair else { break };
            let missing = u16::try_from(above.from - block.to);
            let length = u16::try_from(block.to - block.from);
            let (Ok(missing), Ok(length)) = (missing, length) else {
                break;
            };
            *other = (missing, length);
        }
        it
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The largest transmission.
    pub fn largest(&self) -> Option<u64> {
        (!self.is_empty()).then(|| self.end - 1)
    }

    /// The ranges, the latest first.
    pub fn iter(&self) -> impl Iterator<Item = Block> + '_ {
        let below = |to: u64, length: u64| Block {
            from: to.saturating_sub(length),
            to,
        };
        let first = below(self.end, self.length);
        let mut from = first.from;
        let others = self.others.iter().map(move |(missing, length)| {
            let block = below(from.saturating_sub((*missing).into()), (*length).into());
            from = block.from;
            block
        });
        core::iter::once(first)
            .chain(others)
            .take_while(|it| it.from < it.to)
    }

    /// Calls `found` for each run that these ranges contain and `before` does not, the latest first.
    pub fn each_new(&self, before: &Self, mut found: impl FnMut(Block)) {
        for Block { from, mut to } in self.iter() {
            for old in before.iter() {
                if old.to <= from || to <= from {
                    break;
                }
                if old.from < to {
                    if old.to < to {
                        found(Block { from: old.to, to });
                    }
                    to = old.from.max(from);
                }
            }
            if from < to {
                found(Block { from, to });
            }
        }
    }
}

/// A receiver's memory of the transmissions that have arrived.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The latest ranges, in descending order.
    ranges: Vec<Block>,
    /// The largest, with its segment and its arrival.
    largest: Option<(u64, u64, Instant)>,
}

impl Heard {
    /// Transmission `id` of `segment` has arrived. Returns whether it is the next after the largest so far: any other is acknowledged
    /// at once.
    //= rfc9000 §13.2.1, reordered
    // "In order to assist loss detection at the sender, an endpoint SHOULD generate and send an ACK frame without delay when it receives
    // an ack-eliciting packet either: when the received packet has a packet number less than another ack-eliciting packet that has been
    // received, or when the packet has a packet number larger than the highest-numbered ack-eliciting packet that has been received and
    // there are missing packets between that packet and this packet."
    pub fn hear(&mut self, now: Instant, segment: u64, id: u64) -> bool {
        let next = self.largest.map_or(0, |(id, ..)| id + 1);
        if id >= next {
            self.largest = Some((id, segment, now));
        }
        let at = self.ranges.iter().take_while(|it| it.from > id).count();
        let within = self.ranges.get(at).is_some_and(|it| id < it.to);
        if !within {
            let end = id + 1;
            let joins = (at > 0 && self.ranges[at - 1].from == end)
                .then(|| self.ranges.remove(at - 1))
                .map_or(end, |it| it.to);
            let at = self.ranges.iter().take_while(|it| it.from > id).count();
            match self.ranges.get_mut(at) {
                Some(below) if below.to == id => below.to = joins,
                _ => self.ranges.insert(
                    at,
                    Block {
                        from: id,
                        to: joins,
                    },
                ),
            }
            self.ranges.truncate(ACK_RANGES);
        }
        id == next
    }

    /// What an ack says now: the ranges, and how long ago the largest arrived.
    pub fn report(&self, now: Instant) -> (Ranges, Duration) {
        let since = self
            .largest
            .map_or(Duration::ZERO, |(.., at)| now.since(at));
        (Ranges::new(&self.ranges), since)
    }

    /// The segment of the largest transmission, and its number.
    pub fn largest(&self) -> Option<(u64, u64)> {
        self.largest.map(|(id, segment, _)| (segment, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn heard(ids: &[u64]) -> Heard {
        let mut heard = Heard::default();
        for id in ids {
            heard.hear(Instant::ZERO, *id, *id);
        }
        heard
    }

    fn numbers(ranges: &Ranges) -> BTreeSet<u64> {
        ranges.iter().flat_map(|it| it.from..it.to).collect()
    }

    proptest! {
        #[test]
        // The latest ranges of what has arrived, whatever its order.
        fn they_are_of_what_has_arrived(ids in prop::collection::vec(0..40u64, 1..60)) {
            let heard = heard(&ids);
            let (ranges, _) = heard.report(Instant::ZERO);
            let all: BTreeSet<u64> = ids.iter().copied().collect();
            let found = numbers(&ranges);
            prop_assert!(found.is_subset(&all));
            prop_assert_eq!(ranges.largest(), all.last().copied());
            let blocks: Vec<_> = ranges.iter().collect();
            prop_assert!(blocks.windows(2).all(|it| it[1].to < it[0].from));
            // Nothing is left out if there never were too many.
            let runs = |ids: &[u64]| {
                let all: BTreeSet<u64> = ids.iter().copied().collect();
                all.iter().filter(|id| !all.contains(&(*id + 1))).count()
            };
            let few = (1..=ids.len()).all(|n| runs(&ids[..n]) <= ACK_RANGES);
            prop_assert!(!few || found == all);
        }

        #[test]
        fn news_is_what_was_not_reported_before(
            first in prop::collection::vec(0..40u64, 0..40),
            second in prop::collection::vec(0..40u64, 0..40),
        ) {
            let (before, _) = heard(&first).report(Instant::ZERO);
            let (after, _) = heard(&second).report(Instant::ZERO);
            let mut found = Vec::new();
            after.each_new(&before, |it| found.extend((it.from..it.to).rev()));
            prop_assert!(found.windows(2).all(|it| it[1] < it[0]), "each once, the latest first");
            let want = &numbers(&after) - &numbers(&before);
            prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), want);
        }
    }

    #[test]
    //= rfc9000 §19.3.1 type=test
    fn a_range_too_far_below_is_left_out_with_those_below_it() {
        let block = |from, to| Block { from, to };
        let all = [block(100_000, 200_000), block(50_000, 60_000), block(0, 9)];
        let near = Ranges::new(&all);
        assert!(near.iter().eq(all));
        let far = Ranges::new(&[block(900_000, 900_001), all[1], all[2]]);
        assert!(far.iter().eq([block(900_000, 900_001)]));
        assert!(Ranges::default().is_empty() && Ranges::new(&[]).iter().next().is_none());
    }

    #[test]
    //= rfc9000 §13.2.1, reordered type=test
    fn only_the_next_transmission_may_wait_for_its_ack() {
        let mut heard = Heard::default();
        let next: Vec<_> = [0, 1, 4, 5, 3, 6, 6, 7]
            .map(|id| heard.hear(Instant::ZERO, id, id))
            .into();
        let want = [true, true, false, true, false, true, false, true];
        assert_eq!(next, want);
    }
}
