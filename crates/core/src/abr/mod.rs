//! ABR, ATM's available bit rate: a source paces its cells at the rate that resource management cells bring back.
//!
//! | room | what is in it |
//! |---|---|
//! | [`rm_cell`] | what such a cell says |
//! | [`switch`] | one file per rate marker, and their roster |

pub mod rm_cell;
pub mod switch;
