//! NewReno: as Reno, but a partial ack sends the next missing segment again, and the recovery goes on.
//= rfc6582 §3.2

use super::cumulative::{Cumulative, Style};
use super::{Answer, Habits};
use crate::transport::Common;

crate::declare! {
    /// Three duplicates send the missing segment again; so does every ack of a part of what was outstanding.
    pub struct Own as "newreno" from "rfc6582 §3.2" {
    }
}

/// What it asks of the timer.
pub const HABITS: Habits = Habits::TCP;

/// Why it does not go with some controllers.
pub fn refuses(answer: Answer) -> Option<&'static str> {
    super::needs_a_window_that_stays_open(answer)
}

/// The machine.
pub type Machine = Cumulative;

/// At the start of a connection.
pub fn machine(_: &Own, common: &Common) -> Machine {
    Cumulative::new(Style::Partial, common)
}
