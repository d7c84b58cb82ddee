//! Arrivals: when connections begin, and between which hosts. One file each. [`traffic`](crate::traffic) decides what each of them
//! sends.

pub mod poisson;
pub mod rounds;

use crate::measure::Share;
use crate::rng::Stream;
use crate::time::{Duration, Instant};

/// The hosts between which connections may begin, by their numbers in two lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// Number of hosts that may send.
    pub sources: usize,
    /// Number of hosts that may receive.
    pub targets: usize,
    /// Whether the two lists are the same; then no host sends to itself.
    pub same: bool,
}

impl Hosts {
    /// A source and a target, each as likely.
    fn draw(&self, stream: &mut Stream) -> (usize, usize) {
        let source = one_of(self.sources, stream);
        let target = one_of(self.targets - usize::from(self.same), stream);
        (source, target + usize::from(self.same && target >= source))
    }
}

/// A random number from 0 to `many` - 1.
fn one_of(many: usize, stream: &mut Stream) -> usize {
    match many {
        0 | 1 => 0,
        many => stream.between(0, many as u64 - 1) as usize,
    }
}

/// A connection to begin now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begin {
    /// The sending host's number.
    pub source: usize,
    /// The receiving host's number.
    pub target: usize,
    /// The round that it belongs to.
    pub round: u64,
}

/// A process that begins connections.
pub trait Arrivals {
    /// Its time begins.
    fn handle_start(&mut self, now: Instant);
    /// The time of [`Arrivals::poll_timeout`] has come.
    fn handle_timeout(&mut self, now: Instant);
    /// A connection of `round` has ended. Gives the time at which that round began, if it has ended by this.
    fn handle_ended(&mut self, _now: Instant, _round: u64) -> Option<Instant> {
        None
    }
    /// When [`Arrivals::handle_timeout`] is due; changes only in `handle_*`.
    fn poll_timeout(&self) -> Option<Instant>;
    /// The next connection to begin now: call until there is none. Changes after `handle_*`.
    fn poll_begin(&mut self) -> Option<Begin>;
}

/// A mean time between connections that is given as the load that their payload makes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load<'p> {
    /// Payload over the rate of a line, on average over time.
    pub share: Share,
    /// The link whose rate that is; without one it is the sum of the rates of the sending hosts' first links.
    pub of: Option<&'p str>,
}

/// Properties of arrivals that are known before they start.
pub trait Expect {
    /// The load that [`Expect::set_every`] has to turn into a time before they start, if one is given.
    fn load(&self) -> Option<Load<'_>> {
        None
    }
    /// Sets the mean time from one connection to the next that makes the load of [`Expect::load`].
    fn set_every(&mut self, _every: Duration) {}
    /// Connections that begin together, if `sources` hosts may send; `None` if each begins on its own.
    fn at_once(&self, _sources: usize) -> Option<u64> {
        None
    }
    /// Connections that the plan asks to begin together, even if there are fewer hosts; `None` if it does not say.
    fn asked(&self) -> Option<u64> {
        None
    }
    /// The mean time from one connection, or one group that begins together, to the next; `None` if that depends on when they end.
    fn every(&self) -> Option<Duration>;
    /// The mean number of connections in `seconds`, if `sources` hosts may send; `None` if that depends on when they end.
    fn expected(&self, seconds: f64, sources: usize) -> Option<f64>;
}

include!(concat!(env!("OUT_DIR"), "/arrivals.rs"));

words! {
    ($)
    /// The parameters of any arrivals.
    params ArrivalsParams,
    /// Any arrivals.
    #[derive(Clone, Debug)]
    any AnyArrivals (),
    about (),
    beside (),
}

impl AnyArrivals {
    /// The process, before its start.
    pub fn new(params: &ArrivalsParams, hosts: Hosts, stream: Stream) -> Self {
        made!(params, new, hosts, stream)
    }
}

impl Expect for ArrivalsParams {
    fn load(&self) -> Option<Load<'_>> {
        each!(self, it => it.load())
    }
    fn set_every(&mut self, every: Duration) {
        each!(self, it => it.set_every(every));
    }
    fn at_once(&self, sources: usize) -> Option<u64> {
        each!(self, it => it.at_once(sources))
    }
    fn asked(&self) -> Option<u64> {
        each!(self, it => it.asked())
    }
    fn every(&self) -> Option<Duration> {
        each!(self, it => it.every())
    }
    fn expected(&self, seconds: f64, sources: usize) -> Option<f64> {
        each!(self, it => it.expected(seconds, sources))
    }
}

impl Arrivals for AnyArrivals {
    fn handle_start(&mut self, now: Instant) {
        each!(self, it => it.handle_start(now));
    }
    fn handle_timeout(&mut self, now: Instant) {
        each!(self, it => it.handle_timeout(now));
    }
    fn handle_ended(&mut self, now: Instant, round: u64) -> Option<Instant> {
        each!(self, it => it.handle_ended(now, round))
    }
    fn poll_timeout(&self) -> Option<Instant> {
        each!(self, it => it.poll_timeout())
    }
    fn poll_begin(&mut self) -> Option<Begin> {
        each!(self, it => it.poll_begin())
    }
}
