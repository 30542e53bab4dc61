//! Tests of the PostgreSQL engine alone. Both engines pass the conformance suite.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod cancelled_claim;
mod commit;
mod health;
mod plan;

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use steadfast_store::{Store, Task};
use steadfast_testing::postgres::Database;

/// The time limit of a test, so that it fails instead of hanging.
const TEST_TIMEOUT: Duration = Duration::from_secs(120);

/// A store in a database of its own.
struct Fixture {
    store: Store,
    connection: PgConnection,
    url: String,
}

/// Runs a test on a store of its own. The database is created before the runtime, because that
/// blocks, and dropped after it.
fn with_store(test: impl AsyncFnOnce(Fixture)) {
    let database = Database::fresh().unwrap_or_else(|error| panic!("{error}"));
    with_store_at(database.url(), test);
}

/// The same in an existing database.
fn with_store_at(url: &str, test: impl AsyncFnOnce(Fixture)) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(url).await.unwrap();
        let connection = PgConnection::connect(url).await.unwrap();
        let test = test(Fixture { store, connection, url: url.to_owned() });
        tokio::time::timeout(TEST_TIMEOUT, test).await.expect("the test completes in time");
    });
}

fn task(number: u32) -> Task {
    Task::new("count", &number)
}
