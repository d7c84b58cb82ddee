//! Script: the named segments of one flow are lost on their first transmission.
//!
//! On a cell line the first cell of the segment is lost: the packet is damaged and stays delimited, so that exactly the named
//! segments are lost.

use super::Loss;
use crate::declare::Fault;
use crate::ledger::Cause;
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

/// The segments still to be lost.
#[derive(Clone, Debug)]
pub struct Script(BTreeSet<u64>);

impl Script {
    /// Loses `segments`.
    pub fn new(segments: impl IntoIterator<Item = u64>) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl Loss for Script {
    fn on_segment(&mut self, segment: u64, again: bool) -> Option<Cause> {
        // Dropped from the list on a second transmission too: a first one that a queue upstream dropped never came here.
        (self.0.remove(&segment) && !again).then_some(Cause::Script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_transmissions_are_lost() {
        let mut loss = Script::new([3, 5]);
        assert_eq!(loss.on_segment(2, false), None);
        assert_eq!(loss.on_segment(3, false), Some(Cause::Script));
        assert_eq!(loss.on_segment(3, true), None);
        assert_eq!(loss.on_segment(5, true), None);
    }
}
