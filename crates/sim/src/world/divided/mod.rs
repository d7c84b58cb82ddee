//! One run on several threads: each has a part of the network, and all of them simulate a window, then exchange what crosses, then the next window.
//!
//! The order of events of one instant depends on the instant and on what they are events of, not on when they were set. So every part has its events in
//! the order that a single thread would have, and the report is the same, byte for byte.
//= nicol-1993

mod crew;

use super::part::Mail;
use super::{Failure, World};
use crate::by_rows::Rows;
use crate::division::Division;
use crate::probe::{Divides, Probe};
use crate::spec::Network;
use crew::Crew;
use dupack_core::time::Instant;
use dupack_core::unit::Packet;
use std::panic::resume_unwind;
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
struct Meeting {
    division: Arc<Division>,
    /// Per window, part that sends and part that receives.
    mail: [Vec<Mutex<Mail>>; 2],
    /// Per part the machines that are busy there, if slots of connections are to be freed.
    busy: [Vec<Mutex<Vec<bool>>>; 2],
    /// Per part the beginning of the next window, as far as it depends on that part.
    next: Vec<AtomicU64>,
    /// Beginning of this window.
    begins: AtomicU64,
    /// Some part cannot go on.
    fails: AtomicBool,
}

impl Meeting {
    fn new(division: Division) -> Self {
        let many = division.parts;
        let mail = || (0..many * many).map(|_| Mutex::default()).collect();
        let busy = || (0..many).map(|_| Mutex::default()).collect();
        Self {
            division: Arc::new(division),
            mail: [mail(), mail()],
            busy: [busy(), busy()],
            next: (0..many).map(|_| AtomicU64::new(0)).collect(),
            begins: AtomicU64::new(0),
            fails: AtomicBool::new(false),
        }
    }
}

/// A part between its windows.
struct Member<'n, P: Probe> {
    world: World<'n, Packet, P>,
    out: Vec<Mail>,
    failed: Option<Failure>,
    /// Number of connections that had ended when the parts were asked what is busy.
    sweeping: Option<usize>,
}

/// Runs `network`, whose routes are drawn, in the parts of `division`; `told` gets the report.
pub(super) fn run<P: Divides>(
    network: &Network,
    seed: u64,
    probe: &P,
    division: Division,
    threads: Threads<'_>,
    halt: &AtomicBool,
    told: &mut dyn FnMut(&dyn Rows),
) -> Result<P, Failure> {
    let parts = division.parts;
    let (crew, meeting) = (Crew::new(parts), Meeting::new(division));
    let members: Vec<Mutex<Option<Member<'_, P>>>> = (0..parts).map(|_| Mutex::default()).collect();
    let end = Instant(network.duration.0);
    let task = |window: u64, me: usize| {
        let mut member = lock(&members[me]);
        let member = match &mut *member {
            Some(member) => {
                member.takes_in(&meeting, window - 1, me);
                member
            }
            none => none.insert(Member::new((network, seed), probe, &meeting.division, me)),
        };
        member.simulates(&meeting, window, me, (end, halt));
    };
    let more = || {
        let begins = meeting
            .next
            .iter()
            .map(|it| it.load(Ordering::Relaxed))
            .min();
        let begins = begins.unwrap_or(u64::MAX);
        meeting.begins.store(begins, Ordering::Relaxed);
        begins <= end.0 && !meeting.fails.load(Ordering::Relaxed)
    };
    let mut windows = 0;
    thread::scope(|scope| {
        let (crew, task) = (&crew, &task);
        let help = |me| move || (threads.each)(&mut || crew.help(me, task));
        // If the system has no more threads, fewer do all the work.
        let start = |me| thread::Builder::new().spawn_scoped(scope, help(me)).ok();
        let helpers: Vec<_> = (1..parts.min(threads.most)).filter_map(start).collect();
        crew.lead(task, |window| {
            windows = window;
            more()
        });
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let mut worlds = Vec::with_capacity(parts);
    for (me, member) in members.into_iter().enumerate() {
        let member = member.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(mut member) = member else {
            return Err(Failure::Halted);
        };
        if let Some(failure) = member.failed {
            return Err(failure);
        }
        member.takes_in(&meeting, windows - 1, me);
        if !member.world.shared.broken {
            member.world.catch_up(end);
        }
        worlds.push(member.world);
    }
    joined(worlds, &meeting.division).close(end, told)
}

impl<'n, P: Divides> Member<'n, P> {
    fn new(
        (network, seed): (&'n Network, u64),
        probe: &P,
        division: &Arc<Division>,
        me: usize,
    ) -> Self {
        let mut world = World::new(network, seed, probe.another());
        world.becomes(division, me as u16);
        Self {
            world,
            out: (0..division.parts).map(|_| Mail::default()).collect(),
            failed: None,
            sweeping: None,
        }
    }
}

impl<P: Probe> Member<'_, P> {
    /// Simulates a window, and sends away what crosses.
    fn simulates(
        &mut self,
        meeting: &Meeting,
        window: u64,
        me: usize,
        (end, halt): (Instant, &AtomicBool),
    ) {
        let (division, even) = (&meeting.division, window as usize % 2);
        let world = &mut self.world;
        let begins = Instant(meeting.begins.load(Ordering::Relaxed));
        let last = Instant((begins + division.window).0 - 1).min(end);
        self.failed = world.advance_to(last, halt).err();
        if halt.load(Ordering::Relaxed) {
            self.failed.get_or_insert(Failure::Halted);
        }
        if self.failed.is_some() || world.shared.broken {
            meeting.fails.store(true, Ordering::Relaxed);
        }
        let next = world.sends_away(last, &mut self.out);
        meeting.next[me].store(next.0, Ordering::Relaxed);
        for (to, mail) in self.out.iter_mut().enumerate() {
            // The other side gives back what it has emptied.
            std::mem::swap(
                mail,
                &mut lock(&meeting.mail[even][me * division.parts + to]),
            );
        }
    }

    /// Takes in what has crossed in a window, and frees slots of connections.
    fn takes_in(&mut self, meeting: &Meeting, window: u64, me: usize) {
        let (parts, even) = (meeting.division.parts, window as usize % 2);
        let world = &mut self.world;
        if let Some(many) = self.sweeping.take() {
            let mut busy = vec![false; world.machines.len()];
            for its in &meeting.busy[even] {
                let its = lock(its);
                busy.iter_mut()
                    .zip(its.iter())
                    .for_each(|(busy, its)| *busy |= its);
            }
            world.sweep(many, &busy);
        }
        let mails = meeting.mail[even].iter().skip(me).step_by(parts);
        world.takes_in(mails.map(lock));
        if world.connecting.is_some() && world.is_worth_a_sweep() {
            // Between two windows each packet is in one part. What is busy in none of them will be so in none.
            *lock(&meeting.busy[1 - even][me]) = world.busy();
            self.sweeping = world.connecting.as_ref().map(|it| it.ended.len());
        }
    }
}

/// Each lock is held by one part at a time; if a part panics, all of them end.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first world, with the state that each of the others owns.
fn joined<'n, P: Divides>(
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

impl<P: Divides> World<'_, Packet, P> {
    /// Takes the state that part `me` of the same run owns.
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
        mine.tape.probe.join(its.tape.probe);
    }
}
