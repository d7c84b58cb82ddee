//! On-off: a message of random length, silence until all of it has been acknowledged, a random think time, the next message.
//!
//! Over a transport without acks, the silence ends when the last packet has been sent.
//!
//! The length is geometric, so that it is a whole number of packets; the think time is exponential. Each cycle draws its length,
//! then its think time: two users with the same stream have the same messages and think times, however long their messages take.
//= keshav-morgan-1997 §2

use super::{Offer, Released, Traffic};
use crate::declare::Fault;
use crate::measure::{Bytes, MeanPackets, Pacer, Rate};
use crate::rng::Stream;
use crate::time::{Duration, Instant};

crate::declare! {
    /// Sends messages of random length, each after a random think time that begins when the previous one is acknowledged.
    pub struct OnOffParams as "on-off" from "keshav-morgan-1997 §2" {
        /// Mean length of a message; the length is geometrically distributed.
        on: MeanPackets;
        /// Mean think time, exponentially distributed; it begins when the whole message has been acknowledged.
        off: Duration;
        /// Rate at which the packets of a message are generated, headers included; the first is generated at once.
        rate: Option<Rate> = unset "the whole message at once";
    }
}

impl Offer for OnOffParams {
    fn endless(&self) -> Option<Fault> {
        (self.off == Duration::ZERO).then(|| Fault {
            name: "off",
            found: "\"0 s\"".into(),
            allowed: "more than 0 s: without acks nothing else separates the messages".into(),
        })
    }
}

/// An on-off user.
#[derive(Clone, Debug)]
pub struct OnOff {
    on: f64,
    off: Duration,
    /// Pacing of the generation of packets, and the length of one \[bits\].
    pace: Option<(Pacer, u64)>,
    stream: Stream,
    segments: u64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Before,
    /// A message is coming into being.
    Speaks {
        begun: Instant,
        /// Time of the next packet.
        next: Instant,
        /// Packets of the message that are still to be generated.
        left: u64,
    },
    /// All of the message is handed over.
    Waits {
        begun: Instant,
    },
    /// All of it is acknowledged.
    Thinks {
        until: Instant,
    },
}

impl OnOff {
    /// Before its start.
    pub fn new(params: &OnOffParams, mss: Bytes, header: Bytes, stream: Stream) -> Self {
        let bits = (mss.0 + header.0) * 8;
        Self {
            on: params.on.0,
            off: params.off,
            pace: params.rate.map(|rate| (Pacer::new(rate), bits)),
            stream,
            segments: 0,
            stage: Stage::Before,
        }
    }

    /// A message begins.
    fn begin(&mut self, now: Instant) {
        let length = self.stream.geometric(self.on);
        if let Some((pacer, _)) = &mut self.pace {
            pacer.rest();
            self.hand_over(now, now, length);
        } else {
            // The sum saturates, because the largest number of segments is more than is ever sent.
            self.segments = self.segments.saturating_add(length);
            self.stage = Stage::Waits { begun: now };
        }
    }

    /// Generates, at `now`, the first of the last `left` packets of the message that began at `begun`.
    fn hand_over(&mut self, begun: Instant, now: Instant, left: u64) {
        self.segments = self.segments.saturating_add(1);
        self.stage = match &mut self.pace {
            Some((pacer, bits)) if left > 1 => Stage::Speaks {
                begun,
                next: now + pacer.advance(*bits),
                left: left - 1,
            },
            _ => Stage::Waits { begun },
        };
    }
}

impl Traffic for OnOff {
    fn handle_start(&mut self, now: Instant) {
        self.begin(now);
    }

    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
        match self.stage {
            Stage::Waits { begun } if segments >= self.segments => {
                let until = now + self.stream.exponential(self.off);
                self.stage = Stage::Thinks { until };
                Some(begun)
            }
            _ => None,
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self.stage {
            Stage::Speaks { begun, next, left } if next <= now => self.hand_over(begun, next, left),
            Stage::Thinks { until } if until <= now => self.begin(now),
            _ => {}
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        match self.stage {
            Stage::Speaks { next, .. } => Some(next),
            Stage::Thinks { until } => Some(until),
            Stage::Before | Stage::Waits { .. } => None,
        }
    }

    fn released(&self) -> Released {
        Released {
            segments: self.segments,
            complete: !matches!(self.stage, Stage::Speaks { .. }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use std::format;
    use std::string::{String, ToString};
    use std::vec::Vec;

    /// Packets of 500 bytes: at 8 Mb/s one in 0.5 ms.
    const MSS: Bytes = Bytes(460);
    const HEADER: Bytes = Bytes(40);

    /// The path of a stream whose first messages have these lengths, if their mean is 2.
    fn path(lengths: &[u64]) -> String {
        let of = |path: &String| -> Vec<u64> {
            let mut stream = Stream::new(1, path);
            let draw = |_| {
                let length = stream.geometric(2.0);
                stream.exponential(Duration::ZERO);
                length
            };
            (0..lengths.len()).map(draw).collect()
        };
        let mut paths = (0..).map(|n| format!("test-{n}"));
        paths.find(|path| of(path) == lengths).unwrap()
    }

    /// Plays a script to a user with messages of mean 2 packets, in truth of `lengths`.
    ///
    /// A line is `TIME STEP => SEGMENTS [more] [next TIME] [began TIME]`, times in us. Steps: `start`, `ack N`, `wake`. Then: all that is
    /// released, whether `more` will come before it is acknowledged, when the next wake-up is due, and when the
    /// message began that is now acknowledged.
    fn play(lengths: &[u64], texts: &[(&str, &str)], script: &str) {
        let texts: Vec<_> = [("on", "2 packets")].iter().chain(texts).copied().collect();
        let params = OnOffParams::from_texts(&texts);
        let stream = Stream::new(1, &path(lengths));
        let mut user = OnOff::new(&params, MSS, HEADER, stream);
        let us = |at: Instant| (at.0 / 1_000_000).to_string();
        for line in script
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
        {
            let (left, want) = line.split_once(" => ").expect(line);
            let words: Vec<&str> = left.split_whitespace().collect();
            let number = |word: &str| word.parse::<u64>().expect(line);
            let now = Instant(number(words[0]) * 1_000_000);
            let mut began = None;
            match words[1] {
                "start" => user.handle_start(now),
                "ack" => began = user.handle_acknowledged(now, number(words[2])),
                "wake" => user.handle_timeout(now),
                _ => panic!("{line}"),
            }
            let Released { segments, complete } = user.released();
            let mut found = segments.to_string();
            if !complete {
                found += " more";
            }
            if let Some(next) = user.poll_timeout() {
                found += &(" next ".to_string() + &us(next));
            }
            if let Some(began) = began {
                found += &(" began ".to_string() + &us(began));
            }
            assert_eq!(found, want, "{line}");
        }
    }

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // "After a source has generated a message [...], it waits until all the packets have been correctly acknowledged."
    fn a_message_at_once() {
        play(
            &[3, 1, 2],
            &[("off", "0 s")],
            "
            100 start => 3
            200 ack 2 => 3
            250 wake  => 3
            300 ack 3 => 3 next 300 began 100
            300 ack 3 => 3 next 300
            300 wake  => 4
            400 ack 3 => 4
            500 ack 4 => 4 next 500 began 300
            510 wake  => 6
            600 ack 6 => 6 next 600 began 510
            ",
        );
    }

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // "during an ON period, a source generates bits at a rate".
    fn a_message_that_comes_into_being() {
        play(
            &[3, 1, 2],
            &[("off", "0 s"), ("rate", "8 Mb/s")],
            "
            0    start => 1 more next 500
            400  ack 1 => 1 more next 500
            499  wake  => 1 more next 500
            500  wake  => 2 more next 1000
            1100 wake  => 3
            1200 ack 2 => 3
            1300 ack 3 => 3 next 1300 began 0
            1300 wake  => 4
            1400 ack 4 => 4 next 1400 began 1300
            1400 wake  => 5 more next 1900
            1900 wake  => 6
            ",
        );
    }

    #[test]
    fn who_was_woken_late_is_on_time_again() {
        play(
            &[4],
            &[("off", "0 s"), ("rate", "8 Mb/s")],
            "
            0    start => 1 more next 500
            1700 wake  => 2 more next 1000
            1700 wake  => 3 more next 1500
            1700 wake  => 4
            ",
        );
    }

    #[test]
    //= keshav-morgan-1997 §2 type=test
    // "It then goes OFF for an additional, randomly chosen think time": drawn from the stream after the length of the message.
    fn times_to_think_are_drawn_after_lengths() {
        let params = OnOffParams::from_texts(&[("on", "2.5 packets"), ("off", "70 ms")]);
        let mut stream = Stream::new(3, "test");
        let mut user = OnOff::new(&params, MSS, HEADER, stream.clone());
        let (mut now, mut segments) = (Instant(5), 0);
        user.handle_start(now);
        for _ in 0..20 {
            segments += stream.geometric(2.5);
            assert_eq!(user.released().segments, segments);
            now += Duration::millis(9);
            assert!(user.handle_acknowledged(now, segments).is_some());
            now += stream.exponential(Duration::millis(70));
            assert_eq!(user.poll_timeout(), Some(now));
            user.handle_timeout(Instant(now.0 - 1));
            assert_eq!(user.released().segments, segments, "not before its time");
            user.handle_timeout(now);
        }
    }
}
