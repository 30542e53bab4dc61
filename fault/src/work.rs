//! The work that is done while things break: tasks that fail in every way there is, by a script
//! in their payload, so that a round is the same for the same seed.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use steadfast::{Failure, Fault, Hint, Jitter, Kind, Policy};
use steadfast_store::Task;
use steadfast_worker::Context;

use crate::journal::{Journal, Sight};

pub(crate) const KIND: &str = "chaos";

/// What happens at one attempt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scene {
    Succeed,
    /// Succeeds after so many milliseconds.
    Slow(u64),
    Unavailable,
    /// The other side asks for so many milliseconds of patience.
    Limited(u64),
    Refused,
    Panic,
    /// Takes its worker with it.
    Abort,
}

/// A task's script: a scene for each attempt; success when it has run out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Script(Vec<Scene>);

impl Script {
    fn draw(rng: &mut Rng) -> Self {
        let scenes = rng.usize(0..5);
        Self((0..scenes).map(|_| scene(rng)).collect())
    }
}

fn scene(rng: &mut Rng) -> Scene {
    match rng.u32(0..1000) {
        0..350 => Scene::Unavailable,
        350..500 => Scene::Limited(rng.u64(5..80)),
        500..750 => Scene::Slow(rng.u64(5..400)),
        750..760 => Scene::Refused,
        760..790 => Scene::Panic,
        790..794 => Scene::Abort,
        _ => Scene::Succeed,
    }
}

/// A task with a script of its own.
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

/// Retries soon and often enough for a round to see it all.
pub(crate) fn policy() -> Result<Policy, steadfast::policy::PolicyError> {
    Policy::exponential(Duration::from_millis(20))
        .id("chaos")
        .max_delay(Duration::from_millis(400))
        .jitter(Jitter::Full)
        .max_attempts(12)
        .build()
}

/// What a handler failed with.
#[derive(Debug)]
pub(crate) struct Broken(Fault);

impl Failure for Broken {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

/// Plays the scene of the attempt under way. The journal counts every beginning, so the script
/// goes on even where an attempt's end was lost.
pub(crate) async fn play(
    script: Script,
    context: Context,
    journal: Arc<Journal>,
) -> Result<u32, Broken> {
    let attempt = context.attempt();
    journal.write(&Sight::Ran { id: context.id(), version: context.version(), attempt });
    let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    match script.0.get(index).copied().unwrap_or(Scene::Succeed) {
        Scene::Succeed => {}
        Scene::Slow(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        Scene::Unavailable => return Err(Broken(Fault::http(503))),
        Scene::Limited(millis) => return Err(limited(millis)),
        Scene::Refused => return Err(Broken(Fault::http(422))),
        Scene::Panic => {
            return Err(Broken(Fault::of(Kind::ConnectionReset).with_unknown_outcome()));
        }
        Scene::Abort => std::process::abort(),
    }
    Ok(attempt)
}

/// Asks for patience, at most at random: a script has one scene an attempt, and a wait uses up
/// none, so the same scene would play for ever.
fn limited(millis: u64) -> Broken {
    if fastrand::bool() {
        return Broken(Fault::http(503));
    }
    Broken(Fault::http(429).with_hint(Hint::After(Duration::from_millis(millis))))
}
