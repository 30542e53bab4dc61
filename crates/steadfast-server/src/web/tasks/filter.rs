//! The query of the task list, kept in the URL so that it can be shared: a store filter, a page, and
//! a text to search for.

use axum::extract::FromRequestParts;
use http::request::Parts;
use jiff::Timestamp;
use maud::{Markup, html};
use steadfast::duration;
use steadfast_api::{PageQuery, TaskFilter, from_query};
use steadfast_store::Status;

use crate::app::App;
use crate::http::{ListQuery, Problem};
use crate::web::{link, parts, without_empty_fields};

#[derive(Clone, Debug, Default)]
pub(crate) struct TaskQuery {
    pub(super) filter: TaskFilter,
    pub(super) page: PageQuery,
    /// The text that a task must contain.
    pub(super) text: Option<String>,
}

impl FromRequestParts<App> for TaskQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        Self::read(parts.uri.query().unwrap_or_default())
    }
}

impl TaskQuery {
    pub(super) fn read(query: &str) -> Result<Self, Problem> {
        let query = without_empty_fields(query);
        let is_text = |pair: &&str| pair.starts_with("text=");
        let (text, rest): (Vec<_>, Vec<_>) = query.split('&').partition(is_text);
        let mut text: Vec<(String, String)> = from_query(&text.join("&"), "a text")?;
        let ListQuery { filter, page } = ListQuery::read(&rest.join("&"))?;
        Ok(Self { filter, page, text: text.pop().map(|(_, text)| text) })
    }

    /// The query without the page.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let filter = serde_urlencoded::to_string(&self.filter).unwrap_or_default();
        let pairs = form_urlencoded::parse(filter.as_bytes()).into_owned();
        pairs.chain(self.text.clone().map(|text| ("text".to_owned(), text))).collect()
    }

    pub(super) fn url(&self) -> String {
        link::filtered("/tasks", self.pairs())
    }

    /// Whether more than the status is filtered.
    pub(super) fn is_filtered(&self) -> bool {
        let by_status = TaskFilter { status: self.filter.status, ..TaskFilter::default() };
        self.text.is_some() || self.filter != by_status
    }
}

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
            ("unknown_outcome", "unknown outcome"), ("final", "not retryable"),
        ]))
    };
    let tab = filter.status.map(|status| ("status", status.name()));
    let url = |status| {
        let filter = TaskFilter { status, ..filter.clone() };
        TaskQuery { filter, ..query.clone() }.url()
    };
    html! {
        (parts::filter_tabs("Status", Status::ALL, filter.status, parts::status, url))
        (parts::filter_bar("/tasks", query.is_filtered(), tab, fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: the filter is kept in the URL.
    #[test]
    fn query_round_trips_through_the_url() {
        let query = TaskQuery::read("text=a+b%26c&status=failed&queue=&limit=5").unwrap();
        assert_eq!(query.text.as_deref(), Some("a b&c"));
        assert_eq!((query.filter.status, query.page.limit), (Some(Status::Failed), 5));
        assert_eq!(query.url(), "/tasks?status=failed&text=a+b%26c");
        assert_eq!(TaskQuery::default().url(), "/tasks");
        assert!(TaskQuery::read("textt=a").is_err());
    }
}
