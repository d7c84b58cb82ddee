//! The laboratory: from a plan file to networks that the simulator can run.

pub mod plan;
