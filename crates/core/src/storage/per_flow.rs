//! A table with one entry per flow, grown as flows are first seen.

use crate::unit::FlowId;
use alloc::vec::Vec;

/// State per flow, `T::default()` until first written.
#[derive(Clone, Debug, Default)]
pub struct PerFlow<T>(Vec<T>);

impl<T: Default + Clone> PerFlow<T> {
    /// The entry of `flow`, made if it is new.
    #[inline(always)]
    pub fn of(&mut self, flow: FlowId) -> &mut T {
        let at = flow.0 as usize;
        if at >= self.0.len() {
            self.grow(at);
        }
        &mut self.0[at]
    }

    /// The entries that have been made, by the numbers of their flows.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.0.resize(at + 1, T::default());
    }
}
