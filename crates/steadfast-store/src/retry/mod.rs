//! Retry decisions for tasks.

pub(crate) mod decision;
pub(crate) mod handover;
pub(crate) mod permit;
pub(crate) mod schedule;
