//! Laws of any packets that hosts send to a live run. Used by the tests, and by the fuzzer in `fuzz/`.
//!
//! The packets take the router's way without devices: they are judged, watched, offered to links, and marked, cut or dropped there. An
//! input is a list of records of a few bytes, so that one input has many packets; most begin as right ones, of which some bytes are
//! changed, since random bytes seldom pass the first check.

use dupack_core::time::{Duration, Instant};
use dupack_lab::plan::Plan;
use dupack_live::gate::{Gate, Refused};
use dupack_live::packet;
use dupack_live::slab::{Kept, Slab};
use dupack_live::watch::Watch;
use dupack_sim::probe::Deed;
use dupack_sim::relay::{Fate, Parcel, Relay, Told};
use dupack_sim::spec::Network;
use etherparse::{IpFragOffset, IpHeaders, IpNumber, Ipv4Header, PacketBuilder};
use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

/// Links of different kinds: cells; marks; headers of trimmed packets; copies of headers; disciplines that tell connections, hosts or classes
/// apart, or drop packets that they had accepted.
const QUEUES: [(&str, &str); 12] = [
    (
        "cells",
        r#"{ kind = "bpd", buffer = "60 cells", lower = 0.3, upper = 0.8, gap = "1 packet" }"#,
    ),
    (
        "packets",
        r#"{ kind = "codel", buffer = "20 packets", target = "10 us", interval = "100 us", ecn = true }"#,
    ),
    (
        "packets",
        r#"{ kind = "trim", buffer = "2 packets", keep = "60 B" }"#,
    ),
    (
        "packets",
        r#"{ kind = "triple-truncated", inner = { kind = "drop-tail", buffer = "2 packets" }, keep = "60 B" }"#,
    ),
    (
        "cells",
        r#"{ kind = "epd-push-out", buffer = "24 cells", threshold = 0.5 }"#,
    ),
    ("cells", r#"{ kind = "abs-push-out", buffer = "24 cells" }"#),
    (
        "packets",
        r#"{ kind = "fq-codel", buffer = "6 packets", target = "10 us", interval = "100 us" }"#,
    ),
    (
        "packets",
        r#"{ kind = "cake", buffer = "6 packets", tins = "diffserv4" }"#,
    ),
    (
        "packets",
        r#"{ kind = "longest-queue-drop", buffer = "4 packets" }"#,
    ),
    (
        "packets",
        r#"{ kind = "dualpi2", buffer = "6 packets", target = "10 us", update = "10 us" }"#,
    ),
    (
        "packets",
        r#"{ kind = "ack-filter", buffer = "4 packets" }"#,
    ),
    (
        "packets",
        r#"{ kind = "strict-priority", buffer = "4 packets" }"#,
    ),
];

/// Connections that have ways of their own; those beyond share the first.
const MOST_WAYS: usize = 16;

static NETWORKS: LazyLock<Vec<Network>> = LazyLock::new(|| {
    let network = |(carries, queue): &(&str, &str)| {
        let text = format!(
            r#"
            title = "fuzz"
            duration = "1 s"
            [[host]]
            name = "a"
            [[host]]
            name = "b"
            [[link]]
            name = "line"
            from = "a"
            to = "b"
            carries = "{carries}"
            rate = "10 Mb/s"
            delay = "1 ms"
            queue = {queue}
            back_queue = {queue}
            [[flow]]
            name = "bulk"
            from = "a"
            to = "b"
            transport = {{ kernel = "reno" }}
            "#
        );
        let plan = Plan::parse(text.as_bytes(), "fuzz", &[]).expect("it is right");
        Network::clone(&plan.points[0].network)
    };
    QUEUES.iter().map(network).collect()
});

/// Right packets from either host to the other.
static RIGHT: LazyLock<Vec<[Vec<u8>; 2]>> = LazyLock::new(|| {
    let v4 = |host: u8| [10, 0, 0, host];
    let v6 = |host: u8| Ipv6Addr::from((0xfd00_u128 << 112) | u128::from(host)).octets();
    let ends = [(1u8, 2u8), (2, 1)];
    let both = |make: &dyn Fn(u8, u8) -> Vec<u8>| ends.map(|(from, to)| make(from, to));
    let tcp = |from, to, payload: usize| {
        let mut bytes = Vec::new();
        let made = PacketBuilder::ipv4(v4(from), v4(to), 64)
            .tcp(40_000, 5_001, 1000, 500)
            .ack(7)
            .write(&mut bytes, &vec![1; payload]);
        made.expect("it fits");
        // ECT(0), which makes the checksum wrong, as the kernel's receiver would see; routers do not look at it.
        bytes[1] |= 2;
        bytes
    };
    vec![
        both(&|from, to| tcp(from, to, 100)),
        both(&|from, to| tcp(from, to, 0)),
        both(&|from, to| {
            let mut bytes = Vec::new();
            let made = PacketBuilder::ipv6(v6(from), v6(to), 64)
                .tcp(40_000, 5_001, 1000, 500)
                .syn()
                .write(&mut bytes, &[2; 60]);
            made.expect("it fits");
            bytes
        }),
        both(&|from, to| {
            let mut bytes = Vec::new();
            let made = PacketBuilder::ipv4(v4(from), v4(to), 64)
                .udp(7, 9)
                .write(&mut bytes, &[3; 80]);
            made.expect("it fits");
            bytes
        }),
        both(&|from, to| {
            let mut header =
                Ipv4Header::new(40, 64, IpNumber::UDP, v4(from), v4(to)).expect("short");
            header.fragment_offset = IpFragOffset::try_new(3).expect("small");
            header.more_fragments = true;
            let mut bytes = Vec::new();
            let headers = IpHeaders::Ipv4(header, Default::default());
            PacketBuilder::ip(headers)
                .write(&mut bytes, IpNumber::UDP, &[4; 40])
                .expect("it fits");
            bytes
        }),
    ]
});

/// Takes bytes from an input; zeros after its end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// A packet, and the host that sends it.
    fn packet(&mut self, bytes: &mut Vec<u8>) -> usize {
        let what = self.byte();
        let host = usize::from(what & 1);
        bytes.clear();
        let right = usize::from(what >> 1 & 7);
        if let Some(both) = RIGHT.get(right) {
            bytes.extend(&both[host]);
            for _ in 0..what >> 4 & 3 {
                let (at, value) = (usize::from(self.byte()) % bytes.len(), self.byte());
                bytes[at] = value;
            }
            if what & 64 != 0 {
                bytes.truncate(usize::from(self.byte()));
            }
        } else {
            let length = usize::from(self.byte()).min(self.0.len());
            bytes.extend(&self.0[..length]);
            self.0 = &self.0[length..];
        }
        host
    }
}

/// Packets under way, as the router has them.
struct Under {
    slab: Slab,
    watch: Watch,
    /// Packets that have arrived or were lost, and copies that were made.
    ended: u64,
    copies: u64,
}

impl Under {
    fn new() -> Self {
        Self {
            slab: Slab::new(20_000),
            watch: Watch::new(100, false),
            ended: 0,
            copies: 0,
        }
    }

    /// Takes what became of packets.
    fn settle(&mut self, told: &mut Vec<Told>) {
        for it in told.drain(..) {
            match it.fate {
                Fate::Arrived { ecn, trimmed } => {
                    let kept = self.slab.take(it.token);
                    let Kept {
                        mut bytes, packet, ..
                    } = kept.expect("what arrives is kept until then");
                    self.ended += 1;
                    if ecn != packet.ecn {
                        packet::mark(&mut bytes);
                        assert_eq!(packet::read(&bytes).map(|it| it.ecn), Some(ecn));
                    }
                    if let Some(keep) = trimmed {
                        packet::cut(&mut bytes, usize::from(keep));
                        assert!(bytes.len() <= usize::from(keep));
                    } else if let Some(tcp) = &packet.tcp {
                        match packet.ports.0 {
                            40_000 => drop(self.watch.arrives(it.at, tcp)),
                            _ => drop(self.watch.hears(it.at, tcp)),
                        }
                    }
                }
                Fate::Copied => {
                    self.copies += 1;
                    self.slab.copy(it.token);
                }
                Fate::Befell { deed, .. } if !matches!(deed, Deed::Dropped(_)) => {}
                Fate::Dead | Fate::Befell { .. } => {
                    self.ended += 1;
                    self.slab.take(it.token);
                }
            }
        }
    }
}

/// The gate of two hosts.
fn gate() -> Gate {
    let address = |host: u8| {
        let v6 = Ipv6Addr::from((0xfd00_u128 << 112) | u128::from(host));
        (Ipv4Addr::new(10, 0, 0, host), v6, 200)
    };
    Gate::new([address(1), address(2)])
}

/// Feeds the packets of an input to links; returns how many there were.
///
/// # Panics
/// If a law is broken.
pub fn holds(bytes: &[u8]) -> u64 {
    let mut input = Input(bytes);
    let network = &NETWORKS[usize::from(input.byte()) % QUEUES.len()];
    let gate = gate();
    let end = Instant(network.duration.0);
    let mut relay = Relay::new(network, 1, end);
    for (route, ends) in [([0], (0, 1)), ([1], (1, 0))] {
        relay.add_way(&route, ends.0, ends);
    }
    let mut ways = HashMap::new();
    let mut under = Under::new();
    let (mut refused, mut told, mut packet) = (Refused::default(), Vec::new(), Vec::new());
    let (mut packets, mut sent, mut now) = (0, 0, Instant::ZERO);
    while !input.0.is_empty() {
        let host = input.packet(&mut packet);
        packets += 1;
        let before = refused;
        let Some((read, to)) = gate.judge(host, &packet, &mut refused) else {
            assert_ne!(refused, before, "a packet is counted");
            continue;
        };
        assert!(to != host && usize::from(read.bytes) == packet.len() && refused == before);
        now += Duration(u64::from(packet[4]) * 1_000_000);
        relay.advance(now, &mut told);
        under.settle(&mut told);
        let known = ways.len();
        let way = *ways
            .entry((host, read.protocol, read.ports))
            .or_insert_with(|| {
                let ends = (host as u32, to as u32);
                let more = known < MOST_WAYS;
                if more {
                    relay.add_way(&[host], ends.0, ends)
                } else {
                    ends.0
                }
            });
        let kept = Kept {
            bytes: packet.clone(),
            at: now,
            packet: read,
            way,
            to,
            on_links: relay.weight(read.bytes),
        };
        let Some(token) = under.slab.put(kept) else {
            continue;
        };
        if let Some(tcp) = &read.tcp
            && host == 0
        {
            under.watch.sends(now, tcp, read.bytes);
        }
        sent += 1;
        relay.send(
            now,
            Parcel {
                way,
                token,
                bytes: read.bytes,
                ecn: read.ecn,
                dscp: read.dscp,
                control: read.is_bare_ack(),
            },
        );
    }
    relay.advance(end, &mut told);
    under.settle(&mut told);
    assert!(under.watch.counts.delivered <= under.watch.delivered());
    assert!(under.ended <= sent + under.copies, "a packet ends once");
    let closed = relay.close(network, end, &[0.0]);
    assert!(closed.is_ok(), "the ledgers balance");
    packets
}
