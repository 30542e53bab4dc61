//! Filters above a list: tabs for the main criterion, and collapsible fields.

use maud::{Markup, html};

use super::field::hidden;

/// One tab.
pub(crate) struct Tab {
    pub(crate) url: String,
    pub(crate) is_current: bool,
    pub(crate) label: Markup,
}

/// Tabs, of which one is current.
pub(crate) fn tabs(name: &str, tabs: impl IntoIterator<Item = Tab>) -> Markup {
    html! {
        nav class="tabs" aria-label=(name) {
            @for Tab { url, is_current, label } in tabs {
                a href=(url) aria-current=[is_current.then_some("true")] { (label) }
            }
        }
    }
}

/// The filter form of the list at this path. `tab` is the name and value of the current tab.
pub(crate) fn filter_bar(
    path: &str,
    is_filtered: bool,
    tab: Option<(&str, &str)>,
    fields: Markup,
) -> Markup {
    html! {
        details class="filter" open[is_filtered] data-preserve {
            summary { "Filters" }
            form action=(path) {
                @if let Some((name, value)) = tab { (hidden(name, value)) }
                div class="fields" { (fields) }
                div class="buttons" {
                    button class="button main" { "Apply" }
                    @if is_filtered { a class="button" href=(path) { "Clear" } }
                }
            }
        }
    }
}
