//! One round: a store, workers, tasks, and a seed that says what breaks when.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::Signal;
use steadfast::Policy;
use steadfast_store::{Filter, Page, PageRequest, Store, StoredTask, TaskId};
use steadfast_testing::postgres::{Cluster, Settings, Shutdown};

use crate::Problem;
use crate::check::{self, Seen, Violation};
use crate::child;
use crate::fleet::Fleet;
use crate::journal::{self, Journal, Sight};
use crate::work;

/// What a round is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// How much of everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) tasks: usize,
    pub(crate) workers: usize,
    pub(crate) trouble: Duration,
    /// How long the last tasks may take once nothing breaks any more.
    pub(crate) calm: Duration,
}

/// What a round found.
pub(crate) struct Found {
    pub(crate) violations: Vec<Violation>,
    pub(crate) seen: Seen,
    pub(crate) done: Vec<(&'static str, usize)>,
}

/// Plays one round in `home`, where its journals stay for whoever wants to read them.
pub(crate) async fn play(kind: Kind, seed: u64, size: Size, home: &Path) -> Result<Found, Problem> {
    let mut stage = Stage::set(kind, seed, home).await?;
    stage.start_together(size.workers)?;
    let journal = Arc::new(Journal::create(&home.join("submitter.journal"))?);
    let submitter = tokio::spawn(submit(stage.url.clone(), seed, size.tasks, journal));
    let over = Instant::now() + size.trouble;
    while Instant::now() < over {
        stage.break_something(size.workers).await?;
    }
    stage.mend(size.workers)?;
    submitter.await??;
    let tasks = stage.wait_for_the_end(size.calm).await?;
    let mut journals = Vec::new();
    for path in stage.fleet.journals().chain([home.join("submitter.journal")]) {
        journals.push(journal::read(&path)?);
    }
    let (violations, seen) = check::check(&journals, &tasks);
    Ok(Found { violations, seen, done: stage.done.into_counts() })
}

struct Stage {
    url: String,
    cluster: Option<Cluster>,
    fleet: Fleet,
    rng: Rng,
    done: Done,
}

/// What was broken how often.
#[derive(Default)]
struct Done(Vec<(&'static str, usize)>);

impl Done {
    fn add(&mut self, what: &'static str) {
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, count)) => *count += 1,
            None => self.0.push((what, 1)),
        }
    }

    fn into_counts(self) -> Vec<(&'static str, usize)> {
        self.0
    }
}

impl Stage {
    async fn set(kind: Kind, seed: u64, home: &Path) -> Result<Self, Problem> {
        let (url, cluster) = match kind {
            Kind::Sqlite => (sqlite_url(home), None),
            Kind::Postgres => {
                let start = || Cluster::start(Settings { durable: true, ..Settings::default() });
                let cluster = tokio::task::spawn_blocking(start).await??;
                (cluster.create_database("fault")?, Some(cluster))
            }
        };
        let fleet = Fleet::new(url.clone(), home);
        Ok(Self { url, cluster, fleet, rng: Rng::with_seed(seed), done: Done::default() })
    }

    /// On an empty database, all at once.
    fn start_together(&mut self, workers: usize) -> Result<(), Problem> {
        for _ in 0..workers {
            self.start_one()?;
        }
        Ok(())
    }

    fn start_one(&mut self) -> Result<(), Problem> {
        // All processes on a file share the clock of their machine, which is the store's time.
        let skew = match self.rng.u32(0..4) {
            0 if self.cluster.is_some() => Some("+1h"),
            1 if self.cluster.is_some() => Some("-1h"),
            _ => None,
        };
        if skew.is_some() {
            self.done.add("skewed clock");
        }
        self.fleet.start(skew)
    }

    async fn break_something(&mut self, workers: usize) -> Result<(), Problem> {
        tokio::time::sleep(Duration::from_millis(self.rng.u64(50..600))).await;
        for _ in 0..self.fleet.bury() {
            self.done.add("aborted by its task");
        }
        while self.fleet.len() < workers {
            self.start_one()?;
        }
        let victim = self.rng.usize(0..self.fleet.len());
        match self.rng.u32(0..100) {
            0..45 => {
                self.fleet.kill(victim)?;
                self.done.add("killed");
            }
            45..60 => self.freeze_worker(victim).await,
            60..70 => {
                self.fleet.signal(victim, Signal::TERM);
                self.done.add("asked to stop");
            }
            _ => self.break_database().await?,
        }
        Ok(())
    }

    /// Long enough for its leases to expire: it wakes up as one who has lost them.
    async fn freeze_worker(&mut self, victim: usize) {
        self.fleet.signal(victim, Signal::STOP);
        tokio::time::sleep(child::LEASE + Duration::from_millis(self.rng.u64(0..1500))).await;
        self.fleet.signal(victim, Signal::CONT);
        self.done.add("frozen past its lease");
    }

    async fn break_database(&mut self) -> Result<(), Problem> {
        let Some(cluster) = &mut self.cluster else {
            return self.lock_file().await;
        };
        match self.rng.u32(0..4) {
            0 => {
                cluster.restart(Shutdown::Fast)?;
                self.done.add("server restarted");
            }
            1 => {
                cluster.restart(Shutdown::Immediate)?;
                self.done.add("server crashed");
            }
            2 => {
                cluster.pause()?;
                tokio::time::sleep(Duration::from_millis(self.rng.u64(100..3000))).await;
                cluster.resume()?;
                self.done.add("server paused");
            }
            _ => {
                let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                           WHERE datname = 'fault' AND pid <> pg_backend_pid()";
                cluster.query("postgres", cut)?;
                self.done.add("connections cut");
            }
        }
        Ok(())
    }

    /// Another program holds the file for a while.
    async fn lock_file(&mut self) -> Result<(), Problem> {
        use sqlx::Connection;
        let mut other = sqlx::SqliteConnection::connect(&self.url).await?;
        let busy = sqlx::raw_sql("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").execute(&mut other);
        if busy.await.is_ok() {
            tokio::time::sleep(Duration::from_millis(self.rng.u64(50..1500))).await;
            sqlx::raw_sql("ROLLBACK").execute(&mut other).await?;
            self.done.add("file locked");
        }
        other.close().await?;
        Ok(())
    }

    fn mend(&mut self, workers: usize) -> Result<(), Problem> {
        self.fleet.bury();
        while self.fleet.len() < workers {
            self.fleet.start(None)?;
        }
        Ok(())
    }

    /// Workers that their tasks take with them are started again, as an init system would.
    async fn wait_for_the_end(&mut self, calm: Duration) -> Result<Vec<StoredTask>, Problem> {
        let store = Store::on(child::engine(&self.url).await?);
        let latest = Instant::now() + calm;
        loop {
            for _ in 0..self.fleet.bury() {
                self.done.add("aborted by its task");
                self.fleet.start(None)?;
            }
            let stats = store.stats().await?;
            let open = stats.pending + stats.scheduled + stats.running;
            if open == 0 || Instant::now() > latest {
                return all(&store).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn sqlite_url(home: &Path) -> String {
    format!("sqlite:{}", home.join("tasks.db").display())
}

/// Every task with its history.
async fn all(store: &Store) -> Result<Vec<StoredTask>, Problem> {
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

/// Submits while things break. What was not answered is submitted again: a task has its id
/// before the store has it.
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
                store = child::engine(&url).await.ok().map(Store::on);
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
        journal.write(&Sight::Submitted { ids });
        left -= batch;
        tokio::time::sleep(Duration::from_millis(rng.u64(0..30))).await;
    }
    Ok(())
}

/// Where a round's files are.
pub(crate) fn home(kind: Kind, seed: u64, under: &Path) -> PathBuf {
    let kind = if kind == Kind::Sqlite { "sqlite" } else { "postgres" };
    under.join(format!("{kind}-{seed}"))
}
