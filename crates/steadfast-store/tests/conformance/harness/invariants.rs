//! Invariants of a store after every case.

use std::collections::BTreeMap;

use steadfast_store::{Filter, Stats, Status, StoredTask, TaskId};

use super::Harness;
use super::database::Overview;

/// How often the check is repeated, because a store changes by itself when a task becomes due.
const MAX_CHECKS: usize = 20;

impl Harness {
    /// D3: each task has exactly one status, and lists, counts and queues agree.
    pub(crate) async fn assert_consistent(&self) {
        let mut problem = String::new();
        for _ in 0..MAX_CHECKS {
            match self.check().await {
                Ok(()) => return,
                Err(found) => problem = found,
            }
        }
        panic!("the store is inconsistent: {problem}");
    }

    async fn check(&self) -> Result<(), String> {
        let mut statuses: BTreeMap<TaskId, Status> = BTreeMap::new();
        for status in Status::ALL {
            for task in self.listed(&Filter::status(status)).await {
                agrees(&task, status)?;
                if let Some(other) = statuses.insert(task.id, status) {
                    return Err(format!("{} is {other} and {status}", task.id));
                }
            }
        }
        let mut all = self.ids(&Filter::all()).await;
        all.reverse();
        if !all.iter().eq(statuses.keys()) {
            return Err(format!("{} tasks, but {} with a status", all.len(), statuses.len()));
        }
        self.overview_agrees().await?;
        let (counted, stats) = (counted(&statuses), self.stats().await.unwrap());
        if counted != counts(&stats) {
            return Err(format!("listed: {counted:?}, counted: {stats:?}"));
        }
        self.queues_add_up(&stats).await
    }

    /// D2: the SQL view shows the same as the store.
    async fn overview_agrees(&self) -> Result<(), String> {
        let mut all = self.listed(&Filter::all()).await;
        all.sort_by_key(|task| task.id);
        let expected: Vec<_> = all.into_iter().map(row).collect();
        let shown = self.overview().await;
        if shown == expected {
            Ok(())
        } else {
            Err(format!("the view shows {shown:?}, not {expected:?}"))
        }
    }

    async fn queues_add_up(&self, stats: &Stats) -> Result<(), String> {
        let queues = self.queues().await.unwrap();
        let pending: u64 = queues.iter().map(|queue| queue.pending).sum();
        let scheduled: u64 = queues.iter().map(|queue| queue.scheduled).sum();
        if (pending, scheduled) == (stats.pending, stats.scheduled) {
            return Ok(());
        }
        Err(format!("queues: {queues:?}, counted: {stats:?}"))
    }
}

/// The fields of a task match its status.
fn agrees(task: &StoredTask, status: Status) -> Result<(), String> {
    let fits = task.status == status
        && task.ended_at.is_some() == status.is_ended()
        && task.reason.is_some() == (status == Status::Failed)
        && (task.result.is_none() || status == Status::Completed);
    if fits { Ok(()) } else { Err(format!("listed as {status}: {task:?}")) }
}

/// The row of the view for a task.
fn row(task: StoredTask) -> Overview {
    let (class, message) =
        task.last_error.map(|error| (error.class.name().to_owned(), error.message)).unzip();
    (
        task.id.to_string(),
        task.status.name().to_owned(),
        task.reason.map(|reason| reason.name().to_owned()),
        task.attempts.into(),
        task.rate_limit_waits.into(),
        class,
        message,
        task.idempotency_key,
    )
}

fn counted(statuses: &BTreeMap<TaskId, Status>) -> [u64; 6] {
    Status::ALL.map(|status| statuses.values().filter(|found| **found == status).count() as u64)
}

fn counts(stats: &Stats) -> [u64; 6] {
    let Stats { pending, scheduled, running, completed, failed, cancelled, .. } = *stats;
    [pending, scheduled, running, completed, failed, cancelled]
}
