//! What is behind the question mark.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;
use steadfast::nearest;
use steadfast_api::{
    ApiError, AuditFilter, EventFilter, ExecutionFilter, PageQuery, SessionFilter, TaskFilter,
    from_query,
};

use crate::http::problem::Problem;

/// A query that is one thing.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(from_query(parts.uri.query().unwrap_or_default(), "a query")?))
    }
}

/// How much of a list: the part of a query that is beside a filter.
pub(crate) trait Part: DeserializeOwned {
    /// Its fields.
    const NAMES: &'static [&'static str];
}

impl Part for PageQuery {
    const NAMES: &'static [&'static str] = &["limit", "after"];
}

/// Which things of a list.
pub(crate) trait Filter: DeserializeOwned {}

impl Filter for TaskFilter {}
impl Filter for AuditFilter {}
impl Filter for EventFilter {}
impl Filter for ExecutionFilter {}
impl Filter for SessionFilter {}

/// A query that is two things: which, and how many of them. Both refuse what they do not know,
/// so each is shown its own part alone.
#[derive(Debug)]
pub(crate) struct Listed<F, P = PageQuery> {
    pub(crate) filter: F,
    pub(crate) page: P,
}

impl<F: Filter, P: Part, S: Sync> FromRequestParts<S> for Listed<F, P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::read(parts.uri.query().unwrap_or_default())
    }
}

impl<F: Filter, P: Part> Listed<F, P> {
    /// Reads both out of a query.
    pub(crate) fn read(query: &str) -> Result<Self, Problem> {
        let (page, filter): (Vec<_>, Vec<_>) =
            query.split('&').partition(|pair| P::NAMES.contains(&name(pair)));
        let page = from_query(&page.join("&"), "a page")?;
        let filter = from_query(&filter.join("&"), "a filter");
        Ok(Self { filter: filter.map_err(|error| or_of_the_page::<P>(error))?, page })
    }
}

fn name(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

/// What no filter has may have been meant for the page.
fn or_of_the_page<P: Part>(error: ApiError) -> ApiError {
    let wrong = error.field.as_deref().filter(|_| error.next.is_none());
    match wrong.and_then(|wrong| nearest(wrong, P::NAMES.iter().copied())) {
        Some(near) => error.next(format!("did you mean `{near}`?")),
        None => error,
    }
}
