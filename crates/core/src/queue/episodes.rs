//! Episodes of loss, the state per flow of routers that assist TCP's recovery: what triple buffering and triple truncation have in
//! common.
//!
//! A packet that the inner discipline selects to be dropped is a candidate. The first candidate of a flow begins an episode: the flow is
//! entered in the table. The episode lasts for an invocation interval, in which the scheme is not invoked again, since the sender has
//! been told. Then the entry is cleared.
//!
//! As in the pseudo-code the candidate that finds the interval used up clears the entry, and is dropped without beginning a new
//! one. If the interval counts all packets of the flow, the first one after them clears it, and begins the next if it is a candidate.
//= viswanathan-kamal §III.3, Fig. 2
//= viswanathan-kamal §III.4, Fig. 3

use crate::measure::Packets;
use crate::storage::flow_table::FlowTable;
use crate::time::Instant;
use crate::unit::HostPair;

crate::choice! {
    /// Packets that an invocation interval counts.
    //= viswanathan-kamal §III.3 type=departure
    // The text says "packets from the same flow", but the pseudo-code counts candidates. A plan can choose either.
    pub enum Counts {
        /// Candidates of the flow: Figs. 2 and 3.
        Candidates = "candidates",
        /// Arriving packets of the flow: the text of scheme 1.
        Packets = "packets",
    }
}

/// Declares a decorator's parameters: those of episodes, then its own.
macro_rules! declare_with_episodes {
    (
        $(#[doc = $summary:literal])+
        pub struct $name:ident as $word:literal from $source:literal { $($own:tt)* }
        $(show inner $shown:literal)?
        refuse $refuse:expr
    ) => {
        $crate::declare! {
            $(#[doc = $summary])+
            pub struct $name as $word from $source {
                /// Discipline that decides which packets are dropped, with its own parameters.
                inner: $crate::queue::inner::Inner $(, show $shown)?;
                /// Number of duplicate acks that are to reach the sender.
                duplicates: u64 = "3";
                /// Number of packets after the start of an episode in which no other starts for the same flow.
                interval: $crate::measure::Packets = "25 packets", try ["2 packets"], show "4 packets";
                /// Packets that `interval` counts: those of the flow that are to be dropped, or all of the flow.
                interval_counts: $crate::queue::episodes::Counts = "candidates";
                /// Number of flows (pairs of hosts) that the table can hold.
                table: u64 = "1024", try ["2"];
                /// Time without a packet to be dropped after which a flow is forgotten.
                age: Option<$crate::time::Duration> = unset "never";
                /// Treatment of a flow when the table is full: it is passed over (its packets are dropped as without the scheme), or
                /// takes the place of the flow whose last packet to be dropped is the oldest.
                when_full: $crate::storage::flow_table::WhenFull = "pass";
                $($own)*
            }
            check |it| {
                let own: fn(&Self) -> Option<(&'static str, &'static str, &'static str)> = $refuse;
                let shared = || match (it.duplicates, it.table) {
                    (0, _) => Some(("duplicates", "0", "at least 1")),
                    (_, 0) => Some(("table", "0", "at least 1")),
                    _ => None,
                };
                match shared().or_else(|| own(it)) {
                    None => it.inner.check(),
                    Some((name, found, allowed)) => Err($crate::declare::Fault {
                        name,
                        found: found.into(),
                        allowed: allowed.into(),
                    }),
                }
            }
        }

        impl $name {
            /// The episodes of an empty table, in each of which `spare` packets are spared.
            fn episodes(&self, spare: u64) -> $crate::queue::episodes::Episodes {
                let table = $crate::queue::episodes::Table::new(self.table, self.age, self.when_full);
                $crate::queue::episodes::Episodes::new(table, spare, self.interval, self.interval_counts)
            }
        }
    };
}
pub(super) use declare_with_episodes;

/// A table of flows with an episode.
pub type Table = FlowTable<Episode>;

/// State of a flow during an episode.
#[derive(Clone, Copy, Debug)]
pub struct Episode {
    /// Candidates that are still to be admitted.
    spare: u64,
    /// Packets left of the interval.
    interval: u64,
}

/// Meaning of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Candidate {
    /// An episode begins with it.
    Begins,
    /// One of those to be admitted; call [`Episodes::let_in`] if it was.
    Spared,
    /// Nothing but its drop.
    Dropped,
}

/// The flows with an episode.
#[derive(Debug)]
pub struct Episodes {
    table: FlowTable<Episode>,
    fresh: Episode,
    counts: Counts,
}

impl Episodes {
    /// No episodes yet, with an empty `table`; each will admit `spare` candidates before its interval begins.
    pub fn new(table: Table, spare: u64, interval: Packets, counts: Counts) -> Self {
        let interval = interval.0;
        Self {
            table,
            fresh: Episode { spare, interval },
            counts,
        }
    }

    /// A packet of the flow arrives, candidate or not.
    #[inline]
    pub fn on_packet(&mut self, now: Instant, flow: HostPair) {
        if self.counts == Counts::Packets
            && let Some(episode) = self.table.get(now, flow)
            && episode.spare == 0
        {
            match episode.interval.checked_sub(1) {
                Some(left) => episode.interval = left,
                None => self.table.remove(flow),
            }
        }
    }

    /// The flow has an episode.
    pub fn within(&mut self, now: Instant, flow: HostPair) -> bool {
        self.table.get(now, flow).is_some()
    }

    /// A packet of the flow is to be dropped.
    pub fn candidate(&mut self, now: Instant, flow: HostPair) -> Candidate {
        let Some(episode) = self.table.take_up(now, flow) else {
            return if self.table.enter(now, flow, self.fresh) {
                Candidate::Begins
            } else {
                Candidate::Dropped
            };
        };
        if episode.spare > 0 {
            return Candidate::Spared;
        }
        if self.counts == Counts::Candidates {
            match episode.interval.checked_sub(1) {
                Some(left) => episode.interval = left,
                None => self.table.remove(flow),
            }
        }
        Candidate::Dropped
    }

    /// A spared packet has been admitted; does nothing if all of the episode have been.
    pub fn let_in(&mut self, now: Instant, flow: HostPair) {
        if let Some(episode) = self.table.get(now, flow) {
            episode.spare = episode.spare.saturating_sub(1);
        }
    }
}
