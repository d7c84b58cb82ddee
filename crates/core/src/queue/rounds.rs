//! Deficit round robin in which queues that were empty come first (DRR++), as in FQ-CoDel, FQ-PIE and CAKE.
//!
//! A queue has byte credits. It is served while it has some: the bytes of each packet that is sent are subtracted. Without credits it
//! gets a quantum, and goes to the end of the list of old queues. A queue that gets a packet while it is on no list joins the list of new
//! queues, with a quantum. New queues are served before old ones. A new queue that is found empty becomes the last old one, so that a flow
//! cannot stay new by sending a packet whenever its queue has become empty; an old queue that is found empty leaves the list.
//= rfc8290 §4.1
//= rfc8290 §4.2

use crate::storage::lists::{List, Lists};
use alloc::vec::Vec;

/// State of one queue.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// It is on one of the lists.
    active: bool,
    /// Bytes that it may still send in this turn.
    credits: i64,
}

/// The order of service of numbered queues.
#[derive(Debug, Default)]
pub struct Rounds {
    turns: Vec<Turn>,
    /// Numbers of queues.
    items: Lists<u32>,
    new: List,
    old: List,
}

impl Rounds {
    /// Queue `at` has got a packet; it joins with `quantum` if it is on no list. Returns whether it has joined.
    pub fn join(&mut self, at: usize, quantum: i64) -> bool {
        if at >= self.turns.len() {
            self.turns.resize(at + 1, Turn::default());
        }
        let turn = &mut self.turns[at];
        let joins = !turn.active;
        if joins {
            (turn.active, turn.credits) = (true, quantum);
            self.items.push_back(&mut self.new, at as u32);
        }
        joins
    }

    /// The queue whose turn it is. `quantum` is what one gets that has used up its credits.
    //= rfc8290 §4.2, credits type=departure
    // A queue that has used up its credits exactly has no turn either.
    pub fn next(&mut self, quantum: impl Fn(usize) -> i64) -> Option<usize> {
        loop {
            let list = if self.new.is_empty() {
                &mut self.old
            } else {
                &mut self.new
            };
            let at = *self.items.front(list)?;
            let turn = &mut self.turns[at as usize];
            if turn.credits > 0 {
                return Some(at as usize);
            }
            turn.credits = turn.credits.saturating_add(quantum(at as usize));
            self.items.pop_front(list);
            self.items.push_back(&mut self.old, at);
        }
    }

    /// Queues that are on a list.
    pub fn listed(&self) -> usize {
        self.new.len() + self.old.len()
    }

    /// The queue whose turn it is has sent these bytes.
    pub fn charge(&mut self, at: usize, bytes: i64) {
        self.turns[at].credits -= bytes;
    }

    /// The queue whose turn it is was found empty. Returns whether it is on no list any more.
    pub fn found_empty(&mut self) -> bool {
        if let Some(at) = self.items.pop_front(&mut self.new) {
            self.items.push_back(&mut self.old, at);
            return false;
        }
        if let Some(at) = self.items.pop_front(&mut self.old) {
            self.turns[at as usize].active = false;
        }
        true
    }
}
