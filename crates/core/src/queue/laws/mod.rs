//! What holds for every discipline, whatever is offered: the ledger's law after every step, the room never exceeded, the order of a
//! flow kept, and nothing kept back. The tests of the roster and of guests try it with arrivals drawn at random.

mod named;

pub use named::{Fates, Named};

use super::Discipline;
use crate::rng::Stream;
use crate::time::Instant;
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
        /// It ends a packet.
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

    /// Up to `most` steps; `whole` ones are packets, of which each is its own last and some go before data, others are cells.
    pub fn some(stream: &mut Stream, most: usize, whole: bool) -> Vec<Self> {
        let many = stream.between(1, most as u64);
        let mut step = |_| {
            if stream.happens(0.4) {
                return Self::Pull;
            }
            Self::Offer {
                flow: stream.between(0, 3) as u8,
                last: whole || stream.happens(0.25),
                bytes: if whole {
                    stream.between(1, 1500) as u32
                } else {
                    53
                },
                priority: u8::from(whole && stream.happens(0.1)),
                ecn: Ecn::NotEct,
            }
        };
        (0..many).map(&mut step).collect()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull => write!(f, "pull"),
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

/// A law that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// In which step, from 0; the number of steps for what was found at the end.
    pub step: usize,
    /// What.
    pub what: String,
}

/// Does the steps, checking the laws after each, empties the queue, and gives every fate in order.
///
/// # Errors
/// The first breach.
pub fn check(
    mut queue: impl Discipline<Named>,
    room: Option<u64>,
    steps: &[Step],
) -> Result<Vec<String>, Breach> {
    let (mut offered, mut sent) = (0, 0);
    let mut book = Fates::default();
    let mut fates = Vec::new();
    let mut newest_sent = BTreeMap::new();
    let pulls = core::iter::repeat(&Step::Pull);
    // A step takes a picosecond, and what a discipline that holds units back waits for: at the steps that it has chosen it must give one.
    let (mut waited, mut vain) = (0, 0);
    for (number, step) in steps.iter().chain(pulls).enumerate() {
        if number >= steps.len() && queue.backlog() == 0 {
            break;
        }
        let breach = |what: String| {
            Err(Breach {
                step: number.min(steps.len()),
                what,
            })
        };
        let now = Instant(u64::saturating_add(waited, number as u64));
        let before = queue.backlog();
        if let Some(unit) = step.unit(number) {
            offered += 1;
            vain = 0;
            queue.offer(now, unit, &mut book);
        } else if let Some(unit) = queue.pull(now, &mut book) {
            sent += 1;
            vain = 0;
            // Copies, and what goes before data, may overtake or be overtaken.
            if let Ok(serial) = unit.name[1..].parse::<usize>()
                && unit.priority == DATA
                && let flow = unit.name.as_bytes()[0]
                && let Some(earlier) = newest_sent.insert(flow, serial)
                && earlier >= serial
            {
                let flow = flow - b'a';
                return breach(format!(
                    "the order of flow {flow}: what came in step {serial} was sent after what came in step {earlier}"
                ));
            }
            fates.push(format!("sent {}", unit.name));
        } else if before > 0 && queue.backlog() > 0 {
            let ready = queue.ready_at(now).filter(|at| *at > now && vain < IN_VAIN);
            let Some(at) = ready else {
                return breach(format!("pull gave nothing, but {before} units wait"));
            };
            waited += at.0 - now.0 - 1;
            vain += 1;
        }
        let waiting = queue.backlog();
        if room.is_some_and(|room| waiting > room) {
            let room = room.unwrap_or(0);
            return breach(format!("{waiting} units wait, but its room is {room}"));
        }
        let minted = book.count(|fate| fate == "minted");
        if offered + minted != sent + book.dropped() + waiting {
            let dropped = book.dropped();
            return breach(format!(
                "the ledger: {offered} offered and {minted} minted, but {sent} sent, {dropped} dropped and {waiting} waiting"
            ));
        }
    }
    fates.extend(book.0.iter().map(|(name, fate)| format!("{fate} {name}")));
    Ok(fates)
}
