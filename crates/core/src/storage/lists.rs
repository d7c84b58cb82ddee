//! Many lists in one slab, linked both ways: O(1) at both ends and in the middle, and no allocation once the slab has grown.

use alloc::vec::Vec;

/// Place of an item until it is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position(u32);

/// One list: its ends and its length. Its items are in the [`Lists`] with which it is used.
#[derive(Clone, Debug, Default)]
pub struct List {
    first: u32,
    last: u32,
    len: u32,
}

impl List {
    /// Items in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// An item with its neighbours, which mean nothing at the ends of a list; a free slot with the next free one behind it.
#[derive(Debug)]
struct Slot<T> {
    item: Option<T>,
    before: u32,
    after: u32,
}

/// The items of many lists.
#[derive(Debug)]
pub struct Lists<T> {
    slots: Vec<Slot<T>>,
    /// The first free slot, or [`NONE`].
    free: u32,
}

const NONE: u32 = u32::MAX;

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: NONE,
        }
    }
}

impl<T> Lists<T> {
    /// Puts an item at the end of `list`.
    #[inline]
    pub fn push_back(&mut self, list: &mut List, item: T) -> Position {
        let slot = Slot {
            item: Some(item),
            before: list.last,
            after: NONE,
        };
        let at = self.free;
        let at = if at == NONE {
            self.slots.push(slot);
            (self.slots.len() - 1) as u32
        } else {
            self.free = core::mem::replace(&mut self.slots[at as usize], slot).after;
            at
        };
        if list.len == 0 {
            list.first = at;
        } else {
            self.slots[list.last as usize].after = at;
        }
        list.last = at;
        list.len += 1;
        Position(at)
    }

    /// The first item of `list`.
    #[inline]
    pub fn front(&self, list: &List) -> Option<&T> {
        if list.is_empty() {
            return None;
        }
        self.slots[list.first as usize].item.as_ref()
    }

    /// The place of the first item of `list`.
    #[inline]
    pub fn front_place(&self, list: &List) -> Option<Position> {
        (!list.is_empty()).then_some(Position(list.first))
    }

    /// The item at `place`, if one is there.
    #[inline]
    pub fn get(&self, place: Position) -> Option<&T> {
        self.slots[place.0 as usize].item.as_ref()
    }

    /// Takes the first item out of `list`.
    #[inline]
    pub fn pop_front(&mut self, list: &mut List) -> Option<T> {
        (!list.is_empty()).then(|| self.remove(list, Position(list.first)))
    }

    /// Takes the last item out of `list`.
    #[inline]
    pub fn pop_back(&mut self, list: &mut List) -> Option<T> {
        (!list.is_empty()).then(|| self.remove(list, Position(list.last)))
    }

    /// Takes the item at `place` out of `list`, which it is in.
    ///
    /// # Panics
    /// If nothing is there.
    #[inline]
    pub fn remove(&mut self, list: &mut List, place: Position) -> T {
        let at = place.0;
        let slot = &mut self.slots[at as usize];
        let item = slot.item.take().expect("an item that is in a list");
        let (before, after) = (slot.before, slot.after);
        slot.after = self.free;
        self.free = at;
        if list.first == at {
            list.first = after;
        } else {
            self.slots[before as usize].after = after;
        }
        if list.last == at {
            list.last = before;
        } else {
            self.slots[after as usize].before = before;
        }
        list.len -= 1;
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Push(usize),
        PopFront(usize),
        PopBack(usize),
        /// Remove the item with this number, modulo the number of items.
        Remove(usize, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0usize..3).prop_map(Step::Push),
            1 => (0usize..3).prop_map(Step::PopFront),
            1 => (0usize..3).prop_map(Step::PopBack),
            1 => (0usize..3, 0usize..100).prop_map(|(list, at)| Step::Remove(list, at)),
        ]
    }

    proptest! {
        #[test]
        fn lists_are_as_vectors(steps in prop::collection::vec(step(), 1..300)) {
            let mut slab = Lists::default();
            let mut lists: [List; 3] = Default::default();
            let mut model: [Vec<(Position, usize)>; 3] = Default::default();
            let mut most = 0;
            for (n, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(l) => {
                        let place = slab.push_back(&mut lists[l], n);
                        model[l].push((place, n));
                    }
                    Step::PopFront(l) => {
                        let want = (!model[l].is_empty()).then(|| model[l].remove(0).1);
                        prop_assert_eq!(slab.pop_front(&mut lists[l]), want);
                    }
                    Step::PopBack(l) => {
                        let want = model[l].pop().map(|(_, item)| item);
                        prop_assert_eq!(slab.pop_back(&mut lists[l]), want);
                    }
                    Step::Remove(l, at) => if !model[l].is_empty() {
                        let (place, item) = model[l].remove(at % model[l].len());
                        prop_assert_eq!(slab.remove(&mut lists[l], place), item);
                    }
                }
                most = most.max(model.iter().map(Vec::len).sum::<usize>());
                for (list, model) in lists.iter().zip(&model) {
                    prop_assert_eq!(list.len(), model.len());
                    prop_assert_eq!(slab.front(list), model.first().map(|(_, item)| item));
                    prop_assert_eq!(slab.front_place(list), model.first().map(|(place, _)| *place));
                    for (place, item) in model {
                        prop_assert_eq!(slab.get(*place), Some(item));
                    }
                }
            }
            prop_assert_eq!(slab.slots.len(), most, "places are used again");
        }
    }
}
