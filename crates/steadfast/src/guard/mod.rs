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

pub mod breaker;
pub mod budget;
pub(crate) mod session;
pub(crate) mod shared;
mod sync;

pub use breaker::{Breaker, BreakerSettings};
pub use breaker::{Rejection, Transition};
pub use budget::{Budget, BudgetSettings};
pub(crate) use session::PolicyGuards;
pub use session::{Guarded, Spending};
pub(crate) use shared::GuardCell;
