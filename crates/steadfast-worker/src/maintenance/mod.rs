//! What somebody has to do now and then: one small service for each, in its own file.
//!
//! Every worker does it, unless it is told not to: each service takes a bounded piece at a time,
//! at slightly uneven intervals, and two that meet do each other no harm. So no worker is special
//! and none is missed when it is gone.

mod compress;
mod promote;
mod prune;
mod reclaim;
mod rollup;

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{Invalid, Retention};
use tokio::task::JoinSet;
use tokio::time::sleep;

pub(crate) use self::promote::Due;
use crate::shared::Shared;

/// What a worker does for the store, beside running tasks.
///
/// ```
/// use std::time::Duration;
/// use steadfast_worker::{Maintenance, Retention};
///
/// let mut a_day = Retention::default();
/// a_day.completed_for = Some(Duration::from_secs(86_400));
/// let maintenance = Maintenance::default()
///     .retention(a_day)
///     .reclaim_every(Duration::from_secs(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Maintenance {
    on: bool,
    /// Unless it is said, it follows the lease.
    reclaim_every: Option<Duration>,
    prune_every: Duration,
    compress_every: Duration,
    compress_after: Duration,
    retention: Retention,
}

impl Default for Maintenance {
    /// Everything: lost tasks are looked for four times in a lease, every 5 seconds at least; what
    /// is past its retention every minute; what ended is summed up minute by minute, and histories
    /// are packed an hour after their task has ended.
    fn default() -> Self {
        Self {
            on: true,
            reclaim_every: None,
            prune_every: Duration::from_secs(60),
            compress_every: Duration::from_secs(300),
            compress_after: Duration::from_secs(3600),
            retention: Retention::default(),
        }
    }
}

impl Maintenance {
    /// Nothing. Another worker of the same store must do it, or scheduled tasks never become
    /// due and lost ones never come back.
    pub fn off() -> Self {
        Self { on: false, ..Self::default() }
    }

    /// How often to look for tasks of lost workers; four times in a lease unless said, and every
    /// 5 seconds at least.
    pub fn reclaim_every(mut self, interval: Duration) -> Self {
        self.reclaim_every = Some(interval);
        self
    }

    /// How often to forget what is past its retention.
    pub fn prune_every(mut self, interval: Duration) -> Self {
        self.prune_every = interval;
        self
    }

    /// How often to pack the histories of ended tasks.
    pub fn compress_every(mut self, interval: Duration) -> Self {
        self.compress_every = interval;
        self
    }

    /// How long after its task has ended a history is packed.
    pub fn compress_after(mut self, age: Duration) -> Self {
        self.compress_after = age;
        self
    }

    /// How long what has ended is kept.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// How often tasks of lost workers are looked for, under leases of this length.
    pub(crate) fn reclaims_every(&self, lease: Duration) -> Duration {
        self.reclaim_every.unwrap_or_else(|| (lease / 4).min(SELDOM))
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let intervals = [
            ("reclaim_every", self.reclaim_every),
            ("prune_every", Some(self.prune_every)),
            ("compress_every", Some(self.compress_every)),
        ];
        match intervals.into_iter().find(|(_, interval)| *interval == Some(Duration::ZERO)) {
            Some((field, _)) => Err(Invalid::new(field, "must be longer than nothing")),
            None => Ok(()),
        }
    }
}

/// How often tasks of lost workers are looked for, at least.
const SELDOM: Duration = Duration::from_secs(5);

/// Longer than this is never.
pub(crate) const LONGEST: Duration = Duration::from_hours(365 * 24);

/// Starts every service that is wanted. Each ends when the worker stops.
pub(crate) fn spawn(services: &mut JoinSet<()>, shared: &Arc<Shared>, due: Due) {
    if !shared.settings.maintenance.on {
        return;
    }
    services.spawn(promote::run(shared.clone(), due));
    services.spawn(reclaim::run(shared.clone()));
    services.spawn(prune::run(shared.clone()));
    services.spawn(compress::run(shared.clone()));
    services.spawn(rollup::run(shared.clone()));
}

/// Waits for a service's next round, a little sooner or later than `every`; `false` if there is
/// none because the worker stops.
async fn next_round(shared: &Shared, every: Duration) -> bool {
    tokio::select! {
        () = sleep(every.min(LONGEST).mul_f64(0.8 + 0.4 * fastrand::f64())) => true,
        () = shared.stops.cancelled() => false,
    }
}

/// Waits between two pieces of one round, so that claims come between.
async fn catch_breath(shared: &Shared) -> bool {
    next_round(shared, Duration::from_millis(10)).await
}
