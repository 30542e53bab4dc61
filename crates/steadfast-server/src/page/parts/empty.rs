//! Where there is nothing yet: why, and what to do.

use maud::{Markup, html};

use super::copy::command;
use crate::page::view::View;

/// Nothing here, and what to do about it.
pub(crate) fn empty(title: &str, what_next: Markup) -> Markup {
    html! { div class="empty" { p class="title" { (title) } (what_next) } }
}

/// How to submit a first task, at the address that this page was opened at.
pub(crate) fn first_task(view: &View) -> Markup {
    let curl = format!(
        "curl {}/api/v1/tasks -H 'Content-Type: application/json' \\\n  \
         -d '{{\"kind\": \"http\", \"payload\": {{\"url\": \"https://example.com/\"}}, \
         \"policy\": \"patient\"}}'",
        view.address
    );
    let cli = format!(
        "steadfast submit http https://example.com/ --policy patient --server {}",
        view.address
    );
    empty(
        "No tasks yet",
        html! {
            p {
                "Submit one from a terminal"
                @if view.may_change() { ", " a href="/tasks/new" { "or here" } }
                ":"
            }
            (command(&curl))
            (command(&cli))
        },
    )
}
