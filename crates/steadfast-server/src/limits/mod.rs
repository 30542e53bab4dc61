//! Limits on concurrent use: expensive reads, body memory, mutations and connections per client.

pub(crate) mod body_budget;
pub(crate) mod fair_share;
pub(crate) mod mutations;
pub(crate) mod read_permits;
