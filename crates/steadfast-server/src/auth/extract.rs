//! Role extractors: the API client of an authenticated caller with a minimum role.
//!
//! A handler declares the role it needs in its signature: [`Viewer`], [`Operator`] or [`Admin`]. The
//! check cannot be forgotten because the extractor is the only way to the store.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::Local;

use crate::app::App;
use crate::auth::Role;
use crate::auth::caller::Caller;
use crate::http::problem::Problem;

/// The API of a caller that may read.
#[derive(Debug)]
pub(crate) struct Viewer(pub(crate) Local);

/// The API of a caller that may change tasks.
#[derive(Debug)]
pub(crate) struct Operator(pub(crate) Local);

/// The API of a caller that may read the audit log.
#[derive(Debug)]
pub(crate) struct Admin(pub(crate) Local);

async fn authorize(parts: &mut Parts, app: &App, needed: Role) -> Result<Local, Problem> {
    let caller = Caller::from_request_parts(parts, app).await?;
    caller.require(needed)?;
    Ok(app.api_for(caller.by))
}

impl FromRequestParts<App> for Viewer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(authorize(parts, app, Role::Viewer).await?))
    }
}

impl FromRequestParts<App> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(authorize(parts, app, Role::Operator).await?))
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(authorize(parts, app, Role::Admin).await?))
    }
}
