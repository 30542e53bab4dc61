//! Servers that go away, and come back.

use std::net::TcpStream;

use example_storage::{Database, StorageError, Written};
use sqlx::postgres::PgConnectOptions;
use steadfast_testing::postgres::Shutdown;
use tokio::task::JoinHandle;

use crate::harness::{Bystander, PROJECT, Server, entity, failures, watch};

/// X0: an orderly stop tells everybody (57P01) and rolls back.
pub(crate) async fn a_restart_in_the_midst_of_it_is_survived(server: &Server, url: &str) {
    let class = interrupted(server, url, Shutdown::Fast).await;
    assert_eq!(class, "retryable");
}

/// X0, J9: a crash tells nobody anything.
pub(crate) async fn a_crash_in_the_midst_of_it_is_survived(server: &Server, url: &str) {
    let class = interrupted(server, url, Shutdown::Immediate).await;
    assert_eq!(class, "unknown_outcome");
}

/// X0, J9: a server that is to wait for a standby, and has none, commits and then keeps the
/// client waiting. Whoever is cut off now has written, and is not told.
pub(crate) async fn a_session_cut_in_its_commit_counts_once(server: &Server, url: &str) {
    let (events, _log) = watch();
    let database = Database::open(url).await.unwrap();
    let mut bystander = Bystander::come(url).await;
    bystander.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'").await;
    bystander.run("SELECT pg_reload_conf()").await;
    let graph = database.graph();
    let writing = tokio::spawn(async move {
        // The server takes a moment to begin to wait.
        let mut writes = 1;
        while graph.upsert_entity(PROJECT, &entity("Salvador")).await.unwrap() == Written::Now {
            writes += 1;
        }
        writes
    });
    let committing = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    bystander.until(&format!("SELECT count(*) {committing}"), 1).await;
    bystander.run("ALTER SYSTEM RESET synchronous_standby_names").await;
    bystander.run(&format!("SELECT pg_terminate_backend(pid) {committing}")).await;
    bystander.run("SELECT pg_reload_conf()").await;

    let writes = writing.await.unwrap();
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(writes));
    let failures = failures(&events, "graph.upsert_entity");
    assert_eq!(failures.len(), 1, "{failures:?}");
    server.restart(Shutdown::Fast).await;
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(writes));
}

/// The class of what a write under way sees of it.
async fn interrupted(server: &Server, url: &str, how: Shutdown) -> String {
    let (events, _log) = watch();
    let database = Database::open(url).await.unwrap();
    database.graph().upsert_entity(PROJECT, &entity("Salvador")).await.unwrap();
    let mut obstacle = Bystander::come(url).await;
    obstacle.stand_in_the_way().await;
    let writing = write(&database);
    Bystander::come(url).await.until_waiting(1).await;

    server.restart(how).await;

    assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(2));
    let failures = failures(&events, "graph.upsert_entity");
    assert_eq!(failures[0].attempt, 1);
    failures[0].class.clone().unwrap()
}

/// X0, J4: as long as nobody is there to connect to, it is tried again.
pub(crate) async fn a_server_that_refuses_connections_is_waited_for(server: &Server, url: &str) {
    let (events, _log) = watch();
    let database = Database::open(url).await.unwrap();
    server.stop().await;
    let place: PgConnectOptions = url.parse().unwrap();
    let refused = TcpStream::connect((place.get_host(), place.get_port())).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);

    let writing = write(&database);
    events.until(|event| event.is("pool_timeout")).await;
    server.restart(Shutdown::Fast).await;

    assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(1));
    let failures = failures(&events, "graph.upsert_entity");
    assert!(failures.iter().all(|failure| failure.reason.is_none()), "{failures:?}");
}

fn write(database: &Database) -> JoinHandle<Result<Written, StorageError>> {
    let graph = database.graph();
    tokio::spawn(async move { graph.upsert_entity(PROJECT, &entity("Salvador")).await })
}
