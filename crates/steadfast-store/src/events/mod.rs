//! Events about tasks and sessions: wake-ups, the completion feed, records, logs and metrics.

pub(crate) mod completion_feed;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod notifier;
pub(crate) mod record;
pub(crate) mod sink;
pub(crate) mod task_events;
