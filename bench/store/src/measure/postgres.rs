//! The PostgreSQL server of the report, with a new database for each run.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use postgres::{Client, NoTls};
use steadfast_testing::postgres::{Cluster, Settings};

use super::cpu;
use super::process::PeerProcess;

/// Longer than any measured run takes.
const TIMEOUT: Duration = Duration::from_secs(180);

/// The server, with a connection for administration and statistics.
pub struct Postgres {
    cluster: Cluster,
    admin: Client,
    created_databases: u32,
}

/// The database of one run.
pub struct Database {
    name: String,
    /// The connection URL.
    pub url: String,
}

/// The resource usage of a run.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The CPU seconds of the server.
    pub server: f64,
    /// The CPU seconds of the peer.
    pub client: f64,
    /// The bytes of WAL that the server wrote.
    pub wal: f64,
    /// The number of WAL fsyncs.
    pub fsyncs: f64,
    /// The number of committed transactions.
    pub commits: f64,
}

impl Postgres {
    /// Starts a server with the default durability.
    pub fn start() -> Result<Self> {
        let options = vec!["shared_preload_libraries=pg_stat_statements".to_owned()];
        let cluster = Cluster::start(Settings { durable: true, options, ..Settings::default() })?;
        let mut admin = Client::connect(&cluster.url("postgres"), NoTls)?;
        admin.batch_execute("CREATE EXTENSION pg_stat_statements")?;
        Ok(Postgres { cluster, admin, created_databases: 0 })
    }

    /// The version reported by the server.
    pub fn version(&mut self) -> Result<String> {
        Ok(self.admin.query_one("SHOW server_version", &[])?.try_get(0)?)
    }

    /// Creates an empty database, and drops it after use.
    pub fn with_database<T>(
        &mut self,
        body: impl FnOnce(&mut Self, &Database) -> Result<T>,
    ) -> Result<T> {
        self.created_databases += 1;
        let name = format!("run_{}", self.created_databases);
        self.admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        let database = Database { url: self.cluster.url(&name), name };
        let result = body(self, &database);
        let drop = format!("DROP DATABASE {} WITH (FORCE)", database.name);
        self.admin.batch_execute(&drop)?;
        result
    }

    /// Connects to the database of a run.
    pub fn connect(&self, database: &Database) -> Result<Client> {
        Ok(Client::connect(&database.url, NoTls)?)
    }

    /// Brings a filled database into a defined state: statistics collected, all pages flushed.
    pub fn vacuum_and_checkpoint(&mut self, database: &Database) -> Result<()> {
        self.connect(database)?.batch_execute("VACUUM ANALYZE")?;
        self.admin.batch_execute("CHECKPOINT")?;
        self.wait_until_disconnected(database)
    }

    /// Runs a measured command and returns its results and its resource usage.
    pub fn measure(
        &mut self,
        database: &Database,
        command: &mut Command,
    ) -> Result<(Vec<f64>, Usage)> {
        let counters = self.counters(database)?;
        let mut process = PeerProcess::start(command)?;
        let before = self.current_usage(&process)?;
        process.begin()?;
        let results = process.wait_done(TIMEOUT)?;
        let after = self.current_usage(&process)?;
        process.stop()?;
        self.wait_until_disconnected(database)?;
        let [commits, fsyncs] = difference(counters, self.counters(database)?);
        let [server, client, wal] = difference(before, after);
        Ok((results, Usage { server, client, wal, fsyncs, commits }))
    }

    /// The CPU seconds of the server since its start.
    pub fn cpu(&self) -> Result<f64> {
        cpu::of_process_and_children(self.cluster.pid())
    }

    /// The usage that can be read during a run: CPU seconds of the server and the peer, bytes of WAL.
    fn current_usage(&mut self, process: &PeerProcess) -> Result<[f64; 3]> {
        let position = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8";
        let wal: f64 = self.admin.query_one(position, &[])?.try_get(0)?;
        Ok([self.cpu()?, cpu::of_process(process.pid())?, wal])
    }

    /// The commits and WAL fsyncs, which are exact only while no client is connected.
    fn counters(&mut self, database: &Database) -> Result<[f64; 2]> {
        let commits = "SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = $1";
        let commits = self.admin.query_one(commits, &[&database.name])?.try_get(0)?;
        Ok([commits, self.fsyncs()?])
    }

    /// The number of WAL fsyncs, which PostgreSQL 18 moved to another view.
    fn fsyncs(&mut self) -> Result<f64> {
        let has_wal_in_pg_stat_io = "SELECT current_setting('server_version_num')::int >= 180000";
        let fsyncs = if self.admin.query_one(has_wal_in_pg_stat_io, &[])?.try_get(0)? {
            "SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal'"
        } else {
            "SELECT wal_sync::float8 FROM pg_stat_wal"
        };
        Ok(self.admin.query_one(fsyncs, &[])?.try_get(0)?)
    }

    /// Waits until no client is connected. A backend reports its counters when it exits.
    fn wait_until_disconnected(&mut self, database: &Database) -> Result<()> {
        let clients = "SELECT count(*) FROM pg_stat_activity
                      WHERE datname = $1 AND backend_type = 'client backend'";
        let deadline = Instant::now() + TIMEOUT;
        while self.admin.query_one(clients, &[&database.name])?.try_get::<_, i64>(0)? > 0 {
            if Instant::now() > deadline {
                bail!("database {}: clients are still connected after {TIMEOUT:?}", database.name);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Resets the statistics of statements.
    pub fn reset_statements(&mut self) -> Result<()> {
        Ok(self.admin.batch_execute("SELECT pg_stat_statements_reset()")?)
    }

    /// The statement that took the most time in a database, except those of [`Peer::finished`].
    ///
    /// [`Peer::finished`]: steadfast_bench_drive::Peer::finished
    pub fn most_expensive_statement(&mut self, database: &Database) -> Result<Statement> {
        let most_expensive = "
            SELECT query, mean_exec_time, max_exec_time,
                   (shared_blks_hit + shared_blks_read)::float8 / calls, rows::float8 / calls
            FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
            WHERE datname = $1 AND query NOT LIKE '%finished?%'
            ORDER BY total_exec_time DESC LIMIT 1";
        let row = self.admin.query_opt(most_expensive, &[&database.name])?;
        let row = row.context("no statement in pg_stat_statements")?;
        Ok(Statement {
            text: row.try_get(0)?,
            mean: row.try_get(1)?,
            max: row.try_get(2)?,
            pages: row.try_get(3)?,
            rows: row.try_get(4)?,
        })
    }
}

/// A statement and its cost.
pub struct Statement {
    /// The text in pg_stat_statements.
    pub text: String,
    /// The mean time in milliseconds.
    pub mean: f64,
    /// The maximum time in milliseconds.
    pub max: f64,
    /// The pages read per call.
    pub pages: f64,
    /// The rows returned per call.
    pub rows: f64,
}

fn difference<const N: usize>(before: [f64; N], after: [f64; N]) -> [f64; N] {
    let mut difference = after;
    difference.iter_mut().zip(before).for_each(|(after, before)| *after -= before);
    difference
}
