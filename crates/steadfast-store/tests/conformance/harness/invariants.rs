//! Invariants of a store after every case.

use std::collections::BTreeMap;

use steadfast_store::{Filter, Stats, Status, StoredTask, TaskId};

use super::Harness;
use super::database::Overview;

/// How often a store that moves by itself (a task falls due) is looked at again.
const LOOKS: usize = 20;

impl Harness {
    /// D3: each task is in exactly one place, and all that is said about places agrees.
    pub(crate) async fn is_sound(&self) {
        let mut problem = String::new();
        for _ in 0..LOOKS {
            match self.look_around().await {
                Ok(()) => return,
                Err(found) => problem = found,
            }
        }
        panic!("the store is not sound: {problem}");
    }

    async fn look_around(&self) -> Result<(), String> {
        let mut places: BTreeMap<TaskId, Status> = BTreeMap::new();
        for status in Status::ALL {
            for task in self.listed(&Filter::status(status)).await {
                agrees(&task, status)?;
                if let Some(other) = places.insert(task.id, status) {
                    return Err(format!("{} is {other} and {status}", task.id));
                }
            }
        }
        let mut all = self.ids(&Filter::all()).await;
        all.reverse();
        if !all.iter().eq(places.keys()) {
            return Err(format!("{} tasks, and {} in some place", all.len(), places.len()));
        }
        self.overview_agrees().await?;
        let (counted, stats) = (counted(&places), self.stats().await.unwrap());
        if counted != in_short(&stats) {
            return Err(format!("listed are {counted:?}, counted are {stats:?}"));
        }
        self.queues_add_up(&stats).await
    }

    /// D2: whoever has SQL is told what the store tells.
    async fn overview_agrees(&self) -> Result<(), String> {
        let mut all = self.listed(&Filter::all()).await;
        all.sort_by_key(|task| task.id);
        let expected: Vec<_> = all.into_iter().map(row).collect();
        let told = self.database.overview().await;
        if told == expected { Ok(()) } else { Err(format!("{told:?} are told of {expected:?}")) }
    }

    async fn queues_add_up(&self, stats: &Stats) -> Result<(), String> {
        let queues = self.queues().await.unwrap();
        let pending: u64 = queues.iter().map(|queue| queue.pending).sum();
        let scheduled: u64 = queues.iter().map(|queue| queue.scheduled).sum();
        if (pending, scheduled) == (stats.pending, stats.scheduled) {
            return Ok(());
        }
        Err(format!("the queues have {queues:?}, counted are {stats:?}"))
    }
}

/// What a task says about itself fits where it is.
fn agrees(task: &StoredTask, status: Status) -> Result<(), String> {
    let fits = task.status == status
        && task.ended_at.is_some() == status.is_ended()
        && task.reason.is_some() == (status == Status::Failed)
        && (task.result.is_none() || status == Status::Completed);
    if fits { Ok(()) } else { Err(format!("listed as {status}: {task:?}")) }
}

/// What the overview should say of a task.
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

fn counted(places: &BTreeMap<TaskId, Status>) -> [u64; 6] {
    Status::ALL.map(|status| places.values().filter(|place| **place == status).count() as u64)
}

fn in_short(stats: &Stats) -> [u64; 6] {
    let Stats { pending, scheduled, running, completed, failed, cancelled, .. } = *stats;
    [pending, scheduled, running, completed, failed, cancelled]
}
