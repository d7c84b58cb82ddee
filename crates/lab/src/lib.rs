//! The laboratory: from a plan file to networks that the simulator can run, to runs, to results.

pub mod losses;
pub mod plan;
pub mod run;
pub mod slots;
pub mod statistics;
