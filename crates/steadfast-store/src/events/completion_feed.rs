//! Being told which tasks have ended through this store.
//!
//! What follows a task (the next node of a workflow) should begin at once. Whoever wants to know
//! listens; without a listener nothing is kept and nothing is told. It is a hint, like a
//! [wake-up](crate::Wake): a process that is killed tells nobody, so who listens looks for what
//! it missed, too.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

use crate::queue::settle::{Settled, Settlement, Verdict};
use crate::task::TaskId;

/// How many ends wait for a listener before it has to look for the others itself.
const MOST: usize = 100_000;

/// Who listens.
#[derive(Debug, Default)]
pub(crate) struct Tellers(Mutex<Vec<Weak<Line>>>);

#[derive(Debug, Default)]
struct Line {
    ended: Mutex<Vec<TaskId>>,
    news: Notify,
}

/// Hears which tasks have ended through one store and its clones.
#[derive(Debug)]
pub struct CompletionFeed(Arc<Line>);

impl Tellers {
    pub(crate) fn listen(&self) -> CompletionFeed {
        let line = Arc::new(Line::default());
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| line.strong_count() > 0);
        lines.push(Arc::downgrade(&line));
        CompletionFeed(line)
    }

    pub(crate) fn tell(&self, ended: &[TaskId]) {
        if ended.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| line.strong_count() > 0);
        for line in lines.iter().filter_map(Weak::upgrade) {
            let mut waiting = line.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MOST.saturating_sub(waiting.len());
            waiting.extend(ended.iter().take(room));
            line.news.notify_one();
        }
    }
}

/// The tasks that these settlements end, if they are accepted, with their places.
pub(crate) fn ending(settlements: &[Settlement]) -> Vec<(usize, TaskId)> {
    let ends = |one: &Settlement| {
        matches!(one.verdict, Verdict::Completed { .. } | Verdict::Failed { .. })
    };
    let all = settlements.iter().enumerate();
    all.filter(|(_, one)| ends(one)).map(|(place, one)| (place, one.id)).collect()
}

/// Those of them that were accepted.
pub(crate) fn accepted(ending: Vec<(usize, TaskId)>, answers: &[Settled]) -> Vec<TaskId> {
    let holds = |place: usize| answers.get(place) == Some(&Settled::Accepted);
    ending.into_iter().filter(|(place, _)| holds(*place)).map(|(_, id)| id).collect()
}

impl CompletionFeed {
    /// The tasks that have ended since, at least one of them.
    pub async fn next(&mut self) -> Vec<TaskId> {
        loop {
            let ended = self.so_far();
            if !ended.is_empty() {
                return ended;
            }
            self.0.news.notified().await;
        }
    }

    /// The tasks that have ended since, if any.
    pub fn so_far(&mut self) -> Vec<TaskId> {
        std::mem::take(&mut *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
