//! Policies.

pub(crate) mod invalid;

pub use invalid::{OutOfRange, Value};
