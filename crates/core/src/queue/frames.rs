//! A buffer of cells from which whole packets can be pushed out: the last packet of any VC, even while it still arrives.
//!
//! Packets that leave the buffer must stay delimited, and AAL5 has an end mark and no start mark. So, per VC:
//!
//! - If a packet is refused at its first cell, or pushed out before any cell of it was sent, none of it is forwarded: its rest is
//!   dropped, with its end mark (PPD, which has forwarded the beginning, must let the end mark through).
//! - If a cell of a packet has been sent, the packet is not pushed out any more: cells on the line cannot be recalled, and would be
//!   dead without the rest.
//! - If a packet loses a cell because nothing can make room for it, all its rest is dropped. If none of it has been sent, a buffer
//!   with push-out withdraws it: none of it is forwarded. Otherwise its end mark must go through, so that the next packet survives.
//!   If the end mark finds no room either, the next end mark of the VC must replace it, and the packet before that one is dropped.
//!   (It would be merged with the remains.)
//!
//! If the room is at least one longest packet per VC, the last case never happens with push-out: when no VC has a packet to push
//! out, each VC has no more than the unsent cells of one packet here, and the arriving cell is not yet one of them.
//!
//! B, the available buffer space, is kept as in the paper: M less at a packet's first cell, M - L more at its last, 1 more per cell
//! sent, and the length of each packet that is pushed out. A packet that is pushed out while it arrives returns its M at once; a
//! packet longer than M takes its excess cell by cell. So at any time B = room - cells waiting - cells that arriving packets may
//! still bring, and B > 0 means that there is room. With M = 0, B is just the free room.
//= chan-wang-chen-2002 §3.1
//= chan-wang-chen-2002 §3.2
//= chan-wang-chen-2002 §3.1 type=departure

use crate::ledger::{Cause, Ledger};
use crate::storage::lists::{List, Lists, Position};
use crate::storage::per_flow::PerFlow;
use crate::unit::{FlowId, Unit};
use alloc::vec::Vec;

/// State of the packet that arrives on a VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Incoming {
    /// The next cell begins a packet.
    #[default]
    Between,
    /// A packet that is kept so far.
    Kept,
    /// The rest of a packet of which nothing is forwarded.
    Refused,
    /// The rest of a packet of which something is: the next end mark must go through.
    Damaged,
}

#[derive(Clone, Debug, Default)]
struct Vc {
    arrival: Incoming,
    /// The cell sent last was not the last of its packet.
    begun: bool,
    /// Whether it is in the list of VCs that have changed.
    changed: bool,
    /// NC: cells that wait.
    cells: u32,
    /// Cells with an end mark among them.
    ends: u32,
    /// L: cells of the arriving packet.
    length: u32,
    /// The cell that came last.
    newest: Option<Position>,
    /// Cells that wait, if the VC has a queue of its own.
    own: List,
}

impl Vc {
    /// Its last packet has not wholly arrived.
    #[inline]
    fn open(&self) -> bool {
        matches!(self.arrival, Incoming::Kept | Incoming::Damaged)
    }

    /// Whether there is a last packet of which no cell has been sent.
    #[inline]
    fn can_push_out(&self) -> bool {
        self.cells > 0 && !(self.begun && self.ends == u32::from(!self.open()))
    }

    /// Cause of the drop of a cell for which no room could be made: there is none, or its own packet was pushed out.
    fn why_lost(&self) -> Cause {
        if self.open() {
            Cause::Overflow
        } else {
            Cause::Partial
        }
    }
}

#[derive(Debug)]
struct Kept<U> {
    unit: U,
    /// Place of the VC's previous cell, which may have been sent since.
    behind: Option<Position>,
}

/// Rules in which buffers differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// M: units that a packet may still bring.
    pub reserve: u64,
    /// Every unit is a packet of its own, whatever its end mark.
    pub unitwise: bool,
    /// A packet that loses a cell is withdrawn, if nothing of it has been sent.
    pub withdraws: bool,
    /// A queue per VC, instead of one for all.
    pub per_vc: bool,
}

/// Decides which packets are admitted, and which are pushed out for them.
pub trait Policy<U: Unit> {
    /// Why the packet whose first cell arrives may not come in, if it may not: then there is room for that cell, perhaps because others were
    /// pushed out for it.
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause>;
    /// A further cell of a packet finds the buffer full.
    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>);
    /// A cell of `flow` is at `place` now; the count of its VC's cells includes this one.
    #[inline]
    fn on_joined(&mut self, _flow: FlowId, _place: Position, _first: bool, _cells: u64) {}
    /// The first cell of the packet, which was at `place`, is sent.
    #[inline]
    fn on_begun(&mut self, _flow: FlowId, _place: Position) {}
    /// The packet of `flow` that arrives is to be withdrawn.
    #[inline]
    fn on_withdrawn(&mut self, _flow: FlowId) {}
}

/// The buffer.
#[derive(Debug)]
pub struct Frames<U> {
    units: Lists<Kept<U>>,
    fifo: List,
    vcs: PerFlow<Vc>,
    /// VCs whose number of cells has changed.
    changed: Vec<FlowId>,
    /// B
    available: i64,
    backlog: u32,
    room: u32,
    reserve: u32,
    unitwise: bool,
    withdraws: bool,
    per_vc: bool,
}

impl<U: Unit> Frames<U> {
    /// An empty buffer with room for `room` units.
    pub fn new(room: u64, rules: Rules) -> Self {
        // Positions in the buffer have 32 bits.
        let (room, reserve) = (
            room.min(u64::from(u32::MAX)),
            rules.reserve.min(u64::from(u32::MAX)),
        );
        Self {
            units: Lists::default(),
            fifo: List::default(),
            vcs: PerFlow::default(),
            changed: Vec::new(),
            available: room as i64,
            backlog: 0,
            room: room as u32,
            reserve: reserve as u32,
            unitwise: rules.unitwise,
            withdraws: rules.withdraws,
            per_vc: rules.per_vc,
        }
    }

    /// Units that wait.
    #[inline]
    pub fn backlog(&self) -> u64 {
        u64::from(self.backlog)
    }

    /// No more may join.
    #[inline]
    pub fn full(&self) -> bool {
        self.backlog >= self.room
    }

    /// B: room that is neither taken nor reserved \[units\]; less than 0 if more was reserved than there is.
    #[inline]
    pub fn available(&self) -> i64 {
        self.available
    }

    /// NC of `flow`.
    #[inline]
    pub fn cells_of(&mut self, flow: FlowId) -> u64 {
        u64::from(self.vcs.of(flow).cells)
    }

    /// Whether `flow` has a last packet of which no cell has been sent.
    #[inline]
    pub fn can_push_out(&mut self, flow: FlowId) -> bool {
        self.vcs.of(flow).can_push_out()
    }

    /// A VC whose number of cells has changed since it was last returned here.
    pub fn next_changed(&mut self) -> Option<FlowId> {
        let flow = self.changed.pop()?;
        self.vcs.of(flow).changed = false;
        Some(flow)
    }

    /// `flow` is to be named as changed.
    #[inline]
    pub fn change(&mut self, flow: FlowId) {
        let vc = self.vcs.of(flow);
        if !vc.changed {
            vc.changed = true;
            self.changed.push(flow);
        }
    }

    /// `unit` arrives.
    #[inline]
    pub fn offer(&mut self, unit: U, policy: &mut impl Policy<U>, book: &mut impl Ledger<U>) {
        let (flow, last) = (unit.flow(), self.unitwise || unit.last());
        let first = match self.vcs.of(flow).arrival {
            Incoming::Between => {
                if let Some(why) = policy.refuse(self, flow, book) {
                    if !last {
                        self.vcs.of(flow).arrival = Incoming::Refused;
                    }
                    return book.drop(unit, why);
                }
                let vc = self.vcs.of(flow);
                (vc.arrival, vc.length) = (Incoming::Kept, 0);
                //= chan-wang-chen-2002 §3.1
                self.available -= i64::from(self.reserve);
                true
            }
            Incoming::Kept => {
                if self.full() && !self.make_room(flow, policy, book) {
                    return self.lose(unit, last, policy, book);
                }
                false
            }
            Incoming::Refused => {
                if last {
                    self.vcs.of(flow).arrival = Incoming::Between;
                }
                return book.drop(unit, Cause::Partial);
            }
            Incoming::Damaged if !last => return book.drop(unit, Cause::Partial),
            Incoming::Damaged => {
                if self.full() && !self.make_room(flow, policy, book) {
                    return self.lose_mark(unit, book);
                }
                false
            }
        };
        self.join(unit, flow, last, first, policy);
    }

    #[inline]
    fn join(
        &mut self,
        unit: U,
        flow: FlowId,
        last: bool,
        first: bool,
        policy: &mut impl Policy<U>,
    ) {
        debug_assert!(!self.full());
        let vc = self.vcs.of(flow);
        vc.length += 1;
        vc.cells += 1;
        let list = if self.per_vc {
            &mut vc.own
        } else {
            &mut self.fifo
        };
        let behind = vc.newest;
        let place = self.units.push_back(list, Kept { unit, behind });
        vc.newest = Some(place);
        self.available -= i64::from(vc.length > self.reserve);
        if last {
            vc.ends += 1;
            vc.arrival = Incoming::Between;
            //= chan-wang-chen-2002 §3.1
            self.available += i64::from(self.reserve.saturating_sub(vc.length));
        }
        let cells = u64::from(vc.cells);
        self.backlog += 1;
        self.change(flow);
        policy.on_joined(flow, place, first, cells);
    }

    /// Makes room; returns whether there is room for another cell of the packet, and the packet itself was not pushed out.
    #[cold]
    fn make_room(
        &mut self,
        flow: FlowId,
        policy: &mut impl Policy<U>,
        book: &mut impl Ledger<U>,
    ) -> bool {
        policy.make_room(self, flow, book);
        !self.full() && self.vcs.of(flow).open()
    }

    /// A cell of a packet that was kept has no place.
    #[cold]
    fn lose(
        &mut self,
        unit: U,
        last: bool,
        policy: &mut impl Policy<U>,
        book: &mut impl Ledger<U>,
    ) {
        let flow = unit.flow();
        let vc = self.vcs.of(flow);
        let why = vc.why_lost();
        if vc.arrival == Incoming::Kept && self.withdraws && vc.can_push_out() {
            policy.on_withdrawn(flow);
            self.push_out(flow, book);
        }
        let vc = self.vcs.of(flow);
        if vc.arrival == Incoming::Refused {
            if last {
                vc.arrival = Incoming::Between;
            }
        } else {
            // The last cell of the packet may still arrive, but no room is reserved for it.
            self.available += i64::from(self.reserve.saturating_sub(vc.length));
            vc.length = vc.length.max(self.reserve);
            vc.arrival = Incoming::Damaged;
        }
        book.drop(unit, why);
    }

    /// The end mark of a damaged packet has no place: if the packet itself was pushed out to make some, nothing is owed.
    #[cold]
    fn lose_mark(&mut self, unit: U, book: &mut impl Ledger<U>) {
        let vc = self.vcs.of(unit.flow());
        let why = vc.why_lost();
        if vc.arrival == Incoming::Refused {
            vc.arrival = Incoming::Between;
        }
        book.drop(unit, why);
    }

    /// Drops the last packet of `flow`, of which no cell has been sent, and its cells that have yet to arrive.
    pub fn push_out(&mut self, flow: FlowId, book: &mut impl Ledger<U>) {
        let vc = self.vcs.of(flow);
        let Some(newest) = vc.newest else { return };
        let (open, most) = (vc.open(), vc.cells);
        let mut cells = if vc.arrival == Incoming::Kept {
            vc.length
        } else {
            1
        };
        if vc.arrival != Incoming::Kept && !self.unitwise {
            let mut at = newest;
            while cells < most
                && let Some(behind) = self.units.get(at).and_then(|kept| kept.behind)
                && let Some(before) = self.units.get(behind)
                && !before.unit.last()
            {
                (cells, at) = (cells + 1, behind);
            }
        }
        self.take_out(flow, newest, cells, open, book);
    }

    /// The same with any packet of `flow`: the one of `cells` cells that ends at `newest`.
    pub fn push_out_at(
        &mut self,
        flow: FlowId,
        newest: Position,
        cells: u32,
        book: &mut impl Ledger<U>,
    ) {
        let vc = self.vcs.of(flow);
        let open = vc.open() && vc.newest == Some(newest);
        self.take_out(flow, newest, cells, open, book);
    }

    fn take_out(
        &mut self,
        flow: FlowId,
        newest: Position,
        cells: u32,
        open: bool,
        book: &mut impl Ledger<U>,
    ) {
        let vc = self.vcs.of(flow);
        let was_last = vc.newest == Some(newest);
        let list = if self.per_vc {
            &mut vc.own
        } else {
            &mut self.fifo
        };
        let mut at = Some(newest);
        for _ in 0..cells {
            let Some(place) = at else { break };
            let Kept { unit, behind } = self.units.remove(list, place);
            vc.ends -= u32::from(self.unitwise || unit.last());
            book.drop(unit, Cause::PushedOut);
            at = behind;
        }
        if was_last {
            vc.newest = at;
        }
        vc.cells -= cells;
        self.backlog -= cells;
        self.available += i64::from(cells);
        if open {
            //= chan-wang-chen-2002 §3.2
            self.available += i64::from(self.reserve.saturating_sub(vc.length));
            vc.arrival = Incoming::Refused;
        }
        self.change(flow);
    }

    /// The next unit to be sent, of all.
    #[inline]
    pub fn pull(&mut self, policy: &mut impl Policy<U>) -> Option<U> {
        let place = self.units.front_place(&self.fifo)?;
        let Kept { unit, .. } = self.units.remove(&mut self.fifo, place);
        self.on_sent(&unit, place, policy);
        Some(unit)
    }

    /// The next of `flow`, where every VC has a queue.
    #[inline]
    pub fn pull_of(&mut self, flow: FlowId) -> Option<U> {
        let Kept { unit, .. } = self.units.pop_front(&mut self.vcs.of(flow).own)?;
        self.count_sent(&unit);
        Some(unit)
    }

    #[inline]
    fn on_sent(&mut self, unit: &U, place: Position, policy: &mut impl Policy<U>) {
        if self.count_sent(unit) {
            policy.on_begun(unit.flow(), place);
        }
    }

    /// Whether it was the first of its packet.
    #[inline]
    fn count_sent(&mut self, unit: &U) -> bool {
        let flow = unit.flow();
        let last = self.unitwise || unit.last();
        let vc = self.vcs.of(flow);
        let first = !vc.begun;
        vc.cells -= 1;
        vc.ends -= u32::from(last);
        vc.begun = !last;
        self.backlog -= 1;
        //= chan-wang-chen-2002 §3.1
        self.available += 1;
        self.change(flow);
        first
    }
}
