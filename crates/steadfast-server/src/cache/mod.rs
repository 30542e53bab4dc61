//! Caches and shared pollers: one query to the store serves every client that wants its result.

pub(crate) mod event_feed;
pub(crate) mod query_cache;
pub(crate) mod shared_poller;
pub(crate) mod snapshots;
