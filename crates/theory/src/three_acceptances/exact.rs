//! The time to three acceptances without the "conservative" assumption: an acceptance does not fill the buffer.
//!
//! The walk has two coordinates: the packets of the target still to be accepted, and the free places. An accepted packet of the
//! target takes a place like any other, unlike in eqs. 4 to 9, which describe only slots before the target's next packet. A
//! rejected packet finds the buffer full and so leaves one place free for the next slot.
//= viswanathan-kamal §III.2, eq. 12 type=departure

use super::passage;
use super::{Printed, System};

/// How many duplicates trigger a fast retransmit.
pub const DUPLICATES: usize = 3;

/// Steps of a distribution: some seconds.
const MOST_STEPS: usize = 1_000_000_000;

impl System {
    /// Mean time from the drop to the third acceptance \[slots\], the buffer left to itself all the time.
    // h_k(m) = 1 + (1-p) sum_x P(x) h_k(m'(x))
    //            + p [sum_{x<m} P(x) h_{k-1}(m - x) + sum_{x>=m} P(x) (m/(x+1) h_{k-1}(1) + (1 - m/(x+1)) h_k(1))],
    // h_0 = 0, T = h_3(1)
    pub fn t_exact(&self) -> f64 {
        self.t_exact_of(DUPLICATES)
    }

    /// Mean time from the drop to the acceptance of this number of packets \[slots\].
    pub fn t_exact_of(&self, acceptances: usize) -> f64 {
        let mut after = vec![0.0; self.b];
        for _ in 0..acceptances {
            let rows = (1..=self.b).map(|m| {
                let mut row = self.row(m, Printed::NOTHING);
                row.scale(1.0 - self.p);
                row.out = self.p * self.target_accepted(m, Printed::NOTHING);
                row.gain = 1.0;
                for (x, of) in self.arrivals.iter().enumerate() {
                    let (gets_in, next) = self.with_target(m, x);
                    row.gain += self.p * of * gets_in * after[next - 1];
                    if x >= m {
                        row.to[m - 1] += self.p * of * (1.0 - gets_in);
                    }
                }
                row
            });
            after = passage::solve(rows);
        }
        after[0]
    }

    /// P(T <= t) for t = 1 to `slots`, T the time from the drop to the third acceptance.
    ///
    /// # Errors
    /// How many slots are allowed, if it is to go further: each takes a step per state and number of arrivals.
    pub fn t_distribution(&self, slots: usize) -> Result<Vec<f64>, String> {
        let most = MOST_STEPS / (DUPLICATES * self.b * (self.n + 1));
        if slots > most {
            return Err(format!(
                "slots = {slots}: must be at most {most}, for {} flows and {} places",
                self.n, self.b
            ));
        }
        // Probabilities by the number of acceptances so far, and by the number of places free at the beginning of the slot.
        let mut now = vec![vec![0.0; self.b + 1]; DUPLICATES];
        now[0][1] = 1.0;
        let (mut done, mut all) = (0.0, Vec::with_capacity(slots));
        for _ in 0..slots {
            let mut next = vec![vec![0.0; self.b + 1]; DUPLICATES + 1];
            for (k, states) in now.iter().enumerate() {
                for (m, here) in states.iter().enumerate().filter(|(_, here)| **here > 0.0) {
                    for (x, of) in self.arrivals.iter().enumerate() {
                        let of = here * of;
                        next[k][self.m_next(m, x.min(m))] += of * (1.0 - self.p);
                        let (gets_in, to) = self.with_target(m, x);
                        next[k + 1][to] += of * self.p * gets_in;
                        // The target's packet is rejected, so the buffer is full; one place becomes free.
                        next[k][1] += of * self.p * (1.0 - gets_in);
                    }
                }
            }
            done += next.pop().iter().flatten().sum::<f64>();
            now = next;
            all.push(done);
        }
        Ok(all)
    }

    /// With `m` places free, `x` packets of others and one of the target: the probability that the target's gets in, and the
    /// places that are free in the next slot.
    fn with_target(&self, m: usize, x: usize) -> (f64, usize) {
        let gets_in = if x < m {
            1.0
        } else {
            m as f64 / (x + 1) as f64
        };
        (gets_in, self.m_next(m, (x + 1).min(m)))
    }
}
