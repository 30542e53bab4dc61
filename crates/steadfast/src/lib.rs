//! Retries for Rust: policies, backoff, circuit breakers and retry budgets.
//!
//! # Retry an async call
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
//! # Retry a blocking call
//!
//! An operation that returns a result instead of a future is [called](Retry::call); both decide alike.
//!
//! ```no_run
//! use std::net::TcpStream;
//! use steadfast::{Policy, retry};
//!
//! let policy = Policy::default(); // three attempts, after 1 s and 2 s
//! let stream = retry(&policy, || TcpStream::connect("db:5432")).call()?;
//! # Ok::<(), steadfast::RetryError<std::io::Error>>(())
//! ```
//!
//! # Your own error type
//!
//! Report facts; the rules decide what is retried.
//!
//! ```
//! # #[cfg(feature = "macros")] {
//! use steadfast::{Fault, Policy, Reason, retry};
//!
//! #[derive(Debug, Fault)]
//! enum LookupError {
//!     #[fault(kind = "timeout")]
//!     Slow,
//!     #[fault(http = status)]
//!     Response { status: u16 },
//! }
//! # impl std::fmt::Display for LookupError {
//! #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
//! # }
//! # _ = LookupError::Slow;
//!
//! let lookup = || Err::<(), _>(LookupError::Response { status: 404 });
//! let error = retry(&Policy::default(), lookup).call().unwrap_err();
//! assert_eq!(error.reason(), Reason::Final);
//! # }
//! ```
//!
//! # A breaker and a budget
//!
//! Sessions share guards, so that retries do not make an outage worse.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
//! use steadfast::{Policy, Reason, retry};
//! # fn insert(_: u32) -> std::io::Result<()> { Err(std::io::ErrorKind::ConnectionReset.into()) }
//!
//! let breaker = Breaker::new(BreakerSettings::consecutive(5, Duration::from_secs(30)))?;
//! let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 10.0 })?;
//! let policy = Policy::immediate().max_attempts(3).build()?;
//!
//! let error = retry(&policy, || insert(7)).breaker(&breaker).budget(&budget).call().unwrap_err();
//! assert_eq!(error.reason(), Reason::AttemptsExhausted);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A policy file
//!
//! A subsystem names its operation; the file has the policy, and may change while the program runs.
//!
//! ```
//! # #[cfg(feature = "file")] {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("steadfast.yaml");
//! # std::fs::write(&path, "{version: 1.1.0, policies: {storage.insert: {max_attempts: 5}}}")?;
//! use steadfast::registry::Registry;
//! # fn insert(_: u32) -> std::io::Result<()> { Ok(()) }
//!
//! let steadfast = Registry::load(&path)?;
//! steadfast.run("storage.insert", || insert(7)).call()?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
//! | retry settings of other systems | the crate `steadfast-import` |
//! | tests without waiting | `testing` |
//!
//! # Features
//!
//! | feature | enables |
//! |---|---|
//! | `macros` (default) | `#[retry]`, `#[derive(Fault)]` |
//! | `tokio` (default) | tokio's timer; without it, pass [another runtime's](Retry::sleep) |
//! | `serde` | policies, faults and decisions as JSON and in other formats; fields by name |
//! | `tracing`, `metrics` | logs, metrics |
//! | `record` | session records, events and the list of sessions; includes `serde` |
//! | `anyhow`, `http`, `hyper`, `reqwest`, `rustls`, `sqlx`, `tokio-postgres`, `tonic` | facts of the errors of these crates |
//! | `tower`, `reqwest-middleware`, `sqlx` | [integrations](layer) with these crates |
//! | `file` | policy files and the registry; includes `record` |
//! | `testing` | virtual time, scripted outcomes and injected faults for tests |
//! | `openapi` | OpenAPI schemas, for the server of this project; includes `record` |
//!
//! Without features the library depends on a few small crates and on no serialization. It needs Rust
//! 1.88, or what the crate of a feature needs if that is newer.
//!
//! # WebAssembly
//!
//! `wasm32-unknown-unknown` has no clock, no threads and no entropy, and the library compiles there with
//! `default-features = false`. Pass an [environment](Retry::environment) to every call: an
//! [`Environment`](drive::Environment) that returns the time and draws random numbers, and a
//! [`Sleeper`](drive::Sleeper) that waits with the host's timer. [`drive::Real`], the features `record` and
//! `tracing`, and a [`Key`] that is not passed would need what the target lacks.
//!
//! # Cost
//!
//! A success under a plain policy needs no allocation, no lock and no clock: two instructions in a
//! blocking call. `bench/` compares it with other crates.
//!
//! A code such as J9 in this documentation refers to a clause of `docs/specification.md` in the
//! repository.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "macros", feature = "serde"))]
#[doc(hidden)]
pub mod __private;
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
#[cfg(feature = "serde")]
mod nearest;
pub mod observe;
pub mod policy;
#[cfg(feature = "file")]
pub mod registry;
mod sync;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod time;

pub use decide::Reason;
pub use drive::{
    Attempt, CancelHandle, Effect, GaveUp, Instrument, Key, Report, Retry, RetryError, retry,
    retry_with_context,
};
pub use fault::{Failure, Fault, GrpcCode, Hint, Kind, SqlState, extract};
pub use judge::Class;
pub use policy::{Jitter, Policy};
#[cfg(feature = "macros")]
pub use steadfast_macros::{Fault, retry};
pub use time::Moment;
