//! The simulator: hosts dupack's algorithms on links and switches that carry cells or packets.
//!
//! | module | contents |
//! |---|---|
//! | [`spec`], [`channels`], [`route`] | the input of a simulation, and the VCs and routes that follow from it |
//! | `world` | the event loop; the only place where the parts meet |
//! | `agenda` | pending events |
//! | `ahead` | lines whose units may be dealt with ahead of time |
//! | [`division`] | which thread simulates which node, if a run is divided |
//! | `port`, `unlimited`, `flight`, `lossy`, `varying`, `variable_rate`, `shared` | a link's direction, its buffer without a discipline, units in flight, losses, lines that change over time, and state that ports share |
//! | `grain`, `packets` | cells or packets, and the contents of packets |
//! | `machine`, `rates` | a flow's two ends; with ABR, the ends of its VC and the markers of links |
//! | `capture` | packets as they pass an end of a line |
//! | [`probe`] | observation: nothing, or the [`tape`](probe::Tape) |
//! | [`relay`] | the links alone, for packets from outside |
//! | [`connections`], [`each`] | connections that come and go, and a record of each |
//! | `meter`, [`percentiles`], `delays`, [`mser`], [`batches`], `series`, [`report`], [`by_rows`] | measurement and the report |
//!
//! One generic world serves both grains: cells and packets differ in how a packet becomes units and back, not in how units move. At
//! most one event is pending per link direction and per machine.
#![forbid(unsafe_code)]

mod agenda;
mod ahead;
pub mod application;
pub mod batches;
pub mod by_rows;
mod capture;
pub mod channels;
pub mod connections;
mod delays;
pub mod division;
pub mod each;
mod flight;
mod grain;
mod lossy;
mod machine;
mod meter;
pub mod mser;
mod packets;
pub mod percentiles;
mod port;
pub mod probe;
mod rates;
pub mod relay;
pub mod report;
pub mod route;
mod section;
mod series;
mod shared;
pub mod spec;
mod unlimited;
mod variable_rate;
mod varying;
mod world;

pub use port::Withheld;
pub use world::{
    Failure, FlowNow, LinkNow, Session, Threads, measure, measure_in_parts, measure_on, most_open,
    rows, simulate, simulate_in_parts, simulate_on,
};
