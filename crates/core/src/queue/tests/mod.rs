//! Tests of disciplines: what holds for all of them, and scripts for each.

mod conformance;
pub(crate) mod drawn;
mod drop_times;
mod fairness;
mod fuzzed;
mod plain_programs;
mod push_out;
mod referees;
pub(crate) mod script;
mod tried;
