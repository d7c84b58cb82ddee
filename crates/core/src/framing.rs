//! Framing: the bytes that a packet takes on a line of a kind, with the headers of the link and what it is padded to.
//!
//! The names and numbers are those of the link-layer keywords of CAKE; they are added to the length of the IP packet.
//= tc-cake

use crate::measure::Bytes;

crate::choice! {
    /// What a link adds to a packet.
    #[derive(Default)]
    pub enum Framing {
        /// Nothing.
        #[default]
        Raw = "raw",
        /// Ethernet: 38 bytes (header, checksum, preamble, gap), at least 84.
        Ethernet = "ethernet",
        /// Ethernet with a VLAN tag: 42 bytes, at least 84.
        EtherVlan = "ether-vlan",
        /// A cable modem: 18 bytes (header and checksum of Ethernet), at least 64.
        Docsis = "docsis",
        /// PPPoE over VDSL2 (PTM): 30 bytes, and one per 64.
        PppoePtm = "pppoe-ptm",
        /// Ethernet over VDSL2 (PTM): 22 bytes, and one per 64.
        BridgedPtm = "bridged-ptm",
        /// IP over ATM, VC-multiplexed: 8 bytes, and then whole cells.
        IpoaVcmux = "ipoa-vcmux",
        /// IP over ATM, LLC/SNAP: 16 bytes, and then whole cells.
        IpoaLlcsnap = "ipoa-llcsnap",
        /// PPP over ATM, VC-multiplexed: 10 bytes, and then whole cells.
        PppoaVcmux = "pppoa-vcmux",
        /// PPP over ATM, LLC: 14 bytes, and then whole cells.
        PppoaLlc = "pppoa-llc",
        /// Ethernet over ATM, VC-multiplexed: 24 bytes, and then whole cells.
        BridgedVcmux = "bridged-vcmux",
        /// Ethernet over ATM, LLC/SNAP: 32 bytes, and then whole cells.
        BridgedLlcsnap = "bridged-llcsnap",
        /// PPPoE over ATM, VC-multiplexed: 32 bytes, and then whole cells.
        PppoeVcmux = "pppoe-vcmux",
        /// PPPoE over ATM, LLC/SNAP: 40 bytes, and then whole cells.
        PppoeLlcsnap = "pppoe-llcsnap",
        /// More than any of them: 48 bytes, and then whole cells.
        Conservative = "conservative",
    }
}

/// What is done with packet and overhead.
enum Padding {
    /// To at least this many bytes.
    To(u64),
    /// A byte for each 64 or part of them.
    Ptm,
    /// Cells of 53 bytes with 48 of payload.
    Atm,
}

impl Framing {
    /// The bytes that a packet of `bytes` takes on the line.
    //= tc-cake
    pub const fn on_line(self, bytes: u64) -> u64 {
        let (overhead, padding) = self.adds();
        let long = bytes + overhead;
        match padding {
            Padding::To(least) if long < least => least,
            Padding::To(_) => long,
            Padding::Ptm => long + long.div_ceil(64),
            Padding::Atm => long.div_ceil(48) * 53,
        }
    }

    /// The bytes that a packet gets before it becomes cells, AAL5's trailer among them; `None` if it becomes none.
    pub const fn before_cells(self) -> Option<Bytes> {
        match self.adds() {
            (overhead, Padding::Atm) => Some(Bytes(overhead)),
            _ => None,
        }
    }

    /// The bytes that it adds, and what is done then.
    //= tc-cake
    const fn adds(self) -> (u64, Padding) {
        use Padding::{Atm, Ptm, To};
        match self {
            Self::Raw => (0, To(0)),
            Self::Ethernet => (38, To(84)),
            Self::EtherVlan => (42, To(84)),
            Self::Docsis => (18, To(64)),
            Self::PppoePtm => (30, Ptm),
            Self::BridgedPtm => (22, Ptm),
            Self::IpoaVcmux => (8, Atm),
            Self::IpoaLlcsnap => (16, Atm),
            Self::PppoaVcmux => (10, Atm),
            Self::PppoaLlc => (14, Atm),
            Self::BridgedVcmux => (24, Atm),
            Self::BridgedLlcsnap | Self::PppoeVcmux => (32, Atm),
            Self::PppoeLlcsnap => (40, Atm),
            Self::Conservative => (48, Atm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    //= tc-cake type=test
    fn packets_take_their_framing() {
        assert_eq!(Framing::Raw.on_line(1500), 1500);
        assert_eq!(
            [1500, 40].map(|it| Framing::Ethernet.on_line(it)),
            [1538, 84]
        );
        assert_eq!([1500, 40].map(|it| Framing::Docsis.on_line(it)), [1518, 64]);
        // 1530 bytes begin a 24th part of 64.
        assert_eq!(Framing::PppoePtm.on_line(1500), 1530 + 24);
        // An ack of 40 B in LLC/SNAP with PPPoE: 80 B are two cells; 1500 B are 1540, 33 cells.
        assert_eq!(
            [40, 1500].map(|it| Framing::PppoeLlcsnap.on_line(it)),
            [106, 1749]
        );
        // AAL5's trailer of 8 B alone: a cell has room for 40 B.
        assert_eq!([40, 41].map(|it| Framing::IpoaVcmux.on_line(it)), [53, 106]);
    }
}
