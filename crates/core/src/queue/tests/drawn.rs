//! What drop laws say, for tests that compare them with what disciplines do.

use crate::queue::drop_law::DropLaw;

/// The value of the curve `name` of a law at `x`.
pub fn value(law: &DropLaw, name: &str, x: f64) -> f64 {
    let curve = law.curves.iter().find(|it| it.name == name);
    let curve = curve.unwrap_or_else(|| panic!("no curve {name}"));
    (curve.value)(x)
}

/// The share of arrivals that are chosen, if an arrival is chosen with p_b / (1 - count p_b), count being the number of arrivals since the last.
pub fn share(p_b: f64) -> f64 {
    if p_b == 0.0 {
        return 0.0;
    }
    let (mut mean, mut left, mut count) = (0.0, 1.0, 0.0);
    while left > 0.0 {
        count += 1.0;
        let rest = 1.0 - count * p_b;
        let chosen = if rest <= p_b { 1.0 } else { p_b / rest };
        mean += count * left * chosen;
        left *= 1.0 - chosen;
    }
    1.0 / mean
}

/// A count of `many` is that of a probability, within five standard errors.
pub fn agrees(count: u32, many: u32, probability: f64) -> bool {
    let many = f64::from(many);
    let spread = 5.0 * (many * probability * (1.0 - probability)).sqrt();
    (f64::from(count) - many * probability).abs() <= spread + 1.0
}
