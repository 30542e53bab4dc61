//! The trait of a measured task queue.

use std::ops::Range;
use std::time::SystemTime;

use anyhow::{Result, bail};

use crate::settings::Settings;

/// A task queue, used as its documentation recommends.
///
/// The payload of a task is one number. Its handler only calls [`handled`](crate::handled) with it.
pub trait Peer: Sized {
    /// Creates the schema in an empty database.
    fn setup(database: &str) -> impl Future<Output = Result<()>>;

    /// Connects to a database after its setup, and prepares everything that is not measured.
    fn open(database: &str, settings: &Settings) -> impl Future<Output = Result<Self>>;

    /// Submits one task that is due now.
    fn submit(&self, task: i64) -> impl Future<Output = Result<()>>;

    /// Submits tasks that are due now, in one call.
    fn submit_many(&self, tasks: Range<i64>) -> impl Future<Output = Result<()>>;

    /// Submits scheduled tasks in one call. The payload of each is the time at which it is due, in
    /// microseconds since 1970.
    fn submit_scheduled(&self, _due: &[i64]) -> impl Future<Output = Result<()>> {
        async { bail!("scheduled tasks are not supported for this peer") }
    }

    /// Processes tasks. Returns only on an error.
    fn work(&self) -> impl Future<Output = Result<()>>;

    /// Whether the database has the outcomes of this number of tasks. Called after all handlers
    /// have run.
    fn finished(&self, tasks: i64) -> impl Future<Output = Result<bool>>;
}

/// Microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
