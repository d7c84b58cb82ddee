//! Checks that need all sections: whether nodes, links and flows are consistent.

pub(super) mod abr;
pub(super) mod arrivals;
pub(super) mod grains;
pub(super) mod losses;
pub(super) mod overheads;
pub(super) mod vcs;
