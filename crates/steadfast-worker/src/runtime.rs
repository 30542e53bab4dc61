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

use steadfast_store::Store;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::batch_receiver::BatchReceiver;
use crate::claim::{ClaimLoop, Prefetch};
use crate::config::Config;
use crate::lease::{Heartbeat, HeldLeases};
use crate::maintenance::{self, DueSignal};
use crate::notifications;
use crate::report::{EventQueue, EventWriter, breaker_sync, registration};
use crate::run::{HandlerRegistry, Runner, RunningTasks};
use crate::settle::{SETTLE_QUEUE_CAPACITY, Settler};
use crate::state::WorkerState;
use crate::store_retry::StoreRetry;

/// How long cancelled handlers may take to reach their next await point.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);
/// How long each later step of the shutdown may take.
const SHUTDOWN_STEP_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Runtime {
    state: Arc<WorkerState>,
    /// The claim loop, maintenance and breaker sync: they end when the worker stops.
    services: JoinSet<()>,
    runners: JoinSet<()>,
    settler: JoinSet<()>,
    event_writer: JoinSet<()>,
    /// The heartbeat and the notifications: they run until the last task is settled.
    background: JoinSet<()>,
    registration: JoinSet<()>,
    results_closed: CancellationToken,
    events_closed: CancellationToken,
    /// Ends the store retries of the settler, the event writer and the heartbeat.
    give_up: CancellationToken,
}

impl Runtime {
    /// Starts a worker that claims and runs tasks.
    pub(crate) fn start(store: Store, config: Config, handlers: HandlerRegistry) -> Self {
        let mut runtime = Self::start_maintenance(store, config, handlers);
        let state = &runtime.state;
        for slot in 0..state.config.concurrency as usize {
            runtime.runners.spawn(Runner { state: state.clone(), slot }.run());
        }
        runtime.services.spawn(ClaimLoop::new(state.clone()).run());
        runtime.registration.spawn(registration::run(state.clone()));
        runtime
    }

    /// Starts everything but claims and runners.
    pub(crate) fn start_maintenance(
        store: Store,
        config: Config,
        handlers: HandlerRegistry,
    ) -> Self {
        let (shutdown, give_up) = (CancellationToken::new(), CancellationToken::new());
        let (results_closed, events_closed) = (CancellationToken::new(), CancellationToken::new());
        let store_retry = StoreRetry::until(shutdown.clone());
        let final_retry = store_retry.with_stop(give_up.clone());
        let (results, receiver) = mpsc::channel(SETTLE_QUEUE_CAPACITY);
        let result_batches = BatchReceiver { receiver, closed: results_closed.clone() };
        let (events, receiver) = EventQueue::new(config.events);
        let event_batches = BatchReceiver { receiver, closed: events_closed.clone() };
        let leases = Arc::<HeldLeases>::default();
        let listener = store.listen();
        let settler = Settler {
            store: store.clone(),
            leases: leases.clone(),
            store_retry: final_retry.clone(),
            events: events.clone(),
        };
        let event_writer = EventWriter {
            store: store.clone(),
            store_retry: final_retry.clone(),
            events: events.clone(),
        };
        let state = Arc::new(WorkerState {
            prefetch: Prefetch::new(&config),
            running: RunningTasks::new(config.concurrency),
            tasks_pending: Notify::new(),
            breakers_changed: Notify::new(),
            store,
            config,
            handlers,
            leases,
            results,
            events,
            shutdown,
            store_retry,
        });
        let due = DueSignal::default();
        let mut runtime = Self {
            state: state.clone(),
            services: JoinSet::new(),
            runners: JoinSet::new(),
            settler: JoinSet::new(),
            event_writer: JoinSet::new(),
            background: JoinSet::new(),
            registration: JoinSet::new(),
            results_closed,
            events_closed,
            give_up,
        };
        runtime.settler.spawn(settler.run(result_batches));
        runtime.event_writer.spawn(event_writer.run(event_batches));
        let heartbeat = Heartbeat { state: state.clone(), store_retry: final_retry };
        runtime.background.spawn(heartbeat.run());
        runtime.background.spawn(notifications::run(state.clone(), listener, due.clone()));
        maintenance::spawn(&mut runtime.services, &state, due);
        runtime.services.spawn(breaker_sync::run(state));
        runtime
    }

    /// Runs until `shutdown` resolves, then shuts down in order.
    pub(crate) async fn run_until(mut self, shutdown: impl Future<Output = ()>) {
        let role = if self.runners.is_empty() { "maintenance" } else { "worker" };
        info!(target: "steadfast", worker = self.state.config.name, "{role} started");
        tokio::select! {
            () = shutdown => {}
            // None of these ends by itself: one that does propagates a panic.
            () = join_all(&mut self.services) => {}
            () = join_all(&mut self.runners), if !self.runners.is_empty() => {}
            () = join_all(&mut self.settler) => {}
            () = join_all(&mut self.event_writer) => {}
            () = join_all(&mut self.background) => {}
            () = join_all(&mut self.registration), if !self.registration.is_empty() => {}
        }
        self.shut_down(role).await;
    }

    async fn shut_down(mut self, role: &str) {
        let config = self.state.config.clone();
        info!(target: "steadfast", worker = config.name, "{role} stopping: no new tasks are started");
        self.state.shutdown.cancel();
        let prefetched = self.state.prefetch.close();
        let state = self.state.clone();
        self.services.spawn(async move { state.release(prefetched).await });
        if timeout(config.grace, join_all(&mut self.runners)).await.is_err() {
            self.cancel_running().await;
        }
        // A claim in flight is awaited, and its tasks are released, too.
        if timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.services)).await.is_err() {
            // The store releases the tasks of a claim whose caller is gone.
            self.services.abort_all();
        }
        self.results_closed.cancel();
        if timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.settler)).await.is_err() {
            self.give_up.cancel();
            // A write in flight may still succeed; an unreachable server is not awaited.
            let _ = timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.settler)).await;
            self.settler.abort_all();
        }
        self.events_closed.cancel();
        let _ = timeout(SHUTDOWN_STEP_TIMEOUT, join_all(&mut self.event_writer)).await;
        if !self.registration.is_empty() {
            self.registration.shutdown().await;
            registration::deregister(&self.state).await;
        }
        info!(target: "steadfast", worker = config.name, "{role} stopped");
    }

    /// Cancels and releases the tasks that still run after the grace.
    async fn cancel_running(&mut self) {
        let running = self.state.running.list().len();
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
