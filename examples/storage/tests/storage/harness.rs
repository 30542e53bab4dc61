//! The test setup: a database, its records, and a timeout.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use example_storage::{Database, Document, Entity, Relation};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use steadfast::observe::{AttemptRecord, Memory, Session};
use steadfast_testing::poll::eventually;
use steadfast_testing::postgres::{Cluster, Shutdown};

/// Far longer than any case takes.
const LIMIT: Duration = Duration::from_secs(90);

/// The project of all cases: each has its own database.
pub(crate) const PROJECT: &str = "bahia";

pub(crate) async fn in_time(case: impl Future<Output = ()>) {
    tokio::time::timeout(LIMIT, case).await.expect("the case hangs");
}

/// A database, and the records of its calls.
pub(crate) async fn open(url: &str) -> (Database, Arc<Memory>) {
    let records = Arc::<Memory>::default();
    (Database::open(url).await.unwrap().recorded(&records), records)
}

/// The calls of an operation that have ended.
pub(crate) fn calls(records: &Memory, operation: &str) -> Vec<Session> {
    let mut sessions = records.sessions();
    sessions.retain(|session| session.operation == operation);
    sessions
}

/// The attempts of such calls that failed.
pub(crate) fn failures(records: &Memory, operation: &str) -> Vec<AttemptRecord> {
    let attempts = calls(records, operation).into_iter().flat_map(|session| session.attempts);
    attempts.filter(|attempt| !attempt.success).collect()
}

/// The SQLSTATE of a failure.
pub(crate) fn sqlstate(failure: &AttemptRecord) -> String {
    failure.fault.as_ref().unwrap().sqlstate.unwrap().to_string()
}

pub(crate) fn entity(name: &str) -> Entity {
    Entity { name: name.to_owned(), description: format!("about {name}") }
}

pub(crate) fn relation(source: &str, target: &str) -> Relation {
    Relation { source: source.to_owned(), target: target.to_owned(), kind: "knows".to_owned() }
}

pub(crate) fn document(id: &str, embedding: [f64; 3]) -> Document {
    let content = format!("content of {id}");
    Document { id: id.to_owned(), content, embedding: embedding.to_vec() }
}

/// Another session on the server, which takes locks and observes.
pub(crate) struct Bystander(PgConnection);

impl Bystander {
    pub(crate) async fn connect(url: &str) -> Self {
        Self(PgConnection::connect(url).await.unwrap())
    }

    pub(crate) async fn run(&mut self, statement: &str) {
        assert!(self.try_run(statement).await, "{statement}");
    }

    /// Returns whether the statement succeeded.
    pub(crate) async fn try_run(&mut self, statement: &str) -> bool {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut self.0).await.is_ok()
    }

    pub(crate) async fn count(&mut self, query: &str) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut self.0).await.unwrap()
    }

    /// Blocks every write, until this session ends.
    pub(crate) async fn block_writes(&mut self) {
        self.run("BEGIN; LOCK TABLE written IN ACCESS EXCLUSIVE MODE").await;
    }

    /// Locks the relations of the graph, in either form.
    pub(crate) async fn hold_relations(&mut self) {
        self.run(
            "BEGIN; DO $$ BEGIN EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE',
                coalesce(to_regclass('relation'), to_regclass('knowledge.\"RELATES\"'))); END $$",
        )
        .await;
    }

    /// Waits until a session of the database waits for a lock.
    pub(crate) async fn until_one_waits(&mut self) {
        eventually("a session waits for a lock", async || {
            self.count(&format!("SELECT count(*) {WAITING}")).await > 0
        })
        .await;
    }

    /// Terminates the waiting sessions, and waits until they have ended.
    pub(crate) async fn terminate_waiting(&mut self) {
        self.run(&format!("SELECT pg_terminate_backend(pid, 60000) {WAITING}")).await;
    }
}

const WAITING: &str = "FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A server for injected faults.
pub(crate) struct Server(Arc<Mutex<Cluster>>);

impl Server {
    pub(crate) fn new(cluster: Cluster) -> Self {
        Self(Arc::new(Mutex::new(cluster)))
    }

    pub(crate) async fn create_database(&self, name: &'static str) -> String {
        self.aside(move |cluster| cluster.create_database(name).unwrap()).await
    }

    pub(crate) async fn restart(&self, how: Shutdown) {
        self.aside(move |cluster| cluster.restart(how).unwrap()).await;
    }

    /// Terminates sessions during their commit, as soon as there are any. Returns how many.
    pub(crate) async fn cut_in_commit(&self) -> usize {
        self.aside(|cluster| cluster.cut_in_commit().unwrap()).await
    }

    pub(crate) async fn stop(&self) {
        self.aside(|cluster| cluster.stop(Shutdown::Fast).unwrap()).await;
    }

    /// Runs on a thread for blocking work.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Cluster) -> T + Send + 'static,
    ) -> T {
        let cluster = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || work(&mut cluster.lock().unwrap())).await.unwrap()
    }
}
