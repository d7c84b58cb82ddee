//! Flows that wait for their turn, ordered by tags: the smallest tag is next, and of equal tags the one that was set first. O(log
//! n) with n flows waiting.
//!
//! A heap with four children per node: half as deep as a binary heap, and the children of a node are adjacent in memory.

use super::per_flow::PerFlow;
use crate::unit::FlowId;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// tag (64 bits), order of setting (40), flow (24): one comparison of whole numbers decides.
type Key = u128;
const FLOW_BITS: u32 = 24;
const ORDER_BITS: u32 = 40;

/// Children of a node.
const ARITY: usize = 4;

/// Flows and their tags.
#[derive(Debug, Default)]
pub struct Turns {
    heap: Vec<Key>,
    /// One more than a flow's place in the heap, 0 while it is not there.
    places: PerFlow<u32>,
    /// Tags set so far; restarts after 10^12, when some ties may be broken the other way.
    order: u64,
}

impl Turns {
    /// The flow whose turn is next, and its tag.
    #[inline]
    pub fn first(&self) -> Option<(u64, FlowId)> {
        self.heap
            .first()
            .map(|key| ((key >> 64) as u64, flow(*key)))
    }

    /// The tag of `flow` is now `tag`, whether it waited before or not.
    #[inline]
    pub fn set(&mut self, flow: FlowId, tag: u64) {
        assert!(flow.0 < 1 << FLOW_BITS, "more flows than a port knows");
        self.order = (self.order + 1) & ((1 << ORDER_BITS) - 1);
        let key =
            (u128::from(tag) << 64) | u128::from((self.order << FLOW_BITS) | u64::from(flow.0));
        let at = match *self.places.of(flow) {
            0 => {
                self.heap.push(key);
                self.heap.len() - 1
            }
            place => place as usize - 1,
        };
        self.settle(at, key);
    }

    /// `flow` waits no more.
    #[inline]
    pub fn remove(&mut self, flow: FlowId) {
        let place = core::mem::take(self.places.of(flow)) as usize;
        let Some(at) = place.checked_sub(1) else {
            return;
        };
        let Some(last) = self.heap.pop() else { return };
        if at < self.heap.len() {
            self.settle(at, last);
        }
    }

    /// Puts `key` into its place on the path from the root through `at` and down; the key at `at` is gone.
    #[inline]
    fn settle(&mut self, mut at: usize, key: Key) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.heap[parent] < key {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        loop {
            let from = at * ARITY + 1;
            let (least, place) = match self.heap.get(from..from + ARITY) {
                // Without branches, because a processor cannot predict which of the four is the least.
                Some(&[a, b, c, d]) => {
                    let (ab, cd) = (
                        lesser((a, from), (b, from + 1)),
                        lesser((c, from + 2), (d, from + 3)),
                    );
                    lesser(ab, cd)
                }
                _ => {
                    let rest = self.heap.get(from..).unwrap_or(&[]);
                    let Some(least) = rest.iter().copied().zip(from..).min() else {
                        break;
                    };
                    least
                }
            };
            if key < least {
                break;
            }
            self.put(at, least);
            at = place;
        }
        self.put(at, key);
    }

    #[inline]
    fn put(&mut self, at: usize, key: Key) {
        self.heap[at] = key;
        *self.places.of(flow(key)) = at as u32 + 1;
    }
}

#[inline]
fn flow(key: Key) -> FlowId {
    FlowId(key as u32 & ((1 << FLOW_BITS) - 1))
}

#[inline]
fn lesser(one: (Key, usize), other: (Key, usize)) -> (Key, usize) {
    let first = one.0 < other.0;
    let high = select_unpredictable(first, (one.0 >> 64) as u64, (other.0 >> 64) as u64);
    let low = select_unpredictable(first, one.0 as u64, other.0 as u64);
    let place = select_unpredictable(first, one.1, other.1);
    ((u128::from(high) << 64) | u128::from(low), place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turns_are_as_by_search(
            steps in prop::collection::vec((0u32..40, prop::option::weighted(0.7, 0u64..20)), 1..400),
        ) {
            let mut turns = Turns::default();
            // The tag of each flow, and the step that set it.
            let mut model = [None; 40];
            for (n, (flow, tag)) in steps.into_iter().enumerate() {
                match tag {
                    Some(tag) => turns.set(FlowId(flow), tag),
                    None => turns.remove(FlowId(flow)),
                }
                model[flow as usize] = tag.map(|tag| (tag, n, flow));
                let want = model.iter().flatten().min().map(|(tag, _, flow)| (*tag, FlowId(*flow)));
                prop_assert_eq!(turns.first(), want);
            }
        }
    }
}
