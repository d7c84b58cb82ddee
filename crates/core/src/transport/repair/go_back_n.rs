//! Go-back-N: no ack proves a loss; on a timeout the whole outstanding window is retransmitted, and the timeout doubles.
//= keshav-morgan-1997 §3, §2

use super::{About, Advance, Habits, Make, Reading, Repair, Span, window_end};
use crate::transport::{Ack, Common, RtoRule, Samples};

crate::declare! {
    /// Retransmits the whole outstanding window on a timeout.
    pub struct GoBackNParams as "go-back-n" from "keshav-morgan-1997 §2" {
    }
}

/// Its demands on the timer: twice the smoothed round trip.
//= keshav-morgan-1997 §2
pub const ABOUT: About = About::new(Habits {
    rto: RtoRule::TwiceSrtt,
    samples: Samples::Karn,
    ..Habits::TCP
})
.with_control("static-window");

/// Repair by the timer alone.
#[derive(Clone, Debug)]
pub struct GoBackN;

impl Make<GoBackNParams> for GoBackN {
    fn make(_: &GoBackNParams, _: &Common) -> Self {
        Self
    }
}

impl Repair for GoBackN {
    fn on_ack(&mut self, ack: &Ack, span: &Span) -> Reading {
        if ack.next > span.una {
            Reading::Advance(Advance::Open)
        } else if ack.next < span.una || span.una == span.max {
            Reading::Stale
        } else {
            Reading::Duplicate
        }
    }
    fn on_timeout(&mut self, _: &Span) {}
    fn poll(&mut self, span: &Span, window: f64) -> Option<u64> {
        (span.next < window_end(span, window, 0)).then_some(span.next)
    }
    fn on_sent(&mut self, _: u64, _: u64, _: &Span) {}
}
