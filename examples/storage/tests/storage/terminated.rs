//! Sessions that an administrator ends.

use example_storage::{Database, Written};

use crate::harness::{Bystander, PROJECT, entity, failures, watch};

/// X0, J3: 57P01 is tried again, on another connection.
pub(crate) async fn a_terminated_session_is_tried_again(url: &str) {
    let (events, _log) = watch();
    let graph = Database::open(url).await.unwrap().graph();
    let mut bystander = Bystander::come(url).await;
    let mut obstacle = Bystander::come(url).await;
    obstacle.stand_in_the_way().await;

    let writer = graph.clone();
    let writing =
        tokio::spawn(async move { writer.upsert_entity(PROJECT, &entity("Salvador")).await });
    bystander.until_waiting(1).await;
    bystander.terminate_waiting().await;
    events.until(|event| event.is("57P01")).await;
    obstacle.run("ROLLBACK").await;

    assert_eq!(writing.await.unwrap().unwrap(), Written::Now);
    assert_eq!(graph.version(PROJECT, "Salvador").await.unwrap(), Some(1));
    let failures = failures(&events, "graph.upsert_entity");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].class.as_deref(), Some("retryable"));
    assert_eq!((failures[0].attempt, &failures[0].reason), (1, &None));
}
