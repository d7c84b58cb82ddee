//! The clock: what happens at given times, whatever the network does. Warm-up ends, samples are taken.

use super::{CLOCK, World};
use crate::grain::Grain;
use crate::probe::Probe;
use crate::report::Warm;
use dupack_core::time::Instant;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Warm-up ends, or a sample is due.
    pub(super) fn tick(&mut self, now: Instant) {
        self.catch_up(now);
        let warm_up = Instant(self.network.warm_up.0);
        if now == warm_up {
            for (warm, port) in self.warm.iter_mut().zip(&self.ports) {
                *warm = Warm {
                    area: port.area(now),
                    busy: port.busy(now),
                    // One that lasts still is counted with what follows.
                    pauses: port.counts.pauses,
                };
            }
            for machine in &mut self.machines {
                machine.warm = machine.tally;
            }
            if let Some(rates) = &mut self.rates {
                rates.warm_up_ends(now);
            }
            self.forget_crowd();
        }
        let mut next = if now < warm_up {
            warm_up
        } else {
            Instant::NEVER
        };
        let sums = (self.crowd.is_some() && self.series.is_some()).then(|| self.sums());
        if let (Some(every), Some(series)) = (self.network.sample, &mut self.series) {
            let due = Instant(every.0.saturating_mul(self.sampled));
            if now == due {
                self.sampled += 1;
                let lines = self
                    .ports
                    .iter()
                    .map(|port| (port.backlog(now), port.busy(now)));
                match &sums {
                    Some(sums) => {
                        series.take(now, lines, sums.iter().map(|(w, tally)| (*w, tally)))
                    }
                    None => {
                        let flows = self.machines.iter();
                        series.take(now, lines, flows.map(|m| (m.sender.cwnd(), &m.tally)));
                    }
                }
                if let Some(rates) = &self.rates {
                    series.take_rates(rates);
                }
            }
            next = next.min(Instant(every.0.saturating_mul(self.sampled)));
        }
        self.timers.set(CLOCK, next);
    }

    /// Brings every port up to `now`, so that its meters can be read. Events stay as they are: a departure made up for early
    /// arrives no earlier.
    pub(super) fn catch_up(&mut self, now: Instant) {
        self.shared.now = now;
        self.ports
            .iter_mut()
            .for_each(|port| port.catch_up(&mut self.shared));
    }
}
