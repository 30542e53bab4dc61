//! Logging of verdicts (O2): a retry is INFO, a failure WARN, a success after a retry INFO, a
//! first-attempt success DEBUG. Messages and fields are those of a session in a process; the
//! session of a task is its id, its operation its kind.

use std::time::Duration;

use steadfast::duration;
use steadfast::guard::breaker::{BreakerState, Transition};
use steadfast::observe::Why;
use tracing::Level;

use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::task::FaultRecord;

/// Logs a message about a task, with more fields.
macro_rules! log_task {
    ($level:expr, $claimed:ident, { $($field:tt)* }, $($message:tt)*) => {
        tracing::event!(
            target: "steadfast",
            $level,
            operation = $claimed.kind,
            session = %$claimed.id,
            attempt = $claimed.progress.attempt(),
            max = $claimed.policy.max_attempts(),
            correlation_id = $claimed.correlation_id.as_deref(),
            $($field)*
            $($message)*
        )
    };
}

pub(crate) fn verdict(claimed: &Claimed, verdict: &Verdict) {
    match verdict {
        Verdict::Completed { .. } if claimed.has_prior_attempts() => {
            log_task!(Level::INFO, claimed, {}, "succeeded after a retry");
        }
        Verdict::Completed { .. } => log_task!(Level::DEBUG, claimed, {}, "succeeded"),
        Verdict::Retry { fault, delay, .. } => log_task!(Level::INFO, claimed, {
            delay = delay.as_secs_f64(),
            class = fault.class.name(),
            rule = rule(fault),
            error = fault.message,
        }, "retrying {}", when(*delay)),
        Verdict::Failed { fault, reason, .. } => log_task!(Level::WARN, claimed, {
            class = fault.as_ref().map(|fault| fault.class.name()),
            rule = fault.as_ref().and_then(|fault| rule(fault)),
            reason = reason.name(),
            error = fault.as_ref().map(|fault| fault.message.as_str()),
        }, "gave up: {}", reason.label()),
        Verdict::Postponed { delay } => log_task!(Level::DEBUG, claimed, {
            delay = delay.as_secs_f64(),
        }, "postponed without an attempt, next {}", when(*delay)),
        _ => log_task!(Level::DEBUG, claimed, {}, "released"),
    }
}

pub(crate) fn breaker(claimed: &Claimed, change: Transition) {
    match change.to {
        BreakerState::Open => log_task!(Level::WARN, claimed, {}, "breaker opened"),
        BreakerState::Isolated => log_task!(Level::WARN, claimed, {}, "breaker isolated"),
        BreakerState::Disabled => log_task!(Level::WARN, claimed, {}, "breaker disabled"),
        BreakerState::Closed => log_task!(Level::INFO, claimed, {}, "breaker closed"),
        BreakerState::HalfOpen => log_task!(Level::DEBUG, claimed, {}, "breaker half open"),
        state => log_task!(Level::WARN, claimed, {}, "breaker {state}"),
    }
}

fn rule(fault: &FaultRecord) -> Option<&str> {
    fault.why.as_ref().and_then(|why: &Why| why.rule.as_deref())
}

fn when(delay: Duration) -> String {
    match delay.is_zero() {
        true => "at once".to_owned(),
        false => format!("in {}", duration::format_rounded(delay)),
    }
}
