//! Badges for statuses, failure classes and reasons: colour, icon and text, so that none is needed
//! alone.

use maud::{Markup, html};
use steadfast::observe::{DecidedBy, Why};
use steadfast::{Class, Reason};
use steadfast_store::Status;

use super::time::duration;
use crate::web::{Icon, icon};

/// The status of a task.
pub(crate) fn status(status: Status) -> Markup {
    let shape = match status {
        Status::Pending => Icon::Pending,
        Status::Scheduled => Icon::Scheduled,
        Status::Running => Icon::Running,
        Status::Completed => Icon::Completed,
        Status::Failed => Icon::Failed,
        Status::Cancelled => Icon::Cancelled,
    };
    html! {
        span class={ "status " (status.name()) } { (icon(shape)) (status.name()) }
    }
}

/// The class of a failure.
pub(crate) fn class(class: Class) -> Markup {
    html! { span class={ "tag " (class.name()) } { (label(class)) } }
}

/// Why a task failed.
pub(crate) fn reason(reason: Reason) -> Markup {
    html! { span class="tag" { (reason.to_string().replace('_', " ")) } }
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
            "; "
        }
        @match why.decided_by {
            DecidedBy::Backoff { retry, base, delay } => {
                "backoff for retry " (retry) ": " (duration(base))
                @if duration(base) != duration(delay) { ", " (duration(delay)) " with jitter" }
            }
            decided => (decided),
        }
    }
}

fn label(class: Class) -> String {
    class.name().replace('_', " ")
}
