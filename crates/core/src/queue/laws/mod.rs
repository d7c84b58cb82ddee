//! Laws of every discipline, whatever arrives: the ledger balances after every step, the room is never exceeded, the order of each
//! flow is kept, nothing is held back, and the only clock is the time of each step. The tests of the roster and of external disciplines
//! check them with random arrivals, picoseconds to seconds apart.

mod named;

pub use named::{Fates, Named, NamedFate};

use super::Discipline;
use crate::ledger::Cause;
use crate::rng::Stream;
use crate::time::{Duration, Instant};
use crate::unit::{DATA, Ecn};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Something that happens to a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A unit arrives.
    Offer {
        /// Whose it is.
        flow: u8,
        /// Whether it ends a packet.
        last: bool,
        /// Its length \[bytes\].
        bytes: u32,
        /// Its class of service.
        priority: u8,
        /// Its ECN field.
        ecn: Ecn,
    },
    /// The line takes a unit, if one waits.
    Pull,
    /// Time passes without an arrival or a departure.
    Wait(Duration),
}

impl Step {
    /// The unit that arrives in step `number`.
    fn unit(self, number: usize) -> Option<Named> {
        let Self::Offer {
            flow,
            last,
            bytes,
            priority,
            ecn,
        } = self
        else {
            return None;
        };
        Some(Named {
            name: format!("{}{number:05}", char::from(b'a' + flow % 26)),
            last,
            bytes,
            priority,
            ecn,
        })
    }

    /// Up to `most` steps, some of them in bursts; `whole` ones are packets, of which each is its own last, some go before data and half
    /// can be marked, others are cells. They are picoseconds to seconds apart: long enough for the clock of any discipline.
    pub fn some(stream: &mut Stream, most: usize, whole: bool) -> Vec<Self> {
        let many = stream.between(1, most as u64) as usize;
        let mut steps = Vec::with_capacity(many);
        while steps.len() < many {
            let burst = if stream.happens(0.03) { 30 } else { 1 };
            let burst = burst.min(many - steps.len());
            match stream.share() {
                ..0.2 => steps.push(Self::Wait(Duration(
                    stream.between(1, 9) * 10u64.pow(stream.between(6, 12) as u32),
                ))),
                ..0.5 => steps.push(Self::Pull),
                _ => steps.extend((0..burst).map(|_| Self::some_offer(stream, whole))),
            }
        }
        steps
    }

    fn some_offer(stream: &mut Stream, whole: bool) -> Self {
        Self::Offer {
            flow: stream.between(0, 3) as u8,
            last: whole || stream.happens(0.25),
            bytes: if whole {
                stream.between(1, 1500) as u32
            } else {
                53
            },
            priority: u8::from(whole && stream.happens(0.1)),
            ecn: if whole && stream.happens(0.5) {
                Ecn::Ect0
            } else {
                Ecn::NotEct
            },
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull => write!(f, "pull"),
            Self::Wait(time) => write!(f, "wait {} s", time.seconds()),
            Self::Offer {
                flow,
                last,
                bytes,
                priority,
                ecn,
            } => {
                write!(f, "offer flow {flow}, {bytes} bytes")?;
                if *last {
                    write!(f, " last")?;
                }
                if *priority != DATA {
                    write!(f, " priority {priority}")?;
                }
                if ecn.is_capable() {
                    write!(f, " {}", ecn.name())?;
                }
                Ok(())
            }
        }
    }
}

/// A rounded time may be too early, and so may the next; more often than this is no rounding.
const IN_VAIN: u32 = 100;
/// A discipline that is not ready before this time never releases its units.
const FOREVER: Instant = Instant(u64::MAX / 2);

/// A law that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Step of the breach, from 0; the number of steps for one found at the end.
    pub step: usize,
    /// Description of the breach.
    pub what: String,
}

/// How often the line polls an empty queue. A discipline's state may depend on the time and on arrivals, but not on that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// Once it has become empty, as every host does.
    Once,
    /// Repeatedly, as long as it is empty.
    Often,
}

/// Does the steps, checking the laws after each, empties the queue, and gives every fate in order.
///
/// # Errors
/// The first breach.
pub fn check(
    queue: impl Discipline<Named>,
    room: Option<u64>,
    steps: &[Step],
) -> Result<Vec<NamedFate>, Breach> {
    check_asked(queue, room, steps, Asks::Once)
}

/// The same with a line that polls an empty queue as often as `asks` says: the fates must not depend on it.
///
/// # Errors
/// The first breach.
pub fn check_asked(
    queue: impl Discipline<Named>,
    room: Option<u64>,
    steps: &[Step],
    asks: Asks,
) -> Result<Vec<NamedFate>, Breach> {
    check_if(queue, room, steps, (asks, true))
}

/// The same, with flows whose packets may overtake each other unless they are `ordered`.
///
/// # Errors
/// The first breach.
pub fn check_if(
    queue: impl Discipline<Named>,
    room: Option<u64>,
    steps: &[Step],
    (asks, ordered): (Asks, bool),
) -> Result<Vec<NamedFate>, Breach> {
    let mut trial = Trial {
        queue,
        room,
        asks,
        ordered,
        now: Instant::ZERO,
        ready: Instant::ZERO,
        vain: 0,
        offered: 0,
        sent: 0,
        book: Fates::default(),
        counted: Counted::default(),
        fates: Vec::new(),
        newest_sent: BTreeMap::new(),
    };
    let pulls = core::iter::repeat(&Step::Pull);
    for (number, step) in steps.iter().chain(pulls).enumerate() {
        if number >= steps.len() && trial.queue.backlog() == 0 {
            break;
        }
        trial.step(number, *step).map_err(|what| Breach {
            step: number.min(steps.len()),
            what,
        })?;
    }
    Ok(trial.fates())
}

/// A queue under test; an error says which law it broke.
struct Trial<Q> {
    queue: Q,
    room: Option<u64>,
    asks: Asks,
    ordered: bool,
    now: Instant,
    /// Time at which it has promised a unit.
    ready: Instant,
    /// Number of successive promises that it has not kept.
    vain: u32,
    offered: u64,
    sent: u64,
    book: Fates,
    counted: Counted,
    /// Fates of the units, in order.
    fates: Vec<NamedFate>,
    /// For each flow, the arrival step of the newest unit that was sent.
    newest_sent: BTreeMap<u8, usize>,
}

/// Counts of the ledger so far, so that a step need not count everything again.
#[derive(Default)]
struct Counted {
    entries: usize,
    minted: u64,
    dropped: u64,
}

impl<Q: Discipline<Named>> Trial<Q> {
    /// Executes a step. It takes a picosecond, or the time for which a discipline holds units back: at the times that it has promised it must return one.
    fn step(&mut self, number: usize, step: Step) -> Result<(), String> {
        self.now += Duration(u64::from(number > 0));
        if let Step::Wait(time) = step {
            return self.wait(time);
        }
        match step.unit(number) {
            Some(unit) => {
                self.offered += 1;
                self.vain = 0;
                self.queue.offer(self.now, unit, &mut self.book);
            }
            None => self.pull(number)?,
        }
        self.pull_empty(self.now)?;
        self.audit()
    }

    /// Time passes without an arrival or a departure.
    fn wait(&mut self, time: Duration) -> Result<(), String> {
        if self.asks == Asks::Often {
            // From the first moment on, at uneven intervals.
            for part in [0, 1, 2, 5, 10] {
                self.pull_empty(self.now + Duration(time.0 / 10 * part))?;
            }
        }
        self.now += time;
        Ok(())
    }

    /// The line asks a queue in which nothing waits.
    fn pull_empty(&mut self, at: Instant) -> Result<(), String> {
        if self.queue.backlog() == 0 && self.queue.pull(at, &mut self.book).is_some() {
            return Err("pull gave a unit, but none waits".into());
        }
        Ok(())
    }

    /// The line takes a unit in step `number`, if one waits.
    fn pull(&mut self, number: usize) -> Result<(), String> {
        let (now, before) = (self.now, self.queue.backlog());
        let shows = self.queue.shows_first();
        let first = if shows { self.queue.first() } else { None };
        let shown = first.map(|unit| unit.name.clone());
        let pulled = self.queue.pull(now, &mut self.book);
        let given = pulled.as_ref().map(|unit| unit.name.clone());
        if shows && shown != given {
            return Err(format!("first showed {shown:?}, but pull gave {given:?}"));
        }
        if let Some(unit) = pulled {
            self.sent += 1;
            self.vain = 0;
            self.in_order(&unit)?;
            self.fates.push((unit.name, "sent"));
        } else if before > 0 && self.queue.backlog() > 0 {
            self.vain += u32::from(now >= self.ready);
            let at = self.queue.ready_at(now).filter(|at| {
                self.queue.holds_back() && *at > now && *at < FOREVER && self.vain < IN_VAIN
            });
            let Some(at) = at else {
                return Err(format!("pull gave nothing, but {before} units wait"));
            };
            self.ready = at;
            // The next step, a picosecond later, is at the named time or halfway to it: a unit may arrive early, and a line may ask early.
            let early = if number.is_multiple_of(2) {
                0
            } else {
                (at - now).0 / 2
            };
            self.now = Instant(at.0 - 1 - early.min(at.0 - 1 - now.0));
        }
        Ok(())
    }

    /// Checks that a unit arrived after all units of its flow that were sent before it.
    fn in_order(&mut self, unit: &Named) -> Result<(), String> {
        // Copies, and units with priority over data, may overtake or be overtaken.
        if self.ordered
            && let Ok(serial) = unit.name[1..].parse::<usize>()
            && unit.priority == DATA
            && let flow = unit.name.as_bytes()[0]
            && let Some(earlier) = self.newest_sent.insert(flow, serial)
            && earlier >= serial
        {
            let flow = flow - b'a';
            return Err(format!(
                "the order of flow {flow}: what came in step {serial} was sent after what came in step {earlier}"
            ));
        }
        Ok(())
    }

    /// The room is not exceeded, and the ledger balances.
    fn audit(&mut self) -> Result<(), String> {
        let waiting = self.queue.backlog();
        if let Some(room) = self.room.filter(|room| waiting > *room) {
            return Err(format!("{waiting} units wait, but its room is {room}"));
        }
        let counted = &mut self.counted;
        for (_, fate) in &self.book.0[counted.entries..] {
            counted.minted += u64::from(*fate == "minted");
            counted.dropped += u64::from(Cause::ALL.iter().any(|why| why.name() == *fate));
        }
        counted.entries = self.book.0.len();
        let (offered, sent) = (self.offered, self.sent);
        let Counted {
            minted, dropped, ..
        } = *counted;
        if offered + minted != sent + dropped + waiting {
            return Err(format!(
                "the ledger: {offered} offered and {minted} minted, but {sent} sent, {dropped} dropped and {waiting} waiting"
            ));
        }
        Ok(())
    }

    /// All fates: of sent units first, then of all others.
    fn fates(mut self) -> Vec<NamedFate> {
        self.fates.append(&mut self.book.0);
        self.fates
    }
}
