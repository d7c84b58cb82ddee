//! One run on several threads: each has a part of the network, and all of them simulate a window, then exchange what crosses, then the next window.
//!
//! The order of events of one instant depends on the instant and on what they are events of, not on when they were set. So every part has its events in
//! the order that a single thread would have, and the report is the same, byte for byte.
//= nicol-1993

mod gate;

use super::part::Mail;
use super::{Failure, World};
use crate::by_rows::Rows;
use crate::division::Division;
use crate::probe::Probe;
use crate::spec::Network;
use dupack_core::time::Instant;
use dupack_core::unit::Packet;
use gate::Gate;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Threads that one run may use.
#[derive(Clone, Copy)]
pub struct Threads<'t> {
    /// The most; for one, nothing is divided.
    pub most: usize,
    /// Does what a thread beside that of the caller has to do: it may measure the processor time.
    pub each: &'t (dyn Fn(&mut dyn FnMut()) + Sync),
}

impl Threads<'_> {
    /// The caller's alone.
    pub const ONE: Self = Self::up_to(1);

    /// Up to this many, unmeasured.
    pub const fn up_to(most: usize) -> Self {
        Self {
            most,
            each: &|work| work(),
        }
    }
}

/// What the parts share. A part is never more than one window ahead of another, so there are two of each: for even windows and for odd ones.
struct Meeting<'d> {
    division: &'d Arc<Division>,
    gate: Gate,
    /// Per window, part that sends and part that receives.
    mail: [Vec<Mutex<Mail>>; 2],
    /// Per part the beginning of the next window, as far as it depends on that part.
    next: [Vec<AtomicU64>; 2],
    /// Per part the machines that are busy there, if slots of connections are to be freed.
    busy: [Vec<Mutex<Vec<bool>>>; 2],
    /// Some part cannot go on.
    ends: [AtomicBool; 2],
}

impl<'d> Meeting<'d> {
    fn new(division: &'d Arc<Division>) -> Self {
        let many = division.parts;
        let mail = || (0..many * many).map(|_| Mutex::default()).collect();
        let busy = || (0..many).map(|_| Mutex::default()).collect();
        let next = || (0..many).map(|_| AtomicU64::new(0)).collect();
        Self {
            division,
            gate: Gate::new(many),
            mail: [mail(), mail()],
            next: [next(), next()],
            busy: [busy(), busy()],
            ends: Default::default(),
        }
    }
}

/// Runs `network`, whose routes are drawn, in the parts of `division`; `told` gets the report.
pub(super) fn run<P: Probe + Default + Send>(
    network: &Network,
    seed: u64,
    division: Division,
    threads: Threads<'_>,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<P, Failure> {
    let division = Arc::new(division);
    let meeting = Meeting::new(&division);
    let part = |me: usize| {
        let watch = meeting.gate.watch();
        let done = one::<P>(network, seed, &meeting, me, halt);
        watch.went_well();
        done
    };
    let worlds: Vec<_> = thread::scope(|scope| {
        let part = &part;
        let other = move |me| {
            let mut done = Err(Failure::Halted);
            (threads.each)(&mut || done = part(me));
            done
        };
        let others = (1..division.parts).map(|me| scope.spawn(move || other(me)));
        // All are to start before one is waited for.
        let others: Vec<_> = others.collect();
        let first = part(0);
        let others = others.into_iter().map(|it| match it.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(first).chain(others).collect()
    });
    let worlds: Vec<_> = worlds.into_iter().collect::<Result<_, _>>()?;
    let end = Instant(network.duration.0);
    joined(worlds, &division).close(end, told)
}

/// One part, until the end of the run.
fn one<'n, P: Probe + Default>(
    network: &'n Network,
    seed: u64,
    meeting: &Meeting<'_>,
    me: usize,
    halt: &AtomicBool,
) -> Result<World<'n, Packet, P>, Failure> {
    let Meeting { division, gate, .. } = meeting;
    let mut world = World::<Packet, P>::new(network, seed, P::default());
    world.becomes(division, me as u16);
    let end = Instant(network.duration.0);
    let (mut begins, mut failed) = (Instant::ZERO, None);
    let mut out: Vec<Mail> = (0..division.parts).map(|_| Mail::default()).collect();
    let (mut even, mut sweeping) = (0, None);
    while begins <= end {
        let last = Instant((begins + division.window).0 - 1).min(end);
        if let Err(failure) = world.advance_until(last, halt) {
            failed = Some(failure);
        }
        if failed.is_some() || world.shared.broken || halt.load(Ordering::Relaxed) {
            meeting.ends[even].store(true, Ordering::Relaxed);
        }
        let next = world.sends_away(last, &mut out);
        meeting.next[even][me].store(next.0, Ordering::Relaxed);
        for (to, mail) in out.iter_mut().enumerate() {
            // The other side gives back what it has emptied.
            std::mem::swap(
                mail,
                &mut lock(&meeting.mail[even][me * division.parts + to]),
            );
        }
        gate.pass();
        if gate.is_broken() || meeting.ends[even].load(Ordering::Relaxed) {
            break;
        }
        let next = meeting.next[even]
            .iter()
            .map(|it| it.load(Ordering::Relaxed));
        begins = Instant(next.min().unwrap_or(u64::MAX));
        if let Some(many) = sweeping.take() {
            let mut busy = vec![false; world.machines.len()];
            for its in &meeting.busy[even] {
                busy.iter_mut()
                    .zip(lock(its).iter())
                    .for_each(|(busy, its)| *busy |= its);
            }
            world.sweep(many, &busy);
        }
        let mails = meeting.mail[even].iter().skip(me).step_by(division.parts);
        world.takes_in(mails.map(lock));
        even = 1 - even;
        if world.connecting.is_some() && world.is_worth_a_sweep() {
            // Between two windows each packet is in one part. What is busy in none of them will be so in none.
            *lock(&meeting.busy[even][me]) = world.busy();
            sweeping = world.connecting.as_ref().map(|it| it.ended.len());
        }
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    if gate.is_broken() || halt.load(Ordering::Relaxed) {
        return Err(Failure::Halted);
    }
    if !world.shared.broken {
        world.catch_up(end);
    }
    Ok(world)
}

/// If a part panics while it holds a lock, all of them end.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first world, with all that the others know better.
fn joined<'n, P: Probe>(
    worlds: Vec<World<'n, Packet, P>>,
    division: &Division,
) -> World<'n, Packet, P> {
    let mut worlds = worlds.into_iter();
    let Some(mut first) = worlds.next() else {
        unreachable!("a division has parts")
    };
    for (other, me) in worlds.zip(1..) {
        first.joins(other, division, me);
    }
    first
}

impl<P: Probe> World<'_, Packet, P> {
    /// Takes what part `me` of the same run knows better.
    fn joins(&mut self, other: Self, division: &Division, me: u16) {
        let ends: Vec<(u16, u16)> = (0..self.machines.len())
            .map(|flow| division.of(self.ends_of(flow)))
            .collect();
        let (sends, receives) = (
            |flow: usize| ends[flow].0 == me,
            |flow: usize| ends[flow].1 == me,
        );
        let is_its = |line: usize| division.links[line].0 == me;
        for (at, port) in other.ports.into_iter().enumerate() {
            if is_its(at) {
                self.ports[at] = port;
                if let (Some(mine), Some(its)) = (self.warm.get_mut(at), other.warm.get(at)) {
                    *mine = *its;
                }
            }
        }
        for (flow, mut machine) in other.machines.into_iter().enumerate() {
            if self.is_class(flow) {
                self.machines[flow].adds(&machine);
                continue;
            }
            match (sends(flow), receives(flow)) {
                (false, false) => {}
                (true, true) => self.machines[flow] = machine,
                (false, true) => self.machines[flow].takes_receiver(machine),
                (true, false) => {
                    std::mem::swap(&mut self.machines[flow], &mut machine);
                    self.machines[flow].takes_receiver(machine);
                }
            }
        }
        if let (Some(mine), Some(its)) = (&mut self.series, other.series) {
            mine.join(its, is_its, (sends, receives));
        }
        if let (Some(mine), Some(its)) = (&mut self.batches, &other.batches) {
            mine.join(its, (sends, receives));
        }
        if let (Some(mine), Some(its)) = (&mut self.connecting, &other.connecting) {
            mine.join(its);
        }
        let (mine, its) = (&mut self.shared, other.shared);
        for (sum, more) in mine.lost.iter_mut().zip(&its.lost) {
            *sum += more;
        }
        for (sum, more) in mine.dead.iter_mut().zip(&its.dead) {
            *sum += more;
        }
        if let (Some(mine), Some(its)) = (&mut mine.delays, &its.delays) {
            for (samples, its) in mine.round_trips.iter_mut().zip(&its.round_trips) {
                samples.join(its);
            }
        }
        mine.bodies.join(&its.bodies);
        mine.broken |= its.broken;
    }
}
