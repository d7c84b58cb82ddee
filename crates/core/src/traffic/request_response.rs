//! Requests and responses: a user asks for something, reads the response, thinks, and asks again.
//!
//! The flow carries the responses. A request takes the way of the acks, as does the ack that completes the response before it: so the time
//! from a request to the end of its response is, for the sender, that from the start of the response to its last ack, and think times
//! begin with that ack.

use super::{Measures, Offer, Piece, Released, Traffic};
use crate::data::Sizes;
use crate::declare::Fault;
use crate::measure::{Bytes, Window};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::sync::Arc;

crate::choice! {
    /// Distribution of think times.
    pub enum Thinking {
        /// Exponential.
        Exponential = "exponential",
        /// All alike.
        Constant = "constant",
    }
}

crate::declare! {
    /// Sends responses, each after a think time that begins when the one before has arrived.
    pub struct RequestResponseParams as "request-response" from "common practice" {
        /// Length of a response, unless `sizes` has their distribution.
        size: Window = "20 kB";
        /// Distribution of the length of a response in bytes.
        sizes: Option<Arc<Sizes>> = unset "each has `size`";
        /// Mean think time.
        think: Duration = "1 s", show "200 ms";
        /// Distribution of think times.
        thinking: Thinking = "exponential";
    }
    check |it| match it.size {
        Window::Bytes(0) | Window::Segments(0) => Err(Fault { name: "size", found: "0".into(), allowed: "more than 0".into() }),
        _ => Ok(()),
    }
}

impl Offer for RequestResponseParams {
    fn measures(&self) -> Measures {
        Measures::Responses
    }
    fn needs_acks(&self) -> bool {
        true
    }
}

/// The server, and the user's think times.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    size: Bytes,
    sizes: Option<Arc<Sizes>>,
    think: Duration,
    thinking: Thinking,
    mss: Bytes,
    stream: Stream,
    response: Piece,
    begun: Option<Instant>,
    next: Option<Instant>,
}

impl RequestResponse {
    /// Before its start.
    pub fn new(params: &RequestResponseParams, mss: Bytes, _header: Bytes, stream: Stream) -> Self {
        Self {
            size: params.size.bytes(mss),
            sizes: params.sizes.clone(),
            think: params.think,
            thinking: params.thinking,
            mss,
            stream,
            response: Piece::default(),
            begun: None,
            next: None,
        }
    }

    fn respond(&mut self, now: Instant) {
        let drawn = self.sizes.as_ref();
        let size = drawn.map_or(self.size, |sizes| sizes.draw(None, &mut self.stream));
        self.response = self.response.then(size, self.mss);
        (self.begun, self.next) = (Some(now), None);
    }
}

impl Traffic for RequestResponse {
    fn handle_start(&mut self, now: Instant) {
        self.respond(now);
    }

    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
        if segments < self.response.end() {
            return None;
        }
        let begun = self.begun.take()?;
        let think = match self.thinking {
            Thinking::Exponential => self.stream.exponential(self.think),
            Thinking::Constant => self.think,
        };
        self.next = Some(now + think);
        Some(begun)
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.next.is_some_and(|next| next <= now) {
            self.respond(now);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    fn released(&self) -> Released {
        Released {
            segments: self.response.end(),
            complete: true,
        }
    }

    fn cuts(&self) -> bool {
        true
    }

    fn payload(&self, segment: u64) -> Option<Bytes> {
        self.response.payload(segment, self.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    fn a_think_time_begins_when_the_response_is_acknowledged() {
        let texts = [
            ("size", "2500 B"),
            ("think", "30 ms"),
            ("thinking", "constant"),
        ];
        let params = RequestResponseParams::from_texts(&texts);
        let stream = Stream::new(1, "test");
        let mut it = RequestResponse::new(&params, Bytes(1000), Bytes(40), stream);
        let millis = |n| Instant::ZERO + Duration::millis(n);
        it.handle_start(millis(5));
        assert_eq!(
            it.released(),
            Released {
                segments: 3,
                complete: true
            }
        );
        assert_eq!(
            [0, 1, 2].map(|at| it.payload(at)),
            [1000, 1000, 500].map(|n| Some(Bytes(n)))
        );
        assert_eq!(it.handle_acknowledged(millis(20), 2), None);
        assert_eq!(it.poll_timeout(), None);
        assert_eq!(it.handle_acknowledged(millis(30), 3), Some(millis(5)));
        assert_eq!(it.handle_acknowledged(millis(31), 3), None, "once");
        assert_eq!(it.poll_timeout(), Some(millis(60)));
        it.handle_timeout(millis(60));
        assert_eq!(it.released().segments, 6);
        assert_eq!(
            [3, 4, 5].map(|at| it.payload(at)),
            [1000, 1000, 500].map(|n| Some(Bytes(n)))
        );
        assert_eq!(it.handle_acknowledged(millis(90), 6), Some(millis(60)));
    }
}
