//! Captures: the packets that pass one end of a line, as a network card sees them that reassembles cells.

use crate::grain::Grain;
use crate::probe::{Passed, Probe, Seen};
use crate::shared::Shared;
use dupack_core::sar::Joined;
use dupack_core::time::Instant;
use dupack_core::unit::FlowId;
use std::collections::HashMap;

/// The captures on one line, at either end or at both.
#[derive(Debug)]
pub struct Capture<U: Grain> {
    link: usize,
    near: bool,
    far: bool,
    /// Reassemblers at either end.
    joiners: [HashMap<FlowId, U::Joiner>; 2],
}

impl<U: Grain> Capture<U> {
    /// Those of `captures` (a link, and whether at its far end) on this link; `None` if there are none.
    pub fn new(link: usize, captures: &[(usize, bool)]) -> Option<Box<Self>> {
        let [near, far] = [false, true].map(|far| captures.contains(&(link, far)));
        (near || far).then(|| {
            Box::new(Self {
                link,
                near,
                far,
                joiners: [HashMap::new(), HashMap::new()],
            })
        })
    }

    /// `unit` has passed one end. `whole` says that it is the last unit of a packet whose other units are not carried there.
    #[cold]
    pub fn pass<P: Probe>(
        &mut self,
        far: bool,
        unit: &U,
        at: Instant,
        whole: bool,
        shared: &mut Shared<U, P>,
    ) {
        if !far && self.near && at >= shared.tape.probe.units_from() {
            self.unit(unit, at, shared);
        }
        // RM cells belong to no packet.
        if !(if far { self.far } else { self.near }) || unit.is_control() {
            return;
        }
        let joined = if whole {
            Joined::Whole
        } else {
            let joiners = &mut self.joiners[usize::from(far)];
            unit.join(joiners.entry(unit.flow()).or_default())
        };
        if !matches!(joined, Joined::Whole) || at > shared.end {
            return;
        }
        let way = unit.way();
        let Some((carried, left, ecn)) = shared.bodies.peek(unit.body(), way, unit.serial()) else {
            return;
        };
        let (flow, connection) = shared.tape.whose(way.0 as usize / 2);
        shared.tape.probe.seen(&Seen {
            at,
            link: self.link,
            far,
            flow,
            connection,
            hop: unit.hop(),
            left,
            ecn,
            bytes: unit.bytes(),
            carried,
        });
    }

    /// A unit has left the transmitter.
    fn unit<P: Probe>(&self, unit: &U, at: Instant, shared: &mut Shared<U, P>) {
        let way = unit.way().0 as usize;
        let (flow, _) = shared.tape.whose(way / 2);
        shared.tape.probe.passed(&Passed {
            at,
            link: self.link,
            flow,
            control: unit.is_control(),
            back: way % 2 == 1,
        });
    }
}
