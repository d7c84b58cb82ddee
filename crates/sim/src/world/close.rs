//! The end of a run: units still under way, the audit, the report.

use super::{Failure, World};
use crate::by_rows::{Rows, Told};
use crate::grain::Grain;
use crate::probe::Probe;
use crate::report::{Evidence, Within};
use dupack_core::time::Instant;

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Counts waits of flows that have nothing on the way: they wait for a timeout, even if it is due only after the end of the run.
    fn count_open_waits(&mut self, end: Instant) {
        let mut under_way = vec![false; self.machines.len()];
        for body in self
            .shared
            .bodies
            .kept()
            .filter(|body| body.is_transport() && !body.damaged())
        {
            under_way[body.way().0 as usize / 2] = true;
        }
        for (flow, under_way) in under_way.into_iter().enumerate() {
            let machine = &self.machines[flow];
            let ack_due = machine.receiver.poll_timeout().is_some();
            if !under_way && !ack_due && machine.sender.flight() > 0 {
                self.waited(end, flow);
            }
        }
    }

    /// The first discipline that broke the law of holding back, if one did.
    pub(super) fn withheld(&self) -> Result<(), Failure> {
        if !self.shared.broken {
            return Ok(());
        }
        Failure::withheld(self.network, &self.ports)?;
        (self.section.as_deref()).map_or(Ok(()), |it| it.withheld())
    }

    /// Copies that are still under way are not dead yet: leaves them out of the counts where they were made.
    fn leave_out_copies_under_way(&mut self) {
        let shared = &mut self.shared;
        for body in shared.bodies.kept() {
            if let Some(hop) = body.made_at() {
                shared.lost[shared.first[body.way().0 as usize] as usize + hop] += 1;
            }
        }
    }

    /// The end: audit, then report, which `told` gets.
    pub(super) fn close(
        mut self,
        end: Instant,
        told: &mut dyn FnMut(&dyn Rows),
    ) -> Result<P, Failure> {
        self.withheld()?;
        self.catch_up(end);
        self.withheld()?;
        if let Some(rates) = &mut self.rates {
            rates.end(end);
        }
        self.count_open_waits(end);
        self.leave_out_copies_under_way();
        let looks = self.looks(end);
        if let Some(batches) = &mut self.batches {
            batches.look(end, looks);
        }
        self.close_connections(end);
        Failure::unbalanced(self.network, &self.ports, end)?;
        if let Some(section) = &mut self.section {
            section.close(end)?;
        }
        told(&Told::new(Evidence {
            network: self.network,
            end,
            ports: &self.ports,
            within: self.section.as_deref().map(|it| it as &dyn Within),
            warm: &self.warm,
            machines: &self.machines[..self.slots.flows],
            connecting: self.connecting.as_deref(),
            rates: self.rates.as_deref(),
            // Only the routes of the plan's own flows; `Connecting` has the counts of connections that come and go.
            routes: &self.shared.routes[..self.vcs.len()],
            first: &self.shared.first[..2 * self.slots.flows],
            lost: &self.shared.lost,
            dead: &self.shared.dead,
            series: self.series,
            delays: self.shared.delays.as_deref(),
            batches: self.batches.as_deref(),
        }));
        Ok(self.shared.tape.probe)
    }
}
