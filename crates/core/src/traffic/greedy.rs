//! Greedy: always has more to send.

use crate::measure::Bytes;

crate::declare! {
    /// Always has more to send.
    pub struct Params as "greedy" from "cohen-hamo-2001 §3" {
    }
}

impl Params {
    /// No end.
    pub fn size(&self, _: Bytes) -> Option<Bytes> {
        None
    }
}
