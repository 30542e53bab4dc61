//! How far two clocks are apart.
//!
//! The store's time is the database's, so a machine whose clock is off does no harm to leases;
//! but its logs lie, and a `run_at` that it computes is wrong by as much.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// How far the database's clock is from this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The database's time less this machine's.
    pub ahead: SignedDuration,
    /// How wrong that may be: half of the time that the question took.
    pub uncertainty: Duration,
}

impl Clock {
    /// From the local times before and after the database was asked for its own.
    pub(crate) fn measured(before: Timestamp, database: Timestamp, after: Timestamp) -> Self {
        let half = after.duration_since(before).abs() / 2;
        Self { ahead: database.duration_since(before) - half, uncertainty: half.unsigned_abs() }
    }

    /// The more certain of two.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.uncertainty < self.uncertainty { other } else { self }
    }

    /// How far they are apart for sure.
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

    /// D4: the way to the database and back is not taken for a difference.
    #[test]
    fn the_round_trip_is_the_uncertainty() {
        let clock = Clock::measured(at(0), at(50), at(100));
        assert_eq!(clock.ahead, SignedDuration::ZERO);
        assert_eq!(clock.uncertainty, Duration::from_millis(50));
        assert_eq!(clock.at_least(), Duration::ZERO);
    }

    #[test]
    fn a_clock_that_is_off_is_off_by_so_much() {
        let ahead = Clock::measured(at(0), at(60_050), at(100));
        assert_eq!(ahead.ahead, SignedDuration::from_secs(60));
        let behind = Clock::measured(at(0), at(-60_000), at(20));
        assert_eq!(behind.ahead, SignedDuration::from_millis(-60_010));
        assert_eq!(behind.at_least(), Duration::from_secs(60));
        assert_eq!(ahead.better(behind), behind);
    }
}
