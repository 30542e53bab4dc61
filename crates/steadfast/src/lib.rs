//! Steadfast.

pub mod duration;
pub mod guard;
pub mod policy;
mod time;

pub use time::Moment;
