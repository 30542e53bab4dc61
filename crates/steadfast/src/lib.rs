//! Steadfast.

mod time;

pub use time::Moment;
