//! X2 (seed S2): a workflow service of three instances on one PostgreSQL: real processes that are
//! killed, an HTTP service that fails, a clock that is advanced.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_use;
mod normal_use;
mod storm;
mod weeks;

use std::future::Future;
use std::path::Path;

use steadfast_testing::postgres::Database;

/// The program of the example, which also runs the instances and the order service.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_example-workflows"))
}

/// Runs a case on an empty database.
fn on_a_database<F: Future<Output = ()>>(case: impl FnOnce(String) -> F) {
    // Blocks, so it is created before the runtime.
    let database = Database::fresh().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(case(database.url().to_owned()));
}
