//! What a session would do after such a failure of its first attempt.
//!
//! The decision core is asked twice, with the lowest and with the highest draw, so that jitter
//! shows as a band.

use std::fmt;
use std::time::Duration;

use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::observe::Why;
use steadfast::{Moment, Policy, Reason};

use crate::output::time::{band, people};

/// What follows.
pub(super) enum Next {
    /// Another attempt.
    Retry { shortest: Duration, longest: Duration, hinted: bool },
    /// Another attempt, unless jitter makes it come too late.
    Perhaps { shortest: Duration, because: String },
    /// Nothing.
    GiveUp { because: String },
}

impl Next {
    pub(super) fn after(policy: &Policy, judgement: &Judgement) -> Self {
        let because =
            |reason: Reason| Why::gave_up(policy, Some(*judgement), reason).decided_by.to_string();
        match (decide(policy, judgement, 0), decide(policy, judgement, u64::MAX)) {
            (Decision::Retry(shortest), Decision::Retry(longest)) => {
                Self::Retry { shortest, longest, hinted: judgement.hint().is_some() }
            }
            (Decision::Retry(shortest), Decision::GiveUp(reason)) => {
                Self::Perhaps { shortest, because: because(reason) }
            }
            (Decision::GiveUp(reason), _) => Self::GiveUp { because: because(reason) },
        }
    }
}

fn decide(policy: &Policy, judgement: &Judgement, draw: u64) -> Decision {
    let terms = &SessionLimits::IN_PROCESS;
    Progress::default().decide(policy, terms, Moment::ORIGIN, judgement, &mut Drawn(draw))
}

/// Chance that always answers the same.
struct Drawn(u64);

impl DecisionEnv for Drawn {
    fn draw(&mut self) -> u64 {
        self.0
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { shortest, longest, hinted } => {
                write!(f, "retry after {}", band(*shortest, *longest))?;
                if *hinted { f.write_str(", as the other side asked") } else { Ok(()) }
            }
            Self::Perhaps { shortest, because } => {
                write!(f, "retry after {}, or give up: {because}", people(*shortest))
            }
            Self::GiveUp { because } => write!(f, "give up: {because}"),
        }
    }
}
