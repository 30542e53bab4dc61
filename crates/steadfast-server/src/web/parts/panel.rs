//! Panels and page headings.

use maud::{Markup, html};

pub(crate) fn panel(title: &str, content: Markup) -> Markup {
    panel_with(title, html! {}, content)
}

/// A panel with something beside its heading, such as a link.
pub(crate) fn panel_with(title: &str, aside: Markup, content: Markup) -> Markup {
    html! {
        section class="panel" {
            div class="panel-head" { h2 { (title) } (aside) }
            (content)
        }
    }
}

pub(crate) fn head(title: &str, actions: Markup) -> Markup {
    html! { div class="page-head" { h1 { (title) } div class="head-actions" { (actions) } } }
}
