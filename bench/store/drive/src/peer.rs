//! The trait of a measured queue.

use std::ops::Range;
use std::time::SystemTime;

use anyhow::{Result, bail};

use crate::settings::Settings;

/// One peer, driven the way its own documentation says.
///
/// A task carries one number and its handler does nothing but report
/// [`handled`](crate::handled) that number.
pub trait Peer: Sized {
    /// Makes tables in an empty database.
    fn setup(database: &str) -> impl Future<Output = Result<()>>;

    /// Connects to a database that is set up, and prepares what is not to be measured.
    fn open(database: &str, settings: &Settings) -> impl Future<Output = Result<Self>>;

    /// Submits one task that is due.
    fn submit(&self, task: i64) -> impl Future<Output = Result<()>>;

    /// Submits many tasks that are due, in one call.
    fn submit_many(&self, tasks: Range<i64>) -> impl Future<Output = Result<()>>;

    /// Submits tasks for later, in one call. Each carries when it is due, in
    /// microseconds since 1970.
    fn submit_later(&self, _due: &[i64]) -> impl Future<Output = Result<()>> {
        async { bail!("this peer is not driven with tasks for later") }
    }

    /// Works, until it is dropped or something goes wrong.
    fn work(&self) -> impl Future<Output = Result<()>>;

    /// Whether the database knows that all of these `tasks` are finished, which is
    /// asked when all handlers have run.
    fn finished(&self, tasks: i64) -> impl Future<Output = Result<bool>>;
}

/// Microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
