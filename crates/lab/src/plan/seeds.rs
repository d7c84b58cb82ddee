//! Seeds and ranges of whole numbers: `3`, `1..5`, `1,2,7`.

use std::ops::RangeInclusive;

/// The most seeds of a plan, and values of an axis.
pub(super) const MOST: u64 = 100_000;

/// Reads seeds as the command line writes them: `"3"`, `"1..5"` (both ends included), `"1,2,7"`, or a mixture.
///
/// # Errors
/// What was found and what is allowed, in one line.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, String> {
    let mut seeds = Vec::new();
    for item in text.split(',').map(str::trim) {
        match (range(item), item.parse()) {
            (Some(range), _) => seeds.extend(listed(item, range)?),
            (None, Ok(seed)) => seeds.push(seed),
            (None, Err(_)) => {
                return Err(format!(
                    "{item:?} is not a seed; write whole numbers such as \"3\", \"1,2,7\" or \"1..5\""
                ));
            }
        }
    }
    distinct(&seeds)?;
    Ok(seeds)
}

/// `"1..20"`, if it is one.
pub(super) fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (low, high) = text.split_once("..")?;
    Some(low.trim().parse().ok()?..=high.trim().parse().ok()?)
}

/// All numbers of a range, if they are at least one and not too many.
pub(super) fn listed(text: &str, range: RangeInclusive<u64>) -> Result<Vec<u64>, String> {
    let (low, high) = (*range.start(), *range.end());
    if low > high {
        Err(format!("{text:?} is empty; write the smaller number first"))
    } else if high - low >= MOST {
        Err(format!("{text:?} is too long; write at most {MOST} values"))
    } else {
        Ok(range.collect())
    }
}

/// Reports repeated seeds: a run that counts twice narrows the interval without new information.
pub(super) fn distinct(seeds: &[u64]) -> Result<(), String> {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("{} is given twice; write every seed once", pair[0])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_single_listed_or_ranged() {
        let cases: [(&str, Result<&[u64], &str>); 10] = [
            ("3", Ok(&[3])),
            ("1..5", Ok(&[1, 2, 3, 4, 5])),
            ("1,2,7", Ok(&[1, 2, 7])),
            (" 9 .. 9 ", Ok(&[9])),
            ("1..2,18446744073709551615", Ok(&[1, 2, u64::MAX])),
            (
                "",
                Err("\"\" is not a seed; write whole numbers such as \"3\", \"1,2,7\" or \"1..5\""),
            ),
            (
                "-1",
                Err(
                    "\"-1\" is not a seed; write whole numbers such as \"3\", \"1,2,7\" or \"1..5\"",
                ),
            ),
            (
                "5..1",
                Err("\"5..1\" is empty; write the smaller number first"),
            ),
            (
                "0..100000",
                Err("\"0..100000\" is too long; write at most 100000 values"),
            ),
            ("1..3,2", Err("2 is given twice; write every seed once")),
        ];
        for (text, want) in cases {
            let got = parse_seeds(text);
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{text:?}");
        }
    }
}
