//! The way in: a token, and where one wanted to go.

use maud::{DOCTYPE, Markup, html};

use super::icon::{Icon, icon};
use super::layout;
use super::parts;

/// The page that asks for a token. `next` is a path of this server; `told` is why the last token
/// was not taken.
pub(crate) fn login(next: &str, told: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (layout::head("Log in", None))
            body class="alone" {
                main id="main" class="login" {
                    h1 { (icon(Icon::Mark)) "Steadfast" }
                    @if let Some(told) = told { p class="form-problem" role="alert" { (parts::sentence(told)) } }
                    form method="post" action="/login" {
                        (parts::hidden("next", next))
                        div class="field" {
                            label for="token" { "Token" }
                            input id="token" name="token" type="password" autocomplete="current-password"
                                required autofocus aria-describedby="token-help";
                            p class="help" id="token-help" {
                                "Whoever runs this server makes one with " code { "steadfast token new" } "."
                            }
                        }
                        button class="button main" { "Log in" }
                    }
                }
            }
        }
    }
}
