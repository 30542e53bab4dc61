//! PostgreSQL: a server for the fault suite and benchmarks, or a database on a shared server for a
//! test.
//!
//! A server takes a second or two to start, a database a tenth of a second. So tests use a [`Database`],
//! and all tests of a run share a server: the one in the variable [`TEST_SERVER`], which
//! `cargo xtask test` sets, or else one that the test's process starts. Code that stops, crashes,
//! freezes or measures a server starts its own [`Cluster`]. Examples use a [`Host`].
//!
//! ```
//! use steadfast_testing::postgres::Database;
//!
//! let database = Database::fresh()?;
//! // Connect to database.url(); it is dropped together with `database`.
//! # assert!(database.url().starts_with("postgres"));
//! # Ok::<(), steadfast_testing::Error>(())
//! ```

mod cluster;
mod database;
mod freeze;
mod host;
mod launch;
mod pooler;
mod programs;
mod psql;
mod server;
mod system;
mod url;

pub use cluster::{Cluster, Settings};
pub use database::{Database, TEST_SERVER};
pub use host::Host;
pub use pooler::{Pooler, pgbouncer};
pub use programs::programs;
pub use server::Shutdown;
pub use system::System;
