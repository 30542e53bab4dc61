//! The next step of a session after such a failure of its first attempt.
//!
//! The decision core is evaluated with the lowest and the highest random draw, so that jitter
//! shows as a range.

use std::fmt;
use std::time::Duration;

use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::observe::Why;
use steadfast::{Moment, Policy, Reason};

use crate::output::human_duration::{band, format as human_duration};

pub(super) enum NextStep {
    Retry {
        shortest: Duration,
        longest: Duration,
        hinted: bool,
    },
    /// A retry, unless jitter delays it too long.
    Perhaps {
        shortest: Duration,
        because: String,
    },
    GiveUp {
        because: String,
    },
}

impl NextStep {
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
    let limits = &SessionLimits::IN_PROCESS;
    Progress::default().decide(policy, limits, Moment::ORIGIN, judgement, &mut FixedDraw(draw))
}

/// A random source that always draws the same value.
struct FixedDraw(u64);

impl DecisionEnv for FixedDraw {
    fn draw(&mut self) -> u64 {
        self.0
    }
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { shortest, longest, hinted } => {
                write!(f, "retry after {}", band(*shortest, *longest))?;
                if *hinted { f.write_str(", as requested by the server") } else { Ok(()) }
            }
            Self::Perhaps { shortest, because } => {
                write!(f, "retry after {}, or give up: {because}", human_duration(*shortest))
            }
            Self::GiveUp { because } => write!(f, "give up: {because}"),
        }
    }
}
