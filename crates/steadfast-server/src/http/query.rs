//! Query string extractors.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;
use steadfast::__private::nearest;
use steadfast_api::{ApiError, PageQuery, from_query};

use super::Problem;

pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(from_query(parts.uri.query().unwrap_or_default(), "a query")?))
    }
}

pub(crate) trait PageParameters: DeserializeOwned {
    const NAMES: &'static [&'static str];
}

impl PageParameters for PageQuery {
    const NAMES: &'static [&'static str] = &["limit", "after"];
}

/// A query string with a filter and paging. Both reject unknown parameters, so each is parsed from its
/// own parameters only.
pub(crate) struct ListQuery<F, P = PageQuery> {
    pub(crate) filter: F,
    pub(crate) page: P,
}

impl<F: DeserializeOwned, P: PageParameters, S: Sync> FromRequestParts<S> for ListQuery<F, P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::read(parts.uri.query().unwrap_or_default())
    }
}

impl<F: DeserializeOwned, P: PageParameters> ListQuery<F, P> {
    pub(crate) fn read(query: &str) -> Result<Self, Problem> {
        let (page, filter): (Vec<_>, Vec<_>) =
            query.split('&').partition(|pair| P::NAMES.contains(&name(pair)));
        let page = from_query(&page.join("&"), "a query")?;
        let filter = from_query(&filter.join("&"), "a filter");
        Ok(Self { filter: filter.map_err(|error| suggest_page_parameter::<P>(error))?, page })
    }
}

fn name(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

/// Suggests a paging parameter for an unknown filter parameter.
fn suggest_page_parameter<P: PageParameters>(error: ApiError) -> ApiError {
    let unknown = error.field.as_deref().filter(|_| error.next.is_none());
    match unknown.and_then(|unknown| nearest(unknown, P::NAMES.iter().copied())) {
        Some(near) => error.next(format!("did you mean `{near}`?")),
        None => error,
    }
}
