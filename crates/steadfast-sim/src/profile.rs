//! The capacity of a service over time.

use crate::scenario::{Scenario, nanos};

/// Segments of time, each with its start and the calls per nanosecond. The last one never ends.
#[derive(Clone, Debug)]
pub(crate) struct Profile(Vec<(u64, f64)>);

const SECOND: f64 = 1e9;

impl Profile {
    /// `None` if the capacity is unlimited.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let capacity = scenario.capacity?;
        let outages = scenario.outages.iter().map(|it| (nanos(it.from), nanos(it.to), 0.0));
        let browns =
            scenario.brown_outs.iter().map(|it| (nanos(it.from), nanos(it.to), it.capacity));
        let less: Vec<(u64, u64, f64)> = outages.chain(browns).collect();
        let mut starts: Vec<u64> = less.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        let left_at = |at: u64| {
            let now = less.iter().filter(|(from, to, _)| (*from..*to).contains(&at));
            now.map(|(_, _, left)| *left).fold(1.0, f64::min)
        };
        Some(Self(starts.iter().map(|at| (*at, capacity * left_at(*at) / SECOND)).collect()))
    }

    /// The segments from this time on: start, end, and calls per nanosecond.
    fn from(&self, time: u64) -> impl Iterator<Item = (u64, u64, f64)> {
        let first = self.0.partition_point(|(start, _)| *start <= time).saturating_sub(1);
        let ends = self.0.iter().skip(first + 1).map(|(start, _)| *start).chain([u64::MAX]);
        let segments = self.0.iter().skip(first).zip(ends);
        segments.map(move |((start, rate), end)| (time.max(*start), end, *rate))
    }

    /// The calls that can be processed between two times.
    pub(crate) fn done(&self, from: u64, to: u64) -> f64 {
        let segments = self.from(from).take_while(|(start, ..)| *start < to);
        segments.map(|(start, end, rate)| (end.min(to) - start) as f64 * rate).sum()
    }

    /// The time at which a number of calls that start now is done; the maximum if never.
    pub(crate) fn when_done(&self, now: u64, mut calls: f64) -> u64 {
        for (start, end, rate) in self.from(now) {
            let possible = (end - start) as f64 * rate;
            if possible >= calls {
                return start.saturating_add((calls / rate).ceil() as u64);
            }
            calls -= possible;
        }
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{BrownOut, Outage};

    const S: u64 = 1_000_000_000;

    /// Ten a second, nothing from the first to the third second, five from the fifth to the sixth.
    fn profile() -> Profile {
        let secs = Duration::from_secs;
        let brown = BrownOut { from: secs(5), to: secs(6), failing: 0.0, capacity: 0.5 };
        let scenario = Scenario {
            capacity: Some(10.0),
            outages: vec![Outage::refusing(secs(1), secs(3))],
            brown_outs: vec![brown],
            ..Scenario::default()
        };
        Profile::of(&scenario).unwrap()
    }

    #[test]
    fn no_call_is_processed_during_an_outage() {
        assert_eq!(profile().done(0, S), 10.0);
        assert_eq!(profile().done(S, 3 * S), 0.0);
        assert_eq!(profile().done(0, 4 * S), 20.0);
        assert_eq!(profile().done(5 * S + S / 2, 7 * S), 12.5);
    }

    #[test]
    fn queue_is_done_after_its_processing_time() {
        assert_eq!(profile().when_done(0, 10.0), S);
        assert_eq!(profile().when_done(0, 15.0), 3 * S + S / 2);
        assert_eq!(profile().when_done(5 * S, 10.0), 6 * S + S / 2);
        assert_eq!(profile().when_done(2 * S, 0.0), 2 * S);
    }
}
