//! The filter of the task list, kept in the URL so that it can be shared.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast::duration;
use steadfast_api::TaskFilter;
use steadfast_store::Status;

use super::task_query::TaskQuery;
use crate::web::parts::{self, Tab};

/// The bar above the list.
pub(super) fn bar(query: &TaskQuery) -> Markup {
    let filter = &query.filter;
    let within = filter.due_within.map(duration::format).unwrap_or_default();
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let fields = html! {
        (parts::filter("text", "Text", query.text.as_deref(), "any text"))
        (parts::filter("queue", "Queue", filter.queue.as_deref(), ""))
        (parts::filter("kind", "Kind", filter.kind.as_deref(), "http"))
        (parts::filter("category", "Category", filter.category.as_deref(), ""))
        (parts::filter("correlation_id", "Correlation ID", filter.correlation_id.as_deref(), ""))
        (parts::filter("due_within", "Due within", Some(&within), "24h"))
        (parts::filter("submitted_after", "Submitted after", time(filter.submitted_after).as_deref(), parts::TIME_PLACEHOLDER))
        (parts::filter("ended_after", "Finished after", time(filter.ended_after).as_deref(), parts::TIME_PLACEHOLDER))
        (parts::choice("class", "Last error", filter.class.map_or("", |class| class.name()), [
            ("", "any"), ("retryable", "retryable"), ("rate_limited", "rate limited"),
            ("unknown_outcome", "unknown outcome"), ("final", "final"),
        ]))
    };
    let tab = filter.status.map(|status| ("status", status.name()));
    html! {
        (statuses(query))
        (parts::filter_bar("/tasks", query.is_filtered(), tab, fields))
    }
}

/// One tab per status.
fn statuses(query: &TaskQuery) -> Markup {
    let statuses = std::iter::once(None).chain(Status::ALL.map(Some));
    parts::tabs(
        "Status",
        statuses.map(|status| Tab {
            url: url(query, status),
            is_current: query.filter.status == status,
            label: status.map_or_else(|| html! { "all" }, parts::status),
        }),
    )
}

/// The same query with another status.
fn url(query: &TaskQuery, status: Option<Status>) -> String {
    let filter = TaskFilter { status, ..query.filter.clone() };
    TaskQuery { filter, ..query.clone() }.url()
}
