//! Flows by the length of their queues, with fast access to the longest. A change of a length by one costs O(1); a larger decrease
//! costs as many steps as it is long.

use super::lists::{List, Lists, Position};
use super::per_flow::PerFlow;
use crate::unit::FlowId;
use alloc::vec::Vec;

/// Flows whose queues are not empty.
#[derive(Debug, Default)]
pub struct ByLength {
    /// Flows of length `n` at `n - 1`, in the order in which they reached that length.
    flows: Vec<List>,
    items: Lists<FlowId>,
    /// For each flow its length, and its place in `items` while that is not 0.
    lengths: PerFlow<Option<(usize, Position)>>,
    /// Length of the longest.
    length: usize,
}

impl ByLength {
    /// Sets the length of the queue of `flow`.
    pub fn set(&mut self, flow: FlowId, length: usize) {
        let here = self.lengths.of(flow);
        if let Some((old, place)) = here.take() {
            self.items.remove(&mut self.flows[old - 1], place);
        }
        if length > 0 {
            if length > self.flows.len() {
                self.flows.resize(length, List::default());
            }
            let place = self.items.push_back(&mut self.flows[length - 1], flow);
            *here = Some((length, place));
        }
        self.length = self.length.max(length);
        while self.length > 0 && self.flows[self.length - 1].is_empty() {
            self.length -= 1;
        }
    }

    /// The flow with the longest queue; of several as long, the one whose length has not changed for the longest time.
    pub fn longest(&self) -> Option<FlowId> {
        let flows = self.flows.get(self.length.checked_sub(1)?)?;
        self.items.front(flows).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_longest_is_as_by_search(steps in prop::collection::vec((0u32..5, 0usize..7), 1..200)) {
            let mut flows = ByLength::default();
            // The length of each flow, and the step that set it.
            let mut model = [(0, 0); 5];
            for (n, (flow, length)) in steps.into_iter().enumerate() {
                flows.set(FlowId(flow), length);
                model[flow as usize] = (length, n);
                let waiting = (0..5).filter(|f| model[*f].0 > 0);
                let want = waiting.max_by_key(|f| (model[*f].0, core::cmp::Reverse(model[*f].1)));
                prop_assert_eq!(flows.longest(), want.map(|f| FlowId(f as u32)));
            }
        }
    }
}
