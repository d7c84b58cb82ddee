//! The far end of a line.

use super::Port;
use crate::grain::Grain;
use crate::spec::{self, FarEnd};

/// Kind of the far end, and whether cells of ABR VCs arrive there. Lines without such cells have no cost for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leads {
    /// A switch.
    Switch,
    /// A switch to which ABR's cells come.
    RateSwitch,
    /// A host to which ABR's cells come.
    RateHost,
    /// A host.
    Host,
    /// An edge.
    Edge,
    /// None: the line carries cells within a path of packets, and its place is taken by a [`Section`](crate::section::Section).
    Elsewhere,
}

impl Leads {
    pub(super) fn new(far_end: FarEnd, abr: bool) -> Self {
        match far_end {
            FarEnd::Switch if abr => Self::RateSwitch,
            FarEnd::Switch => Self::Switch,
            FarEnd::Host if abr => Self::RateHost,
            FarEnd::Host => Self::Host,
            FarEnd::Edge => Self::Edge,
        }
    }

    /// Whether a unit that arrives there is forwarded unchanged.
    #[inline]
    pub(super) fn goes_on<U: Grain>(self, unit: &U) -> bool {
        match self {
            Self::Switch | Self::RateSwitch => true,
            Self::RateHost => unit.is_control(),
            Self::Host | Self::Edge | Self::Elsewhere => false,
        }
    }
}

impl<U: Grain> Port<U> {
    /// Takes the place of a line of cells within a path of packets, which is elsewhere.
    pub fn elsewhere(link: &spec::Link, seed: u64) -> Self {
        let mut line = spec::Line::clone(&link.line);
        (line.queue, line.loss, line.schedule) = (None, None, None);
        let link = spec::Link {
            line: line.into(),
            ..link.clone()
        };
        let mut port = Self::new(&link, seed, (&[], 0), false);
        port.leads = Leads::Elsewhere;
        port
    }
}
