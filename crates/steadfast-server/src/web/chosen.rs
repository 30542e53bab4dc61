//! What is chosen in the query of a page.
//!
//! A form sends every field that it has, filled in or not; one that is not filled in says
//! nothing.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;
use steadfast_api::{PageQuery, from_query};

use crate::app::App;
use crate::problem::Problem;
use crate::query::{Filter, Listed};

/// Which things of a list, and how many of them.
#[derive(Debug)]
pub(crate) struct Chosen<F> {
    pub(crate) filter: F,
    pub(crate) page: PageQuery,
}

impl<F: Filter> FromRequestParts<App> for Chosen<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = filled_in(parts.uri.query().unwrap_or_default());
        let Listed { filter, page } = Listed::read(&query)?;
        Ok(Self { filter, page })
    }
}

/// What is chosen of a page that is no list of a store's.
#[derive(Debug)]
pub(crate) struct Wanted<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Wanted<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = filled_in(parts.uri.query().unwrap_or_default());
        Ok(Self(from_query(&query, "a query")?))
    }
}

/// A query without the fields that were left empty.
pub(super) fn filled_in(query: &str) -> String {
    let filled = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    query.split('&').filter(filled).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: a form that was left half empty means what was filled in.
    #[test]
    fn fields_that_were_left_empty_say_nothing() {
        assert_eq!(filled_in("status=&queue=mail&kind="), "queue=mail");
        assert_eq!(filled_in(""), "");
    }
}
