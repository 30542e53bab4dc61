//! Guards: circuit breakers and retry budgets that sessions share.
//!
//! A session sees only its own failures. Ten thousand well-behaved sessions still hit a struggling
//! service with ten thousand retries, so they share state: a [`Breaker`] rejects calls to a service
//! that is down until a probe succeeds; a [`Budget`] limits retries to a share of the calls.
//!
//! A guard is on the path of every call, successful calls above all. So it never reads a clock (the
//! [`Moment`](crate::Moment) is an argument), draws no random numbers, takes no lock, and reports
//! through `needs_clock_on_success` whether a success needs the time at all.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::Moment;
//! use steadfast::guard::breaker::{BreakerSnapshot, Permit, Rejection, Transition};
//! use steadfast::guard::{Breaker, BreakerSettings};
//!
//! let half_of_ten = BreakerSettings::rate_over_calls(0.5, 10, Duration::from_secs(5))
//!     .minimum_volume(2)
//!     .growing(2.0, Duration::from_secs(60))
//!     .count_final(true);
//! let breaker = Breaker::new(half_of_ten)?;
//! let now = Moment::from_nanos(1_000);
//!
//! // Closed: a permit needs no time.
//! let first: Permit = breaker.try_acquire().ok_or("closed")?;
//! let second = breaker.acquire(now)?;
//! assert!(!first.is_probe() && !breaker.needs_clock_on_success());
//! assert_eq!(breaker.failure(first, now, None), None);
//! let opened: Option<Transition> = breaker.failure(second, now, None);
//! assert!(opened.is_some());
//!
//! let Rejection { retry_after, .. } = breaker.acquire(now).unwrap_err();
//! assert_eq!(retry_after, Some(Duration::from_secs(5)));
//! let BreakerSnapshot { failure_count, .. } = breaker.snapshot(now);
//! assert_eq!(failure_count, 2);
//!
//! // Other settings, the same state; the permit of a probe without a result is released.
//! let breaker = breaker.with_settings(BreakerSettings::consecutive(3, Duration::from_secs(1)))?;
//! let probe = breaker.acquire(now + Duration::from_secs(60))?;
//! assert!(probe.is_probe() && probe.transition().is_some());
//! breaker.ignore(probe);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod breaker;
pub mod budget;
mod named_guards;
pub(crate) mod session;
pub(crate) mod shared;
mod sync;

pub use breaker::{Breaker, BreakerSettings};
pub use breaker::{Rejection, Transition};
pub use budget::{Budget, BudgetSettings};
pub use session::PolicyGuards;
pub(crate) use session::{BreakerGuard, BudgetGuard};
pub(crate) use shared::GuardCell;
pub use shared::{NamedBreaker, NamedBudget, breakers, budgets, for_policy};
