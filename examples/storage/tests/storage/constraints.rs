//! What is wrong stays wrong.

use example_storage::{Database, StorageError};

use crate::harness::{PROJECT, document, entity, failures, relation, watch};

/// X0, J3, S0: 23514 ends the session at its first attempt.
pub(crate) async fn a_violated_constraint_is_not_tried_again(url: &str) {
    let (events, _log) = watch();
    let vectors = Database::open(url).await.unwrap().vectors();
    let nameless = document("", [1.0, 0.0, 0.0]);
    let error = vectors.upsert(PROJECT, &nameless).await.unwrap_err();
    let StorageError::Database(sqlx::Error::Database(error)) = error else {
        panic!("another error: {error}")
    };
    assert_eq!(error.code().as_deref(), Some("23514"));

    let failures = failures(&events, "vector.upsert");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].is("23514"), "{failures:?}");
    assert_eq!((failures[0].attempt, failures[0].reason.as_deref()), (1, Some("final")));
    assert_eq!(vectors.version(PROJECT, "").await.unwrap(), None);
}

/// S0: nor is an argument that is wrong; and what its attempt had claimed is given back.
pub(crate) async fn a_relation_of_nothing_is_not_tried_again(url: &str) {
    let (events, _log) = watch();
    let graph = Database::open(url).await.unwrap().graph();
    graph.upsert_entity(PROJECT, &entity("Ana")).await.unwrap();
    let lonely = relation("Ana", "Nobody");
    let error = graph.upsert_relation(PROJECT, &lonely).await.unwrap_err();
    assert!(matches!(&error, StorageError::NoSuchEntity { name, .. } if name == "Nobody"));
    assert!(error.to_string().contains("upsert it before its relations"), "{error}");

    let failures = failures(&events, "graph.upsert_relation");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!((failures[0].attempt, failures[0].reason.as_deref()), (1, Some("final")));
    assert_eq!(graph.weight(PROJECT, &lonely).await.unwrap(), None);
}
