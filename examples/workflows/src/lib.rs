//! A workflow service: orders of a shop, each in four steps, done by whichever of three instances
//! is alive (seed S2).
//!
//! What a service of one's own would hold is in two places: [`instance`] is all the code that an
//! instance needs, and `workflows/order.json` says what is done, what waits for what, and how each
//! step is tried again. Everything else here makes trouble and checks what is left: a [service]
//! that fails, a [fleet] of instances that are killed, a [clock] that is put forward.
//!
//! - [`storm`] runs the orders while instances are killed; [`check`] compares what the store
//!   recorded with what the service did.
//! - [`days`] lets three weeks pass.
//! - [`throughput`] measures.

pub mod check;
pub mod clock;
pub mod days;
pub mod faults;
pub mod fleet;
pub mod home;
pub mod instance;
pub mod ledger;
pub mod process;
pub mod service;
pub mod storm;
pub mod throughput;

/// Whatever keeps the example from running.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
