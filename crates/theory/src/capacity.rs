//! Capacity of a cell link: the payload's share of the line after TCP, IP, AAL5 and cell headers.

use dupack_core::measure::{Bytes, Share};

/// Bytes of a cell on the line, and of its payload.
pub const CELL: (u64, u64) = (53, 48);

/// Cells of a packet of `bytes`, with an AAL5 trailer of `trailer` bytes: 8 by the standard, none as Cohen & Hamo count.
// cells = ceil((bytes + trailer) / 48)
//= cohen-hamo-2001 §3
pub fn cells(bytes: Bytes, trailer: Bytes) -> u64 {
    (bytes.0 + trailer.0).div_ceil(CELL.1)
}

/// The most that an application can get of a cell link's rate: by this the papers' goodput is divided.
// payload / (53 * cells)
//= cohen-hamo-2001 §3
pub fn payload_share(payload: Bytes, headers: Bytes, trailer: Bytes) -> Share {
    let cells = cells(Bytes(payload.0 + headers.0), trailer);
    Share(payload.0 as f64 / (CELL.0 * cells) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= cohen-hamo-2001 §3 type=test
    // "This datagram is fragmented by ATM to 12 AAL5 ATM cells": 576 bytes, and no trailer.
    fn a_segment_of_536_bytes_is_12_cells() {
        assert_eq!(cells(Bytes(576), Bytes(0)), 12);
        assert_eq!(cells(Bytes(576), Bytes(8)), 13);
        assert_eq!(cells(Bytes(1), Bytes(0)), 1);
        assert_eq!(cells(Bytes(48), Bytes(0)), 1);
    }

    #[test]
    //= cohen-hamo-2001 §5 type=test
    // The 0.932 for BPD exceeds the largest possible share of the raw rate.
    fn the_most_that_a_link_carries() {
        let share = payload_share(Bytes(536), Bytes(40), Bytes(0));
        assert_eq!(share, Share(536.0 / 636.0));
        let product = 48.0 / 53.0 * (536.0 / 576.0);
        assert!((share.0 - product).abs() < 1e-12);
        assert!(share.0 < 0.932 && share.0 > 0.84);
        assert_eq!(
            payload_share(Bytes(536), Bytes(40), Bytes(8)),
            Share(536.0 / 689.0)
        );
    }
}
