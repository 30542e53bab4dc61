//! Pagination links.

use maud::{Markup, html};
use serde::Serialize;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

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
