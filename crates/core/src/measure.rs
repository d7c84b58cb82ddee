//! Quantities as types: a number of cells cannot be added to a number of bytes.

use crate::time::{Duration, SECOND};

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Bytes(pub u64);

/// A number of packets, as a parameter states it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Packets(pub u64);

/// The mean of a random number of packets, at least 1: such a number is drawn, so its mean need not be whole.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct MeanPackets(pub f64);

/// A share of a whole, 0 to 1.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Share(pub f64);

impl Share {
    /// The part of `whole` that this share is, unrounded: thresholds compare against it exactly.
    pub fn of(self, whole: u64) -> f64 {
        self.0 * whole as f64
    }
}

/// A number of at least 1 by which something is multiplied.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Factor(pub f64);

/// The room of a buffer, in the unit the plan named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// ATM cells.
    Cells(u64),
    /// Packets, whatever their length.
    Packets(u64),
}

impl Room {
    /// The count in its own unit.
    pub fn count(self) -> u64 {
        match self {
            Self::Cells(n) | Self::Packets(n) => n,
        }
    }
}

/// A window or a file size, in bytes or in whole segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// Bytes.
    Bytes(u64),
    /// Segments of the flow's MSS.
    Segments(u64),
}

impl Window {
    /// Whole segments of `mss` bytes that fit: a sender that avoids silly windows sends no part of one.
    pub fn whole_segments(self, mss: Bytes) -> u64 {
        match self {
            Self::Bytes(b) => b / mss.0,
            Self::Segments(n) => n,
        }
    }

    /// The same in bytes.
    pub fn bytes(self, mss: Bytes) -> Bytes {
        match self {
            Self::Bytes(b) => Bytes(b),
            Self::Segments(n) => Bytes(n.saturating_mul(mss.0)),
        }
    }
}

/// A line rate \[bits per second\], never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(pub u64);

impl Rate {
    /// Bits per second as a float, for reports.
    pub fn bps(self) -> f64 {
        self.0 as f64
    }
}

/// Bits of an ATM cell on the line: 5 bytes of header, 48 of payload.
pub const CELL_BITS: u64 = 53 * 8;

/// A rate of cells \[cells/s\], never below 0 and always finite. A float, because ABR's rates are products of factors; only + - * /
/// and comparisons are used, which are the same on every machine.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct CellRate(pub f64);

impl CellRate {
    /// Cells per second on a line of this rate.
    pub fn of(rate: Rate) -> Self {
        Self(rate.bps() / CELL_BITS as f64)
    }

    /// Bits per second on the line, for reports.
    pub fn bps(self) -> f64 {
        self.0 * CELL_BITS as f64
    }

    /// The smaller of two.
    pub fn min(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }

    /// The greater of two.
    pub fn max(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }

    /// Interval between cells at this rate, rounded up so that the rate is never exceeded; 213 days if it is too low to send any.
    pub fn interval(self) -> Duration {
        let ps = SECOND as f64 / self.0;
        // The cast saturates: a float that is too large becomes the largest number.
        let whole = ps as u64;
        Duration(whole.saturating_add(u64::from((whole as f64) < ps)))
    }
}

impl core::ops::Mul<f64> for CellRate {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self(self.0 * by)
    }
}

impl core::ops::Add for CellRate {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// A cell rate, as such or as a share of another that is known elsewhere (the peak rate, the line's).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PartialRate {
    /// In cells per second.
    Cells(CellRate),
    /// As a share of a rate.
    Share(Share),
}

impl PartialRate {
    /// The rate, if a share is one of `whole`.
    pub fn of(self, whole: CellRate) -> CellRate {
        match self {
            Self::Cells(rate) => rate,
            Self::Share(share) => whole * share.0,
        }
    }
}

/// The clock of a transmitter: how long each unit takes, with the remainder carried so that a rate which does not
/// divide a picosecond is still kept exactly over any number of units.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    rate: u64,
    /// Remainder of the last division \[ps x bit/s\], below `rate`.
    carry: u64,
    /// The last size and its (quotient, remainder): sizes repeat, divisions are slow.
    bits: u64,
    quotient: u64,
    remainder: u64,
}

impl Pacer {
    /// A transmitter of `rate`, at rest.
    pub fn new(rate: Rate) -> Self {
        assert!(rate.0 > 0, "a line of no rate never sends");
        Self {
            rate: rate.0,
            carry: 0,
            bits: 0,
            quotient: 0,
            remainder: 0,
        }
    }

    /// The time that the next `bits` (below 18 million) take.
    #[inline]
    pub fn advance(&mut self, bits: u64) -> Duration {
        if bits != self.bits {
            let scaled = bits * SECOND;
            (self.bits, self.quotient, self.remainder) =
                (bits, scaled / self.rate, scaled % self.rate);
        }
        self.carry += self.remainder;
        let extra = u64::from(self.carry >= self.rate);
        if extra == 1 {
            self.carry -= self.rate;
        }
        Duration(self.quotient + extra)
    }

    /// Its rate.
    pub fn rate(&self) -> Rate {
        Rate(self.rate)
    }

    /// The time that `bits` (below 18 million) take by themselves, rounded down.
    pub fn alone(&self, bits: u64) -> Duration {
        Duration(bits * SECOND / self.rate)
    }

    /// The time that the next `n` units of `bits` take together.
    #[inline]
    pub fn advance_by(&mut self, bits: u64, n: u64) -> Duration {
        let Some(rest) = n.checked_sub(1) else {
            return Duration::ZERO;
        };
        let first = self.advance(bits);
        let sum = self.carry + rest * self.remainder;
        self.carry = sum % self.rate;
        Duration(first.0 + rest * self.quotient + sum / self.rate)
    }

    /// The line has been idle: forgets the remainder.
    #[inline]
    pub fn rest(&mut self) {
        self.carry = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_exact_over_many_units() {
        // 75 Mb/s: a cell takes 5653333.3 ps; three take exactly 16.96 us, and so on forever.
        let mut pacer = Pacer::new(Rate(75_000_000));
        let total: u64 = (0..3_000_000).map(|_| pacer.advance(CELL_BITS).0).sum();
        assert_eq!(total, 16_960_000 * 1_000_000);
        for n in 0..50 {
            let mut together = pacer;
            let one_by_one: u64 = (0..n).map(|_| pacer.advance(CELL_BITS).0).sum();
            assert_eq!(together.advance_by(CELL_BITS, n).0, one_by_one);
            assert_eq!(together.advance(CELL_BITS), {
                let mut p = pacer;
                p.advance(CELL_BITS)
            });
        }
    }

    #[test]
    fn cells_at_a_rate_keep_their_distance() {
        assert_eq!(CellRate(1_000_000.0).interval(), Duration(1_000_000));
        // 155 Mb/s: 2735483.87 ps.
        let line = CellRate::of(Rate(155_000_000));
        assert_eq!(line.interval(), Duration(2_735_484));
        assert_eq!(line.bps(), 155_000_000.0);
        assert_eq!(CellRate(0.0).interval(), Duration(u64::MAX));
        assert_eq!(PartialRate::Share(Share(0.05)).of(line), line * 0.05);
    }

    #[test]
    fn windows_hold_whole_segments() {
        assert_eq!(Window::Bytes(65536).whole_segments(Bytes(536)), 122);
        assert_eq!(Window::Segments(12).bytes(Bytes(960)), Bytes(11520));
    }
}
