//! The laboratory: turns a plan file into networks that the simulator can run, runs them, and computes results.

pub mod catalogue;
pub mod explain;
pub mod family;
pub mod forecast;
pub mod halt;
pub mod picture;
pub mod plan;
pub mod regimes;
pub mod run;
pub mod schema;
pub mod statistics;
mod stopwatch;
pub mod stream;
pub mod trace;
pub mod trial;

/// Build on which the results of a run depend besides its plan and seed: the version, and a digest of the sources of core, sim and
/// lab and of `Cargo.lock`. The same on every machine.
pub const BUILD: &str = env!("DUPACK_BUILD");
