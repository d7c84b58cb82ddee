//! Plans as a user writes them, run through the whole library: one program, because each would compile the simulator again.

mod abr;
mod assisted;
mod channels;
mod common;
mod explain;
mod forecasts;
mod gauges;
mod lines;
mod members;
mod mixed;
mod mser;
mod on_off;
mod packet_pair;
mod pairs;
mod parts;
mod percentiles;
mod plans;
mod rates;
mod runs;
mod schedules;
mod topologies;
mod trimming;
