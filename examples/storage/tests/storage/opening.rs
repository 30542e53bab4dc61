//! Opening a database.

use example_storage::Database;

use crate::harness::{Bystander, PROJECT, document};

/// X0: the extensions if the server has them, otherwise plain tables.
pub(crate) async fn form_follows_the_server_extensions(url: &str) {
    let database = Database::open(url).await.unwrap();
    let mut bystander = Bystander::connect(url).await;
    let available = "SELECT count(*) FROM pg_available_extensions WHERE name IN ('age', 'vector')";
    let words = match bystander.count(available).await {
        2 => "a graph of Apache AGE",
        _ => "plain tables",
    };
    assert!(database.form().to_string().starts_with(words), "{}", database.form());
}

/// Ten instances may start together.
pub(crate) async fn database_is_opened_concurrently(url: &str) {
    let opening: Vec<_> = (0..10)
        .map(|_| {
            let url = url.to_owned();
            tokio::spawn(async move { Database::open(&url).await.map(drop) })
        })
        .collect();
    for opened in opening {
        opened.await.unwrap().unwrap();
    }
}

/// Keys that no session needs any more are deleted.
pub(crate) async fn old_keys_are_pruned(url: &str) {
    Database::open(url).await.unwrap();
    let mut bystander = Bystander::connect(url).await;
    bystander
        .run("INSERT INTO written VALUES ('old', now() - interval '1 day'), ('new', now())")
        .await;
    Database::open(url).await.unwrap();
    assert_eq!(bystander.count("SELECT count(*) FROM written").await, 1);
    assert_eq!(bystander.count("SELECT count(*) FROM written WHERE key = 'new'").await, 1);
}

/// A long-running program opens its database once, and also deletes old keys.
pub(crate) async fn old_keys_are_pruned_regularly(url: &str) {
    let vectors = Database::open(url).await.unwrap().vectors();
    let mut bystander = Bystander::connect(url).await;
    bystander.run("INSERT INTO written VALUES ('old', now() - interval '1 day')").await;
    let old = "SELECT count(*) FROM written WHERE key = 'old'";
    let mut writes = 0;
    while bystander.count(old).await == 1 {
        vectors.upsert(PROJECT, &document("a", [1.0, 0.0, 0.0])).await.unwrap();
        writes += 1;
        assert!(writes <= 1000, "old keys are never deleted");
    }
    assert_eq!(bystander.count("SELECT count(*) FROM written").await, writes);
}
