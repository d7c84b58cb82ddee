//! Programs that only one paper needs, beside the simulator; the lab does not use them.

pub mod losses;
pub mod slots;
