//! One PostgreSQL for the whole report, and a database of its own for each run.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use postgres::{Client, NoTls};
use steadfast_testing::postgres::{Cluster, Settings};

use super::cpu;
use super::process::Measured;

/// A drain that takes longer has stalled.
const PATIENCE: Duration = Duration::from_secs(180);

/// The server, and a connection that asks it about itself.
pub struct Postgres {
    cluster: Cluster,
    admin: Client,
    databases: u32,
}

/// A database without other users.
pub struct Database {
    name: String,
    /// Where a client finds it.
    pub url: String,
}

/// What a run cost.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Seconds of CPU that the server took.
    pub server: f64,
    /// Seconds of CPU that the peer took.
    pub client: f64,
    /// Bytes of log that the server wrote.
    pub wal: f64,
    /// How often it had the log put on the disk.
    pub fsyncs: f64,
    /// How many transactions it committed.
    pub commits: f64,
}

impl Postgres {
    /// Starts it, durable as it is by default.
    pub fn start() -> Result<Self> {
        let options = vec!["shared_preload_libraries=pg_stat_statements".to_owned()];
        let cluster = Cluster::start(Settings { durable: true, options, ..Settings::default() })?;
        let mut admin = Client::connect(&cluster.url("postgres"), NoTls)?;
        admin.batch_execute("CREATE EXTENSION pg_stat_statements")?;
        Ok(Postgres { cluster, admin, databases: 0 })
    }

    /// The version reported by the server.
    pub fn version(&mut self) -> Result<String> {
        Ok(self.admin.query_one("SHOW server_version", &[])?.try_get(0)?)
    }

    /// Makes an empty database, and drops it after use.
    pub fn with_database<T>(
        &mut self,
        used: impl FnOnce(&mut Self, &Database) -> Result<T>,
    ) -> Result<T> {
        self.databases += 1;
        let name = format!("run_{}", self.databases);
        self.admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        let database = Database { url: self.cluster.url(&name), name };
        let result = used(self, &database);
        let drop = format!("DROP DATABASE {} WITH (FORCE)", database.name);
        self.admin.batch_execute(&drop)?;
        result
    }

    /// Connects to a database of a run.
    pub fn connect(&self, database: &Database) -> Result<Client> {
        Ok(Client::connect(&database.url, NoTls)?)
    }

    /// Brings a database that was filled into the same state for everyone: statistics
    /// known, nothing waiting for the disk.
    pub fn settle(&mut self, database: &Database) -> Result<()> {
        self.connect(database)?.batch_execute("VACUUM ANALYZE")?;
        self.admin.batch_execute("CHECKPOINT")?;
        self.until_alone(database)
    }

    /// Runs what is to be measured, for its figures and what it cost.
    pub fn measure(
        &mut self,
        database: &Database,
        command: &mut Command,
    ) -> Result<(Vec<f64>, Spent)> {
        let counted = self.counts(database)?;
        let mut measured = Measured::ready(command)?;
        let before = self.spent(&measured)?;
        measured.go()?;
        let figures = measured.done(PATIENCE)?;
        let after = self.spent(&measured)?;
        measured.end()?;
        self.until_alone(database)?;
        let [commits, fsyncs] = difference(counted, self.counts(database)?);
        let [server, client, wal] = difference(before, after);
        Ok((figures, Spent { server, client, wal, fsyncs, commits }))
    }

    /// Seconds of CPU of the server.
    pub fn cpu(&self) -> Result<f64> {
        cpu::of_family(self.cluster.pid())
    }

    /// What is known while a run is under way.
    fn spent(&mut self, measured: &Measured) -> Result<[f64; 3]> {
        let position = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8";
        let wal: f64 = self.admin.query_one(position, &[])?.try_get(0)?;
        Ok([self.cpu()?, cpu::of(measured.pid())?, wal])
    }

    /// Counters that are exact once no client is connected.
    fn counts(&mut self, database: &Database) -> Result<[f64; 2]> {
        let commits = "SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = $1";
        let commits = self.admin.query_one(commits, &[&database.name])?.try_get(0)?;
        Ok([commits, self.fsyncs()?])
    }

    /// Counted in another place since PostgreSQL 18.
    fn fsyncs(&mut self) -> Result<f64> {
        let modern = "SELECT current_setting('server_version_num')::int >= 180000";
        let fsyncs = if self.admin.query_one(modern, &[])?.try_get(0)? {
            "SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal'"
        } else {
            "SELECT wal_sync::float8 FROM pg_stat_wal"
        };
        Ok(self.admin.query_one(fsyncs, &[])?.try_get(0)?)
    }

    /// Waits until no client is connected: the server's processes report their counters
    /// before they go.
    fn until_alone(&mut self, database: &Database) -> Result<()> {
        let others = "SELECT count(*) FROM pg_stat_activity
                      WHERE datname = $1 AND backend_type = 'client backend'";
        let limit = Instant::now() + PATIENCE;
        while self.admin.query_one(others, &[&database.name])?.try_get::<_, i64>(0)? > 0 {
            if Instant::now() > limit {
                bail!("someone is still connected to {}", database.name);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Forgets all statements so far.
    pub fn forget_statements(&mut self) -> Result<()> {
        Ok(self.admin.batch_execute("SELECT pg_stat_statements_reset()")?)
    }

    /// The statement that took most of the time in a database, our own questions apart.
    pub fn most_expensive_statement(&mut self, database: &Database) -> Result<Statement> {
        let most_expensive = "
            SELECT query, mean_exec_time, max_exec_time,
                   (shared_blks_hit + shared_blks_read)::float8 / calls, rows::float8 / calls
            FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
            WHERE datname = $1 AND query NOT LIKE '%finished?%'
            ORDER BY total_exec_time DESC LIMIT 1";
        let row = self.admin.query_opt(most_expensive, &[&database.name])?;
        let row = row.context("no statement was seen")?;
        Ok(Statement {
            text: row.try_get(0)?,
            mean: row.try_get(1)?,
            longest: row.try_get(2)?,
            pages: row.try_get(3)?,
            rows: row.try_get(4)?,
        })
    }
}

/// A statement, and what it costs.
pub struct Statement {
    /// As configured on the server.
    pub text: String,
    /// Milliseconds.
    pub mean: f64,
    /// Milliseconds.
    pub longest: f64,
    /// Pages looked at, each time.
    pub pages: f64,
    /// Rows answered, each time.
    pub rows: f64,
}

fn difference<const N: usize>(before: [f64; N], after: [f64; N]) -> [f64; N] {
    let mut difference = after;
    difference.iter_mut().zip(before).for_each(|(after, before)| *after -= before);
    difference
}
