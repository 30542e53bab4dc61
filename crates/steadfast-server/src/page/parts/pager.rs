//! Going on in a list.

use maud::{Markup, html};
use serde::Serialize;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

/// Links to the next page and back to the first. What is asked for stays.
pub(crate) fn pager<F: Serialize>(
    path: &str,
    filter: &F,
    page: &PageQuery,
    next: Option<&Cursor>,
) -> Markup {
    if page.after.is_none() && next.is_none() {
        return html! {};
    }
    let first = address(path, filter, None);
    html! {
        nav class="pager" aria-label="Pages" {
            @if page.after.is_some() { a class="button" href=(first) { "Back to the start" } }
            @if let Some(next) = next {
                a class="button" rel="next" href=(address(path, filter, Some(next))) { "Next" }
            } @else { span class="muted" { "The end of the list" } }
        }
    }
}

fn address<F: Serialize>(path: &str, filter: &F, after: Option<&Cursor>) -> String {
    let filter = serde_urlencoded::to_string(filter).unwrap_or_default();
    let after = after.and_then(|after| serde_urlencoded::to_string([("after", &after.0)]).ok());
    let query: Vec<_> =
        [Some(filter), after].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    match query.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", query.join("&")),
    }
}
