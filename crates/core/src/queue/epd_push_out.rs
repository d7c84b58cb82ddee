//! EPD with push-out, Chan, Wang & Chen's middle way: a threshold as in EPD. Above it a packet is still admitted if its VC is below its
//! own threshold; it then pushes out packets of the VC furthest above its own.
//!
//! - A packet's first cell is admitted while the backlog is below the EPD threshold. Otherwise, if NC_i + M <= TL_i, the last packet of
//!   the VC j /= i with the greatest NC_j - TL_j is pushed out, and so on until the backlog is below the threshold; then the cell is
//!   admitted. The paper says only that "the push-out process" is activated; that of its own scheme goes on until a packet may begin, so
//!   this one does. If NC_i + M > TL_i, the whole packet is dropped.
//! - With `pushes = "one-packet"` one packet is pushed out, and then the cell is admitted.
//! - A further cell that arrives at a full buffer pushes out one such packet, whatever its VC's NC. §4.1 does not say this of EPD with
//!   push-out, only §3.2 of the other scheme; with `overflow = "arriving"` the cell is dropped instead, with the rest of its packet
//!   except for the end mark, as under EPD.
//!
//! With `max_packet` as large as the buffer nobody is ever below its threshold (unless one VC has all guarantees): with `overflow =
//! "arriving"`, too, this is EPD that drops "the entire higher-layer protocol data unit" (§2.2). `epd` lets the end mark through.
//!
//! `frames` says what is pushed out, and what happens to the rest.
//= chan-wang-chen-2002 §4.1
//= chan-wang-chen-2002 §4.1 type=departure

use super::frames::{Frames, Policy, Rules};
use super::policed::Policed;
use super::thresholds::{Excess, Thresholds, Victims};
use super::{About, Grain, Line, Make};
use crate::declare::Fault;
use crate::ledger::{Cause, Ledger};
use crate::measure::{Room, Share};
use crate::unit::{FlowId, Unit};
use alloc::format;

crate::choice! {
    /// Packet to drop when a cell that is not the first of its packet arrives at a full buffer.
    pub enum Overflow {
        /// The last packet of the VC that is furthest above its threshold.
        PushOut = "push-out",
        /// The arriving cell.
        Arriving = "arriving",
    }
}

crate::choice! {
    /// Extent of the push-out for a packet that begins while the backlog is at the threshold or above.
    pub enum Pushes {
        /// Packets, until the backlog is below the threshold.
        UntilBelow = "until-below",
        /// One packet.
        OnePacket = "one-packet",
    }
}

crate::declare! {
    /// Applies EPD; a VC below its own threshold pushes out the last packet of the VC furthest above its own.
    pub struct EpdPushOutParams as "epd-push-out" from "chan-wang-chen-2002 §4.1" {
        /// Capacity of the buffer, without the cell being transmitted.
        buffer: Room;
        /// Share of the buffer from which on a packet is admitted only by pushing out another.
        threshold: Share = "0.5";
        /// M: length of the longest packet in cells.
        max_packet: Option<Room> = unset "that of the flows which pass";
        /// Division of what the guarantees leave: in proportion to them (the paper's formula), or equally (its text).
        excess: Excess = "proportional";
        /// What is dropped when a cell that is not the first of its packet arrives at a full buffer.
        overflow: Overflow = "push-out";
        /// What makes room for a packet that begins above the threshold: packets are pushed out until the backlog is below it, or one is.
        pushes: Pushes = "until-below";
    }
    check |it| {
        if it.threshold.0 > 0.0 { super::max_packet::fits("max_packet", it.max_packet, it.buffer) } else {
            Err(Fault { name: "threshold", found: format!("{}", it.threshold.0), allowed: "more than 0".into() })
        }
    }
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]).without_control_cells();

/// A FIFO with thresholds.
pub type EpdPushOut<U> = Policed<U, EpdThresholds>;

/// A threshold for all, and one per VC.
#[derive(Debug)]
pub struct EpdThresholds {
    victims: Victims,
    /// A packet may begin while less waits \[cells\].
    limit: u64,
    /// M \[cells\]
    max_packet: u64,
    overflow: Overflow,
    pushes: Pushes,
}

impl<U: Unit> Make<EpdPushOutParams> for EpdPushOut<U> {
    fn make(params: &EpdPushOutParams, line: Line) -> Self {
        let room = params.buffer.count();
        let thresholds = Thresholds::new(&line, room, params.excess);
        let rules = Rules {
            withdraws: params.overflow == Overflow::PushOut,
            ..Rules::default()
        };
        Self::new(
            room,
            rules,
            EpdThresholds {
                victims: Victims::new(thresholds),
                // A whole number is below the threshold if it is below the threshold rounded up.
                limit: libm::ceil(params.threshold.of(room)) as u64,
                max_packet: super::max_packet::longest(params.max_packet, &line, room),
                overflow: params.overflow,
                pushes: params.pushes,
            },
        )
    }
}

impl<U: Unit> Policy<U> for EpdThresholds {
    #[inline]
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause> {
        if frames.backlog() < self.limit {
            return None;
        }
        let cells = frames.cells_of(flow);
        let below = (self.victims.thresholds).leave(flow, cells, self.max_packet);
        while below && frames.backlog() >= self.limit {
            let Some(victim) = self.victims.worst(frames, Some(flow)) else {
                return Some(Cause::Early);
            };
            frames.push_out(victim, book);
            if self.pushes == Pushes::OnePacket {
                break;
            }
        }
        (!below).then_some(Cause::Early)
    }

    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>) {
        if self.overflow == Overflow::PushOut
            && let Some(victim) = self.victims.worst(frames, Some(flow))
        {
            frames.push_out(victim, book);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::queue::tests::script::{Named, check, guarantees};

    /// Twelve cells, a threshold of eight, packets of three at most; TL is four for each of a, b and c.
    fn queue(overflow: &str) -> EpdPushOut<Named> {
        let params = EpdPushOutParams::from_texts(&[
            ("buffer", "12 cells"),
            ("threshold", "0.6"),
            ("max_packet", "3 cells"),
            ("overflow", overflow),
        ]);
        EpdPushOut::make(&params, guarantees(&[1, 1, 1]))
    }

    #[test]
    fn beyond_the_threshold_a_vc_below_its_own_pushes_out_the_worst() {
        check(
            queue("push-out"),
            "a1 .     => kept
             a2 .     => kept
             a3 last  => kept
             a4 .     => kept
             a5 last  => kept
             b1 .     => kept
             b2 last  => kept
             c1 last  => kept       # eight: 7.2 is passed
             a6 .     => early      # five, and M would make it eight
             b3 .     => early      # two and three are more than four
             b4 last  => partial    # nothing of the packet is forwarded, so its end mark is not, either
             c2 .     => kept, pushed-out a5 a4
             c3 .     => kept       # a packet that was let in goes on
             c4 last  => kept
             a7 last  => partial
             a8 last  => early
             pull     => a1
             pull     => a2
             pull     => a3
             pull     => b1
             pull     => b2
             pull     => c1
             pull     => c2",
        );
    }

    const BEYOND: &str = "a1 last  => kept
             a2 last  => kept
             a3 last  => kept
             a4 last  => kept
             a5 last  => kept
             a6 last  => kept
             a7 last  => kept
             b1 .     => kept       # eight
             b2 .     => kept
             b3 last  => kept\n";

    #[test]
    fn it_pushes_out_as_much_as_it_needs_or_one_packet() {
        let pushing = |pushes| {
            let params = EpdPushOutParams::from_texts(&[
                ("buffer", "12 cells"),
                ("threshold", "0.6"),
                ("max_packet", "3 cells"),
                ("pushes", pushes),
            ]);
            EpdPushOut::<Named>::make(&params, guarantees(&[1, 1, 1]))
        };
        let until = "c1 .     => kept, pushed-out a7 a6 a5
             c2 .     => kept
             c3 last  => kept";
        check(pushing("until-below"), &[BEYOND, until].concat());
        let one = "c1 .     => kept, pushed-out a7
             c2 .     => kept
             c3 last  => kept";
        check(pushing("one-packet"), &[BEYOND, one].concat());
    }

    #[test]
    fn it_pushes_out_until_less_than_the_threshold_waits() {
        check(
            queue("push-out"),
            "a1 last  => kept
             a2 last  => kept
             a3 last  => kept
             a4 last  => kept
             a5 last  => kept
             b1 .     => kept
             b2 .     => kept
             b3 .     => kept       # eight
             b4 .     => kept
             b5 .     => kept       # longer than M, and not yet all here
             c1 .     => kept, pushed-out a5 b5 b4 b3 b2 b1     # of two as far beyond the first; nine are still too many
             b6 .     => partial
             b7 last  => partial
             b8 last  => kept
             c2 last  => kept
             c3 last  => kept
             c4 last  => early      # eight again, and three and three
             d1 last  => early      # no guarantee: TL is nothing",
        );
    }

    #[test]
    //= chan-wang-chen-2002 §4.1 type=test
    // The packet is dropped although its VC is below its threshold of 5 cells: all waiting cells are of packets that were sent in part.
    fn where_nobody_can_be_pushed_out_the_packet_is_dropped() {
        for (buffer, what) in [("20 cells", "early"), ("21 cells", "kept")] {
            let params = EpdPushOutParams::from_texts(&[
                ("buffer", buffer),
                ("threshold", "0.6"),
                ("max_packet", "5 cells"),
            ]);
            check(
                EpdPushOut::make(&params, guarantees(&[1, 1, 1, 1])),
                &format!(
                    "a1 .     => kept
                     pull     => a1
                     b1 .     => kept
                     pull     => b1
                     c1 .     => kept
                     pull     => c1
                     a2 .     => kept
                     a3 .     => kept
                     a4 .     => kept
                     a5 last  => kept
                     b2 .     => kept
                     b3 .     => kept
                     b4 .     => kept
                     b5 last  => kept
                     c2 .     => kept
                     c3 .     => kept
                     c4 .     => kept
                     c5 last  => kept
                     d1 last  => {what}    # twelve wait: the threshold of 20, below that of 21"
                ),
            );
        }
    }

    #[test]
    fn with_m_as_large_as_the_buffer_it_is_epd_that_drops_whole_packets() {
        let params = EpdPushOutParams::from_texts(&[
            ("buffer", "4 cells"),
            ("max_packet", "4 cells"),
            ("overflow", "arriving"),
        ]);
        check(
            EpdPushOut::make(&params, guarantees(&[1, 1])),
            "a1 .     => kept
             a2 .     => kept
             b1 .     => early      # b has nothing here, and pushes nothing out
             b2 last  => partial
             a3 .     => kept
             a4 .     => kept
             a5 .     => overflow
             pull     => a1
             a6 last  => kept",
        );
    }

    const FULL: &str = "b1 .     => kept
             a1 .     => kept
             a2 .     => kept
             a3 .     => kept
             a4 .     => kept
             a5 .     => kept
             a6 .     => kept
             b2 .     => kept
             b3 .     => kept
             b4 .     => kept
             b5 .     => kept
             b6 .     => kept\n";

    #[test]
    fn a_cell_that_finds_the_buffer_full_pushes_out_or_is_dropped() {
        let pushes = "b7 .     => kept, pushed-out a6 a5 a4 a3 a2 a1
             a7 last  => partial
             pull     => b1
             pull     => b2";
        check(queue("push-out"), &[FULL, pushes].concat());
        let drops = "b7 .     => overflow
             pull     => b1
             b8 .     => partial
             b9 last  => kept       # its head is sent: it stays delimited
             a7 .     => overflow
             pull     => a1
             a8 last  => kept";
        check(queue("arriving"), &[FULL, drops].concat());
    }

    #[test]
    fn what_nobody_can_make_room_for_is_withdrawn_or_stays_delimited() {
        let params = EpdPushOutParams::from_texts(&[
            ("buffer", "3 cells"),
            ("max_packet", "3 cells"),
            ("threshold", "1"),
        ]);
        let own = |script: &str| check(EpdPushOut::make(&params, guarantees(&[1])), script);
        own("a1 .     => kept
             a2 .     => kept
             a3 .     => kept
             a4 .     => overflow, pushed-out a3 a2 a1
             a5 last  => partial
             a6 last  => kept");
        own("a1 .     => kept
             a2 .     => kept
             a3 .     => kept
             pull     => a1         # on its way: the rest cannot be taken back
             a4 .     => kept
             a5 .     => overflow
             a6 last  => overflow   # no place for the end mark
             pull     => a2
             a7 .     => partial    # this packet would be merged with the one before
             a8 last  => kept       # so its end mark does for both
             pull     => a3
             pull     => a4
             pull     => a8
             a9 last  => kept");
    }
}
