//! The difference of two clocks.
//!
//! The store uses the database's time, so a wrong machine clock does not affect leases; but its logs
//! and the `run_at` times that it computes are wrong.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// The difference of the database's clock and this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The database's time minus this machine's.
    pub ahead: SignedDuration,
    /// The uncertainty: half of the round trip.
    pub uncertainty: Duration,
}

impl Clock {
    /// From the local times before and after the database's time was read.
    pub(crate) fn measured(before: Timestamp, database: Timestamp, after: Timestamp) -> Self {
        let half = after.duration_since(before).abs() / 2;
        Self { ahead: database.duration_since(before) - half, uncertainty: half.unsigned_abs() }
    }

    /// The more certain of two.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.uncertainty < self.uncertainty { other } else { self }
    }

    /// The minimum difference.
    #[must_use]
    pub fn at_least(&self) -> Duration {
        self.ahead.unsigned_abs().saturating_sub(self.uncertainty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_700_000_000_000 + millis).unwrap()
    }

    /// D4: the round trip does not count as a difference.
    #[test]
    fn round_trip_is_the_uncertainty() {
        let clock = Clock::measured(at(0), at(50), at(100));
        assert_eq!(clock.ahead, SignedDuration::ZERO);
        assert_eq!(clock.uncertainty, Duration::from_millis(50));
        assert_eq!(clock.at_least(), Duration::ZERO);
    }

    #[test]
    fn clock_difference_is_measured() {
        let ahead = Clock::measured(at(0), at(60_050), at(100));
        assert_eq!(ahead.ahead, SignedDuration::from_secs(60));
        let behind = Clock::measured(at(0), at(-60_000), at(20));
        assert_eq!(behind.ahead, SignedDuration::from_millis(-60_010));
        assert_eq!(behind.at_least(), Duration::from_secs(60));
        assert_eq!(ahead.better(behind), behind);
    }
}
