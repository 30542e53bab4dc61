//! ClickHouse: a whole server for whoever asks, up in a quarter of a second.
//!
//! Debian ships one that is old enough to lack most of what a client could lean on, which
//! makes it a good test of a client: no deduplication of inserts, only a log of queries.
//! The log is kept here, and written to its table when a client asks for that.
//!
//! ```
//! use steadfast_testing::clickhouse::Server;
//!
//! let server = Server::start()?;
//! // Send requests to server.url(); it is gone together with `server`.
//! # assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), steadfast_testing::Error>(())
//! ```

mod config;
mod program;
mod server;

pub use program::program;
pub use server::Server;
