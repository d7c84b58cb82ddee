//! Whether a run is divided among threads.

use dupack_sim::division::Division;
use dupack_sim::spec::Network;

/// A run on several threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Divided {
    /// Parts, each with a thread of its own; 1 if the run is not divided.
    pub parts: usize,
    /// How many times faster it is than on one thread, by estimate.
    pub gain: f64,
    /// Why it is not divided.
    pub undivided: Option<String>,
}

/// How a run of `network` with `seed` is divided among up to this many threads.
pub fn divided(network: &Network, seed: u64, threads: usize) -> Divided {
    match Division::new(&network.drawn(seed), seed, threads) {
        Ok(division) => Divided {
            parts: division.parts,
            gain: division.gain,
            undivided: None,
        },
        Err(why) => Divided {
            parts: 1,
            gain: 1.0,
            undivided: Some(why.to_string()),
        },
    }
}
