//! What pictures are made of: lines of signs.

use serde::Serialize;

/// Columns of a picture.
pub(super) const COLUMNS: usize = 72;

/// What a word does.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// What of a plan was run: a line that can be copied into one.
    pub written: String,
    /// What happened, a line each, and what the signs mean.
    pub lines: Vec<String>,
}

/// A number of things as a sign: nothing, one digit, or more than nine.
pub(super) fn digit(n: usize) -> char {
    match n {
        0 => '.',
        1..=9 => char::from_digit(n as u32, 10).unwrap_or('+'),
        _ => '+',
    }
}

/// `part` of `whole` as a bar of eight heights; a blank for nothing.
pub(super) fn bar(part: f64, whole: f64) -> char {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = if whole > 0.0 { part / whole * 8.0 } else { 0.0 };
    BARS[(height.ceil().clamp(0.0, 8.0)) as usize]
}

/// A row with its label, without blanks at its end.
pub(super) fn row(label: &str, signs: impl IntoIterator<Item = char>) -> String {
    let signs: String = signs.into_iter().collect();
    format!("{label:>8}  {signs}").trim_end().to_string()
}
