//! Greedy: always has more to send.
//!
//! With an access rate, the source's transmissions, including retransmissions, are limited to that rate, as by a slow interface of
//! its own; the window still decides when they stop. Time that the window held back is not made up for by a burst. An access link
//! of that rate also limits a source, but then a window larger than the path's BDP fills the buffer of the link.

use super::{Offer, Released, Traffic};
use crate::declare::Fault;
use crate::measure::{Bytes, Rate};
use crate::rng::Stream;
use crate::time::Instant;

crate::declare! {
    /// Always has data to send.
    pub struct GreedyParams as "greedy" from "cohen-hamo-2001 §3" {
        /// Rate that its transmissions never exceed, TCP and IP headers and retransmissions included.
        access_rate: Option<Rate> = unset "unlimited";
    }
}

impl Offer for GreedyParams {
    fn access_rate(&self) -> Option<Rate> {
        self.access_rate
    }

    fn endless(&self) -> Option<Fault> {
        self.access_rate.is_none().then(|| Fault {
            name: "access_rate",
            found: "\"unlimited\"".into(),
            allowed: "a rate such as \"45 Mb/s\": without acks nothing else limits it".into(),
        })
    }
}

/// Hands over more than can ever be sent, when it starts.
#[derive(Clone, Debug)]
pub struct Greedy {
    segments: u64,
}

impl Greedy {
    /// Before its start.
    pub fn new(_: &GreedyParams, _mss: Bytes, _header: Bytes, _: Stream) -> Self {
        Self { segments: 0 }
    }
}

impl Traffic for Greedy {
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
