//! Connections lost during a commit, with an unknown outcome.
//!
//! The policy of an upsert has `idempotent = false`. It is still retried, because it uses its key
//! (J9), and the ledger makes that safe.

use example_storage::{Database, Written};
use steadfast::Class;
use steadfast_testing::poll::eventually;

use crate::harness::{Bystander, PROJECT, document, entity, failures, open, relation};
use crate::proxy::{Cut, Proxy};

/// X0, J9: the server has committed, and the response is lost. Neither the version nor the weight is
/// counted twice.
pub(crate) async fn commit_with_a_lost_response_counts_once(url: &str) {
    let proxy = Proxy::before(url).await;
    let (database, records) = open(&proxy.url).await;
    let graph = database.graph();

    for name in ["Ana", "Bia"] {
        proxy.cut_next(Cut::Answer(b"COMMIT"));
        assert_eq!(graph.upsert_entity(PROJECT, &entity(name)).await.unwrap(), Written::Before);
        assert_eq!(graph.version(PROJECT, name).await.unwrap(), Some(1));
    }
    let there = relation("Ana", "Bia");
    proxy.cut_next(Cut::Answer(b"COMMIT"));
    assert_eq!(graph.upsert_relation(PROJECT, &there).await.unwrap(), Written::Before);
    assert_eq!(graph.weight(PROJECT, &there).await.unwrap(), Some(1));

    for (operation, expected) in [("graph.upsert_entity", 2), ("graph.upsert_relation", 1)] {
        let failures = failures(&records, operation);
        assert_eq!(failures.len(), expected, "{failures:?}");
        for failure in failures {
            assert_eq!(failure.class, Some(Class::UnknownOutcome));
        }
    }
}

/// X0, J9: the client gets the same error, but nothing was committed.
pub(crate) async fn commit_that_never_arrived_counts_once(url: &str) {
    let proxy = Proxy::before(url).await;
    let (database, records) = open(&proxy.url).await;
    let graph = database.graph();

    proxy.cut_next(Cut::Request(b"COMMIT"));
    assert_eq!(graph.upsert_entity(PROJECT, &entity("Ana")).await.unwrap(), Written::Now);
    assert_eq!(graph.version(PROJECT, "Ana").await.unwrap(), Some(1));
    let failures = failures(&records, "graph.upsert_entity");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].class, Some(Class::UnknownOutcome));
}

/// X0, J9: a transaction that never began has not written. Its key was used from the start; otherwise
/// it would not be retried.
pub(crate) async fn transaction_that_never_started_is_retried(url: &str) {
    let proxy = Proxy::before(url).await;
    let (database, records) = open(&proxy.url).await;
    let graph = database.graph();
    for name in ["Ana", "Bia"] {
        proxy.cut_next(Cut::Request(b"BEGIN"));
        assert_eq!(graph.upsert_entity(PROJECT, &entity(name)).await.unwrap(), Written::Now);
    }
    proxy.cut_next(Cut::Request(b"BEGIN"));
    let there = relation("Ana", "Bia");
    assert_eq!(graph.upsert_relation(PROJECT, &there).await.unwrap(), Written::Now);
    for (operation, expected) in [("graph.upsert_entity", 2), ("graph.upsert_relation", 1)] {
        let failures = failures(&records, operation);
        assert_eq!(failures.len(), expected, "{failures:?}");
        assert!(failures.iter().all(|one| one.class == Some(Class::UnknownOutcome)));
    }
}

/// X0, J9: the same for a single statement without an explicit transaction.
pub(crate) async fn document_with_a_lost_response_counts_once(url: &str) {
    let proxy = Proxy::before(url).await;
    let vectors = Database::open(&proxy.url).await.unwrap().vectors();
    let cuts = [
        ("response lost", Cut::Answer(b"response lost"), Written::Before),
        ("request lost", Cut::Request(b"request lost"), Written::Now),
    ];
    for (id, cut, expected) in cuts {
        proxy.cut_next(cut);
        let written = vectors.upsert(PROJECT, &document(id, [1.0, 0.0, 0.0])).await.unwrap();
        assert_eq!(written, expected, "{id}");
        assert_eq!(vectors.version(PROJECT, id).await.unwrap(), Some(1), "{id}");
    }
}

/// X0: another client may write between an attempt with a lost response and the next.
pub(crate) async fn repeated_write_does_not_overwrite_a_newer_one(url: &str) {
    let proxy = Proxy::before(url).await;
    let through = Database::open(&proxy.url).await.unwrap().vectors();
    let direct = Database::open(url).await.unwrap().vectors();
    let old = document("contested", [1.0, 0.0, 0.0]);
    let mut new = old.clone();
    new.content = "newer".to_owned();

    proxy.cut_next(Cut::Answer(b"contested"));
    let repeated = tokio::spawn(async move { through.upsert(PROJECT, &old).await });
    // The next attempt is half a second after the commit.
    eventually("the first attempt is committed", async || {
        direct.version(PROJECT, "contested").await.unwrap().is_some()
    })
    .await;
    assert_eq!(direct.upsert(PROJECT, &new).await.unwrap(), Written::Now);
    assert_eq!(repeated.await.unwrap().unwrap(), Written::Before);

    assert_eq!(direct.version(PROJECT, "contested").await.unwrap(), Some(2));
    let found = direct.similar(PROJECT, &[1.0, 0.0, 0.0], 1).await.unwrap();
    assert_eq!(found[0].content, "newer");
    assert_eq!(Bystander::connect(url).await.count("SELECT count(*) FROM written").await, 2);
}
