//! Static window: the number of segments that may be outstanding stays constant, whatever is lost.
//!
//! The paper does not say how large the window is: between the round-trip window (or the circuit cannot be filled) and the
//! error-control window (or the receiver cannot hold what arrives out of order).
//= keshav-morgan-1997 §3

use super::{About, Answer, Controller, Needs};
use crate::measure::Window;
use crate::transport::Common;

crate::declare! {
    /// Keeps the window constant.
    pub struct StaticWindowParams as "static-window" from "keshav-morgan-1997 §3" {
        /// Flow-control window: the most that may be outstanding. Beyond `max_window` it has no effect.
        window: Option<Window> = unset "max_window", try ["3 segments", "5 segments"];
    }
}

/// Its part of the entry.
pub const ABOUT: About = About::new(Answer::Stays, Needs::Nothing).with_repair("go-back-n");

/// Always the same.
#[derive(Clone, Debug)]
pub struct StaticWindow(f64);

impl StaticWindow {
    /// At the start of a connection.
    pub fn new(own: &StaticWindowParams, common: &Common) -> Self {
        let window = own.window.unwrap_or(common.max_window);
        Self(window.whole_segments(common.mss) as f64)
    }
}

impl Controller for StaticWindow {
    fn window(&self) -> f64 {
        self.0
    }

    fn state(&self, _recovering: bool) -> &'static str {
        "constant"
    }
}
