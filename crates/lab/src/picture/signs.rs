//! Pictures made of lines of signs.

use serde::Serialize;

/// Columns of a picture.
pub(super) const COLUMNS: usize = 72;

/// Picture of a word.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The part of a plan that was run: a line that can be copied into a plan.
    pub written: String,
    /// Lines of the picture, and the meaning of the signs.
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

/// Bars of `rows` rows, the largest as high as all of them; the first row and the last have these labels.
pub(super) fn bars((first, last): (&str, &str), values: &[f64], rows: usize) -> Vec<String> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let step = most / rows as f64;
    (0..rows)
        .map(|at| {
            let below = step * (rows - 1 - at) as f64;
            let label = match at {
                0 => first,
                _ if at == rows - 1 => last,
                _ => "",
            };
            row(label, values.iter().map(|value| bar(value - below, step)))
        })
        .collect()
}

/// A row with its label, without blanks at its end.
pub(super) fn row(label: &str, signs: impl IntoIterator<Item = char>) -> String {
    let signs: String = signs.into_iter().collect();
    format!("{label:>8}  {signs}").trim_end().to_string()
}
