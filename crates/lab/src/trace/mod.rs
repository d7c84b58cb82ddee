//! Traces of a run: its tape, captures of lines, and logs of flows, in the formats that other tools read.

mod capture;
mod end;
mod headers;
mod qlog;
mod recording;

pub use capture::Options;
pub use end::End;
pub use recording::{Columns, EVENTS, Recording, record};

#[cfg(test)]
mod tests;
