//! Choosing tasks. Whatever is chosen stands in the address, so it can be sent to somebody.

use maud::{Markup, html};
use steadfast::duration;
use steadfast_api::TaskFilter;
use steadfast_store::Status;

use crate::page::parts;

/// The bar above the list.
pub(super) fn bar(filter: &TaskFilter) -> Markup {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let within = filter.due_within.map(duration::format).unwrap_or_default();
    let narrowed = *filter != TaskFilter { status: filter.status, ..TaskFilter::default() };
    html! {
        (statuses(filter))
        details class="filter" open[narrowed] data-keep {
            summary { "Filter" }
            form action="/tasks" {
                @if let Some(status) = filter.status { (parts::hidden("status", status.name())) }
                div class="fields" {
                    (field("queue", "Queue", &text(&filter.queue), ""))
                    (field("kind", "Kind", &text(&filter.kind), "http"))
                    (field("category", "Category", &text(&filter.category), ""))
                    (field("correlation_id", "Correlation id", &text(&filter.correlation_id), ""))
                    (field("due_within", "Due within", &within, "24h"))
                    (parts::choice("class", "Last error", filter.class.map_or("", |class| class.name()), [
                        ("", "any"), ("retryable", "retryable"), ("rate_limited", "rate limited"),
                        ("unknown_outcome", "unknown outcome"), ("final", "final"),
                    ]))
                }
                div class="ways" {
                    button class="button main" { "Filter" }
                    @if narrowed { a class="button" href="/tasks" { "Clear" } }
                }
            }
        }
    }
}

fn field(name: &str, label: &str, value: &str, example: &str) -> Markup {
    parts::Field { name, label, value, example, ..parts::Field::default() }.show()
}

/// One tap for what is asked most: where they are.
fn statuses(filter: &TaskFilter) -> Markup {
    let every = std::iter::once(None).chain(Status::ALL.map(Some));
    html! {
        nav class="tabs" aria-label="Status" {
            @for status in every {
                a href=(address(filter, status)) aria-current=[(filter.status == status).then_some("true")] {
                    @match status { Some(status) => (parts::status(status)), None => "all" }
                }
            }
        }
    }
}

/// The same choice, of tasks that are elsewhere.
fn address(filter: &TaskFilter, status: Option<Status>) -> String {
    let filter = TaskFilter { status, ..filter.clone() };
    match serde_urlencoded::to_string(&filter) {
        Ok(query) if !query.is_empty() => format!("/tasks?{query}"),
        _ => "/tasks".to_owned(),
    }
}
