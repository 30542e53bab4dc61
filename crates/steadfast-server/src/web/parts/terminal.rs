//! Commands for a terminal that work as they are shown: at the address that the page was opened
//! at, and with a token where everybody is asked for one.

use maud::{Markup, html};

use super::copy::command;
use crate::web::view::View;

/// Sends JSON to the API.
pub(crate) fn curl(view: &View, path: &str, json: &str) -> Markup {
    let token = match view.asks_for_token {
        true => " \\\n  -H \"Authorization: Bearer $STEADFAST_TOKEN\"",
        false => "",
    };
    command(&format!(
        "curl {}/api/v1{path} -H 'Content-Type: application/json'{token} \\\n  -d '{json}'",
        view.address
    ))
}

/// What the commands need first: `curl` is given it, and `steadfast` looks for it by itself.
pub(crate) fn token_first(view: &View) -> Markup {
    html! {
        @if view.asks_for_token {
            p {
                "This server asks for a token. Set " code { "STEADFAST_TOKEN" }
                " to one with the role operator; whoever runs the server makes one with "
                code { "steadfast token new" } "."
            }
        }
    }
}
