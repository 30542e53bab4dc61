//! Server checks through its API: readiness, token, clock, due tasks, queues, breakers.
//!
//! There are fewer checks than for a store, which needs direct access to the database.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::guard::breaker::BreakerState;
use steadfast_api::remote::Remote;
use steadfast_api::{Api, ApiError, BreakerView, ErrorKind, StatsView};

use super::finding::{Finding, Verdict};
use super::units::{MINUTE, long};
use crate::output::counted;

/// An idle worker claims a due task at once: after this time, none is available.
const MAX_DUE_AGE: Duration = MINUTE.saturating_mul(5);
/// Clocks synchronized by NTP differ by less.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(2);

pub(super) async fn ready(remote: &Remote) -> Verdict {
    match remote.ready().await {
        Ok(()) => Verdict::ok("ready, and its store responds"),
        Err(error) => request_failed(&error),
    }
}

pub(super) async fn alive(remote: &Remote) -> Verdict {
    match remote.alive().await {
        Ok(()) => Verdict::ok("alive; its store was not checked"),
        Err(error) => request_failed(&error),
    }
}

/// Runs the other checks, with this machine's clock for comparison.
pub(super) async fn checked(remote: &Remote, clock: impl Fn() -> Timestamp) -> Vec<Finding> {
    let now = match remote.now().await {
        Ok(now) => now,
        Err(error) => return vec![Finding::new("token", request_failed(&error))],
    };
    let mut findings = vec![Finding::new("clock", skew(now, clock()))];
    match remote.stats().await {
        Ok(stats) => findings.extend([
            Finding::new("due tasks", due(&stats, now)),
            Finding::new("queues", queues(&stats)),
        ]),
        Err(error) => findings.push(Finding::new("due tasks", request_failed(&error))),
    }
    let breakers = remote.breakers().await;
    let breakers =
        breakers.map_or_else(|error| request_failed(&error), |views| breakers_of(&views));
    findings.push(Finding::new("breakers", breakers));
    findings
}

fn request_failed(error: &ApiError) -> Verdict {
    let found = Verdict::problem(error.detail.clone());
    if error.kind == ErrorKind::Unauthenticated {
        return found.say("pass --token-file or set STEADFAST_TOKEN");
    }
    match &error.next {
        Some(next) => found.say(next.clone()),
        None => found,
    }
}

fn skew(theirs: Timestamp, ours: Timestamp) -> Verdict {
    let skew = theirs.duration_since(ours).unsigned_abs();
    let found = match skew > MAX_CLOCK_SKEW {
        true => Verdict::note(format!(
            "the store's clock differs from this machine's by {}",
            long(skew)
        ))
        .say("tasks use the store's clock; synchronize this machine's clock"),
        false => Verdict::ok("in sync"),
    };
    found.fact("skew_seconds", skew.as_secs_f64())
}

fn due(stats: &StatsView, now: Timestamp) -> Verdict {
    let waiting = stats.due_since.map(|since| now.duration_since(since).unsigned_abs());
    let count = usize::try_from(stats.pending).unwrap_or(usize::MAX);
    let found = match waiting {
        Some(waiting) if waiting > MAX_DUE_AGE => {
            let what = counted(count, "task is due", "tasks are due");
            Verdict::warning(format!("{what}, the oldest for {}", long(waiting)))
                .say("check that workers run for their queue and kind, and have enough capacity")
        }
        _ => Verdict::ok(format!("{count} due")),
    };
    found.fact("pending", stats.pending)
}

fn queues(stats: &StatsView) -> Verdict {
    let paused = stats.queues.iter().filter(|queue| queue.paused).map(|queue| queue.name.as_str());
    match paused.collect::<Vec<_>>().as_slice() {
        [] => Verdict::ok("none paused"),
        paused => Verdict::note(format!("paused: {}", paused.join(", ")))
            .say("resume with `steadfast queue resume NAME`"),
    }
}

fn breakers_of(views: &[BreakerView]) -> Verdict {
    let is_open = |view: &&BreakerView| {
        view.instances
            .iter()
            .any(|report| matches!(report.state, BreakerState::Open | BreakerState::Isolated))
    };
    let open: Vec<&str> = views.iter().filter(is_open).map(|view| view.policy.as_str()).collect();
    match open.as_slice() {
        [] => Verdict::ok("none open"),
        open => Verdict::warning(format!("open: {}", open.join(", ")))
            .say("see `steadfast breaker list` for instances and times"),
    }
}
