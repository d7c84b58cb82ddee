//! The agenda: one pending event per slot, the earliest first.

use dupack_core::time::Instant;
use std::hint::select_unpredictable;

/// An event in one number, so that comparing two needs no branch: its time (64 bits), the order of setting (41), its slot (23).
type Key = u128;
const SLOT_BITS: u32 = 23;
const ORDER_BITS: u32 = 41;

/// A winner tree over a fixed set of slots. Setting a slot replaces its event, so nothing is ever cancelled; equal times
/// are served in the order in which they were set.
#[derive(Debug)]
pub struct Agenda {
    /// `tree[leaves + s]` is the event of slot `s`, `tree[i]` the earlier of its two children.
    tree: Vec<Key>,
    leaves: usize,
    order: u64,
}

impl Agenda {
    /// The most slots.
    pub(crate) const MOST: usize = 1 << SLOT_BITS;

    /// An agenda with this many slots, at most [`Self::MOST`], and nothing pending.
    pub fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two();
        assert!(
            leaves <= Self::MOST,
            "{slots} slots are more than an agenda holds"
        );
        let key = |node: usize| Self::key(Instant::NEVER, 0, node % leaves);
        Self {
            tree: (0..2 * leaves).map(key).collect(),
            leaves,
            order: 0,
        }
    }

    /// Grows to this many slots in all.
    pub fn grow(&mut self, slots: usize) {
        if slots <= self.leaves {
            return;
        }
        let mut larger = Self::new(slots);
        larger.order = self.order;
        let (from, to) = (self.leaves, larger.leaves);
        larger.tree[to..to + from].copy_from_slice(&self.tree[from..2 * from]);
        for node in (1..to).rev() {
            larger.tree[node] = larger.tree[2 * node].min(larger.tree[2 * node + 1]);
        }
        *self = larger;
    }

    fn key(at: Instant, order: u64, slot: usize) -> Key {
        (u128::from(at.0) << 64) | u128::from((order << SLOT_BITS) | slot as u64)
    }

    /// The slot's event is now at `at`; [`Instant::NEVER`] for none.
    ///
    /// Which of two events is earlier cannot be predicted, and a wrong prediction costs more than the rest of a step. So a step has no
    /// branch. In a loop the compiler would insert one, so the steps are written out (measured: 80 ns per cell
    /// of topology B with the loop, 66 without).
    pub fn set(&mut self, slot: usize, at: Instant) {
        debug_assert!(self.order < 1 << ORDER_BITS);
        self.order += 1;
        let mut node = self.leaves + slot;
        let mut best = Self::key(at, self.order, slot);
        let tree = self.tree.as_mut_slice();
        // Its length is a power of two: under the mask, no index is out of bounds, which the compiler sees.
        let mask = tree.len() - 1;
        tree[node & mask] = best;
        macro_rules! steps {
            ($($level:literal)+) => { $(
                let _ = $level;
                if node <= 1 {
                    return;
                }
                let other = tree[(node ^ 1) & mask];
                let sooner = other < best;
                let time = select_unpredictable(sooner, (other >> 64) as u64, (best >> 64) as u64);
                let rest = select_unpredictable(sooner, other as u64, best as u64);
                best = (u128::from(time) << 64) | u128::from(rest);
                node /= 2;
                tree[node & mask] = best;
            )+ };
        }
        // One step per level of the tree; SLOT_BITS allows 23 levels.
        steps!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
    }

    /// The earliest event: its time and slot.
    #[inline]
    pub fn first(&self) -> (Instant, usize) {
        let key = self.tree[1];
        (
            Instant((key >> 64) as u64),
            key as usize & ((1 << SLOT_BITS) - 1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_by_order_of_setting() {
        // The reference is a linear search, over a pseudo-random sequence of settings.
        for slots in [1usize, 2, 3, 5, 16, 33] {
            let mut agenda = Agenda::new(slots);
            let mut plain = vec![(u64::MAX, 0u64); slots];
            let mut x = 12345u64;
            for order in 1..2000u64 {
                x = x
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let (slot, at) = ((x >> 33) as usize % slots, (x >> 20) % 50);
                agenda.set(slot, Instant(at));
                plain[slot] = (at, order);
                let want = (0..slots).min_by_key(|s| plain[*s]).unwrap();
                assert_eq!(agenda.first(), (Instant(plain[want].0), want));
                if order == 1000 {
                    agenda.grow(3 * slots + 1);
                    assert_eq!(agenda.first(), (Instant(plain[want].0), want));
                }
            }
        }
    }
}
