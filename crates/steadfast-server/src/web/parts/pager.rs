//! Going on in a list.

use maud::{Markup, html};
use serde::Serialize;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

/// Links to the next page and back to the first. What is chosen stays.
pub(crate) fn pager<F: Serialize>(
    path: &str,
    chosen: &F,
    page: &PageQuery,
    next: Option<&Cursor>,
) -> Markup {
    let at = |after| address(path, chosen, &PageQuery { limit: page.limit, after });
    pages(page.after.as_ref().map(|_| at(None)), next.map(|next| at(Some(next.clone()))))
}

/// Links to these addresses, as far as there are any.
pub(crate) fn pages(start: Option<String>, next: Option<String>) -> Markup {
    if start.is_none() && next.is_none() {
        return html! {};
    }
    html! {
        nav class="pager" aria-label="Pages" {
            @if let Some(start) = start { a class="button" href=(start) { "Back to the start" } }
            @if let Some(next) = next { a class="button" rel="next" href=(next) { "Next" } }
            @else { span class="muted" { "The end of the list" } }
        }
    }
}

fn address<F: Serialize>(path: &str, chosen: &F, page: &PageQuery) -> String {
    let parts = [serde_urlencoded::to_string(chosen), serde_urlencoded::to_string(page)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}
