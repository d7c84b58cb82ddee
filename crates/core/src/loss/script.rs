//! Script: the named segments of one flow are lost on their first transmission.
//!
//! On a cell line the first cell of the segment is lost: the packet is damaged and stays delimited, so that exactly the named
//! segments are lost.

use super::{Loss, Named, Segment};
use crate::declare::Fault;
use crate::ledger::Cause;
use crate::rng::Stream;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

crate::declare! {
    /// The named segments of a flow are lost on their first transmission.
    pub struct Params as "script" from "cohen-hamo-2001 §2.2" {
        /// Whose segments.
        flow: String;
        /// Which, counted from 0.
        segments: Vec<u64>;
    }
    check |it| {
        let mut sorted = it.segments.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        match twice {
            // Only first transmissions are lost, so a segment cannot be lost twice.
            Some(segment) => Err(Fault {
                name: "segments",
                found: format!("{segment} twice"),
                allowed: "each segment once".into(),
            }),
            None if sorted.is_empty() => Err(Fault {
                name: "segments",
                found: "nothing".into(),
                allowed: "at least one segment".into(),
            }),
            None => Ok(()),
        }
    }
}

impl Params {
    /// The named flow.
    pub fn watches(&self) -> Option<Named<'_>> {
        Some(Named { key: "flow", name: &self.flow })
    }
}

/// The segments still to be lost.
#[derive(Clone, Debug)]
pub struct Losses(BTreeSet<u64>);

impl Losses {
    /// All segments of the script; nothing is drawn.
    pub fn new(params: &Params, _: Stream) -> Self {
        Self(params.segments.iter().copied().collect())
    }
}

impl Loss for Losses {
    fn on_packet(&mut self, segment: Option<Segment>) -> Option<Cause> {
        let Segment { number, again } = segment?;
        // Dropped from the list on a second transmission too: a first one that a queue upstream dropped never came here.
        (self.0.remove(&number) && !again).then_some(Cause::Script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    fn only_first_transmissions_are_lost() {
        let params = Params::from_texts(&[("flow", "f"), ("segments", "[3, 5]")]);
        let mut loss = Losses::new(&params, Stream::new(1, "test"));
        let mut sent = |number, again| loss.on_packet(Some(Segment { number, again }));
        assert_eq!(sent(2, false), None);
        assert_eq!(sent(3, false), Some(Cause::Script));
        assert_eq!(sent(3, true), None);
        assert_eq!(sent(5, true), None);
    }
}
