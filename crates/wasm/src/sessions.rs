//! Runs in parts. Two can be under way, so that a page shows them side by side.

use crate::requests::{Answer, Asked, text};
use crate::scene::Scene;
use crate::slice;
use dupack_core::queue::Grain;
use dupack_core::time::{Duration, Instant, SECOND};
use dupack_lab::run::Document;
use dupack_sim::Session;
use dupack_sim::probe::{Event, Row, Tape};
use dupack_sim::spec::Network;
use std::sync::atomic::AtomicBool;

/// Number of slots.
pub const SLOTS: usize = 2;

/// A run under way.
struct Running {
    /// It lives as long as the module: the session borrows it. A page that edits a plan many times makes a new module now and then.
    network: &'static Network,
    seed: u64,
    /// It tells of every packet.
    packets: bool,
    session: Session<'static, Tape>,
}

impl Running {
    /// Simulates until a time \[s\], or the end of the run.
    fn go(&mut self, until_s: f64) -> Result<Instant, Vec<String>> {
        let end = Instant::ZERO + self.network.duration;
        let now = instant(until_s).min(end);
        self.session
            .advance(now, &AtomicBool::new(false))
            .map_err(|failure| vec![failure.to_string()])?;
        Ok(now)
    }
}

/// The runs under way.
#[derive(Default)]
pub struct Sessions([Option<Running>; SLOTS]);

impl Sessions {
    /// Begins a run, with a capture at both ends of every line if it is to tell of packets.
    pub fn open(&mut self, slot: usize, request: &[u8]) -> String {
        let opened = Asked::read(request).and_then(|asked| {
            let (job, title) = asked.job()?;
            let halt = AtomicBool::new(false);
            let network = Session::<Tape>::prepare(&job.network, job.seed, &halt)
                .map_err(|failure| vec![failure.to_string()])?;
            let scene = Scene::new(&network, &title, job.seed);
            let place = self.0.get_mut(slot).ok_or_else(|| no_slot(slot))?;
            *place = None;
            let network: &'static Network = Box::leak(Box::new(network));
            let seen = if asked.packets {
                network.links.len()
            } else {
                0
            };
            let ends = (0..seen).flat_map(|link| [(link, false), (link, true)]);
            let tape = Tape::with_captures(ends.collect());
            *place = Some(Running {
                network,
                seed: job.seed,
                packets: asked.packets,
                session: Session::new(network, job.seed, tape),
            });
            Ok(scene)
        });
        Answer::from(opened).json()
    }

    /// Simulates until a time \[s\], or the end of the run: a slice of numbers, or errors as JSON, which begin with `{`. Of links that
    /// carry cells, it has those that leave a transmitter from `cells_s` \[s\] on.
    pub fn advance(&mut self, slot: usize, until_s: f64, cells_s: f64) -> Vec<u8> {
        self.advanced(slot, until_s, cells_s)
            .unwrap_or_else(|errors| Answer::<()>::Errors(errors).json().into_bytes())
    }

    fn advanced(
        &mut self,
        slot: usize,
        until_s: f64,
        cells_s: f64,
    ) -> Result<Vec<u8>, Vec<String>> {
        let running = self.running(slot)?;
        if running.packets && running.network.grain == Grain::Cells {
            running.session.probe().keep_units_from(instant(cells_s));
        }
        let now = running.go(until_s)?;
        let session = &mut running.session;
        let mut reel = session.probe().take_reel();
        if !running.packets {
            let told = |row: &Row| matches!(row.event, Event::FastRetransmit | Event::Timeout);
            reel.rows.retain(told);
        }
        let ended = now == Instant::ZERO + running.network.duration;
        let (links, flows) = (session.links(now), session.flows());
        Ok(slice::bytes(now, ended, &reel, &links, &flows))
    }

    /// Simulates the rest of a run: its document.
    pub fn finish(&mut self, slot: usize) -> String {
        let running = self.0.get_mut(slot).and_then(Option::take);
        let document = running.ok_or_else(|| no_slot(slot)).and_then(|it| {
            let (report, _) = (it.session)
                .finish(&AtomicBool::new(false))
                .map_err(|failure| vec![failure.to_string()])?;
            Ok(text(&Document::new(it.network, it.seed, report, 0.0)))
        });
        Answer::from(document).json()
    }

    fn running(&mut self, slot: usize) -> Result<&mut Running, Vec<String>> {
        let running = self.0.get_mut(slot).and_then(Option::as_mut);
        running.ok_or_else(|| no_slot(slot))
    }
}

fn instant(seconds: f64) -> Instant {
    Instant::ZERO + Duration((seconds.max(0.0) * SECOND as f64).round() as u64)
}

fn no_slot(slot: usize) -> Vec<String> {
    vec![format!(
        "slot {slot}: no run is open; slots are 0 to {}",
        SLOTS - 1
    )]
}
