//! Outages of the server.

use std::net::TcpStream;

use example_storage::{Database, StorageError, Written};
use sqlx::postgres::PgConnectOptions;
use steadfast::{Class, Kind};
use steadfast_testing::poll::eventually;
use steadfast_testing::postgres::Shutdown;
use tokio::task::JoinHandle;

use crate::harness::{Bystander, PROJECT, Server, entity, failures, open};

/// X0: an orderly stop reports 57P01 to all sessions and rolls back.
pub(crate) async fn write_survives_a_restart(server: &Server, url: &str) {
    assert_eq!(interrupted(server, url, Shutdown::Fast).await, Class::Retryable);
}

/// X0, J9: a crash reports nothing to the sessions.
pub(crate) async fn write_survives_a_crash(server: &Server, url: &str) {
    assert_eq!(interrupted(server, url, Shutdown::Immediate).await, Class::UnknownOutcome);
}

/// X0, J9: a session that is terminated during its commit has written, without a response.
pub(crate) async fn commit_cut_by_the_server_counts_once(server: &Server, url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    let writing = tokio::spawn(async move {
        let mut writes = 1;
        while graph.upsert_entity(PROJECT, &entity("Salvador")).await.unwrap() == Written::Now {
            writes += 1;
        }
        writes
    });
    assert_eq!(server.cut_in_commit().await, 1);

    let writes = writing.await.unwrap();
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(writes));
    let failures = failures(&records, "graph.upsert_entity");
    assert_eq!(failures.len(), 1, "{failures:?}");
    server.restart(Shutdown::Fast).await;
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(writes));
}

/// The class of the fault for a running write. The server may end the session that blocks it first,
/// and then the write can complete without a fault; it is repeated then.
async fn interrupted(server: &Server, url: &str, how: Shutdown) -> Class {
    const TRIES: u32 = 10;
    let (database, records) = open(url).await;
    database.graph().upsert_entity(PROJECT, &entity("Salvador")).await.unwrap();
    for done in 1..=TRIES {
        let mut obstacle = Bystander::connect(url).await;
        obstacle.block_writes().await;
        let writing = write(&database);
        Bystander::connect(url).await.until_one_waits().await;

        server.restart(how).await;

        assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
        let version = database.graph().version(PROJECT, "Salvador").await.unwrap();
        assert_eq!(version, Some(1 + i64::from(done)));
        if let Some(first) = failures(&records, "graph.upsert_entity").first() {
            assert_eq!(first.attempt_number, 1);
            return first.class.unwrap();
        }
    }
    panic!("{TRIES} writes completed before their session was ended")
}

/// X0, J4: a write is retried as long as the server is down.
pub(crate) async fn write_waits_for_a_server_that_is_down(server: &Server, url: &str) {
    let (database, records) = open(url).await;
    server.stop().await;
    let place: PgConnectOptions = url.parse().unwrap();
    let refused = TcpStream::connect((place.get_host(), place.get_port())).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);

    let writing = write(&database);
    eventually("the write is retried", async || !records.events().is_empty()).await;
    server.restart(Shutdown::Fast).await;

    assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
    assert_eq!(database.graph().version(PROJECT, "Salvador").await.unwrap(), Some(1));
    let first = &failures(&records, "graph.upsert_entity")[0];
    assert_eq!(first.fault.as_ref().unwrap().kind, Some(Kind::PoolTimeout));
}

fn write(database: &Database) -> JoinHandle<Result<Written, StorageError>> {
    let graph = database.graph();
    tokio::spawn(async move { graph.upsert_entity(PROJECT, &entity("Salvador")).await })
}
