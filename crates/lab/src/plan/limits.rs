//! How large a plan may be, before memory is estimated.

/// The most nodes, links or flows of a plan: a typing mistake should not fill the memory.
pub(super) const MEMBERS: usize = 2_000_000;
