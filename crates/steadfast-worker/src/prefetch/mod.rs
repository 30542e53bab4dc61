//! Claimed tasks that wait for a runner.
//!
//! The claim loop puts batches in, runners take single tasks out. A shelf for each queue keeps
//! the queue's own limit; together they say how much room there is for another claim. Tasks of
//! a shelf stand in the order of the store's line, so one that was claimed later but belongs
//! further ahead goes first (D5).
//!
//! What has waited here for a second will not be started soon, whatever was expected. It goes
//! back to the store, where somebody else may have a free hand.

mod queue_buffer;

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use steadfast_store::{Claimed, FencingToken, TaskId};
use tokio::sync::Notify;
use tokio::time::Instant;

use self::queue_buffer::{Load, Shelf};
use crate::clock::StoreTime;
use crate::prefetch_depth::MOST;
use crate::settings::Settings;

/// What has waited this long goes back.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// A claimed task, and when it was claimed.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) claimed: Claimed,
    pub(crate) time: StoreTime,
}

/// A place in a queue's limit, to be given back when the task has ended.
#[derive(Debug)]
pub(crate) struct Place {
    shelf: usize,
    since: Instant,
}

/// What can be claimed now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// So many in all.
    pub(crate) total: u32,
    /// So many of each queue; if there is none here, of every queue.
    pub(crate) queues: Vec<(String, u32)>,
}

#[derive(Debug)]
pub(crate) struct Prefetch {
    state: Mutex<State>,
    /// Tells runners that there are tasks.
    filled: Notify,
    /// Tells the claim loop that there is room.
    hungry: Notify,
    /// Tells it that there is room for a queue which the last claim had to leave out.
    freed: Notify,
}

#[derive(Debug)]
struct State {
    shelves: Vec<Shelf>,
    runners: u32,
    /// Runners with nothing to do.
    idle: u32,
    /// Whether the claim loop was told of the room that there is.
    told: bool,
    closed: bool,
}

impl Prefetch {
    pub(crate) fn new(settings: &Settings) -> Self {
        let runners = settings.concurrency;
        let mut shelves: Vec<_> = settings
            .queues
            .iter()
            .map(|(queue, limit)| Shelf::of(queue, limit.unwrap_or(runners).min(runners)))
            .collect();
        if shelves.is_empty() {
            shelves.push(Shelf::of_every_queue(runners));
        }
        let state = State { shelves, runners, idle: 0, told: false, closed: false };
        let [filled, hungry, freed] = std::array::from_fn(|_| Notify::new());
        Self { state: Mutex::new(state), filled, hungry, freed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task, once there is one; nothing if there will be none. The runner's last task
    /// has ended and gives its place back.
    pub(crate) async fn take(&self, last: Option<Place>) -> Option<(Waiting, Place)> {
        // A runner whose tasks end at once must let others have their turn.
        tokio::task::coop::consume_budget().await;
        if let Some(next) = self.next(last) {
            return Some(next);
        }
        self.state().idle += 1;
        let next = loop {
            let mut filled = pin!(self.filled.notified());
            filled.as_mut().enable();
            let next = self.next(None);
            if next.is_some() || self.state().closed {
                break next;
            }
            filled.await;
        };
        self.state().idle -= 1;
        next
    }

    fn next(&self, last: Option<Place>) -> Option<(Waiting, Place)> {
        let now = Instant::now();
        let mut state = self.state();
        if let Some(place) = last {
            state.give_back(&place, now);
            if state.take_back_in() {
                self.freed.notify_one();
            }
        }
        if state.closed {
            return None;
        }
        let taken = state.take();
        if !state.told && state.room().is_some() {
            state.told = true;
            self.hungry.notify_one();
        }
        let (task, shelf) = taken?;
        // One runner wakes the next, as long as there is something to take.
        if state.idle > 0 && state.best_shelf().is_some() {
            self.filled.notify_one();
        }
        Some((task, Place { shelf, since: now }))
    }

    /// Puts a batch in. What cannot be started any more comes back.
    pub(crate) fn add(&self, tasks: Vec<Claimed>, time: StoreTime) -> Vec<Waiting> {
        let tasks = tasks.into_iter().map(|claimed| Waiting { claimed, time });
        let mut state = self.state();
        if state.closed {
            return tasks.collect();
        }
        for task in tasks {
            state.put(task);
        }
        state.shelves.iter_mut().for_each(Shelf::sort);
        self.filled.notify_one();
        Vec::new()
    }

    /// What can be claimed now; nothing while it is not worth a claim.
    pub(crate) fn room(&self) -> Option<Room> {
        let mut state = self.state();
        let room = state.room();
        state.told = room.is_some();
        if room.is_some() {
            state.leave_out();
        }
        room
    }

    /// Resolves when there may be room.
    pub(crate) async fn hungry(&self) {
        self.hungry.notified().await;
    }

    /// Resolves when there is room for a queue that the last claim left out.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Takes out what has waited too long.
    pub(crate) fn give_up_waiting(&self, now: Instant) -> Vec<Waiting> {
        let mut state = self.state();
        let late = |task: &Waiting| now.duration_since(task.time.at()) >= PATIENCE;
        let shelves = state.shelves.iter_mut();
        shelves
            .flat_map(|shelf| {
                let taken = shelf.remove(late);
                if !taken.is_empty() {
                    shelf.pace.is_no_quicker_than(PATIENCE);
                }
                taken
            })
            .collect()
    }

    /// Takes out some.
    pub(crate) fn remove(&self, which: impl Fn(TaskId, FencingToken) -> bool) -> Vec<Waiting> {
        let which = |task: &Waiting| which(task.claimed.id, task.claimed.version);
        let mut state = self.state();
        state.shelves.iter_mut().flat_map(|shelf| shelf.remove(which)).collect()
    }

    /// What is here.
    pub(crate) fn list(&self) -> Vec<(TaskId, FencingToken)> {
        let state = self.state();
        let tasks = state.shelves.iter().flat_map(Shelf::iter);
        tasks.map(|task| (task.claimed.id, task.claimed.version)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.state().shelves.iter().all(|shelf| shelf.iter().next().is_none())
    }

    /// Hands nothing out any more. What is left comes back.
    pub(crate) fn close(&self) -> Vec<Waiting> {
        self.state().closed = true;
        self.filled.notify_waiters();
        self.remove(|_, _| true)
    }
}

impl State {
    fn give_back(&mut self, place: &Place, now: Instant) {
        if let Some(shelf) = self.shelves.get_mut(place.shelf) {
            shelf.running = shelf.running.saturating_sub(1);
            shelf.pace.note(now.duration_since(place.since));
        }
    }

    /// The shelf whose first task goes next.
    fn best_shelf(&self) -> Option<usize> {
        let startable = self.shelves.iter().enumerate().filter_map(|(index, shelf)| {
            let first = shelf.first_to_start()?;
            Some((queue_buffer::order(&first.claimed), index))
        });
        startable.min().map(|(_, index)| index)
    }

    fn take(&mut self) -> Option<(Waiting, usize)> {
        let index = self.best_shelf()?;
        let task = self.shelves.get_mut(index)?.start_first()?;
        Some((task, index))
    }

    fn put(&mut self, task: Waiting) {
        let queue = &task.claimed.queue;
        let index = self.shelves.iter().position(|shelf| shelf.is_of(queue));
        // The store answers with tasks of the queues that it was asked for.
        if let Some(shelf) = self.shelves.get_mut(index.unwrap_or(0)) {
            shelf.put(task);
        }
    }

    /// Remembers which queues a claim of now does not ask for.
    fn leave_out(&mut self) {
        for shelf in &mut self.shelves {
            shelf.left_out = !shelf.load().is_worth_a_claim();
        }
    }

    /// Whether one of them can be asked for again.
    fn take_back_in(&mut self) -> bool {
        let mut shelves = self.shelves.iter_mut();
        let free = shelves.find(|shelf| shelf.left_out && shelf.load().is_worth_a_claim());
        free.is_some_and(|shelf| std::mem::take(&mut shelf.left_out))
    }

    fn room(&self) -> Option<Room> {
        let loads = || self.shelves.iter().map(Shelf::load);
        let all = Load {
            limit: self.runners,
            ahead: loads().map(|load| load.ahead).sum::<u32>().min(MOST),
            running: loads().map(|load| load.running).sum(),
            waiting: loads().map(|load| load.waiting).sum(),
        };
        if self.closed || !all.is_worth_a_claim() {
            return None;
        }
        let hungry: Vec<_> =
            self.shelves.iter().filter(|shelf| shelf.load().is_worth_a_claim()).collect();
        let most = hungry.iter().map(|shelf| shelf.load().room()).sum::<u32>();
        let queues =
            hungry.iter().filter_map(|shelf| Some((shelf.queue.clone()?, shelf.load().room())));
        let total = all.room().min(most).min(MOST);
        (total > 0).then(|| Room { total, queues: queues.collect() })
    }
}
