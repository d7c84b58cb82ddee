//! Processor time of this thread.

#[cfg(not(target_family = "wasm"))]
mod of_thread {
    /// Runs since it was made.
    pub struct Stopwatch(cpu_time::ThreadTime);

    impl Stopwatch {
        pub fn start() -> Self {
            Self(cpu_time::ThreadTime::now())
        }

        /// Processor time since the start \[s\].
        pub fn seconds(&self) -> f64 {
            self.0.elapsed().as_secs_f64()
        }
    }
}

/// A browser's module has no clock: its host measures instead.
#[cfg(target_family = "wasm")]
mod of_thread {
    pub struct Stopwatch;

    impl Stopwatch {
        pub fn start() -> Self {
            Self
        }

        pub fn seconds(&self) -> f64 {
            0.0
        }
    }
}

pub(crate) use of_thread::Stopwatch;
