//! Tasks, policies and faults for cases.

use std::time::Duration;

use serde_json::json;
use steadfast::decide::DecisionEnv;
use steadfast::{Fault, Hint, Policy};
use steadfast_store::{Actor, Claimed, Settlement, Task, Verdict};

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A task with defaults for everything optional.
pub(crate) fn task() -> Task {
    Task::new("send", &json!({ "to": "customer" }))
}

/// This many of them.
pub(crate) fn tasks(count: usize) -> Vec<Task> {
    (0..count).map(|number| Task::new("send", &json!({ "number": number }))).collect()
}

/// Three attempts, a minute apart.
pub(crate) fn a_minute_apart() -> Policy {
    Policy::fixed(secs(60)).id("a-minute-apart").max_attempts(3).build().unwrap()
}

/// Three attempts without delay.
pub(crate) fn at_once() -> Policy {
    Policy::immediate().id("at-once").max_attempts(3).build().unwrap()
}

/// A retryable fault.
pub(crate) fn unavailable() -> Fault {
    Fault::http(503).with_message("overloaded")
}

/// A final fault.
pub(crate) fn gone() -> Fault {
    Fault::http(404).with_message("no such customer")
}

/// A rate limit with this hint.
pub(crate) fn rate_limited(after: Duration) -> Fault {
    Fault::http(429).with_message("slow down").with_hint(Hint::After(after))
}

pub(crate) fn operator() -> Actor {
    Actor::new("operator")
}

/// Returns the middle of the range for every draw.
pub(crate) struct Middle;

impl DecisionEnv for Middle {
    fn draw(&mut self) -> u64 {
        u64::MAX / 2
    }
}

pub(crate) const DONE: Verdict = Verdict::Completed { result: None };

/// A settlement by the task's current holder.
pub(crate) fn settlement(task: &Claimed, verdict: Verdict) -> Settlement {
    Settlement { id: task.id, fencing_token: task.fencing_token, verdict }
}
