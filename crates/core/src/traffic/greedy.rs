//! Greedy: always has more to send.

use super::{Released, Traffic};
use crate::measure::Bytes;
use crate::rng::Stream;
use crate::time::Instant;

crate::declare! {
    /// Always has more to send.
    pub struct Params as "greedy" from "cohen-hamo-2001 §3" {
    }
}

impl Params {
    /// No end.
    pub fn size(&self, _: Bytes) -> Option<Bytes> {
        None
    }
}

/// Hands over more than can ever be sent, when it starts.
#[derive(Clone, Debug)]
pub struct Application {
    segments: u64,
}

impl Application {
    /// Before its start.
    pub fn new(_: &Params, _mss: Bytes, _header: Bytes, _: Stream) -> Self {
        Self { segments: 0 }
    }
}

impl Traffic for Application {
    fn handle_start(&mut self, _: Instant) {
        self.segments = u64::MAX;
    }
    fn handle_acknowledged(&mut self, _: Instant, _: u64) -> Option<Instant> {
        None
    }
    fn handle_timeout(&mut self, _: Instant) {}
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: true,
        }
    }
}
