//! Losses that were none: every packet that was taken for lost is acknowledged after all.
//!
//! An *episode* begins with congestion that is found while no other is being repaired. All packets taken for lost until the next one
//! begins are of it. Acks of all of them show that it was no congestion: the packets were overtaken, or delayed. If one is not
//! acknowledged within two probe timeouts after it was taken for lost, the episode was genuine.
//!
//! msquic (its issue 1238), quinn (2289), h2o (666) and neqo (3086) judge so. The two probe timeouts are those of msquic and quinn, which
//! forget a packet then, and count from its transmission; a packet of persistent congestion was sent longer ago.
//= rfc9438 §4.9.2

use crate::time::{Duration, Instant};
use crate::transport::Block;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The latest episode.
#[derive(Clone, Debug, Default)]
pub struct Late {
    /// Its packets that are not acknowledged, and how long their acks are waited for; `None` without an episode that may be spurious.
    missing: Option<BTreeMap<u64, Instant>>,
    /// congestion_recovery_start_time, as a packet number, before it.
    cut: u64,
    /// It has just begun.
    fresh: bool,
}

impl Late {
    /// Congestion is found; `joins` if other congestion is being repaired, `cut` as before it.
    pub fn on_congestion(&mut self, joins: bool, cut: u64) {
        if !joins {
            self.missing = Some(BTreeMap::new());
            (self.cut, self.fresh) = (cut, true);
        }
    }

    /// The packets `lost` are taken for lost; after `wait` their acks come too late.
    pub fn on_lost(&mut self, lost: &[u64], now: Instant, wait: Duration) {
        if let Some(missing) = &mut self.missing {
            missing.extend(lost.iter().map(|id| (*id, now + wait)));
        }
    }

    /// The packets of `runs` are acknowledged, each for the first time.
    pub fn on_acknowledged(&mut self, runs: &[Block], now: Instant) {
        let Some(missing) = &mut self.missing else {
            return;
        };
        if missing.values().any(|until| *until < now) {
            self.missing = None;
            return;
        }
        for run in runs {
            let found: Vec<u64> = missing.range(run.from..run.to).map(|(id, _)| *id).collect();
            for id in found {
                missing.remove(&id);
            }
        }
    }

    /// Whether the episode was spurious: then it is over, and this is the `cut` of before it.
    pub fn ends(&mut self) -> Option<u64> {
        self.missing.take_if(|it| it.is_empty()).map(|_| self.cut)
    }

    /// Congestion that is no loss has followed, which nothing undoes.
    pub fn forget(&mut self) {
        self.missing = None;
    }

    /// Whether the congestion that has just been found begins an episode; asked once.
    pub fn begins(&mut self) -> bool {
        core::mem::take(&mut self.fresh)
    }
}
