//! Choosing tasks. Whatever is chosen stands in the address, so it can be sent to somebody.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast::duration;
use steadfast_api::TaskFilter;
use steadfast_store::Status;

use super::chosen::ChosenTasks;
use crate::page::parts;

/// What a time looks like.
const A_TIME: &str = "2026-07-01T08:00Z";

/// The bar above the list.
pub(super) fn bar(chosen: &ChosenTasks) -> Markup {
    let filter = &chosen.filter;
    let within = filter.due_within.map(duration::format).unwrap_or_default();
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let narrowed = chosen.is_narrowed();
    html! {
        (statuses(chosen))
        details class="filter" open[narrowed] data-keep {
            summary { "Filter" }
            form action="/tasks" {
                @if let Some(status) = filter.status { (parts::hidden("status", status.name())) }
                div class="fields" {
                    (parts::filter("text", "Text", chosen.text.as_deref(), "any words"))
                    (parts::filter("queue", "Queue", filter.queue.as_deref(), ""))
                    (parts::filter("kind", "Kind", filter.kind.as_deref(), "http"))
                    (parts::filter("category", "Category", filter.category.as_deref(), ""))
                    (parts::filter("correlation_id", "Correlation id", filter.correlation_id.as_deref(), ""))
                    (parts::filter("due_within", "Due within", Some(&within), "24h"))
                    (parts::filter("submitted_after", "Submitted after", time(filter.submitted_after).as_deref(), A_TIME))
                    (parts::filter("ended_after", "Ended after", time(filter.ended_after).as_deref(), A_TIME))
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

/// One tap for what is asked most: where they are.
fn statuses(chosen: &ChosenTasks) -> Markup {
    let every = std::iter::once(None).chain(Status::ALL.map(Some));
    html! {
        nav class="tabs" aria-label="Status" {
            @for status in every {
                a href=(of(chosen, status)) aria-current=[(chosen.filter.status == status).then_some("true")] {
                    @match status { Some(status) => (parts::status(status)), None => "all" }
                }
            }
        }
    }
}

/// The same choice, of tasks that are elsewhere.
fn of(chosen: &ChosenTasks, status: Option<Status>) -> String {
    let filter = TaskFilter { status, ..chosen.filter.clone() };
    ChosenTasks { filter, ..chosen.clone() }.address()
}
