//! Server checks through its API: readiness, token, clock, due tasks, queues, breakers.
//!
//! There are fewer checks than for a store, which needs direct access to the database.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::guard::breaker::BreakerState;
use steadfast_api::remote::Remote;
use steadfast_api::{Api, ApiError, BreakerView, StatsView};

use super::finding::Finding;
use super::units::{MINUTE, long};
use crate::output::counted;

/// An idle worker claims a due task at once: after this time, none is available.
const MAX_DUE_AGE: Duration = MINUTE.saturating_mul(5);
/// Clocks synchronized by NTP differ by less.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(2);

/// Checks readiness.
pub(super) async fn ready(remote: &Remote) -> Finding {
    match remote.ready().await {
        Ok(()) => Finding::ok("server", "ready, and its store responds"),
        Err(error) => request_failed("server", &error),
    }
}

/// Checks liveness.
pub(super) async fn alive(remote: &Remote) -> Finding {
    match remote.alive().await {
        Ok(()) => Finding::ok("server", "alive; its store was not checked"),
        Err(error) => request_failed("server", &error),
    }
}

/// Runs the other checks, with this machine's clock for comparison.
pub(super) async fn checked(
    remote: &Remote,
    ready: Finding,
    clock: impl Fn() -> Timestamp,
) -> Vec<Finding> {
    let mut findings = vec![ready];
    let now = match remote.now().await {
        Ok(now) => now,
        Err(error) => {
            findings.push(request_failed("token", &error));
            return findings;
        }
    };
    findings.push(skew(now, clock()));
    match remote.stats().await {
        Ok(stats) => findings.extend([due(&stats, now), queues(&stats)]),
        Err(error) => findings.push(request_failed("due tasks", &error)),
    }
    match remote.breakers().await {
        Ok(views) => findings.push(breakers(&views)),
        Err(error) => findings.push(request_failed("breakers", &error)),
    }
    findings
}

fn request_failed(check: &'static str, error: &ApiError) -> Finding {
    let found = Finding::problem(check, error.detail.clone());
    match &error.next {
        Some(next) => found.say(next.clone()),
        None => found,
    }
}

fn skew(theirs: Timestamp, ours: Timestamp) -> Finding {
    let skew = theirs.duration_since(ours).unsigned_abs();
    let found = match skew > MAX_CLOCK_SKEW {
        true => Finding::note(
            "clock",
            format!("the store's clock differs from this machine's by {}", long(skew)),
        )
        .say("tasks use the store's clock; synchronize this machine's clock"),
        false => Finding::ok("clock", "in sync"),
    };
    found.fact("skew_seconds", skew.as_secs_f64())
}

fn due(stats: &StatsView, now: Timestamp) -> Finding {
    let waiting = stats.due_since.map(|since| now.duration_since(since).unsigned_abs());
    let count = usize::try_from(stats.pending).unwrap_or(usize::MAX);
    let found = match waiting {
        Some(waiting) if waiting > MAX_DUE_AGE => {
            let what = counted(count, "task is due", "tasks are due");
            Finding::warning("due tasks", format!("{what}, the oldest for {}", long(waiting)))
                .say("check that workers run for their queue and kind, and have enough capacity")
        }
        _ => Finding::ok("due tasks", format!("{count} due")),
    };
    found.fact("pending", stats.pending)
}

fn queues(stats: &StatsView) -> Finding {
    let paused = stats.queues.iter().filter(|queue| queue.paused).map(|queue| queue.name.as_str());
    match paused.collect::<Vec<_>>().as_slice() {
        [] => Finding::ok("queues", "none paused"),
        paused => Finding::note("queues", format!("paused: {}", paused.join(", ")))
            .say("resume with `steadfast queue resume NAME`"),
    }
}

fn breakers(views: &[BreakerView]) -> Finding {
    let is_open = |view: &&BreakerView| {
        view.instances
            .iter()
            .any(|report| matches!(report.state, BreakerState::Open | BreakerState::Isolated))
    };
    let open: Vec<&str> = views.iter().filter(is_open).map(|view| view.policy.as_str()).collect();
    match open.as_slice() {
        [] => Finding::ok("breakers", "none open"),
        open => Finding::warning("breakers", format!("open: {}", open.join(", ")))
            .say("see `steadfast breaker list` for instances and times"),
    }
}
