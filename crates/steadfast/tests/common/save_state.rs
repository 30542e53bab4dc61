//! The operation of S4's examples: a state is saved, and that times out.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::policy::Draft;
use steadfast::{Fault, Kind, Policy};

pub(crate) fn timeout() -> Fault {
    let words = "Operation timed out after 30 seconds";
    Fault::of(Kind::Timeout).with_type("TimeoutError").with_message(words)
}

pub(crate) fn noon() -> Timestamp {
    "2026-01-29T12:00:00Z".parse().unwrap()
}

pub(crate) fn policy() -> Policy {
    let draft = Draft::new().id("browser_state_timeout").max_attempts(3);
    draft.base_delay(Duration::from_millis(1500)).build().unwrap()
}
