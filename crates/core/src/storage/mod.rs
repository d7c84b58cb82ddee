//! Containers without policy.

pub mod per_flow;
