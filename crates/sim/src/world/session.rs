//! Runs in parts, for a caller that looks between them.

use super::whole::{kept, prepared};
use super::{Failure, World};
use crate::grain::Grain;
use crate::machine::Tally;
use crate::probe::Probe;
use crate::report::Report;
use crate::spec::Network;
use dupack_core::measure::{Bytes, Rate};
use dupack_core::queue::Grain as Carries;
use dupack_core::time::{Duration, Instant};
use dupack_core::transport::control::Controller;
use dupack_core::unit::{Cell, Packet};
use std::sync::atomic::AtomicBool;

/// A run that is done in parts. Its results do not depend on where it is divided.
pub struct Session<'n, P: Probe>(Either<'n, P>);

enum Either<'n, P: Probe> {
    Cells(Box<World<'n, Cell, P>>),
    Packets(Box<World<'n, Packet, P>>),
}

/// Does the same with the world of either kind.
macro_rules! with {
    ($session:expr, $world:ident => $do:expr) => {
        match $session {
            Either::Cells($world) => $do,
            Either::Packets($world) => $do,
        }
    };
}

/// A direction of a link as it is now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkNow {
    /// Units that wait in its buffer.
    pub backlog: u64,
    /// Time that it has spent transmitting.
    pub busy: Duration,
}

/// A flow as it is now. With connections that come and go, the sums of those that were or are open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowNow {
    /// cwnd \[segments\].
    pub cwnd: f64,
    /// ssthresh \[segments\], infinite until set; with connections that come and go always.
    pub ssthresh: f64,
    /// Payload handed to the application since the start.
    pub delivered: Bytes,
    /// Round trips since the start: their sum \[ps\] and number.
    pub rtt: (u128, u64),
    /// Retransmission timeout, with back-off.
    pub rto: Duration,
    /// Segments sent and not acknowledged.
    pub flight: u64,
    /// Timeouts since the start.
    pub timeouts: u64,
    /// Retransmissions since the start.
    pub retransmitted: u64,
    /// Transmissions since the start.
    pub sent: u64,
    /// Pacing rate of its controller, in bits of full packets with their headers; none without one, and with connections that come and go.
    pub pacing: Option<Rate>,
}

impl<'n, P: Probe> Session<'n, P> {
    /// At time 0 of a run of `network`, for which [`Session::prepare`] has drawn what `seed` draws.
    pub fn new(network: &'n Network, seed: u64, probe: P) -> Self {
        Self(match network.grain {
            Carries::Cells => Either::Cells(Box::new(World::new(network, seed, probe))),
            Carries::Packets => Either::Packets(Box::new(World::new(network, seed, probe))),
        })
    }

    /// The network of a run with `seed`: ends, routes and rates that are drawn, and the warm-up that MSER-5 finds.
    ///
    /// # Errors
    /// As [`simulate`](super::simulate): finding the warm-up takes a run.
    pub fn prepare(network: &Network, seed: u64, halt: &AtomicBool) -> Result<Network, Failure> {
        prepared(network, seed, halt).map(std::borrow::Cow::into_owned)
    }

    /// Simulates until `now`, that instant's events included, but not beyond the end of the run.
    ///
    /// Departures are processed late, at the latest when a unit arrives at the far end: what the probe has got, and the backlogs of
    /// [`Session::links`], may lack those of the last propagation delay and transmission time.
    ///
    /// # Errors
    /// As [`simulate`](super::simulate). Afterwards the session is of no use.
    pub fn advance(&mut self, now: Instant, halt: &AtomicBool) -> Result<(), Failure> {
        with!(&mut self.0, world => world.advance_to(now, halt))
    }

    /// Every direction of a link, in the network's order, at the `now` of the last [`Session::advance`].
    pub fn links(&self, now: Instant) -> Vec<LinkNow> {
        with!(&self.0, world => world.links_now(now))
    }

    /// Every flow, in the network's order.
    pub fn flows(&self) -> Vec<FlowNow> {
        with!(&self.0, world => world.flows_now())
    }

    /// The observer.
    pub fn probe(&mut self) -> &mut P {
        with!(&mut self.0, world => &mut world.shared.tape.probe)
    }

    /// Simulates the rest.
    ///
    /// # Errors
    /// As [`simulate`](super::simulate).
    pub fn finish(self, halt: &AtomicBool) -> Result<(Report, P), Failure> {
        kept(|told| with!(self.0, world => world.run(halt, told)))
    }
}

impl<U: Grain, P: Probe> World<'_, U, P> {
    /// Simulates until `now`. It has the only copy of the event loop beside that of whole runs: with a third, the compiler inlines less in all of
    /// them.
    pub(super) fn advance_to(&mut self, now: Instant, halt: &AtomicBool) -> Result<(), Failure> {
        let now = now.min(self.shared.end);
        self.advance_until(now, halt)?;
        self.withheld()
    }

    fn links_now(&self, now: Instant) -> Vec<LinkNow> {
        let now = now.min(self.shared.end);
        let of = |(at, port): (usize, &crate::port::Port<U>)| {
            let section = self.section.as_deref();
            let cells = section.and_then(|section| section.look(at, now));
            let (backlog, busy) = cells.unwrap_or_else(|| (port.backlog(now), port.busy(now)));
            LinkNow {
                backlog,
                busy: Duration(busy),
            }
        };
        self.ports.iter().enumerate().map(of).collect()
    }

    fn flows_now(&self) -> Vec<FlowNow> {
        let sums = self.sums().into_iter().zip(&self.machines).enumerate();
        let of =
            |(at, ((cwnd, tally), machine)): (usize, ((f64, Tally), &crate::machine::Machine))| {
                let many = self.is_class(at);
                FlowNow {
                    cwnd,
                    ssthresh: if many {
                        f64::INFINITY
                    } else {
                        machine.sender.ssthresh()
                    },
                    delivered: Bytes(tally.delivered_bytes),
                    rtt: tally.rtt,
                    rto: machine.sender.rto(),
                    flight: machine.sender.flight(),
                    timeouts: tally.timeouts,
                    retransmitted: tally.retransmitted,
                    sent: tally.sent,
                    pacing: if many {
                        None
                    } else {
                        machine.sender.controller().pacing()
                    },
                }
            };
        sums.map(of).collect()
    }
}
