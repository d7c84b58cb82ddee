//! The links of a network without its hosts: packets come from outside and leave to outside, as in an emulator of real traffic.
//!
//! Ports and disciplines are those of a simulation, and every decision is made at the time at which it would be made there. The
//! caller gives the time of each packet that comes, and gets the time of each that leaves; times never go back.

mod links;

pub use crate::probe::{Fate, Told};
use crate::report::{self, Account, Series};
use crate::spec::{FarEnd, Network};
use crate::world::Failure;
use dupack_core::loss::LossParams;
use dupack_core::loss::bit_errors::FoundBy;
use dupack_core::queue::{Grain as Carries, QueueParams};
use dupack_core::time::Instant;
use dupack_core::unit::{Cell, Ecn, HostPair, Packet};
pub(crate) use links::{Links, Vcs};

/// The most ways that packets of different connections can have, two to a connection.
pub const MOST_WAYS: usize = 8192;

/// A packet that comes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    /// Its way, of [`Relay::add_way`].
    pub way: u32,
    /// The caller's name for it, with which its fate is told.
    pub token: u64,
    /// Its length, IP header included \[bytes\].
    pub bytes: u16,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// The Diffserv code point of its IP header.
    pub dscp: u8,
    /// It is an ack without data, which disciplines with classes serve first.
    pub control: bool,
}

/// Why a network cannot be emulated, if it cannot: the path in the plan, and the reason.
pub fn refusal(network: &Network) -> Option<(String, String)> {
    let link = |name: &str, what: &str| Some((format!("link.{name}"), what.to_string()));
    for it in &network.links {
        if let Some(QueueParams::External(_)) = &it.queue {
            return link(
                &it.name,
                "its queue is written in Python, which is too slow for live links",
            );
        }
        if let Some(loss) = &it.loss
            && matches!(&loss.params, LossParams::BitErrors(it) if it.found_by == FoundBy::Host)
        {
            return link(
                &it.name,
                "its bit errors are found by hosts, and live links do not change packets; write found_by = \"link\"",
            );
        }
        if it.duplicate.is_some() {
            return link(
                &it.name,
                "it sends packets twice, which live links do not do yet",
            );
        }
        if it.carries != network.grain {
            return link(
                &it.name,
                "it carries cells and other links carry packets, which live links do not do yet; write the same for all links",
            );
        }
        if it.far_end == FarEnd::Edge {
            return link(
                &it.name,
                "it ends at an edge between VCs, which live links do not have yet",
            );
        }
    }
    let flow = |name: &str, what: &str| Some((format!("flow.{name}"), what.to_string()));
    for it in &network.flows {
        if it.abr.is_some() {
            return flow(&it.name, "its VC has ABR, which live links do not have");
        }
        if it.arrivals.is_some() {
            return flow(
                &it.name,
                "it is connections that come and go, which live runs do not have yet",
            );
        }
    }
    None
}

/// The links of a network.
#[derive(Debug)]
pub struct Relay(Either);

#[derive(Debug)]
enum Either {
    Cells(Box<Links<Cell>>),
    Packets(Box<Links<Packet>>),
}

macro_rules! with {
    ($relay:expr, mut $links:ident => $do:expr) => {
        match $relay {
            Either::Cells(mut $links) => $do,
            Either::Packets(mut $links) => $do,
        }
    };
    ($relay:expr, $links:ident => $do:expr) => {
        match $relay {
            Either::Cells($links) => $do,
            Either::Packets($links) => $do,
        }
    };
}

impl Relay {
    /// The links of `network`, which is not [refused](refusal), with the random numbers of `seed`. `end` is the end of the run, if
    /// it has one.
    pub fn new(network: &Network, seed: u64, end: Instant) -> Self {
        let network = network.drawn(seed);
        Self(match network.grain {
            Carries::Cells => {
                let vcs = Vcs::of::<Cell>(&network);
                Either::Cells(Box::new(Links::new(&network, seed, end, &vcs, MOST_WAYS)))
            }
            Carries::Packets => {
                let vcs = Vcs::of::<Packet>(&network);
                Either::Packets(Box::new(Links::new(&network, seed, end, &vcs, MOST_WAYS)))
            }
        })
    }

    /// A way over these links, in this order, for packets between these hosts: the way's number. `ends` are the numbers of the host that
    /// sends and of the one that receives, by which disciplines share a line among hosts. The first ways are those of the network's
    /// flows, data and acks of each.
    ///
    /// # Panics
    /// If there are [`MOST_WAYS`] already, or it passes no link.
    pub fn add_way(&mut self, route: &[usize], hosts: u32, ends: (u32, u32)) -> u32 {
        with!(&mut self.0, links => {
            assert!(links.ways() < MOST_WAYS);
            let trailer = links.trailer;
            links.add_way(route, HostPair(hosts), ends, trailer)
        })
    }

    /// Memory that a packet of this length takes on the links, all its units in queues \[bytes\].
    pub fn weight(&self, bytes: u16) -> usize {
        with!(&self.0, links => links.weight(bytes))
    }

    /// When [`Relay::advance`] has something to do; never, if nothing is on its way.
    pub fn due(&self) -> Instant {
        with!(&self.0, links => links.due())
    }

    /// Moves on to `now`, and adds to `told` what became of packets until then, in the order in which it was decided.
    pub fn advance(&mut self, now: Instant, told: &mut Vec<Told>) {
        with!(&mut self.0, links => links.advance(now, told));
    }

    /// A packet comes `now`, to which the relay has advanced.
    pub fn send(&mut self, now: Instant, parcel: Parcel) {
        with!(&mut self.0, links => links.send(now, parcel));
    }

    /// Warm-up ends `now`: measured are counts from here on.
    pub fn warm_up_ends(&mut self, now: Instant) {
        with!(&mut self.0, links => links.warm_up_ends(now));
    }

    /// Per direction of a link, units that wait, and the time spent transmitting until `now` \[ps\].
    pub fn look(&mut self, now: Instant) -> Vec<(u64, u64)> {
        with!(&mut self.0, links => links.look(now))
    }

    /// Takes a sample `now`, to which the relay has advanced, of the links, and of flows with these accounts.
    pub fn sample(
        &mut self,
        now: Instant,
        series: &mut Series,
        flows: impl Iterator<Item = Account>,
    ) {
        with!(&mut self.0, links => {
            series.take_accounts(now, links.look(now).into_iter(), flows);
            series.take_gauges(|at, tell| links.ports[at].gauges(tell));
        });
    }

    /// The end: every ledger is audited, and the links are reported as those of a simulation of `network`,
    /// whose duration is that of the run. `payload` is the payload that each
    /// flow of the network has delivered \[bit/s\].
    ///
    /// # Errors
    /// [`Failure::Unbalanced`], [`Failure::Withheld`].
    pub fn close(
        self,
        network: &Network,
        now: Instant,
        payload: &[f64],
    ) -> Result<Closed, Failure> {
        with!(self.0, mut links => {
            links.catch_up(now);
            links.audit(network, now)?;
            let loads = links.loads(network, payload);
            let evidence = links.evidence(network, now);
            let links = loads.iter().enumerate();
            Ok(Closed {
                links: links.map(|(at, load)| evidence.link(at, load)).collect(),
                bottleneck: evidence.bottleneck(&loads),
            })
        })
    }
}

/// The links at the end.
#[derive(Clone, Debug)]
pub struct Closed {
    /// All of them.
    pub links: Vec<report::Link>,
    /// The one that carried the most payload of the network's flows, if it has any; of equal ones the slowest.
    pub bottleneck: Option<usize>,
}

#[cfg(test)]
mod tests;
