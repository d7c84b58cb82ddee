//! The agenda: one pending event per slot, the earliest first.

use dupack_core::time::Instant;

/// A winner tree over a fixed set of slots. Setting a slot replaces its event, so nothing is ever cancelled; equal times
/// are served in the order in which they were set.
#[derive(Debug)]
pub struct Agenda {
    /// Per slot (time, order of setting).
    keys: Vec<(Instant, u64)>,
    /// `winner[i]` is the slot with the least key below node `i`; node `leaves + s` is slot `s` itself.
    winner: Vec<u32>,
    leaves: usize,
    order: u64,
}

impl Agenda {
    /// So many slots, nothing pending.
    pub fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two().max(2);
        let mut winner = vec![0; leaves];
        for (node, slot) in winner.iter_mut().enumerate().skip(1) {
            // The leftmost leaf below the node: all keys are equal.
            *slot = ((node << (leaves.ilog2() - node.ilog2())) - leaves) as u32;
        }
        Self { keys: vec![(Instant::NEVER, u64::MAX); leaves], winner, leaves, order: 0 }
    }

    /// The slot's event is now at `at`; [`Instant::NEVER`] for none.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Instant) {
        self.order += 1;
        self.keys[slot] = (at, self.order);
        let mut node = (self.leaves + slot) / 2;
        let (mut left, mut right) = (slot & !1, slot | 1);
        loop {
            let best = if self.keys[left] <= self.keys[right] { left } else { right };
            let before = std::mem::replace(&mut self.winner[node], best as u32) as usize;
            // A subtree that this slot neither led nor leads looks the same from above.
            if node == 1 || (before != slot && best != slot) {
                return;
            }
            let sibling = self.winner[node ^ 1] as usize;
            (left, right) = if node & 1 == 0 { (best, sibling) } else { (sibling, best) };
            node /= 2;
        }
    }

    /// The earliest event: its time and slot.
    #[inline]
    pub fn first(&self) -> (Instant, usize) {
        let slot = self.winner[1] as usize;
        (self.keys[slot].0, slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_by_order_of_setting() {
        // Against a plain search, over a pseudo-random sequence of settings.
        for slots in [1usize, 2, 3, 5, 16, 33] {
            let mut agenda = Agenda::new(slots);
            let mut plain = vec![(u64::MAX, 0u64); slots];
            let mut x = 12345u64;
            for order in 1..2000u64 {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (slot, at) = ((x >> 33) as usize % slots, (x >> 20) % 50);
                agenda.set(slot, Instant(at));
                plain[slot] = (at, order);
                let want = (0..slots).min_by_key(|s| plain[*s]).unwrap();
                assert_eq!(agenda.first(), (Instant(plain[want].0), want));
            }
        }
    }
}
