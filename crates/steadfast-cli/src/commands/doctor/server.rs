//! A server, asked from outside: whether it can be of use, and what it knows of its store.
//!
//! What ails a database only the database can tell. So there is less here than for a store: who
//! wants to know more asks the store itself.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::guard::breaker::BreakerState;
use steadfast_api::remote::Remote;
use steadfast_api::{Api, ApiError, BreakerView, StatsView};

use super::finding::Finding;
use super::units::{MINUTE, long};
use crate::output::counted;

/// A due task starts at once on an idle worker: after this, there is none.
const TAKEN: Duration = MINUTE.saturating_mul(5);
/// Clocks that are kept by a server of the network differ by less.
const SKEW: Duration = Duration::from_secs(2);

/// Whether it is ready.
pub(super) async fn ready(remote: &Remote) -> Finding {
    match remote.ready().await {
        Ok(()) => Finding::ok("server", "ready, and its store answers"),
        Err(error) => refused("server", &error),
    }
}

/// Whether it is there.
pub(super) async fn alive(remote: &Remote) -> Finding {
    match remote.alive().await {
        Ok(()) => Finding::ok("server", "alive; its store was not asked"),
        Err(error) => refused("server", &error),
    }
}

/// What else there is to know, by this machine's clock.
pub(super) async fn checked(
    remote: &Remote,
    ready: Finding,
    clock: impl Fn() -> Timestamp,
) -> Vec<Finding> {
    let mut findings = vec![ready];
    let now = match remote.now().await {
        Ok(now) => now,
        Err(error) => {
            findings.push(refused("token", &error));
            return findings;
        }
    };
    findings.push(skew(now, clock()));
    match remote.stats().await {
        Ok(stats) => findings.extend([due(&stats, now), queues(&stats)]),
        Err(error) => findings.push(refused("due tasks", &error)),
    }
    match remote.breakers().await {
        Ok(views) => findings.push(breakers(&views)),
        Err(error) => findings.push(refused("breakers", &error)),
    }
    findings
}

fn refused(check: &'static str, error: &ApiError) -> Finding {
    let told = Finding::problem(check, error.detail.clone());
    match &error.next {
        Some(next) => told.say(next.clone()),
        None => told,
    }
}

fn skew(theirs: Timestamp, ours: Timestamp) -> Finding {
    let skew = theirs.duration_since(ours).unsigned_abs();
    let told = match skew > SKEW {
        true => {
            Finding::note("clock", format!("the store's clock is {} from this one", long(skew)))
                .say("the store's time holds for all tasks; have this machine's clock set")
        }
        false => Finding::ok("clock", "as here"),
    };
    told.fact("skew_seconds", skew.as_secs_f64())
}

fn due(stats: &StatsView, now: Timestamp) -> Finding {
    let waiting = stats.due_since.map(|since| now.duration_since(since).unsigned_abs());
    let count = usize::try_from(stats.pending).unwrap_or(usize::MAX);
    let told = match waiting {
        Some(waiting) if waiting > TAKEN => {
            let what = counted(count, "task is due", "tasks are due");
            Finding::warning("due tasks", format!("{what}, the first for {}", long(waiting)))
                .say("see that a worker runs for their queue and kind, and is not outrun")
        }
        _ => Finding::ok("due tasks", counted(count, "is due", "are due")),
    };
    told.fact("pending", stats.pending)
}

fn queues(stats: &StatsView) -> Finding {
    let paused = stats.queues.iter().filter(|queue| queue.paused).map(|queue| queue.name.as_str());
    match paused.collect::<Vec<_>>().as_slice() {
        [] => Finding::ok("queues", "none is paused"),
        paused => Finding::note("queues", format!("paused: {}", paused.join(", ")))
            .say("if that is over: `steadfast queue resume NAME`"),
    }
}

fn breakers(views: &[BreakerView]) -> Finding {
    let is_shut = |view: &&BreakerView| {
        view.instances
            .iter()
            .any(|report| matches!(report.state, BreakerState::Open | BreakerState::Isolated))
    };
    let shut: Vec<&str> = views.iter().filter(is_shut).map(|view| view.policy.as_str()).collect();
    match shut.as_slice() {
        [] => Finding::ok("breakers", "none is open"),
        shut => Finding::warning("breakers", format!("open: {}", shut.join(", ")))
            .say("`steadfast breaker list` shows where and until when"),
    }
}
