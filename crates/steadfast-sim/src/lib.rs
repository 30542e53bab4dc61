//! A simulator of retry policies.
//!
//! Ten thousand clients that retry together overload a service, and a few numbers in a policy
//! decide whether they do. The simulator runs many clients against a failing service with a
//! limited capacity, in virtual time, with the same decision code as in production.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::Policy;
//! use steadfast_sim::{Outage, Scenario, simulate};
//!
//! let outage = Outage::refusing(Duration::from_secs(10), Duration::from_secs(20));
//! let scenario = Scenario { outages: vec![outage], ..Scenario::default() };
//! let policy = Policy::exponential(Duration::from_secs(1)).max_attempts(8).build()?;
//! let outcome = simulate(&scenario, "patient", &policy)?;
//! assert_eq!(outcome.completed, 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`simulate`] runs a [`Scenario`] under a policy and reports the load over time, the calls per
//!   client, completion times and give-ups.
//! - [`storm`] is a predefined scenario in which a short outage becomes a long one.
//! - [`contend`] is the experiment of the AWS article on backoff and jitter.
//!
//! A run depends on its seed and on nothing else.
//!
//! | file | contents |
//! |---|---|
//! | `scenario.rs`, `arrival.rs`, `latency.rs` | the scenario |
//! | `service.rs`, `profile.rs` | the service and its capacity over time |
//! | `run.rs` | the clients, their guards and the event loop |
//! | `event_queue.rs` | the event queue |
//! | `outcome.rs`, `load.rs` | the results |
//! | `draw.rs` | charts, with the feature `draw` |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod arrival;
mod contention;
#[cfg(feature = "draw")]
pub mod draw;
mod event_queue;
mod latency;
mod load;
mod outcome;
mod profile;
mod random;
mod run;
mod scenario;
mod service;
mod storm;

pub use arrival::Arrival;
pub use contention::{Contention, ContentionOutcome, contend};
pub use latency::Latency;
pub use outcome::Outcome;
pub use run::simulate;
pub use scenario::{BrownOut, Errors, Outage, RateLimit, Scenario, ScenarioError};
pub use storm::{storm, storm_policies};
