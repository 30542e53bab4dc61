//! Integrations with other crates: layers and middleware (I11).
//!
//! | feature | module | retries |
//! |---|---|---|
//! | `http` | `http` | responses of HTTP clients, by [`Retry::http`](crate::Retry::http) |
//! | `reqwest-middleware` | `reqwest` | the requests of a `reqwest` client |
//! | `tower` | `tower` | the calls of a `tower::Service` |
//! | `sqlx` | `sqlx` | whole transactions |
//!
//! A layer implements how its crate makes an attempt and how the result is returned to callers that
//! do not call [`retry`](fn@crate::retry) themselves. Counting, waiting and judging are left to the
//! session.
//!
//! # HTTP
//!
//! Where a program makes its calls in a few places, `http()` is the plainest way:
//!
//! ```no_run
//! # #[cfg(all(feature = "reqwest", feature = "tokio"))]
//! # async fn run(client: reqwest::Client, url: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let policy = steadfast::Policy::exponential(std::time::Duration::from_millis(200)).build()?;
//! let response = steadfast::retry(&policy, || client.get(url).send()).http().await?;
//! # Ok(())
//! # }
//! ```
//!
//! The middleware and the tower layer cover every call of a client. They also know the request: its
//! method, its body and its headers.

#[cfg(feature = "http")]
mod attempt_headers;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod error;
#[cfg(feature = "http")]
pub mod http;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod options;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod request_policy;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod span;
#[cfg(feature = "sqlx")]
pub mod sqlx;
#[cfg(feature = "tower")]
pub mod tower;

#[cfg(feature = "http")]
pub use attempt_headers::{AttemptHeaders, RETRY_ATTEMPT};
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub use error::LayerError;

/// The facts of an HTTP error response (J6).
///
/// Rules apply only to 4xx and 5xx responses: `any` means any failure, not any response.
#[cfg(feature = "http")]
fn response_fault(
    signals: crate::fault::RetrySignals,
    status: ::http::StatusCode,
    headers: &::http::HeaderMap,
) -> Option<crate::Fault> {
    let is_error = status.is_client_error() || status.is_server_error();
    let now = std::time::SystemTime::now;
    is_error.then(|| crate::extract::http_response_with(signals, status, headers, now()))
}
