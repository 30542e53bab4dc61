//! The handler of the round's tasks, which fail in every way by a script in their payload, so that a
//! seed always produces the same round.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use steadfast::{Failure, Fault, Hint, Jitter, Kind, Policy};
use steadfast_store::Task;
use steadfast_worker::Context;

use crate::journal::{Entry, Journal};

pub(crate) const KIND: &str = "chaos";

/// The behaviour of one attempt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Behaviour {
    Succeed,
    /// Succeeds after this many milliseconds.
    Slow(u64),
    Unavailable,
    /// Fails with a 429 and a hint of this many milliseconds.
    Limited(u64),
    Refused,
    Panic,
    /// Aborts the worker process.
    Abort,
}

/// A task's script: a behaviour per attempt, then success.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Script(Vec<Behaviour>);

impl Script {
    fn draw(rng: &mut Rng) -> Self {
        let attempts = rng.usize(0..5);
        Self((0..attempts).map(|_| behaviour(rng)).collect())
    }
}

fn behaviour(rng: &mut Rng) -> Behaviour {
    match rng.u32(0..1000) {
        0..350 => Behaviour::Unavailable,
        350..500 => Behaviour::Limited(rng.u64(5..80)),
        500..750 => Behaviour::Slow(rng.u64(5..400)),
        750..760 => Behaviour::Refused,
        760..790 => Behaviour::Panic,
        790..794 => Behaviour::Abort,
        _ => Behaviour::Succeed,
    }
}

/// A task with a random script.
pub(crate) fn task(rng: &mut Rng, policy: &Arc<Policy>) -> Task {
    let mut task = Task::new(KIND, &Script::draw(rng)).under(policy.clone());
    if rng.u32(0..4) == 0 {
        task = task.after(Duration::from_millis(rng.u64(1..1500)));
    }
    if rng.u32(0..8) == 0 {
        task = task.priority(rng.i16(-2..3));
    }
    if rng.u32(0..8) == 0 {
        task = task.category(format!("c{}", rng.u32(0..3)));
    }
    task
}

/// Retries soon and often enough for the length of a round.
pub(crate) fn policy() -> Result<Policy, steadfast::policy::PolicyError> {
    Policy::exponential(Duration::from_millis(20))
        .id("chaos")
        .max_delay(Duration::from_millis(400))
        .jitter(Jitter::Full)
        .max_attempts(12)
        .build()
}

/// The error of the handler.
#[derive(Debug)]
pub(crate) struct HandlerError(Fault);

impl Failure for HandlerError {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

/// Runs the attempt as its script says. The journal records every start, also of attempts whose end is
/// lost.
pub(crate) async fn run(
    script: Script,
    context: Context,
    journal: Arc<Journal>,
) -> Result<u32, HandlerError> {
    let attempt = context.attempt();
    journal.write(&Entry::Started { id: context.id(), token: context.fencing_token(), attempt });
    let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    match script.0.get(index).copied().unwrap_or(Behaviour::Succeed) {
        Behaviour::Succeed => {}
        Behaviour::Slow(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        Behaviour::Unavailable => return Err(HandlerError(Fault::http(503))),
        Behaviour::Limited(millis) => return Err(limited(millis)),
        Behaviour::Refused => return Err(HandlerError(Fault::http(422))),
        Behaviour::Panic => {
            return Err(HandlerError(Fault::of(Kind::ConnectionReset).with_unknown_outcome()));
        }
        Behaviour::Abort => std::process::abort(),
    }
    Ok(attempt)
}

/// A rate limit, or a 503 at random: a hinted wait does not count as an attempt, so the same behaviour
/// would repeat forever.
fn limited(millis: u64) -> HandlerError {
    if fastrand::bool() {
        return HandlerError(Fault::http(503));
    }
    HandlerError(Fault::http(429).with_hint(Hint::After(Duration::from_millis(millis))))
}
