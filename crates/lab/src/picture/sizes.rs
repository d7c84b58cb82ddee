//! A distribution of sizes: the share of flows up to each size, and their share of all bytes.

use super::signs::{COLUMNS, row};
use dupack_core::traffic;
use dupack_sim::spec::Network;

/// Rows of the picture.
const ROWS: usize = 20;

/// The picture of the sizes of the first flow's files.
pub(super) fn draw(network: &Network) -> Vec<String> {
    let traffic::TrafficParams::RandomFile(params) = &*network.flows[0].traffic else {
        return Vec::new();
    };
    let points: Vec<_> = params.sizes.points(params.counts()).collect();
    let (_, all) = up_to(&points, f64::INFINITY);
    let (low, high) = decades(&points);
    let step = (high - low) / (COLUMNS - 1) as f64;
    let columns: Vec<(f64, f64)> = (0..COLUMNS)
        .map(|column| up_to(&points, 10_f64.powf(low + step * column as f64)))
        .collect();
    let mut grid = vec![vec![' '; COLUMNS]; ROWS + 1];
    for sign in ['o', '*'] {
        let mut last = 0;
        for (column, (flows, bytes)) in columns.iter().enumerate() {
            let share = if sign == '*' { *flows } else { bytes / all };
            let level = ((share * ROWS as f64).round() as usize).min(ROWS);
            // A jump of the curve is drawn as a vertical line.
            for level in level.min(last + 1)..=level {
                grid[ROWS - level][column] = sign;
            }
            last = level;
        }
    }
    let mut lines = vec![
        "* share of flows of at most this size, o share of all bytes that these flows carry."
            .into(),
        String::new(),
    ];
    for (at, signs) in grid.into_iter().enumerate() {
        let level = ROWS - at;
        let label = match level % 5 {
            0 => format!("{} %", level * 100 / ROWS),
            _ => String::new(),
        };
        lines.push(row(&label, signs));
    }
    lines.push(axis(low, high));
    lines.push(String::new());
    let [half, most, nearly] = [0.5, 0.9, 0.99].map(|share| written(quantile(&points, share)));
    lines.push(format!(
        "Mean {}; half of the flows have at most {half}, 90 % at most {most}, 99 % at most {nearly}.",
        written(params.sizes.mean(params.counts())),
    ));
    lines
}

/// The share of the flows of at most `size`, and what they carry of a flow's bytes on average.
fn up_to(points: &[(f64, f64)], size: f64) -> (f64, f64) {
    let (first, share) = points[0];
    if size < first {
        return (0.0, 0.0);
    }
    let (mut flows, mut bytes) = (share, share * first);
    for two in points.windows(2) {
        let ((low, from), (high, to)) = (two[0], two[1]);
        let top = high.min(size);
        let part = match high - low {
            0.0 => 1.0,
            wide => (top - low) / wide,
        };
        flows += (to - from) * part;
        bytes += (to - from) * part * (low + top) / 2.0;
        if size < high {
            break;
        }
    }
    (flows, bytes)
}

/// The size that a share of the flows does not exceed.
fn quantile(points: &[(f64, f64)], share: f64) -> f64 {
    let above = points.partition_point(|(_, below)| *below < share);
    let (size, to) = points[above.min(points.len() - 1)];
    match above.checked_sub(1).map(|before| points[before]) {
        Some((low, from)) if to > from => low + (size - low) * (share - from) / (to - from),
        _ => size,
    }
}

/// The powers of ten between which the sizes lie: from one below the first size, if some flows are smaller.
fn decades(points: &[(f64, f64)]) -> (f64, f64) {
    let first = points.iter().find(|(size, _)| *size > 0.0);
    let low = first.map_or(0.0, |(size, _)| size.log10().floor());
    let low = if points[0].0 == 0.0 { low - 1.0 } else { low }.max(0.0);
    let high = points[points.len() - 1].0.log10().ceil();
    (low, high.max(low + 1.0))
}

/// The powers of ten, each under its column.
fn axis(low: f64, high: f64) -> String {
    let mut text = String::new();
    for power in low as i32..=high as i32 {
        let column = (f64::from(power) - low) / (high - low) * (COLUMNS - 1) as f64;
        let label = written(10_f64.powi(power));
        // The last label is moved to the left, so that it does not pass the right edge of the picture.
        let column = (column.round() as usize).min(COLUMNS.saturating_sub(label.len()));
        let free = text.len();
        if free == 0 || column > free {
            text += &" ".repeat(column - free);
            text += &label;
        }
    }
    row("", text.chars())
}

/// A size with its unit.
fn written(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let (mut value, mut unit) = (bytes, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let mut text = format!("{value:.0}");
    if value < 9.995 {
        text = format!("{value:.2}");
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    format!("{text} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [(f64, f64); 4] = [(0.0, 0.0), (1000.0, 0.5), (1000.0, 0.75), (9000.0, 1.0)];

    #[test]
    fn shares_and_sizes_are_each_others() {
        // Half of the flows carry 250 bytes on average, a quarter 1000, a quarter 5000.
        assert_eq!(up_to(&POINTS, 500.0), (0.25, 62.5));
        assert_eq!(up_to(&POINTS, 1000.0), (0.75, 500.0));
        assert_eq!(up_to(&POINTS, 9000.0), (1.0, 1750.0));
        assert_eq!(up_to(&POINTS, f64::INFINITY), (1.0, 1750.0));
        for size in [100.0, 500.0, 3000.0, 9000.0] {
            assert!((quantile(&POINTS, up_to(&POINTS, size).0) - size).abs() < 1e-9);
        }
        assert_eq!(quantile(&POINTS, 0.6), 1000.0);
        assert_eq!(up_to(&[(300.0, 1.0)], 299.0), (0.0, 0.0));
        assert_eq!(up_to(&[(300.0, 1.0)], 300.0), (1.0, 300.0));
        assert_eq!(quantile(&[(300.0, 1.0)], 0.5), 300.0);
    }

    #[test]
    fn sizes_are_written_short() {
        let texts = [1.0, 62.5, 1711.0, 999_600.0, 30e6].map(written);
        assert_eq!(texts, ["1 B", "62 B", "1.71 kB", "1 MB", "30 MB"]);
        let line = axis(2.0, 8.0);
        let want = [
            "100 B", "1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "100 MB",
        ];
        let found: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(found, want);
    }
}
