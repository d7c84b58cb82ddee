//! Results that the papers prove, as functions with the papers' names.
//!
//! Equations are as printed, over the reals. Comments say what an equation neglects, and a simulation shows the effect. Of the core
//! only the measures are used.
//!
//! | module | result |
//! |---|---|
//! | [`losses`] | whether Reno needs a timeout for given losses from one window |
//! | [`gap`] | how long a recovery period a switch can grant to all |
//! | [`fairness`] | Jain's fairness index |
//! | [`capacity`] | the payload's share of a cell link's rate |
//! | [`abr`] | goodput of TCP on a line that carries ABR |
//! | [`max_min`] | max-min fair rates of flows that share links |
//! | [`load`] | the load that an on-off user offers to a line |
//! | [`queues`] | queueing delay and loss on a line with random arrivals |
//! | [`random_loss`] | goodput under random losses, of TCP and of a sender that only repairs them |
//! | [`three_acceptances`] | how long a flow waits at a full buffer until three of its packets are accepted |
//! | [`throughput`] | throughput of TCP on a path, or a line, that loses packets at random |

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
