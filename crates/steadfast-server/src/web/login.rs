//! The login page.

use maud::{DOCTYPE, Markup, html};

use super::{Icon, icon, layout, parts};

/// The form that asks for a token. `next` is the path to return to.
pub(crate) fn login(next: &str, error: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (layout::head("Log in", None))
            body class="standalone" {
                main id="main" class="login" {
                    h1 { (icon(Icon::MARK)) "Steadfast" }
                    @if let Some(error) = error { p class="form-problem" role="alert" { (parts::sentence(error)) } }
                    form method="post" action="/login" {
                        (parts::hidden("next", next))
                        div class="field" {
                            label for="token" { "Token" }
                            input id="token" name="token" type="password" autocomplete="current-password"
                                required autofocus aria-describedby="token-help";
                            p class="help" id="token-help" {
                                "An administrator can create one with " code { "steadfast token new" } "."
                            }
                        }
                        button class="button main" { "Log in" }
                    }
                }
            }
        }
    }
}
