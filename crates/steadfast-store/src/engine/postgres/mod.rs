//! The PostgreSQL engine, for many instances on many machines.
//!
//! Every operation is one statement, or a short transaction of a few. Statements of more than
//! three lines, and those whose plans are tested, are in `sql/`, named after the operation. Claims
//! skip rows that other instances have locked, settlements lock the leases they are under, and no
//! statement relies on what an earlier one read without a lock: there is no check-then-act between
//! instances.

mod audit;
mod claim;
mod compress;
mod control;
mod count;
mod deadline;
mod filter;
pub(crate) mod health;
mod history;
mod inspect;
mod latest_ended;
mod lease;
mod list;
mod maintain;
mod migrate;
mod name_cache;
mod notifier;
mod options;
mod promote;
mod prune;
mod read;
mod reclaim;
mod records;
mod report;
mod requeue;
mod rollup;
mod row;
mod settle;
mod submit;
mod submit_batcher;
mod workflows;

use std::sync::Arc;

use jiff::Timestamp;
use sqlx::postgres::{PgArguments, PgPool, PgRow};
use sqlx::query::Query;

use self::deadline::Deadline;
pub(crate) use self::inspect::{inspect, migrate};
use self::name_cache::NameCache;
use self::notifier::PgNotifier;
pub(crate) use self::options::APPLICATION_NAME;
use self::options::{connect, connect_options, pool_options};
use self::promote::PromoteScan;
use self::prune::CountBoundary;
use self::submit::TaskNumbers;
use self::submit_batcher::PgBatchWriter;
use crate::engine::Engine;
use crate::engine::submit_batcher::SubmitBatcher;
use crate::engine::time::Time;
use crate::error::Result;
use crate::events::notifier::Notifier;

/// An engine on PostgreSQL 13 or later, in its own schema `steadfast`.
#[derive(Clone, Debug)]
pub struct Postgres {
    pool: PgPool,
    submit_batcher: SubmitBatcher<TaskNumbers>,
    names: Arc<NameCache>,
    promote_scan: Arc<PromoteScan>,
    count_boundary: Arc<CountBoundary>,
    notifier: Arc<PgNotifier>,
    deadline: Deadline,
}

impl Postgres {
    /// Connects to `postgres://USER@HOST/DATABASE` and migrates the schema.
    ///
    /// `?listen=off` at the end of the URL is for poolers that share a connection between clients:
    /// other processes are then not woken, and find work by polling.
    ///
    /// # Errors
    /// The URL is invalid, the server is unreachable, or a newer version of this program has
    /// migrated the schema.
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with(url, Deadline::default()).await
    }

    async fn open_with(url: &str, deadline: Deadline) -> Result<Self> {
        let (options, listens) = connect_options(url)?;
        let pool = connect(deadline.guard(pool_options(listens)), options).await?;
        Self::start(pool, listens, deadline).await
    }

    /// An engine on an existing pool.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn on(pool: PgPool, listens: bool) -> Result<Self> {
        Self::start(pool, listens, Deadline::default()).await
    }

    async fn start(pool: PgPool, listens: bool, deadline: Deadline) -> Result<Self> {
        migrate::migrate(&pool).await?;
        let notifier = Arc::new(PgNotifier::start(pool.clone(), listens, deadline.clone()));
        let batch_writer =
            PgBatchWriter { pool: pool.clone(), connection: None, notifier: notifier.clone() };
        Ok(Self {
            submit_batcher: SubmitBatcher::start(batch_writer),
            pool,
            names: Arc::default(),
            promote_scan: Arc::default(),
            count_boundary: Arc::default(),
            notifier,
            deadline,
        })
    }

    async fn rows(&self, query: Query<'_, sqlx::Postgres, PgArguments>) -> Result<Vec<PgRow>> {
        self.deadline.short(async { Ok(query.fetch_all(&self.pool).await?) }).await
    }

    async fn execute(&self, query: Query<'_, sqlx::Postgres, PgArguments>) -> Result<()> {
        self.deadline.short(async { Ok(query.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn database_time(&self) -> Result<Timestamp> {
        let now: Time =
            sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&self.pool).await?;
        Ok(now.0)
    }
}

impl Engine for Postgres {
    fn notifier(&self) -> &Notifier {
        self.notifier.local()
    }
}

#[cfg(test)]
mod tests {
    use steadfast_testing::postgres::Database;

    use super::*;

    /// Runs a test on a database of its own.
    pub(super) fn on_a_database(test: impl AsyncFnOnce(&str)) {
        let database = Database::fresh().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(database.url()));
    }

    async fn seqscan_setting(url: &str) -> String {
        let store = Postgres::open(url).await.unwrap();
        sqlx::query_scalar("SHOW enable_seqscan").fetch_one(&store.pool).await.unwrap()
    }

    /// K4: the error of an unreachable server has its cause.
    #[tokio::test]
    async fn unreachable_server_is_reported_with_its_cause() {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = Postgres::open(&format!("postgres://a@{closed}/a")).await.unwrap_err();
        assert!(error.to_string().contains("Connection refused"), "{error}");
    }

    /// D6: the store's own connections plan for full tables; pooled connections are unchanged.
    #[test]
    fn own_connections_plan_for_full_tables() {
        on_a_database(async |url| {
            assert_eq!(seqscan_setting(url).await, "off");
            assert_eq!(seqscan_setting(&format!("{url}?listen=off")).await, "on");
        });
    }
}
