//! Video chunks: a player fetches a film chunk by chunk, each at a rate that it chooses by its buffer (BBA-0), and plays it.
//!
//! | the player's buffer | rate of the next chunk |
//! |---|---|
//! | below the reservoir | the lowest |
//! | in the cushion above it | by a line from the lowest rate to the highest, once that reaches the next rate above or below |
//! | above the cushion | the highest |
//! | full | none is fetched until there is room |
//!
//! The player begins with the first chunk. It stalls when its buffer is empty, and goes on with the next chunk. A request takes the way
//! of the acks, so the next chunk is sent when the ack that completes the one before has arrived, and the player has room for it.
//= huang-2014 §4

use super::{Measures, Offer, Piece, Playback, Released, Traffic};
use crate::declare::Fault;
use crate::measure::{Bytes, Rate};
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use alloc::boxed::Box;
use alloc::vec::Vec;

crate::declare! {
    /// Fetches the chunks of a video at rates that follow the player's buffer, and counts stalls.
    pub struct VideoParams as "video" from "huang-2014 §4" {
        /// Playing time of a chunk.
        chunk: Duration = "4 s", show "1 s";
        /// R_min: the lowest rate of the video.
        lowest: Rate = "235 kb/s";
        /// R_max: the highest rate.
        highest: Rate = "5 Mb/s";
        /// Number of rates, from the lowest to the highest in equal ratios.
        rates: u64 = "8";
        /// Playing time for which the player has room.
        buffer: Duration = "240 s", try ["12 s"], show "8 s";
        /// r: with less playing time than this the rate is the lowest.
        reservoir: Duration = "90 s", try ["4 s"], show "2 s";
        /// The rate grows to the highest over this playing time above the reservoir.
        cushion: Duration = "126 s", try ["6 s"], show "4 s";
    }
    check |it| {
        let fault = |name, found: alloc::string::String, allowed: &str| Err(Fault { name, found, allowed: allowed.into() });
        let time = |time: Duration| alloc::format!("\"{} s\"", time.seconds());
        if it.chunk < Duration::millis(1) { return fault("chunk", time(it.chunk), "at least 1 ms"); }
        if it.lowest.0 == 0 { return fault("lowest", "\"0 b/s\"".into(), "more than 0 b/s"); }
        if it.highest < it.lowest { return fault("highest", alloc::format!("\"{} b/s\"", it.highest.0), "at least `lowest`"); }
        if !(1..=1000).contains(&it.rates) { return fault("rates", alloc::format!("{}", it.rates), "1 to 1000"); }
        if it.buffer < it.chunk { return fault("buffer", time(it.buffer), "at least `chunk`"); }
        Ok(())
    }
}

impl Offer for VideoParams {
    fn measures(&self) -> Measures {
        Measures::Playback
    }
    fn needs_acks(&self) -> bool {
        true
    }
}

/// The player's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Screen {
    /// Nothing has arrived yet; since when it waits.
    Starts(Instant),
    /// Its buffer will be empty then.
    Plays(Instant),
    /// It has been empty since then.
    Stalls(Instant),
}

/// What is seldom used of a video, apart from it, because every flow has room for the largest application.
#[derive(Clone, Debug)]
struct Film {
    params: VideoParams,
    /// Rates, from the lowest on \[bit/s\].
    ladder: Vec<f64>,
    done: Playback,
}

/// A server and a player.
#[derive(Clone, Debug)]
pub struct Video {
    film: Box<Film>,
    /// The rung of the current chunk.
    rung: usize,
    mss: Bytes,
    chunk: Piece,
    screen: Screen,
    /// The chunk has arrived, and the next may be sent this long after its last ack.
    wait: Option<Duration>,
    begun: Instant,
    next: Option<Instant>,
}

impl Video {
    /// Before its start.
    pub fn new(params: &VideoParams, mss: Bytes, _header: Bytes, _: Stream) -> Self {
        let (low, high) = (params.lowest.0 as f64, params.highest.0 as f64);
        let steps = (params.rates.max(2) - 1) as f64;
        let rate = |at: u64| low * libm::pow(high / low, at as f64 / steps);
        Self {
            film: Box::new(Film {
                params: params.clone(),
                ladder: (0..params.rates).map(rate).collect(),
                done: Playback::default(),
            }),
            rung: 0,
            mss,
            chunk: Piece::default(),
            screen: Screen::Starts(Instant::ZERO),
            wait: None,
            begun: Instant::ZERO,
            next: None,
        }
    }

    fn fetch(&mut self, now: Instant) {
        let bits = self.film.ladder[self.rung] * self.film.params.chunk.seconds();
        self.chunk = self.chunk.then(Bytes((bits / 8.0) as u64), self.mss);
        (self.begun, self.wait, self.next) = (now, None, None);
    }

    /// Playing time in the buffer.
    fn buffered(&self, now: Instant) -> Duration {
        match self.screen {
            Screen::Plays(until) => until.since(now),
            Screen::Starts(_) | Screen::Stalls(_) => Duration::ZERO,
        }
    }

    /// The buffer may have run out before `now`.
    fn play(&mut self, now: Instant) {
        if let Screen::Plays(until) = self.screen
            && until < now
        {
            self.screen = Screen::Stalls(until);
            self.film.done.stalls += 1;
        }
    }

    /// The rung of the next chunk, with this playing time in the buffer.
    //= huang-2014 §4, Algorithm 1
    fn choose(&self, buffered: Duration) -> usize {
        let (top, own) = (self.film.ladder.len() - 1, self.rung);
        let (reservoir, cushion) = (self.film.params.reservoir, self.film.params.cushion);
        if buffered <= reservoir {
            return 0;
        }
        if buffered >= reservoir + cushion {
            return top;
        }
        let (low, high) = (self.film.ladder[0], self.film.ladder[top]);
        let share = (buffered.0 - reservoir.0) as f64 / cushion.0 as f64;
        let wanted = low + share * (high - low);
        let (above, below) = (
            self.film.ladder[top.min(own + 1)],
            self.film.ladder[own.saturating_sub(1)],
        );
        let lower = self
            .film
            .ladder
            .iter()
            .filter(|rate| **rate < wanted)
            .count();
        if wanted >= above {
            // "the largest rate that is less than f(B)"
            lower.saturating_sub(1)
        } else if wanted <= below {
            // "the smallest rate that is greater than f(B)"
            let not_above = self
                .film
                .ladder
                .iter()
                .filter(|rate| **rate <= wanted)
                .count();
            not_above.min(top)
        } else {
            own
        }
    }

    /// The whole chunk has arrived.
    fn arrives(&mut self, now: Instant) {
        self.play(now);
        let until = match self.screen {
            Screen::Plays(until) => until,
            Screen::Starts(since) => {
                self.film.done.startup = Some(now - since);
                now
            }
            Screen::Stalls(since) => {
                self.film.done.stalled += u128::from((now - since).0);
                now
            }
        };
        self.screen = Screen::Plays(until + self.film.params.chunk);
        self.film.done.chunks += 1;
        self.film.done.rates += self.film.ladder[self.rung] as u128;
        let buffered = self.buffered(now);
        let next = self.choose(buffered);
        self.film.done.switches += u64::from(next != self.rung);
        self.rung = next;
        let room = self.film.params.buffer.0 - self.film.params.chunk.0;
        self.wait = Some(Duration(buffered.0.saturating_sub(room)));
    }
}

impl Traffic for Video {
    fn handle_start(&mut self, now: Instant) {
        self.screen = Screen::Starts(now);
        self.fetch(now);
    }

    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
        if segments < self.chunk.end() || self.next.is_some() {
            return None;
        }
        let wait = self.wait?;
        self.next = Some(now + wait);
        let begun = self.begun;
        if wait == Duration::ZERO {
            self.fetch(now);
        }
        Some(begun)
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.next.is_some_and(|next| next <= now) {
            self.fetch(now);
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    fn released(&self) -> Released {
        Released {
            segments: self.chunk.end(),
            complete: true,
        }
    }

    fn cuts(&self) -> bool {
        true
    }

    fn payload(&self, segment: u64) -> Option<Bytes> {
        self.chunk.payload(segment, self.mss)
    }

    fn listens(&self) -> bool {
        true
    }

    fn handle_read(&mut self, now: Instant, segment: u64) -> Option<Instant> {
        if segment + 1 == self.chunk.end() {
            self.arrives(now);
        }
        None
    }

    fn playback(&self, now: Instant) -> Option<Playback> {
        let mut done = self.film.done;
        match self.screen {
            Screen::Plays(until) if until < now => {
                done.stalls += 1;
                done.stalled += u128::from((now - until).0);
            }
            Screen::Stalls(since) => done.stalled += u128::from(now.since(since).0),
            Screen::Starts(_) | Screen::Plays(_) => {}
        }
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;

    fn millis(n: u64) -> Instant {
        Instant::ZERO + Duration::millis(n)
    }

    /// Chunks of 1 s at 1, 2 or 4 Mb/s.
    fn video(buffer: &str) -> Video {
        let params = VideoParams::from_texts(&[
            ("chunk", "1 s"),
            ("lowest", "1 Mb/s"),
            ("highest", "4 Mb/s"),
            ("rates", "3"),
            ("buffer", buffer),
            ("reservoir", "2 s"),
            ("cushion", "3 s"),
        ]);
        Video::new(&params, Bytes(1000), Bytes(40), Stream::new(1, "test"))
    }

    #[test]
    fn the_rate_follows_the_buffer_with_hysteresis() {
        let mut it = video("10 s");
        let mut at = |rung: usize, ms: u64| {
            it.rung = rung;
            it.choose(Duration::millis(ms))
        };
        // In the cushion, the line is 1 Mb/s at 2 s, 2 at 3 s, 3 at 4 s, 4 at 5 s.
        assert_eq!(
            [at(0, 0), at(2, 2000), at(0, 5000), at(0, 9000)],
            [0, 0, 2, 2]
        );
        // Up once the line reaches the next rate, down once it falls to the one below.
        assert_eq!(
            [at(0, 2900), at(0, 3100), at(1, 3100), at(1, 4900)],
            [0, 1, 1, 1]
        );
        assert_eq!(
            [at(2, 4900), at(2, 3100), at(2, 2900), at(1, 2100)],
            [2, 2, 1, 1]
        );
    }

    /// The chunk arrives at `now` \[ms\], and its last ack 10 ms later.
    fn arrives(it: &mut Video, now: u64) {
        let end = it.released().segments;
        assert_eq!(it.handle_read(millis(now), end - 2), None);
        assert_eq!(it.handle_read(millis(now), end - 1), None);
        assert_eq!(it.handle_acknowledged(millis(now + 9), end - 1), None);
        assert!(it.handle_acknowledged(millis(now + 10), end).is_some());
    }

    #[test]
    fn it_stalls_when_the_buffer_is_empty_and_goes_on_with_the_next_chunk() {
        let mut it = video("10 s");
        it.handle_start(millis(100));
        assert_eq!(it.released().segments, 125);
        arrives(&mut it, 400);
        assert_eq!(
            it.released().segments,
            250,
            "the next chunk follows at once"
        );
        let told = |it: &Video, now| it.playback(millis(now)).expect("a player");
        assert_eq!(told(&it, 1400).startup, Some(Duration::millis(300)));
        assert_eq!((told(&it, 1400).stalls, told(&it, 1400).stalled), (0, 0));
        assert_eq!(
            (told(&it, 1600).stalls, told(&it, 1600).stalled),
            (1, Duration::millis(200).0.into())
        );
        arrives(&mut it, 1900);
        let done = told(&it, 2000);
        assert_eq!(
            (done.chunks, done.stalls, done.stalled),
            (2, 1, Duration::millis(500).0.into())
        );
        assert_eq!((done.rates, done.switches), (2_000_000, 0));
    }

    #[test]
    fn a_full_player_waits_until_there_is_room() {
        let mut it = video("2 s");
        it.handle_start(millis(0));
        arrives(&mut it, 100);
        arrives(&mut it, 200);
        // It has 1.9 s, and room for a chunk after 0.9 s.
        assert_eq!(it.poll_timeout(), Some(millis(200 + 10 + 900)));
        let before = it.released().segments;
        it.handle_timeout(millis(1110));
        assert!(it.released().segments > before);
        assert_eq!(it.poll_timeout(), None);
    }

    #[test]
    fn a_chunk_has_its_bytes_at_the_rate() {
        let mut it = video("10 s");
        it.rung = 1;
        it.handle_start(millis(0));
        let bytes: u64 = (0..it.released().segments)
            .map(|at| it.payload(at).expect("its own").0)
            .sum();
        assert_eq!(bytes, 250_000);
    }
}
