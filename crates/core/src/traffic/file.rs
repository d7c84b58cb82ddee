//! File: a given amount of data, handed over at once. It is complete when all of it has been acknowledged; over a transport without
//! acks, when all has been sent, which is at once.

use super::{Extent, Offer, Released, Traffic};
use crate::declare::Fault;
use crate::measure::{Bytes, Window};
use crate::rng::Stream;
use crate::time::Instant;
use alloc::vec::Vec;

crate::declare! {
    /// Hands over a given amount of data at the start.
    pub struct FileParams as "file" from "common practice" {
        /// Amount of data; the last segment is short if it is not a whole number of segments.
        size: Window;
    }
    check |it| match it.size {
        Window::Bytes(0) | Window::Segments(0) => {
            Err(Fault { name: "size", found: "0".into(), allowed: "more than 0".into() })
        }
        _ => Ok(()),
    }
}

impl Offer for FileParams {
    fn mean_size(&self, mss: Bytes) -> Option<f64> {
        Some(self.size.bytes(mss).0 as f64)
    }
    fn files(&self, mss: Bytes) -> Vec<Extent> {
        Vec::from([Extent::of(self.size.bytes(mss), mss)])
    }
}

/// One message: the file.
#[derive(Clone, Debug)]
pub struct File {
    /// The whole file.
    all: Extent,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Before,
    Sent { begun: Instant },
    Acknowledged,
}

impl File {
    /// Before its start.
    pub fn new(params: &FileParams, mss: Bytes, _header: Bytes, _: Stream) -> Self {
        Self {
            all: Extent::of(params.size.bytes(mss), mss),
            stage: Stage::Before,
        }
    }
}

impl Traffic for File {
    fn handle_start(&mut self, now: Instant) {
        self.stage = Stage::Sent { begun: now };
    }
    fn handle_acknowledged(&mut self, _: Instant, segments: u64) -> Option<Instant> {
        match self.stage {
            Stage::Sent { begun } if segments >= self.all.segments => {
                self.stage = Stage::Acknowledged;
                Some(begun)
            }
            _ => None,
        }
    }
    fn handle_timeout(&mut self, _: Instant) {}
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    fn released(&self) -> Released {
        Released {
            segments: match self.stage {
                Stage::Before => 0,
                Stage::Sent { .. } | Stage::Acknowledged => self.all.segments,
            },
            complete: true,
        }
    }
    fn extent(&self) -> Option<Extent> {
        Some(self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    #[test]
    fn a_file_is_one_message_of_all_its_segments() {
        let params = FileParams::from_texts(&[("size", "2001 B")]);
        let stream = Stream::new(1, "test");
        let mut file = File::new(&params, Bytes(1000), Bytes(40), stream);
        assert_eq!(file.released().segments, 0);
        file.handle_start(Instant(7));
        let all = Released {
            segments: 3,
            complete: true,
        };
        assert_eq!((file.released(), file.poll_timeout()), (all, None));
        assert_eq!(file.handle_acknowledged(Instant(8), 2), None);
        assert_eq!(file.handle_acknowledged(Instant(9), 3), Some(Instant(7)));
        assert_eq!(file.handle_acknowledged(Instant(9), 3), None, "once");
        assert_eq!(file.released(), all);
    }
}
