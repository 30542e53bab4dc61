//! Which tasks a list is to show: a filter that the store knows, and words that it does not.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{PageQuery, TaskFilter, from_query};

use crate::app::App;
use crate::problem::Problem;
use crate::query::Listed;
use crate::web::chosen::filled_in;

/// What is chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChosenTasks {
    pub(super) filter: TaskFilter,
    pub(super) page: PageQuery,
    /// What they must say somewhere.
    pub(super) text: Option<String>,
}

impl FromRequestParts<App> for ChosenTasks {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        Self::read(parts.uri.query().unwrap_or_default())
    }
}

impl ChosenTasks {
    pub(super) fn read(query: &str) -> Result<Self, Problem> {
        let query = filled_in(query);
        let is_text = |pair: &&str| pair.starts_with("text=");
        let (text, rest): (Vec<_>, Vec<_>) = query.split('&').partition(is_text);
        let mut text: Vec<(String, String)> = from_query(&text.join("&"), "a text")?;
        let Listed { filter, page } = Listed::read(&rest.join("&"))?;
        Ok(Self { filter, page, text: text.pop().map(|(_, text)| text) })
    }

    /// The same choice as a query, without the place in the list.
    fn query(&self) -> String {
        let filter = serde_urlencoded::to_string(&self.filter).ok();
        let text =
            self.text.as_ref().and_then(|text| serde_urlencoded::to_string([("text", text)]).ok());
        let parts = [filter, text].into_iter().flatten().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("&")
    }

    /// The same as names and values.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.query().as_bytes()).into_owned().collect()
    }

    /// Where the list of them is.
    pub(super) fn address(&self) -> String {
        match self.query() {
            query if query.is_empty() => "/tasks".to_owned(),
            query => format!("/tasks?{query}"),
        }
    }

    /// Whether more is said than where they are.
    pub(super) fn is_narrowed(&self) -> bool {
        let by_status = TaskFilter { status: self.filter.status, ..TaskFilter::default() };
        self.text.is_some() || self.filter != by_status
    }
}

#[cfg(test)]
mod tests {
    use steadfast_store::Status;

    use super::*;

    /// H2: what is chosen stands in the address, and is read from there.
    #[test]
    fn a_choice_is_written_as_it_is_read() {
        let chosen = ChosenTasks::read("text=a+b%26c&status=failed&queue=&limit=5").unwrap();
        assert_eq!(chosen.text.as_deref(), Some("a b&c"));
        assert_eq!((chosen.filter.status, chosen.page.limit), (Some(Status::Failed), 5));
        assert_eq!(chosen.address(), "/tasks?status=failed&text=a+b%26c");
        assert_eq!(ChosenTasks::default().address(), "/tasks");
        assert!(ChosenTasks::read("textt=a").is_err());
    }
}
