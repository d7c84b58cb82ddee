//! ABR, ATM's available bit rate: a source paces its cells at the rate that resource management cells bring back.
//!
//! | module | contents |
//! |---|---|
//! | [`rm_cell`] | resource management cells |
//! | [`switch`] | one file per rate marker, and their roster |
//! | [`source`], [`use_it_or_lose_it`] | the source end system, and policies for a rate that it does not use |
//! | [`destination`] | turns RM cells around |

pub mod destination;
pub mod rm_cell;
pub mod source;
pub mod switch;
pub mod use_it_or_lose_it;

#[cfg(test)]
mod script;
