//! The peers, one to a file, each driven the way its own documentation says.
//!
//! The functions have the same names in each file:
//!
//! - `async_success`, `blocking_success`: a session whose operation succeeds.
//! - `fails_twice`: a session whose operation fails twice and then succeeds,
//!   with a sleep that does nothing. `fails_twice_twin`: the same policy and
//!   sleep, and an operation that succeeds at once.
//! - `delays`: the delays alone.
//! - `sleeper`: a session that fails and sleeps.
//!
//! Each is kept out of line, so that a case costs the same whichever other peers are
//! measured.

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
