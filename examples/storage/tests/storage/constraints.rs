//! Constraint violations are final.

use example_storage::StorageError;
use steadfast::Reason;

use crate::harness::{PROJECT, calls, document, entity, open, relation, sqlstate};

/// X0, J3, S0: 23514 ends the session at its first attempt.
pub(crate) async fn violated_constraint_is_not_retried(url: &str) {
    let (database, records) = open(url).await;
    let vectors = database.vectors();
    let nameless = document("", [1.0, 0.0, 0.0]);
    let error = vectors.upsert(PROJECT, &nameless).await.unwrap_err();
    let StorageError::Database(sqlx::Error::Database(error)) = error else {
        panic!("another error: {error}")
    };
    assert_eq!(error.code().as_deref(), Some("23514"));

    let call = &calls(&records, "vector.upsert")[0];
    assert_eq!((call.attempts.len(), call.reason), (1, Some(Reason::Final)));
    assert_eq!(sqlstate(&call.attempts[0]), "23514");
    assert_eq!(vectors.version(PROJECT, "").await.unwrap(), None);
}

/// S0: an invalid argument is final, and its attempt's key is rolled back.
pub(crate) async fn relation_of_missing_entities_is_not_retried(url: &str) {
    let (database, records) = open(url).await;
    let graph = database.graph();
    graph.upsert_entity(PROJECT, &entity("Ana")).await.unwrap();
    let lonely = relation("Ana", "Unknown");
    let error = graph.upsert_relation(PROJECT, &lonely).await.unwrap_err();
    assert!(matches!(&error, StorageError::NoSuchEntity { name, .. } if name == "Unknown"));
    assert!(error.to_string().contains("upsert it before its relations"), "{error}");

    let call = &calls(&records, "graph.upsert_relation")[0];
    assert_eq!((call.attempts.len(), call.reason), (1, Some(Reason::Final)));
    assert_eq!(graph.weight(PROJECT, &lonely).await.unwrap(), None);
}
