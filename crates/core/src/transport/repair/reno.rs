//! Reno: the missing segment is retransmitted on the third duplicate ack; the first ack of new data ends the recovery.
//= rfc5681 §3.2

use super::cumulative::{Cumulative, Style};
use super::{About, Habits, Make};
use crate::transport::Common;

crate::declare! {
    /// Retransmits the missing segment on three duplicate acks; the first ack of new data ends the recovery.
    pub struct RenoParams as "reno" from "rfc5681 §3.2" {
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
pub type Reno = Cumulative;

impl Make<RenoParams> for Reno {
    fn make(own: &RenoParams, common: &Common) -> Self {
        Cumulative::new(Style::Recover, common)
            .early(own.early_retransmit)
            .frto(own.frto)
    }
}
