//! Wi-Fi in a crowded building: short deferrals when stations collide, and now and then the long pauses of retransmissions.
//!
//! Of each packet the deferrals are N1 x 1 ms, N1 from a Poisson distribution of mean 1, less a random part of the last of them. For a
//! share x of the packets there are also N2 x 7.5 ms of retransmissions, N2 of mean 12. The share follows from `mean`:
//!
//!   x = (mean - 1 ms) / 90 ms
//!
//! The mean extra delay is a little below `mean`, because of the random part: by (1 - 1/e) / 2 = 0.316 ms.
//= c4-test-2025 §Handling of High Jitter Environments

use super::{Jitter, picoseconds};
use crate::declare::Fault;
use crate::rng::Stream;
use crate::time::Duration;
use alloc::format;

/// A deferral.
const SLOT: Duration = Duration::millis(1);
/// Mean number of deferrals.
const SLOTS: f64 = 1.0;
/// A pause before a retransmission.
const PAUSE: Duration = Duration(7_500_000_000);
/// Mean number of pauses of a packet that has some.
const PAUSES: f64 = 12.0;

crate::declare! {
    /// Delays packets as a Wi-Fi link among others does: by short deferrals, and rarely by many retransmissions.
    pub struct WifiParams as "wifi" from "c4-test-2025" {
        /// Mean extra delay by the formula of the draft, from 1 ms to 91 ms; packets have 0.316 ms less.
        mean: Duration = "7 ms";
    }
    check |it| if (SLOT..=Duration::millis(91)).contains(&it.mean) { Ok(()) } else {
        Err(Fault { name: "mean", found: format!("{} ms", it.mean.seconds() * 1e3), allowed: "1 ms to 91 ms".into() })
    }
}

/// Extra delays without memory.
#[derive(Clone, Debug)]
pub struct Wifi {
    /// x: share of packets with retransmissions.
    repeated: f64,
    rng: Stream,
}

impl Wifi {
    /// A line at the start of a run.
    pub fn new(params: &WifiParams, rng: Stream) -> Self {
        let beyond = params.mean.0.saturating_sub(SLOT.0) as f64;
        Self {
            repeated: beyond / (PAUSES * PAUSE.0 as f64),
            rng,
        }
    }
}

impl Jitter for Wifi {
    fn on_packet(&mut self) -> Duration {
        let slots = self.rng.poisson(SLOTS);
        let part = if slots > 0 { self.rng.share() } else { 0.0 };
        let pauses = if self.rng.happens(self.repeated) {
            self.rng.poisson(PAUSES)
        } else {
            0
        };
        picoseconds((slots as f64 - part) * SLOT.0 as f64 + (pauses * PAUSE.0) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use crate::jitter::tests::draws;

    #[test]
    fn mean_variance_and_share_of_long_delays_are_those_of_the_model() {
        for (mean, text) in [
            (1.0, "1 ms"),
            (7.0, "7 ms"),
            (46.0, "46 ms"),
            (91.0, "91 ms"),
        ] {
            let params = WifiParams::from_texts(&[("mean", text)]);
            let found = draws(Wifi::new(&params, Stream::new(1, "test")), 200_000);
            let (n, x) = (found.len() as f64, (mean - 1.0) / 90.0);
            // In milliseconds. E N1 = Var N1 = 1; the part r is there with the probability q = 1 - 1/e, E r = 1/2, E r^2 = 1/3.
            let q = 1.0 - libm::exp(-1.0);
            let short = 1.0 - q / 2.0;
            // E N1 r = E N1 / 2, because N1 = 0 adds nothing.
            let short_variance = (2.0 - 1.0 + q / 3.0) - short * short;
            let (long, long_square) = (x * 90.0, x * (12.0 + 144.0) * 7.5 * 7.5);
            let want = short + long;
            let variance = short_variance + long_square - long * long;
            let milli = |x: &f64| x * 1e3;
            let found_mean = found.iter().map(milli).sum::<f64>() / n;
            let error = (variance / n).sqrt();
            assert!(
                (found_mean - want).abs() < 4.0 * error,
                "{found_mean}, not {want}"
            );
            // The variance's own error, from the fourth moment of the draws.
            let square = |x: &f64| (milli(x) - found_mean).powi(2);
            let found_variance = found.iter().map(square).sum::<f64>() / n;
            let fourth = found.iter().map(|x| square(x).powi(2)).sum::<f64>() / n;
            let error = ((fourth - found_variance * found_variance) / n).sqrt();
            assert!(
                (found_variance - variance).abs() < 4.0 * error,
                "{found_variance}, not {variance}"
            );
        }
    }

    #[test]
    fn means_that_the_model_does_not_have_are_refused() {
        for (mean, whole) in [(0, false), (1, true), (91, true), (92, false)] {
            let mean = Duration::millis(mean);
            assert_eq!(WifiParams { mean }.check().is_ok(), whole);
        }
    }
}
