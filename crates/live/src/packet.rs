//! Reads the headers of packets that hosts send, and marks congestion in them. No packet makes it panic.

use dupack_core::unit::Ecn;
use etherparse::{
    IpHeaders, IpNumber, NetSlice, PacketBuilder, SlicedPacket, TcpOptionElement, TransportSlice,
};
use std::net::IpAddr;

/// What a TCP header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tcp {
    /// Sequence number of the first byte of the payload.
    pub seq: u32,
    /// The next byte expected, if it is an ack.
    pub ack: Option<u32>,
    /// The flags SYN, FIN and RST.
    pub syn: bool,
    /// See `syn`.
    pub fin: bool,
    /// See `syn`.
    pub rst: bool,
    /// The flag ECE.
    pub ece: bool,
    /// Length of the payload \[bytes\].
    pub payload: u32,
    /// One beyond the last byte of the first block of selective acks, which has the newest arrival (RFC 2018 §4).
    pub sacked: Option<u32>,
}

/// What a router reads of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Its source.
    pub from: IpAddr,
    /// Its destination.
    pub to: IpAddr,
    /// The number of its transport protocol.
    pub protocol: u8,
    /// Source and destination port; 0 for protocols without ports, and for fragments.
    pub ports: (u16, u16),
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its Diffserv code point.
    pub dscp: u8,
    /// Length \[bytes\].
    pub bytes: u16,
    /// The TCP header, if it is TCP and no fragment.
    pub tcp: Option<Tcp>,
}

impl Packet {
    /// An ack without data.
    pub fn is_bare_ack(&self) -> bool {
        (self.tcp).is_some_and(|it| it.payload == 0 && !it.syn && !it.fin && !it.rst)
    }
}

fn ecn(bits: u8) -> Ecn {
    let all = Ecn::ALL.into_iter();
    all.fold(
        Ecn::NotEct,
        |found, it| {
            if it.bits() == bits & 3 { it } else { found }
        },
    )
}

/// Reads a packet; `None` if it is malformed: headers that are cut short or contradict each other, or lengths that are wrong.
pub fn read(bytes: &[u8]) -> Option<Packet> {
    let sliced = SlicedPacket::from_ip(bytes).ok()?;
    let (from, to, length, (dscp, ecn_bits), protocol): (_, _, usize, (u8, u8), IpNumber) =
        match sliced.net.as_ref()? {
            NetSlice::Ipv4(it) => {
                let header = it.header();
                let length = usize::from(header.total_len());
                let (from, to) = (header.source_addr(), header.destination_addr());
                let protocol = it.payload().ip_number;
                (
                    IpAddr::from(from),
                    IpAddr::from(to),
                    length,
                    (header.dcp().value(), header.ecn().value()),
                    protocol,
                )
            }
            NetSlice::Ipv6(it) => {
                let header = it.header();
                let length = 40 + usize::from(header.payload_length());
                let (from, to) = (header.source_addr(), header.destination_addr());
                let protocol = it.payload().ip_number;
                (
                    from.into(),
                    to.into(),
                    length,
                    (header.dscp().value(), header.ecn().value()),
                    protocol,
                )
            }
            NetSlice::Arp(_) => return None,
        };
    if length != bytes.len() {
        return None;
    }
    let (ports, tcp) = match &sliced.transport {
        Some(TransportSlice::Tcp(it)) => {
            let tcp = Tcp {
                seq: it.sequence_number(),
                ack: it.ack().then(|| it.acknowledgment_number()),
                syn: it.syn(),
                fin: it.fin(),
                rst: it.rst(),
                ece: it.ece(),
                payload: it.payload().len() as u32,
                sacked: it.options_iterator().find_map(|option| match option {
                    Ok(TcpOptionElement::SelectiveAcknowledgement((_, to), _)) => Some(to),
                    _ => None,
                }),
            };
            ((it.source_port(), it.destination_port()), Some(tcp))
        }
        Some(TransportSlice::Udp(it)) => ((it.source_port(), it.destination_port()), None),
        _ => ((0, 0), None),
    };
    Some(Packet {
        from,
        to,
        protocol: protocol.0,
        ports,
        ecn: ecn(ecn_bits),
        dscp,
        bytes: u16::try_from(length).ok()?,
        tcp,
    })
}

/// Sets the ECN field of a packet that [`read`] has accepted to CE.
//= rfc3168 §5
pub fn mark(bytes: &mut [u8]) {
    match bytes.first().map(|it| it >> 4) {
        Some(4) => {
            let Some(header) = bytes.get_mut(..12) else {
                return;
            };
            let before = u16::from_be_bytes([header[0], header[1]]);
            header[1] |= Ecn::Ce.bits();
            let after = u16::from_be_bytes([header[0], header[1]]);
            let sum = updated(u16::from_be_bytes([header[10], header[11]]), before, after);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        // The traffic class stands in the bits 4 to 11.
        Some(6) => {
            if let Some(byte) = bytes.get_mut(1) {
                *byte |= Ecn::Ce.bits() << 4;
            }
        }
        _ => {}
    }
}

/// Cuts a packet that [`read`] has accepted to at most `keep` bytes.
///
/// If they have room for the headers of a TCP segment and one byte, what is left is a right segment with the last byte of the payload:
/// the receiver answers it with a duplicate ack. Otherwise the packet is cut short as it is, and a receiver of Linux ignores it.
pub fn cut(bytes: &mut Vec<u8>, keep: usize) {
    match last_byte(bytes).filter(|it| it.len() <= keep) {
        Some(segment) => *bytes = segment,
        None => bytes.truncate(keep),
    }
}

/// The segment with the same headers and only the last byte of the payload; `None` if it is no TCP segment with data, or one with a flag
/// that belongs to a place in the payload.
fn last_byte(bytes: &[u8]) -> Option<Vec<u8>> {
    let sliced = SlicedPacket::from_ip(bytes).ok()?;
    let Some(TransportSlice::Tcp(slice)) = &sliced.transport else {
        return None;
    };
    let (payload, mut tcp) = (slice.payload(), slice.to_header());
    let last = *payload.last()?;
    if tcp.syn || tcp.fin || tcp.rst || tcp.urg {
        return None;
    }
    tcp.sequence_number = (tcp.sequence_number).wrapping_add(payload.len() as u32 - 1);
    let (headers, _) = IpHeaders::from_slice(bytes).ok()?;
    let mut short = Vec::with_capacity(bytes.len() - payload.len() + 1);
    // The builder makes lengths and checksums anew.
    let made = PacketBuilder::ip(headers)
        .tcp_header(tcp)
        .write(&mut short, &[last]);
    made.ok().map(|()| short)
}

/// A checksum after one word of what it covers has changed: HC' = ~(~HC + ~m + m').
//= rfc1624 §3
fn updated(sum: u16, before: u16, after: u16) -> u16 {
    let total = u32::from(!sum) + u32::from(!before) + u32::from(after);
    let folded = (total & 0xffff) + (total >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{IpEcn, Ipv4Header, TcpHeaderSlice};
    use proptest::prelude::*;

    fn tcp(ecn: IpEcn, payload: &[u8]) -> Vec<u8> {
        let mut header =
            Ipv4Header::new(0, 64, IpNumber::TCP, [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
        header.ecn = ecn;
        let mut bytes = Vec::new();
        PacketBuilder::ip(etherparse::IpHeaders::Ipv4(header, Default::default()))
            .tcp(4000, 5000, 17, 1000)
            .ack(99)
            .write(&mut bytes, payload)
            .expect("it fits");
        bytes
    }

    #[test]
    fn the_headers_of_a_segment_are_read() {
        let packet = read(&tcp(IpEcn::Ect0, &[0; 100])).expect("it is well formed");
        assert_eq!((packet.ports, packet.bytes), ((4000, 5000), 140));
        assert_eq!(packet.ecn, Ecn::Ect0);
        let tcp = packet.tcp.expect("it is TCP");
        assert_eq!((tcp.seq, tcp.ack, tcp.payload), (17, Some(99), 100));
        assert!(!packet.is_bare_ack());
    }

    #[test]
    fn a_mark_leaves_a_right_checksum() {
        for ecn in [IpEcn::Ect0, IpEcn::Ect1, IpEcn::CongestionExperienced] {
            let mut bytes = tcp(ecn, &[]);
            mark(&mut bytes);
            assert_eq!(read(&bytes).expect("it is well formed").ecn, Ecn::Ce);
            let (header, _) = Ipv4Header::from_slice(&bytes).expect("IPv4");
            assert_eq!(header.header_checksum, header.calc_header_checksum());
        }
    }

    #[test]
    fn ipv6_is_read_and_marked() {
        let mut bytes = Vec::new();
        PacketBuilder::ipv6([1; 16], [2; 16], 64)
            .udp(7, 9)
            .write(&mut bytes, &[0; 8])
            .expect("it fits");
        mark(&mut bytes);
        let packet = read(&bytes).expect("it is well formed");
        assert_eq!(
            (packet.ecn, packet.ports, packet.bytes),
            (Ecn::Ce, (7, 9), 56)
        );
        assert_eq!(packet.to, IpAddr::from([2; 16]));
    }

    #[test]
    fn a_cut_segment_carries_its_last_byte_if_there_is_room() {
        let payload: Vec<u8> = (0..100).collect();
        let mut bytes = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .tcp(4000, 5000, u32::MAX - 9, 1000)
            .ack(99)
            .options(&[TcpOptionElement::Timestamp(1, 2)])
            .expect("they fit")
            .write(&mut bytes, &payload)
            .expect("it fits");
        let headers = bytes.len() - 100;
        let whole = bytes.clone();
        cut(&mut bytes, headers + 1);
        assert_eq!(bytes.len(), headers + 1);
        let packet = read(&bytes).expect("it is well formed");
        let tcp = packet.tcp.expect("it is TCP");
        // The sequence number wraps: 10 bytes before 0, and 99 beyond.
        assert_eq!((tcp.seq, tcp.payload, tcp.ack), (89, 1, Some(99)));
        assert_eq!(bytes.last(), Some(&99));
        let (ip, rest) = Ipv4Header::from_slice(&bytes).expect("IPv4");
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let header = TcpHeaderSlice::from_slice(rest).expect("TCP");
        let right = header.calc_checksum_ipv4_raw([10, 0, 0, 1], [10, 0, 0, 2], &[99]);
        assert_eq!(header.checksum(), right.expect("it is short"));
        // As the paper prints it: no more than a header.
        let mut short = whole.clone();
        cut(&mut short, 40);
        assert_eq!(short, whole[..40]);
    }

    #[test]
    fn a_wrong_length_is_malformed() {
        let mut bytes = tcp(IpEcn::NotEct, &[0; 100]);
        bytes.push(0);
        assert_eq!(read(&bytes), None);
        bytes.truncate(100);
        assert_eq!(read(&bytes), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
            mark(&mut bytes);
        }

        /// A right packet with any bytes changed, which passes the first checks.
        #[test]
        fn no_change_makes_it_panic(changes in prop::collection::vec((0usize..140, any::<u8>()), 0..8)) {
            let mut bytes = tcp(IpEcn::Ect0, &[0; 100]);
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            if let Some(packet) = read(&bytes) {
                prop_assert_eq!(usize::from(packet.bytes), bytes.len());
                let mut short = bytes.clone();
                cut(&mut short, 60);
                prop_assert!(short.len() <= 60);
            }
            mark(&mut bytes);
        }

        /// Equation 3 of RFC 1624 against the sum made anew.
        #[test]
        fn an_updated_checksum_is_that_of_all_words(mut words in prop::collection::vec(any::<u16>(), 2..20), new: u16) {
            let sum = |words: &[u16]| {
                let mut total: u32 = words.iter().map(|it| u32::from(*it)).sum();
                while total > 0xffff {
                    total = (total & 0xffff) + (total >> 16);
                }
                !total as u16
            };
            words[1] |= 1; // not all words are 0, which no IP header is
            let before = sum(&words);
            let after = updated(before, words[0], new);
            words[0] = new;
            prop_assert_eq!(after, sum(&words));
        }
    }
}
