//! Sums over a walk on the states 1 to B that rises by at most one state at a time, and may be absorbed.

/// Transitions from a state m.
#[derive(Clone, Debug)]
pub struct Row {
    /// The probability of the state m + 1 next.
    pub up: f64,
    /// The probabilities of m, m - 1, m - 2, ... next.
    pub to: Vec<f64>,
    /// The probability to leave for good.
    pub out: f64,
    /// Amount that a visit adds to the sum.
    pub gain: f64,
}

impl Row {
    /// Multiplies the probability of every move.
    pub fn scale(&mut self, by: f64) {
        self.up *= by;
        self.to.iter_mut().for_each(|it| *it *= by);
    }
}

/// The mean sum of what is gained from each state on, by state; `rows` are those of the states 1 to B.
///
/// Eliminates the states from the highest down. As only m - 1 climbs to m, each changes one row, within its width: B times the
/// width steps in all. The divisor is the probability to be anywhere else next, summed and not taken from 1 (Grassmann, Taksar
/// and Heyman's trick): nothing is ever subtracted, and so no digit lost, be the way out as unlikely as it may.
//= grassmann-taksar-heyman-1985
pub fn solve(rows: impl DoubleEndedIterator<Item = Row>) -> Vec<f64> {
    let mut above: Option<Row> = None;
    let mut done = Vec::new();
    for mut row in rows.rev() {
        if let Some(above) = above.take() {
            for (to, beyond) in row.to.iter_mut().zip(above.to.iter().skip(1)) {
                *to += row.up * beyond;
            }
            row.out += row.up * above.out;
            row.gain += row.up * above.gain;
            done.push(above);
        }
        let elsewhere = row.out + row.to[1..].iter().sum::<f64>();
        row.to.iter_mut().for_each(|it| *it /= elsewhere);
        row.out /= elsewhere;
        row.gain /= elsewhere;
        above = Some(row);
    }
    done.extend(above);
    let mut sums: Vec<f64> = Vec::with_capacity(done.len());
    for row in done.iter().rev() {
        let below = row.to[1..].iter().zip(sums.iter().rev());
        sums.push(row.gain + below.map(|(of, sum)| of * sum).sum::<f64>());
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    // States 1 to 3: up or down with probability 1/2, out below 1, and at 3 a step up stays there. The mean time from m is m (7 - m).
    fn a_fair_walk() {
        let row = |m: usize| Row {
            up: if m < 3 { 0.5 } else { 0.0 },
            to: vec![
                if m == 3 { 0.5 } else { 0.0 },
                if m > 1 { 0.5 } else { 0.0 },
            ][..m.min(2)]
                .to_vec(),
            out: if m == 1 { 0.5 } else { 0.0 },
            gain: 1.0,
        };
        let sums = solve((1..=3).map(row));
        for (sum, exact) in sums.iter().zip([6.0, 10.0, 12.0]) {
            assert!((sum - exact).abs() < 1e-12, "{sums:?}");
        }
    }

    #[test]
    fn an_unlikely_way_out() {
        for out in [1e-3, 1e-12, 1e-200] {
            let row = |m: usize| Row {
                up: if m == 1 { 1.0 - out } else { 0.0 },
                to: vec![0.0; m],
                out: if m == 1 { out } else { 0.0 },
                gain: 1.0,
            };
            let rows = [
                row(1),
                Row {
                    to: vec![0.0, 1.0],
                    ..row(2)
                },
            ];
            // Each round takes two steps, except the last, which takes one.
            let sums = solve(rows.into_iter());
            let exact = 2.0 / out - 1.0;
            assert!((sums[0] / exact - 1.0).abs() < 1e-12, "{out}: {sums:?}");
        }
    }
}
