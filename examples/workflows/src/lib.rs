//! A workflow service: orders, each in four steps, run by three instances.
//!
//! The service has three parts: [`instance`] is the code of an instance, [`orders`] is the intake of
//! orders, and `workflows/order.json` defines the steps, their dependencies and their retries. The
//! [`demo`] injects faults and checks the result.

pub mod demo;
pub mod instance;
pub mod orders;

/// Any error of the example.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
