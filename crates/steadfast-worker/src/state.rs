//! The state that the parts of a running worker share.

use steadfast_store::{FencingToken, Store, TaskId, Verdict};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::claim::{Prefetch, PrefetchedTask};
use crate::config::Config;
use crate::lease::HeldLeases;
use crate::report::EventQueue;
use crate::run::{HandlerRegistry, RunningTasks};
use crate::settle::TaskResult;
use crate::store_retry::StoreRetry;

#[derive(Debug)]
pub(crate) struct WorkerState {
    pub(crate) store: Store,
    pub(crate) config: Config,
    pub(crate) handlers: HandlerRegistry,
    pub(crate) prefetch: Prefetch,
    pub(crate) running: RunningTasks,
    pub(crate) leases: HeldLeases,
    /// The results to settle.
    pub(crate) results: mpsc::Sender<TaskResult>,
    /// Cancelled when no more results will come.
    pub(crate) results_closed: CancellationToken,
    pub(crate) events: EventQueue,
    /// Notified when tasks may be pending.
    pub(crate) tasks_pending: Notify,
    /// Notified when a breaker has changed or has a new override.
    pub(crate) breakers_changed: Notify,
    /// Cancelled when the worker stops: nothing new is started.
    pub(crate) shutdown: CancellationToken,
    /// Gives up on shutdown, for calls that a stopping worker can skip.
    pub(crate) store_retry: StoreRetry,
    /// Outlasts the shutdown: a stopping worker renews its leases and settles its tasks.
    pub(crate) final_retry: StoreRetry,
}

impl WorkerState {
    /// Queues a task's result to be settled.
    pub(crate) async fn settle(&self, result: TaskResult) {
        // The settle loop ends last. Without it the worker is gone, and the lease expires.
        let _ = self.results.send(result).await;
    }

    /// Cancels the running tasks that match, and releases those that were not started.
    pub(crate) async fn cancel_tasks(&self, matches: impl Fn(TaskId, FencingToken) -> bool) {
        self.running.cancel(&matches);
        self.release(self.prefetch.remove(matches)).await;
    }

    /// Releases tasks that were not started.
    pub(crate) async fn release(&self, tasks: Vec<PrefetchedTask>) {
        for task in tasks {
            self.settle(TaskResult::without_event(&task.claimed, Verdict::Released)).await;
        }
    }
}
