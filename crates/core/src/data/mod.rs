//! Data that a plan reads from files, in the formats in which it is published. The host reads the file; its text is parsed here.
//!
//! In every format, empty lines and text after a `#` are ignored.

mod delays;
mod lines;
mod sizes;
mod steps;

pub use delays::Delays;
pub use sizes::{Counts, SHIPPED, Sizes};
pub use steps::{Step, Steps, Unfit};

use crate::measure::Bytes;
use crate::time::{Duration, SECOND};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use lines::{lines, two};

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A distribution of sizes.
    Sizes,
    /// A trace of packets.
    Packets,
    /// The times at which a line carries a packet.
    Opportunities,
    /// The steps of a line's schedule.
    Steps,
    /// Delays that were measured.
    Delays,
}

/// Contents of a file, by format.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // each variant is the `Format` of its name
pub enum Data {
    Sizes(Arc<Sizes>),
    Packets(Arc<Packets>),
    Opportunities(Arc<Opportunities>),
    Steps(Arc<Steps>),
    Delays(Arc<Delays>),
}

impl Format {
    /// Description of such a file, for messages.
    pub fn allowed(self) -> &'static str {
        match self {
            Self::Sizes => {
                "\"web-search\", \"hadoop\", or the name of a file, relative to the plan, with a size [bytes] and the per cent of flows up to that size on each line (or three numbers as ns-2 reads them: a size [packets of 1460 bytes], any number, the share of flows up to that size)"
            }
            Self::Packets => {
                "the name of a file, relative to the plan, with a time [s] and a packet's length with its headers [bytes] on each line"
            }
            Self::Opportunities => {
                "the name of a Mahimahi trace, relative to the plan, with the time [ms] at which 1500 bytes can be sent on each line"
            }
            Self::Steps => {
                "the name of a file, relative to the plan, with the columns at_s,rate_bps,delay_s,loss,up (at_s and any of the others; empty: unchanged)"
            }
            Self::Delays => {
                "the name of a file, relative to the plan, with a delay [ms] on each line"
            }
        }
    }

    /// The data in `text`; calls `look` for each line, so that the host can end the reading of a long text.
    ///
    /// # Errors
    /// The mistake, with its line.
    pub fn read(self, text: &str, look: &dyn Fn()) -> Result<Data, String> {
        Ok(match self {
            Self::Sizes => Data::Sizes(Arc::new(Sizes::read(text, look)?)),
            Self::Packets => Data::Packets(Arc::new(Packets::read(text, look)?)),
            Self::Opportunities => Data::Opportunities(Arc::new(Opportunities::read(text, look)?)),
            Self::Steps => Data::Steps(Arc::new(Steps::read(text, look)?)),
            Self::Delays => Data::Delays(Arc::new(Delays::read(text, look)?)),
        })
    }
}

impl Data {
    /// Writes the data as one text, in many short pieces: equal data have equal texts, however their files were written.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn canonical(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Self::Sizes(it) => it.canonical(out),
            Self::Packets(it) => write!(out, "{:?}", it.packets),
            Self::Opportunities(it) => write!(out, "{:?}", it.times),
            Self::Steps(it) => steps::canonical(it, out),
            Self::Delays(it) => write!(out, "{:?}", it.delays),
        }
    }
}

/// Packets, when they came and how long they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packets {
    /// In order of time.
    pub packets: Vec<(Duration, Bytes)>,
}

impl Packets {
    fn read(text: &str, look: &dyn Fn()) -> Result<Self, String> {
        let mut packets: Vec<(Duration, Bytes)> = Vec::new();
        for (number, words) in lines(text, look) {
            let (time, bytes) = two(number, &words, "a time [s] and a length [bytes]")?;
            let at = seconds(time).ok_or_else(|| {
                format!("line {number}: {time:?} is not a time [s] of at least 0, with at most 12 decimals")
            })?;
            let length = bytes.parse().ok().filter(|n| (1..=65_535).contains(n));
            let length = length.ok_or_else(|| {
                format!("line {number}: {bytes:?} is not a length [bytes] from 1 to 65535")
            })?;
            if packets.last().is_some_and(|(before, _)| at < *before) {
                return Err(format!(
                    "line {number}: {time} is before the line before; packets must be in order of time"
                ));
            }
            packets.push((at, Bytes(length)));
        }
        if packets.is_empty() {
            return Err("it has no packets".into());
        }
        Ok(Self { packets })
    }
}

/// A decimal number of seconds, exactly.
fn seconds(text: &str) -> Option<Duration> {
    decimal(text, 12)
}

/// A decimal number, exactly, of a unit of 10^`digits_after` picoseconds.
fn decimal(text: &str, digits_after: u32) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = part.trim_end_matches('0');
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if part.len() > digits_after as usize
        || !digits(whole)
        || !digits(part)
        || (whole.is_empty() && part.is_empty())
    {
        return None;
    }
    let number = |text: &str| {
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<u64>().ok()
        }
    };
    let fraction = number(part)? * 10_u64.pow(digits_after - part.len() as u32);
    let scaled = number(whole)?.checked_mul(10_u64.pow(digits_after))?;
    Some(Duration(scaled.checked_add(fraction)?))
}

/// The times at which a line can carry [`Opportunities::BYTES`] bytes; after the last they begin again.
///
/// The format is Mahimahi's.
//= mahimahi-2015
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// In order; a time may occur several times.
    pub times: Vec<Duration>,
}

impl Opportunities {
    /// Bytes of an opportunity.
    pub const BYTES: u64 = 1500;

    fn read(text: &str, look: &dyn Fn()) -> Result<Self, String> {
        let mut times: Vec<Duration> = Vec::new();
        for (number, words) in lines(text, look) {
            let [word] = words[..] else {
                return Err(format!(
                    "line {number} has {} words; write a time [ms]",
                    words.len()
                ));
            };
            let most = u64::MAX / 4 / Duration::millis(1).0;
            let ms = word.parse::<u64>().ok().filter(|ms| *ms <= most);
            let ms = ms.ok_or_else(|| {
                format!("line {number}: {word:?} is not a whole number of milliseconds")
            })?;
            let at = Duration::millis(ms);
            if times.last().is_some_and(|before| at < *before) {
                return Err(format!(
                    "line {number}: {ms} is less than the line before; times must not decrease"
                ));
            }
            times.push(at);
        }
        match times.last() {
            None => Err("it has no opportunities".into()),
            Some(&Duration::ZERO) => Err(
                "it ends at 0 ms; write a last time above 0 ms: the trace repeats from there"
                    .into(),
            ),
            Some(_) => Ok(Self { times }),
        }
    }

    /// Time after which they begin again.
    pub fn period(&self) -> Duration {
        self.times[self.times.len() - 1]
    }

    /// Number of opportunities until `at`, itself included, on a line that begins at zero.
    pub fn until(&self, at: Duration) -> u64 {
        let period = self.period().0;
        let begun = self.times.partition_point(|time| time.0 <= at.0 % period);
        (at.0 / period) * self.times.len() as u64 + begun as u64
    }

    /// Bits that they carry in a second, rounded down but at least one.
    pub fn mean_rate(&self) -> u64 {
        let bits = self.times.len() as u128 * u128::from(Self::BYTES * 8);
        let rate = bits * u128::from(SECOND) / u128::from(self.period().0);
        u64::try_from(rate).unwrap_or(u64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        let read = |text: &str| seconds(text).map(|it| it.0);
        assert_eq!(read("1.5"), Some(1_500_000_000_000));
        assert_eq!(read("0.000000000001"), Some(1));
        assert_eq!(read(".25"), Some(250_000_000_000));
        assert_eq!(read("3"), Some(3 * SECOND));
        for wrong in [
            "",
            ".",
            "-1",
            "1e-3",
            "0.0000000000001",
            "99999999999",
            "+1",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_trace_has_a_period_and_a_rate() {
        let it = Opportunities::read("0\n5\n5\n10\n", &|| ()).unwrap();
        assert_eq!(it.period(), Duration::millis(10));
        // 4 x 1500 bytes in 10 ms.
        assert_eq!(it.mean_rate(), 4_800_000);
        // At the end of a period, the first opportunity of the next period counts, too.
        let until = [0, 4, 5, 9, 10, 14, 15, 100].map(|ms| it.until(Duration::millis(ms)));
        assert_eq!(until, [1, 1, 3, 3, 5, 5, 7, 41]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let fault = |format: Format, text: &str| format.read(text, &|| ()).unwrap_err();
        for (format, text, want) in [
            (Format::Packets, "#", "it has no packets"),
            (
                Format::Packets,
                "1 0",
                "line 1: \"0\" is not a length [bytes] from 1 to 65535",
            ),
            (
                Format::Packets,
                "\n2 9\n1.5 9",
                "line 3: 1.5 is before the line before; packets must be in order of time",
            ),
            (
                Format::Packets,
                "1ms 9",
                "line 1: \"1ms\" is not a time [s] of at least 0, with at most 12 decimals",
            ),
            (
                Format::Opportunities,
                "0",
                "it ends at 0 ms; write a last time above 0 ms: the trace repeats from there",
            ),
            (
                Format::Opportunities,
                "5\n4",
                "line 2: 4 is less than the line before; times must not decrease",
            ),
            (
                Format::Opportunities,
                "1.5",
                "line 1: \"1.5\" is not a whole number of milliseconds",
            ),
        ] {
            assert_eq!(fault(format, text), want, "{text:?}");
        }
    }
}
