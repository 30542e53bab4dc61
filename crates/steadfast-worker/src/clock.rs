//! The store's time, between two answers of the store.
//!
//! Machines disagree about the time, and a machine's clock can be set back. What is due and what
//! is too late is the database's to say (D4): a worker remembers what time it was told, and
//! adds what has passed since by a clock that only measures.

use jiff::Timestamp;
use tokio::time::Instant;

/// What time the store said it was, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreTime {
    told: Timestamp,
    at: Instant,
}

impl StoreTime {
    /// The store said it just now.
    pub(crate) fn told(now: Timestamp) -> Self {
        Self { told: now, at: Instant::now() }
    }

    /// When it was told.
    pub(crate) const fn at(&self) -> Instant {
        self.at
    }

    /// What time it is there by now.
    pub(crate) fn now(&self) -> Timestamp {
        self.told.checked_add(self.at.elapsed()).unwrap_or(Timestamp::MAX)
    }

    /// When, by this process's clock, it will be that time there.
    pub(crate) fn moment_of(&self, time: Timestamp) -> Instant {
        let wait = time.duration_since(self.told).unsigned_abs();
        if time <= self.told { self.at } else { self.at + wait.min(FAR) }
    }
}

/// As far away as a timer needs to know.
const FAR: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// D4: the store's time goes on by what has passed, whatever this machine's clock says.
    #[tokio::test(start_paused = true)]
    async fn the_stores_time_goes_on_by_what_has_passed() {
        let noon: Timestamp = "2030-01-01T12:00:00Z".parse().unwrap();
        let time = StoreTime::told(noon);
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(time.now(), noon + Duration::from_secs(90));
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_of_the_stores_is_a_moment_here() {
        let noon: Timestamp = "2030-01-01T12:00:00Z".parse().unwrap();
        let time = StoreTime::told(noon);
        let second = Duration::from_secs(1);
        assert_eq!(time.moment_of(noon + second), time.at() + second);
        assert_eq!(time.moment_of(noon - second), time.at(), "what is past is now");
        assert_eq!(time.moment_of(Timestamp::MAX), time.at() + FAR);
    }
}
