//! No repair: datagrams. Nothing is acknowledged, nothing is retransmitted, and no timer runs.
//!
//! Of the parameters that every transport has only `mss` and `header` mean something then, 28 bytes of UDP and IP rather than TCP's 40.
//! The rest is about acks, windows and timers, and so is the controller's window: nothing is ever outstanding, so no window limits the
//! flow. Data of the application is sent at once; only its rate sets the pace.
//= rfc768

use super::{About, Habits, Hears, Make, Reading, Repair, Span};
use crate::transport::{Ack, Common};

crate::declare! {
    /// Retransmits nothing; nothing is acknowledged.
    pub struct DatagramsParams as "none" from "rfc768" {
    }
}

/// Its demands on the sender: not to wait for anything.
pub const ABOUT: About = About::new(Habits {
    hears: Hears::Nothing,
    ..Habits::TCP
});

/// Sends data as it is handed over.
#[derive(Clone, Debug)]
pub struct Datagrams;

impl Make<DatagramsParams> for Datagrams {
    fn make(_: &DatagramsParams, _: &Common) -> Self {
        Datagrams
    }
}

impl Repair for Datagrams {
    fn on_ack(&mut self, _: &Ack, _: &Span) -> Reading {
        Reading::Stale
    }
    fn on_timeout(&mut self, _: &Span) {}
    fn poll(&mut self, span: &Span, _: f64) -> Option<u64> {
        (span.next < span.edge).then_some(span.next)
    }
    fn on_sent(&mut self, _: u64, _: u64, _: &Span) {}
}
