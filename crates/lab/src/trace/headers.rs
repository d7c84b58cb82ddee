//! The headers that a packet of a flow would have: IPv4, and TCP or UDP.
//!
//! - A segment's sequence number is 1 plus the payload before it: both initial sequence numbers are 0.
//! - If the plan's `header` has room (52 B), segments and acks carry RFC 7323's timestamps. A segment's timestamp is the number of
//!   its transmission, which the ack that it causes echoes; so one sees which transmission caused an ack.
//! - The ECN field is the packet's own, and so are the flags CWR of a segment and ECE of an ack (RFC 3168 §6.1). The handshake
//!   negotiates ECN if any of the captured packets shows that the connection uses it.
//! - Acks carry SACK blocks if the sender understands them. The simulator's acks have one length whatever they contain; these are
//!   longer by their blocks.

use dupack_core::measure::Window;
use dupack_core::time::{Instant, SECOND};
use dupack_core::transport::{Ack, DIVACE, EcnEcho};
use dupack_core::unit::Ecn;
use dupack_sim::probe::{Carried, Left, Seen};
use dupack_sim::spec::Flow;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

/// IPv4's and TCP's headers without options, and TCP's time stamps with their padding \[bytes\].
const PLAIN: u64 = 40;
const STAMPS: u64 = 12;
/// A packet's first time to live.
const TTL: u8 = 64;
/// The service to which it is all sent: discard (RFC 863), which no tool takes for anything else.
const DISCARD: u16 = 9;
/// First dynamic port (RFC 6335). One half of these ports is for senders, the other for receivers once the senders' are used up. So no
/// port is reused between two hosts, whichever of them sends.
const PORTS: u16 = 49_152;
const SENDERS: usize = 8192;
/// Class of trimmed packets: has priority over all data.
const URGENT: IpDscp = IpDscp::CS6;

/// The byte of an IPv4 header that was the type of service.
#[derive(Clone, Copy, Debug)]
struct Service {
    class: IpDscp,
    ecn: IpEcn,
}

impl Service {
    /// Made-up values.
    const PLAIN: Self = Self {
        class: IpDscp::CS0,
        ecn: IpEcn::NotEct,
    };

    fn of(seen: &Seen, dscp: u8) -> Self {
        Self {
            class: match seen.left {
                Left::Trimmed => URGENT,
                Left::Whole | Left::Truncated => IpDscp::try_new(dscp).unwrap_or(IpDscp::CS0),
            },
            ecn: match seen.ecn {
                Ecn::NotEct => IpEcn::NotEct,
                Ecn::Ect0 => IpEcn::Ect0,
                Ecn::Ect1 => IpEcn::Ect1,
                Ecn::Ce => IpEcn::CongestionExperienced,
            },
        }
    }
}

/// A packet with its headers, and its length on the line.
pub(super) struct Packet {
    pub bytes: Vec<u8>,
    pub length: u32,
}

/// Addresses and ports of the two hosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoints {
    from: [u8; 4],
    to: [u8; 4],
    ports: (u16, u16),
}

/// The address of a host by its number: 10.0.0.1, 10.0.0.2, ...
pub(super) fn address(host: usize) -> [u8; 4] {
    let [_, a, b, c] = (host as u32 + 1).to_be_bytes();
    [10, a, b, c]
}

impl Endpoints {
    /// For the flow or connection with this number between two hosts.
    pub fn new(number: usize, from: usize, to: usize) -> Self {
        let block = (number / SENDERS % SENDERS) as u16;
        let service = match block {
            0 => DISCARD,
            _ => PORTS + SENDERS as u16 + block,
        };
        Self {
            from: address(from),
            to: address(to),
            ports: (PORTS + (number % SENDERS) as u16, service),
        }
    }
}

/// Headers of a flow's packets.
#[derive(Debug)]
pub(super) struct Speaks {
    ends: Endpoints,
    /// Whether it is TCP.
    acknowledged: bool,
    mss: u64,
    stamps: bool,
    /// The sender understands selective acks.
    selective: bool,
    /// Both ends understand marks.
    ecn: bool,
    /// They speak AccECN: acks count marks.
    counts: bool,
    /// Diffserv code point of its packets.
    dscp: u8,
    /// The receiver's window \[bytes\], and by how many bits it is shifted in headers.
    window: u64,
    scale: u8,
}

/// The flags of ECN.
#[derive(Clone, Copy, Default)]
struct Flags {
    ae: bool,
    cwr: bool,
    ece: bool,
}

impl Flags {
    /// They are the field ACE.
    //= rfc9768 §3.2.2, counter
    fn ace(ace: u32) -> Self {
        let bit = |at: u32| ace >> at & 1 == 1;
        Self {
            ae: bit(2),
            cwr: bit(1),
            ece: bit(0),
        }
    }
}

/// r.cep and s.cep at the start.
//= rfc9768 §3.2.1
const CEP: u32 = 5;

/// Fields of a TCP header.
struct Said<'o> {
    seq: u64,
    ack: Option<u64>,
    syn: bool,
    /// The flags AE, CWR and ECE.
    flags: Flags,
    options: Vec<TcpOptionElement>,
    payload: &'o [u8],
    /// Window field as it stands there.
    window: u16,
}

impl Speaks {
    /// For a flow of which these packets were seen.
    pub fn new<'s>(flow: &Flow, ends: Endpoints, seen: impl IntoIterator<Item = &'s Seen>) -> Self {
        let common = &flow.transport.common;
        let window = match common.max_window {
            Window::Bytes(bytes) => bytes,
            Window::Segments(n) => n.saturating_mul(common.mss.0),
        };
        // RFC 7323 allows shifts of at most 14.
        let scale = (0..14).find(|bits| window >> bits <= 0xffff).unwrap_or(14);
        Self {
            ends,
            acknowledged: flow.transport.pair.acknowledged(),
            mss: common.mss.0,
            stamps: common.header.0 >= PLAIN + STAMPS,
            selective: flow.transport.pair.repair.about.habits.knows_what_arrived,
            ecn: seen.into_iter().any(tells_of_ecn),
            counts: common.ecn && common.ecn_echo == EcnEcho::Counter,
            dscp: flow.dscp.bits(),
            window,
            scale,
        }
    }

    /// The packet that was seen, whose flow's segments begin at `starts` in the stream of its bytes; and what no header says.
    pub fn packet(&self, seen: &Seen, starts: &[u64]) -> (Packet, Option<String>) {
        let at = |segment: u64| {
            let known = starts.get(segment as usize).or(starts.last());
            known.copied().unwrap_or(0)
        };
        let (bytes, comment) = match seen.carried {
            Carried::Data {
                segment, id, cwr, ..
            } => {
                let payload = vec![0; (at(segment + 1) - at(segment)) as usize];
                let bytes = if self.acknowledged {
                    let said = Said {
                        seq: 1 + at(segment),
                        ack: Some(1),
                        syn: false,
                        flags: self.flags(
                            Flags {
                                cwr,
                                ..Flags::default()
                            },
                            0,
                        ),
                        options: self.stamp(id as u32 + 1, milliseconds(seen.at)),
                        payload: &payload,
                        window: 0xffff,
                    };
                    self.tcp(true, id, seen, &said)
                } else {
                    self.udp(id, seen, &payload)
                };
                let cut = match seen.left {
                    Left::Whole => None,
                    Left::Trimmed => Some("its payload was trimmed off by a switch"),
                    Left::Truncated => Some("a copy of a header that a switch made"),
                };
                (bytes, cut.map(str::to_string))
            }
            Carried::Ack(ack) => {
                let mut options = self.stamp(milliseconds(seen.at), ack.id as u32 + 1);
                if self.selective && ack.sacked().next().is_some() {
                    options.extend([TcpOptionElement::Noop, TcpOptionElement::Noop]);
                    options.push(selective(&ack, &at));
                }
                let said = Said {
                    seq: 1,
                    ack: Some(1 + at(ack.next)),
                    syn: false,
                    flags: self.flags(
                        Flags {
                            ece: ack.ece,
                            ..Flags::default()
                        },
                        ack.marks,
                    ),
                    options,
                    payload: &[],
                    window: self.field(),
                };
                let notice = ack.trimmed.then(|| {
                    format!(
                        "a notice of loss: transmission {} of segment {} was trimmed",
                        ack.id, ack.cause
                    )
                });
                (self.tcp(false, ack.id, seen, &said), notice)
            }
        };
        // A cut packet is shorter on the line than its own header says.
        let (mut bytes, mut length) = (bytes.0, bytes.1);
        if seen.left != Left::Whole {
            length = length.min(seen.bytes);
            bytes.truncate(length as usize);
        }
        (Packet { bytes, length }, comment)
    }

    /// SYN, its answer, and the ack of that.
    pub fn handshake(&self) -> [Packet; 3] {
        let service = Service::PLAIN;
        let offers = |stamp: (u32, u32)| {
            // The MSS option does not count TCP options, so it is the plan's `mss` and the time stamps that full segments carry.
            let mss = self.mss + if self.stamps { STAMPS } else { 0 };
            let mut options = vec![TcpOptionElement::MaximumSegmentSize(mss.min(0xffff) as u16)];
            if self.selective {
                options.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
            }
            options.push(TcpOptionElement::WindowScale(self.scale));
            if self.stamps {
                options.push(TcpOptionElement::Timestamp(stamp.0, stamp.1));
            }
            options
        };
        let syn = |ack: Option<u64>, options| Said {
            seq: 0,
            ack,
            syn: true,
            flags: match ack {
                //= rfc9768 §3.1.1
                // A SYN that offers AccECN has all three; the answer to one that was not ECN-capable has CWR alone.
                _ if self.ecn && self.counts => Flags::ace(if ack.is_none() { 7 } else { 2 }),
                // A SYN that offers ECN has ECE and CWR; the answer that accepts it has ECE alone.
                //= rfc3168 §6.1.1
                _ => Flags {
                    ae: false,
                    ece: self.ecn,
                    cwr: self.ecn && ack.is_none(),
                },
            },
            options,
            payload: &[],
            // The window field of a SYN is never scaled.
            window: self.window.min(0xffff) as u16,
        };
        let last = Said {
            seq: 1,
            ack: Some(1),
            syn: false,
            //= rfc9768 §3.2.2.1
            // The answer was not ECN-capable.
            flags: Flags::ace(if self.ecn && self.counts { 2 } else { 0 }),
            options: self.stamp(1, 1),
            payload: &[],
            window: 0xffff,
        };
        let packets = [
            self.tcp_of(true, 0, TTL, service, &syn(None, offers((1, 0)))),
            self.tcp_of(false, 0, TTL, service, &syn(Some(1), offers((1, 1)))),
            self.tcp_of(true, 0, TTL, service, &last),
        ];
        packets.map(|(bytes, length)| Packet { bytes, length })
    }

    /// The flags of a packet after the handshake: `plain`, or with AccECN the counter of `marks`.
    fn flags(&self, plain: Flags, marks: u32) -> Flags {
        if self.ecn && self.counts {
            Flags::ace((CEP + marks) % DIVACE)
        } else {
            plain
        }
    }

    /// The receiver's window in headers.
    fn field(&self) -> u16 {
        let unit = 1 << self.scale;
        self.window.div_ceil(unit).min(0xffff) as u16
    }

    fn stamp(&self, own: u32, echo: u32) -> Vec<TcpOptionElement> {
        if !self.stamps {
            return Vec::new();
        }
        let stamp = TcpOptionElement::Timestamp(own, echo);
        vec![TcpOptionElement::Noop, TcpOptionElement::Noop, stamp]
    }

    fn tcp(&self, data: bool, id: u64, seen: &Seen, said: &Said<'_>) -> (Vec<u8>, u32) {
        let ttl = TTL.saturating_sub(seen.hop.min(63) as u8);
        self.tcp_of(data, id, ttl, Service::of(seen, self.dscp), said)
    }

    fn tcp_of(
        &self,
        data: bool,
        id: u64,
        ttl: u8,
        service: Service,
        said: &Said<'_>,
    ) -> (Vec<u8>, u32) {
        let (sender, receiver) = self.ends.ports;
        let (from, to) = if data {
            (sender, receiver)
        } else {
            (receiver, sender)
        };
        // Sequence numbers wrap at 2^32.
        let mut tcp = TcpHeader::new(from, to, said.seq as u32, said.window);
        tcp.syn = said.syn;
        let Flags { ae, cwr, ece } = said.flags;
        (tcp.ns, tcp.cwr, tcp.ece) = (ae, cwr, ece);
        if let Some(ack) = said.ack {
            tcp.ack = true;
            tcp.acknowledgment_number = ack as u32;
        }
        // TCP allows 40 bytes of options; at most, these are time stamps (12) and three SACK blocks (28).
        let fits = tcp.set_options(&said.options).is_ok();
        debug_assert!(fits);
        let length = tcp.header_len() + said.payload.len();
        let ip = self.ip(data, IpNumber::TCP, length, id, ttl, service);
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, said.payload).unwrap_or(0);
        let mut bytes = Vec::with_capacity(ip.header_len() + length);
        // Writing into a Vec cannot fail.
        let _ = ip.write(&mut bytes);
        let _ = tcp.write(&mut bytes);
        bytes.extend_from_slice(said.payload);
        let length = bytes.len() as u32;
        (bytes, length)
    }

    fn udp(&self, id: u64, seen: &Seen, payload: &[u8]) -> (Vec<u8>, u32) {
        let (from, to) = self.ends.ports;
        let ttl = TTL.saturating_sub(seen.hop.min(63) as u8);
        let service = Service::of(seen, self.dscp);
        let ip = self.ip(true, IpNumber::UDP, 8 + payload.len(), id, ttl, service);
        let udp = UdpHeader::with_ipv4_checksum(from, to, &ip, payload);
        let mut bytes = Vec::with_capacity(28 + payload.len());
        let _ = ip.write(&mut bytes);
        if let Ok(udp) = udp {
            let _ = udp.write(&mut bytes);
        }
        bytes.extend_from_slice(payload);
        let length = bytes.len() as u32;
        (bytes, length)
    }

    fn ip(
        &self,
        data: bool,
        protocol: IpNumber,
        payload: usize,
        id: u64,
        ttl: u8,
        service: Service,
    ) -> Ipv4Header {
        let (from, to) = if data {
            (self.ends.from, self.ends.to)
        } else {
            (self.ends.to, self.ends.from)
        };
        // IPv4 allows 65,535 bytes. Plans keep a segment and its header below that; if options exceed it, the length field is capped.
        let payload = payload.min(usize::from(u16::MAX) - Ipv4Header::MIN_LEN) as u16;
        let mut ip = Ipv4Header::new(payload, ttl, protocol, from, to).unwrap_or_default();
        ip.identification = id as u16;
        ip.dont_fragment = true;
        (ip.dscp, ip.ecn) = (service.class, service.ecn);
        ip.header_checksum = ip.calc_header_checksum();
        ip
    }
}

/// Only a connection that agreed on ECN sends this.
fn tells_of_ecn(seen: &Seen) -> bool {
    let flag = match &seen.carried {
        Carried::Data { cwr, .. } => *cwr,
        Carried::Ack(ack) => ack.ece,
    };
    flag || seen.ecn.is_capable()
}

/// The SACK option of an ack.
fn selective(ack: &Ack, at: &impl Fn(u64) -> u64) -> TcpOptionElement {
    let edge = |segment| (1 + at(segment)) as u32;
    let mut blocks = ack.sacked().map(|block| (edge(block.from), edge(block.to)));
    let first = blocks.next().unwrap_or_default();
    let mut rest = [None; 3];
    for (place, block) in rest.iter_mut().zip(blocks) {
        *place = Some(block);
    }
    TcpOptionElement::SelectiveAcknowledgement(first, rest)
}

/// A time for the timestamp option, in milliseconds.
fn milliseconds(at: Instant) -> u32 {
    (at.0 / (SECOND / 1000)) as u32
}
