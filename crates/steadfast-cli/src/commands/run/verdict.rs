//! What a failure of a command means.
//!
//! Exit codes have no meaning that all programs share. So where the policy has no rules for them,
//! every failure is worth another try: that is what somebody means who puts `steadfast run` before
//! a command. Only what shows that nobody wants another is final.

use steadfast::judge::{self, MatchedBy};
use steadfast::{Class, Fault, Policy};

use super::ending::Ending;
use super::program::Program;

/// The opinion of this program, where the policy's own rules have none.
pub(super) fn class(policy: &Policy, program: &Program<'_>, fault: &Fault) -> Option<Class> {
    let ending = program.last()?;
    if is_hopeless(ending) || program.interrupted().is_some() {
        return Some(Class::Final);
    }
    match judge::judge(policy.rules(), fault).matched_by() {
        MatchedBy::AbortOn | MatchedBy::RetryOn => return None,
        _ if program.matched().is_some() => return Some(Class::Retryable),
        _ => {}
    }
    if ending.is_unread() {
        return Some(Class::Final);
    }
    // The library's own rules know about time.
    let is_open = policy.rules().retry_on().is_none() && program.patterns.is_none();
    (is_open && ending != Ending::TimedOut).then_some(Class::Retryable)
}

/// Whether no rule can make it worth another try.
fn is_hopeless(ending: Ending) -> bool {
    let never_begins = matches!(ending, Ending::NotStarted(_)) && !ending.is_passing_trouble();
    never_begins || ending.by_keyboard().is_some()
}
