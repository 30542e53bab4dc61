//! Where there is nothing yet: why, and what to do.

use maud::{Markup, html};

use super::copy::command;
use super::terminal::{curl, token_first};
use crate::web::view::View;

/// Nothing here, and what to do about it.
pub(crate) fn empty(title: &str, what_next: Markup) -> Markup {
    html! { div class="empty" { p class="title" { (title) } (what_next) } }
}

/// How to submit a first task, at the address that this page was opened at.
pub(crate) fn first_task(view: &View) -> Markup {
    let task = "{\"kind\": \"http\", \"payload\": {\"url\": \"https://example.com/\"}, \
                \"policy\": \"patient\"}";
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
            (token_first(view))
            (curl(view, "/tasks", task))
            (command(&cli))
        },
    )
}
