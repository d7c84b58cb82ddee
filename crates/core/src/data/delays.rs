//! Delays that were measured: one [ms] on each line, in any order. Only their distribution is kept.

use super::decimal;
use super::lines::lines;
use crate::time::Duration;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A distribution of delays, by some that were measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// From the shortest to the longest; at least one.
    pub delays: Vec<Duration>,
}

impl Delays {
    /// Digits after the point of a number of milliseconds: picoseconds.
    const DIGITS: u32 = 9;

    pub(super) fn read(text: &str, look: &dyn Fn()) -> Result<Self, String> {
        let mut delays = Vec::new();
        for (number, words) in lines(text, look) {
            let [word] = words[..] else {
                return Err(format!(
                    "line {number} has {} words; write a delay [ms]",
                    words.len()
                ));
            };
            let delay = decimal(word, Self::DIGITS).ok_or_else(|| {
                format!("line {number}: {word:?} is not a delay [ms] of at least 0, with at most 9 decimals")
            })?;
            delays.push(delay);
        }
        if delays.is_empty() {
            return Err("it has no delays".into());
        }
        delays.sort_unstable();
        Ok(Self { delays })
    }

    /// The delay \[ps\] that a share of the delays does not exceed; on a straight line between two that follow each other.
    pub fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.delays.len() - 1) as f64;
        let before = (place as usize).min(self.delays.len() - 1);
        let after = (before + 1).min(self.delays.len() - 1);
        let [low, high] = [before, after].map(|at| self.delays[at].0 as f64);
        low + (high - low) * (place - before as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Delays, String> {
        Delays::read(text, &|| ())
    }

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let delays = read("20.5 # from ping\n\n0.000000001\n7").unwrap().delays;
        assert_eq!(
            delays,
            [Duration(1), Duration::millis(7), Duration(20_500_000_000)]
        );
    }

    #[test]
    fn between_two_delays_all_are_as_likely() {
        let it = read("10\n20\n60\n").unwrap();
        let found = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| it.quantile(share) / 1e9);
        assert_eq!(found, [10.0, 15.0, 20.0, 40.0, 60.0]);
        assert_eq!(read("3").unwrap().quantile(0.7), 3e9);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, want) in [
            ("# nothing", "it has no delays"),
            ("1\n2 3", "line 2 has 2 words; write a delay [ms]"),
            (
                "5 # right\n-1",
                "line 2: \"-1\" is not a delay [ms] of at least 0, with at most 9 decimals",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), want);
        }
    }
}
