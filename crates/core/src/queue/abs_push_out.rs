//! Available buffer space with push-out (Chan, Wang & Chen's scheme): admits a packet if the buffer has room for all of it. For a VC
//! below its threshold, room is made by pushing out packets of the VC furthest above its own.
//!
//! - B, the available buffer space, is the capacity less M, the length of the longest packet, per arriving packet, and less the backlog
//!   (`frames` maintains it). The first cell of a packet is admitted if B > 0.
//! - If B <= 0 and NC_i + M <= TL_i, the last packet of the VC j /= i with the greatest NC_j - TL_j is pushed out, and so on until B > 0;
//!   otherwise the packet is dropped. The same is done for a further cell that arrives at a full buffer: with B > 0 a packet is admitted
//!   although there may not be room for all of M.
//! - A packet may be pushed out while it still arrives; then its rest is dropped. A VC whose last packet is being transmitted, or that
//!   has no packet here, is no victim. If no victim is left while B <= 0, the packets pushed out are lost in vain and the arriving packet
//!   is dropped as well. A cell that finds the buffer full and no victim is dropped with its own packet, if no cell of that has been
//!   sent.
//! - A victim need not be above its threshold, only further than the others: §3.2 says no more. Where one VC alone overloads the link,
//!   its cells that arrive at a full buffer push out all others, however short their backlogs are. With §3.3's stacks
//!   (`abs-push-out-stacks`) nobody below its threshold is pushed out.
//!
//! `frames` says how packets stay whole.
//= chan-wang-chen-2002 §3.1
//= chan-wang-chen-2002 §3.2, Fig. 2
//= chan-wang-chen-2002 §3.2, Fig. 3

use super::frames::{Frames, Policy, Rules};
use super::policed::Policed;
use super::thresholds::{Excess, Thresholds, Victims};
use super::{About, Grain, Line, Make};
use crate::ledger::{Cause, Ledger};
use crate::measure::Room;
use crate::unit::{FlowId, Unit};

crate::declare! {
    /// Admits a packet if the buffer has room for all of it; a VC below its threshold pushes out the last packet of the VC furthest
    /// above its own.
    pub struct AbsPushOutParams as "abs-push-out" from "chan-wang-chen-2002 §3.2" {
        /// Q: capacity of the buffer, without the cell being transmitted.
        buffer: Room;
        /// M: length of the longest packet in cells.
        max_packet: Option<Room> = unset "that of the flows which pass";
        /// Division of what the guarantees leave: in proportion to them (the paper's formula), or equally (its text).
        excess: Excess = "proportional";
    }
    check |it| super::max_packet::fits("max_packet", it.max_packet, it.buffer)
}

/// The links on which it runs.
pub const ABOUT: About = About::on(&[Grain::Cells]).without_control_cells();

/// A FIFO with an account per VC.
pub type AbsPushOut<U> = Policed<U, Accounts>;

/// B for all, and a threshold per VC.
#[derive(Debug)]
pub struct Accounts {
    victims: Victims,
    /// M \[cells\]
    max_packet: u64,
}

impl<U: Unit> Make<AbsPushOutParams> for AbsPushOut<U> {
    fn make(params: &AbsPushOutParams, line: Line) -> Self {
        let room = params.buffer.count();
        let max_packet = super::max_packet::longest(params.max_packet, &line, room);
        let thresholds = Thresholds::new(&line, room, params.excess);
        let rules = Rules {
            reserve: max_packet,
            withdraws: true,
            ..Rules::default()
        };
        Self::new(
            room,
            rules,
            Accounts {
                victims: Victims::new(thresholds),
                max_packet,
            },
        )
    }
}

impl<U: Unit> Policy<U> for Accounts {
    #[inline]
    fn refuse(
        &mut self,
        frames: &mut Frames<U>,
        flow: FlowId,
        book: &mut impl Ledger<U>,
    ) -> Option<Cause> {
        if frames.available() > 0 {
            return None;
        }
        let cells = frames.cells_of(flow);
        if (self.victims.thresholds).leave(flow, cells, self.max_packet) {
            self.make_room(frames, flow, book);
        }
        (frames.available() <= 0).then_some(Cause::Early)
    }

    fn make_room(&mut self, frames: &mut Frames<U>, flow: FlowId, book: &mut impl Ledger<U>) {
        while frames.available() <= 0
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

    fn queue(buffer: &str, max_packet: &str, mpr: &[u64]) -> AbsPushOut<Named> {
        let params =
            AbsPushOutParams::from_texts(&[("buffer", buffer), ("max_packet", max_packet)]);
        AbsPushOut::make(&params, guarantees(mpr))
    }

    #[test]
    fn a_packet_reserves_m_and_gives_back_what_it_does_not_need() {
        check(
            queue("8 cells", "3 cells", &[1]),
            "a1 .     => kept       # B = 5
             b1 .     => kept       #     2
             c1 .     => kept       #    -1: one is enough to begin
             d1 .     => early
             d2 last  => partial    # nothing of it is forwarded: no end mark is needed
             a2 last  => kept       #     0
             d3 last  => early
             b2 last  => kept       #     1
             d4 last  => kept       #     0
             d5 last  => early
             pull     => a1         #     1
             d6 .     => kept       #    -2
             pull     => b1         #    -1
             pull     => c1         #     0
             d7 .     => kept
             d8 .     => kept
             d9 last  => kept       #    -1: what is longer than M takes it cell by cell
             c2 last  => kept       #     0
             pull     => a2         #     1
             e1 last  => kept",
        );
    }

    #[test]
    fn a_vc_below_its_threshold_pushes_out_the_last_packet_of_the_one_furthest_beyond_its() {
        // TL: a 3, b 3, c 6.
        check(
            queue("12 cells", "2 cells", &[1, 1, 2]),
            "a1 .     => kept
             a2 last  => kept
             a3 .     => kept
             a4 last  => kept       # a is one beyond
             c1 .     => kept
             c2 last  => kept
             c3 .     => kept
             c4 last  => kept
             b1 .     => kept
             b2 last  => kept
             b3 .     => kept
             b4 last  => kept       # b is one beyond, too; B = 0
             a5 last  => early
             c5 .     => kept, pushed-out a4 a3      # c is two below; of a and b the first
             c6 last  => kept
             c7 last  => early      # six and two are more than TL
             pull     => a1
             pull     => a2
             a6 last  => kept       # B = 1
             c8 .     => kept       #    -1
             b5 last  => early
             pull     => c1         #     0: one place is free, and c8's packet may need it
             b6 last  => early
             pull     => c2         #     1
             b7 last  => kept",
        );
    }

    #[test]
    fn a_packet_that_still_arrives_is_pushed_out_with_its_rest_and_its_reserve() {
        // TL: a 2, b 2, c 4.
        check(
            queue("8 cells", "2 cells", &[1, 1, 2]),
            "a1 .     => kept
             a2 last  => kept
             a3 .     => kept
             a4 last  => kept
             a5 .     => kept       # B = 2
             b1 last  => kept
             b2 last  => kept       #     0
             c1 .     => kept, pushed-out a5         # its M = 2 comes back, and c1 takes it
             a6 .     => partial
             c2 last  => kept
             c3 .     => kept, pushed-out a4 a3      # pushed out again
             a7 last  => partial    # nothing of its packet was forwarded, so its end mark is not
             a8 last  => early
             c4 last  => kept
             pull     => a1
             a9 .     => kept       # B = 1
             pull     => a2         #     0
             ab last  => kept
             ac last  => early
             pull     => b1
             pull     => b2
             pull     => c1
             pull     => c2
             pull     => c3
             pull     => c4
             pull     => a9
             pull     => ab
             pull     => nothing",
        );
    }

    #[test]
    fn who_is_on_the_line_is_no_victim() {
        // TL: 3 each.
        check(
            queue("6 cells", "3 cells", &[1, 1]),
            "a1 .     => kept
             a2 .     => kept
             pull     => a1
             a3 .     => kept
             a4 .     => kept
             a5 .     => kept
             a6 .     => kept       # far longer than M
             a7 .     => kept       # six of one packet wait, and one is sent
             b1 .     => early      # nobody to push out
             b2 last  => partial
             a8 .     => overflow
             pull     => a2
             b3 .     => kept       # B = 1
             b4 .     => overflow, pushed-out b3     # it finds the buffer full, and is withdrawn
             b5 last  => partial
             a9 last  => kept       # delimited, though damaged
             pull     => a3",
        );
    }

    #[test]
    fn a_further_cell_that_finds_the_buffer_full_pushes_out() {
        // TL: 2 each.
        check(
            queue("4 cells", "4 cells", &[1, 1]),
            "a1 last  => kept       # B = 3
             a2 last  => kept       #     2
             b1 .     => kept       #    -2
             b2 .     => kept
             b3 .     => kept, pushed-out a2 a1      # until B > 0, or nobody is left: 0
             b4 last  => kept
             a3 last  => early      # B = 0; M alone is more than TL
             pull     => b1",
        );
    }
}
