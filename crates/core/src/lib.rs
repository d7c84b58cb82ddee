//! The algorithms of congestion, each a pure state machine in a file of its own.
//!
//! Time is an argument, effects go out through the return value or the [`ledger`]; nothing here reads a clock,
//! does IO, logs, or keeps a global. The same code runs in the simulator today, and may run in a router or a browser.
//!
//! | room | what is in it |
//! |---|---|
//! | [`time`], [`measure`], [`data`], [`declare`](mod@declare) | the quantities, what plans take from files, and the one declaration of every parameter |
//! | [`unit`](mod@unit), [`ledger`], [`rng`], [`storage`] | what waits in a queue, what may befall it, random streams, containers |
//! | [`queue`] | one file per discard discipline, and their roster |
//! | [`transport`] | sender (`control` x `repair`), receiver, retransmission timer |
//! | [`abr`] | ABR's rate control under a transport: RM cells, source and destination, what a switch writes |
//! | [`arrivals`], [`traffic`], [`loss`], [`reorder`], [`sar`] | when connections begin, what an application offers, what a line loses, what it delays so that others overtake it, AAL5 |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod abr;
pub mod arrivals;
pub mod data;
pub mod declare;
pub mod ledger;
pub mod loss;
pub mod measure;
pub mod queue;
pub mod reorder;
pub mod rng;
pub mod roster;
pub mod sar;
pub mod storage;
pub mod time;
pub mod traffic;
pub mod transport;
pub mod unit;
