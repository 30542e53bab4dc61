//! Choosing what a list shows: by one tap, or by fields that are folded away until one is used.

use maud::{Markup, html};

use super::field::hidden;

/// One of a few ways to look at something.
pub(crate) struct Tab {
    pub(crate) address: String,
    pub(crate) is_current: bool,
    pub(crate) shows: Markup,
}

/// One tap for what is asked most.
pub(crate) fn tabs(label: &str, tabs: impl IntoIterator<Item = Tab>) -> Markup {
    html! {
        nav class="tabs" aria-label=(label) {
            @for Tab { address, is_current, shows } in tabs {
                a href=(address) aria-current=[is_current.then_some("true")] { (shows) }
            }
        }
    }
}

/// Fields to narrow the list at this path down. What was chosen by a tab goes along with them.
pub(crate) fn filter_bar(
    path: &str,
    is_narrowed: bool,
    along: Option<(&str, &str)>,
    fields: Markup,
) -> Markup {
    html! {
        details class="filter" open[is_narrowed] data-keep {
            summary { "Filter" }
            form action=(path) {
                @if let Some((name, value)) = along { (hidden(name, value)) }
                div class="fields" { (fields) }
                div class="ways" {
                    button class="button main" { "Filter" }
                    @if is_narrowed { a class="button" href=(path) { "Clear" } }
                }
            }
        }
    }
}
