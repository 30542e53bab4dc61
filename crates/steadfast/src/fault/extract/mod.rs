//! Extractors of facts from the errors of other crates, one file and one cargo feature each.
//!
//! | feature | errors |
//! |---|---|
//! | – | `std::io::Error`, [`ExitError`], `dyn Error`, boxed or not |
//! | `anyhow` | `anyhow::Error` |
//! | `http` | status and headers of a response, by `http_response` |
//! | `hyper` | `hyper::Error` |
//! | `reqwest` | `reqwest::Error` |
//! | `reqwest-middleware` | `reqwest_middleware::Error` |
//! | `rustls` | `rustls::Error` |
//! | `sqlx` | `sqlx::Error`, `dyn DatabaseError` |
//! | `tokio` | `tokio::time::error::Elapsed` |
//! | `tokio-postgres` | `tokio_postgres::Error`, `DbError` |
//! | `tonic` | `tonic::Status`, `TimeoutExpired`, by `grpc_status` without some signals |
//! | `tower` | `tower::timeout::error::Elapsed` |
//!
//! An extractor reports facts and classifies nothing (J1). To add one: a file here with an
//! `impl Failure`, a line in the list below, a feature in `Cargo.toml`.
//!
//! A wrapper must return what it wraps as its `source()`. A wrapper that is transparent to its cause
//! (`#[error(transparent)]`) hides a link of the chain and its facts; derive
//! [`Fault`](macro@crate::Fault) for such an error.

/// The methods of a [`Failure`] that is an [`Error`], except its facts.
macro_rules! cause_and_message {
    () => {
        fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
            std::error::Error::source(self)
        }

        fn message(&self) -> Option<String> {
            Some(self.to_string())
        }

        fn as_error(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(self)
        }
    };
}
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) use cause_and_message;

#[cfg(feature = "anyhow")]
mod anyhow;
mod dynamic;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "hyper")]
mod hyper;
mod io;
mod process;
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg(feature = "reqwest-middleware")]
mod reqwest_middleware;
#[cfg(feature = "rustls")]
mod rustls;
#[cfg(feature = "sqlx")]
mod sqlite;
#[cfg(feature = "sqlx")]
mod sqlx;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tokio-postgres")]
mod tokio_postgres;
#[cfg(feature = "tonic")]
mod tonic;
#[cfg(feature = "tower")]
mod tower;
#[cfg(any(feature = "hyper", feature = "sqlx"))]
mod transport_cause;

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Failure, Fault, MAX_CAUSES, walk};

#[cfg(feature = "http")]
pub use self::http::{http_response, http_response_with};
#[cfg(feature = "tonic")]
pub use self::tonic::grpc_status;
pub use process::ExitError;

/// Returns the facts of an error of its type.
type Extractor = fn(&(dyn Error + 'static)) -> Option<Fault>;

/// All extractors. Those of database errors also match behind a wrapper that is transparent to them.
const EXTRACTORS: &[Extractor] = &[
    facts::<std::io::Error>,
    facts::<ExitError>,
    #[cfg(feature = "hyper")]
    facts::<::hyper::Error>,
    #[cfg(feature = "reqwest")]
    facts::<::reqwest::Error>,
    #[cfg(feature = "reqwest-middleware")]
    facts::<::reqwest_middleware::Error>,
    #[cfg(feature = "rustls")]
    facts::<::rustls::Error>,
    #[cfg(feature = "sqlx")]
    facts::<::sqlx::Error>,
    #[cfg(feature = "sqlx")]
    facts::<Box<dyn ::sqlx::error::DatabaseError>>,
    #[cfg(feature = "tokio")]
    facts::<::tokio::time::error::Elapsed>,
    #[cfg(feature = "tokio-postgres")]
    facts::<::tokio_postgres::Error>,
    #[cfg(feature = "tokio-postgres")]
    facts::<::tokio_postgres::error::DbError>,
    #[cfg(feature = "tonic")]
    facts::<::tonic::Status>,
    #[cfg(feature = "tonic")]
    facts::<::tonic::TimeoutExpired>,
    #[cfg(feature = "tower")]
    facts::<::tower::timeout::error::Elapsed>,
    #[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
    facts::<crate::layer::LayerError>,
];

fn facts<E: Error + Failure + 'static>(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<E>(error).map(Failure::fault)
}

/// The facts of one link of a cause chain; empty if no extractor matches.
pub(crate) fn link(error: &(dyn Error + 'static)) -> Fault {
    EXTRACTORS.iter().find_map(|facts| facts(error)).unwrap_or_default()
}

/// Downcasts an error to `E`, `Box<E>` or `Arc<E>`.
pub(super) fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    error
        .downcast_ref::<E>()
        .or_else(|| error.downcast_ref::<Box<E>>().map(|boxed| &**boxed))
        .or_else(|| error.downcast_ref::<Arc<E>>().map(|shared| &**shared))
}

/// The facts of any error and of its causes.
///
/// For errors that do not implement [`Failure`]: pass it to [`Retry::facts`](crate::Retry::facts).
///
/// ```
/// use std::io;
/// use steadfast::{Kind, extract};
///
/// let reset = io::Error::from(io::ErrorKind::ConnectionReset);
/// let wrapped = io::Error::other(reset);
/// let fault = extract::chain(&wrapped);
/// assert_eq!(fault.causes[0].kind, Some(Kind::ConnectionReset));
/// ```
pub fn chain<E: Error + 'static>(error: &E) -> Fault {
    let mut links = all(Some(error)).into_iter();
    let mut outermost = links.next().unwrap_or_default();
    outermost.causes = links.collect();
    outermost.type_name.get_or_insert_with(|| std::any::type_name::<E>().into());
    outermost.message = Some(error.to_string());
    outermost
}

/// The facts of a [`Failure`] and of its causes: everything that a session judges it by.
///
/// ```
/// use std::io;
/// use steadfast::{Kind, extract};
///
/// let boxed: Box<dyn std::error::Error> = io::Error::from(io::ErrorKind::BrokenPipe).into();
/// assert_eq!(extract::failure(&boxed).kind, Some(Kind::BrokenPipe));
/// ```
pub fn failure<F: Failure + ?Sized>(failure: &F) -> Fault {
    let mut fault = failure.fault();
    fault.causes.extend(all(failure.cause()));
    fault.message = fault.message.or_else(|| failure.message());
    fault
}

/// The facts of each link, outermost first.
fn all(first: Option<&(dyn Error + 'static)>) -> Vec<Fault> {
    let mut links = Vec::new();
    walk::<()>(first, MAX_CAUSES, |fault| {
        links.push(fault.clone());
        ControlFlow::Continue(())
    });
    links
}
