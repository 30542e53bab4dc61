//! Tasks in PostgreSQL, for many instances on many machines.
//!
//! Every operation is one statement, or a short transaction of few; the statements are in `sql/`
//! under their names. Claims skip what others have locked, settlements lock the leases they are
//! under, and nothing is read before it is written by another statement: there is no
//! check-then-act between instances.

mod activity;
mod audit;
mod breakers;
mod claim;
mod control;
mod count;
mod deadline;
mod ended;
pub(crate) mod health;
mod inspect;
mod lease;
mod maintain;
mod migrate;
mod name_cache;
mod notifier;
mod prune_by_count;
mod read;
mod reports;
mod rollup;
mod row;
mod settle;
mod submit;
mod submit_batcher;
mod time;
mod worker_status;
mod workflows;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

use self::deadline::{Deadline, answers};
pub(crate) use self::inspect::{inspect, migrate};
use self::maintain::Promotions;
use self::name_cache::Names;
use self::notifier::Announcer;
use self::prune_by_count::Surplus;
use self::submit_batcher::Desk;
use self::time::Time;
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::workflows::Executions;
use crate::engine::{Connection, Engine, Submitted};
use crate::error::{Result, StoreError};
use crate::events::notifier::Wakes;
use crate::events::record::{Record, RecordKind};
use crate::location::without_password;
use crate::maintenance::retention::{Pruned, Retention};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::queue::settle::{Promoted, Settled, Settlement};
use crate::queue::stats::{Counts, Due, QueueInfo};
use crate::queue::submit::Admission;
use crate::queue::worker_status::WorkerStatus;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport};
use crate::report::worker::Reports;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, TaskId};

/// A store on PostgreSQL 13 or later, in a schema of its own called `steadfast`.
#[derive(Clone, Debug)]
pub struct Postgres {
    pool: PgPool,
    desk: Desk,
    names: Arc<Names>,
    promotions: Arc<Promotions>,
    surplus: Arc<Surplus>,
    announcer: Arc<Announcer>,
    deadline: Deadline,
}

/// How long a call waits for a connection before the database counts as unreachable.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_CONNECTIONS: u32 = 10;
/// What the server calls our connections.
const APPLICATION: &str = "steadfast";
const SESSION: &str = include_str!("sql/session.sql");
/// A connection that was used just now is not asked whether it is still there: the question
/// would cost as much as a submission.
const FRESH: Duration = Duration::from_millis(500);

impl Postgres {
    /// Connects to `postgres://USER@HOST/DATABASE` and brings the schema up to date.
    ///
    /// `?listen=off` at the end of the URL is for poolers that hand a connection from one
    /// client to the next: other processes are then not woken, and find work by their poll.
    ///
    /// # Errors
    /// The URL makes no sense, the server cannot be reached, or a newer version of this program
    /// has been there before.
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with(url, Deadline::default()).await
    }

    async fn open_with(url: &str, deadline: Deadline) -> Result<Self> {
        let (options, listens) = connect_options(url)?;
        let pool = deadline.guard(pool(listens)).connect_with(options).await?;
        Self::start(pool, listens, deadline).await
    }

    /// On a pool of the caller's own.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn on(pool: PgPool, listens: bool) -> Result<Self> {
        Self::start(pool, listens, Deadline::default()).await
    }

    async fn start(pool: PgPool, listens: bool, deadline: Deadline) -> Result<Self> {
        migrate::migrate(&pool).await?;
        let announcer = Arc::new(Announcer::start(pool.clone(), listens, deadline.clone()));
        let desk = Desk::open(pool.clone());
        let (names, promotions, surplus) = (Arc::default(), Arc::default(), Arc::default());
        Ok(Self { pool, desk, names, promotions, surplus, announcer, deadline })
    }
}

impl Postgres {
    async fn database_time(&self) -> Result<Timestamp> {
        let now: Time =
            sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&self.pool).await?;
        Ok(now.0)
    }
}

/// What to connect by, and whether to listen.
fn connect_options(url: &str) -> Result<(PgConnectOptions, bool)> {
    let (url, listens) = listening(url);
    let options = PgConnectOptions::from_str(&url).map_err(|error| StoreError::Url {
        url: without_password(&url),
        problem: format!("{error}; say postgres://USER@HOST/DATABASE"),
    })?;
    Ok((options.application_name(APPLICATION), listens))
}

fn pool(listens: bool) -> PgPoolOptions {
    let pool = PgPoolOptions::new()
        .max_connections(MOST_CONNECTIONS)
        .acquire_timeout(PATIENCE)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > FRESH {
                    answers(connection).await?;
                }
                Ok(true)
            })
        });
    // What a pooler's connection is told, its next client would live with.
    if !listens {
        return pool;
    }
    pool.after_connect(|connection, _| {
        Box::pin(async { sqlx::raw_sql(SESSION).execute(connection).await.map(drop) })
    })
}

/// The URL without our own part of it, and whether to listen.
fn listening(url: &str) -> (String, bool) {
    let off = url.contains("listen=off");
    let url = url.replace("?listen=off&", "?").replace("&listen=off", "");
    (url.replace("?listen=off", ""), !off)
}

#[async_trait]
impl Engine for Postgres {
    async fn now(&self) -> Result<Timestamp> {
        self.deadline.few(self.database_time()).await
    }

    async fn submit(&self, tasks: Vec<Admission>) -> Result<Vec<Submitted>> {
        self.deadline.few(self.submit_tasks(tasks)).await
    }

    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>> {
        self.submit_on(connection, tasks).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        self.deadline.few(self.claim_tasks(request)).await
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.deadline.few(self.keep_alive(leases, running, lease)).await
    }

    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>> {
        self.deadline.few(self.find_held(id, version)).await
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.deadline.few(self.settle_tasks(settlements)).await
    }

    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.deadline.few(self.promote_due(limit)).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        self.deadline.few(self.seize_lost(worker, limit)).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        self.deadline.few(self.find(id)).await
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        self.deadline.many(self.find_histories(ids)).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        self.deadline.few(self.find_by_key(key)).await
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        self.deadline.many(self.list(filter, page, documents)).await
    }

    async fn latest_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        self.deadline.many(self.list_ended(request, page)).await
    }

    async fn counts(&self) -> Result<Counts> {
        self.deadline.many(self.count()).await
    }

    async fn due(&self) -> Result<Due> {
        self.deadline.few(self.look_at_due()).await
    }

    async fn activity(&self) -> Result<Activity> {
        self.deadline.many(self.read_activity()).await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.deadline.many(self.count_queues()).await
    }

    async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.deadline.many(self.add_up(from, to)).await
    }

    async fn rollup(&self) -> Result<bool> {
        self.deadline.many(self.sum_up_next()).await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.deadline.few(self.read_worker_status()).await
    }

    async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.deadline.few(self.cancel_task(id, by)).await
    }

    async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.deadline.few(self.make_due(id, by)).await
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        by: &Actor,
    ) -> Result<()> {
        self.deadline.few(self.change_expiry(id, expires_at, by)).await
    }

    async fn requeue(&self, filter: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued> {
        self.deadline.many(self.requeue_ended(filter, how, by)).await
    }

    async fn set_paused(&self, queue: &str, paused: bool, by: &Actor) -> Result<()> {
        self.deadline.few(self.pause_queue(queue, paused, by)).await
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        self.deadline.few(self.write_audit(std::slice::from_ref(entry))).await
    }

    async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        self.deadline.few(self.write_audit(entries)).await
    }

    async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        self.deadline.few(self.read_audit(query)).await
    }

    async fn record(&self, records: &[Record]) -> Result<()> {
        self.deadline.few(self.keep_records(records)).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        self.deadline.few(self.read_records(kind, page)).await
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        self.deadline.few(self.read_records_after(kind, number, limit)).await
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        self.deadline.few(self.keep_breakers(reports)).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        self.deadline.few(self.read_breakers()).await
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerCommand, by: &Actor) -> Result<()> {
        self.deadline.few(self.want_of_breaker(policy, wish, by)).await
    }

    async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        self.deadline.few(self.read_breaker_orders()).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.deadline.many(self.forget(retention)).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        self.deadline.many(self.pack_histories(older_than, limit)).await
    }

    fn executions(&self) -> &dyn Executions {
        self
    }

    fn reports(&self) -> &dyn Reports {
        self
    }

    fn wakes(&self) -> &Wakes {
        self.announcer.wakes()
    }
}

#[cfg(test)]
mod tests {
    use steadfast_testing::postgres::Database;

    use super::*;

    async fn reads_from_end_to_end(url: &str) -> String {
        let store = Postgres::open(url).await.unwrap();
        sqlx::query_scalar("SHOW enable_seqscan").fetch_one(&store.pool).await.unwrap()
    }

    /// D6: a store's own connections plan for full tables, and a pooler's are left as they are.
    #[test]
    fn every_connection_of_our_own_plans_for_full_tables() {
        let database = Database::fresh().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(reads_from_end_to_end(database.url()).await, "off");
            let pooled = format!("{}?listen=off", database.url());
            assert_eq!(reads_from_end_to_end(&pooled).await, "on");
        });
    }
}
