//! Classes of packets: by the Diffserv code point of their flow, or acks before data.

use crate::unit::{DATA, Unit};

crate::choice! {
    /// How packets are divided into classes.
    pub enum Classes {
        /// Four, the tins of `diffserv4` of CAKE: background traffic (LE, CS1), best effort, video and interactive data
        /// (CS2, CS3, AF2x, AF3x, AF4x), and voice and network control (CS4 to CS7, VA, EF).
        Diffserv4 = "diffserv4",
        /// Nine, from the least: LE and CS1, then by the first three bits of the code point.
        Precedence = "precedence",
        /// Two: acks and trimmed packets before data.
        Acks = "acks",
    }
}

/// Tins of `diffserv4`, from the least, for each code point.
//= linux-cake
pub(super) const fn diffserv4(dscp: u8) -> usize {
    match dscp {
        1 | 8 => 0,
        // TOS1, TOS4, CS2, AF21 to AF23, CS3, AF31 to AF33, AF41 to AF43
        4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
        // CS4, CS5, VA, EF, CS6, CS7
        32 | 40 | 44 | 46 | 48 | 56 => 3,
        _ => 1,
    }
}

impl Classes {
    /// Number of classes.
    pub(super) const fn count(self) -> usize {
        self.names().len()
    }

    /// Names of the classes, from the least.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Diffserv4 => &["background", "best-effort", "video", "voice"],
            Self::Precedence => &[
                "lower-effort",
                "precedence-0",
                "precedence-1",
                "precedence-2",
                "precedence-3",
                "precedence-4",
                "precedence-5",
                "precedence-6",
                "precedence-7",
            ],
            Self::Acks => &["data", "acks"],
        }
    }

    /// The class of a packet, the least being 0.
    //= rfc4594 §2.3
    //= rfc2474 §4.2.2
    pub(super) fn of(self, unit: &impl Unit) -> usize {
        match self {
            Self::Diffserv4 => diffserv4(unit.dscp()),
            Self::Precedence => match unit.dscp() {
                1 | 8 => 0,
                dscp => 1 + usize::from(dscp >> 3),
            },
            Self::Acks => usize::from(unit.priority() != DATA),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::laws::Named;
    use std::vec::Vec;

    #[test]
    fn flows_have_the_classes_of_their_code_points() {
        // CS0, EF, CS1 and AF41.
        let units: Vec<_> = ["a1", "b1", "c1", "d1"]
            .iter()
            .map(|name| Named::packet((*name).into(), 100))
            .collect();
        let of = |classes: Classes| units.iter().map(|it| classes.of(it)).collect::<Vec<_>>();
        assert_eq!(of(Classes::Diffserv4), [1, 3, 0, 2]);
        assert_eq!(of(Classes::Precedence), [1, 6, 0, 5]);
        assert_eq!(of(Classes::Acks), [0; 4]);
        let all = (0..64).map(diffserv4);
        assert_eq!(all.clone().filter(|tin| *tin == 0).count(), 2);
        assert_eq!(all.filter(|tin| *tin == 3).count(), 6);
    }
}
