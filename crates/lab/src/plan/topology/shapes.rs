//! The shapes of networks: which hosts, switches and links each of them has, and what they are called.

use dupack_core::declare;
use dupack_core::declare::{Declared, Fault, Value};
use dupack_core::roster::Entry;

/// A link, or one per member of a group, between two nodes or groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cable {
    /// Its name.
    pub name: String,
    /// Node where it begins.
    pub from: String,
    /// Node where it ends.
    pub to: String,
    /// The table of `[topology]` that describes it.
    pub table: &'static str,
    /// Its delay, if the shape knows it; the table has precedence \[ps\].
    pub delay_ps: Option<u64>,
    /// Its rate, likewise \[bit/s\].
    pub rate: Option<u64>,
}

/// Nodes and links of a shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Net {
    /// Names, with the number of members of those that are groups.
    pub hosts: Vec<(String, Option<u64>)>,
    /// The same of switches.
    pub switches: Vec<(String, Option<u64>)>,
    /// The order decides between routes of equal length.
    pub lines: Vec<Cable>,
}

impl Net {
    fn host(&mut self, name: &str, count: u64) {
        self.hosts.push((name.into(), Some(count)));
    }

    fn switch(&mut self, name: &str, count: u64) {
        self.switches.push((name.into(), Some(count)));
    }

    /// A link.
    pub fn line(&mut self, name: String, from: String, to: String, table: &'static str) {
        self.lines.push(Cable {
            name,
            from,
            to,
            table,
            delay_ps: None,
            rate: None,
        });
    }
}

/// A table of `[topology]` that describes some of the links.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    /// Its key.
    pub name: &'static str,
    /// Links that the table describes.
    pub help: &'static str,
    /// Replacement for the table if it is not given.
    pub without: Without,
}

/// Replacements for a table of links that is not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Without {
    /// None: it must be given.
    Wrong,
    /// Another table.
    Like(&'static str),
    /// Values known without it.
    Known,
}

const fn links(name: &'static str, help: &'static str) -> Links {
    Links {
        name,
        help,
        without: Without::Wrong,
    }
}

const fn links_like(name: &'static str, like: &'static str, help: &'static str) -> Links {
    Links {
        name,
        help,
        without: Without::Like(like),
    }
}

/// A shape of which only numbers are free.
trait Shape: Declared {
    /// The tables that describe its links.
    const LINKS: &'static [Links];
    /// Nodes and links that it makes \[number of each\], reckoned before they are made.
    fn size(&self) -> u128;
    /// Makes it.
    fn net(&self) -> Net;
}

/// At least one.
fn some(name: &'static str, found: u64) -> Result<(), Fault> {
    if found > 0 {
        return Ok(());
    }
    Err(Fault {
        name,
        found: "0".into(),
        allowed: "at least 1".into(),
    })
}

fn member(group: &str, index: u64) -> String {
    format!("{group}-{index}")
}

declare! {
    /// Connects senders behind one switch with receivers behind another by one link.
    pub struct Dumbbell as "dumbbell" from "common practice" {
        /// Number of senders, the hosts `source-0`, `source-1`, ... before the bottleneck.
        senders: u64, show "3";
        /// Number of receivers, the hosts `sink-0`, ... behind it; a single one is just `sink`.
        receivers: Option<u64> = unset "as many as senders";
    }
    check |it| some("senders", it.senders).and(some("receivers", it.receivers.unwrap_or(1)))
}

impl Shape for Dumbbell {
    const LINKS: &'static [Links] = &[
        links("access", "from each sender to the switch `left`"),
        links("bottleneck", "from `left` to `right`"),
        links_like("exit", "access", "from `right` to each receiver"),
    ];
    fn size(&self) -> u128 {
        2 * (u128::from(self.senders) + u128::from(self.receivers.unwrap_or(self.senders))) + 3
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        net.host("source", self.senders);
        match self.receivers {
            Some(1) => net.hosts.push(("sink".into(), None)),
            receivers => net.host("sink", receivers.unwrap_or(self.senders)),
        }
        net.switches = vec![("left".into(), None), ("right".into(), None)];
        net.line("access".into(), "source".into(), "left".into(), "access");
        net.line(
            "bottleneck".into(),
            "left".into(),
            "right".into(),
            "bottleneck",
        );
        net.line("exit".into(), "right".into(), "sink".into(), "exit");
        net
    }
}

declare! {
    /// Makes a chain of bottlenecks: some flows pass all of them, others one each.
    pub struct ParkingLot as "parking-lot" from "common practice" {
        /// Number of bottlenecks, the links `hop-0`, `hop-1`, ... between the switches `switch-0`, `switch-1`, ...
        hops: u64, show "3";
        /// Number of hosts `source-0`, ... at the first switch, and `sink-0`, ... at the last, whose flows pass all hops.
        senders: u64 = "1";
        /// Number of pairs of hosts per hop, whose flows pass that hop alone: `cross-source-0` to `cross-sink-0` the first, and so on.
        cross: u64 = "1";
    }
    check |it| some("hops", it.hops).and(some("senders", it.senders)).and(some("cross", it.cross))
}

impl Shape for ParkingLot {
    const LINKS: &'static [Links] = &[
        links("access", "to the hosts at the ends: `access` and `exit`"),
        links(
            "bottleneck",
            "from each switch to the next: `hop-0`, `hop-1`, ...",
        ),
        links_like(
            "cross_access",
            "access",
            "to the hosts of each hop: `cross-access-0`, `cross-exit-0`, ...",
        ),
    ];
    fn size(&self) -> u128 {
        let crossing = u128::from(self.hops) * u128::from(self.cross);
        let hosts = crossing.saturating_add(u128::from(self.senders));
        hosts
            .saturating_mul(4)
            .saturating_add(2 * u128::from(self.hops) + 1)
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        let crossing = self.hops * self.cross;
        net.host("source", self.senders);
        net.host("sink", self.senders);
        net.host("cross-source", crossing);
        net.host("cross-sink", crossing);
        net.switch("switch", self.hops + 1);
        let switch = |at| member("switch", at);
        net.line("access".into(), "source".into(), switch(0), "access");
        net.line("exit".into(), switch(self.hops), "sink".into(), "access");
        for hop in 0..self.hops {
            let (from, to) = (switch(hop), switch(hop + 1));
            net.line(member("hop", hop), from, to, "bottleneck");
        }
        for at in 0..crossing {
            let hop = at / self.cross;
            let (from, to) = (member("cross-source", at), member("cross-sink", at));
            net.line(
                member("cross-access", at),
                from,
                switch(hop),
                "cross_access",
            );
            net.line(
                member("cross-exit", at),
                switch(hop + 1),
                to,
                "cross_access",
            );
        }
        net
    }
}

declare! {
    /// Connects hosts to one switch.
    pub struct Star as "star" from "common practice" {
        /// Number of hosts, `host-0`, `host-1`, ...
        hosts: u64;
    }
    check |it| some("hosts", it.hosts)
}

impl Shape for Star {
    const LINKS: &'static [Links] = &[links("access", "from each host to the switch `hub`")];
    fn size(&self) -> u128 {
        2 * u128::from(self.hosts) + 1
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        net.host("host", self.hosts);
        net.switches = vec![("hub".into(), None)];
        net.line("access".into(), "host".into(), "hub".into(), "access");
        net
    }
}

declare! {
    /// Connects many senders and one receiver to one switch.
    pub struct Incast as "incast" from "common practice" {
        /// Number of senders, the hosts `source-0`, `source-1`, ...; the receiver is `sink`.
        senders: u64;
    }
    check |it| some("senders", it.senders)
}

impl Shape for Incast {
    const LINKS: &'static [Links] = &[
        links("access", "from each sender to the switch `hub`"),
        links_like("bottleneck", "access", "from `hub` to `sink`"),
    ];
    fn size(&self) -> u128 {
        2 * u128::from(self.senders) + 3
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        net.host("source", self.senders);
        net.hosts.push(("sink".into(), None));
        net.switches = vec![("hub".into(), None)];
        net.line("access".into(), "source".into(), "hub".into(), "access");
        net.line(
            "bottleneck".into(),
            "hub".into(),
            "sink".into(),
            "bottleneck",
        );
        net
    }
}

declare! {
    /// Makes two layers of switches: each leaf has hosts, and a link to every spine.
    pub struct LeafSpine as "leaf-spine" from "common practice" {
        /// Number of leaves, the switches `leaf-0`, `leaf-1`, ...
        leaves: u64, show "3";
        /// Number of spines, the switches `spine-0`, `spine-1`, ...
        spines: u64, show "2";
        /// Number of hosts at each leaf: the first leaf has `host-0`, `host-1`, ..., the second those that follow.
        hosts: u64, show "2";
    }
    check |it| some("leaves", it.leaves).and(some("spines", it.spines)).and(some("hosts", it.hosts))
}

impl Shape for LeafSpine {
    const LINKS: &'static [Links] = &[
        links("access", "from each host to its leaf: `access-0`, ..."),
        links_like(
            "fabric",
            "access",
            "from leaf l to spine s: `fabric-l-s`, such as `fabric-0-1`",
        ),
    ];
    fn size(&self) -> u128 {
        let [leaves, spines, hosts] = [self.leaves, self.spines, self.hosts].map(u128::from);
        leaves
            .saturating_mul(hosts.saturating_mul(2).saturating_add(spines))
            .saturating_add(leaves + spines)
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        net.host("host", self.leaves * self.hosts);
        net.switch("leaf", self.leaves);
        net.switch("spine", self.spines);
        for host in 0..self.leaves * self.hosts {
            let leaf = member("leaf", host / self.hosts);
            net.line(member("access", host), member("host", host), leaf, "access");
        }
        for leaf in 0..self.leaves {
            for spine in 0..self.spines {
                let (from, to) = (member("leaf", leaf), member("spine", spine));
                net.line(format!("fabric-{leaf}-{spine}"), from, to, "fabric");
            }
        }
        net
    }
}

declare! {
    /// Makes three layers of switches with k ports each; each switch below the top has as many links up as down.
    pub struct FatTree as "fat-tree" from "al-fares-2008 §2.2" {
        /// Number of ports of each switch, which is even: k^3/4 hosts, k pods.
        k: u64;
    }
    check |it| {
        if it.k >= 2 && it.k.is_multiple_of(2) {
            return Ok(());
        }
        Err(Fault { name: "k", found: it.k.to_string(), allowed: "an even number from 2 on".into() })
    }
}

//= al-fares-2008 §2.2
// There are k pods, with two layers of k/2 switches each. Each lower switch has k/2 hosts, and a link to each upper switch of its pod.
// The (k/2)^2 core switches connect the pods: the j-th upper switch of each pod has links to the k/2 core switches from j k/2 on.
impl Shape for FatTree {
    const LINKS: &'static [Links] = &[
        links(
            "access",
            "from each host to its switch `edge-e`: `access-0`, ...",
        ),
        links_like(
            "pod",
            "access",
            "from `edge-e` to `aggregation-a` of its pod: `pod-e-a`",
        ),
        links_like(
            "core",
            "access",
            "from `aggregation-a` to `core-c`: `core-a-c`",
        ),
    ];
    fn size(&self) -> u128 {
        let k = u128::from(self.k);
        // k^3/4 hosts, 5 k^2/4 switches and 3 k^3/4 links.
        k.saturating_mul(k).saturating_mul(k.saturating_add(2))
    }
    fn net(&self) -> Net {
        let mut net = Net::default();
        let half = self.k / 2;
        let (edges, hosts) = (self.k * half, self.k * half * half);
        net.host("host", hosts);
        net.switch("edge", edges);
        net.switch("aggregation", edges);
        net.switch("core", half * half);
        for host in 0..hosts {
            let edge = member("edge", host / half);
            net.line(member("access", host), member("host", host), edge, "access");
        }
        for edge in 0..edges {
            let pod = edge / half;
            for at in pod * half..(pod + 1) * half {
                let (from, to) = (member("edge", edge), member("aggregation", at));
                net.line(format!("pod-{edge}-{at}"), from, to, "pod");
            }
        }
        for at in 0..edges {
            let stride = at % half * half;
            for core in stride..stride + half {
                let (from, to) = (member("aggregation", at), member("core", core));
                net.line(format!("core-{at}-{core}"), from, to, "core");
            }
        }
        net
    }
}

/// Part of an entry that only shapes have.
#[derive(Clone, Copy)]
pub struct About {
    /// The tables that describe its links.
    pub links: &'static [Links],
    /// Makes it, unless it has more nodes and links than that.
    pub(super) build_if: fn(&[Value], u128) -> Result<Option<Net>, Fault>,
}

const fn entry<S: Shape>() -> Entry<About> {
    Entry::of::<S>(About {
        links: S::LINKS,
        build_if: |values, most| {
            let shape = S::from_values(values);
            shape.check()?;
            Ok((shape.size() <= most).then(|| shape.net()))
        },
    })
}

/// Every shape, in the order of the pages; a graph from a file is not among them.
pub const SHAPES: [Entry<About>; 6] = [
    entry::<Dumbbell>(),
    entry::<ParkingLot>(),
    entry::<Star>(),
    entry::<Incast>(),
    entry::<LeafSpine>(),
    entry::<FatTree>(),
];
