//! The maximum of a quantity over the most recent steps of some count, such as rounds.
//!
//! It is exact. Linux keeps three values instead (lib/minmax.c, by Nichols), and may forget one that has just become the largest.
//= linux-bbr §bbr_update_bw, filter type=departure

use alloc::collections::VecDeque;

/// The largest value of the last steps.
#[derive(Clone, Debug)]
pub struct Maximum<V> {
    /// Steps and values: each value is larger than all later ones.
    values: VecDeque<(u64, V)>,
}

impl<V: Copy + PartialOrd> Maximum<V> {
    /// Of no values.
    pub fn new() -> Self {
        Self {
            values: VecDeque::new(),
        }
    }

    /// Adds `value` at `step`, which never decreases, and forgets all but the last `steps` steps, this one among them.
    pub fn add(&mut self, step: u64, value: V, steps: u64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        if self.values.back().is_none_or(|(at, _)| *at < step) {
            self.values.push_back((step, value));
        }
        while self
            .values
            .front()
            .is_some_and(|(at, _)| at + steps <= step)
        {
            self.values.pop_front();
        }
    }

    /// The maximum when the last value was added; `None` without values.
    pub fn get(&self) -> Option<V> {
        self.values.front().map(|(_, value)| *value)
    }
}

impl<V: Copy + PartialOrd> Default for Maximum<V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        #[test]
        fn it_is_the_largest_of_the_last_steps(
            added in prop::collection::vec((0..3u64, 0..20u64), 1..60),
            steps in 1..8u64,
        ) {
            let (mut filter, mut all, mut step) = (Maximum::new(), Vec::new(), 0);
            prop_assert_eq!(filter.get(), None);
            for (later, value) in added {
                step += later;
                all.push((step, value));
                filter.add(step, value, steps);
                let recent = all.iter().filter(|(at, _)| at + steps > step);
                prop_assert_eq!(filter.get(), recent.map(|(_, value)| *value).max());
                // At most one value per step is kept.
                prop_assert!(filter.values.len() as u64 <= steps);
            }
        }
    }
}
