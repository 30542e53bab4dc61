//! Claiming: the claim loop, its position in claim order, and the prefetch buffer between claims
//! and runners.

mod claim_loop;
mod cursor;
mod prefetch;
mod prefetch_depth;
mod queue_buffer;

pub(crate) use claim_loop::ClaimLoop;
pub(crate) use prefetch::{Prefetch, PrefetchedTask};
