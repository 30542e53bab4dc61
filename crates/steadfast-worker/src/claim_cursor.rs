//! Where to look in the store's lines, and when to look at all of them.
//!
//! Tasks leave a line at its head. PostgreSQL may not forget rows that an old transaction could
//! still see, so a claim that begins at the head steps over everything that has left since:
//! with an hour-old report running beside a busy queue, that is millions of rows for every
//! claim. So batch after batch goes on [behind](steadfast_store::Lane::behind) the last task of
//! the one before.
//!
//! What joins a line further ahead (a retried task keeps its place, a higher priority goes
//! first) is only found by a look at the whole line. That look may cost anything, so it is
//! measured, and made no more often than lets it take a twentieth of the time. Where it costs
//! nothing, a worker that has run out of work looks at once, and a busy one twenty times a
//! second. However dear it was, a worker with nothing to do looks every few seconds: what made it
//! slow may have been a disk that somebody else kept busy for a moment.
//!
//! A worker that asks for some kinds steps over the others, wherever it begins. Where a line is full
//! of them it looks in a twentieth of the time, too, whoever tells it of something new: the new ones
//! are mostly for others.

use std::collections::HashMap;
use std::time::Duration;

use steadfast_store::{Claimed, Lane, Position};
use tokio::time::Instant;

use crate::prefetch::Room;

/// A look at whole lines may take one part in so many of the time.
const SHARE: u32 = 20;

/// How long a busy worker goes on behind before it looks at the whole line again.
const BUSY: Duration = Duration::from_millis(50);

/// How long one with nothing to do goes without a look at the whole line (D11).
const IDLE_AT_MOST: Duration = Duration::from_secs(5);

/// A look that costs so little is made at once when there is something new.
const LITTLE: Duration = Duration::from_millis(10);

/// With more queues than this, a look behind in each costs more than it saves.
const MOST_QUEUES: usize = 16;

/// What part of the lines a claim looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Whole,
    Behind,
}

/// What was learnt of the lines.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Where the last batch of each queue ended.
    ends: HashMap<String, Position>,
    whole: Option<Looked>,
    behind: Option<Looked>,
    /// What the cheapest claim took: the way to the database and back.
    cheapest: Option<Duration>,
    busy: bool,
}

/// The last of some looks.
#[derive(Clone, Copy, Debug)]
struct Looked {
    ended: Instant,
    took: Duration,
    /// What the one before took. One that is slow for once is not a dear one.
    before: Duration,
}

impl Line {
    /// When a whole look is due.
    pub(crate) fn whole_due(&self) -> Option<Instant> {
        let last = self.whole?;
        let fair = self.cost(&last).saturating_mul(SHARE);
        let rest = if self.busy { fair.max(BUSY) } else { fair.min(IDLE_AT_MOST) };
        Some(last.ended + rest)
    }

    fn cost(&self, last: &Looked) -> Duration {
        last.took.min(last.before).saturating_sub(self.cheapest.unwrap_or_default())
    }

    /// What to look at now.
    pub(crate) fn look(&self, now: Instant) -> Look {
        let due = self.whole_due().is_none_or(|due| due <= now);
        if due || self.ends.is_empty() || self.ends.len() > MOST_QUEUES {
            return Look::Whole;
        }
        Look::Behind
    }

    /// When to look, for a worker of some kinds that is told of something new.
    pub(crate) fn soonest(&self, now: Instant) -> Instant {
        let last = match self.look(now) {
            Look::Behind => self.behind,
            Look::Whole => self.whole,
        };
        let Some((ended, cost)) = last.map(|last| (last.ended, self.cost(&last))) else {
            return now;
        };
        if cost <= LITTLE {
            return now;
        }
        now.max(ended + cost.saturating_mul(SHARE).min(IDLE_AT_MOST))
    }

    /// The lanes to claim from. A worker of every queue has none for a whole look.
    pub(crate) fn lanes(&self, look: Look, room: &Room) -> Vec<Lane> {
        let lane = |queue: &String, limit| {
            let behind = self.ends.get(queue).filter(|_| look == Look::Behind).copied();
            Lane { queue: queue.clone(), limit, behind }
        };
        if room.queues.is_empty() && look == Look::Behind {
            return self.ends.keys().map(|queue| lane(queue, room.total)).collect();
        }
        room.queues.iter().map(|(queue, limit)| lane(queue, *limit)).collect()
    }

    /// A claim was answered.
    pub(crate) fn looked(&mut self, look: Look, took: Duration, tasks: &[Claimed], full: bool) {
        self.busy = full;
        self.cheapest = Some(self.cheapest.map_or(took, |least| least.min(took)));
        let last = match look {
            Look::Whole => &mut self.whole,
            Look::Behind => &mut self.behind,
        };
        let before = last.map_or(Duration::ZERO, |last| last.took);
        *last = Some(Looked { ended: Instant::now(), took, before });
        for task in tasks {
            match self.ends.get_mut(&task.queue) {
                Some(end) => *end = task.position(),
                None => {
                    self.ends.insert(task.queue.clone(), task.position());
                }
            }
        }
        if self.ends.len() > MOST_QUEUES {
            self.ends.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use steadfast_store::{ClaimRequest, Store, Task};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn looked(look: Look, took: Duration, full: bool) -> Line {
        let mut line = Line::default();
        line.looked(Look::Behind, MS, &[], false);
        line.looked(look, took, &[], full);
        line.looked(look, took, &[], full);
        line
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_look_is_at_the_whole_line() {
        assert_eq!(Line::default().look(Instant::now()), Look::Whole);
    }

    /// D11: news are looked at once, where looking costs little.
    #[tokio::test(start_paused = true)]
    async fn news_are_looked_at_once() {
        let now = Instant::now();
        assert_eq!(Line::default().soonest(now), now);
        assert_eq!(looked(Look::Whole, MS, false).soonest(now), now);
    }

    /// D5, D19: a line full of tasks for others is not walked along for each that joins it, neither
    /// from its head nor from where the worker met the first of them.
    #[tokio::test]
    async fn a_line_full_of_others_is_looked_at_in_its_time() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        store.submit(Task::new("resize", &1)).await.unwrap();
        let strangers = store.claim(&ClaimRequest::new("w-1", 1)).await.unwrap().tasks;
        tokio::time::pause();

        let mut line = looked(Look::Whole, MS, false);
        line.looked(Look::Whole, 101 * MS, &[], false);
        assert_eq!(line.soonest(Instant::now()), Instant::now(), "it may have been slow for once");
        line.looked(Look::Whole, 101 * MS, &[], false);
        assert_eq!(line.soonest(Instant::now()), Instant::now() + 2000 * MS);

        line.looked(Look::Behind, MS, &strangers, false);
        assert_eq!(line.soonest(Instant::now()), Instant::now(), "it may be short behind that one");
        line.looked(Look::Behind, 51 * MS, &[], false);
        line.looked(Look::Behind, 51 * MS, &[], false);
        assert_eq!(line.soonest(Instant::now()), Instant::now() + 1000 * MS);
    }

    /// D11: nothing keeps an idle worker from looking again at once.
    #[tokio::test(start_paused = true)]
    async fn a_cheap_look_is_due_at_once_when_there_was_nothing_more() {
        let line = looked(Look::Whole, MS, false);
        assert_eq!(line.whole_due(), Some(Instant::now()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_worker_looks_at_the_whole_line_twenty_times_a_second() {
        let line = looked(Look::Whole, MS, true);
        assert_eq!(line.whole_due(), Some(Instant::now() + BUSY));
    }

    /// D5: a line full of dead rows is looked at whole, but takes a twentieth of the time.
    #[tokio::test(start_paused = true)]
    async fn a_dear_look_takes_a_twentieth_of_the_time() {
        let line = looked(Look::Whole, 201 * MS, true);
        assert_eq!(line.whole_due(), Some(Instant::now() + 4000 * MS));
    }

    /// D11: a worker with nothing to do is not kept from looking for long by looks that were slow.
    #[tokio::test(start_paused = true)]
    async fn an_idle_worker_looks_every_few_seconds_however_dear_it_is() {
        let line = looked(Look::Whole, 2001 * MS, false);
        assert_eq!(line.whole_due(), Some(Instant::now() + IDLE_AT_MOST));
        let line = looked(Look::Whole, 2001 * MS, true);
        assert_eq!(line.whole_due(), Some(Instant::now() + 40_000 * MS));
    }

    /// D11: a hiccup of the database does not keep the worker from looking.
    #[tokio::test(start_paused = true)]
    async fn one_slow_look_is_not_a_dear_one() {
        let mut line = looked(Look::Whole, MS, false);
        line.looked(Look::Whole, 201 * MS, &[], false);
        assert_eq!(line.whole_due(), Some(Instant::now()));
        line.looked(Look::Whole, 201 * MS, &[], false);
        assert_eq!(line.whole_due(), Some(Instant::now() + 4000 * MS));
    }
}
