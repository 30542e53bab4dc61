//! Integrations with other crates: layers and middleware (I11).
//!
//! | feature | module | retries |
//! |---|---|---|
//! | `tower` | `tower` | the calls of a `tower::Service` |
//! | `reqwest-middleware` | `reqwest` | the requests of a `reqwest` client |
//! | `sqlx` | `sqlx` | whole transactions |
//!
//! A layer implements how its crate makes an attempt and how the result is returned to callers that
//! do not call [`retry`](fn@crate::retry) themselves. Counting, waiting and judging are left to the
//! session.

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod error;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest;
#[cfg(feature = "sqlx")]
pub mod sqlx;
#[cfg(feature = "tower")]
pub mod tower;

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub use error::LayerError;

/// The facts of an HTTP error response (J6).
///
/// Rules apply only to 4xx and 5xx responses: `any` means any failure, not any response.
#[cfg(feature = "http")]
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
fn response_fault(status: http::StatusCode, headers: &http::HeaderMap) -> Option<crate::Fault> {
    let is_error = status.is_client_error() || status.is_server_error();
    is_error.then(|| crate::extract::http_response(status, headers, std::time::SystemTime::now()))
}
