//! What is PostgreSQL's own. What both engines promise is in the conformance suite.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod commit;
mod delivery;
mod plan;

use std::sync::Arc;

use sqlx::{Connection as _, PgConnection};
use steadfast_store::{Store, Task};
use steadfast_testing::postgres::Database;

/// A store in a database of its own.
struct Fixture {
    store: Store,
    connection: PgConnection,
    database: Arc<Database>,
}

/// Runs a test on a store of its own. The database is made before there is a runtime, for that
/// blocks, and dropped after it.
fn with_store(test: impl AsyncFnOnce(Fixture)) {
    let database = Arc::new(Database::fresh().unwrap_or_else(|error| panic!("{error}")));
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(database.url()).await.unwrap();
        let connection = PgConnection::connect(database.url()).await.unwrap();
        test(Fixture { store, connection, database: database.clone() }).await;
    });
}

fn task(number: u32) -> Task {
    Task::new("count", &number)
}
