//! HTTP requests, and whether they are safe to repeat.

use std::time::Duration;

use crate::{ApiError, ErrorKind};
use reqwest::Method;
use serde::Serialize;
use url::Url;

/// The timeout of a request.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The timeout of a request on many tasks.
const BULK_TIMEOUT: Duration = Duration::from_secs(120);

/// A request that can be sent several times.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Option<bytes::Bytes>,
    pub(crate) timeout: Duration,
    /// Whether it is safe to repeat.
    pub(crate) repeatable: bool,
}

impl Request {
    /// A read.
    pub(crate) const fn get(url: Url) -> Self {
        Self { method: Method::GET, url, body: None, timeout: DEFAULT_TIMEOUT, repeatable: true }
    }

    /// A command that is not safe to repeat.
    pub(crate) const fn post(url: Url) -> Self {
        Self { method: Method::POST, url, body: None, timeout: DEFAULT_TIMEOUT, repeatable: false }
    }

    /// Marks the request as safe to repeat.
    pub(crate) const fn repeatable(self) -> Self {
        self.repeatable_if(true)
    }

    pub(crate) const fn repeatable_if(mut self, condition: bool) -> Self {
        self.repeatable = condition;
        self
    }

    /// Sets the timeout of a request on many tasks.
    pub(crate) const fn bulk(mut self) -> Self {
        self.timeout = BULK_TIMEOUT;
        self
    }

    /// Sets the JSON body.
    pub(crate) fn json(mut self, body: &(impl Serialize + ?Sized)) -> Result<Self, ApiError> {
        let text = serde_json::to_vec(body).map_err(|error| unserializable(&error))?;
        self.body = Some(text.into());
        Ok(self)
    }

    /// Appends to the query.
    pub(crate) fn query(mut self, query: &(impl Serialize + ?Sized)) -> Result<Self, ApiError> {
        let more = serde_urlencoded::to_string(query).map_err(|error| unserializable(&error))?;
        let joined = match self.url.query() {
            Some(query) if !more.is_empty() => format!("{query}&{more}"),
            Some(query) => query.to_owned(),
            None => more,
        };
        self.url.set_query(Some(joined.as_str()).filter(|query| !query.is_empty()));
        Ok(self)
    }
}

fn unserializable(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("cannot serialize the request: {error}"))
}

#[cfg(test)]
mod tests {
    use crate::{PageQuery, TaskFilter};

    use super::*;

    /// H1: a filter and a page are joined into one query, without unset fields.
    #[test]
    fn filter_and_page_are_joined_into_one_query() {
        let url = Url::parse("http://a.example/tasks").unwrap();
        let filter = TaskFilter { queue: Some("a&b".to_owned()), ..TaskFilter::default() };
        let request = Request::get(url.clone()).query(&filter).unwrap();
        let request = request.query(&PageQuery::default()).unwrap();
        assert_eq!(request.url.query(), Some("queue=a%26b&limit=50"));
        let bare = Request::get(url).query(&TaskFilter::default()).unwrap();
        assert_eq!(bare.url.query(), None);
    }
}
