//! Congestion-control algorithms, each a pure state machine in a file of its own.
//!
//! Time is an argument, and effects go out through the return value or the [`ledger`]. Nothing here reads a clock, does I/O, logs,
//! or keeps global state. The same code runs in the simulator today, and may run in a router or a browser.
//!
//! | module | contents |
//! |---|---|
//! | [`time`], [`measure`], [`data`], [`declare`](mod@declare) | quantities, data that plans read from files, and the single declaration of every parameter |
//! | [`unit`](mod@unit), [`ledger`], [`gauge`], [`rng`], [`storage`] | units in queues, their fates, state variables, random streams, containers |
//! | [`queue`] | one file per queue discipline, and their roster |
//! | [`transport`] | sender (`control` x `repair`), receiver, retransmission timer |
//! | [`abr`] | ABR's rate control under a transport: RM cells, source and destination, rate markers of switches |
//! | [`arrivals`], [`traffic`], [`loss`], [`jitter`], [`reorder`], [`schedule`], [`grants`], [`sar`] | when connections begin, the data of applications, losses on lines, their jitter and reordering, lines that change, AAL5 |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod abr;
pub mod arrivals;
pub mod data;
pub mod declare;
pub mod framing;
pub mod gauge;
pub mod grants;
pub mod jitter;
pub mod ledger;
pub mod loss;
pub mod measure;
pub mod queue;
pub mod reorder;
pub mod rng;
pub mod roster;
pub mod sar;
pub mod schedule;
pub mod storage;
pub mod time;
pub mod traffic;
pub mod transport;
pub mod unit;
