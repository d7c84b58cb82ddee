//! ABR's destination end system: turns RM cells around.
//!
//! No discipline sets a cell's EFCI bit, and no destination here is itself congested. So only the turning of rule 2 remains, and
//! CI, NI and ER go back as the switches wrote them. In-rate turned cells may have to wait for the source of the other direction.
//! If one already waits, the newer one replaces it, as rule 3 recommends; so no older cell follows a newer one, which is all that
//! rule 4 asks. Rules 5 (RM cells that a destination generates itself) and 6 (the direction of RM cells with CLP = 1: there are
//! none) are not implemented, and not tested. Written from memory, and after the manuals of NEC's µPD98405 and Motorola's MPC8260.
//= atm-tm4 §5.10.5

use super::rm_cell::RmCell;

/// A destination.
#[derive(Clone, Debug, Default)]
pub struct Destination {
    turned: Option<RmCell>,
}

impl Destination {
    /// A forward RM cell has arrived.
    //= atm-tm4 §5.10.5, rule 2
    //= atm-tm4 §5.10.5, rule 3
    pub fn handle_forward_rm(&mut self, rm: RmCell) {
        self.turned = Some(RmCell {
            backward: true,
            ..rm
        });
    }

    /// The RM cell that is to go back, if one waits.
    pub fn poll_backward_rm(&mut self) -> Option<RmCell> {
        self.turned.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::CellRate;

    #[test]
    //= atm-tm4 §5.10.5, rule 2 type=test
    //= atm-tm4 §5.10.5, rule 3 type=test
    fn the_newest_cell_goes_back_as_it_came() {
        let mut destination = Destination::default();
        assert_eq!(destination.poll_backward_rm(), None);
        let cell = |er| RmCell {
            backward: false,
            ci: er < 5.0,
            ni: er < 9.0,
            er: CellRate(er),
            ccr: CellRate(20.0),
            mcr: CellRate(1.0),
        };
        destination.handle_forward_rm(cell(10.0));
        destination.handle_forward_rm(cell(4.0));
        let backward = RmCell {
            backward: true,
            ..cell(4.0)
        };
        assert_eq!(destination.poll_backward_rm(), Some(backward));
        assert_eq!(destination.poll_backward_rm(), None);
    }
}
