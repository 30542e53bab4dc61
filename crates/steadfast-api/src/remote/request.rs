//! What is sent, and whether it may be sent twice.

use std::time::Duration;

use crate::{ApiError, ErrorKind};
use reqwest::Method;
use serde::Serialize;
use url::Url;

/// How long an answer may take.
const USUAL: Duration = Duration::from_secs(30);
/// How long it may take if much was sent.
const LONG: Duration = Duration::from_secs(120);

/// A request, to be sent as often as it takes.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Option<bytes::Bytes>,
    pub(crate) within: Duration,
    /// Whether it means the same the second time.
    pub(crate) repeatable: bool,
}

impl Request {
    /// A question.
    pub(crate) const fn get(url: Url) -> Self {
        Self { method: Method::GET, url, body: None, within: USUAL, repeatable: true }
    }

    /// An order that must not be given twice.
    pub(crate) const fn post(url: Url) -> Self {
        Self { method: Method::POST, url, body: None, within: USUAL, repeatable: false }
    }

    /// The same, and it means the same the second time.
    pub(crate) const fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The same, and there is much of it.
    pub(crate) const fn long(mut self) -> Self {
        self.within = LONG;
        self
    }

    /// The same with a body.
    pub(crate) fn json(mut self, body: &(impl Serialize + ?Sized)) -> Result<Self, ApiError> {
        let text = serde_json::to_vec(body).map_err(|error| unwritable(&error))?;
        self.body = Some(text.into());
        Ok(self)
    }

    /// The same with more behind the question mark.
    pub(crate) fn query(mut self, query: &impl Serialize) -> Result<Self, ApiError> {
        let more = serde_urlencoded::to_string(query).map_err(|error| unwritable(&error))?;
        let whole = match self.url.query() {
            Some(query) if !more.is_empty() => format!("{query}&{more}"),
            Some(query) => query.to_owned(),
            None => more,
        };
        self.url.set_query(Some(whole.as_str()).filter(|query| !query.is_empty()));
        Ok(self)
    }
}

fn unwritable(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("this cannot be sent: {error}"))
}

#[cfg(test)]
mod tests {
    use crate::{PageQuery, TaskFilter};

    use super::*;

    /// H1: a filter and a page are one query, and what is not said is not sent.
    #[test]
    fn a_filter_and_a_page_are_one_query() {
        let url = Url::parse("http://a.example/tasks").unwrap();
        let filter = TaskFilter { queue: Some("a&b".to_owned()), ..TaskFilter::default() };
        let request = Request::get(url.clone()).query(&filter).unwrap();
        let request = request.query(&PageQuery::default()).unwrap();
        assert_eq!(request.url.query(), Some("queue=a%26b&limit=50"));
        let bare = Request::get(url).query(&TaskFilter::default()).unwrap();
        assert_eq!(bare.url.query(), None);
    }
}
