//! What a failure of a command means.
//!
//! Exit codes have no meaning that all programs share. So where the policy has no rules for them,
//! every failure is worth another try: that is what somebody means who puts `steadfast run` before
//! a command. Only what shows that nobody wants another is final.

use steadfast::judge::{self, MatchedBy};
use steadfast::{Class, Fault, Policy};

use super::attempt_status::AttemptStatus;
use super::program::Program;

/// The opinion of this program, where the policy's own rules have none.
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
    // The library's own rules know about time.
    let is_open = policy.rules().retry_on().is_none() && program.patterns.is_none();
    (is_open && status != AttemptStatus::TimedOut).then_some(Class::Retryable)
}

/// Whether no rule can make it worth another try.
fn is_final(status: AttemptStatus) -> bool {
    let never_begins =
        matches!(status, AttemptStatus::NotStarted(_)) && !status.is_transient_start_error();
    never_begins || status.by_keyboard().is_some()
}
