//! The log (O2): a retry is INFO, giving up WARN, success after a retry INFO, plain success
//! DEBUG. The same words and fields as those of a session in a process; a task's session is
//! its id, its operation its kind.

use std::time::Duration;

use steadfast::duration;
use steadfast::guard::breaker::{BreakerState, Transition};
use steadfast::observe::Why;
use tracing::Level;

use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::task::FaultRecord;

/// One line of the log: its level, whose it is, what else there is to say of it, and its words.
macro_rules! line {
    ($level:expr, $claimed:ident, { $($field:tt)* }, $($words:tt)*) => {
        tracing::event!(
            target: "steadfast",
            $level,
            operation = $claimed.kind,
            session = %$claimed.id,
            attempt = $claimed.progress.attempt(),
            max = $claimed.policy.max_attempts(),
            correlation_id = $claimed.correlation_id.as_deref(),
            $($field)*
            $($words)*
        )
    };
}

/// Says what becomes of a task.
pub(crate) fn verdict(claimed: &Claimed, verdict: &Verdict) {
    match verdict {
        Verdict::Completed { .. } => completed(claimed),
        Verdict::Retry { fault, delay, .. } => line!(Level::INFO, claimed, {
            delay = delay.as_secs_f64(),
            class = fault.class.name(),
            rule = rule(fault),
            error = fault.message,
        }, "retrying {}", when(*delay)),
        Verdict::Failed { fault, reason, .. } => line!(Level::WARN, claimed, {
            class = fault.as_ref().map(|fault| fault.class.name()),
            rule = fault.as_ref().and_then(|fault| rule(fault)),
            reason = reason.name(),
            error = fault.as_ref().map(|fault| fault.message.as_str()),
        }, "gave up: {reason}"),
        Verdict::Postponed { delay } => line!(Level::DEBUG, claimed, {
            delay = delay.as_secs_f64(),
        }, "not tried; put off, next {}", when(*delay)),
        _ => line!(Level::DEBUG, claimed, {}, "given back"),
    }
}

fn completed(claimed: &Claimed) {
    let progress = claimed.progress;
    if progress.attempts > 0 || progress.rate_limit_waits > 0 {
        line!(Level::INFO, claimed, {}, "succeeded after a retry");
    } else {
        line!(Level::DEBUG, claimed, {}, "succeeded");
    }
}

/// Says that a breaker changed.
pub(crate) fn breaker(claimed: &Claimed, change: Transition) {
    match change.to {
        BreakerState::Open => line!(Level::WARN, claimed, {}, "breaker opened"),
        BreakerState::Isolated => line!(Level::WARN, claimed, {}, "breaker isolated"),
        BreakerState::Closed => line!(Level::INFO, claimed, {}, "breaker closed"),
        BreakerState::HalfOpen => line!(Level::DEBUG, claimed, {}, "breaker half open"),
    }
}

fn rule(fault: &FaultRecord) -> Option<&str> {
    fault.why.as_ref().and_then(|why: &Why| why.rule.as_deref())
}

fn when(delay: Duration) -> String {
    if delay.is_zero() { "at once".to_owned() } else { format!("in {}", duration::format(delay)) }
}
