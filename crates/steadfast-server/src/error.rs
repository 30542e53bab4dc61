//! Errors that keep the server from starting or running.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use steadfast::file::Problems;
use steadfast_store::StoreError;
use steadfast_worker::handlers::HandlerError;

use crate::http::TlsError;

/// An error that keeps the server from starting or running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be bound.
    #[error(
        "cannot listen on {address}: {source}; stop the process that listens there or choose another address"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The address is public and no tokens are configured (K1).
    #[error(
        "{0} is reachable from other machines and authentication is off; create a token with \
         `steadfast token new` and pass its file with `--tokens`, or listen on a loopback address \
         such as 127.0.0.1:7700"
    )]
    Public(SocketAddr),
    /// The tokens file is invalid.
    #[error("{0}")]
    Tokens(#[from] Problems),
    /// The tokens file has no tokens.
    #[error("{}: no tokens; add one with `steadfast token new --into`", .0.display())]
    NoTokens(PathBuf),
    /// The certificate or its key cannot be used.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// The embedded worker cannot run.
    #[error("cannot run the worker: {0}")]
    Worker(#[source] StoreError),
    /// The HTTP client for `http` tasks cannot be created.
    #[error("cannot run http tasks: {0}")]
    Http(#[source] HandlerError),
}
