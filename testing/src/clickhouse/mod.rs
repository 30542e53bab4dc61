//! ClickHouse: a server per test, started in a quarter of a second.
//!
//! Debian ships an old version without most of what helps a client, which makes it a good test of a
//! client: no deduplication of inserts, only a query log, which is flushed to its table on request.
//!
//! ```
//! use steadfast_testing::clickhouse::Server;
//!
//! let server = Server::start()?;
//! // Send requests to server.url(); dropping `server` stops it.
//! # assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok::<(), steadfast_testing::Error>(())
//! ```

mod config;
mod program;
mod server;

pub use program::program;
pub use server::Server;
