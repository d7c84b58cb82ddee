//! Why a run has no results.

use crate::grain::Grain;
use crate::port::{Port, Withheld};
use crate::spec::Network;
use dupack_core::time::Instant;

/// Why a run has no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The law of the ledger does not hold somewhere: a bug in a discipline or in the simulator, never in a plan.
    Unbalanced {
        /// The link.
        link: String,
        /// Its account.
        account: String,
    },
    /// A discipline gave nothing although units wait, and gave no time or a wrong one: a bug in it, never in a plan.
    Withheld {
        /// The link.
        link: String,
        /// The discipline.
        queue: String,
        /// Time of the breach.
        at: Instant,
        /// Its mistake.
        how: Withheld,
        /// Units that wait.
        waiting: u64,
    },
    /// More connections are open than a run can hold.
    Full {
        /// The flow.
        flow: String,
        /// Time at which one too many began.
        at: Instant,
        /// Connections of all flows that are open then.
        open: usize,
    },
    /// The caller halted it.
    Halted,
    /// MSER-5 would delete half of the run or more, or the rest drifts.
    NeverSteady,
}

impl Failure {
    /// Fails if a discipline broke the law of holding back: tells of the first that did.
    pub(crate) fn withheld<U: Grain>(network: &Network, ports: &[Port<U>]) -> Result<(), Self> {
        let links = network.links.iter().zip(ports);
        let broken = links.filter_map(|(link, port)| Some((link, port.withheld()?)));
        let first = broken.min_by_key(|(_, (at, ..))| *at);
        first.map_or(Ok(()), |(link, (at, how, waiting))| {
            Err(Self::Withheld {
                link: link.name.clone(),
                queue: (link.queue.as_ref())
                    .map_or("unlimited", |it| it.name())
                    .to_string(),
                at,
                how,
                waiting,
            })
        })
    }

    /// The audit: fails if the ledger of a port does not balance at the `end`.
    pub(crate) fn unbalanced<U: Grain>(
        network: &Network,
        ports: &[Port<U>],
        end: Instant,
    ) -> Result<(), Self> {
        for (link, port) in network.links.iter().zip(ports) {
            let (counts, balance) = (&port.counts, port.balance(end));
            let outflow = balance.sent
                + counts.dropped.iter().sum::<u64>()
                + balance.waiting
                + balance.in_service;
            if counts.offered + counts.minted != outflow {
                let account = format!("{counts:?} {balance:?}");
                return Err(Self::Unbalanced {
                    link: link.name.clone(),
                    account,
                });
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unbalanced { link, account } => {
                write!(f, "the ledger of link {link} does not balance: {account}")
            }
            Self::Withheld {
                link,
                queue,
                at,
                how,
                waiting,
            } => {
                let at = at.seconds();
                write!(
                    f,
                    "{queue} of link {link} at {at} s: pull gave nothing, but {waiting} units wait, and {how}"
                )
            }
            Self::Full { flow, at, open } => {
                let at = at.seconds();
                write!(
                    f,
                    "flow.{flow}.arrivals: at {at} s {open} connections are open, more than a run can hold, because they begin faster than they end; \
                     write a lower load, a longer `every`, a `limit`, or a shorter duration"
                )
            }
            Self::Halted => write!(f, "interrupted"),
            Self::NeverSteady => f.write_str(
                "warm_up: \"mser-5\" finds no steady state: of what all flows together deliver it would leave out half or more, or the rest still rises or falls, or there is nothing; \
                 write a longer duration, or a time",
            ),
        }
    }
}

impl std::error::Error for Failure {}
