//! NewReno: as Reno, but the next missing segment is retransmitted on a partial ack, and the recovery goes on.
//= rfc6582 §3.2
//= rfc5681 §4.3, advanced

use super::cumulative::{Cumulative, Deflate, PartialTimer, Style};
use super::{About, Habits, Make};
use crate::transport::Common;

crate::declare! {
    /// Retransmits the missing segment on three duplicate acks, and on every partial ack.
    pub struct NewrenoParams as "newreno" from "rfc6582 §3.2" {
        /// Maximum number of new segments per ack in a recovery.
        burst: Option<u64> = unset "unlimited", try ["2"];
        /// Quantity that partial acks deflate when they have acknowledged more than the duplicates had added.
        deflate: Deflate = "sum";
        /// Partial acks of a recovery that restart the retransmission timer.
        partial_timer: PartialTimer = "first";
        /// F-RTO: after a timeout the second ack tells whether it was spurious (RFC 5682); then the window is what it was.
        frto: bool = "false";
        /// Early retransmit: with fewer than four segments outstanding and no more to send, all duplicate acks that can come are enough
        /// (RFC 5827).
        early_retransmit: bool = "false";
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits::TCP)
    .refusing(super::needs_a_window_that_stays_open)
    .with_control("reno");

/// The machine.
pub type Newreno = Cumulative;

impl Make<NewrenoParams> for Newreno {
    fn make(own: &NewrenoParams, common: &Common) -> Self {
        Cumulative::new(Style::Partial, common)
            .with(own.burst, own.deflate, own.partial_timer)
            .early(own.early_retransmit)
            .frto(own.frto)
    }
}
