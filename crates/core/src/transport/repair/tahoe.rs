//! Tahoe: on the third duplicate ack the sender goes back to the missing segment, and sends on from there.
//= fall-floyd-1996 §2

use super::cumulative::{Cumulative, Style};
use super::{About, Answer, Habits, Make};
use crate::transport::Common;

crate::declare! {
    /// Goes back to the missing segment on three duplicate acks, and retransmits everything from there.
    pub struct TahoeParams as "tahoe" from "fall-floyd-1996 §2" {
        /// Duplicate acks before a timeout count after it as well (ns-2).
        timeout_keeps_duplicates: bool = "false";
        /// A fast retransmit goes back: what follows the missing segment is sent again as well. If false, only a timeout goes back
        /// (4.3BSD-Tahoe).
        go_back: bool = "true";
    }
}

/// Its demands on the timer.
pub const ABOUT: About = About::new(Habits::TCP)
    .refusing(refuses)
    .with_control("tahoe");

/// Why it does not go with some controllers.
fn refuses(answer: Answer) -> Option<&'static str> {
    (answer != Answer::Closes).then_some(
        "going back on three duplicate acks needs a window that closes to one segment; under one that stays open, the duplicates \
         of retransmissions would send it back over and over",
    )
}

/// The machine.
pub type Tahoe = Cumulative;

impl Make<TahoeParams> for Tahoe {
    fn make(own: &TahoeParams, common: &Common) -> Self {
        let style = if own.go_back {
            Style::Restart
        } else {
            Style::Resend
        };
        Cumulative::new(style, common).keeping(own.timeout_keeps_duplicates)
    }
}
