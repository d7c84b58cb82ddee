//! AAL5: segments packets into cells and reassembles them, and counts the cells that were carried in vain.

use crate::measure::Bytes;
use crate::unit::{Cell, Unit};

/// Payload of a cell \[bytes\].
pub const CELL_PAYLOAD: u64 = 48;

/// Cells of a packet of `bytes` with an AAL5 `trailer` (8 bytes in I.363.5; 0 gives the 12 cells for 576 bytes that
/// Cohen & Hamo count), padded to whole cells.
pub fn cells(bytes: Bytes, trailer: Bytes) -> u16 {
    let n = (bytes.0 + trailer.0).div_ceil(CELL_PAYLOAD).max(1);
    u16::try_from(n).expect("an AAL5 frame is at most 65,535 bytes")
}

/// Effect of a cell on the packet that is being reassembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joined {
    /// The frame goes on.
    Open,
    /// This was its last cell, and all are there.
    Whole,
    /// This was the last cell of a damaged packet. The number is that of the cells carried in vain, including this one.
    Dead(u64),
}

/// The receiving end of one VC.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reassembler {
    /// Cells since the last end mark.
    held: u64,
    /// The frame that they belong to, while they all belong to one.
    serial: u16,
    /// Something is missing, or of another frame.
    bad: bool,
}

impl Reassembler {
    /// Takes the next cell of the VC.
    #[inline]
    pub fn join(&mut self, cell: &Cell) -> Joined {
        if self.held == 0 {
            self.serial = cell.serial();
        }
        self.bad |= u64::from(cell.index()) != self.held || cell.serial() != self.serial;
        self.held += 1;
        if !cell.last() {
            return Joined::Open;
        }
        let (held, bad) = (self.held, self.bad);
        *self = Self::default();
        if bad {
            Joined::Dead(held)
        } else {
            Joined::Whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::{BodyId, FlowId};

    fn cell(serial: u16, index: u16) -> Cell {
        (0..index).fold(Cell::first(FlowId(0), BodyId(0), serial, 3), |cell, _| {
            cell.following()
        })
    }

    #[test]
    fn the_paper_counts_twelve_cells_and_aal5_thirteen() {
        //= cohen-hamo-2001 §3
        assert_eq!(cells(Bytes(576), Bytes(0)), 12);
        assert_eq!(cells(Bytes(576), Bytes(8)), 13);
        assert_eq!(cells(Bytes(40), Bytes(8)), 1);
    }

    #[test]
    fn a_frame_without_its_end_mark_takes_the_next_one_with_it() {
        let steps = [
            (cell(0, 0), Joined::Open),
            (cell(0, 1), Joined::Open),
            (cell(0, 2), Joined::Whole),
            (cell(1, 0), Joined::Open),
            (cell(1, 2), Joined::Dead(2)), // the middle is missing
            (cell(2, 0), Joined::Open), // the end of 2 and the head of 3 are missing: three cells, yet no frame
            (cell(3, 1), Joined::Open),
            (cell(3, 2), Joined::Dead(3)),
            (cell(4, 0), Joined::Open),
            (cell(4, 1), Joined::Open),
            (cell(4, 2), Joined::Whole),
        ];
        let mut vc = Reassembler::default();
        for (cell, want) in steps {
            assert_eq!(vc.join(&cell), want, "{cell:?}");
        }
    }
}
