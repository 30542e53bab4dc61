//! Caches and shared pollers: one query to the store serves every client that wants its result.

mod event_feed;
mod query_cache;
mod shared_poller;
mod snapshots;

pub(crate) use event_feed::{EventBatch, EventFeed};
pub(crate) use query_cache::{Cached, QueryCache};
pub(crate) use shared_poller::{PollGuard, SharedPoller};
pub(crate) use snapshots::{OldestDue, Snapshots, StoreSnapshot, stats_view};
