//! The slotted system of `dupack_theory::three_acceptances`, simulated instead of computed: a drop-tail queue, packets in random
//! order.
//!
//! It uses nothing of the model's algebra, so it can be the model's referee: the queue decides which packets are accepted. A slot
//! is:
//! 1. Every flow has a packet with the probability p, and the packets of the slot are offered in random order, all orders being
//!    equally likely.
//! 2. If a packet waits, one is pulled; its place is free from the next slot on.
//!
//! An episode begins in slot 0 with a full buffer, which drops a packet of the target and serves another; slot t of the paper is
//! the t-th after it.
//= viswanathan-kamal §III.2

use dupack_core::ledger::{Cause, Ledger};
use dupack_core::measure::{Bytes, Room};
use dupack_core::queue::{Discipline, drop_tail};
use dupack_core::rng::Stream;
use dupack_core::time::Instant;
use dupack_core::unit::{FlowId, Unit};
use dupack_lab::statistics::mean_ci95;
use dupack_theory::three_acceptances::exact::DUPLICATES;
use dupack_theory::three_acceptances::{Printed, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// A mean over episodes, and the half-width of its 95 % interval.
pub type Estimate = (f64, Option<f64>);

/// Results of the episodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// The share of episodes in which the target's first packet after the drop was accepted: q of eq. 10.
    pub q: Estimate,
    /// Time from the drop to the first acceptance \[slots\]: T_1 of eq. 11.
    pub t_1: Estimate,
    /// Time from the drop to the third acceptance \[slots\].
    pub t: Estimate,
    /// The same if the buffer is filled up after each acceptance: T of eq. 12.
    pub t_conservative: Estimate,
}

/// Each is kept until the end.
const MOST_EPISODES: usize = 1_000_000;

/// The most that may have to be drawn: beyond, it takes longer than anybody waits.
const MOST_DRAWS: f64 = 1e10;

/// Plays `episodes` episodes of `n` flows beside the target, `b` places, and packets with the probability `p`, and as many
/// with the buffer filled up after each acceptance. The same arguments give the same numbers.
///
/// # Errors
/// What is allowed, if an argument is not or the episodes take too long; or that `halt` was set.
pub fn simulate(
    n: usize,
    b: usize,
    p: f64,
    episodes: usize,
    seed: u64,
    halt: &AtomicBool,
) -> Result<Measured, String> {
    let system = System::new(n, b, p)?;
    if !(1..=MOST_EPISODES).contains(&episodes) {
        return Err(format!(
            "episodes = {episodes}: must be 1 to {MOST_EPISODES}"
        ));
    }
    // One draw per flow and slot, in two series of episodes. The model is used only for this estimate of the effort.
    let slots = 2.0 * system.t(Printed::NOTHING) * episodes as f64;
    let draws = slots * (n + 1) as f64;
    if draws > MOST_DRAWS {
        return Err(format!(
            "episodes = {episodes}: these last about {slots:.0e} slots of {} flows, {draws:.0e} draws; at most {MOST_DRAWS:.0e} are made",
            n + 1
        ));
    }
    let run = |path, full_after_each| -> Result<Vec<Episode>, String> {
        let mut router = Router::new(n, b, p, Stream::new(seed, path));
        let played = (0..episodes).map(|_| router.episode(full_after_each, halt));
        played.collect::<Option<_>>().ok_or_else(|| "halted".into())
    };
    let as_it_is = run("slots.as-it-is", false)?;
    let conservative = run("slots.full-after-each", true)?;
    let over = |all: &[Episode], of: &dyn Fn(&Episode) -> f64| {
        mean_ci95(&all.iter().map(of).collect::<Vec<_>>())
    };
    Ok(Measured {
        q: over(&as_it_is, &|it| f64::from(u8::from(it.first_accepted))),
        t_1: over(&as_it_is, &|it| it.t_1 as f64),
        t: over(&as_it_is, &|it| it.t as f64),
        t_conservative: over(&conservative, &|it| it.t as f64),
    })
}

struct Episode {
    first_accepted: bool,
    t_1: u64,
    t: u64,
}

/// The flow that is watched; the others follow.
const TARGET: FlowId = FlowId(0);

/// A packet: it is somebody's, and takes a slot.
struct Packet(FlowId);

impl Unit for Packet {
    fn bytes(&self) -> u32 {
        1
    }
    fn flow(&self) -> FlowId {
        self.0
    }
    fn last(&self) -> bool {
        true
    }
}

/// A queue, its arrivals, and its drops.
struct Router {
    queue: drop_tail::DropTail<Packet>,
    room: u64,
    flows: u32,
    p: f64,
    stream: Stream,
    /// The flows that have a packet in this slot.
    arriving: Vec<FlowId>,
    book: Book,
}

/// Whose packets the queue has dropped in this slot.
#[derive(Default)]
struct Book(Vec<FlowId>);

impl Ledger<Packet> for Book {
    fn drop(&mut self, packet: Packet, _: Cause) {
        self.0.push(packet.0);
    }
    fn mark(&mut self, _: &mut Packet) -> bool {
        false
    }
    fn trim(&mut self, _: &mut Packet, _: Bytes) {
        unreachable!("drop-tail drops")
    }
    fn mint(&mut self, _: &Packet, _: Bytes) -> Packet {
        unreachable!("drop-tail drops")
    }
}

impl Router {
    fn new(n: usize, b: usize, p: f64, stream: Stream) -> Self {
        let room = b as u64;
        Self {
            queue: drop_tail::DropTail::with_room(Room::Packets(room)),
            room,
            flows: n as u32 + 1,
            p,
            stream,
            arriving: Vec::new(),
            book: Book::default(),
        }
    }

    /// Simulates from a drop of the target's packet to its third acceptance; `None` if halted.
    fn episode(&mut self, full_after_each: bool, halt: &AtomicBool) -> Option<Episode> {
        self.slot_0();
        let (mut first_accepted, mut t_1, mut accepted) = (None, None, 0);
        for t in 1.. {
            if halt.load(Ordering::Relaxed) {
                return None;
            }
            let Some(gets_in) = self.slot(full_after_each) else {
                continue;
            };
            first_accepted.get_or_insert(gets_in);
            if gets_in {
                t_1.get_or_insert(t);
                accepted += 1;
            }
            if accepted == DUPLICATES {
                return Some(Episode {
                    first_accepted: first_accepted?,
                    t_1: t_1?,
                    t,
                });
            }
        }
        None
    }

    /// The slot in which the buffer is full and a packet of the target is dropped.
    fn slot_0(&mut self) {
        self.fill();
        self.offer(TARGET);
        assert_eq!(self.book.0, [TARGET], "a full buffer drops what comes");
        self.serve();
    }

    /// One slot: whether the packet of the target was accepted, if it had one.
    fn slot(&mut self, full_after_acceptance: bool) -> Option<bool> {
        self.arriving.clear();
        for flow in 0..self.flows {
            if self.stream.happens(self.p) {
                self.arriving.push(FlowId(flow));
            }
        }
        for last in (1..self.arriving.len()).rev() {
            let other = self.stream.between(0, last as u64) as usize;
            self.arriving.swap(last, other);
        }
        for at in 0..self.arriving.len() {
            self.offer(self.arriving[at]);
        }
        let target = self.arriving.contains(&TARGET);
        let accepted = target.then(|| !self.book.0.contains(&TARGET));
        if full_after_acceptance && accepted == Some(true) {
            self.fill();
        }
        self.serve();
        accepted
    }

    /// Packets of no flow take every place that is left.
    fn fill(&mut self) {
        while self.queue.backlog() < self.room {
            self.offer(FlowId(self.flows));
        }
    }

    fn offer(&mut self, flow: FlowId) {
        self.queue
            .offer(Instant::ZERO, Packet(flow), &mut self.book);
    }

    /// The end of a slot.
    fn serve(&mut self) {
        self.queue.pull(Instant::ZERO, &mut self.book);
        self.book.0.clear();
    }
}

#[cfg(test)]
mod tests;
