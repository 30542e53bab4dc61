//! What a retry policy does to a service, before an outage does it.
//!
//! One client that tries again is polite. Ten thousand that try again together are an attack,
//! and whether they are depends on a few numbers in a policy that looked harmless. Here they
//! are played out: so many clients, a service with a capacity and bad days, virtual time, and
//! the policy itself, decided by the same core that decides in production.
//!
//! - [`simulate`] plays a [`Scenario`] under a policy and tells the load over time, the calls
//!   for each client, how long clients took and who gave up.
//! - [`storm`] is a ready scenario in which a short outage becomes a long one.
//! - [`contend`] is the experiment of the AWS article on backoff and jitter.
//!
//! A run depends on its seed and on nothing else.
//!
//! | file | holds |
//! |---|---|
//! | `scenario.rs`, `arrival.rs`, `latency.rs` | what is played, as it is written |
//! | `service.rs`, `profile.rs` | what becomes of a call, and how much can be done when |
//! | `run.rs` | the clients, their guards and the loop |
//! | `agenda.rs` | what happens next |
//! | `outcome.rs`, `load.rs` | what is counted |
//! | `draw.rs` | charts of it, with the feature `draw` |

mod agenda;
mod arrival;
mod chance;
mod contention;
#[cfg(feature = "draw")]
pub mod draw;
mod latency;
mod load;
mod outcome;
mod profile;
mod run;
mod scenario;
mod service;
mod storm;

pub use arrival::Arrival;
pub use contention::{Contended, Contention, contend};
pub use latency::Latency;
pub use outcome::Outcome;
pub use run::simulate;
pub use scenario::{BrownOut, Errors, Invalid, Outage, RateLimit, Scenario};
pub use storm::{storm, storm_policies};
