//! What a store did lately, and what it has before it.

use jiff::Timestamp;

/// How many minutes are looked back.
pub(crate) const MINUTES: usize = 60;
/// How many hours are looked ahead.
pub(crate) const HOURS: usize = 24;

/// The last hour by the minute, and the next day by the hour.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The store's time.
    pub now: Timestamp,
    /// What ended in each of the last 60 minutes, the one that ends now last.
    pub ended: Vec<Ended>,
    /// How many scheduled tasks are due in each of the next 24 hours, the one that begins now
    /// first.
    pub due: Vec<u64>,
}

/// What ended by itself within a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Done.
    pub completed: u64,
    /// Given up.
    pub failed: u64,
}

impl Activity {
    /// Of a store where nothing happens.
    pub(crate) fn none(now: Timestamp) -> Self {
        Self { now, ended: vec![Ended::default(); MINUTES], due: vec![0; HOURS] }
    }

    /// So many ended so many whole minutes ago.
    pub(crate) fn ended(&mut self, minutes_ago: i64, ended: Ended) {
        let place =
            usize::try_from(minutes_ago).ok().and_then(|ago| (MINUTES - 1).checked_sub(ago));
        if let Some(minute) = place.and_then(|place| self.ended.get_mut(place)) {
            minute.completed += ended.completed;
            minute.failed += ended.failed;
        }
    }

    /// So many are due in so many whole hours.
    pub(crate) fn due(&mut self, hours: i64, tasks: u64) {
        if let Some(hour) = usize::try_from(hours).ok().and_then(|hours| self.due.get_mut(hours)) {
            *hour += tasks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: each minute and each hour has its place, and what has none is not shown.
    #[test]
    fn what_happened_is_put_in_its_place() {
        let mut activity = Activity::none(Timestamp::UNIX_EPOCH);
        let one = Ended { completed: 1, failed: 0 };
        for ago in [0, 59, 60, -1] {
            activity.ended(ago, one);
        }
        for hours in [0, 23, 24, -1] {
            activity.due(hours, 2);
        }
        let minutes: Vec<_> = (0..).zip(&activity.ended).filter(|(_, it)| **it == one).collect();
        assert_eq!(minutes, [(0, &one), (59, &one)]);
        assert_eq!((activity.due[0], activity.due[23]), (2, 2));
        assert_eq!(activity.due.iter().sum::<u64>(), 4);
    }
}
