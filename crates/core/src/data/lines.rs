//! Parts common to all formats: lines of words, with comments.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The lines that say something, with their numbers from 1, as words; calls `look` for each line.
pub(super) fn lines<'t>(
    text: &'t str,
    look: &dyn Fn(),
) -> impl Iterator<Item = (usize, Vec<&'t str>)> {
    text.lines().zip(1..).filter_map(|(line, number)| {
        look();
        let words: Vec<&str> = line
            .split('#')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        (!words.is_empty()).then_some((number, words))
    })
}

/// The words of a line that has two.
pub(super) fn two<'t>(
    number: usize,
    words: &[&'t str],
    what: &str,
) -> Result<(&'t str, &'t str), String> {
    match words {
        [a, b] => Ok((a, b)),
        _ => Err(format!(
            "line {number} has {} words; write {what}",
            words.len()
        )),
    }
}

/// A number that is not negative.
pub(super) fn real(number: usize, word: &str, what: &str) -> Result<f64, String> {
    let read = word.parse::<f64>().ok();
    read.filter(|x| x.is_finite() && *x >= 0.0)
        .ok_or_else(|| format!("line {number}: {word:?} is not {what}"))
}
