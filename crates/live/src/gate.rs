//! Judges packets that hosts send: which may enter the links, and why others may not.

use crate::packet::{self, Packet};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Packets that the router did not offer to any link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Refused {
    /// Headers that are cut short or wrong.
    pub malformed: u64,
    /// Longer than the host's MTU.
    pub oversized: u64,
    /// With a source address that is not the host's.
    pub spoofed: u64,
    /// Addressed to the host that sent it.
    pub looped: u64,
    /// To an address that no host has, or that cannot be reached.
    pub unroutable: u64,
    /// The router had no memory left for it.
    pub no_memory: u64,
}

/// The addresses and MTUs of hosts.
#[derive(Clone, Debug)]
pub struct Gate {
    addresses: HashMap<IpAddr, usize>,
    mtus: Vec<u16>,
}

impl Gate {
    /// Of hosts with these addresses and MTUs.
    pub fn new(hosts: impl IntoIterator<Item = (Ipv4Addr, Ipv6Addr, u16)>) -> Self {
        let (mut addresses, mut mtus) = (HashMap::new(), Vec::new());
        for (at, (ipv4, ipv6, mtu)) in hosts.into_iter().enumerate() {
            addresses.insert(ipv4.into(), at);
            addresses.insert(ipv6.into(), at);
            mtus.push(mtu);
        }
        Self { addresses, mtus }
    }

    /// The headers of a packet that host number `host` sends, and the host to which it goes; `None` if it is refused, which is counted.
    pub fn judge(
        &self,
        host: usize,
        bytes: &[u8],
        refused: &mut Refused,
    ) -> Option<(Packet, usize)> {
        let count = if bytes.len() > usize::from(self.mtus[host]) {
            &mut refused.oversized
        } else {
            match packet::read(bytes) {
                None => &mut refused.malformed,
                Some(packet) if self.addresses.get(&packet.from) != Some(&host) => {
                    &mut refused.spoofed
                }
                Some(packet) => match self.addresses.get(&packet.to).copied() {
                    None => &mut refused.unroutable,
                    Some(to) if to == host => &mut refused.looped,
                    Some(to) => return Some((packet, to)),
                },
            }
        };
        *count += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;
    use proptest::prelude::*;

    fn gate() -> Gate {
        let host = |n| {
            (
                crate::space::ipv4(n),
                crate::space::ipv6(n),
                1500 + n as u16,
            )
        };
        Gate::new([host(0), host(1)])
    }

    fn datagram(from: u8, to: u8, payload: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, from], [10, 0, 0, to], 64)
            .udp(7, 9)
            .write(&mut bytes, &vec![0; payload])
            .expect("it fits");
        bytes
    }

    #[test]
    fn every_reason_is_counted_apart() {
        let mut refused = Refused::default();
        let mut judged = |bytes: &[u8]| {
            let passed = gate().judge(0, bytes, &mut refused);
            passed.map(|(_, to)| to)
        };
        assert_eq!(judged(&datagram(1, 2, 8)), Some(1));
        assert_eq!(judged(&datagram(1, 2, 1472)), Some(1));
        assert_eq!(judged(&datagram(1, 2, 1473)), None);
        assert_eq!(judged(&datagram(2, 1, 8)), None);
        assert_eq!(judged(&datagram(1, 1, 8)), None);
        assert_eq!(judged(&datagram(1, 3, 8)), None);
        assert_eq!(judged(&datagram(1, 2, 8)[..20]), None);
        let want = Refused {
            malformed: 1,
            oversized: 1,
            spoofed: 1,
            looped: 1,
            unroutable: 1,
            no_memory: 0,
        };
        assert_eq!(refused, want);
    }

    proptest! {
        /// Whatever a host sends is let in or counted once, and what is let in goes from it to another host.
        #[test]
        fn a_packet_is_let_in_or_counted(changes in prop::collection::vec((0usize..60, any::<u8>()), 0..6), host in 0usize..2) {
            let mut bytes = datagram(1, 2, 32);
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            let mut refused = Refused::default();
            let passed = gate().judge(host, &bytes, &mut refused);
            let counted = refused.malformed + refused.oversized + refused.spoofed + refused.looped + refused.unroutable;
            prop_assert_eq!(counted, u64::from(passed.is_none()));
            if let Some((packet, to)) = passed {
                prop_assert_eq!(to, 1 - host);
                prop_assert_eq!(packet.from, IpAddr::from(crate::space::ipv4(host)));
            }
        }
    }
}
