//! Traffic: when an application hands how much to its transport. One file each.

pub mod cbr;
pub mod file;
pub mod greedy;
pub mod on_off;
pub mod poisson;
pub mod random_file;
pub mod trace;

use crate::declare::{Declared, Fault, Parameter, Value};
use crate::measure::{Bytes, Rate};
use crate::rng::Stream;
use crate::time::Instant;

/// What an application has handed over so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Released {
    /// Segments in all.
    pub segments: u64,
    /// There will be no more before these are acknowledged.
    pub complete: bool,
}

/// An application. What it sends in one go, and hears the end of, is a message; one message may be all.
pub trait Traffic {
    /// Its flow starts.
    fn handle_start(&mut self, now: Instant);
    /// All segments before `segments` have been acknowledged, or sent if the transport has no acks. Due when these are all that is released, and that is complete; to
    /// be told again does no harm. Gives the time at which the message began that is acknowledged by this, if one is.
    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant>;
    /// The time of [`Traffic::poll_timeout`] has come.
    fn handle_timeout(&mut self, now: Instant);
    /// When [`Traffic::handle_timeout`] is due; changes only in `handle_*`.
    fn poll_timeout(&self) -> Option<Instant>;
    /// What is handed over so far; changes only in `handle_*`.
    fn released(&self) -> Released;
    /// Payload of a segment, if the application cuts them itself; segments of the MSS otherwise.
    fn payload(&self, _segment: u64) -> Option<Bytes> {
        None
    }
    /// All that is ever handed over; `None` for no end.
    fn extent(&self) -> Option<Extent> {
        None
    }
}

/// All of what has an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// How many segments, at least one.
    pub segments: u64,
    /// Payload of the last.
    pub last: Bytes,
}

impl Extent {
    /// Of `size` bytes, at least one, in segments of `mss` of which the last may be short.
    pub fn of(size: Bytes, mss: Bytes) -> Self {
        let segments = size.0.div_ceil(mss.0);
        Self {
            segments,
            last: Bytes(size.0 - (segments - 1) * mss.0),
        }
    }
}

/// What is known of an application before it starts.
pub trait Offer {
    /// Mean of all that is ever handed over \[bytes\]; `None` for no end.
    fn mean_size(&self, _mss: Bytes) -> Option<f64> {
        None
    }
    /// The shortest and the longest packet, headers included, of what cuts them itself to given lengths.
    fn packets(&self) -> Option<(Bytes, Bytes)> {
        None
    }
    /// The rate, headers included, which the sender's transmissions must not exceed.
    fn access_rate(&self) -> Option<Rate> {
        None
    }
    /// What it must say before it may go where nothing waits for acks: as it is, it would send without end at one instant.
    fn endless(&self) -> Option<Fault> {
        None
    }
}

/// What plans, pages and errors say of a kind of traffic.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The word in plans.
    pub name: &'static str,
    /// What it offers, in one line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

macro_rules! roster {
    ($($word:ident),+ $(,)?) => {
        /// The parameters of any traffic.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Params { $($word($word::Params)),+ }

        /// Any traffic.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum AnyTraffic { $($word($word::Application)),+ }

        /// Every kind of traffic, in the order of the pages.
        pub const ROSTER: &[Entry] = &[$(Entry {
            name: $word::Params::NAME,
            summary: $word::Params::SUMMARY,
            source: $word::Params::SOURCE,
            parameters: $word::Params::PARAMETERS,
        }),+];

        impl Params {
            /// The traffic called `name`, from values in the order of its declaration.
            pub fn from_values(name: &str, values: &[Value]) -> Option<Self> {
                $(if name == $word::Params::NAME { return Some(Self::$word($word::Params::from_values(values))); })+
                None
            }

            /// Whether the values go together.
            pub fn check(&self) -> Result<(), Fault> {
                match self { $(Self::$word(it) => it.check()),+ }
            }

            /// An application before the start of its flow, whose segments of `mss` bytes get headers of `header` bytes.
            pub fn application(&self, mss: Bytes, header: Bytes, stream: Stream) -> AnyTraffic {
                match self { $(Self::$word(it) => AnyTraffic::$word($word::Application::new(it, mss, header, stream))),+ }
            }
        }

        impl Offer for Params {
            fn mean_size(&self, mss: Bytes) -> Option<f64> {
                match self { $(Self::$word(it) => it.mean_size(mss)),+ }
            }
            fn packets(&self) -> Option<(Bytes, Bytes)> {
                match self { $(Self::$word(it) => it.packets()),+ }
            }
            fn access_rate(&self) -> Option<Rate> {
                match self { $(Self::$word(it) => it.access_rate()),+ }
            }
            fn endless(&self) -> Option<Fault> {
                match self { $(Self::$word(it) => it.endless()),+ }
            }
        }

        impl Traffic for AnyTraffic {
            fn handle_start(&mut self, now: Instant) {
                match self { $(Self::$word(it) => it.handle_start(now)),+ }
            }
            fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
                match self { $(Self::$word(it) => it.handle_acknowledged(now, segments)),+ }
            }
            fn handle_timeout(&mut self, now: Instant) {
                match self { $(Self::$word(it) => it.handle_timeout(now)),+ }
            }
            fn poll_timeout(&self) -> Option<Instant> {
                match self { $(Self::$word(it) => it.poll_timeout()),+ }
            }
            fn released(&self) -> Released {
                match self { $(Self::$word(it) => it.released()),+ }
            }
            fn payload(&self, segment: u64) -> Option<Bytes> {
                match self { $(Self::$word(it) => it.payload(segment)),+ }
            }
            fn extent(&self) -> Option<Extent> {
                match self { $(Self::$word(it) => it.extent()),+ }
            }
        }
    };
}

roster!(greedy, file, random_file, cbr, poisson, on_off, trace);
