//! Reports row by row: with a million flows, rows are made when they are written.

use crate::report::{Evidence, Flow, Link, Load, Report, Summary};

impl Report {
    /// Of these rows, which it keeps.
    pub(crate) fn of(rows: &dyn Rows) -> Self {
        Self {
            flows: (0..rows.flows()).map(|at| rows.flow(at)).collect(),
            links: (0..rows.links()).map(|at| rows.link(at)).collect(),
            ..rows.head()
        }
    }
}

/// A report whose rows are made one by one: a million of them need not be in memory.
pub trait Rows {
    /// All but the flows and links.
    fn head(&self) -> Report;
    /// Number of flows.
    fn flows(&self) -> usize;
    /// Number of directions of links.
    fn links(&self) -> usize;
    /// A flow, by its number.
    fn flow(&self, at: usize) -> Flow;
    /// A direction of a link, by its number.
    fn link(&self, at: usize) -> Link;
}

/// The report of a run that has ended.
pub(crate) struct Told<'a, U: crate::grain::Grain> {
    evidence: Evidence<'a, U>,
    /// Per port.
    loads: Vec<Load>,
    summary: Summary,
}

impl<'a, U: crate::grain::Grain> Told<'a, U> {
    pub(crate) fn new(evidence: Evidence<'a, U>) -> Self {
        let many = evidence.machines.len();
        let mut goodputs = Vec::with_capacity(many);
        let (mut active, mut timeouts) = (0.0, 0);
        // Not from whole rows: percentiles would be computed twice.
        for at in 0..many {
            let tally = evidence.machines[at].measured();
            goodputs.push(evidence.goodput(&tally));
            active += evidence.active_fraction(at, &tally);
            timeouts += tally.timeouts;
        }
        let loads = evidence.loads(&goodputs);
        let sum: f64 = goodputs.iter().sum();
        let squares: f64 = goodputs.iter().map(|it| it * it).sum();
        let n = many as f64;
        let lone = matches!(&evidence.network.flows[..], [only] if only.arrivals.is_some());
        let summary = Summary {
            goodput_bps: sum,
            goodput_fraction: evidence
                .bottleneck(&loads)
                .map_or(0.0, |at| evidence.used(at, &loads[at]).1),
            jain: (squares > 0.0 && !lone).then(|| sum * sum / (n * squares)),
            active_fraction: active / n,
            timeouts,
        };
        Self {
            evidence,
            loads,
            summary,
        }
    }
}

impl<U: crate::grain::Grain> Rows for Told<'_, U> {
    fn head(&self) -> Report {
        let evidence = &self.evidence;
        Report {
            flows: Vec::new(),
            links: Vec::new(),
            summary: self.summary.clone(),
            series: evidence.series.clone(),
            warm_up: evidence.network.warm_up,
            batches: evidence.batches(evidence.bottleneck(&self.loads)),
        }
    }

    fn flows(&self) -> usize {
        self.evidence.machines.len()
    }

    fn links(&self) -> usize {
        self.evidence.ports.len()
    }

    fn flow(&self, at: usize) -> Flow {
        self.evidence.flow(at)
    }

    fn link(&self, at: usize) -> Link {
        self.evidence.link(at, &self.loads[at])
    }
}
