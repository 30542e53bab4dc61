//! Steadfast.

pub mod duration;
pub mod policy;
mod time;

pub use time::Moment;
