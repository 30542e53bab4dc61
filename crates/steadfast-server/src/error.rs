//! Why a server cannot serve.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use steadfast_store::StoreError;
use steadfast_worker::handlers::HandlerFault;

use crate::auth::TokenProblems;
use crate::http::tls::TlsError;

/// Why a server cannot serve, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be had.
    #[error(
        "cannot listen on {address}: {source}; end what listens there, or choose another address"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Everybody in reach could do everything (K1).
    #[error(
        "{0} can be reached by others, and nobody would be asked who they are; make a token with \
         `steadfast token new` and name its file with `--tokens`, or listen on a loopback address \
         such as 127.0.0.1:7700"
    )]
    Public(SocketAddr),
    /// The tokens file cannot be used.
    #[error("{0}")]
    Tokens(#[from] TokenProblems),
    /// Nobody could come in.
    #[error("{}: there is no token in it; add one with `steadfast token new --into`", .0.display())]
    NoTokens(PathBuf),
    /// The certificate or its key cannot be used.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// The worker beside the server cannot be run as it was told.
    #[error("the worker cannot run: {0}")]
    Worker(#[source] StoreError),
    /// The system's certificates cannot be used for outgoing calls.
    #[error("tasks of the kind http cannot be done: {0}")]
    Http(#[source] HandlerFault),
}
