//! Reno: the missing segment is retransmitted on the third duplicate ack; the first ack of new data ends the recovery.
//= rfc5681 §3.2

use super::cumulative::{Cumulative, Style};
use super::{About, Habits, Make};
use crate::transport::Common;

crate::declare! {
    /// Retransmits the missing segment on three duplicate acks; the first ack of new data ends the recovery.
    pub struct RenoParams as "reno" from "rfc5681 §3.2" {
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits::TCP)
    .refusing(super::needs_a_window_that_stays_open)
    .with_control("reno");

/// The machine.
pub type Reno = Cumulative;

impl Make<RenoParams> for Reno {
    fn make(_: &RenoParams, common: &Common) -> Self {
        Cumulative::new(Style::Recover, common)
    }
}
