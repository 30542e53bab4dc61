//! A workflow service: orders, each in four steps, run by three instances.
//!
//! The service is in three places: [`instance`] is all the code that an instance needs, [`orders`]
//! takes orders in, and `workflows/order.json` says what is done, what waits for what, and how each
//! step is tried again. What it is put through is the [`trial`].

pub mod demo;
pub mod instance;
pub mod orders;

/// Whatever keeps the example from running.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
