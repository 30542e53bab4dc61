//! The tasks of a running worker: their start and their shutdown in order (D13).
//!
//! ```text
//!   shutdown ──▶ no new claims, prefetched tasks are released ──▶ running tasks may finish
//!                                                                      │ or the grace expires
//!   stopped ◀── the last results are settled ◀── still running tasks are released
//! ```
//!
//! Leases are renewed until the last task is settled. A runtime that is dropped instead of shut down
//! just stops: its tasks are reclaimed when their leases expire.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{RecordWriter, Store, StoreSink};
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::claim::{ClaimLoop, Prefetch};
use crate::config::Config;
use crate::lease::{Heartbeat, HeldLeases};
use crate::maintenance::{self, DueSignal};
use crate::notifications;
use crate::report::{EventQueue, breaker_sync, registration};
use crate::run::{HandlerRegistry, Runner, RunningTasks};
use crate::settle::{self, SETTLE_QUEUE_CAPACITY};
use crate::state::WorkerState;
use crate::store_retry::StoreRetry;

/// How long cancelled handlers may take to reach their next await point.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);
/// How long each later step of the shutdown may take.
const SHUTDOWN_STEP_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Runtime {
    /// Whether it claims tasks, and is not for maintenance alone.
    is_worker: bool,
    state: Arc<WorkerState>,
    /// The claim loop, maintenance and breaker sync: they end when the worker stops.
    services: JoinSet<()>,
    runners: JoinSet<()>,
    settler: JoinSet<()>,
    event_writer: JoinSet<()>,
    /// The heartbeat, the notifications and the registration: they run until the last task is settled.
    background: JoinSet<()>,
}

impl Runtime {
    /// Starts a worker that claims and runs tasks.
    pub(crate) fn start(store: Store, config: Config, handlers: HandlerRegistry) -> Self {
        let mut runtime = Self::start_maintenance(store, config, handlers);
        runtime.is_worker = true;
        let state = &runtime.state;
        for slot in 0..state.config.concurrency as usize {
            runtime.runners.spawn(Runner { state: state.clone(), slot }.run());
        }
        runtime.services.spawn(ClaimLoop::new(state.clone()).run());
        runtime.background.spawn(registration::run(state.clone()));
        runtime
    }

    /// Starts everything but claims and runners.
    pub(crate) fn start_maintenance(
        store: Store,
        config: Config,
        handlers: HandlerRegistry,
    ) -> Self {
        let shutdown = CancellationToken::new();
        let store_retry = StoreRetry::until(shutdown.clone());
        let (results, results_receiver) = mpsc::channel(SETTLE_QUEUE_CAPACITY);
        let (sink, event_writer) = config.events.then(|| StoreSink::new(store.clone())).unzip();
        let (listener, due) = (store.listen(), DueSignal::default());
        let state = Arc::new(WorkerState {
            prefetch: Prefetch::new(&config),
            running: RunningTasks::new(config.concurrency),
            leases: HeldLeases::default(),
            results,
            results_closed: CancellationToken::new(),
            events: EventQueue::new(sink),
            tasks_pending: Notify::new(),
            breakers_changed: Notify::new(),
            final_retry: store_retry.until_stopped(),
            store,
            config,
            handlers,
            shutdown,
            store_retry,
        });
        let [mut services, mut settler, mut background] = std::array::from_fn(|_| JoinSet::new());
        maintenance::spawn(&mut services, &state, due.clone());
        services.spawn(breaker_sync::run(state.clone()));
        settler.spawn(settle::run(state.clone(), results_receiver));
        background.spawn(Heartbeat(state.clone()).run());
        background.spawn(notifications::run(state.clone(), listener, due));
        let event_writer = event_writer.into_iter().map(RecordWriter::run).collect();
        let (is_worker, runners) = (false, JoinSet::new());
        Self { is_worker, state, services, runners, settler, event_writer, background }
    }

    /// Runs until `shutdown` resolves, then shuts down in order.
    pub(crate) async fn run_until(mut self, shutdown: impl Future<Output = ()>) {
        let (role, worker) = (self.role(), &self.state.config.name);
        info!(target: "steadfast", worker, "{role} started");
        tokio::select! {
            () = shutdown => {}
            // None of these ends by itself: one that does propagates a panic.
            () = join_all(&mut self.services) => {}
            () = join_all(&mut self.runners), if !self.runners.is_empty() => {}
            () = join_all(&mut self.settler) => {}
            () = join_all(&mut self.event_writer), if !self.event_writer.is_empty() => {}
            () = join_all(&mut self.background) => {}
        }
        info!(target: "steadfast", worker, "{role} stopping: no new tasks are started");
        self.shut_down().await;
    }

    async fn shut_down(mut self) {
        let state = self.state.clone();
        state.shutdown.cancel();
        let prefetched = state.prefetch.close();
        let released = state.clone();
        self.services.spawn(async move { released.release(prefetched).await });
        if timeout(state.config.grace, join_all(&mut self.runners)).await.is_err() {
            self.cancel_running().await;
        }
        // A claim in flight is awaited, and its tasks are released, too.
        if timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.services)).await.is_err() {
            // The store releases the tasks of a claim whose caller is gone.
            self.services.abort_all();
        }
        state.results_closed.cancel();
        if timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.settler)).await.is_err() {
            state.final_retry.stop();
            // A write in flight may still succeed; an unreachable server is not awaited.
            let _ = timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.settler)).await;
            self.settler.abort_all();
        }
        state.events.close();
        let _ = timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.event_writer)).await;
        self.background.shutdown().await;
        if self.is_worker {
            registration::deregister(&state).await;
        }
        info!(target: "steadfast", worker = state.config.name, "{} stopped", self.role());
    }

    const fn role(&self) -> &'static str {
        if self.is_worker { "worker" } else { "maintenance" }
    }

    /// Cancels and releases the tasks that still run after the grace.
    async fn cancel_running(&mut self) {
        let running = self.state.running.count();
        warn!(target: "steadfast", running, "shutdown grace expired: releasing running tasks");
        let time = self.state.running.max_cleanup_time() + CANCEL_TIMEOUT;
        self.state.running.close();
        if timeout(time, join_all(&mut self.runners)).await.is_err() {
            let blocked = self.runners.len();
            warn!(
                target: "steadfast",
                blocked,
                "handlers block their thread and cannot be cancelled: their tasks are reclaimed when \
                 their leases expire"
            );
        }
    }
}

/// Waits for all of them and propagates a panic.
async fn join_all(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if let Err(panic) = ended.map_err(JoinError::try_into_panic)
            && let Ok(panic) = panic
        {
            std::panic::resume_unwind(panic);
        }
    }
}
