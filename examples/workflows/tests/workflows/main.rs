//! X2 (seed S2): a workflow service of three instances on one PostgreSQL, for real: processes of
//! this example that are killed, an HTTP service that fails, a clock that is put forward.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_use;
mod normal_use;
mod storm;
mod weeks;

use std::future::Future;
use std::path::Path;

use steadfast_testing::postgres::Database;

/// The example itself: its instances and its shop are processes of it.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_example-workflows"))
}

/// Runs a case on a database with nothing in it.
fn on_a_database<F: Future<Output = ()>>(case: impl FnOnce(String) -> F) {
    // Blocks, so it is made before there is a runtime.
    let database = Database::fresh().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(case(database.url().to_owned()));
}
