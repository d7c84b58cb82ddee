//! Containers without policy.

pub mod by_length;
pub mod flow_table;
pub mod lists;
pub mod per_flow;
pub mod turns;
