//! The peers, one per file, each used as its documentation recommends.
//!
//! The functions have the same names in each file:
//!
//! - `async_success`, `blocking_success`: a session whose operation succeeds.
//! - `fails_twice`: a session whose operation fails twice and then succeeds, with a sleep that
//!   returns at once. `fails_twice_baseline`: the same policy and sleep, with an operation that
//!   succeeds at once.
//! - `delays`: only the delays.
//! - `sleeper`: a session that fails and sleeps.
//!
//! No function is inlined, so that the cost of a case does not depend on the other peers.

pub mod backoff;
pub mod backon;
pub mod bare;
pub mod failsafe;
pub mod recloser;
pub mod relentless;
pub mod retry;
pub mod retry_policies;
pub mod tokio_retry;
pub mod tokio_retry2;
pub mod tower;
