//! Claims of workers in any language (D19): claim, heartbeat, complete, fail.
//!
//! A worker that claims over HTTP does the work and reports the facts of a failure. The decision is
//! made here by the same core as for every other worker, so a worker in Python waits as long as one
//! in Rust, and uses the same breakers and budgets (G4). It stores two values of a task: its id and
//! its fencing token.

mod in_flight;
mod requests;
mod service;

pub(crate) use in_flight::InFlight;
pub use requests::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
pub(crate) use service::ClaimService;
