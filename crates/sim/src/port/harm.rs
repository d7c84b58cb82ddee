//! What the line does to a packet: loses it, corrupts it, or sends it twice.

use super::Port;
use crate::grain::Grain;
use crate::probe::Probe;
use crate::shared::Shared;
use crate::spec;
use dupack_core::ledger::Cause;
use dupack_core::loss::Harm;
use dupack_core::rng::Stream;
use dupack_core::time::Instant;

/// The packets of a line that arrive twice.
#[derive(Debug)]
pub(super) struct Twice {
    rate: f64,
    rng: Stream,
}

impl Twice {
    pub(super) fn new(it: &spec::Duplicate, seed: u64) -> Box<Self> {
        Box::new(Self {
            rate: it.rate.0,
            rng: Stream::new(seed, &it.path),
        })
    }
}

impl<U: Grain> Port<U> {
    /// A copy of the packet, if the line sends it twice.
    #[inline]
    pub(super) fn copy<P: Probe>(&mut self, unit: &U, shared: &mut Shared<U, P>) -> Option<U> {
        let twice = self.twice.as_mut()?;
        let again = twice.rng.happens(twice.rate);
        again.then(|| shared.duplicate(unit)).flatten()
    }

    /// The cause if the line loses the unit, whose transmission ends at `end`: a unit still in transmission when the run ends is
    /// not lost yet. A packet that the line only corrupts goes on.
    pub(super) fn lost<P: Probe>(
        &mut self,
        unit: &U,
        end: Instant,
        shared: &mut Shared<U, P>,
    ) -> Option<Cause> {
        if !unit.begins() || end > shared.end {
            return None;
        }
        let lossy = self.lossy.as_mut()?;
        if let Some(rate) = self.varying.as_ref().and_then(|it| it.loss(end)) {
            lossy.set_rate(rate);
        }
        match lossy.harm(unit, end, &mut shared.bodies)? {
            Harm::Lost(why) => Some(why),
            // AAL5 checks each packet where its cells are put together, so this one is lost with its first cell.
            Harm::Corrupted if !U::OVERTAKES => Some(Cause::Random),
            Harm::Corrupted => {
                shared.corrupt(unit, end);
                None
            }
        }
    }
}
