//! Goodput of TCP on a line that carries ABR: one cell in Nrm is an RM cell, and a packet's last cell is padded.
//!
//! Rates in cells per second, results in bytes of TCP payload per second. Nothing is lost and the line never idles.
//= lai-lin-hung-1999 §3.1

use crate::capacity::{CELL, cells};
use dupack_core::measure::Bytes;

/// TCP's and IP's headers, as the paper counts them \[bytes\].
pub const HEADERS: Bytes = Bytes(40);

/// The ceiling as printed: it takes the bytes of a packet for whole cells, and forgets padding and AAL5's trailer.
// rate * 48 * (Nrm - 1)/Nrm * MSS / (MSS + 40)
//= lai-lin-hung-1999 §3.1
pub fn printed_ceiling(rate: f64, nrm: u64, mss: Bytes) -> f64 {
    let packet = (mss.0 + HEADERS.0) as f64;
    rate * CELL.1 as f64 * data_share(nrm) * (mss.0 as f64 / packet)
}

/// The ceiling in whole cells, with an AAL5 trailer of `trailer` bytes.
// rate * (Nrm - 1)/Nrm * MSS / ceil((MSS + 40 + trailer) / 48)
//= lai-lin-hung-1999 §3.1 type=departure
pub fn ceiling(rate: f64, nrm: u64, mss: Bytes, trailer: Bytes) -> f64 {
    let cells = cells(Bytes(mss.0 + HEADERS.0), trailer);
    rate * data_share(nrm) * (mss.0 as f64 / cells as f64)
}

/// The share of a source's cells that are data, if one in Nrm is an RM cell.
// (Nrm - 1) / Nrm
//= lai-lin-hung-1999 §3.1
pub fn data_share(nrm: u64) -> f64 {
    (nrm as f64 - 1.0) / nrm as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 365_566.0;
    const MSS: Bytes = Bytes(9148);

    #[test]
    //= lai-lin-hung-1999 §3.1 type=test
    // "365566 x 48 x 31/32 x 9148/(9148 + 40) = 1.692 x 10^7 bytes/s".
    fn the_ceiling_as_printed() {
        assert_eq!((printed_ceiling(RATE, 32, MSS) / 1e4).round(), 1692.0);
    }

    #[test]
    //= lai-lin-hung-1999 §3.1 type=test
    // 9,188 bytes are 192 cells with 28 bytes of padding, or with AAL5's trailer of 8 bytes and 20 of padding: 0.3 % less in both cases.
    fn the_padded_last_cell_costs_three_in_a_thousand() {
        let exact = ceiling(RATE, 32, MSS, Bytes(8));
        assert_eq!(exact, ceiling(RATE, 32, MSS, Bytes(0)));
        assert_eq!(exact, RATE * 31.0 / 32.0 * 9148.0 / 192.0);
        assert_eq!((exact / 1e4).round(), 1687.0);
        let ratio = exact / printed_ceiling(RATE, 32, MSS);
        assert!((ratio - 9188.0 / 9216.0).abs() < 1e-12);
        assert_eq!(((1.0 - ratio) * 1e4).round(), 30.0);
    }

    #[test]
    //= lai-lin-hung-1999 §3.1 type=test
    fn an_mss_that_fills_its_cells_loses_nothing() {
        // 48 cells of 48 bytes, less a header of 40: without a trailer there is no padding, and with one there is one cell more.
        let full = Bytes(48 * 48 - 40);
        let printed = printed_ceiling(RATE, 32, full);
        assert!((ceiling(RATE, 32, full, Bytes(0)) / printed - 1.0).abs() < 1e-12);
        assert!((ceiling(RATE, 32, full, Bytes(8)) / printed - 48.0 / 49.0).abs() < 1e-12);
    }
}
