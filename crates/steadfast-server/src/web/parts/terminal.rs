//! Shell commands that work as shown: with the URL of this server, and with a token if it requires
//! one.

use maud::{Markup, html};

use super::copy::command;
use crate::web::View;

/// A `curl` command that posts JSON to the API.
pub(crate) fn curl(view: &View, path: &str, json: &str) -> Markup {
    let token = match view.requires_token {
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
        @if view.requires_token {
            p {
                "This server requires a token. Set " code { "STEADFAST_TOKEN" }
                " to a token with the operator role; an administrator can create one with "
                code { "steadfast token new" } "."
            }
        }
    }
}
