//! Reno: the third duplicate sends the missing segment again; the first ack of new data ends the recovery.
//= rfc5681 §3.2

use super::cumulative::{Cumulative, Style};
use super::{Answer, Habits};
use crate::transport::Common;

crate::declare! {
    /// Three duplicates send the missing segment again; the first ack of new data ends the recovery.
    pub struct Own as "reno" from "rfc5681 §3.2" {
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
    Cumulative::new(Style::Recover, common)
}
