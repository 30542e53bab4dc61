//! Badges for statuses, failure classes and reasons: colour, icon and text, so that none is needed
//! alone.

use maud::{Markup, Render, html};
use steadfast::guard::breaker::BreakerState;
use steadfast::observe::{DecidedBy, Why};
use steadfast::{Class, Policy, Reason};
use steadfast_store::Status;

use super::time::duration;
use crate::web::{Icon, icon};

/// A label with the colour and the icon of a task status.
pub(crate) fn badge(like: Status, label: impl Render) -> Markup {
    let shape = match like {
        Status::Pending => Icon::PENDING,
        Status::Scheduled => Icon::SCHEDULED,
        Status::Running => Icon::RUNNING,
        Status::Completed => Icon::COMPLETED,
        Status::Failed => Icon::FAILED,
        Status::Cancelled => Icon::CANCELLED,
    };
    badge_with(like.name(), shape, label)
}

/// A label with a colour and an icon.
pub(crate) fn badge_with(class: &str, shape: Icon, label: impl Render) -> Markup {
    html! { span class={ "status " (class) } { (icon(shape)) (label) } }
}

pub(crate) fn status(status: Status) -> Markup {
    badge(status, status.name())
}

pub(crate) fn mark(shape: Icon, class: &str) -> Markup {
    html! { span class={ "mark " (class) } { (icon(shape)) } }
}

pub(crate) fn class(class: Class) -> Markup {
    html! { span class={ "tag " (class.name()) } { (label(class)) } }
}

/// Why a task failed.
pub(crate) fn reason(reason: Reason) -> Markup {
    let label = match reason {
        Reason::Final => label(Class::Final),
        reason => reason.name().replace('_', " "),
    };
    html! { span class="tag" { (label) } }
}

/// The retries of a policy that retries nothing but attempts whose worker was lost.
pub(crate) fn only_lost_workers(policy: &Policy) -> String {
    let times = match policy.max_attempts().saturating_sub(1) {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    format!("only if the worker is lost (up to {times})")
}

/// The state of a breaker in words. An isolated one is held open until it is closed by hand.
pub(crate) const fn breaker_state(state: BreakerState) -> &'static str {
    match state {
        BreakerState::HalfOpen => "half open",
        BreakerState::Isolated => "held open",
        state => state.as_str(),
    }
}

/// A part of a task that cannot be decoded.
pub(crate) fn unreadable(problem: &str) -> Markup {
    html! { span class="tag final" { "unreadable" } " " span class="muted" { (problem) } }
}

/// The explanation of a retry decision (O4). Delays are rounded to the millisecond.
pub(crate) fn why(why: &Why) -> Markup {
    html! {
        @if let Some(class) = why.class {
            @match &why.rule {
                Some(rule) => { "matched rule " code { (rule) } ": " (label(class)) }
                None => { "no matching rule: " (label(class)) }
            }
        }
        @if why.class.is_some() && why.decided_by != DecidedBy::Class { "; " }
        @match why.decided_by {
            DecidedBy::Class if why.class.is_some() => {}
            DecidedBy::Backoff { retry, base, delay } => {
                "backoff for retry " (retry) ": " (duration(base))
                @if duration(base) != duration(delay) { ", " (duration(delay)) " with jitter" }
            }
            decided => (decided),
        }
    }
}

fn label(class: Class) -> String {
    match class {
        // "final" would read as the last attempt.
        Class::Final => "not retryable".to_owned(),
        class => class.name().replace('_', " "),
    }
}
