//! Empty states: why a list is empty, and what to do.

use maud::{Markup, html};

use super::copy::command;
use super::terminal::{curl, token_note};
use crate::web::View;

/// An empty state with a title and instructions.
pub(crate) fn empty(title: &str, instructions: Markup) -> Markup {
    html! { div class="empty" { p class="title" { (title) } (instructions) } }
}

/// How to submit a first task to this server.
pub(crate) fn first_task(view: &View) -> Markup {
    let task = "{\"kind\": \"http\", \"payload\": {\"url\": \"https://example.com/\"}, \
                \"policy\": \"patient\"}";
    let cli = format!(
        "steadfast submit http https://example.com/ --policy patient --server {}",
        view.base_url
    );
    empty(
        "No tasks yet",
        html! {
            p {
                "Submit a task from the command line"
                @if view.can_operate() { " or " a href="/tasks/new" { "with the form" } }
                ":"
            }
            (token_note(view))
            (curl(view, "/tasks", task))
            (command(&cli))
        },
    )
}
