//! Layers: retrying woven into other crates (I11).
//!
//! | feature | module | tries |
//! |---|---|---|
//! | `tower` | `tower` | the calls of a `tower::Service` |
//! | `reqwest-middleware` | `reqwest` | the requests of a `reqwest` client |
//! | `sqlx` | `sqlx` | whole transactions |
//!
//! A layer knows how an attempt is made in its crate, and how what is left at
//! the end is handed to people who did not call [`retry`](fn@crate::retry)
//! themselves. It counts nothing, waits for nothing and judges nothing: all of
//! that is the session's.

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod error;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod guards;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest;
#[cfg(feature = "sqlx")]
pub mod sqlx;
#[cfg(feature = "tower")]
pub mod tower;

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub use error::GivenUp;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) use error::facts as given_up_facts;

/// The facts of an HTTP answer that will not do: one that says it is an error (J6).
///
/// Any other is as good as it gets, and rules are not asked about it: `any` means any
/// failure, not any answer.
#[cfg(feature = "http")]
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
fn answer(status: http::StatusCode, headers: &http::HeaderMap) -> Option<crate::Fault> {
    let is_error = status.is_client_error() || status.is_server_error();
    is_error.then(|| crate::extract::http_response(status, headers, std::time::SystemTime::now()))
}
