//! Deadlocks.

use steadfast::Class;

use crate::harness::{Bystander, PROJECT, entity, failures, open, relation, sqlstate};

/// X0, J3: 40P01 is retried, and the write is done once. Another session locks the relations and then
/// the ledger, which the write holds while it waits for the relations. The other session has a longer
/// deadlock timeout, so the server aborts the write, unless the timing is off: then it is repeated.
pub(crate) async fn deadlock_is_retried(url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    for name in ["Ana", "Bia"] {
        graph.upsert_entity(PROJECT, &entity(name)).await.unwrap();
    }
    let knows = relation("Ana", "Bia");
    let mut bystander = Bystander::connect(url).await;
    bystander.run("SET deadlock_timeout = '10s'").await;
    let mut writes = 0;
    while failures(&records, "graph.upsert_relation").is_empty() {
        bystander.hold_relations().await;
        let meets = async {
            bystander.until_one_waits().await;
            bystander.try_run("LOCK TABLE written IN ACCESS EXCLUSIVE MODE").await;
            bystander.run("ROLLBACK").await;
        };
        let (written, ()) = tokio::join!(graph.upsert_relation(PROJECT, &knows), meets);
        written.unwrap();
        writes += 1;
    }
    assert_eq!(graph.weight(PROJECT, &knows).await.unwrap(), Some(writes));
    for failure in failures(&records, "graph.upsert_relation") {
        assert_eq!(sqlstate(&failure), "40P01");
        assert_eq!(failure.class, Some(Class::Retryable));
    }
}
