//! The clock: events at given times, independent of the network: warm-up ends, batches end, samples are taken.

use super::{CLOCK, World};
use crate::batches::Look;
use crate::connections::since_later;
use crate::grain::Grain;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::report::Warm;
use dupack_core::time::Instant;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Warm-up ends, a batch does, or a sample is due.
    pub(super) fn tick(&mut self, now: Instant) {
        self.catch_up(now);
        let warm_up = Instant(self.network.warm_up.0);
        if now == warm_up {
            // Without a warm-up there is nothing to subtract.
            if now > Instant::ZERO {
                self.warm = self.ports.iter().map(|it| Warm::of(it, now)).collect();
            }
            for machine in &mut self.machines {
                machine.warm_up_ends(now);
            }
            if let Some(rates) = &mut self.rates {
                rates.warm_up_ends(now);
            }
            if let Some(section) = &mut self.section {
                section.warm_up_ends(now);
            }
            self.forget_connections();
        }
        let mut next = if now < warm_up {
            warm_up
        } else {
            Instant::NEVER
        };
        next = next.min(self.look(now));
        let sums = (self.connecting.is_some() && self.series.is_some()).then(|| self.sums());
        if let (Some(every), Some(series)) = (self.network.sample, &mut self.series) {
            let due = Instant(every.0.saturating_mul(self.sampled));
            if now == due {
                self.sampled += 1;
                let section = self.section.as_deref();
                let lines = self.ports.iter().enumerate().map(|(at, port)| {
                    let cells = section.and_then(|section| section.look(at, now));
                    cells.unwrap_or_else(|| (port.backlog(now), port.busy(now)))
                });
                match &sums {
                    Some(sums) => {
                        series.take(now, lines, sums.iter().map(|(w, tally)| (*w, tally)))
                    }
                    None => {
                        let flows = self.machines.iter();
                        series.take(now, lines, flows.map(|m| (m.sender.cwnd(), &m.tally)));
                    }
                }
                let senders = self.machines.iter().map(|it| &it.sender);
                series.take_senders(&self.network.flows, senders);
                series.take_gauges(|at, tell| match section {
                    Some(section) if section.has(at) => section.gauges(at, tell),
                    _ => self.ports[at].gauges(tell),
                });
                if let Some(rates) = &self.rates {
                    series.take_rates(rates);
                }
            }
            next = next.min(Instant(every.0.saturating_mul(self.sampled)));
        }
        self.ticks = next;
        self.timers.set(CLOCK, next);
    }

    /// Brings every port up to `now`, so that its meters can be read. Events do not change: a departure that is processed early
    /// arrives no earlier.
    pub(super) fn catch_up(&mut self, now: Instant) {
        self.shared.now = now;
        self.ports
            .iter_mut()
            .for_each(|port| port.catch_up(&mut self.shared));
        self.catch_up_cells(now);
    }

    /// Reads all flows, if a batch ends now; returns the end of the next, except for the last.
    fn look(&mut self, now: Instant) -> Instant {
        let Some(due) = self.batches.as_ref().map(|it| it.next()) else {
            return Instant::NEVER;
        };
        if now < due {
            return due;
        }
        let looks = self.looks(now);
        let Some(batches) = &mut self.batches else {
            return Instant::NEVER;
        };
        batches.look(now, looks);
        batches.next()
    }

    /// Counts of each flow of the plan until now.
    pub(super) fn looks(&self, now: Instant) -> Vec<Look> {
        let warm_up = Instant(self.network.warm_up.0);
        let lived = |machine: &Machine| {
            since_later(machine.completed.unwrap_or(now), machine.start, warm_up)
        };
        let sums = self.sums().into_iter().zip(&self.machines).enumerate();
        sums.map(|(at, ((_, tally), machine))| {
            let connecting = self.connecting.as_deref();
            let own = connecting
                .and_then(|connecting| Some((connecting, connecting.classes[at].as_ref()?)));
            let Some((connecting, class)) = own else {
                return Look::new(&tally, lived(machine));
            };
            let mine = (connecting.places.iter()).zip(&self.machines[self.network.flows.len()..]);
            let open = mine.filter(|(place, _)| place.open && place.class == at);
            let sum = open.fold(class.lived, |sum, (_, machine)| sum + lived(machine));
            Look::new(&tally, sum)
        })
        .collect()
    }

    /// A flow has waited for a timeout until now.
    pub(super) fn waited(&mut self, now: Instant, flow: usize) {
        let machine = &mut self.machines[flow];
        let since = machine.active;
        machine.waited(now, Instant(self.network.warm_up.0));
        if let Some(batches) = &mut self.batches {
            let of = (self.connecting.as_ref()).map_or(flow, |connecting| connecting.flow_of(flow));
            batches.waited(of, since);
        }
    }
}
