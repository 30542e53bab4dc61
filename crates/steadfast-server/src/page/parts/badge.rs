//! Where a task is and what a failure meant: by colour, by shape and in words, for not everybody
//! sees all three.

use maud::{Markup, html};
use steadfast::{Class, Reason};
use steadfast_store::Status;

use crate::page::icon::{Icon, icon};

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
    html! { span class={ "tag " (class.name()) } { (class.name().replace('_', " ")) } }
}

/// Why it was given up.
pub(crate) fn reason(reason: Reason) -> Markup {
    html! { span class="tag" { (reason.to_string().replace('_', " ")) } }
}
