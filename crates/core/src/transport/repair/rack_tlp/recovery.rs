//! Recoveries of RACK-TLP.

use crate::transport::repair::prr::Prr;

/// A recovery: it ends when all segments before `point` are acknowledged.
#[derive(Clone, Copy, Debug)]
pub enum Recovery {
    /// From losses that were found by acks or the reordering timer.
    Fast {
        /// Where it ends.
        point: u64,
        /// The reduction in its course, if it is not reduced at once.
        prr: Option<Prr>,
    },
    /// After the retransmission timer.
    Timeout {
        /// Where it ends.
        point: u64,
    },
}

impl Recovery {
    /// Where it ends.
    pub fn point(&self) -> u64 {
        match self {
            Self::Fast { point, .. } | Self::Timeout { point } => *point,
        }
    }
}
