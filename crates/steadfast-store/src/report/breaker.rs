//! Breakers of many instances, seen and steered from one place (G1).
//!
//! A breaker lives in a process, for a call must not wait for a database to be let through. But
//! whoever runs ten instances wants to see all ten, and to shut one service off in all of them.
//! So each instance writes down how its breakers stand, and looks for [orders](BreakerOverride).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::guard::breaker::BreakerState;

use crate::control::Actor;

/// An instance that has written nothing for this long is gone.
pub(crate) const GONE: Duration = Duration::from_secs(90);

/// How one instance's breaker of one policy stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakerReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down, by the store's clock; nothing before it is written.
    pub seen_at: Option<Timestamp>,
    /// Where it stands.
    pub state: BreakerState,
    /// How many failures count towards opening it, or opened it.
    pub failure_count: u64,
    /// How many in a row open it; nothing if it opens by a rate.
    pub threshold: Option<u32>,
    /// How long it stays open, in seconds.
    #[serde(with = "serde_seconds")]
    pub timeout: Duration,
    /// When the last failure was.
    pub last_failure_time: Option<Timestamp>,
    /// When its state last changed; nothing if it never did.
    pub last_state_change: Option<Timestamp>,
    /// When it lets a probe through, if it is open.
    pub next_probe_at: Option<Timestamp>,
}

/// What somebody wants of a breaker, in all instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerCommand {
    /// Rejects calls for as long as it would by its own judgement, and then probes.
    Open,
    /// Lets calls through again, and forgets the failures so far.
    Close,
    /// Rejects calls until somebody closes it.
    Isolate,
}

impl BreakerCommand {
    /// Every wish.
    pub const ALL: [Self; 3] = [Self::Open, Self::Close, Self::Isolate];

    /// Its name in rows, and after `breaker.` in the audit log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Isolate => "isolate",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Open, Self::Close, Self::Isolate].into_iter().find(|wish| wish.name() == name)
    }
}

/// The last thing that somebody wanted of a policy's breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerOverride {
    /// Greater than that of every order before it.
    pub number: i64,
    /// Whose breaker.
    pub policy: String,
    /// What is wanted.
    pub wish: BreakerCommand,
    /// Who wants it.
    pub by: Actor,
    /// Since when, by the store's clock.
    pub at: Timestamp,
}
