//! How many tasks to claim ahead of the runners.
//!
//! A claim costs a round trip, so a worker that claims one task at a time spends its time waiting. One
//! that claims a thousand tasks of ten seconds each keeps them from idle workers. The right number
//! depends on how long tasks take, which is measured: with `limit` tasks at a time that take `mean`
//! each, `limit / mean` start in a second, and claiming [`PREFETCH_HORIZON`] of that ahead keeps
//! handlers busy while the next claim is in flight.

use std::time::Duration;

/// How much work is claimed ahead: several round trips to a database, and a negligible delay for a
/// task that could have started elsewhere.
const PREFETCH_HORIZON: Duration = Duration::from_millis(150);

/// The largest number of tasks claimed ahead.
pub(super) const MAX_PREFETCH: u32 = 1000;

/// The weight of one task in the moving average.
const MEAN_WEIGHT: f64 = 1.0 / 16.0;

/// The moving average of task durations, and the prefetch depth that follows from it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrefetchDepth {
    /// `None` until the first task has ended.
    mean_seconds: Option<f64>,
}

impl PrefetchDepth {
    pub(super) fn record(&mut self, took: Duration) {
        let took = took.as_secs_f64();
        self.mean_seconds = Some(match self.mean_seconds {
            Some(mean) => mean + (took - mean) * MEAN_WEIGHT,
            None => took,
        });
    }

    /// Raises the average to at least this: a prefetched task has waited this long.
    pub(super) fn raise_mean_to(&mut self, took: Duration) {
        let took = took.as_secs_f64();
        self.mean_seconds = Some(self.mean_seconds.map_or(took, |mean| mean.max(took)));
    }

    /// How many tasks to hold beside the `limit` that run; 0 before the first measurement.
    pub(super) fn tasks(self, limit: u32) -> u32 {
        let Some(mean) = self.mean_seconds else {
            return 0;
        };
        let started_soon = f64::from(limit) * PREFETCH_HORIZON.as_secs_f64() / mean.max(1e-9);
        started_soon.min(f64::from(MAX_PREFETCH)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(took: Duration) -> PrefetchDepth {
        let mut depth = PrefetchDepth::default();
        depth.record(took);
        depth
    }

    #[test]
    fn prefetch_depth_without_measurement_is_zero() {
        assert_eq!(PrefetchDepth::default().tasks(100), 0);
    }

    #[test]
    fn prefetch_depth_of_short_tasks_is_a_thousand() {
        assert_eq!(depth(Duration::from_micros(5)).tasks(100), MAX_PREFETCH);
    }

    #[test]
    fn prefetch_depth_of_long_tasks_is_almost_zero() {
        assert_eq!(depth(Duration::from_secs(10)).tasks(100), 1);
        assert_eq!(depth(Duration::from_secs(10)).tasks(4), 0);
    }

    #[test]
    fn prefetch_depth_shrinks_after_a_stale_task() {
        let mut depth = depth(Duration::from_micros(5));
        depth.raise_mean_to(Duration::from_secs(1));
        assert_eq!(depth.tasks(100), 15);
    }
}
