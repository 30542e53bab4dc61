//! A workflow service: orders of a shop, each in four steps, done by whichever of three instances
//! is alive.
//!
//! The service is in three places: [`instance`] is all the code that an instance needs, [`orders`]
//! takes orders in, and `workflows/order.json` says what is done, what waits for what, and how each
//! step is tried again. What it is put through is the [`trial`].

pub mod instance;
pub mod orders;
pub mod trial;

/// Whatever keeps the example from running.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
