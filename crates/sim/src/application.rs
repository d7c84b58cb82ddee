//! The measures of applications: delays of frames, times of responses, stalls of videos.

use crate::percentiles::{Percentiles, Samples};
use dupack_core::time::{Duration, Instant, SECOND};
use dupack_core::traffic::{Measures, Playback, Traffic};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::VecDeque;

/// The frames of a real-time flow, of those generated after warm-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Frames {
    /// Frames that were generated.
    pub generated: u64,
    /// Frames of which every packet has arrived; the others are lost or on their way.
    pub complete: u64,
    /// Complete frames that arrived after their deadline.
    pub late: u64,
    /// Share of frames that were not complete by their deadline, of those whose deadline has passed; null without any.
    pub missed_fraction: Option<f64>,
    /// Delays of complete frames \[s\]: from generation until the last packet is handed to the application; null without any.
    pub delay_s: Option<Percentiles>,
}

/// The responses of a flow of requests, of those that ended after warm-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Responses {
    /// Responses that are complete.
    pub complete: u64,
    /// Their times \[s\], from the request to the end of the response; null without any.
    pub time_s: Option<Percentiles>,
}

/// A video, as it was played after warm-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Video {
    /// Chunks that have arrived.
    pub chunks: u64,
    /// Mean rate of these chunks \[bit/s\]; null without any.
    pub mean_rate_bps: Option<f64>,
    /// Changes of the rate.
    pub switches: u64,
    /// Times that the player's buffer ran empty.
    pub stalls: u64,
    /// Time during which it stood still for that \[s\].
    pub stalled_s: f64,
    /// Time from the start of the flow until the first chunk had arrived \[s\]; null if none has.
    pub startup_s: Option<f64>,
}

/// Measures of one application.
#[derive(Debug)]
pub struct Meter {
    measures: Measures,
    delays: Samples,
    late: u64,
    on_time: u64,
    /// Frames that were on time, as far as their deadline is not over yet.
    recent: VecDeque<Instant>,
    /// Measuring begins.
    from: Instant,
    /// The video then.
    playback: Playback,
}

impl Meter {
    /// For traffic with these measures; none for most.
    pub fn new(measures: Measures) -> Option<Box<Self>> {
        (measures != Measures::Nothing).then(|| {
            Box::new(Self {
                measures,
                delays: Samples::times(),
                late: 0,
                on_time: 0,
                recent: VecDeque::new(),
                from: Instant::ZERO,
                playback: Playback::default(),
            })
        })
    }

    /// Warm-up ends.
    pub fn warm_up_ends(&mut self, now: Instant, traffic: &impl Traffic) {
        *self = Self {
            measures: self.measures,
            delays: Samples::times(),
            late: 0,
            on_time: 0,
            recent: VecDeque::new(),
            from: now,
            playback: traffic.playback(now).unwrap_or_default(),
        };
    }

    /// A frame that was generated at `begun` is complete.
    pub fn frame(&mut self, now: Instant, begun: Instant) {
        let Measures::Frames(deadline) = self.measures else {
            return;
        };
        if begun < self.from {
            return;
        }
        self.delays.time(now - begun);
        if now - begun > deadline {
            self.late += 1;
            return;
        }
        self.on_time += 1;
        self.recent.push_back(begun);
        // Those whose deadline is before now are over at the end, whenever that is.
        let is_over = |begun: &Instant| *begun + deadline < now;
        while self.recent.front().is_some_and(is_over) {
            self.recent.pop_front();
        }
    }

    /// A message is complete.
    pub fn message(&mut self, took: Duration) {
        if self.measures == Measures::Responses {
            self.delays.time(took);
        }
    }

    /// Its frames, if it has frames.
    pub fn frames(&self, end: Instant, traffic: &impl Traffic) -> Option<Frames> {
        let Measures::Frames(deadline) = self.measures else {
            return None;
        };
        let since = |end: Instant| {
            let before = traffic.generated(self.from);
            traffic.generated(end).saturating_sub(before)
        };
        let due = since(Instant(end.0.saturating_sub(deadline.0)));
        let not_due = (self.recent.iter()).filter(|begun| **begun + deadline >= end);
        let on_time = self.on_time - not_due.count() as u64;
        Some(Frames {
            generated: since(end),
            complete: self.delays.count(),
            late: self.late,
            missed_fraction: (due > 0).then(|| 1.0 - on_time as f64 / due as f64),
            delay_s: self.delays.percentiles(),
        })
    }

    /// Its responses, if it has responses.
    pub fn responses(&self) -> Option<Responses> {
        (self.measures == Measures::Responses).then(|| Responses {
            complete: self.delays.count(),
            time_s: self.delays.percentiles(),
        })
    }

    /// Its video, if it plays one.
    pub fn video(&self, end: Instant, traffic: &impl Traffic) -> Option<Video> {
        let (now, before) = (traffic.playback(end)?, self.playback);
        let chunks = now.chunks - before.chunks;
        let rates = (now.rates - before.rates) as f64;
        Some(Video {
            chunks,
            mean_rate_bps: (chunks > 0).then(|| rates / chunks as f64),
            switches: now.switches - before.switches,
            stalls: now.stalls - before.stalls,
            stalled_s: (now.stalled - before.stalled) as f64 / SECOND as f64,
            startup_s: now.startup.map(Duration::seconds),
        })
    }
}
