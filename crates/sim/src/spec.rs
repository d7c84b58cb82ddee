//! Input of a simulation: a network in which every name has become an index. The lab makes it from a plan.

use crate::route::{Map, Routes};
use crate::variable_rate::VariableRate;
use dupack_core::abr::{source, switch};
use dupack_core::data::Opportunities;
use dupack_core::framing::Framing;
use dupack_core::grants::GrantsParams;
use dupack_core::measure::{Bytes, CELL_BITS, Rate, Share};
use dupack_core::queue::{self, Grain};
use dupack_core::rng::Stream;
use dupack_core::schedule::Course;
use dupack_core::time::Duration;
use dupack_core::{arrivals, jitter, loss, reorder, sar, traffic, transport};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

/// One direction of a link, with the buffer at its head. What the members of a group have in common is kept once.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name; the way back of `access-0` is `access-0.back`.
    pub name: String,
    /// The node that sends.
    pub from: Arc<str>,
    /// The node that receives.
    pub to: Arc<str>,
    /// Everything else.
    pub line: Arc<Line>,
}

impl Deref for Link {
    type Target = Line;
    fn deref(&self) -> &Line {
        &self.line
    }
}

impl DerefMut for Link {
    /// A link that is changed gets a line of its own.
    fn deref_mut(&mut self) -> &mut Line {
        Arc::make_mut(&mut self.line)
    }
}

/// What a direction of a link is, and does to units.
#[derive(Clone, Debug)]
pub struct Line {
    /// Units that it carries.
    pub carries: Grain,
    /// Kind of the receiving node.
    pub far_end: FarEnd,
    /// Line rate; of a line with a trace its mean.
    pub rate: Rate,
    /// Opportunities of its trace, if it has one. Cell lines send at their rate.
    pub trace: Option<Arc<Opportunities>>,
    /// Steps by which it changes, if it has a schedule; `rate` and `delay` are then those at the beginning. A line has no trace as well.
    pub schedule: Option<Arc<Course>>,
    /// How it waits for its turn, if it shares the medium; the line has no trace and no schedule then.
    pub grants: Option<GrantsParams>,
    /// Propagation delay.
    pub delay: Duration,
    /// What the line adds to each packet. A line of cells adds nothing to them; one that begins behind an edge may have one of ATM, which is
    /// then added to each packet before it becomes cells, in place of AAL5's trailer alone.
    pub framing: Framing,
    /// The discipline of the buffer; `None` is an unlimited FIFO.
    pub queue: Option<queue::QueueParams>,
    /// Rate marker for the RM cells of the sources that send through it.
    pub marker: Option<switch::MarkerParams>,
    /// Losses on the line. If the schedule gives their rate, this is a Bernoulli model.
    pub loss: Option<Loss>,
    /// Extra delays of its packets, which keep their order. Cell links have none.
    pub jitter: Option<Jitter>,
    /// Packets that it delays, so that others overtake them. Cell links keep the order.
    pub reorder: Option<Reorder>,
    /// Packets that arrive twice. Cell links have none.
    pub duplicate: Option<Duplicate>,
}

impl Link {
    /// Bits that a packet of `bytes` takes on it, if it carries packets.
    pub fn bits(&self, bytes: u64) -> u64 {
        8 * self.framing.on_line(bytes)
    }

    /// The rate at which packets leave its buffer: its own, or a smaller one of a shaper.
    pub fn served(&self) -> Rate {
        let shaped = match &self.queue {
            Some(queue::QueueParams::TokenBucket(params)) => Some(params.rate),
            Some(queue::QueueParams::Cake(params)) => params.rate,
            _ => None,
        };
        shaped.map_or(self.rate, |rate| rate.min(self.rate))
    }

    /// The least propagation delay that it ever has.
    pub fn least_delay(&self) -> Duration {
        (self.schedule.as_ref()).map_or(self.delay, |course| course.least_delay())
    }

    /// Its mean rate between two times: of a line with a trace, that of the whole trace.
    pub fn mean_rate(&self, from: Duration, to: Duration) -> Rate {
        (self.schedule.as_ref()).map_or(self.rate, |course| course.mean_rate(from, to))
    }

    /// Draws its rate from this part below to this part above it, unless a trace or a schedule gives the rate.
    fn detune(&mut self, most: f64, seed: u64) {
        if self.trace.is_some() || self.schedule.is_some() {
            return;
        }
        let mut stream = Stream::new(seed, &format!("link.{}.detune", self.name));
        let factor = 1.0 + most * (2.0 * stream.share() - 1.0);
        self.rate = Rate(((self.rate.0 as f64 * factor) as u64).max(1));
    }

    /// Bits that it can carry between two times, if that is not its rate times the time between.
    pub(crate) fn room(&self, from: Duration, to: Duration) -> Option<f64> {
        let trace = self.trace.as_ref();
        let trace = trace.map(|trace| VariableRate::room(trace, from, to));
        trace.or_else(|| Some(self.schedule.as_ref()?.room(from, to)))
    }
}

/// Kinds of far ends of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FarEnd {
    /// A host, to which all arriving units are addressed.
    Host,
    /// Units go on as they come.
    Switch,
    /// Packets are put together, and go on whole, on another VC.
    Edge,
}

/// A virtual channel that several flows share, from the first edge on their ways to the last.
#[derive(Clone, Debug)]
pub struct Vc {
    /// Its name.
    pub name: String,
    /// Its guaranteed minimum rate, if it has one.
    pub mpr: Option<Rate>,
}

/// Losses on a line.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The model.
    pub params: loss::LossParams,
    /// The flows (indices into [`Network::flows`]) whose data it watches, if it is a model that watches some.
    pub watched: Vec<usize>,
    /// Its path in the plan, which names its random stream: `link.access-0.back_loss`.
    pub path: String,
}

/// Jitter on a line.
#[derive(Clone, Debug)]
pub struct Jitter {
    /// The model.
    pub params: jitter::JitterParams,
    /// Its path in the plan, which names its random stream: `link.access-0.back_jitter`.
    pub path: String,
}

/// Duplication on a line.
#[derive(Clone, Debug)]
pub struct Duplicate {
    /// Probability that a packet arrives twice.
    pub rate: Share,
    /// Its path in the plan, which names its random stream: `link.access-0.back_duplicate`.
    pub path: String,
}

/// Reordering on a line.
#[derive(Clone, Debug)]
pub struct Reorder {
    /// Share of packets, and extra delay.
    pub params: reorder::ReorderParams,
    /// Its path in the plan, which names its random stream: `link.access-0.back_reorder`.
    pub path: String,
}

/// Arrivals of connections, and the nodes between which they begin.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// When.
    pub params: arrivals::ArrivalsParams,
    /// The nodes (indices into [`Map::hosts`]) that may send.
    pub sources: Vec<usize>,
    /// The nodes that may receive; the same list, or one of which none is in the other.
    pub targets: Vec<usize>,
}

/// One transport connection, or many that come and go. What the members of a group have in common is kept once.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// The nodes, indices into [`Map::hosts`], between which it goes.
    pub ends: (usize, usize),
    /// The data's way, as indices into [`Network::links`].
    pub forward: Vec<usize>,
    /// The acks' way.
    pub back: Vec<usize>,
    /// Everything else.
    pub program: Arc<Program>,
}

impl Deref for Flow {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.program
    }
}

impl DerefMut for Flow {
    /// A flow that is changed gets a program of its own.
    fn deref_mut(&mut self) -> &mut Program {
        Arc::make_mut(&mut self.program)
    }
}

/// What a flow sends, and how.
#[derive(Clone, Debug)]
pub struct Program {
    /// If it has many connections. Everything else holds for each of them, except that `start` is that of the first; `ends` and ways are of any one.
    pub arrivals: Option<Arrivals>,
    /// Sender and receiver.
    pub transport: Arc<transport::TransportParams>,
    /// The congestion control of the Linux kernel that it has in live runs, if the plan names one.
    pub kernel: Option<String>,
    /// The parameters of the transport that the plan gives, and their values, of which live runs tell which they do not keep.
    pub asked: Vec<(String, String)>,
    /// Sysctls of its hosts' TCP in live runs, names below `net.ipv4` and values.
    pub sysctls: Vec<(String, String)>,
    /// The application.
    pub traffic: Arc<traffic::TrafficParams>,
    /// Starts at an instant drawn uniformly between these two, from the seed (equal for a fixed start).
    pub start: (Duration, Duration),
    /// The VC, an index into [`Network::vcs`], that it shares with others between edges.
    pub vc: Option<usize>,
    /// The guaranteed minimum rate of its own VC, if it has one.
    pub mpr: Option<Rate>,
    /// Its VC's source end system, if the VC has ABR.
    pub abr: Option<Abr>,
    /// Diffserv code point of its packets and of their acks.
    pub dscp: Dscp,
}

/// A flow's VC with ABR.
#[derive(Clone, Debug)]
pub struct Abr {
    /// The source of the data; and of the acks, if they are paced as well.
    pub params: source::SourceParams,
    /// Pacing of the acks.
    pub acks: Acks,
}

dupack_core::choice! {
    /// How acks, and the RM cells that come back with them, leave the receiver.
    pub enum Acks {
        /// At once.
        Plain = "plain",
        /// Paced by a source of their own, of the same parameters.
        Abr = "abr",
    }
}

dupack_core::choice! {
    /// Diffserv code points with their names, as in RFC 4594.
    //= rfc4594 §2.3
    #[derive(Default)]
    pub enum Dscp {
        /// Best effort.
        #[default]
        Cs0 = "CS0",
        /// Lower effort (RFC 8622).
        Le = "LE",
        /// Low-priority data.
        Cs1 = "CS1",
        /// High-throughput data.
        Af11 = "AF11",
        /// The same, to be dropped earlier.
        Af12 = "AF12",
        /// The same, to be dropped first.
        Af13 = "AF13",
        /// Operation, administration and management.
        Cs2 = "CS2",
        /// Interactive data.
        Af21 = "AF21",
        /// The same, to be dropped earlier.
        Af22 = "AF22",
        /// The same, to be dropped first.
        Af23 = "AF23",
        /// Broadcast video.
        Cs3 = "CS3",
        /// Multimedia streaming.
        Af31 = "AF31",
        /// The same, to be dropped earlier.
        Af32 = "AF32",
        /// The same, to be dropped first.
        Af33 = "AF33",
        /// Real-time interactive.
        Cs4 = "CS4",
        /// Multimedia conferencing.
        Af41 = "AF41",
        /// The same, to be dropped earlier.
        Af42 = "AF42",
        /// The same, to be dropped first.
        Af43 = "AF43",
        /// Signalling.
        Cs5 = "CS5",
        /// Voice admitted.
        Va = "VA",
        /// Not queue-building (RFC 9956).
        Nqb = "NQB",
        /// Expedited forwarding: telephony.
        Ef = "EF",
        /// Network control.
        Cs6 = "CS6",
        /// Network control.
        Cs7 = "CS7",
    }
}

impl Dscp {
    /// The six bits of the header.
    //= rfc4594 §2.3
    pub const fn bits(self) -> u8 {
        match self {
            Self::Cs0 => 0,
            Self::Le => 1,
            Self::Cs1 => 8,
            Self::Af11 => 10,
            Self::Af12 => 12,
            Self::Af13 => 14,
            Self::Cs2 => 16,
            Self::Af21 => 18,
            Self::Af22 => 20,
            Self::Af23 => 22,
            Self::Cs3 => 24,
            Self::Af31 => 26,
            Self::Af32 => 28,
            Self::Af33 => 30,
            Self::Cs4 => 32,
            Self::Af41 => 34,
            Self::Af42 => 36,
            Self::Af43 => 38,
            Self::Cs5 => 40,
            Self::Va => 44,
            Self::Nqb => 45,
            Self::Ef => 46,
            Self::Cs6 => 48,
            Self::Cs7 => 56,
        }
    }
}

/// A network to simulate.
#[derive(Clone, Debug)]
pub struct Network {
    /// Units that the lines of hosts carry. If these are packets, other lines may carry cells: then an edge is between the two.
    pub grain: Grain,
    /// AAL5's trailer, for cells.
    pub trailer: Bytes,
    /// End of the run.
    pub duration: Duration,
    /// Measures of flows, and rates, begin here; below `duration`.
    pub warm_up: Duration,
    /// They begin instead where MSER-5 says, for each seed.
    pub mser: bool,
    /// Number of batches of the measured time.
    pub batches: Option<u64>,
    /// Spacing of the time series; `None` for none.
    pub sample: Option<Duration>,
    /// Whether each unit's wait in buffers, and each round trip, is kept for percentiles.
    pub percentiles: bool,
    /// Largest relative change of the rates of links, if they are drawn for each seed.
    pub detune: Option<f64>,
    /// Every direction of every link: a duplex link gives two neighbours, its way there and its way back.
    pub links: Vec<Link>,
    /// The VCs that flows share.
    pub vcs: Vec<Vc>,
    /// The connections.
    pub flows: Vec<Flow>,
    /// Nodes and the links between them.
    pub map: Map,
    /// Choice of a flow's route among equal ones.
    pub routing: Routing,
    /// Flows whose receivers are drawn.
    pub permutations: Vec<Permutation>,
}

dupack_core::choice! {
    /// Hosts at the two ends of a flow that it connects.
    pub enum Pairs {
        /// The first with the first, the second with the second; a single host with each.
        InOrder = "in-order",
        /// Each sends to one, each receives from one, as the seed draws it.
        Permutation = "permutation",
        /// Each with each.
        AllToAll = "all-to-all",
    }
}

/// Flows of which each sender has one receiver and each receiver one sender, drawn from the seed.
#[derive(Clone, Debug)]
pub struct Permutation {
    /// Its path in the plan, which names its random stream: `flow.bulk.pairs`.
    pub path: String,
    /// The flows (indices into [`Network::flows`]), one per sender.
    pub flows: Range<usize>,
    /// The nodes that send, in the order of the flows.
    pub sources: Vec<usize>,
    /// The nodes that receive, equal in number.
    pub targets: Vec<usize>,
}

impl Permutation {
    /// The receivers of the senders, in their order: a random order in which no host sends to itself, all being equally likely.
    //= raiciu-2011
    pub fn draw(&self, seed: u64) -> Vec<usize> {
        let mut stream = Stream::new(seed, &self.path);
        let mut drawn = self.targets.clone();
        // Rejecting an order leaves the others equally likely; on average it takes at most three tries. (The plan's reader has refused
        // a single host that is at both ends.)
        loop {
            for last in (1..drawn.len()).rev() {
                drawn.swap(last, stream.between(0, last as u64) as usize);
            }
            if self.sources.iter().zip(&drawn).all(|(from, to)| from != to) {
                return drawn;
            }
        }
    }
}

dupack_core::choice! {
    /// Choice among several shortest routes of a flow.
    pub enum Routing {
        /// The one whose links were declared first.
        First = "first",
        /// Per flow one of them, by draws from the run's seed and the flow's name: a hash of the flow, whose key is the seed.
        Ecmp = "ecmp",
    }
}

impl Network {
    /// Whether paths of packets lead over lines of cells.
    pub fn is_mixed(&self) -> bool {
        self.links.iter().any(|link| link.carries != self.grain)
    }

    /// What a packet gets before it becomes cells for this link: AAL5's trailer, and headers of the link layer if it has some.
    pub fn trailer_on(&self, link: &Link) -> Bytes {
        link.framing.before_cells().unwrap_or(self.trailer)
    }

    /// Bits of a packet of `bytes` on this link.
    pub fn bits_on(&self, link: &Link, bytes: Bytes) -> u64 {
        match link.carries {
            Grain::Packets => link.bits(bytes.0),
            Grain::Cells => u64::from(sar::cells(bytes, self.trailer_on(link))) * CELL_BITS,
        }
    }

    /// The network with links that have no schedules, but their mean rates and delays over the measured time.
    pub fn averaged(&self) -> Cow<'_, Self> {
        if self.links.iter().all(|link| link.schedule.is_none()) {
            return Cow::Borrowed(self);
        }
        let mut network = self.clone();
        for link in &mut network.links {
            if let Some(course) = link.schedule.take() {
                link.rate = course.mean_rate(self.warm_up, self.duration);
                link.delay = course.mean_delay(self.warm_up, self.duration);
            }
        }
        Cow::Owned(network)
    }

    /// The network as the run of this seed has it: the ends and ways of its flows, and the rates of its links.
    pub fn drawn(&self, seed: u64) -> Cow<'_, Self> {
        let mut network = self.routed(seed);
        if let Some(most) = self.detune {
            let own = network.to_mut();
            own.links.iter_mut().for_each(|it| it.detune(most, seed));
            // What is drawn once is not drawn again.
            own.detune = None;
        }
        network
    }

    /// The network with the ends and ways of its flows as the run of this seed has them.
    pub fn routed(&self, seed: u64) -> Cow<'_, Self> {
        if self.routing == Routing::First && self.permutations.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut network = self.clone();
        for permutation in &self.permutations {
            let drawn = permutation.draw(seed);
            for (flow, to) in permutation.flows.clone().zip(drawn) {
                network.flows[flow].ends.1 = to;
            }
        }
        let mut routes = Routes::new(&network.map);
        for flow in &mut network.flows {
            let (from, to) = flow.ends;
            let route = match self.routing {
                Routing::First => routes.find(from, to),
                Routing::Ecmp => {
                    let mut stream = Stream::new(seed, &format!("flow.{}.route", flow.name));
                    routes.draw(from, to, &mut stream)
                }
            };
            if let Some(route) = route {
                flow.back = Routes::reverse(&route);
                flow.forward = route;
            }
        }
        Cow::Owned(network)
    }
}
