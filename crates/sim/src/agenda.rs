//! The agenda: one pending event per slot, the earliest first.

use dupack_core::time::Instant;
use std::hint::select_unpredictable;

/// An event in one number, so that comparing two needs no branch: its time (64 bits), a tie-breaker (41), its slot (23).
type Key = u128;
const SLOT_BITS: u32 = 23;

/// The most slots.
pub const MOST: usize = 1 << SLOT_BITS;

/// Four nodes with the same parent: a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Four([Key; 4]);

/// Levels with four children per node.
const WIDE: usize = 3;

/// No agenda of fewer slots has them: its tree stays in the cache.
const WIDE_FROM: usize = 4096;

/// Nothing is pending.
const NOTHING: Key = Key::MAX >> SLOT_BITS << SLOT_BITS;

/// A winner tree over a fixed set of slots. Setting a slot replaces its event, so nothing is ever cancelled.
///
/// Events of one instant are served in a pseudorandom order, another one for each instant. It depends on the instant and the slots alone, not
/// on when the events were set. If `FIRST`, the event of slot 0 comes before all others.
#[derive(Debug)]
pub struct Agenda<const FIRST: bool> {
    /// `tree[leaves + n]` is leaf `n`, `tree[i]` the earlier of its two children. A leaf is the event of a slot, or of many slots the root of a
    /// wide tree, of which each has a quarter as many cache lines as two levels of this one.
    tree: Vec<Key>,
    leaves: usize,
    /// The wide trees, if there are any: the events of all slots, the earliest of every four of them, and of every four of those.
    wide: Vec<Four>,
    /// Where each of these levels begins.
    levels: [usize; WIDE],
}

impl<const FIRST: bool> Agenda<FIRST> {
    /// An agenda with this many slots, at most [`MOST`], and nothing pending.
    pub fn new(slots: usize) -> Self {
        assert!(slots <= MOST, "{slots} slots are more than an agenda holds");
        let (mut levels, mut length, mut nodes) = ([0; WIDE], 0, slots);
        if slots >= WIDE_FROM {
            for level in &mut levels {
                *level = length;
                nodes = nodes.div_ceil(4);
                length += nodes;
            }
        }
        let leaves = nodes.next_power_of_two();
        Self {
            tree: vec![NOTHING; 2 * leaves],
            leaves,
            wide: vec![Four([NOTHING; 4]); length],
            levels,
        }
    }

    /// The events of all slots.
    fn events(&self) -> impl Iterator<Item = Key> {
        let narrow = self.wide.is_empty();
        let few = if narrow {
            &self.tree[self.leaves..]
        } else {
            &[]
        };
        let many = self.wide[..self.levels[1]].iter();
        few.iter().chain(many.flat_map(|Four(four)| four)).copied()
    }

    /// Grows to this many slots in all, or more.
    pub fn grow(&mut self, slots: usize) {
        if slots <= self.leaves.max(4 * self.levels[1]) {
            return;
        }
        let mut larger = Self::new(slots.next_power_of_two());
        for (slot, event) in self.events().enumerate() {
            if larger.wide.is_empty() {
                larger.put(slot, event);
            } else {
                larger.put_wide(slot, event);
            }
        }
        *self = larger;
    }

    #[inline(always)]
    fn key(at: Instant, slot: usize, name: u64) -> Key {
        let breaker = if FIRST && slot == 0 {
            0
        } else {
            tie_breaker(at.0, name)
        };
        (u128::from(at.0) << 64) | u128::from(breaker >> SLOT_BITS << SLOT_BITS | slot as u64)
    }

    /// The slot's event is now at `at`; [`Instant::NEVER`] for none.
    pub fn set(&mut self, slot: usize, at: Instant) {
        self.set_named(slot, at, slot as u64);
    }

    /// The same of an event that has a name, which takes the place of the slot's number in the order of events of one instant.
    #[inline(always)]
    pub fn set_named(&mut self, slot: usize, at: Instant, name: u64) {
        let event = Self::key(at, slot, name);
        if self.wide.is_empty() {
            self.put(slot, event);
        } else {
            self.put_wide(slot, event);
        }
    }

    /// A leaf of the tree is now this event.
    ///
    /// Which of two events is earlier cannot be predicted, and a wrong prediction costs more than the rest of a step. So a step has no
    /// branch. In a loop the compiler would insert one, so the steps are written out (measured: 80 ns per cell
    /// of topology B with the loop, 66 without).
    #[inline(always)]
    fn put(&mut self, leaf: usize, event: Key) {
        let (mut node, mut best) = (self.leaves + leaf, event);
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
                best = sooner(tree[(node ^ 1) & mask], best);
                node /= 2;
                tree[node & mask] = best;
            )+ };
        }
        // One step per level of the tree; SLOT_BITS allows 23 levels.
        steps!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
    }

    /// A leaf of the wide trees is now this event. This has a call of its own, so that small agendas save no registers for it.
    #[inline(never)]
    fn put_wide(&mut self, slot: usize, event: Key) {
        let (mut node, mut best) = (slot, event);
        for level in self.levels {
            let Four(four) = &mut self.wide[level + node / 4];
            let of = node % 4;
            // The others do not depend on the step before, so they can be compared meanwhile.
            let others = sooner(four[of ^ 1], sooner(four[of ^ 2], four[of ^ 3]));
            four[of] = best;
            best = sooner(others, best);
            node /= 4;
        }
        self.put(node, best);
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

/// The earlier of two events, without a branch.
#[inline(always)]
fn sooner(a: Key, b: Key) -> Key {
    let first = a < b;
    let time = select_unpredictable(first, (a >> 64) as u64, (b >> 64) as u64);
    let rest = select_unpredictable(first, a as u64, b as u64);
    (u128::from(time) << 64) | u128::from(rest)
}

/// The tie-breaker of a slot at an instant \[ps\], in the high bits: the smallest comes first.
#[inline(always)]
fn tie_breaker(at: u64, slot: u64) -> u64 {
    // Knuth's multiplicative hashing (The Art of Computer Programming 3, 6.4), twice: the factor is an odd number next to 2^64 over the
    // golden ratio, and the high bits of a product depend on all bits. Once would not do: times at equal distances would give the first and
    // the last slot more than their share. Slots are told apart by another odd factor.
    const PHI: u64 = 0x9e37_79b9_7f4a_7c15;
    const APART: u64 = 0xd134_2543_de82_ef95;
    let mixed = at.wrapping_add(slot.wrapping_mul(APART)).wrapping_mul(PHI);
    (mixed ^ (mixed >> 32)).wrapping_mul(PHI)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut x = 12345u64;
        move |below| {
            x = x
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (x >> 33) % below
        }
    }

    /// Compares with a linear search, over a pseudo-random sequence of settings.
    fn events_come_by_time_then_by_tie_breaker<const FIRST: bool>() {
        // The last two have wide trees, and the one before grows into one.
        for slots in [1usize, 2, 3, 5, 16, 33, 2000, WIDE_FROM, WIDE_FROM + 5] {
            let mut agenda = Agenda::<FIRST>::new(slots);
            let mut plain = vec![u64::MAX; slots];
            let mut draw = numbers();
            for step in 1..2000u64 {
                let (slot, at) = (draw(slots as u64) as usize, draw(50));
                agenda.set(slot, Instant(at));
                plain[slot] = at;
                let order = |slot: &usize| {
                    let breaker = tie_breaker(plain[*slot], *slot as u64) >> SLOT_BITS;
                    (plain[*slot], !FIRST || *slot > 0, breaker)
                };
                let want = (0..slots).min_by_key(order).unwrap();
                assert_eq!(agenda.first(), (Instant(plain[want]), want));
                if step == 1000 {
                    agenda.grow(3 * slots + 1);
                    assert_eq!(agenda.first(), (Instant(plain[want]), want));
                }
            }
        }
    }

    #[test]
    fn events_come_by_time_then_by_tie_breaker_with_and_without_a_first_one() {
        events_come_by_time_then_by_tie_breaker::<false>();
        events_come_by_time_then_by_tie_breaker::<true>();
    }

    #[test]
    fn the_order_does_not_depend_on_that_of_setting() {
        let order = |slots: &[usize]| -> Vec<usize> {
            let mut agenda = Agenda::<false>::new(8);
            slots.iter().for_each(|slot| agenda.set(*slot, Instant(7)));
            let served = (0..slots.len()).map(|_| {
                let (_, slot) = agenda.first();
                agenda.set(slot, Instant::NEVER);
                slot
            });
            served.collect()
        };
        assert_eq!(order(&[0, 1, 2, 3, 4]), order(&[4, 2, 0, 3, 1]));
    }

    #[test]
    fn no_slot_is_preferred() {
        // Times at equal distances, as those of units that follow each other on a line.
        const TIMES: u64 = 20_000;
        const SLOTS: u64 = 5;
        let mut draw = numbers();
        for _ in 0..50 {
            let (begin, step) = (draw(1 << 31) * 1000, 1 + draw(1 << 31));
            let slots: Vec<u64> = (0..SLOTS).map(|n| 100 * n + draw(100)).collect();
            let mut firsts = [0f64; SLOTS as usize];
            for n in 0..TIMES {
                let breaker = |at: &usize| tie_breaker(begin + n * step, slots[*at]);
                firsts[(0..slots.len()).min_by_key(breaker).unwrap()] += 1.0;
            }
            let mean = (TIMES / SLOTS) as f64;
            // Five standard deviations of a fair draw.
            let most = 5.0 * (mean * (1.0 - 1.0 / SLOTS as f64)).sqrt();
            let fair = |count: &f64| (count - mean).abs() < most;
            assert!(
                firsts.iter().all(fair),
                "{firsts:?} {begin} {step} {slots:?}"
            );
        }
    }
}
