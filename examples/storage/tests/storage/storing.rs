//! Storing without faults.

use example_storage::{Database, Written};

use crate::harness::{PROJECT, calls, document, entity, open, relation};

/// S0: upsert entity. Every write is counted, per project.
pub(crate) async fn entity_versions_are_counted(url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    for expected in 1..=3 {
        let written = graph.upsert_entity(PROJECT, &entity("Salvador")).await.unwrap();
        assert_eq!(written, Written::Now);
        assert_eq!(graph.version(PROJECT, "Salvador").await.unwrap(), Some(expected));
    }
    assert_eq!(graph.version("another", "Salvador").await.unwrap(), None);
    let calls = calls(&records, "graph.upsert_entity");
    assert!(calls.iter().all(|call| call.success && call.attempts.len() == 1), "{calls:?}");
    assert_eq!(calls.len(), 3);
}

/// S0: upsert relation. It has a direction.
pub(crate) async fn relation_weight_grows_with_each_write(url: &str) {
    let graph = Database::open(url).await.unwrap().graph();
    for name in ["Ana", "Bia"] {
        graph.upsert_entity(PROJECT, &entity(name)).await.unwrap();
    }
    let there = relation("Ana", "Bia");
    for expected in 1..=3 {
        graph.upsert_relation(PROJECT, &there).await.unwrap();
        assert_eq!(graph.weight(PROJECT, &there).await.unwrap(), Some(expected));
    }
    assert_eq!(graph.weight(PROJECT, &relation("Bia", "Ana")).await.unwrap(), None);
    assert_eq!(graph.version(PROJECT, "Ana").await.unwrap(), Some(1));
}

/// S0: similarity query. Both forms measure the same distances.
pub(crate) async fn similar_documents_are_sorted_by_distance(url: &str) {
    let vectors = Database::open(url).await.unwrap().vectors();
    let documents =
        [("east", [1.0, 0.0, 0.0]), ("north", [0.0, 2.0, 0.0]), ("west", [-1.0, 0.0, 0.0])];
    for (id, embedding) in documents {
        vectors.upsert(PROJECT, &document(id, embedding)).await.unwrap();
    }
    vectors.upsert("another", &document("elsewhere", [1.0, 0.0, 0.0])).await.unwrap();

    let found = vectors.similar(PROJECT, &[3.0, 0.0, 0.0], 3).await.unwrap();
    let order: Vec<_> = found.iter().map(|near| near.id.as_str()).collect();
    assert_eq!(order, ["east", "north", "west"]);
    for (near, expected) in found.iter().zip([0.0, 1.0, 2.0]) {
        assert!((near.distance - expected).abs() < 1e-6, "{near:?}");
    }
    assert_eq!(found[0].content, "content of east");
    assert_eq!(vectors.similar(PROJECT, &[0.0, 1.0, 0.1], 1).await.unwrap()[0].id, "north");
}
