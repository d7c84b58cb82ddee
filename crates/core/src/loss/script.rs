//! Script: the named segments of one flow are lost on their first transmission, and the flow's packets with the given numbers.
//!
//! On a cell line the first cell of the segment is lost: the packet is damaged and stays delimited, so exactly the named segments
//! are lost.

use super::{Harm, Loss, Named, Segment, Sent};
use crate::declare::Fault;
use crate::ledger::Cause;
use crate::rng::Stream;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

crate::declare! {
    /// Loses the named segments of a flow on their first transmission.
    pub struct ScriptParams as "script" from "cohen-hamo-2001 §2.2" {
        /// Flow whose segments are lost.
        flow: String;
        /// Numbers of the segments, counted from 0.
        segments: Option<Vec<u64>> = unset "none", show "[7, 11, 12]";
        /// Numbers of its data packets, retransmissions included, counted from 0 in the order in which the link carries them.
        packets: Option<Vec<u64>> = unset "none";
    }
    check |it| {
        let named = |list: &Option<Vec<u64>>| {
            let mut sorted = list.clone().unwrap_or_default();
            sorted.sort_unstable();
            sorted
        };
        for (name, list, once) in [
            // Only first transmissions are lost, so a segment cannot be lost twice.
            ("segments", &it.segments, "each segment once"),
            ("packets", &it.packets, "each packet once"),
        ] {
            let sorted = named(list);
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Fault { name, found: format!("{} twice", pair[0]), allowed: once.into() });
            }
        }
        if named(&it.segments).is_empty() && named(&it.packets).is_empty() {
            let (found, allowed) = ("nothing".into(), "at least one segment, or one of `packets`".into());
            return Err(Fault { name: "segments", found, allowed });
        }
        Ok(())
    }
}

impl ScriptParams {
    /// The named flow.
    pub fn watches(&self) -> Option<Named<'_>> {
        Some(Named {
            key: "flow",
            name: &self.flow,
        })
    }
}

/// Losses that are still to come.
#[derive(Clone, Debug)]
pub struct Script {
    segments: BTreeSet<u64>,
    packets: BTreeSet<u64>,
    /// Data packets of the flow so far.
    carried: u64,
}

impl Script {
    /// All that the script names; nothing is drawn.
    pub fn new(params: &ScriptParams, _: Stream) -> Self {
        let named = |list: &Option<Vec<u64>>| list.iter().flatten().copied().collect();
        Self {
            segments: named(&params.segments),
            packets: named(&params.packets),
            carried: 0,
        }
    }
}

impl Loss for Script {
    fn on_packet(&mut self, packet: &Sent) -> Option<Harm> {
        let Segment { number, again } = packet.segment?;
        let turn = self.packets.remove(&self.carried);
        self.carried += 1;
        // A retransmission removes the segment from the list, too: the first transmission may have been dropped upstream.
        let named = self.segments.remove(&number) && !again;
        (named || turn).then_some(Harm::Lost(Cause::Script))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn of(number: u64, again: bool) -> Sent {
        Sent {
            segment: Some(Segment { number, again }),
            ..Sent::default()
        }
    }

    #[test]
    fn only_first_transmissions_are_lost() {
        let params = ScriptParams::from_texts(&[("flow", "f"), ("segments", "[3, 5]")]);
        let mut loss = Script::new(&params, Stream::new(1, "test"));
        let mut sent = |number, again| loss.on_packet(&of(number, again));
        assert_eq!(sent(2, false), None);
        assert_eq!(sent(3, false), Some(Harm::Lost(Cause::Script)));
        assert_eq!(sent(3, true), None);
        assert_eq!(sent(5, true), None);
    }
    #[test]
    fn the_packets_whose_turn_is_named_are_lost_whatever_they_carry() {
        let params = ScriptParams::from_texts(&[("flow", "f"), ("packets", "[1, 3]")]);
        let mut loss = Script::new(&params, Stream::new(1, "test"));
        let sent = [(0, false), (1, false), (2, false), (1, true), (1, true)];
        let lost = sent.map(|(number, again)| loss.on_packet(&of(number, again)));
        assert_eq!(
            lost.map(|it| it.is_some()),
            [false, true, false, true, false]
        );
    }
}
