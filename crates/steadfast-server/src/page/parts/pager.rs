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
    if page.after.is_none() && next.is_none() {
        return html! {};
    }
    let place = |after| PageQuery { limit: page.limit, after };
    html! {
        nav class="pager" aria-label="Pages" {
            @if page.after.is_some() {
                a class="button" href=(address(path, chosen, &place(None))) { "Back to the start" }
            }
            @if let Some(next) = next {
                a class="button" rel="next" href=(address(path, chosen, &place(Some(next.clone())))) { "Next" }
            } @else { span class="muted" { "The end of the list" } }
        }
    }
}

fn address<F: Serialize>(path: &str, chosen: &F, page: &PageQuery) -> String {
    let parts = [serde_urlencoded::to_string(chosen), serde_urlencoded::to_string(page)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}
