//! Filter and page parameters from the query string.
//!
//! A filter form sends all of its fields; empty ones are ignored.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;
use steadfast_api::{PageQuery, from_query};

use crate::app::App;
use crate::http::{ListQuery, Problem};

pub(crate) struct FormListQuery<F> {
    pub(crate) filter: F,
    pub(crate) page: PageQuery,
}

impl<F: DeserializeOwned> FromRequestParts<App> for FormListQuery<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = without_empty_fields(parts.uri.query().unwrap_or_default());
        let ListQuery { filter, page } = ListQuery::read(&query)?;
        Ok(Self { filter, page })
    }
}

/// The parameters of a page that is not a paged list.
pub(crate) struct PageParams<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for PageParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = without_empty_fields(parts.uri.query().unwrap_or_default());
        Ok(Self(from_query(&query, "a filter")?))
    }
}

pub(super) fn without_empty_fields(query: &str) -> String {
    let filled = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    query.split('&').filter(filled).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: empty fields of a filter form are ignored.
    #[test]
    fn empty_fields_are_ignored() {
        assert_eq!(without_empty_fields("status=&queue=mail&kind="), "queue=mail");
        assert_eq!(without_empty_fields(""), "");
    }
}
