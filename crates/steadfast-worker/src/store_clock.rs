//! The store's clock, extrapolated between two answers of the store.
//!
//! Machines disagree about the time, and a machine's clock can be set back. The database decides what
//! is due and what is too late (D4): the worker takes the time from the store's last answer and adds
//! what a monotonic clock has measured since.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

/// The longest wait that a timer is set to.
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// A reading of the store's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreClock {
    store_time: Timestamp,
    read_at: Instant,
}

impl StoreClock {
    /// A reading made just now.
    pub(crate) fn new(store_time: Timestamp) -> Self {
        Self { store_time, read_at: Instant::now() }
    }

    pub(crate) const fn read_at(&self) -> Instant {
        self.read_at
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.store_time.checked_add(self.read_at.elapsed()).unwrap_or(Timestamp::MAX)
    }

    /// The local instant at which the store's clock shows this time.
    pub(crate) fn instant_of(&self, time: Timestamp) -> Instant {
        let wait = time.duration_since(self.store_time).unsigned_abs();
        if time <= self.store_time { self.read_at } else { self.read_at + wait.min(MAX_WAIT) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D4: the store's time advances by the elapsed time, whatever this machine's clock says.
    #[tokio::test(start_paused = true)]
    async fn store_clock_advances_by_elapsed_time() {
        let noon: Timestamp = "2030-01-01T12:00:00Z".parse().unwrap();
        let clock = StoreClock::new(noon);
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(clock.now(), noon + Duration::from_secs(90));
    }

    #[tokio::test(start_paused = true)]
    async fn store_time_maps_to_a_local_instant() {
        let noon: Timestamp = "2030-01-01T12:00:00Z".parse().unwrap();
        let clock = StoreClock::new(noon);
        let second = Duration::from_secs(1);
        assert_eq!(clock.instant_of(noon + second), clock.read_at() + second);
        assert_eq!(clock.instant_of(noon - second), clock.read_at(), "a past time is due now");
        assert_eq!(clock.instant_of(Timestamp::MAX), clock.read_at() + MAX_WAIT);
    }
}
