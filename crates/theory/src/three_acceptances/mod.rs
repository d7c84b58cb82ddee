//! How long a flow that has lost a packet waits until three more of its packets are accepted: a slotted buffer with Bernoulli
//! flows.
//!
//! Time is in slots; a slot is a packet's time on the line. Each of N other flows and the target flow has a packet in a slot with
//! the probability p. The packets of a slot arrive together at its beginning and find M of B places free; if there are more
//! packets, each set of M of them is equally likely to be accepted. Then one packet is served, if one waits, and its place is free
//! in the next slot. In slot 0 the buffer was full and dropped a packet of the target; the question is when the third one after it
//! is accepted.
//!
//! The printed equations have three misprints, one in eq. 8 and two in eq. 9, which [`Printed`] keeps or corrects one by one;
//! `dupack-papers` simulates the same system with a real queue, and agrees with the corrected ones. Equations 2 to 7 are right as
//! printed: in eq. 2 the minimum never acts, because nothing is served from an empty buffer; the sum of eq. 4 is empty for n = m >
//! N; and eq. 6 has both cases of an empty buffer. Eq. 8 lacks eq. 6's condition.
//!
//! The paper's own estimate ([`System::t`]) assumes that the buffer is full after each acceptance; [`exact`] does not.
//= viswanathan-kamal §III.2

pub mod exact;
mod passage;

use passage::Row;

/// Equations that are used as printed; the others are corrected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Printed {
    /// Eq. 8 does not divide by the P(N_t > 0) that eq. 6 multiplies with, so that an empty buffer loses probability.
    pub eq_8: bool,
    /// Eq. 9 gives the target 1 of n + 1 chances, though there are m places for the n + 1 packets.
    pub eq_9_share: bool,
    /// Eq. 9 leaves out n = N: when all others have a packet, the target has no chance at all.
    pub eq_9_limit: bool,
}

impl Printed {
    /// All mended.
    pub const NOTHING: Self = Self {
        eq_8: false,
        eq_9_share: false,
        eq_9_limit: false,
    };
    /// The paper as it stands.
    pub const ALL: Self = Self {
        eq_8: true,
        eq_9_share: true,
        eq_9_limit: true,
    };
}

impl Printed {
    /// The words for [`Printed::of`].
    pub const WORDS: [&str; 3] = ["eq-8", "eq-9-share", "eq-9-limit"];

    /// Those with the given names, from [`Printed::WORDS`].
    ///
    /// # Errors
    /// The allowed words, if a word is unknown.
    pub fn of<T: AsRef<str>>(words: &[T]) -> Result<Self, String> {
        let mut printed = Self::NOTHING;
        for word in words {
            match word.as_ref() {
                "eq-8" => printed.eq_8 = true,
                "eq-9-share" => printed.eq_9_share = true,
                "eq-9-limit" => printed.eq_9_limit = true,
                other => {
                    let words = Self::WORDS.join(", ");
                    return Err(format!("printed: unknown \"{other}\"; there are {words}"));
                }
            }
        }
        Ok(printed)
    }
}

/// The most other flows, and places, that a [`System`] has: beyond, its equations take gigabytes.
pub const MOST: (usize, usize) = (1000, 10_000);

/// A buffer of B places that N flows share with the target flow.
#[derive(Clone, Debug)]
pub struct System {
    n: usize,
    b: usize,
    p: f64,
    /// P(n of the others have a packet in a slot), by n.
    arrivals: Vec<f64>,
}

impl System {
    /// `n` flows beside the target, `b` places, and a packet of each flow in a slot with the probability `p`.
    ///
    /// # Errors
    /// What is allowed, if one of them is not.
    pub fn new(n: usize, b: usize, p: f64) -> Result<Self, String> {
        let (flows, places) = MOST;
        if n > flows {
            return Err(format!("n = {n}: must be at most {flows} other flows"));
        }
        if !(1..=places).contains(&b) {
            return Err(format!("b = {b}: must be 1 to {places} packets"));
        }
        if !(p > 0.0 && p <= 1.0) {
            return Err(format!(
                "p = {p}: must be above 0 and at most 1 packet per slot"
            ));
        }
        let arrivals = binomial(n, p);
        Ok(Self { n, b, p, arrivals })
    }

    /// Places free at the beginning of the next slot, if `n` of `m` are taken in this one.
    // M_{t+1} = min(M_t - N_t + S_t, B)                                    (2)
    //= viswanathan-kamal §III.2, eq. 2
    fn m_next(&self, m: usize, n: usize) -> usize {
        let a = m - n;
        (a + self.s(a)).min(self.b)
    }

    /// Packets served in a slot, if `a` places are free after its arrivals.
    // S_t = 0 if B - A_t < 1, 1 if B - A_t >= 1                            (3)
    //= viswanathan-kamal §III.2, eq. 3
    fn s(&self, a: usize) -> usize {
        usize::from(self.b - a >= 1)
    }

    /// The probability that `n` packets of the others are accepted, if `m` places are free and the target has none.
    // P(N_t = n | M_t = m) = C(N,n) p^n (1-p)^(N-n)                 if n < m
    //                      = sum_{i=m}^{N} C(N,i) p^i (1-p)^(N-i)   if n = m       (4)
    //= viswanathan-kamal §III.2, eq. 4
    fn accepts(&self, n: usize, m: usize) -> f64 {
        match n.cmp(&m) {
            std::cmp::Ordering::Less => self.arrivals.get(n).copied().unwrap_or(0.0),
            std::cmp::Ordering::Equal => self.arrivals.iter().skip(m).sum(),
            std::cmp::Ordering::Greater => 0.0,
        }
    }

    /// The probability that `s` packets are served in a slot that begins with `m` places free.
    // P(S_t = s | M_t = m) = 1           if s = 1 and m < B
    //                      = P(N_t > 0)  if s = 1 and m = B
    //                      = P(N_t = 0)  if s = 0 and m = B                (6)
    //= viswanathan-kamal §III.2, eq. 6
    fn serves(&self, s: usize, m: usize) -> f64 {
        match (s, m < self.b) {
            (1, true) => 1.0,
            (1, false) => self.arrivals[1..].iter().sum(),
            (0, false) => self.arrivals[0],
            _ => 0.0,
        }
    }

    /// The probability that `n` packets of the others are accepted, if `m` places are free and it is known that `s` are served.
    ///
    /// For m = B and s = 1 it is known that N_t > 0. The printed equation gives P(N_t = n | M_t = m) there, without the
    /// condition; times eq. 6 that has P(N_t > 0) once too often, and a slot that finds the buffer empty loses
    /// P(N_t = 0) P(N_t > 0) of its probability.
    // P(N_t = n | M_t = m, S_t = s) = P(N_t = n | M_t = m)               if m < B, s = 1
    //                               = 1                                  if m = B, s = 0, n = 0
    //                               = P(N_t = n | M_t = m) / P(N_t > 0)  if m = B, s = 1, n > 0   (8, mended)
    //= viswanathan-kamal §III.2, eq. 8 type=departure
    fn accepts_given_service(&self, n: usize, m: usize, s: usize, printed: Printed) -> f64 {
        match (m < self.b, s, n) {
            (true, 1, _) => self.accepts(n, m),
            (false, 0, 0) => 1.0,
            (false, 1, 1..) if printed.eq_8 => self.accepts(n, m),
            // If no other flow can have a packet, the condition s = 1 has probability 0 as well, by eq. 6.
            (false, 1, 1..) => self.accepts(n, m) / self.serves(1, m),
            _ => 0.0,
        }
    }

    /// The probability that a slot which begins with `m` places free, and has no packet of the target, leaves `next` to the
    /// one after it.
    // P(M_{t+1} = m' | M_t = m) = sum_s P(N_t = m + s - m' | M_t = m, S_t = s) P(S_t = s | M_t = m)   (5, 7)
    //= viswanathan-kamal §III.2, eqs. 5 and 7
    pub fn transition(&self, m: usize, next: usize, printed: Printed) -> f64 {
        let by = |s: usize| {
            let n = (m + s).checked_sub(next).filter(|n| *n <= m);
            let serves = self.serves(s, m);
            match n {
                Some(n) if serves > 0.0 => self.accepts_given_service(n, m, s, printed) * serves,
                _ => 0.0,
            }
        };
        by(0) + by(1)
    }

    /// Probability missing from the sum of all transitions from `m`, with eq. 8 as printed.
    // 1 - P(N_t = 0) - P(N_t > 0)^2 = P(N_t = 0) P(N_t > 0)
    pub fn lost(&self, m: usize, printed: Printed) -> f64 {
        if printed.eq_8 && m == self.b {
            self.serves(0, m) * self.serves(1, m)
        } else {
            0.0
        }
    }

    /// The probability that a packet of the target is accepted which comes when `m` places are free: the bracket of eq. 9.
    ///
    /// Of n + 1 packets m get in, whichever: for n < m the target's is always one of them, else with the probability
    /// m / (n + 1). (The text before says "less than or equal to m_t" for the sure case; the equation's n < m is right.)
    /// Here n is how many others have a packet, not the accepted N_t of eq. 4: with that one the sum would have one term.
    // P(n < m) + sum_{n=m}^{N} P(n) m/(n+1)                                (9, mended)
    // P(n < m) + sum_{n=m}^{N-1} P(n) 1/(n+1)                              (9, printed)
    //= viswanathan-kamal §III.2, eq. 9 type=departure
    pub fn target_accepted(&self, m: usize, printed: Printed) -> f64 {
        let share = |n: usize| match printed.eq_9_share {
            _ if n < m => 1.0,
            _ if n == self.n && printed.eq_9_limit => 0.0,
            true => 1.0 / (n + 1) as f64,
            false => m as f64 / (n + 1) as f64,
        };
        self.arrivals
            .iter()
            .enumerate()
            .map(|(n, of)| of * share(n))
            .sum()
    }

    /// P(M_t = m | M_0 = 0) by m, for m = 0 to B.
    pub fn available(&self, t: u64, printed: Printed) -> Vec<f64> {
        let mut now = vec![0.0; self.b + 1];
        now[0] = 1.0;
        for _ in 0..t {
            let mut next = vec![0.0; self.b + 1];
            for (m, of) in now.iter().enumerate().filter(|(_, of)| **of > 0.0) {
                let least = m.saturating_sub(self.n);
                for (to, sum) in next.iter_mut().enumerate().take(m + 2).skip(least) {
                    *sum += of * self.transition(m, to, printed);
                }
            }
            now = next;
        }
        now
    }

    /// Q(t): the probability that a packet of the target is accepted in slot t, if it has had none since the drop in slot 0.
    // Q(t) = sum_{m=1}^{B} P(M_t = m | M_0 = 0) [P(n < m) + ...]           (9)
    //= viswanathan-kamal §III.2, eq. 9
    pub fn q_at(&self, t: u64, printed: Printed) -> f64 {
        let available = self.available(t, printed);
        let all = available.iter().enumerate().skip(1);
        all.map(|(m, of)| of * self.target_accepted(m, printed))
            .sum()
    }

    /// q: the probability that the target's next packet after the drop is accepted.
    ///
    /// Eq. 10 is a sum over all t. The sum from a state on is p times its eq. 9 and 1 - p times the sum from the next
    /// state on, which is a linear system.
    // q = sum_{t=1}^{inf} Q(t) p (1-p)^(t-1)                               (10)
    //= viswanathan-kamal §III.2, eq. 10
    pub fn q(&self, printed: Printed) -> f64 {
        let rows = (1..=self.b).map(|m| {
            let mut row = self.row(m, printed);
            row.scale(1.0 - self.p);
            row.out = self.p + (1.0 - self.p) * self.lost(m, printed);
            row.gain = self.p * self.target_accepted(m, printed);
            row
        });
        passage::solve(rows)[0]
    }

    /// Mean time from the drop to the target's next acceptance \[slots\]; infinite if it never comes (printed eq. 9, p = 1).
    ///
    /// Exact with the mended equations: whenever a packet of the target is rejected the buffer is full, so that every attempt
    /// begins as the first did.
    // T_1 = 1/(p q)                                                        (11)
    //= viswanathan-kamal §III.2, eq. 11
    pub fn t_1(&self, printed: Printed) -> f64 {
        1.0 / (self.p * self.q(printed))
    }

    /// The paper's time to three acceptances \[slots\], "on the conservative side": as if each left the buffer full.
    // T = 3/(p q)                                                          (12)
    //= viswanathan-kamal §III.2, eq. 12
    pub fn t(&self, printed: Printed) -> f64 {
        3.0 * self.t_1(printed)
    }

    /// The transitions from `m` as the solver wants them.
    fn row(&self, m: usize, printed: Printed) -> Row {
        let up = if m < self.b {
            self.transition(m, m + 1, printed)
        } else {
            0.0
        };
        // A slot accepts at most N packets, and one is served, so m does not fall below m - N + 1.
        let to = (0..self.n.min(m).max(1)).map(|down| self.transition(m, m - down, printed));
        Row {
            up,
            to: to.collect(),
            out: 0.0,
            gain: 0.0,
        }
    }
}

/// Scheme 1's mean time to three duplicates \[slots\]: the next three packets get in, whatever waits.
// T = 3/p
//= viswanathan-kamal §III.4, Fig. 4
pub fn scheme_1(p: f64) -> f64 {
    3.0 / p
}

/// Scheme 2's time to three duplicates \[slots\]: three truncated copies leave within one.
//= viswanathan-kamal §III.4, Fig. 4
pub const SCHEME_2: f64 = 1.0;

/// P(n of `of` happen), by n, each with the probability `p`.
///
/// From the likeliest n outwards and divided by the sum, so that nothing overflows, and what underflows is 0.
fn binomial(of: usize, p: f64) -> Vec<f64> {
    let mode = (((of + 1) as f64 * p) as usize).min(of);
    let odds = p / (1.0 - p);
    let mut all = vec![0.0; of + 1];
    all[mode] = 1.0;
    for n in mode..of {
        all[n + 1] = all[n] * odds * (of - n) as f64 / (n + 1) as f64;
    }
    for n in (0..mode).rev() {
        all[n] = all[n + 1] * (n + 1) as f64 / ((of - n) as f64 * odds);
    }
    let sum: f64 = all.iter().sum();
    all.iter_mut().for_each(|it| *it /= sum);
    all
}

#[cfg(test)]
mod tests;
