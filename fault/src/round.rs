//! One round: a store, workers, tasks, and faults determined by a seed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::Signal;
use steadfast::Policy;
use steadfast_store::{Filter, Page, PageRequest, Store, StoredTask, TaskId};
use steadfast_testing::postgres::{Cluster, Settings, Shutdown};

use crate::Problem;
use crate::check::{self, Counts, Violation};
use crate::child;
use crate::fleet::Fleet;
use crate::journal::{self, Entry, Journal};
use crate::work;

/// The kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// The size of a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) tasks: usize,
    pub(crate) workers: usize,
    pub(crate) fault_duration: Duration,
    /// How long the last tasks may take after the faults.
    pub(crate) drain_timeout: Duration,
}

/// The outcome of a round.
pub(crate) struct Outcome {
    pub(crate) violations: Vec<Violation>,
    pub(crate) counts: Counts,
    /// The injected faults and their numbers.
    pub(crate) faults: Vec<(&'static str, usize)>,
}

/// Runs one round in `home`, where its journals remain.
pub(crate) async fn run(
    kind: Kind,
    seed: u64,
    size: Size,
    home: &Path,
) -> Result<Outcome, Problem> {
    let mut round = Round::prepare(kind, seed, home).await?;
    round.start_all(size.workers)?;
    let journal = Arc::new(Journal::create(&home.join("submitter.journal"))?);
    let submitter = tokio::spawn(submit(round.url.clone(), seed, size.tasks, journal));
    let end = Instant::now() + size.fault_duration;
    while Instant::now() < end {
        round.inject_fault(size.workers).await?;
    }
    round.restore_workers(size.workers)?;
    submitter.await??;
    let tasks = round.drain(size.drain_timeout).await?;
    let mut journals = Vec::new();
    for path in round.fleet.journals().chain([home.join("submitter.journal")]) {
        journals.push(journal::read(&path)?);
    }
    let (violations, counts) = check::check(&journals, &tasks);
    Ok(Outcome { violations, counts, faults: round.faults.0 })
}

struct Round {
    url: String,
    cluster: Option<Cluster>,
    fleet: Fleet,
    rng: Rng,
    faults: FaultCounts,
}

/// How often each fault was injected.
#[derive(Default)]
struct FaultCounts(Vec<(&'static str, usize)>);

impl FaultCounts {
    fn add(&mut self, fault: &'static str) {
        match self.0.iter_mut().find(|(known, _)| *known == fault) {
            Some((_, count)) => *count += 1,
            None => self.0.push((fault, 1)),
        }
    }
}

impl Round {
    async fn prepare(kind: Kind, seed: u64, home: &Path) -> Result<Self, Problem> {
        let (url, cluster) = match kind {
            Kind::Sqlite => (sqlite_url(home), None),
            Kind::Postgres => {
                let start = || Cluster::start(Settings { durable: true, ..Settings::default() });
                let cluster = tokio::task::spawn_blocking(start).await??;
                (cluster.create_database("fault")?, Some(cluster))
            }
        };
        let fleet = Fleet::new(url.clone(), home);
        let faults = FaultCounts::default();
        Ok(Self { url, cluster, fleet, rng: Rng::with_seed(seed), faults })
    }

    /// Starts all workers at once, on an empty database.
    fn start_all(&mut self, workers: usize) -> Result<(), Problem> {
        for _ in 0..workers {
            self.start_one()?;
        }
        Ok(())
    }

    fn start_one(&mut self) -> Result<(), Problem> {
        // Processes on one file share the machine's clock, which is the store's time.
        let skew = match self.rng.u32(0..4) {
            0 if self.cluster.is_some() => Some("+1h"),
            1 if self.cluster.is_some() => Some("-1h"),
            _ => None,
        };
        if skew.is_some() {
            self.faults.add("skewed clock");
        }
        self.fleet.start(skew)
    }

    /// Injects one fault. The waits before and during a fault are part of the round: the seed draws
    /// them.
    async fn inject_fault(&mut self, workers: usize) -> Result<(), Problem> {
        tokio::time::sleep(Duration::from_millis(self.rng.u64(50..600))).await;
        for _ in 0..self.fleet.remove_ended() {
            self.faults.add("aborted by its task");
        }
        while self.fleet.len() < workers {
            self.start_one()?;
        }
        let victim = self.rng.usize(0..self.fleet.len());
        match self.rng.u32(0..100) {
            0..45 => {
                self.fleet.kill(victim)?;
                self.faults.add("killed");
            }
            45..60 => self.freeze_worker(victim).await,
            60..70 => {
                self.fleet.signal(victim, Signal::TERM);
                self.faults.add("terminated");
            }
            _ => self.inject_database_fault().await?,
        }
        Ok(())
    }

    /// Freezes a worker long enough for its leases to expire.
    async fn freeze_worker(&mut self, victim: usize) {
        self.fleet.signal(victim, Signal::STOP);
        tokio::time::sleep(child::LEASE + Duration::from_millis(self.rng.u64(0..1500))).await;
        self.fleet.signal(victim, Signal::CONT);
        self.faults.add("frozen past its lease");
    }

    async fn inject_database_fault(&mut self) -> Result<(), Problem> {
        let Some(cluster) = &mut self.cluster else {
            return self.lock_file().await;
        };
        match self.rng.u32(0..4) {
            0 => {
                cluster.restart(Shutdown::Fast)?;
                self.faults.add("server restarted");
            }
            1 => {
                cluster.restart(Shutdown::Immediate)?;
                self.faults.add("server crashed");
            }
            2 => {
                cluster.pause()?;
                tokio::time::sleep(Duration::from_millis(self.rng.u64(100..3000))).await;
                cluster.resume()?;
                self.faults.add("server paused");
            }
            _ => {
                let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                           WHERE datname = 'fault' AND pid <> pg_backend_pid()";
                cluster.query("postgres", cut)?;
                self.faults.add("connections cut");
            }
        }
        Ok(())
    }

    /// Locks the database file from another connection for a while.
    async fn lock_file(&mut self) -> Result<(), Problem> {
        use sqlx::Connection;
        let mut other = sqlx::SqliteConnection::connect(&self.url).await?;
        let busy = sqlx::raw_sql("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").execute(&mut other);
        if busy.await.is_ok() {
            tokio::time::sleep(Duration::from_millis(self.rng.u64(50..1500))).await;
            sqlx::raw_sql("ROLLBACK").execute(&mut other).await?;
            self.faults.add("file locked");
        }
        other.close().await?;
        Ok(())
    }

    fn restore_workers(&mut self, workers: usize) -> Result<(), Problem> {
        self.fleet.remove_ended();
        while self.fleet.len() < workers {
            self.fleet.start(None)?;
        }
        Ok(())
    }

    /// Waits until every task has ended. Workers that a task aborts are restarted, as an init system
    /// would.
    async fn drain(&mut self, limit: Duration) -> Result<Vec<StoredTask>, Problem> {
        let store = Store::with_engine(child::engine(&self.url).await?);
        let deadline = Instant::now() + limit;
        loop {
            for _ in 0..self.fleet.remove_ended() {
                self.faults.add("aborted by its task");
                self.fleet.start(None)?;
            }
            let stats = store.stats().await?;
            let open = stats.pending + stats.scheduled + stats.running;
            if open == 0 || Instant::now() > deadline {
                return all_tasks(&store).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn sqlite_url(home: &Path) -> String {
    format!("sqlite:{}", home.join("tasks.db").display())
}

/// Every task with its history.
async fn all_tasks(store: &Store) -> Result<Vec<StoredTask>, Problem> {
    let mut page = PageRequest { limit: 500, after: None };
    let mut tasks = Vec::new();
    loop {
        let Page { items, next } = store.tasks(&Filter::all(), &page).await?;
        for task in items {
            tasks.push(store.task(task.id).await?);
        }
        match next {
            Some(cursor) => page.after = Some(cursor),
            None => return Ok(tasks),
        }
    }
}

/// Submits tasks during the faults. A batch without an answer is submitted again: a task has its id
/// before it is submitted.
async fn submit(
    url: String,
    seed: u64,
    tasks: usize,
    journal: Arc<Journal>,
) -> Result<(), Problem> {
    let mut rng = Rng::with_seed(seed ^ 0x5ead_fa57);
    let policy: Arc<Policy> = Arc::new(work::policy()?);
    let mut left = tasks;
    let mut store: Option<Store> = None;
    while left > 0 {
        let batch = rng.usize(1..40).min(left);
        let tasks: Vec<_> = (0..batch).map(|_| work::task(&mut rng, &policy)).collect();
        let ids: Vec<TaskId> = tasks.iter().map(|task| task.id()).collect();
        loop {
            if store.is_none() {
                store = child::engine(&url).await.ok().map(Store::with_engine);
            }
            let submitted = match &store {
                Some(store) => store.submit_all(tasks.clone()).await.is_ok(),
                None => false,
            };
            if submitted {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        journal.write(&Entry::Submitted { ids });
        left -= batch;
        tokio::time::sleep(Duration::from_millis(rng.u64(0..30))).await;
    }
    Ok(())
}

/// The directory of a round.
pub(crate) fn home(kind: Kind, seed: u64, root: &Path) -> PathBuf {
    let kind = if kind == Kind::Sqlite { "sqlite" } else { "postgres" };
    root.join(format!("{kind}-{seed}"))
}
