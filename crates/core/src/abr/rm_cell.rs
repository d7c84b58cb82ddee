//! A resource management (RM) cell: the source's information about its rate, and the answer of the network.
//!
//! It takes 53 bytes on the line, like any cell. It has those of TM 4.0's fields that end systems and rate markers use here: not
//! BN, QL, SN, and no reserved ones. Rates are floats and not the format's 16-bit numbers (nine bits of mantissa: 0.2 % apart), so
//! that results show the algorithm, not the format.
//= atm-tm4 §5.10.3
//= atm-tm4 §5.10.3.2 type=departure

use crate::measure::CellRate;

/// Contents of an RM cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RmCell {
    /// DIR: it has been turned round, and is on its way to the source.
    pub backward: bool,
    /// CI: there is congestion, the source is to decrease its rate.
    pub ci: bool,
    /// NI: the source is not to increase its rate.
    pub ni: bool,
    /// ER: explicit rate, the most that the source may have. Anybody on the way may lower it.
    pub er: CellRate,
    /// CCR: current cell rate, the source's ACR when it sent this.
    pub ccr: CellRate,
    /// MCR: the least that the source was promised.
    pub mcr: CellRate,
}

impl RmCell {
    /// Somebody on the way can carry no more than `rate`.
    pub fn limit(&mut self, rate: CellRate) {
        self.er = self.er.min(rate);
    }
}
