//! What the service is put through: a [shop] that fails, a fleet of instances that are
//! killed, a [clock] that is put forward.
//!
//! - [`storm`] has orders done while instances are killed; [`check`] compares what the store
//!   recorded with what the shop did.
//! - [`days`] lets three weeks pass.

pub mod check;
pub mod clock;
pub mod days;
pub mod faults;
mod fleet;
pub mod ledger;
pub mod shop;
pub mod show;
pub mod storm;
