//! Filters above a list, which are tabs for the main criterion and collapsible fields, and its pagination
//! links.

use maud::{Markup, html};
use serde::Serialize;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

use super::field::hidden;

pub(crate) struct Tab {
    pub(crate) url: String,
    pub(crate) is_current: bool,
    pub(crate) label: Markup,
}

pub(crate) fn tabs(name: &str, tabs: impl IntoIterator<Item = Tab>) -> Markup {
    html! {
        nav class="tabs" aria-label=(name) {
            @for Tab { url, is_current, label } in tabs {
                a href=(url) aria-current=[is_current.then_some("true")] { (label) }
            }
        }
    }
}

/// Tabs that filter a list by one value, or by none.
pub(crate) fn filter_tabs<T: Copy + PartialEq>(
    name: &str,
    values: impl IntoIterator<Item = T>,
    current: Option<T>,
    label: impl Fn(T) -> Markup,
    url: impl Fn(Option<T>) -> String,
) -> Markup {
    let all = std::iter::once(None).chain(values.into_iter().map(Some));
    tabs(
        name,
        all.map(|value| Tab {
            url: url(value),
            is_current: value == current,
            label: value.map_or_else(|| html! { "all" }, &label),
        }),
    )
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

/// Links to the first and the next page with the same filter.
pub(crate) fn pager<F: Serialize>(
    path: &str,
    filter: &F,
    page: &PageQuery,
    next: Option<&Cursor>,
) -> Markup {
    let url = |after| url(path, filter, &PageQuery { limit: page.limit, after });
    pages(page.after.as_ref().map(|_| url(None)), next.map(|next| url(Some(next.clone()))))
}

/// Links to these URLs, if given.
pub(crate) fn pages(first: Option<String>, next: Option<String>) -> Markup {
    if first.is_none() && next.is_none() {
        return html! {};
    }
    html! {
        nav class="pager" aria-label="Pagination" {
            @if let Some(first) = first { a class="button" href=(first) { "First page" } }
            @if let Some(next) = next { a class="button" rel="next" href=(next) { "Next" } }
            @else { span class="muted" { "End of list" } }
        }
    }
}

fn url<F: Serialize>(path: &str, filter: &F, page: &PageQuery) -> String {
    let parts = [serde_urlencoded::to_string(filter), serde_urlencoded::to_string(page)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}
