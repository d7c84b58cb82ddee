//! Tahoe: the third duplicate goes back to the missing segment, and sends on from there.
//= fall-floyd-1996 §2

use super::cumulative::{Cumulative, Style};
use super::{Answer, Habits};
use crate::transport::Common;

crate::declare! {
    /// Three duplicates go back to the missing segment, and everything from there is sent again.
    pub struct Own as "tahoe" from "fall-floyd-1996 §2" {
        /// After a timeout duplicates are counted on from what there were (ns-2).
        timeout_keeps_duplicates: bool = "false";
    }
}

/// What it asks of the timer.
pub const HABITS: Habits = Habits::TCP;

/// Why it does not go with some controllers.
pub fn refuses(answer: Answer) -> Option<&'static str> {
    (answer != Answer::Closes).then_some(
        "going back on three duplicates needs a window that closes to one segment; under one that stays open, the duplicates \
         of what is sent again would send it back over and over",
    )
}

/// The machine.
pub type Machine = Cumulative;

/// At the start of a connection.
pub fn machine(own: &Own, common: &Common) -> Machine {
    Cumulative::new(Style::Restart, common).keeping(own.timeout_keeps_duplicates)
}
