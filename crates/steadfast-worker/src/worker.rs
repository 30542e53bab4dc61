//! The worker that a program builds.

use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;

use steadfast_store::{Invalid, Result, Store};
use tokio::time::sleep;
use tracing::info;

use crate::handler::Handler;
use crate::kinds::Kinds;
use crate::maintenance::{LONGEST, Maintenance};
use crate::runtime::Shift;
use crate::settings::Settings;

/// How often a database that takes no writes is asked whether it does by now.
const READ_ONLY: Duration = Duration::from_secs(15);

/// Takes due tasks from a store and runs their handlers, a hundred at a time unless said
/// otherwise.
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
/// Whatever is said wrong is told by [`run`](Self::run), before anything is claimed.
#[derive(Debug)]
#[must_use = "a worker does nothing until it runs"]
pub struct Worker {
    store: Store,
    settings: Settings,
    kinds: Kinds,
    problem: Option<Invalid>,
}

impl Worker {
    /// A worker that serves every queue of this store.
    pub fn new(store: Store) -> Self {
        let (settings, kinds) = (Settings::default(), Kinds::default());
        Self { store, settings, kinds, problem: None }
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(&mut self.settings);
        self
    }

    /// Does tasks of this kind: an async function of the payload, or of the payload and the
    /// [`Context`](crate::Context). What it returns is kept as the task's result; its errors
    /// tell their facts and the task's policy judges them.
    ///
    /// A payload that the function cannot take ends the task at once. A panic is a fault like
    /// any other, of the type `Panic`.
    pub fn handle<M: 'static>(mut self, kind: impl Into<String>, handler: impl Handler<M>) -> Self {
        if let Err(problem) = self.kinds.add(kind.into(), handler) {
            self.problem.get_or_insert(problem);
        }
        self
    }

    /// How many tasks run at a time; 100 unless said.
    pub fn concurrency(self, tasks: u32) -> Self {
        self.with(|settings| settings.concurrency = tasks)
    }

    /// Serves this queue, no more than `limit` of its tasks at a time. A worker that is told of
    /// no queue serves all.
    pub fn queue(self, queue: impl Into<String>, limit: u32) -> Self {
        self.with(|settings| settings.queues.push((queue.into(), Some(limit))))
    }

    /// Serves these queues, with no limits of their own.
    pub fn queues<Q: Into<String>>(self, queues: impl IntoIterator<Item = Q>) -> Self {
        let queues = queues.into_iter().map(|queue| (queue.into(), None));
        self.with(|settings| settings.queues.extend(queues))
    }

    /// Takes only tasks of these categories.
    pub fn categories<C: Into<String>>(self, only: impl IntoIterator<Item = C>) -> Self {
        let only = only.into_iter().map(Into::into).collect();
        self.with(|settings| settings.categories = Some(only))
    }

    /// How long the store waits for a sign of life before it gives this worker's tasks to
    /// others; 10 minutes unless said, a second at least. Signs of life are sent by themselves.
    pub fn lease(self, lease: Duration) -> Self {
        self.with(|settings| settings.lease = lease)
    }

    /// How long running tasks may go on when the worker stops; 30 seconds unless said. After
    /// that they are given back.
    pub fn grace(self, grace: Duration) -> Self {
        self.with(|settings| settings.grace = grace)
    }

    /// How often to look for tasks that nobody told of; every second unless said.
    pub fn poll(self, interval: Duration) -> Self {
        self.with(|settings| settings.poll = interval.min(LONGEST))
    }

    /// What the worker is called in leases and in the fault of a task that it lost. Made of the
    /// machine's name and the process's number unless said.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|settings| settings.name = name.into())
    }

    /// Whether the store keeps an event of every retry, give-up, late success, lost lease and
    /// change of a breaker (O1), for whoever follows them; it does unless said.
    pub fn events(self, kept: bool) -> Self {
        self.with(|settings| settings.events = kept)
    }

    /// What it does for the store beside running tasks; everything unless said.
    pub fn maintenance(self, maintenance: Maintenance) -> Self {
        self.with(|settings| settings.maintenance = maintenance)
    }

    /// How often it looks for the tasks of lost workers: four times in a [lease](Self::lease), and
    /// every 5 seconds at least, unless its [maintenance](Self::maintenance) says otherwise. Who
    /// looks after such tasks beside it need not look more often.
    #[must_use]
    pub fn reclaims_every(&self) -> Duration {
        self.settings.reclaims_every()
    }

    /// Works for good. Dropping the future stops everything where it is, and what was running
    /// comes back as lost; see [`run_until`](Self::run_until) for a better end.
    ///
    /// # Errors
    /// The worker cannot be run as it was told. A store that does not answer is no error: it is
    /// asked until it does.
    pub async fn run(self) -> Result<()> {
        self.run_until(pending()).await
    }

    /// Works until `shutdown` resolves, and then ends in order: nothing new is claimed, what was
    /// claimed and not begun goes back at once, what runs may finish within the
    /// [grace](Self::grace), and the rest goes back, too.
    ///
    /// ```no_run
    /// # use steadfast_store::Store;
    /// # use steadfast_worker::Worker;
    /// # async fn interrupted() {}
    /// # async fn example(store: Store) -> Result<(), Box<dyn std::error::Error>> {
    /// let worker = Worker::new(store).handle("ping", |(): ()| async { Ok::<_, std::io::Error>(()) });
    /// worker.run_until(interrupted()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        if self.kinds.is_empty() {
            let problem = "has no handler; register one with `handle`, or nothing can be done";
            return Err(Invalid::new("worker", problem).into());
        }
        self.settings.check()?;
        Shift::begin(self.store, self.settings, self.kinds).until(shutdown).await;
        Ok(())
    }

    /// Takes no tasks, and does until `shutdown` resolves what a worker does beside running them: its
    /// [maintenance](Self::maintenance), and what people want of breakers. For a process whose store
    /// has workers that cannot do it, such as those that come over HTTP.
    ///
    /// A database that takes no writes, such as a standby, is left alone until it does.
    ///
    /// # Errors
    /// It cannot be run as it was told.
    pub async fn maintain_until(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        self.settings.check()?;
        let mut shutdown = pin!(shutdown);
        tokio::select! {
            () = &mut shutdown => return Ok(()),
            () = until_it_takes_writes(&self.store) => {}
        }
        Shift::upkeep(self.store, self.settings, self.kinds).until(shutdown).await;
        Ok(())
    }
}

/// A standby takes none until it is promoted. Every other error is for those who ask in earnest.
async fn until_it_takes_writes(store: &Store) {
    let mut told = false;
    while let Err(error) = store.promote(1).await
        && error.is_read_only()
    {
        if !std::mem::replace(&mut told, true) {
            info!(target: "steadfast", "the database takes no writes: what is due is left to others");
        }
        sleep(READ_ONLY).await;
    }
}
