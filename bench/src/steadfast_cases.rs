//! Our own cases, one table to a row of [`cases`](crate::cases).
//!
//! The first case of a table is the one that is judged; further ones are shown
//! beside it. An empty table leaves its place in the report open.

use crate::case::Case;
use crate::sleeper::Sleeper;

/// Async success, plain policy: [`Case::call`].
pub const ASYNC_SUCCESS: &[Case] = &[];
/// Blocking success, plain policy: [`Case::call`].
pub const BLOCKING_SUCCESS: &[Case] = &[];
/// Async success through a breaker: [`Case::call`].
pub const BREAKER: &[Case] = &[];
/// Async success with breaker, ratio budget and metrics: [`Case::call`].
pub const ALL_GUARDS: &[Case] = &[];
/// One failed attempt, no-op sleep, exponential with jitter: [`Case::failure`].
pub const FAILED_ATTEMPT: &[Case] = &[];
/// One jittered delay: [`Case::call`] of a program that makes `n` delays.
pub const DELAY: &[Case] = &[];

/// Sessions that sleep for [`HOUR`](crate::sleeper::HOUR).
pub fn sleepers() -> Vec<Sleeper> {
    Vec::new()
}
