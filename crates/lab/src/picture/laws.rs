//! Drop laws of a discipline: charts of the functions with which it decides.

use super::signs::{bars, row};
use dupack_core::queue::drop_law::DropLaw;

/// Columns of a chart: with its labels it is narrower than 80 columns.
const WIDTH: usize = 60;

/// The charts of `laws`.
pub(super) fn draw(laws: &[DropLaw]) -> Vec<String> {
    laws.iter().flat_map(chart).collect()
}

fn chart(law: &DropLaw) -> Vec<String> {
    let (from, to) = range(law);
    let x = |column: usize| from + (to - from) * column as f64 / (WIDTH - 1) as f64;
    let mut lines = vec![
        String::new(),
        format!("Drop law: {}", law.says),
        String::new(),
    ];
    let rows = if law.curves.len() > 1 { 3 } else { 4 };
    for curve in &law.curves {
        let values: Vec<f64> = (0..WIDTH).map(|column| (curve.value)(x(column))).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        // What these values of the parameters exclude is not drawn.
        if most > 0.0 {
            let name = format!("{} [{}]", curve.name, curve.unit);
            lines.push(row("", name.chars()));
            lines.extend(bars((&short(most), "0"), &values, rows));
        }
    }
    lines.push(axis(law));
    lines
}

/// Its range; a parameter of 0 may leave none.
fn range(law: &DropLaw) -> (f64, f64) {
    let (from, to) = law.range;
    (from, if to > from { to } else { from + 1.0 })
}

/// The ends of the axis, and between them parameters under their columns, as far as there is room.
fn axis(law: &DropLaw) -> String {
    let (from, to) = range(law);
    let last = format!("{} {}", short(to), law.over.unit);
    let last = last.trim_end();
    let mut text = String::new();
    let shown = law.parameters.iter();
    for (name, value) in shown.filter(|(_, value)| (from..=to).contains(value)) {
        let column = ((value - from) / (to - from) * (WIDTH - 1) as f64).round() as usize;
        let name = format!("^{name}");
        if text.is_empty() && column > short(from).len() {
            text = short(from);
        }
        let taken = text.chars().count();
        let ends = column + name.chars().count();
        if (taken == 0 || column > taken) && ends + last.chars().count() < WIDTH {
            text += &" ".repeat(column - taken);
            text += &name;
        }
    }
    if text.is_empty() {
        text = short(from);
    }
    let room = WIDTH.saturating_sub(text.chars().count());
    text += &format!("{last:>room$}");
    row("", text.chars())
}

/// A number with three digits.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let decimals = (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::super::{Family, draw as picture};
    use super::*;
    use dupack_core::gauge::Gauge;
    use dupack_core::queue::QueueParams;
    use dupack_core::queue::drop_law::Curve;
    use dupack_core::roster::Roster;

    fn lines(name: &str, sets: &[&str]) -> Vec<String> {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let drawn = picture(Family::Queue, name, &sets).unwrap_or_else(|e| panic!("{name}: {e}"));
        let lines = drawn.lines.into_iter();
        lines
            .skip_while(|line| !line.starts_with("Drop law: "))
            .collect()
    }

    #[test]
    fn each_aqm_has_its_laws() {
        let with: Vec<&str> = (QueueParams::ENTRIES.iter().map(|entry| entry.name))
            .filter(|name| !lines(name, &[]).is_empty())
            .collect();
        let aqms = [
            "afd",
            "cake",
            "choke",
            "cobalt",
            "codel",
            "dualpi2",
            "fq-codel",
            "fq-pie",
            "fred",
            "pie",
            "queue-protection",
            "red",
            "triple-buffering",
        ];
        assert_eq!(with, aqms);
        for name in aqms {
            for line in lines(name, &[]) {
                let wide = line.starts_with(' ') && line.chars().count() > 79;
                assert!(!wide, "{name}: {line}");
            }
        }
    }

    #[test]
    fn what_contains_an_aqm_has_the_laws_of_that() {
        let red = [
            "buffer=40 packets",
            "max_p=0.02",
            "weight=0.002",
            "gentle=true",
        ];
        let red = lines("red", &red);
        for name in [
            "flow-queueing",
            "strict-priority",
            "token-bucket",
            "triple-truncated",
            "wfq",
        ] {
            assert_eq!(lines(name, &[]), Vec::<String>::new());
            let inner = r#"inner={ kind = "red", buffer = "40 packets", gentle = true }"#;
            assert_eq!(lines(name, &[inner]), red, "{name}");
        }
    }

    #[test]
    fn a_chart_has_the_values_of_its_law() {
        let law = DropLaw {
            says: "A step and a ramp.",
            over: Gauge::new("x", "packets"),
            range: (0.0, 59.0),
            parameters: vec![("low", 20.0), ("high", 40.0)],
            curves: vec![
                Curve::probability("never", |_| 0.0),
                Curve::new("step", "ms", |x| f64::from(u8::from(x >= 20.0)) * 0.25),
                Curve::probability("ramp", |x| (x - 20.0).max(0.0) / 39.0),
            ],
        };
        let drawn = draw(&[law]);
        let columns = |at: usize| drawn[at].chars().skip(10).collect::<Vec<char>>();
        let full = |at: usize| {
            let mut signs = columns(at);
            signs.resize(60, ' ');
            (signs.iter().position(|it| *it != ' '), signs[59])
        };
        assert_eq!(drawn[1], "Drop law: A step and a ramp.");
        assert_eq!(drawn[3], "          step [ms]");
        assert!(drawn[4].starts_with("    0.25  "), "{}", drawn[4]);
        assert_eq!([4, 5, 6].map(full), [(Some(20), '█'); 3]);
        assert!(drawn[6].starts_with("       0  "), "{}", drawn[6]);
        assert_eq!(drawn[7], "          ramp [probability]");
        // A third of the height is 13 columns.
        assert_eq!(full(10), (Some(21), '█'));
        assert_eq!(full(9), (Some(34), '█'));
        assert_eq!(full(8), (Some(47), '█'));
        let axis = "          0                   ^low                ^high     59 packets";
        assert_eq!(drawn[11], axis);
        assert_eq!(drawn.len(), 12);
    }

    #[test]
    fn parameters_that_are_zero_have_a_picture() {
        for (name, set) in [
            ("dualpi2", "step=0 s"),
            ("fq-codel", "ce_threshold=0 s"),
            ("queue-protection", "critical_delay=0 s"),
        ] {
            assert!(lines(name, &[set]).len() > 5, "{name} {set}");
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0, 0.02, 1.0, 12.909, 100.0, 3333.3, 0.123_456].map(short);
        assert_eq!(texts, ["0", "0.02", "1", "12.9", "100", "3333", "0.123"]);
    }
}
