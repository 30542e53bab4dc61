//! Store maintenance: one service per file, each run at an interval.
//!
//! Every worker does maintenance unless it is turned off: each service processes a bounded batch at
//! a time, at intervals with jitter, and concurrent services of two workers do not conflict. So there
//! is no leader to elect, and none to lose.

mod compress;
mod promote;
mod prune;
mod reclaim;
mod rollup;

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{InputError, Result, Retention};
use tokio::task::JoinSet;
use tokio::time::sleep;

pub(crate) use self::promote::DueSignal;
use crate::state::WorkerState;

/// The maintenance that a worker does for its store.
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
    /// `None` derives it from the lease.
    reclaim_every: Option<Duration>,
    prune_every: Duration,
    compress_every: Duration,
    compress_after: Duration,
    retention: Retention,
}

impl Default for Maintenance {
    /// Everything: expired leases are reclaimed four times per lease and at least every 5 seconds; data
    /// past its retention is pruned every minute; rollups are made every minute, and histories are
    /// compressed an hour after their task has ended.
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
    /// No maintenance. Another worker of the same store must do it, or scheduled tasks are never
    /// promoted and expired leases never reclaimed.
    pub fn off() -> Self {
        Self { on: false, ..Self::default() }
    }

    /// Sets how often expired leases are reclaimed; by default four times per lease and at least every
    /// 5 seconds.
    pub fn reclaim_every(mut self, interval: Duration) -> Self {
        self.reclaim_every = Some(interval);
        self
    }

    /// Sets how often data past its retention is pruned; every minute by default.
    pub fn prune_every(mut self, interval: Duration) -> Self {
        self.prune_every = interval;
        self
    }

    /// Sets how often the histories of finished tasks are compressed; every 5 minutes by default.
    pub fn compress_every(mut self, interval: Duration) -> Self {
        self.compress_every = interval;
        self
    }

    /// Sets how long after the end of its task a history is compressed; an hour by default.
    pub fn compress_after(mut self, age: Duration) -> Self {
        self.compress_after = age;
        self
    }

    /// Sets how long finished tasks and other data are retained.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    pub(crate) fn reclaim_interval(&self, lease: Duration) -> Duration {
        self.reclaim_every.unwrap_or_else(|| (lease / 4).min(MAX_RECLAIM_INTERVAL))
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        let intervals = [
            ("reclaim_every", self.reclaim_every),
            ("prune_every", Some(self.prune_every)),
            ("compress_every", Some(self.compress_every)),
        ];
        match intervals.into_iter().find(|(_, interval)| *interval == Some(Duration::ZERO)) {
            Some((field, _)) => Err(InputError::new(field, "must be greater than 0")),
            None => Ok(()),
        }
    }
}

/// The longest default interval between two reclaims.
const MAX_RECLAIM_INTERVAL: Duration = Duration::from_secs(5);

/// The pause between two batches of one round.
const BATCH_PAUSE: Duration = Duration::from_millis(10);

/// The longest interval that a timer is set to.
pub(crate) const MAX_INTERVAL: Duration = Duration::from_hours(365 * 24);

/// Starts all services, unless maintenance is off. Each ends when the worker stops.
pub(crate) fn spawn(services: &mut JoinSet<()>, state: &Arc<WorkerState>, due: DueSignal) {
    if !state.config.maintenance.on {
        return;
    }
    services.spawn(promote::run(state.clone(), due));
    services.spawn(reclaim::run(state.clone()));
    services.spawn(prune::run(state.clone()));
    services.spawn(compress::run(state.clone()));
    services.spawn(rollup::run(state.clone()));
}

/// Waits for a service's next round, `interval` with jitter; `false` if the worker stops.
async fn next_round(state: &WorkerState, interval: Duration) -> bool {
    let wait = sleep(interval.min(MAX_INTERVAL).mul_f64(0.8 + 0.4 * fastrand::f64()));
    state.shutdown.run_until_cancelled(wait).await.is_some()
}

/// Processes batches in every round until one returns `false`, with pauses so that claims are not held
/// up.
async fn run_in_batches<Fut: Future<Output = Result<bool>>>(
    state: &WorkerState,
    interval: Duration,
    operation: &'static str,
    batch: impl Fn() -> Fut,
) {
    while next_round(state, interval).await {
        while state.store_retry.call(operation, &batch).await == Some(true)
            && next_round(state, BATCH_PAUSE).await
        {}
    }
}
