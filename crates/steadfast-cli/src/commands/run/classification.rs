//! Classification of a command's failure.
//!
//! Exit codes have no common meaning. So unless the policy has rules for them, every failure is
//! retryable, except those that show that a retry is not wanted.

use steadfast::judge::{self, MatchedBy};
use steadfast::{Class, Fault, Policy};

use super::attempt_status::AttemptStatus;
use super::program::Program;

/// The class, where the policy's own rules have none.
pub(super) fn class(policy: &Policy, program: &Program<'_>, fault: &Fault) -> Option<Class> {
    let status = program.last()?;
    if is_final(status) || program.interrupted().is_some() {
        return Some(Class::Final);
    }
    match judge::judge(policy.rules(), fault).matched_by() {
        MatchedBy::AbortOn | MatchedBy::RetryOn => return None,
        _ if program.matched().is_some() => return Some(Class::Retryable),
        _ => {}
    }
    if status.is_broken_pipe() {
        return Some(Class::Final);
    }
    // The library classifies timeouts itself.
    let is_open = policy.rules().retry_on().is_none() && program.patterns.is_none();
    (is_open && status != AttemptStatus::TimedOut).then_some(Class::Retryable)
}

/// Whether no rule can make it retryable.
fn is_final(status: AttemptStatus) -> bool {
    let cannot_start =
        matches!(status, AttemptStatus::NotStarted(_)) && !status.is_transient_start_error();
    cannot_start || status.by_keyboard().is_some()
}
