//! A titled part of a page.

use maud::{Markup, html};

/// A part of a page under a heading.
pub(crate) fn panel(title: &str, within: Markup) -> Markup {
    panel_with(title, html! {}, within)
}

/// The same with something beside its heading: a link, a number.
pub(crate) fn panel_with(title: &str, beside: Markup, within: Markup) -> Markup {
    html! {
        section class="panel" {
            div class="panel-head" { h2 { (title) } (beside) }
            (within)
        }
    }
}

/// The heading of a page, with what can be done there.
pub(crate) fn head(title: &str, beside: Markup) -> Markup {
    html! { div class="page-head" { h1 { (title) } div class="beside" { (beside) } } }
}
