//! The next step of a session after such a failure of its first attempt.
//!
//! The decision core is evaluated with the lowest and the highest random draw, so that jitter
//! shows as a range.

use steadfast::decide::{Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::observe::{DecidedBy, Why};
use steadfast::{Moment, Policy, Reason};

use crate::output::human_duration::{band, format as human_duration};

pub(super) fn after(policy: &Policy, judgement: &Judgement) -> String {
    let because = |reason: Reason| {
        let why = Why::gave_up(policy, Some(*judgement), reason).decided_by.to_string();
        // The limit of a session; durable tasks have another.
        if why.ends_with("the default max_hint") { format!("{why} (1h)") } else { why }
    };
    match (decide(policy, judgement, 0), decide(policy, judgement, u64::MAX)) {
        (Decision::Retry(shortest), Decision::Retry(longest)) => {
            let decided_by = Why::retried(policy, *judgement, 1, shortest).decided_by;
            let is_hinted = matches!(decided_by, DecidedBy::Hint { wait, .. } if !wait.is_zero());
            let hinted = if is_hinted { ", as requested by the server" } else { "" };
            format!("retry after {}{hinted}", band(shortest, longest))
        }
        // Jitter may delay it too long.
        (Decision::Retry(shortest), Decision::GiveUp(reason)) => {
            format!("retry after {}, or give up: {}", human_duration(shortest), because(reason))
        }
        (Decision::GiveUp(reason), _) => format!("give up: {}", because(reason)),
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
