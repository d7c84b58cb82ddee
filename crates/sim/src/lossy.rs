//! Losses on a line: it asks its loss model about every packet whose transmission begins.

use crate::grain::Grain;
use crate::machine::data_way;
use crate::packets::Bodies;
use crate::spec;
use dupack_core::loss::{AnyLoss, Harm, Loss, Segment, Sent};
use dupack_core::measure::Share;
use dupack_core::rng::Stream;
use dupack_core::storage::per_flow::PerFlow;
use dupack_core::time::Instant;

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

    /// What happens to the packet that `unit`, whose transmission ends at `at`, begins.
    #[inline]
    pub fn harm<U: Grain>(&mut self, unit: &U, at: Instant, bodies: &mut Bodies) -> Option<Harm> {
        let sent = Sent {
            segment: None,
            bits: unit.packet_bits(),
            at,
        };
        let flows = match self {
            Self::Line(model) => return model.on_packet(&sent),
            Self::Flows(flows) => flows,
        };
        let body = bodies.get(unit.body(), unit.way(), unit.serial())?;
        let (number, again) = body.segment().filter(|_| body.whole())?;
        let model = flows.of(unit.way()).as_mut()?;
        model.on_packet(&Sent {
            segment: Some(Segment { number, again }),
            ..sent
        })
    }
}
