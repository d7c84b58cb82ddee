//! Bernoulli: each packet is lost with the same probability, independently of the others.

use super::{Harm, Loss, Named, Sent};
use crate::ledger::Cause;
use crate::measure::Share;
use crate::rng::Stream;

crate::declare! {
    /// Loses each packet with the same probability, independently of the others.
    pub struct BernoulliParams as "bernoulli" from "common practice" {
        /// Probability that a packet is lost.
        rate: Share;
    }
}

impl BernoulliParams {
    /// No flow: all packets are alike.
    pub fn watches(&self) -> Option<Named<'_>> {
        None
    }
}

/// Independent losses.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    rate: f64,
    rng: Stream,
}

impl Bernoulli {
    /// A line at the start of a run.
    pub fn new(params: &BernoulliParams, rng: Stream) -> Self {
        Self {
            rate: params.rate.0,
            rng,
        }
    }

    /// Another probability from now on.
    pub fn set_rate(&mut self, rate: Share) {
        self.rate = rate.0;
    }
}

impl Loss for Bernoulli {
    #[inline]
    fn on_packet(&mut self, _: &Sent) -> Option<Harm> {
        self.rng
            .happens(self.rate)
            .then_some(Harm::Lost(Cause::Random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    fn losses_have_their_rate_and_do_not_depend_on_each_other() {
        let n = 200_000;
        for rate in ["0.01", "0.2"] {
            let params = BernoulliParams::from_texts(&[("rate", rate)]);
            let r = params.rate.0;
            let mut losses = Bernoulli::new(&params, Stream::new(1, "test"));
            let (mut lost, mut twice, mut before) = (0, 0, false);
            for _ in 0..n {
                let now = losses.on_packet(&Sent::default()).is_some();
                lost += u32::from(now);
                twice += u32::from(now && before);
                before = now;
            }
            // Four standard errors. Overlapping pairs are slightly correlated; the factor 1 + 2 r covers this.
            let near = |found: u32, p: f64| {
                let error = (p * (1.0 - p) * (1.0 + 2.0 * r) / f64::from(n)).sqrt();
                let found = f64::from(found) / f64::from(n);
                assert!((found - p).abs() < 4.0 * error, "{found}, not {p}");
            };
            near(lost, r);
            near(twice, r * r);
        }
    }

    #[test]
    fn nothing_and_everything_can_be_lost() {
        for (rate, want) in [("0", None), ("1", Some(Harm::Lost(Cause::Random)))] {
            let mut losses = Bernoulli::new(
                &BernoulliParams::from_texts(&[("rate", rate)]),
                Stream::new(1, "test"),
            );
            assert!((0..1000).all(|_| losses.on_packet(&Sent::default()) == want));
        }
    }
}
