//! Try again: the right errors, the right number of times, at the right moment.
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
//! # The idea
//!
//! Everything here is one sentence: *an operation is tried under a policy, and what goes wrong
//! is judged*. Each part of it is a thing of its own, and they meet in one place:
//!
//! ```text
//!    error ──facts──▶ Fault ──rules──▶ Class ┐
//!                                            ├──▶ decide ──▶ retry after d, or give up because
//!    Policy ─────────────────────────────────┘
//! ```
//!
//! - A [`Policy`] is plain data: how often, how long between, what for. It is checked when it
//!   is made, so one that exists is one that makes sense.
//! - A [`Fault`](struct@Fault) is the facts of a failure: a 503, a SQLSTATE, a reset connection. Errors of
//!   the [usual crates](extract) tell theirs; yours do with `#[derive(Fault)]`.
//! - A [`Class`] is what the facts mean: final, retryable, rate limited, or *it may have
//!   happened*. [Rules](judge) say so, the field's own by default.
//! - [`decide`] counts, delays and gives up. It is pure: it reads no clock, rolls no dice and
//!   does no I/O, which is why the async driver, the blocking driver and everything to come
//!   behave alike.
//!
//! # What a call can say
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
//! assert_eq!(error.to_string(), "gave up after 3 attempts: all attempts are used up (connection_reset, connection reset)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An operation that returns a future is awaited, one that returns a result is
//! [called](Retry::call). Both decide the same.
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | every field of a policy | [`policy::Draft`] |
//! | ready-made policies | [`policy::Draft::preset`] |
//! | what is retried by default, and rules of your own | [`judge`] |
//! | errors that are understood, and how to teach yours | [`extract`], [`Failure`] |
//! | everything that can be said of a call | [`Retry`] |
//! | the error at the end | [`RetryError`] |
//! | breakers and budgets | [`guard`] |
//! | logs, metrics, records | [`observe`] |
//! | tower, reqwest, sqlx | [`layer`] |
//! | policies in a file, found by name, reloaded | `registry`, `file` |
//! | settings of other systems | `foreign` |
//!
//! # Features
//!
//! | feature | gives |
//! |---|---|
//! | `macros` (default) | `#[retry]`, `#[derive(Fault)]` |
//! | `tokio` (default) | waiting by tokio's timer; without it, give an [environment](Retry::environment) |
//! | `tracing`, `metrics` | what happens, as logs and as metrics |
//! | `anyhow`, `http`, `hyper`, `reqwest`, `rustls`, `sqlx`, `tokio-postgres`, `tonic` | facts of their errors |
//! | `tower`, `reqwest-middleware`, `sqlx` | retrying [woven into](layer) them |
//! | `file` | the policy file and its registry |
//! | `foreign` | the same, and settings of other systems to and fro |
//!
//! # What it costs
//!
//! On success under a plain policy: no allocation, no lock, no clock, two instructions in a
//! blocking call. `bench/` measures it beside its peers.
//!
//! A code such as J9 in these pages names a clause: `docs/specification.md` in the repository says
//! what each promises.

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private;
#[cfg(any(feature = "macros", feature = "reqwest-middleware"))]
#[cfg_attr(not(feature = "macros"), allow(unreachable_pub, reason = "the macros' code needs it"))]
mod borrow_slot;
pub mod decide;
pub mod drive;
pub mod duration;
pub mod fault;
#[cfg(feature = "file")]
pub mod file;
#[cfg(feature = "foreign")]
pub mod foreign;
pub mod guard;
pub mod judge;
pub mod layer;
mod nearest;
#[doc(hidden)]
pub mod object;
pub mod observe;
pub mod policy;
#[cfg(feature = "file")]
pub mod registry;
#[doc(hidden)]
pub mod serde_integer;
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
