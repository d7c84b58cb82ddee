//! TL_i: the part of the buffer that a VC may fill, from the rates that VCs are guaranteed; and which VC exceeds it by most.
//!
//! TL_i = \[MPR_i + (W - sum of MPR) w_i\] Q / W. As printed, w_i = MPR_i / sum of MPR, so that W cancels: TL_i = MPR_i Q / sum of MPR.
//! The text around it says that the rest of the link's rate is shared *equally*: w_i = 1/n. A plan chooses; both give every VC Q/n if
//! none has a guarantee. A VC that the link was not told of has TL_i = 0. Where more is guaranteed than the link can carry, equal shares
//! of the rest are negative, and so may TL_i be.
//!
//! NC_i is an integer and TL_i a fraction. Every comparison of the paper, NC_i with TL_i (or TL_i - M), has the same result with TL_i
//! rounded up or down. Only the order of NC_j - TL_j over the VCs needs the fractions, and of those only the order: it is found once, at
//! the start.
//= chan-wang-chen-2002 §3.2
//= chan-wang-chen-2002 §3.2 type=departure

use super::Line;
use super::frames::Frames;
use crate::measure::Rate;
use crate::storage::per_flow::PerFlow;
use crate::storage::turns::Turns;
use crate::unit::{FlowId, Unit};
use alloc::vec::Vec;

crate::choice! {
    /// Division of what the guarantees leave of the link's rate, and of the buffer.
    pub enum Excess {
        /// In proportion to the guarantees of the VCs.
        Proportional = "proportional",
        /// In equal parts to all VCs.
        Equal = "equal",
    }
}

/// TL_i of a VC.
#[derive(Clone, Copy, Debug, Default)]
struct Threshold {
    /// Rounded down, and up \[cells\].
    floor: i64,
    ceil: i64,
    /// Among VCs equally many whole cells beyond `ceil`, the one with the smallest order exceeds TL by most, or has the lowest number.
    /// From 1; 0 for a VC that was not declared to the line.
    order: u32,
    /// Weight of its share of the line: whole numbers without a common divisor.
    weight: u64,
}

/// TL of all VCs.
#[derive(Debug, Default)]
pub struct Thresholds {
    table: PerFlow<Threshold>,
    /// The least weight above 0, or 1.
    least: u64,
}

impl Thresholds {
    /// For VCs that share a buffer with this room \[cells\] before `line`.
    pub fn new(line: &Line, room: u64, excess: Excess) -> Self {
        let all = &line.guaranteed;
        let (n, w, q) = (all.len() as i128, i128::from(line.rate.0), i128::from(room));
        let sum: i128 = all.iter().map(|(_, mpr)| i128::from(mpr.0)).sum();
        // TL_i = share Q / whole
        let (share, whole): (&dyn Fn(Rate) -> i128, i128) = match excess {
            _ if sum == 0 => (&|_| 1, n),
            //= chan-wang-chen-2002 §3.2
            Excess::Proportional => (&|mpr| i128::from(mpr.0), sum),
            Excess::Equal => (&|mpr| n * i128::from(mpr.0) + w - sum, n * w),
        };
        let divisor = all
            .iter()
            .fold(0, |d, (_, mpr)| gcd(d, share(*mpr).max(0)))
            .max(1);
        let mut table = PerFlow::<Threshold>::default();
        let mut shorts = Vec::new();
        for (flow, mpr) in all {
            let tl = share(*mpr) * q;
            let (floor, ceil) = (tl.div_euclid(whole), -(-tl).div_euclid(whole));
            let cells = |n: i128| n.clamp(-FAR, FAR) as i64;
            *table.of(*flow) = Threshold {
                floor: cells(floor),
                ceil: cells(ceil),
                order: 0,
                weight: u64::try_from(share(*mpr).max(0) / divisor).unwrap_or(u64::MAX),
            };
            shorts.push((core::cmp::Reverse(ceil * whole - tl), *flow));
        }
        shorts.sort_unstable();
        for ((_, flow), order) in shorts.into_iter().zip(1..) {
            table.of(flow).order = order;
        }
        let weights = all.iter().map(|(flow, _)| table.of(*flow).weight);
        let least = weights.filter(|w| *w > 0).min().unwrap_or(1);
        Self { table, least }
    }

    /// NC + `more` <= TL.
    #[inline]
    pub fn leave(&mut self, flow: FlowId, cells: u64, more: u64) -> bool {
        (cells + more) as i64 <= self.table.of(flow).floor
    }

    /// NC + `more` >= TL.
    #[inline]
    pub fn reached(&mut self, flow: FlowId, cells: u64, more: u64) -> bool {
        (cells + more) as i64 >= self.table.of(flow).ceil
    }

    /// Weight of a VC's share of the line: a whole number.
    #[inline]
    pub fn weight(&mut self, flow: FlowId) -> u64 {
        self.table.of(flow).weight
    }

    /// The smallest weight above 0, or 1.
    #[inline]
    pub fn least_weight(&self) -> u64 {
        self.least
    }

    /// The less, the greater NC - TL; of several as great the VC with the lowest number.
    #[inline]
    fn tag(&mut self, flow: FlowId, cells: u64) -> u64 {
        let own = self.table.of(flow);
        let excess = cells as i64 - own.ceil;
        let order = match own.order {
            0 => (1 << (ORDER_BITS - 1)) | u64::from(flow.0),
            order => u64::from(order),
        };
        (((2 * FAR) as i64 - excess) as u64) << ORDER_BITS | order
    }
}

/// Beyond any buffer \[cells\].
const FAR: i128 = 1 << 36;
/// Bits of an order: enough for all flows that [`Turns`] knows, declared or not.
const ORDER_BITS: u32 = 25;

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// VCs by NC_j - TL_j.
///
/// Their order is updated when a victim is needed, for the VCs that have changed since: most cells arrive and depart while no
/// victim is needed.
#[derive(Debug, Default)]
pub struct Victims {
    pub thresholds: Thresholds,
    turns: Turns,
}

impl Victims {
    /// VCs with these thresholds, and nothing in the buffer.
    pub fn new(thresholds: Thresholds) -> Self {
        Self {
            thresholds,
            turns: Turns::default(),
        }
    }

    /// Whether `flow` holds at least as much as `other`, where neither has a threshold: then, with the arriving unit, it is the longer one.
    pub fn as_long<U: Unit>(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        other: FlowId,
    ) -> bool {
        let mut told = |flow| self.thresholds.table.of(flow).order != 0;
        !told(flow) && !told(other) && frames.cells_of(flow) >= frames.cells_of(other)
    }

    /// The VC with the greatest NC - TL among those, except `but`, that have a packet to push out.
    pub fn worst<U: Unit>(
        &mut self,
        frames: &mut Frames<U>,
        but: Option<FlowId>,
    ) -> Option<FlowId> {
        while let Some(flow) = frames.next_changed() {
            if frames.can_push_out(flow) {
                let cells = frames.cells_of(flow);
                self.turns.set(flow, self.thresholds.tag(flow, cells));
            } else {
                self.turns.remove(flow);
            }
        }
        let (_, first) = self.turns.first()?;
        if Some(first) != but {
            return Some(first);
        }
        self.turns.remove(first);
        frames.change(first);
        self.turns.first().map(|(_, flow)| flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::tests::script::guarantees;
    use proptest::prelude::*;

    /// (floor, ceil, weight) of the first `n` VCs.
    fn told(line: &Line, room: u64, excess: Excess, n: u32) -> Vec<(i64, i64, u64)> {
        let mut all = Thresholds::new(line, room, excess);
        let of = |flow| {
            let own = all.table.of(FlowId(flow));
            (own.floor, own.ceil, own.weight)
        };
        (0..n).map(of).collect()
    }

    #[test]
    fn what_is_left_goes_by_guarantee_as_printed_or_equally_as_said() {
        // 10 Mb/s, of which 1, 2 and 3 are guaranteed: 4 are left.
        let line = guarantees(&[1, 2, 3]);
        let printed = told(&line, 90, Excess::Proportional, 4);
        assert_eq!(printed, [(15, 15, 1), (30, 30, 2), (45, 45, 3), (0, 0, 0)]);
        // 1 + 4/3, 2 + 4/3 and 3 + 4/3 of 10: 21, 30 and 39 of 90.
        let said = told(&line, 90, Excess::Equal, 4);
        assert_eq!(said, [(21, 21, 7), (30, 30, 10), (39, 39, 13), (0, 0, 0)]);
        let thirds = told(&guarantees(&[5, 5, 5]), 100, Excess::Equal, 1);
        assert_eq!(thirds, [(33, 34, 1)]);
    }

    #[test]
    fn without_guarantees_all_are_alike_and_without_vcs_nobody_has_a_share() {
        for excess in [Excess::Proportional, Excess::Equal] {
            let alike = told(&guarantees(&[0, 0]), 7, excess, 2);
            assert_eq!(alike, [(3, 4, 1), (3, 4, 1)]);
            assert_eq!(told(&guarantees(&[]), 7, excess, 1), [(0, 0, 0)]);
        }
        // 10 Mb/s, and 24 guaranteed: 4 + (10 - 24)/2 and 20 + (10 - 24)/2 of 10.
        let beyond = told(&guarantees(&[4, 20]), 10, Excess::Equal, 2);
        assert_eq!(beyond, [(-3, -3, 0), (13, 13, 1)]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_excess_is_exact(
            mpr in prop::collection::vec(0u64..40, 1..8), room in 1u64..100, equal: bool,
            cells in prop::collection::vec(0u64..30, 8),
        ) {
            let line = guarantees(&mpr);
            let excess = if equal { Excess::Equal } else { Excess::Proportional };
            let mut all = Thresholds::new(&line, room, excess);
            let (n, sum) = (mpr.len() as i128, mpr.iter().sum::<u64>() as i128);
            // (NC - TL) x 10 n sum is a whole number, with W = 10.
            let scaled = |flow: usize| {
                let (mpr, nc) = (mpr[flow] as i128, cells[flow] as i128);
                let tl = match (sum, equal) {
                    (0, _) => return n * nc - room as i128,
                    (_, true) => (n * mpr + 10 - sum) * sum * room as i128,
                    (_, false) => mpr * 10 * n * room as i128,
                };
                10 * n * sum * nc - tl
            };
            let mut flows: Vec<usize> = (0..mpr.len()).collect();
            flows.sort_by_key(|flow| all.tag(FlowId(*flow as u32), cells[*flow]));
            let mut want: Vec<usize> = (0..mpr.len()).collect();
            want.sort_by_key(|flow| (core::cmp::Reverse(scaled(*flow)), *flow));
            prop_assert_eq!(flows, want);
        }
    }
}
