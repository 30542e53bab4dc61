//! Choosing tasks. Whatever is chosen stands in the address, so it can be sent to somebody.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast::duration;
use steadfast_api::TaskFilter;
use steadfast_store::Status;

use super::chosen::ChosenTasks;
use crate::web::parts::{self, Tab};

/// The bar above the list.
pub(super) fn bar(chosen: &ChosenTasks) -> Markup {
    let filter = &chosen.filter;
    let within = filter.due_within.map(duration::format).unwrap_or_default();
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let fields = html! {
        (parts::filter("text", "Text", chosen.text.as_deref(), "any words"))
        (parts::filter("queue", "Queue", filter.queue.as_deref(), ""))
        (parts::filter("kind", "Kind", filter.kind.as_deref(), "http"))
        (parts::filter("category", "Category", filter.category.as_deref(), ""))
        (parts::filter("correlation_id", "Correlation id", filter.correlation_id.as_deref(), ""))
        (parts::filter("due_within", "Due within", Some(&within), "24h"))
        (parts::filter("submitted_after", "Submitted after", time(filter.submitted_after).as_deref(), parts::A_TIME))
        (parts::filter("ended_after", "Ended after", time(filter.ended_after).as_deref(), parts::A_TIME))
        (parts::choice("class", "Last error", filter.class.map_or("", |class| class.name()), [
            ("", "any"), ("retryable", "retryable"), ("rate_limited", "rate limited"),
            ("unknown_outcome", "unknown outcome"), ("final", "final"),
        ]))
    };
    let along = filter.status.map(|status| ("status", status.name()));
    html! {
        (statuses(chosen))
        (parts::filter_bar("/tasks", chosen.is_narrowed(), along, fields))
    }
}

/// One tap for what is asked most: where they are.
fn statuses(chosen: &ChosenTasks) -> Markup {
    let every = std::iter::once(None).chain(Status::ALL.map(Some));
    parts::tabs(
        "Status",
        every.map(|status| Tab {
            address: of(chosen, status),
            is_current: chosen.filter.status == status,
            shows: status.map_or_else(|| html! { "all" }, parts::status),
        }),
    )
}

/// The same choice, of tasks that are elsewhere.
fn of(chosen: &ChosenTasks, status: Option<Status>) -> String {
    let filter = TaskFilter { status, ..chosen.filter.clone() };
    ChosenTasks { filter, ..chosen.clone() }.address()
}
