//! Ended tasks of the last hour, and scheduled tasks of the next day.

use jiff::Timestamp;

pub(crate) const MINUTES: usize = 60;
pub(crate) const HOURS: usize = 24;

/// Ended tasks by the minute, and scheduled tasks by the hour.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The store's time.
    pub now: Timestamp,
    /// Tasks that ended in each of the last 60 minutes, the current one last.
    pub ended: Vec<Ended>,
    /// Scheduled tasks in each of the next 24 hours, the current one first.
    pub due: Vec<u64>,
}

/// Tasks that ended within a minute, without cancelled ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Completed tasks.
    pub completed: u64,
    /// Failed tasks.
    pub failed: u64,
}

impl Activity {
    pub(crate) fn empty(now: Timestamp) -> Self {
        Self { now, ended: vec![Ended::default(); MINUTES], due: vec![0; HOURS] }
    }

    /// Adds tasks that ended this many whole minutes ago.
    pub(crate) fn add_ended(&mut self, minutes_ago: i64, ended: Ended) {
        let index =
            usize::try_from(minutes_ago).ok().and_then(|ago| (MINUTES - 1).checked_sub(ago));
        if let Some(minute) = index.and_then(|index| self.ended.get_mut(index)) {
            minute.completed += ended.completed;
            minute.failed += ended.failed;
        }
    }

    /// Adds tasks that are due in this many whole hours.
    pub(crate) fn add_due(&mut self, hours: i64, tasks: u64) {
        if let Some(hour) = usize::try_from(hours).ok().and_then(|hours| self.due.get_mut(hours)) {
            *hour += tasks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: counts go to their minute or hour, and those out of range are ignored.
    #[test]
    fn counts_go_to_their_minute_or_hour() {
        let mut activity = Activity::empty(Timestamp::UNIX_EPOCH);
        let one = Ended { completed: 1, failed: 0 };
        for ago in [0, 59, 60, -1] {
            activity.add_ended(ago, one);
        }
        for hours in [0, 23, 24, -1] {
            activity.add_due(hours, 2);
        }
        let minutes: Vec<_> = (0..).zip(&activity.ended).filter(|(_, it)| **it == one).collect();
        assert_eq!(minutes, [(0, &one), (59, &one)]);
        assert_eq!((activity.due[0], activity.due[23]), (2, 2));
        assert_eq!(activity.due.iter().sum::<u64>(), 4);
    }
}
