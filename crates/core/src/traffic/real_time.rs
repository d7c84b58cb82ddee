//! Real-time frames: audio or video frames at fixed intervals, each of which is of use until its deadline.
//!
//! A frame is complete when all of its packets have been handed to the receiving application. Its delay counts from its generation.
//! Over `udp` a frame with a lost packet is never complete; over TCP it waits for the retransmission, and so do those after it.
//!
//! Key frames are larger and come at fixed distances, as in a video in which they need no other frame to be decoded.
//= itu-t-g114

use super::{Measures, Offer, Released, Traffic};
use crate::declare::Fault;
use crate::measure::Bytes;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::collections::{BTreeMap, BTreeSet};

crate::declare! {
    /// Generates frames at fixed intervals and counts those that arrive before their deadline.
    pub struct RealTimeParams as "real-time" from "itu-t-g114" {
        /// Time between frames; the first is generated at once.
        interval: Duration = "20 ms";
        /// Payload of a frame.
        size: Bytes = "80 B";
        /// Number of frames from one key frame to the next; the first frame is one of them.
        key_every: Option<u64> = unset "no key frames", try ["3"];
        /// Payload of a key frame.
        key_size: Option<Bytes> = unset "10 times size", try ["3 kB"];
        /// Longest delay at which a frame is of use.
        deadline: Duration = "150 ms";
    }
    check |it| {
        let fault = |name, found: &str, allowed: &str| Err(Fault { name, found: found.into(), allowed: allowed.into() });
        if it.interval == Duration::ZERO { return fault("interval", "\"0 s\"", "more than 0 s"); }
        if it.size.0 == 0 { return fault("size", "\"0 B\"", "at least 1 B"); }
        if it.key_every == Some(0) { return fault("key_every", "0", "at least 1"); }
        if it.key_size == Some(Bytes(0)) { return fault("key_size", "\"0 B\"", "at least 1 B"); }
        if it.key_size.is_some() && it.key_every.is_none() {
            return fault("key_size", "a size", "nothing, or key_every beside it: without that there are no key frames");
        }
        Ok(())
    }
}

impl Offer for RealTimeParams {
    fn measures(&self) -> Measures {
        Measures::Frames(self.deadline)
    }
}

/// Frames after which one that is not complete is given up.
const GIVEN_UP: u64 = 10_000;

/// The payload of a frame in segments.
#[derive(Clone, Copy, Debug)]
struct Cut {
    segments: u64,
    last: Bytes,
}

impl Cut {
    fn of(size: Bytes, mss: Bytes) -> Self {
        let segments = size.0.div_ceil(mss.0);
        let last = Bytes(size.0 - (segments - 1) * mss.0);
        Self { segments, last }
    }
}

/// Where a segment belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    frame: u64,
    /// The frame has as many segments, and this is its number among them.
    segments: u64,
    number: u64,
}

/// A source of frames, and the application that receives them.
#[derive(Clone, Debug)]
pub struct RealTime {
    interval: Duration,
    mss: Bytes,
    usual: Cut,
    /// Length of a cycle, which a key frame begins, in frames.
    key: Option<(u64, Cut)>,
    start: Option<Instant>,
    /// Frames generated.
    frames: u64,
    segments: u64,
    /// The segments that have arrived of each frame, of which some are complete; those before `oldest` are given up.
    arrived: BTreeMap<u64, BTreeSet<u64>>,
    oldest: u64,
}

impl RealTime {
    /// Before its start.
    pub fn new(params: &RealTimeParams, mss: Bytes, _header: Bytes, _: Stream) -> Self {
        let key = params.key_size.unwrap_or(Bytes(10 * params.size.0));
        Self {
            interval: params.interval,
            mss,
            usual: Cut::of(params.size, mss),
            key: params.key_every.map(|every| (every, Cut::of(key, mss))),
            start: None,
            frames: 0,
            segments: 0,
            arrived: BTreeMap::new(),
            oldest: 0,
        }
    }

    fn cut(&self, frame: u64) -> Cut {
        match self.key {
            Some((every, key)) if frame.is_multiple_of(every) => key,
            _ => self.usual,
        }
    }

    fn place(&self, segment: u64) -> Place {
        let usual = self.usual.segments;
        let Some((every, key)) = self.key else {
            return Place {
                frame: segment / usual,
                segments: usual,
                number: segment % usual,
            };
        };
        let cycle = key.segments + (every - 1) * usual;
        let (first, within) = (segment / cycle * every, segment % cycle);
        match within.checked_sub(key.segments) {
            None => Place {
                frame: first,
                segments: key.segments,
                number: within,
            },
            Some(after) => Place {
                frame: first + 1 + after / usual,
                segments: usual,
                number: after % usual,
            },
        }
    }

    fn time(&self, frame: u64) -> Option<Instant> {
        let after = Duration(self.interval.0.saturating_mul(frame));
        self.start.map(|start| start + after)
    }

    fn generate(&mut self) {
        self.segments += self.cut(self.frames).segments;
        self.frames += 1;
    }
}

impl Traffic for RealTime {
    fn handle_start(&mut self, now: Instant) {
        self.start = Some(now);
        self.generate();
    }

    fn handle_acknowledged(&mut self, _: Instant, _: u64) -> Option<Instant> {
        None
    }

    fn handle_timeout(&mut self, now: Instant) {
        while self.poll_timeout().is_some_and(|next| next <= now) {
            self.generate();
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.time(self.frames)
    }

    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: false,
        }
    }

    fn cuts(&self) -> bool {
        true
    }

    fn payload(&self, segment: u64) -> Option<Bytes> {
        let place = self.place(segment);
        let last = place.number + 1 == place.segments;
        Some(if last {
            self.cut(place.frame).last
        } else {
            self.mss
        })
    }

    fn listens(&self) -> bool {
        true
    }

    fn handle_read(&mut self, _: Instant, segment: u64) -> Option<Instant> {
        let Place {
            frame, segments, ..
        } = self.place(segment);
        if frame < self.oldest {
            return None;
        }
        let arrived = self.arrived.entry(frame).or_default();
        // Datagrams may come twice.
        let complete = arrived.insert(segment) && arrived.len() as u64 == segments;
        let oldest = frame.saturating_sub(GIVEN_UP);
        if oldest > self.oldest {
            self.oldest = oldest;
            self.arrived = self.arrived.split_off(&oldest);
        }
        if complete { self.time(frame) } else { None }
    }

    fn generated(&self, before: Instant) -> u64 {
        let since = |start| before.since(start).0.div_ceil(self.interval.0);
        self.start.map_or(0, since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use alloc::vec::Vec;

    fn source(texts: &[(&str, &str)]) -> RealTime {
        let params = RealTimeParams::from_texts(texts);
        RealTime::new(&params, Bytes(1000), Bytes(40), Stream::new(1, "test"))
    }

    fn millis(n: u64) -> Instant {
        Instant::ZERO + Duration::millis(n)
    }

    #[test]
    fn a_frame_per_interval_and_key_frames_among_them() {
        let mut it = source(&[("size", "1500 B"), ("key_every", "3"), ("key_size", "3 kB")]);
        assert_eq!((it.released().segments, it.poll_timeout()), (0, None));
        it.handle_start(millis(5));
        assert_eq!(
            it.released(),
            Released {
                segments: 3,
                complete: false
            }
        );
        let mut segments = Vec::new();
        for n in 1..5 {
            assert_eq!(it.poll_timeout(), Some(millis(5 + 20 * n)));
            it.handle_timeout(millis(5 + 20 * n));
            segments.push(it.released().segments);
        }
        assert_eq!(segments, [5, 7, 10, 12]);
        let payloads: Vec<u64> = (0..12)
            .map(|at| it.payload(at).expect("its own").0)
            .collect();
        let kilo = 1000;
        assert_eq!(
            payloads,
            [
                kilo, kilo, kilo, kilo, 500, kilo, 500, kilo, kilo, kilo, kilo, 500
            ]
        );
        let frames: Vec<u64> = (0..12).map(|at| it.place(at).frame).collect();
        assert_eq!(frames, [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4]);
    }

    #[test]
    fn a_frame_is_complete_with_its_last_packet_once() {
        let mut it = source(&[("size", "1500 B")]);
        it.handle_start(millis(0));
        it.handle_timeout(millis(20));
        assert_eq!(it.handle_read(millis(21), 3), None);
        assert_eq!(it.handle_read(millis(22), 3), None, "the same packet again");
        assert_eq!(it.handle_read(millis(30), 0), None);
        assert_eq!(it.handle_read(millis(30), 1), Some(millis(0)));
        assert_eq!(it.handle_read(millis(31), 1), None, "complete already");
        assert_eq!(it.handle_read(millis(51), 2), Some(millis(20)));
        let before = [0, 1, 20, 21, 40].map(|ms| it.generated(millis(ms)));
        assert_eq!(before, [0, 1, 1, 2, 2]);
    }

    #[test]
    fn what_is_too_old_is_forgotten() {
        let mut it = source(&[]);
        it.handle_start(millis(0));
        it.handle_timeout(millis(20 * 2 * GIVEN_UP));
        for frame in 1..2 * GIVEN_UP {
            assert!(it.handle_read(millis(20 * frame), frame).is_some());
        }
        assert_eq!(it.handle_read(millis(20 * 2 * GIVEN_UP), 0), None);
        assert!(it.arrived.len() as u64 <= GIVEN_UP + 1);
    }
}
