//! How far ahead to claim.
//!
//! A claim costs a round trip, so a worker that takes one task at a time spends its life asking.
//! One that takes a thousand tasks of ten seconds each keeps them from workers that have nothing
//! to do. What is right depends on how long tasks take, which nobody says; so it is measured:
//! with `limit` tasks at a time that take `mean` each, `limit / mean` are started in a second,
//! and claiming [`HORIZON`] of that ahead keeps handlers busy while the next claim is under way.

use std::time::Duration;

/// How much work is claimed ahead: several round trips to a database, and no time at all to
/// a task that could have been started elsewhere.
const HORIZON: Duration = Duration::from_millis(150);

/// The most that is claimed ahead.
pub(crate) const MOST: u32 = 1000;

/// How much one task changes the mean.
const WEIGHT: f64 = 1.0 / 16.0;

/// How long tasks have been taking.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// In seconds; nothing before the first has ended.
    mean: Option<f64>,
}

impl Pace {
    pub(crate) fn note(&mut self, took: Duration) {
        let took = took.as_secs_f64();
        self.mean = Some(match self.mean {
            Some(mean) => mean + (took - mean) * WEIGHT,
            None => took,
        });
    }

    /// Tasks take at least this long, as it turns out: some have waited for it.
    pub(crate) fn is_no_quicker_than(&mut self, took: Duration) {
        let took = took.as_secs_f64();
        self.mean = Some(self.mean.map_or(took, |mean| mean.max(took)));
    }

    /// How many to have at hand beside the `limit` that run. None, while nothing is known.
    pub(crate) fn ahead(self, limit: u32) -> u32 {
        let Some(mean) = self.mean else {
            return 0;
        };
        let started_soon = f64::from(limit) * HORIZON.as_secs_f64() / mean.max(1e-9);
        started_soon.min(f64::from(MOST)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(took: Duration) -> Pace {
        let mut pace = Pace::default();
        pace.note(took);
        pace
    }

    #[test]
    fn nothing_is_claimed_ahead_before_anything_is_known() {
        assert_eq!(Pace::default().ahead(100), 0);
    }

    #[test]
    fn quick_tasks_are_claimed_a_thousand_at_a_time() {
        assert_eq!(pace(Duration::from_micros(5)).ahead(100), MOST);
    }

    #[test]
    fn ten_second_tasks_are_not_hoarded() {
        assert_eq!(pace(Duration::from_secs(10)).ahead(100), 1);
        assert_eq!(pace(Duration::from_secs(10)).ahead(4), 0);
    }

    #[test]
    fn what_has_waited_a_second_was_no_quick_work() {
        let mut pace = pace(Duration::from_micros(5));
        pace.is_no_quicker_than(Duration::from_secs(1));
        assert_eq!(pace.ahead(100), 15);
    }
}
