//! The worker and its builder.

use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;

use steadfast_store::{InputError, Result, Store};
use tokio::time::sleep;
use tracing::info;

use crate::config::Config;
use crate::maintenance::{MAX_INTERVAL, Maintenance};
use crate::run::{Handler, HandlerRegistry};
use crate::runtime::Runtime;

/// How often a read-only database is checked for being writable again.
const READ_ONLY_POLL_INTERVAL: Duration = Duration::from_secs(15);

/// Claims due tasks from a store and runs their handlers, 100 at a time by default.
///
/// ```no_run
/// use serde::{Deserialize, Serialize};
/// use steadfast_store::Store;
/// use steadfast_worker::Worker;
///
/// #[derive(Serialize, Deserialize)]
/// struct Invoice {
///     number: u32,
/// }
///
/// async fn send_invoice(invoice: Invoice) -> Result<(), std::io::Error> {
///     println!("sending {}", invoice.number);
///     Ok(())
/// }
///
/// # async fn example(store: Store) -> Result<(), Box<dyn std::error::Error>> {
/// Worker::new(store).handle("send-invoice", send_invoice).run().await?;
/// # Ok(())
/// # }
/// ```
///
/// [`run`](Self::run) rejects an invalid configuration before it claims anything.
#[derive(Debug)]
#[must_use = "a worker does nothing until it runs"]
pub struct Worker {
    store: Store,
    config: Config,
    handlers: HandlerRegistry,
    problem: Option<InputError>,
}

impl Worker {
    /// A worker that serves every queue of this store.
    pub fn new(store: Store) -> Self {
        let (config, handlers) = (Config::default(), HandlerRegistry::default());
        Self { store, config, handlers, problem: None }
    }

    fn with(mut self, set: impl FnOnce(&mut Config)) -> Self {
        set(&mut self.config);
        self
    }

    /// Registers a handler for tasks of this kind: an async function of the payload, or of the
    /// payload and the [`Context`](crate::Context). Its return value is stored as the task's result;
    /// its errors are classified by the task's policy.
    ///
    /// A payload that cannot be deserialized fails the task at once. A panic is a fault like any
    /// other, of the type `Panic`.
    pub fn handle<M: 'static>(mut self, kind: impl Into<String>, handler: impl Handler<M>) -> Self {
        if let Err(problem) = self.handlers.add(kind.into(), handler) {
            self.problem.get_or_insert(problem);
        }
        self
    }

    /// Sets how many tasks run at a time; 100 by default.
    pub fn concurrency(self, tasks: u32) -> Self {
        self.with(|config| config.concurrency = tasks)
    }

    /// Serves this queue, with at most `limit` of its tasks at a time. A worker without queues serves
    /// all queues.
    pub fn queue(self, queue: impl Into<String>, limit: u32) -> Self {
        self.with(|config| config.queues.push((queue.into(), Some(limit))))
    }

    /// Serves these queues, without limits of their own.
    pub fn queues<Q: Into<String>>(self, queues: impl IntoIterator<Item = Q>) -> Self {
        let queues = queues.into_iter().map(|queue| (queue.into(), None));
        self.with(|config| config.queues.extend(queues))
    }

    /// Claims only tasks of these categories.
    pub fn categories<C: Into<String>>(self, only: impl IntoIterator<Item = C>) -> Self {
        let only = only.into_iter().map(Into::into).collect();
        self.with(|config| config.categories = Some(only))
    }

    /// Sets how long a lease lasts without a heartbeat before its tasks are reclaimed; 10 minutes by
    /// default, at least one second. The worker sends heartbeats on its own.
    pub fn lease(self, lease: Duration) -> Self {
        self.with(|config| config.lease = lease)
    }

    /// Sets how long running tasks may continue after shutdown starts; 30 seconds by default. Then
    /// they are released.
    pub fn grace(self, grace: Duration) -> Self {
        self.with(|config| config.grace = grace)
    }

    /// Sets how often to poll for tasks without a notification; every second by default.
    pub fn poll(self, interval: Duration) -> Self {
        self.with(|config| config.poll = interval.min(MAX_INTERVAL))
    }

    /// Sets the worker's name in leases and in `worker_lost` faults; by default made of the host name
    /// and the process id.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|config| config.name = name.into())
    }

    /// Sets whether events are stored for every retry, give-up, late success, lost lease and breaker
    /// change (O1); they are by default.
    pub fn events(self, enabled: bool) -> Self {
        self.with(|config| config.events = enabled)
    }

    /// Sets the maintenance that this worker does for the store; everything by default.
    pub fn maintenance(self, maintenance: Maintenance) -> Self {
        self.with(|config| config.maintenance = maintenance)
    }

    /// How often the worker reclaims expired leases: four times per [lease](Self::lease) and at least
    /// every 5 seconds, unless its [maintenance](Self::maintenance) sets another interval.
    #[must_use]
    pub fn reclaim_interval(&self) -> Duration {
        self.config.reclaim_interval()
    }

    /// Runs forever. Dropping the future stops everything at once, and running tasks are reclaimed as
    /// lost when their leases expire; see [`run_until`](Self::run_until) for a graceful shutdown.
    ///
    /// # Errors
    /// The configuration is invalid. An unreachable store is not an error: the worker retries until
    /// it answers.
    pub async fn run(self) -> Result<()> {
        self.run_until(pending()).await
    }

    /// Runs until `shutdown` resolves, then shuts down gracefully: the worker claims no more tasks,
    /// releases those it has claimed but not started, lets running ones finish within the
    /// [grace](Self::grace), and releases the rest.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        if self.handlers.is_empty() {
            let problem = "has no handler; register one with `handle`";
            return Err(InputError::new("worker", problem).into());
        }
        self.config.check()?;
        Runtime::start(self.store, self.config, self.handlers).run_until(shutdown).await;
        Ok(())
    }

    /// Runs the [maintenance](Self::maintenance) and the breaker sync until `shutdown` resolves, without
    /// claiming tasks. For a process whose store has workers that cannot do this, such as those that
    /// connect over HTTP.
    ///
    /// It waits while the database is read-only, as a standby is.
    ///
    /// # Errors
    /// The configuration is invalid.
    pub async fn maintain_until(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        self.config.check()?;
        let mut shutdown = pin!(shutdown);
        tokio::select! {
            () = &mut shutdown => return Ok(()),
            () = until_writable(&self.store) => {}
        }
        Runtime::start_maintenance(self.store, self.config, self.handlers)
            .run_until(shutdown)
            .await;
        Ok(())
    }
}

/// Waits until the database accepts writes. Every other error is handled by the first real call.
async fn until_writable(store: &Store) {
    let mut logged = false;
    while let Err(error) = store.promote(1).await
        && error.is_read_only()
    {
        if !std::mem::replace(&mut logged, true) {
            info!(target: "steadfast", "database is read-only: maintenance starts when it is writable");
        }
        sleep(READ_ONLY_POLL_INTERVAL).await;
    }
}
