//! What one paper alone needs: programs beside the simulator, which the laboratory does not know.

pub mod losses;
pub mod slots;
