//! Retries for Rust: policies, backoff, circuit breakers and retry budgets.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::{Jitter, Policy, retry};
//!
//! # async fn fetch(url: &str) -> std::io::Result<String> { Ok(url.to_owned()) }
//! # #[cfg(feature = "tokio")]
//! async fn page(url: &str) -> Result<String, Box<dyn std::error::Error>> {
//!     let policy = Policy::exponential(Duration::from_millis(500))
//!         .max_attempts(4)
//!         .jitter(Jitter::Full)
//!         .build()?;
//!     Ok(retry(&policy, || fetch(url)).await?)
//! }
//! ```
//!
//! # Concepts
//!
//! An operation runs under a policy, and its failures are classified by rules:
//!
//! ```text
//!    error ──facts──▶ Fault ──rules──▶ Class ┐
//!                                            ├──▶ decide ──▶ retry after a delay, or give up
//!    Policy ─────────────────────────────────┘
//! ```
//!
//! - A [`Policy`] is plain data: how many attempts, which delays, which faults. It is validated when
//!   it is built.
//! - A [`Fault`](struct@Fault) holds the facts of a failure: a 503, a SQLSTATE, a reset connection.
//!   Errors of [common crates](extract) report theirs; yours do with `#[derive(Fault)]`.
//! - A [`Class`] is final, retryable, rate limited or *unknown outcome*. [Rules](judge) map facts to
//!   classes; there are default rules.
//! - [`decide`] counts attempts, computes delays and gives up. It is pure: it reads no clock, draws no
//!   random numbers and does no I/O, so the async driver, the blocking driver and the durable store
//!   decide alike.
//!
//! # A guarded call
//!
//! ```
//! use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
//! use steadfast::{Attempt, Key, Policy, Reason, retry};
//! # use std::{io, time::Duration};
//! # fn insert(_: u32, _: &Key) -> io::Result<()> { Err(io::ErrorKind::ConnectionReset.into()) }
//!
//! let breaker = Breaker::new(BreakerSettings::consecutive(5, Duration::from_secs(30)))?;
//! let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 10.0 })?;
//! let policy = Policy::immediate().max_attempts(3).idempotent(false).build()?;
//!
//! let error = retry(&policy, |attempt: Attempt| insert(7, attempt.key()))
//!     .named("storage.insert")
//!     .breaker(&breaker)
//!     .budget(&budget)
//!     .call()
//!     .unwrap_err();
//!
//! assert_eq!(error.reason(), Reason::AttemptsExhausted);
//! assert_eq!(error.to_string(), "gave up after 3 attempts: attempts exhausted (connection_reset, connection reset)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An operation that returns a future is awaited; an operation that returns a result is
//! [called](Retry::call). Both decide alike.
//!
//! # Overview
//!
//! | topic | see |
//! |---|---|
//! | the fields of a policy | [`policy::Draft`] |
//! | built-in policies | [`policy::Draft::preset`] |
//! | default rules and custom rules | [`judge`] |
//! | supported errors, and support for your own | [`extract`], [`Failure`] |
//! | the settings of a call | [`Retry`] |
//! | the error of a call that gave up | [`RetryError`] |
//! | breakers and budgets | [`guard`] |
//! | logs, metrics and session records | [`observe`] |
//! | tower, reqwest, sqlx | [`layer`] |
//! | policy files with lookup by name and reload | `registry`, `file` |
//! | settings of other systems | `foreign` |
//!
//! # Features
//!
//! | feature | enables |
//! |---|---|
//! | `macros` (default) | `#[retry]`, `#[derive(Fault)]` |
//! | `tokio` (default) | tokio's timer; without it, pass an [environment](Retry::environment) |
//! | `tracing`, `metrics` | logs, metrics |
//! | `anyhow`, `http`, `hyper`, `reqwest`, `rustls`, `sqlx`, `tokio-postgres`, `tonic` | facts of the errors of these crates |
//! | `tower`, `reqwest-middleware`, `sqlx` | [integrations](layer) with these crates |
//! | `file` | policy files and the registry |
//! | `foreign` | import and export of other systems' settings; includes `file` |
//! | `openapi` | OpenAPI schemas, for the server of this project |
//!
//! # Cost
//!
//! A success under a plain policy needs no allocation, no lock and no clock: two instructions in a
//! blocking call. `bench/` compares it with other crates.
//!
//! A code such as J9 in this documentation refers to a clause of `docs/specification.md` in the
//! repository.

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private;
#[cfg(any(feature = "macros", feature = "reqwest-middleware"))]
#[cfg_attr(not(feature = "macros"), allow(unreachable_pub, reason = "macro output needs it"))]
mod borrow_slot;
pub mod decide;
pub mod drive;
pub mod duration;
pub mod fault;
#[cfg(feature = "file")]
pub mod file;
mod forward;
pub mod guard;
pub mod judge;
pub mod layer;
mod named_enum;
mod nearest;
#[doc(hidden)]
pub mod object;
pub mod observe;
#[cfg(feature = "openapi")]
#[doc(hidden)]
pub mod openapi;
pub mod policy;
#[cfg(feature = "file")]
pub mod registry;
#[doc(hidden)]
pub mod serde_integer;
mod sync;
mod text;
mod time;

pub use decide::Reason;
pub use drive::{
    Attempt, CancelHandle, Effect, GaveUp, Instrument, Key, Report, Retry, RetryError, retry,
};
pub use fault::{Failure, Fault, GrpcCode, Hint, Kind, SqlState, extract};
pub use judge::Class;
/// For this project's own crates.
#[doc(hidden)]
pub use nearest::nearest;
pub use policy::{Jitter, Policy};
#[cfg(feature = "macros")]
pub use steadfast_macros::{Fault, retry};
pub use time::Moment;
