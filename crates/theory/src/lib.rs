//! What the papers prove, as functions that bear the papers' names.
//!
//! Equations are as printed, over the reals; what they leave out is said where they stand, and a simulation shows what it
//! costs. Of the core only the measures are used.
//!
//! | module | what it tells |
//! |---|---|
//! | [`losses`] | whether Reno needs a timeout for these losses from one window |
//! | [`gap`] | how long a recovery period a switch can grant to all |
//! | [`fairness`] | how even some shares are |
//! | [`capacity`] | how much of a cell link's rate is payload |
//! | [`abr`] | what a line that carries ABR leaves to TCP |
//! | [`max_min`] | the max-min fair rates of flows that share links |
//! | [`load`] | how much of a line an on-off user asks for |
//! | [`queues`] | how long packets wait for a line, and how many it loses, when they come at random |
//! | [`random_loss`] | what random losses leave to TCP, and to a sender that only repairs them |
//! | [`three_acceptances`] | how long a flow waits at a full buffer until three of its packets are accepted |
//! | [`throughput`] | what TCP gets out of a path, or a line, that loses packets at random |

pub mod abr;
pub mod capacity;
pub mod fairness;
pub mod gap;
pub mod load;
pub mod losses;
pub mod max_min;
pub mod queues;
pub mod random_loss;
pub mod three_acceptances;
pub mod throughput;
