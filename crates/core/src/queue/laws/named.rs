//! Units with names, and a ledger that records their fates.

use crate::ledger::{Cause, Ledger};
use crate::measure::Bytes;
use crate::unit::{CONTROL, DATA, Ecn, FlowId, Unit};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A unit with a name; its first letter is its flow.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Whether it ends a packet.
    pub last: bool,
    /// Its length \[bytes\].
    pub bytes: u32,
    /// Its class of service.
    pub priority: u8,
    /// Its ECN field.
    pub ecn: Ecn,
}

impl Named {
    /// A packet of `bytes` bytes.
    pub fn packet(name: String, bytes: u32) -> Self {
        Self {
            name,
            last: true,
            bytes,
            priority: DATA,
            ecn: Ecn::NotEct,
        }
    }
}

impl Unit for Named {
    fn bytes(&self) -> u32 {
        self.bytes
    }
    fn flow(&self) -> FlowId {
        FlowId(u32::from(self.name.as_bytes()[0] - b'a'))
    }
    fn last(&self) -> bool {
        self.last
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn priority(&self) -> u8 {
        self.priority
    }
    /// From one of four hosts, each to its own.
    fn ends(&self) -> (u32, u32) {
        (self.flow().0 % 4, self.flow().0)
    }
    /// By its flow: CS0 for `a`, EF for `b`, CS1 for `c`, AF41 for `d`, and again.
    fn dscp(&self) -> u8 {
        [0, 46, 8, 34][self.flow().0 as usize % 4]
    }
}

/// A unit's name, and what became of it: `sent`, the cause of its drop, `marked`, `minted` or `trimmed`.
pub type NamedFate = (String, &'static str);

/// Fates of units, in order; those that were sent are not among them.
#[derive(Debug, Default)]
pub struct Fates(pub Vec<NamedFate>);

impl Fates {
    /// Number of units with this fate.
    pub fn count(&self, of: impl Fn(&str) -> bool) -> u64 {
        self.0.iter().filter(|(_, fate)| of(fate)).count() as u64
    }
}

impl Ledger<Named> for Fates {
    fn drop(&mut self, unit: Named, why: Cause) {
        self.0.push((unit.name, why.name()));
    }
    fn mark(&mut self, unit: &mut Named) -> bool {
        let capable = unit.ecn.is_capable();
        if capable {
            unit.ecn = Ecn::Ce;
            self.0.push((unit.name.clone(), "marked"));
        }
        capable
    }
    fn supersedes(&self, newer: &Named, older: &Named) -> bool {
        newer.flow() == older.flow() && newer.priority == CONTROL && older.priority == CONTROL
    }
    fn trim(&mut self, unit: &mut Named, keep: Bytes) {
        assert!(u64::from(unit.bytes) > keep.0, "there is something to trim");
        unit.name.push('~');
        (unit.bytes, unit.priority) = (keep.0 as u32, CONTROL);
        self.0.push((unit.name.clone(), "trimmed"));
    }
    fn mint(&mut self, of: &Named, keep: Bytes) -> Named {
        assert!(u64::from(of.bytes) > keep.0, "a copy is shorter");
        let copy = Named::packet(format!("{}'", of.name), keep.0 as u32);
        self.0.push((copy.name.clone(), "minted"));
        copy
    }
}
