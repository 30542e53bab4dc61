//! The completion feed: the tasks that end through this store.
//!
//! The next node of a workflow should start as soon as a task ends. Without a subscriber nothing is
//! stored. An entry is a hint, like a [wake-up](crate::Wake): a process that is killed publishes
//! nothing, so a subscriber also polls for missed completions.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

use crate::queue::settle::{Settled, Settlement, Verdict};
use crate::task::TaskId;

/// The number of completions that wait for a subscriber; it has to poll for the others.
const MAX_BUFFERED_COMPLETIONS: usize = 100_000;

#[derive(Debug, Default)]
pub(crate) struct CompletionSubscribers(Mutex<Vec<Weak<Subscription>>>);

#[derive(Debug, Default)]
struct Subscription {
    ended: Mutex<Vec<TaskId>>,
    filled: Notify,
}

/// Receives the tasks that end through one store and its clones.
#[derive(Debug)]
pub struct CompletionFeed(Arc<Subscription>);

impl CompletionSubscribers {
    pub(crate) fn subscribe(&self) -> CompletionFeed {
        let subscription = Arc::new(Subscription::default());
        let mut subscriptions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        subscriptions.retain(|subscription| subscription.strong_count() > 0);
        subscriptions.push(Arc::downgrade(&subscription));
        CompletionFeed(subscription)
    }

    pub(crate) fn publish(&self, ended: &[TaskId]) {
        if ended.is_empty() {
            return;
        }
        let mut subscriptions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        subscriptions.retain(|subscription| subscription.strong_count() > 0);
        for subscription in subscriptions.iter().filter_map(Weak::upgrade) {
            let mut buffer = subscription.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MAX_BUFFERED_COMPLETIONS.saturating_sub(buffer.len());
            buffer.extend(ended.iter().take(room));
            subscription.filled.notify_one();
        }
    }
}

/// The tasks that these settlements end, if accepted, with their indexes.
pub(crate) fn ending(settlements: &[Settlement]) -> Vec<(usize, TaskId)> {
    let ends = |one: &Settlement| {
        matches!(one.verdict, Verdict::Completed { .. } | Verdict::Failed { .. })
    };
    let all = settlements.iter().enumerate();
    all.filter(|(_, one)| ends(one)).map(|(index, one)| (index, one.id)).collect()
}

/// The accepted ones.
pub(crate) fn accepted(ending: Vec<(usize, TaskId)>, answers: &[Settled]) -> Vec<TaskId> {
    let is_accepted = |index: usize| answers.get(index) == Some(&Settled::Accepted);
    ending.into_iter().filter(|(index, _)| is_accepted(*index)).map(|(_, id)| id).collect()
}

impl CompletionFeed {
    /// Waits for the next finished tasks, at least one.
    pub async fn next(&mut self) -> Vec<TaskId> {
        loop {
            let ended = self.drain();
            if !ended.is_empty() {
                return ended;
            }
            self.0.filled.notified().await;
        }
    }

    /// The finished tasks in the buffer, without waiting.
    pub fn drain(&mut self) -> Vec<TaskId> {
        std::mem::take(&mut *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
