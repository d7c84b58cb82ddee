//! A flow table of limited size, as in routers: flows enter it on events, and leave it again.

use crate::time::{Duration, Instant};
use crate::unit::HostPair;
use alloc::collections::BTreeMap;

crate::choice! {
    /// Treatment of a flow when the table is full.
    pub enum WhenFull {
        /// Does not enter the new flow.
        Pass = "pass",
        /// Replaces the least recently used flow.
        Oldest = "oldest",
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot<T> {
    entry: T,
    /// Time of its last use.
    used: Instant,
    /// The number of that use.
    turn: u64,
}

/// Entries by pair of hosts; any operation costs the logarithm of their number.
#[derive(Clone, Debug)]
pub struct FlowTable<T> {
    slots: BTreeMap<HostPair, Slot<T>>,
    /// Flows by the number of their last use.
    turns: BTreeMap<u64, HostPair>,
    uses: u64,
    size: u64,
    age: Option<Duration>,
    when_full: WhenFull,
}

impl<T> FlowTable<T> {
    /// An empty table for `size` flows, which forgets one that was not used for longer than `age`.
    pub fn new(size: u64, age: Option<Duration>, when_full: WhenFull) -> Self {
        Self {
            slots: BTreeMap::new(),
            turns: BTreeMap::new(),
            uses: 0,
            size,
            age,
            when_full,
        }
    }

    /// The entry of `hosts`, if there is one: looked at, not used.
    pub fn get(&mut self, now: Instant, hosts: HostPair) -> Option<&mut T> {
        let slot = self.slots.get(&hosts)?;
        if self.age.is_some_and(|age| now - slot.used > age) {
            self.remove(hosts);
            return None;
        }
        self.slots.get_mut(&hosts).map(|slot| &mut slot.entry)
    }

    /// The same, which uses it.
    pub fn take_up(&mut self, now: Instant, hosts: HostPair) -> Option<&mut T> {
        self.get(now, hosts)?;
        let slot = self.slots.get_mut(&hosts)?;
        self.turns.remove(&slot.turn);
        (slot.used, slot.turn) = (now, self.uses);
        self.turns.insert(self.uses, hosts);
        self.uses += 1;
        Some(&mut slot.entry)
    }

    /// Enters `hosts`, which is not in the table; false if there is no place for it.
    pub fn enter(&mut self, now: Instant, hosts: HostPair, entry: T) -> bool {
        if self.slots.len() as u64 >= self.size {
            // An entry past its age makes room, whatever the rule. If there is one, the oldest entry is one.
            let oldest = self.turns.first_key_value().map(|(_, hosts)| *hosts);
            let Some(oldest) = oldest else { return false };
            if self.get(now, oldest).is_some() {
                if self.when_full == WhenFull::Pass {
                    return false;
                }
                self.remove(oldest);
            }
        }
        let turn = self.uses;
        self.uses += 1;
        self.turns.insert(turn, hosts);
        self.slots.insert(
            hosts,
            Slot {
                entry,
                used: now,
                turn,
            },
        );
        true
    }

    /// Forgets `hosts`.
    pub fn remove(&mut self, hosts: HostPair) {
        if let Some(slot) = self.slots.remove(&hosts) {
            self.turns.remove(&slot.turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Option<Duration> = Some(Duration(10));

    #[test]
    fn a_full_table_turns_newcomers_away_or_forgets_who_was_not_used_for_longest() {
        for (when_full, entered) in [(WhenFull::Pass, false), (WhenFull::Oldest, true)] {
            let mut table = FlowTable::new(2, None, when_full);
            assert!(table.enter(Instant(0), HostPair(7), 'a'));
            assert!(table.enter(Instant(1), HostPair(3), 'b'));
            assert_eq!(table.take_up(Instant(2), HostPair(7)), Some(&mut 'a'));
            // `get` does not make an entry younger.
            assert_eq!(table.get(Instant(3), HostPair(3)), Some(&mut 'b'));
            assert_eq!(table.enter(Instant(4), HostPair(1), 'c'), entered);
            let mut known = |hosts| table.get(Instant(5), HostPair(hosts)).is_some();
            assert_eq!([known(7), known(3), known(1)], [true, !entered, entered]);
        }
    }

    #[test]
    fn entries_that_are_not_used_are_forgotten() {
        let mut table = FlowTable::new(2, AGE, WhenFull::Pass);
        table.enter(Instant(0), HostPair(0), 'a');
        table.enter(Instant(5), HostPair(1), 'b');
        assert!(table.take_up(Instant(10), HostPair(0)).is_some());
        assert_eq!(table.get(Instant(16), HostPair(1)), None);
        assert!(table.get(Instant(20), HostPair(0)).is_some());
        assert!(table.enter(Instant(20), HostPair(2), 'c'));
        // An entry past its age makes room.
        assert!(table.enter(Instant(21), HostPair(3), 'd'));
        assert_eq!(table.get(Instant(21), HostPair(0)), None);
    }
}
