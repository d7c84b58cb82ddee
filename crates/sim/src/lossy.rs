//! Losses on a line: it asks its loss model about every packet whose transmission begins.

use crate::grain::Grain;
use crate::machine::data_way;
use crate::packets::Bodies;
use crate::spec;
use dupack_core::ledger::Cause;
use dupack_core::loss::{AnyLoss, Loss, Segment};
use dupack_core::measure::Share;
use dupack_core::rng::Stream;
use dupack_core::storage::per_flow::PerFlow;

/// A line with losses.
#[derive(Debug)]
pub enum Lossy {
    /// One model for all packets on the line, acks included.
    Line(AnyLoss),
    /// A model for the data of each flow that is watched, by the flow's way.
    Flows(PerFlow<Option<AnyLoss>>),
}

impl Lossy {
    pub fn new(loss: &spec::Loss, seed: u64) -> Self {
        let model = || AnyLoss::new(&loss.params, Stream::new(seed, &loss.path));
        if loss.params.watches().is_none() {
            return Self::Line(model());
        }
        let mut flows = PerFlow::default();
        for flow in &loss.watched {
            *flows.of(data_way(*flow)) = Some(model());
        }
        Self::Flows(flows)
    }

    /// A schedule gives the share of packets that are lost.
    pub fn set_rate(&mut self, rate: Share) {
        if let Self::Line(AnyLoss::Bernoulli(model)) = self {
            model.set_rate(rate);
        }
    }

    /// Why the packet that `unit` begins is lost, if it is.
    #[inline]
    pub fn lost<U: Grain>(&mut self, unit: &U, bodies: &mut Bodies) -> Option<Cause> {
        let flows = match self {
            Self::Line(model) => return model.on_packet(None),
            Self::Flows(flows) => flows,
        };
        let body = bodies.get(unit.body(), unit.way(), unit.serial())?;
        let (number, again) = body.segment().filter(|_| body.whole())?;
        let model = flows.of(unit.way()).as_mut()?;
        model.on_packet(Some(Segment { number, again }))
    }
}
