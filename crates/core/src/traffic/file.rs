//! File: a given amount, handed over at once.

use crate::declare::Fault;
use crate::measure::{Bytes, Window};

crate::declare! {
    /// A given amount, handed over at the start.
    pub struct Params as "file" from "common practice" {
        /// How much; the last segment is short if it is no whole number of segments.
        size: Window;
    }
    check |it| match it.size {
        Window::Bytes(0) | Window::Segments(0) => {
            Err(Fault { name: "size", found: "0".into(), allowed: "more than nothing".into() })
        }
        _ => Ok(()),
    }
}

impl Params {
    /// All of the file.
    pub fn size(&self, mss: Bytes) -> Option<Bytes> {
        Some(self.size.bytes(mss))
    }
}
