//! PostgreSQL: a whole server for the fault suite and benchmarks, or one database of a
//! shared server for a test.
//!
//! A server takes a second or two to start and a database a tenth of one. So tests ask
//! for a [`Database`], and all those of a run share a server: the one that the variable
//! [`TEST_SERVER`] names, as `cargo xtask test` does, or else one that the test's process
//! starts for itself. What stops, crashes or freezes a server, or measures it, starts a
//! [`Cluster`] of its own. What shows something to a person asks for a [`Host`].
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
