//! A server with limited capacity.
//!
//! The model is that of a server with one processor. Each request takes some of its time, and
//! *turning one away takes time as well*: it must be read, understood and answered. So who
//! asks again and again, and is turned away again and again, takes the time in which somebody
//! could have been served. Without that, hammering at a door would do no harm.

use std::time::Duration;

use tokio::time::Instant;

/// What an insert takes, and what a question does.
const INSERT: Duration = Duration::from_millis(80);
const QUESTION: Duration = Duration::from_millis(5);
/// What turning one away takes: a twentieth of an insert.
const REFUSAL: Duration = Duration::from_millis(4);
/// How much work may wait to be done.
const BACKLOG: Duration = Duration::from_millis(400);

/// When a request will have been dealt with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    Served(Instant),
    TurnedAway(Instant),
}

/// A processor's time, and what is already to be done in it.
#[derive(Clone, Debug)]
pub struct Capacity {
    busy_until: Instant,
    /// Turning away goes before serving, one at a time.
    refusing_until: Instant,
    /// Until when it serves nobody at all.
    down_until: Instant,
}

impl Capacity {
    /// Inserts a second that it can do, if it does nothing else.
    pub const INSERTS_PER_SECOND: f64 = 1.0 / INSERT.as_secs_f64();

    /// A server with nothing to do.
    pub fn idle() -> Self {
        let now = Instant::now();
        Self { busy_until: now, refusing_until: now, down_until: now }
    }

    /// Lets it turn everybody away for so long.
    pub fn goes_down(&mut self, how_long: Duration) {
        self.down_until = Instant::now() + how_long;
    }

    /// Takes a request in, or turns it away.
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
    fn more_than_a_backlog_is_turned_away_until_it_is_done() {
        let mut capacity = Capacity::idle();
        let now = Instant::now();
        let served = (0..100).filter(|_| is_served(&mut capacity, now)).count();
        assert_eq!(served, 6, "five inserts wait, and one more may join them");
        assert!(!is_served(&mut capacity, now + Duration::from_millis(80)));
        assert!(is_served(&mut capacity, now + Duration::from_secs(1)));
    }

    #[test]
    fn whoever_is_turned_away_delays_whoever_is_served() {
        let mut capacity = Capacity::idle();
        let now = Instant::now();
        capacity.goes_down(Duration::from_secs(1));
        (0..1_000).for_each(|_| assert!(!is_served(&mut capacity, now)));
        // A thousand refusals are four seconds of work.
        capacity.down_until = now;
        assert!(!is_served(&mut capacity, now + Duration::from_millis(3590)));
        assert!(is_served(&mut capacity, now + Duration::from_millis(3610)));
    }

    fn is_served(capacity: &mut Capacity, now: Instant) -> bool {
        matches!(capacity.admit(true, now), Turn::Served(_))
    }
}
