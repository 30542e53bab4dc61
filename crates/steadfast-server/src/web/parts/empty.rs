//! Empty states: why a list is empty, and what to do.
//!
//! Shell commands work as shown: with the URL of this server, and with a token if it requires one.

use maud::{Markup, html};

use super::copy::command;
use crate::web::View;

pub(crate) fn empty(title: &str, instructions: Markup) -> Markup {
    html! { div class="empty" { p class="title" { (title) } (instructions) } }
}

/// A filtered list without entries.
pub(crate) fn no_matches(noun: &str, why: &str, list: &str) -> Markup {
    let instructions = html! { p { (why) " " a href=(list) { "View all " (noun) } } };
    empty(&format!("No matching {noun}"), instructions)
}

/// A page without matches of a list that continues.
pub(crate) fn no_matches_here(why: &str) -> Markup {
    empty("No matches on this page", html! { p { (why) " Continue with the next page." } })
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

/// A `curl` command that posts JSON to the API.
pub(crate) fn curl(view: &View, path: &str, json: &str) -> Markup {
    let token = match view.requires_token() {
        true => " \\\n  -H \"Authorization: Bearer $STEADFAST_TOKEN\"",
        false => "",
    };
    command(&format!(
        "curl {}/api/v1{path} -H 'Content-Type: application/json'{token} \\\n  -d '{json}'",
        view.base_url
    ))
}

/// How to get the token that the commands use.
pub(crate) fn token_note(view: &View) -> Markup {
    html! {
        @if view.requires_token() {
            p {
                "This server requires a token. Set " code { "STEADFAST_TOKEN" }
                " to a token with the operator role; an administrator can create one with "
                code { "steadfast token new" } "."
            }
        }
    }
}
