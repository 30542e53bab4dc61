//! What every case needs: the events, a bystander on the server, and an end.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use example_storage::events::{Event, Events};
use example_storage::{Document, Entity, Relation};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use steadfast_testing::postgres::{Cluster, Shutdown};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::SubscriberExt;

/// Far longer than any case takes, so that it means that something hangs.
const LIMIT: Duration = Duration::from_secs(90);

/// The project of all cases: each has a database of its own.
pub(crate) const PROJECT: &str = "bahia";

pub(crate) async fn in_time(case: impl Future<Output = ()>) {
    tokio::time::timeout(LIMIT, case).await.expect("the case hangs");
}

/// What happens on this thread, for as long as the other half lives.
pub(crate) fn watch() -> (Events, DefaultGuard) {
    let events = Events::default();
    let log = tracing_subscriber::registry().with(events.clone());
    (events, tracing::subscriber::set_default(log))
}

/// The failures among the events of an operation.
pub(crate) fn failures(events: &Events, operation: &str) -> Vec<Event> {
    let mut events = events.so_far();
    events.retain(|event| event.operation == operation && event.is_failure());
    events
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

/// Somebody else on the server, who stands in the way and looks on.
pub(crate) struct Bystander(PgConnection);

impl Bystander {
    pub(crate) async fn come(url: &str) -> Self {
        Self(PgConnection::connect(url).await.unwrap())
    }

    pub(crate) async fn run(&mut self, statement: &str) {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut self.0).await.unwrap();
    }

    pub(crate) async fn count(&mut self, query: &str) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut self.0).await.unwrap()
    }

    /// Makes every write wait, until this one goes.
    pub(crate) async fn stand_in_the_way(&mut self) {
        self.run("BEGIN; LOCK TABLE written IN ACCESS EXCLUSIVE MODE").await;
    }

    /// Waits until this many sessions of the database wait for a lock.
    pub(crate) async fn until_waiting(&mut self, sessions: i64) {
        self.until(&format!("SELECT count(*) {WAITING}"), sessions).await;
    }

    /// Waits until there are this many.
    pub(crate) async fn until(&mut self, query: &str, count: i64) {
        while self.count(query).await < count {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Terminates those that wait.
    pub(crate) async fn terminate_waiting(&mut self) {
        self.run(&format!("SELECT pg_terminate_backend(pid) {WAITING}")).await;
    }
}

const WAITING: &str = "FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A server, treated badly while others use it.
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

    pub(crate) async fn stop(&self) {
        self.aside(|cluster| cluster.stop(Shutdown::Fast).unwrap()).await;
    }

    /// On a thread where it may take its time.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Cluster) -> T + Send + 'static,
    ) -> T {
        let cluster = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || work(&mut cluster.lock().unwrap())).await.unwrap()
    }
}
