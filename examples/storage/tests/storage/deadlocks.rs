//! Transactions that wait for each other.

use example_storage::Relation;
use steadfast::Class;

use crate::harness::{PROJECT, entity, failures, open, relation, sqlstate};

/// X0, J3: 40P01 is tried again, and both writes are done once. Opposite relations take the
/// same locks in opposite order; whether they meet is up to them, so they get several chances.
pub(crate) async fn a_deadlock_is_tried_again(url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    for name in ["Ana", "Bia"] {
        graph.upsert_entity(PROJECT, &entity(name)).await.unwrap();
    }
    let mut rounds = 0;
    while failures(&records, "graph.upsert_relation").is_empty() {
        rounds += 1;
        let upsert = |relation: Relation| {
            let graph = graph.clone();
            tokio::spawn(async move { graph.upsert_relation(PROJECT, &relation).await })
        };
        let (there, back) = (upsert(relation("Ana", "Bia")), upsert(relation("Bia", "Ana")));
        there.await.unwrap().unwrap();
        back.await.unwrap().unwrap();
    }
    for relation in [relation("Ana", "Bia"), relation("Bia", "Ana")] {
        assert_eq!(graph.weight(PROJECT, &relation).await.unwrap(), Some(rounds));
    }
    for failure in failures(&records, "graph.upsert_relation") {
        assert_eq!(sqlstate(&failure), "40P01");
        assert_eq!(failure.class, Some(Class::Retryable));
    }
}
