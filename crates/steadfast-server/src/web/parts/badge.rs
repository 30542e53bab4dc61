//! Where a task is and what a failure meant: by colour, by shape and in words, for not everybody
//! sees all three.

use maud::{Markup, html};
use steadfast::observe::{DecidedBy, Why};
use steadfast::{Class, Reason};
use steadfast_store::Status;

use super::time::lasting;
use crate::web::icon::{Icon, icon};

/// Where a task is.
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

/// What a failure meant.
pub(crate) fn class(class: Class) -> Markup {
    html! { span class={ "tag " (class.name()) } { (words(class)) } }
}

/// Why it was given up.
pub(crate) fn reason(reason: Reason) -> Markup {
    html! { span class="tag" { (reason.to_string().replace('_', " ")) } }
}

/// What of a task cannot be read.
pub(crate) fn unreadable(problem: &str) -> Markup {
    html! { span class="tag final" { "unreadable" } " " span class="muted" { (problem) } }
}

/// Why an attempt was decided as it was (O4). A delay is told to the millisecond: more is noise.
pub(crate) fn why(why: &Why) -> Markup {
    html! {
        @if let Some(class) = why.class {
            @match &why.rule {
                Some(rule) => { "rule " code { (rule) } " makes it " (words(class)) }
                None => { "no rule speaks of it, so it is " (words(class)) }
            }
            "; "
        }
        @match why.decided_by {
            DecidedBy::Backoff { retry, base, delay } => {
                "backoff of retry " (retry) " is " (lasting(base))
                @if base != delay { ", with its jitter " (lasting(delay)) }
            }
            decided => (decided),
        }
    }
}

fn words(class: Class) -> String {
    class.name().replace('_', " ")
}
