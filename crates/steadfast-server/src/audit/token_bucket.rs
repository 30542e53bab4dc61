//! How often something may happen: some times at once, and then at a pace.

use std::time::Duration;

use tokio::time::Instant;

/// A pace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// So many times at once.
    pub(super) at_once: u32,
    /// And then once in so long.
    pub(super) every: Duration,
}

/// What is left of it.
#[derive(Debug)]
pub(super) struct Allowance {
    pace: Pace,
    left: u32,
    /// From when on time counts for the next one.
    since: Instant,
}

impl Allowance {
    pub(super) const fn new(pace: Pace, now: Instant) -> Self {
        Self { pace, left: pace.at_once, since: now }
    }

    /// Whether it may happen now. If so, it has.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.grow(now);
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// Whether nothing is missing.
    pub(super) fn is_whole(&mut self, now: Instant) -> bool {
        self.grow(now);
        self.left == self.pace.at_once
    }

    fn grow(&mut self, now: Instant) {
        let more = (now - self.since).as_nanos() / self.pace.every.as_nanos().max(1);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        self.left = self.left.saturating_add(more).min(self.pace.at_once);
        self.since = match self.left == self.pace.at_once {
            true => now,
            false => self.since + self.pace.every * more,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: some at once, and then one in so long, however often is asked.
    #[test]
    fn what_is_used_up_comes_back_at_its_pace() {
        let pace = Pace { at_once: 3, every: Duration::from_secs(10) };
        let now = Instant::now();
        let mut allowance = Allowance::new(pace, now);
        let mut taken = |seconds: u64| {
            let now = now + Duration::from_secs(seconds);
            (0..100).filter(|_| allowance.take(now)).count()
        };
        assert_eq!((taken(0), taken(9), taken(10), taken(19), taken(45)), (3, 0, 1, 0, 3));
        assert_eq!((taken(54), taken(55)), (0, 1), "what is over begins with the last use");
    }
}
