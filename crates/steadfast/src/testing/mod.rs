//! Tests of code that retries: virtual time, scripted outcomes, assertions and injected faults.
//!
//! ```
//! use std::io;
//! use std::time::Duration;
//! use steadfast::testing::{Script, VirtualClock, assert_retried};
//! use steadfast::{Policy, retry};
//!
//! let policy = Policy::exponential(Duration::from_secs(10)).max_attempts(4).build()?;
//! let clock = VirtualClock::new();
//! let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
//! let script = Script::new().fail(refused()).fail(refused()).succeed("page");
//!
//! let outcome = retry(&policy, || script.call()).environment(&clock).with_report().call();
//!
//! assert_retried(&outcome, [Duration::from_secs(10), Duration::from_secs(20)]);
//! assert_eq!(outcome?.0, "page");
//! assert_eq!(clock.elapsed(), Duration::from_secs(30)); // and no time has really passed
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | run sessions without waiting, with repeatable jitter | [`VirtualClock`] |
//! | choose the outcome of each attempt | [`Script`] |
//! | check the attempts and their delays | [`assert_retried`] |
//! | fail a part of the calls of a real operation or service | [`FaultInjector`] |
//!
//! Functions in this module panic where a test would fail.

mod assert;
mod clock;
mod fault_injector;
mod script;

pub use assert::{History, assert_retried};
pub use clock::{Elapse, VirtualClock};
pub use fault_injector::FaultInjector;
#[cfg(feature = "tower")]
pub use fault_injector::InjectedService;
pub use script::Script;
