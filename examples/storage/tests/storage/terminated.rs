//! Terminated sessions.

use example_storage::Written;
use steadfast::Class;

use crate::harness::{Bystander, PROJECT, calls, entity, open, sqlstate};

/// X0, J3: 57P01 is retried, on another connection.
pub(crate) async fn terminated_session_is_retried(url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    let mut bystander = Bystander::connect(url).await;
    let mut obstacle = Bystander::connect(url).await;
    obstacle.block_writes().await;

    let writer = graph.clone();
    let writing =
        tokio::spawn(async move { writer.upsert_entity(PROJECT, &entity("Salvador")).await });
    bystander.until_one_waits().await;
    bystander.terminate_waiting().await;
    obstacle.run("ROLLBACK").await;

    assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
    assert_eq!(graph.version(PROJECT, "Salvador").await.unwrap(), Some(1));
    let call = &calls(&records, "graph.upsert_entity")[0];
    assert_eq!((call.attempts.len(), call.success), (2, true), "{call:?}");
    assert_eq!(sqlstate(&call.attempts[0]), "57P01");
    assert_eq!(call.attempts[0].class, Some(Class::Retryable));
}
