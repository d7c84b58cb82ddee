//! Distributions of flow sizes in published formats: points of a cumulative distribution function, linear between them.
//!
//! A file with two columns has a size \[bytes\], and the flows that are not larger, in per cent or as a share; HPCC and
//! TrafficGenerator use this format. A file with three columns has the format of ns-2's `loadCDF`, used by pFabric: a size
//! \[packets\], a number that is not read, and the share. Sizes in packets are rounded up to whole packets.

use super::lines::{lines, real};
use crate::measure::Bytes;
use crate::rng::Stream;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The distributions that can be named without a file, and their texts.
pub const SHIPPED: [(&str, &str); 2] = [
    ("web-search", include_str!("web-search.txt")),
    ("hadoop", include_str!("hadoop.txt")),
];

/// Unit of the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Bytes.
    Bytes,
    /// Packets of 1460 bytes.
    Packets,
}

/// The payload of the packets that files count \[bytes\].
//= alizadeh-2013 §5
const PACKET: u64 = 1460;

/// Columns of a line, for messages.
const COLUMNS: &str = "a size [bytes] and a per cent, or a size [packets], any number and a share";

/// A distribution of flow sizes by points of its cumulative distribution function, straight between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Size and share of the flows up to that size; the last is 1.
    points: Vec<(f64, f64)>,
    /// Unit of the sizes, by the number of columns.
    counts: Counts,
}

impl Sizes {
    pub(super) fn read(text: &str, look: &dyn Fn()) -> Result<Self, String> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut counts = None;
        for (number, words) in lines(text, look) {
            let (size, share, of_line) = match words[..] {
                [size, share] => (size, share, Counts::Bytes),
                [size, between, share] => {
                    real(number, between, "a number")?;
                    (size, share, Counts::Packets)
                }
                _ => {
                    let n = words.len();
                    return Err(format!("line {number} has {n} words; write {COLUMNS}"));
                }
            };
            if *counts.get_or_insert(of_line) != of_line {
                let n = words.len();
                return Err(format!(
                    "line {number} has {n} words, and those before have {}",
                    if n == 2 { 3 } else { 2 }
                ));
            }
            let what = match of_line {
                Counts::Bytes => ["a size [bytes]", "a per cent"],
                Counts::Packets => ["a size [packets]", "a share"],
            };
            let size = real(number, size, what[0])?;
            let share = real(number, share, what[1])?;
            if let Some((before, below)) = points.last()
                && (size < *before || share < *below)
            {
                return Err(format!(
                    "line {number}: {size} {share} is less than the line before; sizes and shares must not decrease"
                ));
            }
            points.push((size, share));
        }
        let (Some(&(largest, whole)), Some(counts)) = (points.last(), counts) else {
            return Err("it has no points".into());
        };
        if whole != 1.0 && whole != 100.0 {
            return Err(format!(
                "it ends at {whole}; the last line must be at 100, or at 1"
            ));
        }
        if !(1.0..=1e15).contains(&largest) {
            return Err(format!(
                "its largest size is {largest} {}; write at least 1 and at most 10^15",
                counts.word()
            ));
        }
        for (_, share) in &mut points {
            *share /= whole;
        }
        Ok(Self { points, counts })
    }

    /// Writes the data as one text.
    pub(super) fn canonical(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{} {:?}", self.counts.word(), self.points)
    }

    /// The points, with sizes in bytes; `counts` is the unit of the sizes, if it is not that of the format.
    pub fn points(&self, counts: Option<Counts>) -> impl Iterator<Item = (f64, f64)> {
        let unit = counts.unwrap_or(self.counts).bytes() as f64;
        self.points
            .iter()
            .map(move |(size, share)| (size * unit, *share))
    }

    /// Draws the size of a flow: at least one byte, and a whole number of packets if the unit is packets.
    pub fn draw(&self, counts: Option<Counts>, stream: &mut Stream) -> Bytes {
        self.size(counts, stream.share())
    }

    /// The size that a share of the flows, below 1, does not exceed.
    pub fn size(&self, counts: Option<Counts>, share: f64) -> Bytes {
        let at = self.points.partition_point(|(_, below)| *below <= share);
        // A share below the first point gets the size of the first point.
        let (size, below) = self.points[at.min(self.points.len() - 1)];
        let size = match at.checked_sub(1).map(|before| self.points[before]) {
            Some((low, from)) if below > from => {
                low + (size - low) * (share - from) / (below - from)
            }
            _ => size,
        };
        match counts.unwrap_or(self.counts) {
            Counts::Bytes => Bytes((size as u64).max(1)),
            Counts::Packets => Bytes((libm::ceil(size) as u64).max(1) * PACKET),
        }
    }

    /// The mean \[bytes\].
    pub fn mean(&self, counts: Option<Counts>) -> f64 {
        let counts = counts.unwrap_or(self.counts);
        let mean = |(low, high): (f64, f64)| match counts {
            Counts::Bytes => (low + high) / 2.0,
            Counts::Packets if low == high => libm::ceil(low).max(1.0),
            Counts::Packets => (rounded_up(high) - rounded_up(low)) / (high - low),
        };
        let first = self.points[0];
        let steps = self.points.windows(2);
        let steps = steps.map(|two| (two[1].1 - two[0].1) * mean((two[0].0, two[1].0)));
        (mean((first.0, first.0)) * first.1 + steps.sum::<f64>()) * counts.bytes() as f64
    }
}

impl Counts {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Packets => "packets",
        }
    }

    /// Bytes of one.
    fn bytes(self) -> u64 {
        match self {
            Self::Bytes => 1,
            Self::Packets => PACKET,
        }
    }
}

/// The integral of ceil(t) from 0 to x.
fn rounded_up(x: f64) -> f64 {
    let whole = libm::floor(x);
    whole * (whole + 1.0) / 2.0 + (x - whole) * (whole + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Result<Sizes, String> {
        Sizes::read(text, &|| ())
    }

    #[test]
    fn sizes_are_drawn_as_their_points_say() {
        let text = "# bytes, per cent\n0 0\n\n1000 50 # half\n1000 75\n9000 100\n";
        let it = sizes(text).unwrap();
        // 50 % of 500 on average, 25 % of 1000, 25 % of 5000.
        assert!((it.mean(None) - 1750.0).abs() < 1e-9);
        assert_eq!(it, sizes("0 0\n1000 .5\n1000 0.75\n9000 1").unwrap());
        let mut stream = Stream::new(1, "sizes");
        let draws: Vec<u64> = (0..40_000).map(|_| it.draw(None, &mut stream).0).collect();
        let near = |hit: &dyn Fn(u64) -> bool, p: f64| {
            let n = draws.iter().filter(|size| hit(**size)).count() as f64;
            let deviation = (40_000.0 * p * (1.0 - p)).sqrt();
            assert!((n - 40_000.0 * p).abs() < 4.0 * deviation, "{n}, not {p}");
        };
        near(&|size| size < 500, 0.25);
        near(&|size| size == 1000, 0.25);
        near(&|size| size > 5000, 0.125);
        assert!(draws.iter().all(|size| (1..=9000).contains(size)));
        // All flows up to the share of the first point have the size of that point.
        let it = sizes("300 100").unwrap();
        let drawn = it.draw(None, &mut stream);
        assert_eq!((drawn, it.mean(None)), (Bytes(300), 300.0));
    }

    /// As in ns-2: the middle column is not read, and between points the next whole number is drawn.
    #[test]
    fn three_columns_count_packets() {
        let it = sizes("1 1 0\n3 7 0.5\n3.5 1 0.75\n10.5 1 1").unwrap();
        let mut stream = Stream::new(1, "sizes");
        let draws: Vec<u64> = (0..80_000).map(|_| it.draw(None, &mut stream).0).collect();
        assert!(draws.iter().all(|size| size % 1460 == 0));
        let of = |packets: u64| draws.iter().filter(|it| **it == packets * 1460).count() as f64;
        // 2, 3 and 4 packets have a quarter each. Of the last quarter, 4 and 11 packets have 1/14 each, and 5 to 10 have 1/7 each.
        for (packets, share) in [
            (1, 0.0),
            (2, 0.25),
            (3, 0.25),
            (4, 0.25 + 0.25 / 14.0),
            (5, 0.25 / 7.0),
            (10, 0.25 / 7.0),
            (11, 0.25 / 14.0),
        ] {
            let (found, want): (f64, f64) = (of(packets), share * 80_000.0);
            let bound = 4.0 * (want * (1.0 - share)).sqrt();
            assert!((found - want).abs() <= bound, "{packets}: {found}, {want}");
        }
        let mean = draws.iter().sum::<u64>() as f64 / 80_000.0;
        let told = it.mean(None);
        assert!((mean / told - 1.0).abs() < 0.01, "{mean} {told}");
        let want = 0.25 * (2.0 + 3.0 + 4.0) + 0.25 * (0.5 * 4.0 + 45.0 + 0.5 * 11.0) / 7.0;
        assert!((told / 1460.0 - want).abs() < 1e-9, "{told}");
        // The same file with its sizes read as bytes, as others write such files.
        assert_eq!(it.mean(Some(Counts::Bytes)), 1.0 + 0.25 * (3.25 + 7.0));
        let points: Vec<_> = it.points(None).take(2).collect();
        assert_eq!(points, [(1460.0, 0.0), (4380.0, 0.5)]);
    }

    /// The same points in two columns and in three: as bytes they are the same distribution.
    #[test]
    fn the_unit_can_be_said() {
        let two = sizes("0 0\n10000 15\n20000 100").unwrap();
        let three = sizes("0 1 0\n10000 1 0.15\n20000 1 1").unwrap();
        let unit = Some(Counts::Bytes);
        let draw = |it: &Sizes| it.draw(unit, &mut Stream::new(3, "sizes"));
        assert_eq!(draw(&two), draw(&three));
        assert_eq!(two.mean(unit), three.mean(unit));
        let told = |it: &Sizes| {
            let mut text = String::new();
            it.canonical(&mut text).unwrap();
            text
        };
        assert_ne!(told(&two), told(&three));
    }

    #[test]
    fn what_is_shipped_is_right() {
        // The means as awk computes them [kB].
        let means = SHIPPED.map(|(_, text)| sizes(text).unwrap().mean(None));
        assert_eq!(means.map(|it| libm::round(it / 1000.0)), [1711.0, 120.0]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, want) in [
            ("", "it has no points"),
            (
                "1 2 3 4",
                "line 1 has 4 words; write a size [bytes] and a per cent, or a size [packets], any number and a share",
            ),
            (
                "0 0\n10 1 100",
                "line 2 has 3 words, and those before have 2",
            ),
            ("1 1 0\n10 1", "line 2 has 2 words, and those before have 3"),
            ("0 0\n10 x", "line 2: \"x\" is not a per cent"),
            ("-1 100", "line 1: \"-1\" is not a size [bytes]"),
            ("x 1 0", "line 1: \"x\" is not a size [packets]"),
            ("1 x 0", "line 1: \"x\" is not a number"),
            (
                "9 50\n8 100",
                "line 2: 8 100 is less than the line before; sizes and shares must not decrease",
            ),
            (
                "9 50",
                "it ends at 50; the last line must be at 100, or at 1",
            ),
            (
                "0 100",
                "its largest size is 0 bytes; write at least 1 and at most 10^15",
            ),
        ] {
            assert_eq!(sizes(text).unwrap_err(), want, "{text:?}");
        }
    }
}
