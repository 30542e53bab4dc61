//! Guards: what many sessions share so that their retries together do not make
//! an outage worse.
//!
//! One session can only see its own failures. Ten thousand sessions that each
//! behave well still hit a struggling service with ten thousand retries, so
//! something must be known in common: a [`Breaker`] knows that a service is
//! down and keeps calls away from it until it has shown signs of life; a
//! [`Budget`] knows how much retrying there has been and refuses more than a
//! share of it.
//!
//! A guard stands in the path of every call, the good ones above all. So it
//! never reads a clock (it is told the [`Moment`](crate::Moment)), never draws
//! a random number, takes no lock, and says through `needs_clock_on_success`
//! when a success need not even be timed.
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
//! // Closed: leave is given without a look at the clock.
//! let first: Permit = breaker.pass().ok_or("closed")?;
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
//! // Other settings, the same state; a probe that comes to nothing is given back.
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
#[doc(hidden)]
pub use session::{BreakerGuard, BudgetGuard};
pub(crate) use shared::GuardCell;
pub use shared::{NamedBreaker, NamedBudget, breakers, budgets, of};
