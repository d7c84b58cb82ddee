//! A resource management (RM) cell: what a source says of its rate, and what the network answers.
//!
//! It takes 53 bytes on the line, like any cell. Of TM 4.0's fields those are here that its end systems and rate markers use: not BN, QL, SN,
//! and no reserved ones. Rates are floats and not the 16-bit numbers of the format (nine bits of mantissa: 0.2 % apart), so that
//! what is seen is the algorithm's doing.
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
