//! What is seen only when all sections are read: whether nodes, links and flows go together.

pub(super) mod abr;
pub(super) mod arrivals;
pub(super) mod losses;
pub(super) mod vcs;
