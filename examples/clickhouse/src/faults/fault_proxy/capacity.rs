//! A server with limited capacity.
//!
//! The model is a server with one processor. Each request takes some of its time, and *a rejection
//! takes time as well*: the request must be read, parsed and answered. So a client that retries
//! immediately uses time in which other requests could have been served. If rejections were free,
//! immediate retries would do no harm.

use std::time::Duration;

use tokio::time::Instant;

/// The time of an insert, and of a lookup.
const INSERT: Duration = Duration::from_millis(80);
const QUESTION: Duration = Duration::from_millis(5);
/// The time of a rejection: a twentieth of an insert.
const REFUSAL: Duration = Duration::from_millis(4);
/// The limit of queued work.
const BACKLOG: Duration = Duration::from_millis(400);

/// The time at which a request is served or rejected.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    Served(Instant),
    TurnedAway(Instant),
}

/// A processor's time, and the queued work.
#[derive(Clone, Debug)]
pub struct Capacity {
    busy_until: Instant,
    /// Rejections precede served requests, one at a time.
    refusing_until: Instant,
    /// The end of the outage, in which all requests are rejected.
    down_until: Instant,
}

impl Capacity {
    /// The maximum rate of inserts, without other requests.
    pub const INSERTS_PER_SECOND: f64 = 1.0 / INSERT.as_secs_f64();

    /// An idle server.
    pub fn idle() -> Self {
        let now = Instant::now();
        Self { busy_until: now, refusing_until: now, down_until: now }
    }

    /// Starts an outage: rejects all requests for this time.
    pub fn go_down(&mut self, duration: Duration) {
        self.down_until = Instant::now() + duration;
    }

    /// Accepts or rejects a request.
    pub(super) fn admit(&mut self, is_insert: bool, now: Instant) -> Turn {
        let work = self.busy_until.max(now);
        if now < self.down_until || work - now > BACKLOG {
            self.busy_until = work + REFUSAL;
            self.refusing_until = self.refusing_until.max(now) + REFUSAL;
            return Turn::TurnedAway(self.refusing_until);
        }
        self.busy_until = work + if is_insert { INSERT } else { QUESTION };
        Turn::Served(self.busy_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_beyond_the_backlog_are_rejected_until_it_is_done() {
        let mut capacity = Capacity::idle();
        let now = Instant::now();
        let served = (0..100).filter(|_| is_served(&mut capacity, now)).count();
        assert_eq!(served, 6, "five inserts wait, and one more may join them");
        assert!(!is_served(&mut capacity, now + Duration::from_millis(80)));
        assert!(is_served(&mut capacity, now + Duration::from_secs(1)));
    }

    #[test]
    fn rejected_requests_delay_served_ones() {
        let mut capacity = Capacity::idle();
        let now = Instant::now();
        capacity.go_down(Duration::from_secs(1));
        (0..1_000).for_each(|_| assert!(!is_served(&mut capacity, now)));
        // A thousand rejections are four seconds of work.
        capacity.down_until = now;
        assert!(!is_served(&mut capacity, now + Duration::from_millis(3590)));
        assert!(is_served(&mut capacity, now + Duration::from_millis(3610)));
    }

    fn is_served(capacity: &mut Capacity, now: Instant) -> bool {
        matches!(capacity.admit(true, now), Turn::Served(_))
    }
}
