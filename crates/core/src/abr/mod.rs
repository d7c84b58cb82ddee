//! ABR, ATM's available bit rate: a source paces its cells at the rate that resource management cells bring back.
//!
//! | room | what is in it |
//! |---|---|
//! | [`rm_cell`] | what such a cell says |
//! | [`switch`] | one file per rate marker, and their roster |
//! | [`source`], [`use_it_or_lose_it`] | the source end system, and what becomes of a rate that it does not use |
//! | [`destination`] | turns RM cells round |

pub mod destination;
pub mod rm_cell;
pub mod source;
pub mod switch;
pub mod use_it_or_lose_it;

#[cfg(test)]
mod script;
